// Powers in double precision: x^y is 2^(y log2 |x|), with the logarithm and the product in pairs.

// log2(x) for a positive finite x.
static double2 log2_pair(double x)
{
    // A subnormal number is read as an integer.
    bool tiny = high_word(x) < 0x100000;
    double f;
    double e = split_exponent_f64(tiny ? (double)as_ulong(x) : x, &f) - (tiny ? 1074.0 : 0.0);
    // s = f / (2 + f), with the rounding errors of the division and the sum.
    double d = 2.0 + f;
    double d_low = f - (d - 2.0);
    double r = reciprocal_of_positive_f64(d);
    double s = high_part_f64(f * r);
    double d_high = high_part_f64(d);
    double s_low = (((f - s * d_high) - s * (d - d_high)) - s * d_low) * r;
    // log(m) = 2 atanh(s) = 2 s + 2/3 s^3 + s^5 (2/5 + ...); the last term is small enough to be rounded.
    double2 s_pair = fast_two_sum(s, s_low);
    double2 z = pair_product(s_pair, s_pair);
    double zz = z.x;
    double p = mad(zz, 0.11748603365608093, 0.11703780772949368);
    p = mad(zz, p, 0.13334897308547064);
    p = mad(zz, p, 0.15384593242579514);
    p = mad(zz, p, 0.1818181835165175);
    p = mad(zz, p, 0.2222222222158344);
    p = mad(zz, p, 0.28571428571429486);
    p = mad(zz, p, 0.4);
    double2 third = two_sum(0x1.5555555555555p-1, 0x1.5555555555555p-55 + z.x * p);
    double2 series = pair_product(pair_product(z, third), s_pair);
    double2 log = fast_two_sum(2.0 * s_pair.x, series.x);
    log = fast_two_sum(log.x, log.y + (series.y + 2.0 * s_pair.y));
    log = pair_product(log, (double2)(0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56));
    double2 sum = two_sum(e, log.x);
    return fast_two_sum(sum.x, sum.y + log.y);
}

// 2^t for |t| up to one half.
static double exp2_of_small_pair(double2 t)
{
    double2 product = two_product(t.x, 0x1.62e42fefa39efp-1);
    double low = mad(t.x, 0x1.abc9e3b39803fp-56, mad(t.y, 0x1.62e42fefa39efp-1, product.y));
    double2 sum = fast_two_sum(product.x, low);
    return exp_of_remainder_f64(sum.x, sum.y);
}

// 2^(n + t) as t's power and n, which is clamped to values where the result overflows or vanishes.
static double exp2_of_pair(double2 exponent, int *n)
{
    double clamped = fmin(fmax(exponent.x, -2040.0), 2040.0);
    double rounded = clamped + WHOLE_F64;
    *n = whole_number_f64(rounded);
    double t = exponent.x == clamped ? exponent.x - (rounded - WHOLE_F64) : 0.0;
    double t_low = exponent.x == clamped ? exponent.y : 0.0;
    return exp2_of_small_pair((double2)(t, t_low));
}

// x^(y + y_low) for a positive finite x.
static double power_of_positive_f64(double x, double y, double y_low)
{
    double2 log = log2_pair(x);
    // Beyond this, every power overflows or vanishes, except that of 1.
    y = fmin(fmax(y, -1e25), 1e25);
    double2 product = two_product(y, log.x);
    product = fast_two_sum(product.x, product.y + (y * log.y + y_low * log.x));
    int n;
    double result = exp2_of_pair(product, &n);
    return scale_f64(result, n);
}

// The sign and the edge cases of pow (C99 F.9.4.4, OpenCL C §7.5.1).
static double power_with_edges_f64(double x, double y)
{
    double magnitude = fabs(x);
    double result = power_of_positive_f64(magnitude, y, 0.0);
    bool y_is_whole = rint(y) == y || isinf(y);
    // An odd number is an integer whose half is not; from 2^53 on all are even.
    bool y_is_odd = y_is_whole && fabs(y) < 9007199254740992.0 && rint(y * 0.5) * 2.0 != y;
    result = magnitude == INFINITY ? (y > 0.0 ? INFINITY : 0.0) : result;
    result = magnitude == 0.0 ? (y > 0.0 ? 0.0 : INFINITY) : result;
    bool grows = (magnitude > 1.0) == (y > 0.0);
    result = isinf(y) ? (magnitude == 1.0 ? 1.0 : (grows ? INFINITY : 0.0)) : result;
    result = signbit(x) && y_is_odd ? -result : result;
    result = x < 0.0 && x != -INFINITY && !y_is_whole ? NAN : result;
    result = isnan(x) || isnan(y) ? x + y : result;
    return y == 0.0 || x == 1.0 ? 1.0 : result;
}

double __clvk_pow_f64(double x, double y)
{
    // Where the numbers and the result are ordinary, there are no edge cases.
    double2 log = log2_pair(x);
    double2 product = two_product(y, log.x);
    if (is_positive_normal_f64(x) && (high_word(y) & 0x7fffffff) < 0x7f000000 && fabs(product.x) <= 1000.0) {
        product = fast_two_sum(product.x, mad(y, log.y, product.y));
        double n = product.x + WHOLE_F64;
        return scale_normal_f64(exp2_of_small_pair((double2)(product.x - (n - WHOLE_F64), product.y)), n);
    }
    return power_with_edges_f64(x, y);
}

double __clvk_powr_f64(double x, double y)
{
    double result = __clvk_pow_f64(x, y);
    bool undefined = x < 0.0 || (x == 0.0 && y == 0.0) || (x == INFINITY && y == 0.0) || (x == 1.0 && isinf(y));
    result = x == 0.0 && y != 0.0 ? fabs(result) : result;
    result = isnan(x) || isnan(y) ? x + y : result;
    return undefined ? NAN : result;
}

double __clvk_pown_f64(double x, int y)
{
    double result = power_of_positive_f64(fabs(x), (double)y, 0.0);
    result = fabs(x) == INFINITY ? (y > 0 ? INFINITY : 0.0) : result;
    result = x == 0.0 ? (y > 0 ? 0.0 : INFINITY) : result;
    result = signbit(x) && (y & 1) != 0 ? -result : result;
    result = isnan(x) ? x : result;
    return y == 0 ? 1.0 : result;
}

double __clvk_rootn_f64(double x, int n)
{
    double2 inverse = quotient_pair(1.0, (double)(n == 0 ? 1 : n));
    bool odd = (n & 1) != 0;
    double a = fabs(x);
    double result = power_of_positive_f64(a, inverse.x, inverse.y);
    result = a == 0.0 ? (n > 0 ? 0.0 : INFINITY) : result;
    result = a == INFINITY ? (n > 0 ? INFINITY : 0.0) : result;
    result = signbit(x) && odd ? -result : result;
    result = x < 0.0 && !odd ? NAN : result;
    result = isnan(x) ? x : result;
    return n == 0 ? NAN : result;
}

double __clvk_cbrt_f64(double x)
{
    if (is_special_f64(x)) {
        return x;
    }
    // |x| is m 2^(3 k) with m in [1, 8).
    int e;
    double m = normalised_f64(x, &e);
    int k = (e + 3000) / 3 - 1000;
    m = m * power_of_two_f64(e - 3 * k);
    // A polynomial that is accurate to 2^-8, then two steps of Halley's method; each triples the number of
    // correct bits.
    double y = mad(m, -0.0002882199346276574, 0.0069891694835587225);
    y = mad(m, y, -0.06797280035500547);
    y = mad(m, y, 0.4121814779629245);
    y = mad(m, y, 0.6538962985569791);
    double cube = y * y * y;
    y = y + y * (m - cube) * rough_reciprocal_f64(2.0 * cube + m);
    // The square of 26 bits is exact, and so is the high part of the cube.
    y = high_part_f64(y);
    double square = y * y;
    double2 exact_cube = two_product(square, y);
    double rest = (m - exact_cube.x) - exact_cube.y;
    y = y + y * rest * rough_reciprocal_f64(2.0 * exact_cube.x + m);
    return copysign(y * power_of_two_f64(k), x);
}
