// Arithmetic in double precision that a device need not do well: quotients and roots, which Vulkan promises
// only to single precision, and fused multiplication and addition. Sums, differences and products are
// correctly rounded. A pair of doubles (high, low) is an unrounded sum.

// The nearest number with 26 significant bits: products of two such numbers are exact, and so is the rest of
// x.
static double high_part_f64(double x)
{
    return as_double((as_ulong(x) + 0x4000000UL) & 0xfffffffff8000000UL);
}

// 2^n for a normal result.
static double power_of_two_f64(int n)
{
    return as_double((ulong)(n + 1023) << 52);
}

// a + b, where |a| is not smaller than |b|.
static double2 fast_two_sum(double a, double b)
{
    double sum = a + b;
    return (double2)(sum, b - (sum - a));
}

static double2 two_sum(double a, double b)
{
    double sum = a + b;
    double of_b = sum - a;
    return (double2)(sum, (a - (sum - of_b)) + (b - of_b));
}

static double2 two_product(double a, double b)
{
    double product = a * b;
    double a_high = high_part_f64(a), b_high = high_part_f64(b);
    double a_low = a - a_high, b_low = b - b_high;
    return (double2)(product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low);
}

static double2 pair_product(double2 a, double2 b)
{
    double2 product = two_product(a.x, b.x);
    return fast_two_sum(product.x, product.y + (a.x * b.y + a.y * b.x));
}

// The upper 32 bits of a double.
static uint high_word(double x)
{
    return as_uint2(x).y;
}

// Whether a number is positive and normal.
static bool is_positive_normal_f64(double x)
{
    return high_word(x) - 0x100000 < 0x7fe00000;
}

// x between 2^-120 and 2^120 truncated to a float, and such a float as a double, by their bits, because
// conversions are slow on many devices.
static float cut_to_float(double x)
{
    uint2 words = as_uint2(x);
    return as_float((words.y << 3 | words.x >> 29) - 0xc0000000);
}

static double float_as_double(float x)
{
    uint bits = as_uint(x);
    return as_double((uint2)(bits << 29, (bits >> 3) + 0x38000000));
}

// 1 / b to 40 bits, for b between 2^-120 and 2^120: Newton's method, starting from the square of a reciprocal
// square root in single precision, which devices compute fast.
static double reciprocal_of_positive_f64(double b)
{
    float root = native_rsqrt(cut_to_float(b));
    double r = float_as_double(root * root);
    return mad(r, mad(-b, r, 1.0), r);
}

// The same for b of either sign.
static double rough_reciprocal_f64(double b)
{
    return copysign(reciprocal_of_positive_f64(fabs(b)), b);
}

// a / b as 26 bits and the rest, for b between 2^-120 and 2^120 and normal numbers throughout.
static double2 quotient_pair(double a, double b)
{
    double r = rough_reciprocal_f64(b);
    double high = high_part_f64(a * r);
    double b_high = high_part_f64(b);
    double rest = (a - high * b_high) - high * (b - b_high);
    return (double2)(high, rest * r);
}

// The same, rounded: the error is hardly more than half a unit in the last place.
static double quotient_f64(double a, double b)
{
    double2 pair = quotient_pair(a, b);
    return pair.x + pair.y;
}

// The square root of x between 2^-100 and 2^100 as 26 bits and the rest, with a relative error of 2^-68.
static double2 root_pair(double x)
{
    double r = float_as_double(native_rsqrt(cut_to_float(x)));
    r = r * mad(0.5 * x * r, -r, 1.5);
    double high = high_part_f64(x * r);
    double half_r = 0.5 * r;
    double low = mad(high, -high, x) * half_r;
    // The rest divided by the sum of both roots; r is only one of them.
    return (double2)(high, mad(low * low, half_r, low));
}

// The same, rounded: the error is hardly more than half a unit in the last place.
static double root_f64(double x)
{
    double2 pair = root_pair(x);
    return pair.x + pair.y;
}

// The mantissa, from 1 up to 2, and the exponent of a finite number that is not zero, without its sign.
static double normalised_f64(double x, int *exponent)
{
    ulong bits = as_ulong(x) & 0x7fffffffffffffffUL;
    bool subnormal = bits < 0x10000000000000UL;
    // Subnormal numbers are read as integers.
    bits = subnormal ? as_ulong((double)bits) : bits;
    *exponent = (int)(bits >> 52) - (subnormal ? 1023 + 1074 : 1023);
    return as_double((bits & 0xfffffffffffffUL) | 0x3ff0000000000000UL);
}

// m 2^exponent with a sign, for m from 1 up to 2 with `rest` left over. Even a subnormal result is rounded
// only once.
static double assembled_f64(ulong sign, double m, int exponent, double rest)
{
    ulong mantissa = (as_ulong(m) & 0xfffffffffffffUL) | 0x10000000000000UL;
    ulong bits = ((ulong)(exponent + 1022) << 52) + mantissa;
    if (exponent < -1022) {
        // Four bits more; the last one says whether more follows.
        int shift = min(-1022 - exponent, 60);
        ulong wide = (mantissa << 4) + (rest > 0.0 ? 1 : 0) - (rest < 0.0 ? 1 : 0);
        int cut = min(shift + 4, 63);
        ulong kept = wide >> cut;
        ulong lost = wide & ((1UL << cut) - 1);
        ulong tie = 1UL << (cut - 1);
        bits = kept + (lost > tie || (lost == tie && (kept & 1) != 0) ? 1 : 0);
    }
    bits = exponent > 1023 ? 0x7ff0000000000000UL : bits;
    return as_double(bits | sign);
}

// The same mantissa with its leading one at 2^52.
static ulong mantissa_f64(double x, int *exponent)
{
    return (as_ulong(normalised_f64(x, exponent)) & 0xfffffffffffffUL) | 0x10000000000000UL;
}

// Whether a number is zero, infinite or a NaN.
static bool is_special_f64(double x)
{
    ulong magnitude = as_ulong(x) & 0x7fffffffffffffffUL;
    return magnitude - 1 >= 0x7fefffffffffffffUL;
}

// The reciprocal of a zero, an infinity or a NaN; for other numbers, 1 with their sign.
static double inverse_kind_f64(double b)
{
    double of_special = isinf(b) ? copysign(0.0, b) : b == 0.0 ? copysign((double)INFINITY, b) : b;
    return is_special_f64(b) ? of_special : copysign(1.0, b);
}

// a / b, correctly rounded.
static double quotient_of_any_f64(double a, double b)
{
    if (is_special_f64(a) || is_special_f64(b)) {
        // Rounding does not matter: the quotient depends only on the kinds of the operands.
        return (is_special_f64(a) ? a : copysign(1.0, a)) * inverse_kind_f64(b);
    }
    int of_a, of_b;
    double ma = normalised_f64(a, &of_a), mb = normalised_f64(b, &of_b);
    // A quotient from 1 up to 2.
    bool less = ma < mb;
    ma = less ? 2.0 * ma : ma;
    double q = quotient_f64(ma, mb);
    // The exact remainder tells whether a neighbour is nearer; it is never halfway.
    double2 product = two_product(q, mb);
    double rest = (ma - product.x) - product.y;
    double half_unit = 1.1102230246251565e-16 * mb;
    long step = (rest > half_unit ? 1 : 0) - (rest < -half_unit ? 1 : 0);
    rest -= (double)step * 2.0 * half_unit;
    q = as_double(as_long(q) + step);
    // It would be rounded up to 2 only if the remainder were half a unit from there.
    return assembled_f64((as_ulong(a) ^ as_ulong(b)) & 0x8000000000000000UL, q, of_a - of_b - (less ? 1 : 0), rest);
}

double __clvk_divide_f64(double a, double b)
{
    return quotient_of_any_f64(a, b);
}

// The mantissa of a positive normal number together with its exponent's last bit, from 1 up to 4, and half of
// the remaining exponent.
static double even_mantissa(double x, int *half_exponent)
{
    *half_exponent = ((int)high_word(x) - 0x3ff00000) >> 21;
    return as_double(as_ulong(x) - ((ulong)*half_exponent << 53));
}

// x 2^n for a normal result.
static double with_exponent(double x, int n)
{
    return as_double(as_ulong(x) + ((ulong)n << 52));
}

// The square root of m from 1 up to 4, correctly rounded.
static double exact_root(double m)
{
    double2 pair = root_pair(m);
    double s = pair.x + pair.y;
    // The rounding error of the sum is below half a unit, and clearly so except for a few numbers.
    double lost = fabs((pair.x - s) + pair.y);
    if (lost < 1.1101e-16) {
        return s;
    }
    double2 square = two_product(s, s);
    double rest = (m - square.x) - square.y;
    double unit = 2.220446049250313e-16 * s;
    long step = (rest > unit ? 1 : 0) - (rest <= -unit ? 1 : 0);
    return as_double(as_long(s) + step);
}

// The square root, correctly rounded.
static double correct_root_f64(double x)
{
    int half_exponent;
    if (is_positive_normal_f64(x)) {
        double m = even_mantissa(x, &half_exponent);
        return with_exponent(exact_root(m), half_exponent);
    }
    if (is_special_f64(x) || x < 0.0 || signbit(x)) {
        double result = x < 0.0 ? NAN : x;
        return isnan(x) ? x : result;
    }
    // A subnormal number is read as an integer.
    double m = even_mantissa((double)as_ulong(x), &half_exponent);
    return with_exponent(exact_root(m), half_exponent - 537);
}

double __clvk_sqrt_f64(double x)
{
    return correct_root_f64(x);
}

// The reciprocal square root of m between 2^-120 and 2^120, to 1.5 ulp: in single precision, from the high
// word, then one step that triples the number of correct bits.
static double reciprocal_root(double m)
{
    uint first = as_uint(native_rsqrt(as_float((high_word(m) << 3) - 0xc0000000)));
    double r = as_double((uint2)(0, (first >> 3) + 0x38000000));
    double rest = mad(-m * r, r, 1.0);
    return mad(r * rest, mad(rest, 0.375, 0.5), r);
}

static double reciprocal_root_of_any(double x)
{
    int half_exponent;
    if (is_positive_normal_f64(x)) {
        double m = even_mantissa(x, &half_exponent);
        return with_exponent(reciprocal_root(m), -half_exponent);
    }
    if (is_special_f64(x) || signbit(x)) {
        double result = (as_ulong(x) << 1) == 0 ? copysign((double)INFINITY, x) : 0.0;
        result = x < 0.0 ? NAN : result;
        return isnan(x) ? x : result;
    }
    // A subnormal number is read as an integer; 2^-1074 is 4^-537.
    double m = even_mantissa((double)as_ulong(x), &half_exponent);
    return with_exponent(reciprocal_root(m), 537 - half_exponent);
}

double __clvk_rsqrt_f64(double x)
{
    return reciprocal_root_of_any(x);
}

// x + y rounded to odd: an inexact sum with an even last bit moves toward its rounding error, which is a NaN
// if the sum is infinite.
static double sum_to_odd_f64(double x, double y)
{
    double2 sum = two_sum(x, y);
    long bits = as_long(sum.x);
    long step = (sum.y > 0.0) == (bits >= 0) ? 1 : -1;
    return as_double(fabs(sum.y) > 0.0 && (bits & 1) == 0 ? bits + step : bits);
}

// a b + c, rounded once; see the function for single precision. Numbers whose parts or sums are not normal
// are first scaled near to 1.
double __clvk_fma_f64(double a, double b, double c)
{
    int of_a = (int)(as_ulong(a) >> 52) & 0x7ff, of_b = (int)(as_ulong(b) >> 52) & 0x7ff;
    int of_c = (int)(as_ulong(c) >> 52) & 0x7ff;
    // Biased exponents, with twice the bias for the product's: no part is subnormal and no sum too large.
    bool moderate = (uint)(of_a + of_b - 2046 + 700) <= 1600 && (uint)(of_c - 1023 + 700) <= 1600;
    bool near = moderate && (uint)(of_a - 60) < 1900 && (uint)(of_b - 60) < 1900;
    int exponent = 0;
    if (!near) {
        if (is_special_f64(a) || is_special_f64(b)) {
            return a * b + c;
        }
        if (of_c == 0x7ff) {
            return c;
        }
        a = copysign(normalised_f64(a, &of_a), a);
        b = copysign(normalised_f64(b, &of_b), b);
        exponent = of_a + of_b;
        if (c != 0.0) {
            double m = copysign(normalised_f64(c, &of_c), c);
            // An addend that is so much smaller than the rest only tells on which side of it the sum is.
            int distance = clamp(of_c - exponent, -200, 200);
            exponent = distance == 200 ? of_c - 200 : exponent;
            c = m * as_double((ulong)(distance + 1023) << 52);
        }
    }
    double2 product = two_product(a, b);
    double2 inner = two_sum(c, product.y);
    double2 outer = two_sum(product.x, inner.x);
    double low = sum_to_odd_f64(inner.y, outer.y);
    double sum = outer.x + low;
    if (near || sum == 0.0) {
        return sum;
    }
    double rest = copysign(1.0, sum) * ((outer.x - sum) + low);
    int of_sum;
    double m = normalised_f64(sum, &of_sum);
    return assembled_f64(as_ulong(sum) & 0x8000000000000000UL, m, exponent + of_sum, rest);
}
