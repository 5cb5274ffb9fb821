// Functions that split double-precision numbers or round them. All are exact; they work on the bits where
// numbers may be subnormal.

double __clvk_fract_f64(double x, double *whole)
{
    double down = floor(x);
    *whole = down;
    double result = fmin(x - down, 0x1.fffffffffffffp-1);
    result = isinf(x) ? copysign(0.0, x) : result;
    result = x == 0.0 ? x : result;
    return isnan(x) ? x : result;
}

double __clvk_frexp_f64(double x, int *exponent)
{
    bool special = is_special_f64(x);
    int of_x;
    double m = normalised_f64(special ? 1.0 : x, &of_x);
    *exponent = special ? 0 : of_x + 1;
    return special ? x : copysign(0.5 * m, x);
}

double __clvk_ldexp_f64(double x, int n)
{
    if (is_special_f64(x)) {
        return x;
    }
    int of_x;
    double m = normalised_f64(x, &of_x);
    return assembled_f64(as_ulong(x) & 0x8000000000000000UL, m, of_x + clamp(n, -3000, 3000), 0.0);
}

int __clvk_ilogb_f64(double x)
{
    bool special = is_special_f64(x);
    int result;
    normalised_f64(special ? 1.0 : x, &result);
    result = special ? (isinf(x) || isnan(x) ? 0x7fffffff : (int)0x80000000) : result;
    return result;
}

double __clvk_nan_u64(ulong payload)
{
    return as_double(0x7ff8000000000000UL | (payload & 0x7ffffffffffffUL));
}

double __clvk_nextafter_f64(double x, double y)
{
    long of_x = as_long(x), of_y = as_long(y);
    // As integers in the same order as the numbers.
    long place_x = of_x < 0 ? (long)0x8000000000000000UL - of_x : of_x;
    long place_y = of_y < 0 ? (long)0x8000000000000000UL - of_y : of_y;
    long next = place_x < place_y ? place_x + 1 : place_x - 1;
    next = next < 0 ? (long)0x8000000000000000UL - next : next;
    double result = place_x == place_y ? y : as_double(next);
    // The largest negative number's successor is negative zero.
    result = next == 0 && of_x < 0 ? -0.0 : result;
    return isnan(x) || isnan(y) ? x + y : result;
}

double __clvk_hypot_f64(double x, double y)
{
    double a = fmax(fabs(x), fabs(y)), b = fmin(fabs(x), fabs(y));
    // a from 1 up to 2.
    int exponent;
    bool special = is_special_f64(a);
    double ma = normalised_f64(special ? 1.0 : a, &exponent);
    // Scaled down from subnormal numbers in two steps, and up to the largest ones in two as well.
    int half_exponent = exponent / 2;
    double mb = b * power_of_two_f64(-half_exponent) * power_of_two_f64(half_exponent - exponent);
    double root = root_f64(ma * ma + mb * mb);
    double result = root * power_of_two_f64(half_exponent) * power_of_two_f64(exponent - half_exponent);
    result = special ? a : result;
    result = isnan(x) || isnan(y) ? NAN : result;
    return isinf(x) || isinf(y) ? INFINITY : result;
}

double __clvk_smoothstep_f64(double edge0, double edge1, double x)
{
    double t = fmin(fmax(__clvk_divide_f64(x - edge0, edge1 - edge0), 0.0), 1.0);
    return t * t * (3.0 - 2.0 * t);
}
