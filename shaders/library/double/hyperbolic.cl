// Hyperbolic functions and their inverses in double precision.

// e^x 2^shift for |x| < 1400 and small shifts.
static double exp_shifted_f64(double x, int shift)
{
    double n = rint(x * 1.4426950408889634);
    double high = x - n * 0x1.62e42fee00000p-1;
    double low = n * 0x1.a39ef35793c76p-33;
    double r = high - low;
    return scale_f64(exp_of_remainder_f64(r, (high - r) - low), (int)n + shift);
}

double __clvk_sinh_f64(double x)
{
    // Up to 1 a polynomial, above that the definition.
    double a = fabs(x);
    double z = fmin(a * a, 1.0);
    double p = mad(z, 2.8445264169895285e-15, 7.646625361656657e-13);
    p = mad(z, p, 1.6059048396350562e-10);
    p = mad(z, p, 2.505210836405804e-08);
    p = mad(z, p, 2.755731922404034e-06);
    p = mad(z, p, 0.00019841269841269773);
    p = mad(z, p, 0.008333333333333333);
    p = mad(z, p, 0.16666666666666666);
    double small = a + a * z * p;
    double middle = exp_shifted_f64(fmin(fmax(a, 1.0), 30.0), -1);
    double large = middle - 0.25 * quotient_f64(1.0, middle);
    large = a > 30.0 ? exp_shifted_f64(fmin(fmax(a, 30.0), 730.0), -1) : large;
    double result = copysign(a < 1.0 ? small : large, x);
    return isnan(x) ? x : result;
}

double __clvk_cosh_f64(double x)
{
    double a = fmin(fabs(x), 730.0);
    double middle = exp_shifted_f64(fmin(a, 30.0), -1);
    double result = middle + 0.25 * quotient_f64(1.0, middle);
    result = a > 30.0 ? exp_shifted_f64(fmax(a, 30.0), -1) : result;
    return isnan(x) ? x : result;
}

double __clvk_tanh_f64(double x)
{
    // e^2a - 1 over e^2a + 1.
    double a = fmin(fabs(x), 22.0);
    double e = __clvk_expm1_f64(2.0 * a);
    double result = quotient_f64(e, e + 2.0);
    result = copysign(fabs(x) < 1e-10 ? fabs(x) : result, x);
    return isnan(x) ? x : result;
}

// From 2^30 on, asinh and acosh are log(2 a).
double __clvk_asinh_f64(double x)
{
    double a = fabs(x);
    bool huge = a > 1073741824.0;
    double b = huge ? 1.0 : a;
    double square = b * b;
    double near = __clvk_log1p_f64(b + quotient_f64(square, 1.0 + root_f64(square + 1.0)));
    double result = huge ? __clvk_log_f64(a) + 0.6931471805599453 : near;
    result = copysign(fabs(x) < 1e-10 ? a : result, x);
    return isnan(x) ? x : result;
}

double __clvk_acosh_f64(double x)
{
    bool huge = x > 1073741824.0;
    double t = huge || x < 1.0 ? 1.0 : x - 1.0;
    double root = t == 0.0 ? 0.0 : root_f64(2.0 * t + t * t);
    double near = __clvk_log1p_f64(t + root);
    double result = huge ? __clvk_log_f64(x) + 0.6931471805599453 : near;
    result = x < 1.0 ? NAN : result;
    return isnan(x) ? x : result;
}

double __clvk_atanh_f64(double x)
{
    // (1 + a) / (1 - a) is 1 + 2 a + 2 a^2 / (1 - a).
    double a = fabs(x);
    double b = a < 1.0 ? a : 0.5;
    double t = 2.0 * b;
    t = b < 0.5 ? t + t * quotient_f64(b, 1.0 - b) : quotient_f64(t, 1.0 - b);
    double result = 0.5 * __clvk_log1p_f64(t);
    result = a < 1e-10 ? a : result;
    result = a == 1.0 ? INFINITY : result;
    result = copysign(result, x);
    result = a > 1.0 ? NAN : result;
    return isnan(x) ? x : result;
}
