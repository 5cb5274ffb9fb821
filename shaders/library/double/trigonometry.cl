// Sine, cosine, tangent and their inverses in double precision: as in single precision, with remainders in
// pairs.

// 2/pi in binary, after 64 zero bits.
__constant ulong two_over_pi_f64[22] = {
    0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
    0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41,
    0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab,
    0xf0cfbc209af4361d, 0xa9e391615ee61b08,
};

// Reduction for any finite x: the mantissa times those bits of 2/pi that matter for the quadrant and the 126
// bits after it.
static double2 reduce_large_f64(double x, int *quadrant)
{
    ulong bits = as_ulong(x) & 0x7fffffffffffffffUL;
    ulong m = (bits & 0xfffffffffffffUL) | 0x10000000000000UL;
    // Bits of 2/pi before `start` contribute only whole turns to the product.
    int start = (int)(bits >> 52) - 1075 - 2 + 64;
    int word = start >> 6;
    int shift = start & 63, back = 64 - shift;
    ulong w0 = two_over_pi_f64[word], w1 = two_over_pi_f64[word + 1], w2 = two_over_pi_f64[word + 2];
    ulong w3 = two_over_pi_f64[word + 3];
    w0 = shift == 0 ? w0 : (w0 << shift) | (w1 >> back);
    w1 = shift == 0 ? w1 : (w1 << shift) | (w2 >> back);
    w2 = shift == 0 ? w2 : (w2 << shift) | (w3 >> back);
    ulong p0 = m * w2;
    ulong p1 = m * w1 + mul_hi(m, w2);
    ulong carry = p1 < mul_hi(m, w2) ? 1 : 0;
    ulong p2 = m * w0 + mul_hi(m, w1) + carry;
    ulong high = (p2 << 2) | (p1 >> 62);
    ulong low = (p1 << 2) | (p0 >> 62);
    // The fraction's leading bit rounds to the nearest quarter turn; the rest, as a signed number, is the
    // remainder.
    int n = (int)(p2 >> 62) + (int)(high >> 63);
    bool below = (high >> 63) != 0;
    low = below ? ~low + 1 : low;
    high = below ? ~high + (low == 0 ? 1 : 0) : high;
    // The first 53 bits and the next, even where many are zero.
    int zeros = high != 0 ? (int)clz(high) : 64;
    ulong first = zeros == 64 ? low : (zeros == 0 ? high : (high << zeros) | (low >> (64 - zeros)));
    ulong second = zeros == 64 ? 0 : low << zeros;
    double scale = power_of_two_f64(-64 - zeros);
    double turns = (double)(first >> 11) * 2048.0 * scale;
    double turns_low = ((double)(first & 0x7ff) + (double)(second >> 11) * 1.1102230246251565e-16) * scale;
    double2 remainder = pair_product((double2)(turns, turns_low), (double2)(0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54));
    bool negative = x < 0.0;
    *quadrant = negative ? -n : n;
    return negative != below ? -remainder : remainder;
}

// x = quadrant * pi/2 + result, where only the last two bits of the quadrant are meaningful.
static double2 reduce_f64(double x, int *quadrant)
{
    uint magnitude = high_word(x) & 0x7fffffff;
    // From 2^-510 to 10^6.
    if (magnitude - 0x20100000 > 0x412e8480 - 0x20100000) {
        if (magnitude < 0x20100000) {
            *quadrant = 0;
            return (double2)(x, 0.0);
        }
        return magnitude >= 0x7ff00000 ? (double2)(NAN, NAN) : reduce_large_f64(x, quadrant);
    }
    // pi/2 in three parts. The first two have 33 bits, so the products with n below 2^20 are exact.
    double sum = mad(x, 0.6366197723675814, WHOLE_F64);
    *quadrant = whole_number_f64(sum);
    double n = sum - WHOLE_F64;
    double2 first = two_sum(mad(n, -0x1.921fb54400000p+0, x), n * -0x1.0b4611a600000p-34);
    return fast_two_sum(first.x, mad(n, -0x1.3198a2e037073p-69, first.y));
}

static double sin_of_remainder_f64(double2 r)
{
    double z = r.x * r.x;
    double p = mad(z, -7.586576588171073e-13, 1.6058529572267877e-10);
    p = mad(z, p, -2.5052106219521895e-08);
    p = mad(z, p, 2.755731921930192e-06);
    p = mad(z, p, -0.00019841269841265017);
    p = mad(z, p, 0.008333333333333331);
    p = mad(z, p, -0.16666666666666666);
    // The derivative, 1 - z/2, carries the low part.
    return r.x + mad(r.x * z, p, r.y * mad(z, -0.5, 1.0));
}

static double cos_of_remainder_f64(double2 r)
{
    double z = r.x * r.x;
    double p = mad(z, 4.745804889760674e-14, -1.1470459749675607e-11);
    p = mad(z, p, 2.087675578389404e-09);
    p = mad(z, p, -2.7557319221382114e-07);
    p = mad(z, p, 2.4801587301584618e-05);
    p = mad(z, p, -0.0013888888888888887);
    p = mad(z, p, 0.041666666666666664);
    double half_z = 0.5 * z;
    double first = 1.0 - half_z;
    return first + (((1.0 - first) - half_z) + mad(z * z, p, -r.x * r.y));
}

static double sin_in_quadrant_f64(double2 r, int quadrant)
{
    double value = (quadrant & 1) != 0 ? cos_of_remainder_f64(r) : sin_of_remainder_f64(r);
    return (quadrant & 2) != 0 ? -value : value;
}

double __clvk_sin_f64(double x)
{
    int quadrant;
    double2 r = reduce_f64(x, &quadrant);
    double result = sin_in_quadrant_f64(r, quadrant);
    return x == 0.0 ? x : result;
}

double __clvk_cos_f64(double x)
{
    int quadrant;
    double2 r = reduce_f64(x, &quadrant);
    return sin_in_quadrant_f64(r, quadrant + 1);
}

double __clvk_sincos_f64(double x, double *cosine)
{
    int quadrant;
    double2 r = reduce_f64(x, &quadrant);
    double s = sin_in_quadrant_f64(r, quadrant);
    *cosine = sin_in_quadrant_f64(r, quadrant + 1);
    return x == 0.0 ? x : s;
}

double __clvk_tan_f64(double x)
{
    int quadrant;
    double2 r = reduce_f64(x, &quadrant);
    double s = sin_of_remainder_f64(r);
    double c = cos_of_remainder_f64(r);
    bool odd = (quadrant & 1) != 0;
    double result = quotient_f64(odd ? -c : s, odd ? s : c);
    return fabs(x) < 1e-10 ? x : result;
}

// The angle of a point as a fraction and a base that is added to its arc tangent, in two parts; see the
// function for single precision.
static double angle_fraction_f64(double y, double x, double *denominator, double2 *base)
{
    bool large = y > 2.414213562373095 * x;
    bool middle = y > 0.41421356237309503 * x && !large;
    (*base).x = large ? 1.5707963267948966 : (middle ? 0.7853981633974483 : 0.0);
    (*base).y = large ? 6.123233995736766e-17 : (middle ? 3.061616997868383e-17 : 0.0);
    *denominator = large ? y : (middle ? y + x : x);
    return large ? -x : (middle ? y - x : y);
}

// base + atan(t).
static double atan_from_base_f64(double2 base, double t)
{
    double z = t * t;
    double p = mad(z, 0.01627194475162406, -0.034558092551413795);
    p = mad(z, p, 0.04551108126325172);
    p = mad(z, p, -0.052303478730160745);
    p = mad(z, p, 0.058789145444006215);
    p = mad(z, p, -0.06666423628069258);
    p = mad(z, p, 0.0769229630497447);
    p = mad(z, p, -0.09090908751076636);
    p = mad(z, p, 0.11111111105106705);
    p = mad(z, p, -0.14285714285659326);
    p = mad(z, p, 0.199999999999998);
    p = mad(z, p, -0.3333333333333333);
    return base.x + (t + (t * z * p + base.y));
}

// atan(y / x) for x and y that are not negative and not both zero or both infinite.
static double atan_of_quotient_f64(double y, double x)
{
    double denominator;
    double2 base;
    double numerator = angle_fraction_f64(y, x, &denominator, &base);
    // The quotient of numbers scaled to one size, then scaled back.
    int exponent;
    double t = quotient_f64(numerator, normalised_f64(denominator, &exponent));
    return atan_from_base_f64(base, t * power_of_two_f64(-exponent));
}

// Whether a magnitude is between 2^-100 and 2^100.
static bool is_ordinary_f64(double magnitude)
{
    return high_word(magnitude) - 0x39b00000 < 0x0c800000;
}

double __clvk_atan_f64(double x)
{
    double a = fmin(fabs(x), 1e18);
    double result = copysign(atan_of_quotient_f64(a, 1.0), x);
    result = fabs(x) < 1e-100 ? x : result;
    return isnan(x) ? x : result;
}

double __clvk_atan2_f64(double y, double x)
{
    double ay = fabs(y), ax = fabs(x);
    if (is_ordinary_f64(ay) && is_ordinary_f64(ax)) {
        double denominator;
        double2 base;
        double numerator = angle_fraction_f64(ay, ax, &denominator, &base);
        double angle = atan_from_base_f64(base, quotient_f64(numerator, denominator));
        return copysign(x < 0.0 ? 3.141592653589793 - (angle - 1.2246467991473532e-16) : angle, y);
    }
    // Scaled to where sums do not overflow and quotients of normal numbers are normal.
    double larger = fmax(ay, ax);
    double factor = larger > 1e290 ? 0x1p-100 : (larger < 1e100 ? 0x1p+400 : 1.0);
    double by = ay * factor, bx = ax * factor;
    // If one number is tiny beside the other, only the base remains, except for small angles.
    bool steep = by > 1e20 * bx;
    double angle = atan_of_quotient_f64(by, steep ? by * 1e-20 : bx);
    angle = steep ? 1.5707963267948966 : angle;
    angle = ax == ay ? 0.7853981633974483 : angle;
    angle = ay == 0.0 ? 0.0 : angle;
    angle = isinf(x) && !isinf(y) ? 0.0 : angle;
    // A right angle has the same value on both sides.
    angle = signbit(x) && !steep ? 3.141592653589793 - (angle - 1.2246467991473532e-16) : angle;
    angle = copysign(angle, y);
    return isnan(x) || isnan(y) ? x + y : angle;
}

// asin of at most one half by a polynomial; above, asin(a) = pi/2 - 2 asin(sqrt((1 - a) / 2)).
static double asin_small_f64(double a)
{
    double z = a * a;
    double p = mad(z, 0.028819675111149086, -0.014940561085973305);
    p = mad(z, p, 0.017456404149471055);
    p = mad(z, p, 0.005437581206675855);
    p = mad(z, p, 0.01032733702586309);
    p = mad(z, p, 0.011478501348204903);
    p = mad(z, p, 0.013971280171043687);
    p = mad(z, p, 0.01735238834024693);
    p = mad(z, p, 0.022372173122436372);
    p = mad(z, p, 0.030381944134174034);
    p = mad(z, p, 0.044642857146409545);
    p = mad(z, p, 0.07499999999998407);
    p = mad(z, p, 0.16666666666666669);
    return a + a * z * p;
}

// For a above one half and up to 1.
static double asin_beside_one(double a)
{
    double rest = (1.0 - fmin(a, 1.0)) * 0.5;
    return rest == 0.0 ? 0.0 : asin_small_f64(root_f64(rest));
}

double __clvk_asin_f64(double x)
{
    double a = fabs(x);
    bool large = a > 0.5;
    double near_one = 1.5707963267948966 - (2.0 * asin_beside_one(a) - 6.123233995736766e-17);
    double result = copysign(large ? near_one : asin_small_f64(large ? 0.5 : a), x);
    result = a > 1.0 ? NAN : result;
    return isnan(x) ? x : result;
}

double __clvk_acos_f64(double x)
{
    double a = fabs(x);
    bool large = a > 0.5;
    double t = 2.0 * asin_beside_one(a);
    double near_one = x > 0.0 ? t : 3.141592653589793 - (t - 1.2246467991473532e-16);
    double small = copysign(asin_small_f64(large ? 0.5 : a), x);
    double result = large ? near_one : 1.5707963267948966 - (small - 6.123233995736766e-17);
    result = a > 1.0 ? NAN : result;
    return isnan(x) ? x : result;
}
