// The trigonometric functions whose argument counts half turns, in double precision: the reduction is exact.

// |x| in [0, 2) is quarters / 2 plus the remainder, which is returned times pi; whole turns are dropped.
static double2 reduce_half_turns_f64(double x, int *quarters)
{
    double a = fabs(x);
    double m = a - 2.0 * floor(a * 0.5);
    double n = rint(m * 2.0);
    *quarters = (int)n;
    double2 product = two_product(m - n * 0.5, 3.141592653589793);
    return fast_two_sum(product.x, product.y + (m - n * 0.5) * 1.2246467991473532e-16);
}

// pi x for x so small that sin(pi x) equals it, without subnormal intermediate results.
static double pi_times(double x)
{
    double large = x * 0x1p+200;
    double2 product = two_product(large, 3.141592653589793);
    double result = (product.x + (product.y + large * 1.2246467991473532e-16)) * 0x1p-200;
    return x == 0.0 ? x : result;
}

double __clvk_sinpi_f64(double x)
{
    int quarters;
    double2 r = reduce_half_turns_f64(isinf(x) ? 0.0 : x, &quarters);
    double s = sin_in_quadrant_f64(r, quarters);
    s = r.x == 0.0 && (quarters & 1) == 0 ? 0.0 : s;
    double result = signbit(x) ? -s : s;
    result = fabs(x) < 1e-100 ? pi_times(x) : result;
    return isinf(x) || isnan(x) ? NAN : result;
}

double __clvk_cospi_f64(double x)
{
    int quarters;
    double2 r = reduce_half_turns_f64(isinf(x) ? 0.0 : x, &quarters);
    double result = sin_in_quadrant_f64(r, quarters + 1);
    result = result == 0.0 ? 0.0 : result;
    return isinf(x) || isnan(x) ? NAN : result;
}

double __clvk_tanpi_f64(double x)
{
    int quarters;
    double2 r = reduce_half_turns_f64(isinf(x) || fabs(x) < 1e-30 ? 0.0 : x, &quarters);
    double s = sin_of_remainder_f64(r);
    double c = cos_of_remainder_f64(r);
    bool odd = (quarters & 1) != 0;
    double t = quotient_f64(odd ? -c : s, odd ? (s == 0.0 ? 1.0 : s) : c);
    // At integers zero and halfway between them infinity, both with the sign of an even or odd neighbour.
    bool second = (quarters & 2) != 0;
    double edge = odd ? INFINITY : 0.0;
    t = r.x == 0.0 ? (second ? -edge : edge) : t;
    double result = signbit(x) ? -t : t;
    result = fabs(x) < 1e-30 ? pi_times(x) : result;
    return isinf(x) || isnan(x) ? NAN : result;
}

double __clvk_asinpi_f64(double x)
{
    return __clvk_asin_f64(x) * 0.3183098861837907;
}

double __clvk_acospi_f64(double x)
{
    return __clvk_acos_f64(x) * 0.3183098861837907;
}

double __clvk_atanpi_f64(double x)
{
    return __clvk_atan_f64(x) * 0.3183098861837907;
}

double __clvk_atan2pi_f64(double y, double x)
{
    return __clvk_atan2_f64(y, x) * 0.3183098861837907;
}
