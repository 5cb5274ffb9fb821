// The gamma function and the logarithm of its absolute value, in double precision.

// gamma(t + 1.5) for |t| <= 0.5.
static double gamma_around_middle_f64(double t)
{
    double p = mad(t, -0.00025303807808043895, 0.00037955491879486174);
    p = mad(t, p, -0.00022139952612051456);
    p = mad(t, p, 0.0003320885800907498);
    p = mad(t, p, -0.0007046879722466143);
    p = mad(t, p, 0.0010569633457018935);
    p = mad(t, p, -0.0015159595901781905);
    p = mad(t, p, 0.002273514062024839);
    p = mad(t, p, -0.003423629338262631);
    p = mad(t, p, 0.005132883760616497);
    p = mad(t, p, -0.007690139287816347);
    p = mad(t, p, 0.011522407277990318);
    p = mad(t, p, -0.017222447013020576);
    p = mad(t, p, 0.02583761230507782);
    p = mad(t, p, -0.03800193543217766);
    p = mad(t, p, 0.058610303633145476);
    p = mad(t, p, -0.07752305230182892);
    p = mad(t, p, 0.1446453590475836);
    p = mad(t, p, -0.10729480456475984);
    p = mad(t, p, 0.4148134536882826);
    p = mad(t, p, 0.032338397448885);
    p = mad(t, p, 0.886226925452758);
    return p;
}

// The terms of Stirling's series for x >= 12 except the first: log(gamma(x)) - ((x - 1/2) log(x) - x + log(2
// pi) / 2).
static double stirling_f64(double x)
{
    double u = quotient_f64(1.0, x);
    double z = u * u;
    double p = mad(z, 0.005751142995654374, -0.0019114098719928646);
    p = mad(z, p, 0.0008417222691658515);
    p = mad(z, p, -0.0005952380263079359);
    p = mad(z, p, 0.0007936507935713505);
    p = mad(z, p, -0.002777777777777743);
    p = mad(z, p, 0.08333333333333333);
    return p * u;
}

// gamma(x) for 1 <= x < 12: reduced to between 1 and 2; the factors are exact.
static double gamma_of_few_f64(double x)
{
    double product = 1.0;
    __attribute__((opencl_unroll_hint))
    for (int step = 0; step < 10; ++step) {
        bool more = high_word(x) >= 0x40000000;
        x = more ? x - 1.0 : x;
        product = more ? product * x : product;
    }
    return product * gamma_around_middle_f64(x - 1.5);
}

// gamma(x) = result * 2^exponent for 1 <= x <= 200.
static double gamma_from_one_f64(double x, int *exponent)
{
    *exponent = 0;
    if (x < 12.0) {
        return gamma_of_few_f64(x);
    }
    // (x - 1/2) log2(x) - x log2(e) in pairs, then the series.
    double2 power = pair_product(log2_pair(x), (double2)(x - 0.5, 0.0));
    double2 linear = pair_product((double2)(x, 0.0), (double2)(0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56));
    double2 sum = two_sum(power.x, -linear.x);
    sum = fast_two_sum(sum.x, sum.y + (power.y - linear.y));
    double series = stirling_f64(x) * 1.4426950408889634;
    sum = two_sum(sum.x, sum.y + series);
    return 2.5066282746310002 * exp2_of_pair(sum, exponent);
}

double __clvk_tgamma_f64(double x)
{
    if (x >= 1.0 && x < 12.0) {
        return gamma_of_few_f64(x);
    }
    double y = fabs(x);
    bool below_one = y < 1.0;
    double clamped = fmin(fmax(y, 1.0), 200.0);
    int exponent;
    double g = gamma_from_one_f64(clamped, &exponent);
    // y gamma(y) is gamma(y + 1).
    double next = below_one ? gamma_around_middle_f64(y - 0.5) : clamped * g;
    double positive = below_one ? quotient_f64(next, fmax(y, 1e-30)) : scale_f64(g, exponent);
    // gamma(-y) = -pi / (sin(pi y) y gamma(y))
    double s = __clvk_sinpi_f64(y);
    s = fabs(s) < 1e-30 ? 1.0 : s;
    double negative = scale_f64(quotient_f64(-3.141592653589793, s * next), -exponent);
    double result = x > 0.0 ? positive : negative;
    result = y < 1e-30 ? __clvk_divide_f64(1.0, x) : result;
    result = x < 0.0 && floor(x) == x ? NAN : result;
    // Between large negative integers it vanishes, with the sign that it has there.
    result = x < -190.0 && floor(x) != x ? ((((long)floor(x)) & 1) != 0 ? -0.0 : 0.0) : result;
    return isnan(x) || x == INFINITY ? x : result;
}

double __clvk_lgamma_r_f64(double x, int *sign)
{
    double y = fabs(x);
    bool large = y >= 12.0;
    int exponent;
    double g = gamma_from_one_f64(fmin(fmax(y, 1.0), 11.5), &exponent);
    double log_y = __clvk_log_f64(y);
    double small = y < 1.0 ? __clvk_log_f64(gamma_around_middle_f64(y - 0.5)) - log_y : __clvk_log_f64(g);
    double above = fmin(fmax(y, 12.0), 1e30);
    double series = (y - 0.5) * (log_y - 1.0) + (0.4189385332046727 + stirling_f64(above));
    double positive = large ? series : small;
    // log |gamma(-y)| = log(pi) - log |sin(pi y)| - log(y) - log(gamma(y))
    double s = __clvk_sinpi_f64(y);
    double negative = y < 1e-40 ? -log_y : 1.1447298858494002 - __clvk_log_f64(fabs(s)) - log_y - positive;
    bool pole = x <= 0.0 && floor(x) == x && !isinf(x);
    double result = signbit(x) ? negative : positive;
    result = pole || isinf(x) ? INFINITY : result;
    *sign = pole ? 0 : (signbit(x) && s > 0.0 ? -1 : 1);
    return isnan(x) ? x : result;
}

double __clvk_lgamma_f64(double x)
{
    int sign;
    return __clvk_lgamma_r_f64(x, &sign);
}
