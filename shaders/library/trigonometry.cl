// Sine, cosine, tangent. The argument is an integer n of quarter turns plus a remainder of at most an eighth
// turn; the series of the remainder stop where the next term is below 2^-25 of the sum.

// 2/pi in binary, after 32 zero bits.
__constant uint two_over_pi[10] = {
    0x00000000, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0,
    0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561, 0xb7246e3a,
};

// Reduction for any finite x: m 2^e times those bits of 2/pi that matter for the quadrant and the 62 bits
// after it. Bits of larger weight only add whole turns. (The method of Payne and Hanek.)
static float reduce_large(float x, int *quadrant)
{
    uint bits = as_uint(x) & 0x7fffffff;
    uint m = (bits & 0x7fffff) | 0x800000;
    int start = (int)(bits >> 23) - 150 - 2 + 32;
    int word = start >> 5;
    uint shift = (uint)start & 31;
    uint w0 = two_over_pi[word], w1 = two_over_pi[word + 1], w2 = two_over_pi[word + 2], w3 = two_over_pi[word + 3];
    // With a shift of zero the low word contributes nothing; its count of 32 would be taken modulo 32.
    uint back = 32 - shift;
    w0 = shift == 0 ? w0 : (w0 << shift) | (w1 >> back);
    w1 = shift == 0 ? w1 : (w1 << shift) | (w2 >> back);
    w2 = shift == 0 ? w2 : (w2 << shift) | (w3 >> back);
    uint p0 = m * w2;
    uint p1 = m * w1 + mul_hi(m, w2);
    uint carry = p1 < mul_hi(m, w2) ? 1 : 0;
    uint p2 = m * w0 + mul_hi(m, w1) + carry;
    uint high = (p2 << 2) | (p1 >> 30);
    uint low = (p1 << 2) | (p0 >> 30);
    // The fraction's leading bit rounds to the nearest quarter turn; read as a signed number, the fraction is
    // the remainder.
    int n = (int)(p2 >> 30) + (int)(high >> 31);
    float turns = (float)(int)high * 2.3283064365386963e-10f + (float)low * 5.421010862427522e-20f;
    // pi/2 in two parts.
    float remainder = turns * 1.57079637f - turns * 4.37113883e-8f;
    bool negative = x < 0.0f;
    *quadrant = negative ? -n : n;
    return negative ? -remainder : remainder;
}

// x = quadrant * pi/2 + result, where only the last two bits of the quadrant are meaningful.
static float reduce(float x, int *quadrant)
{
    if (fabs(x) > 6400.0f) {
        return isinf(x) ? NAN : reduce_large(x, quadrant);
    }
    // pi/2 in four parts; all but the last have at most 11 bits, so the products with n below 2^12 are exact,
    // fused or not.
    float sum = mad(x, 0.636619772f, WHOLE);
    *quadrant = as_int(sum);
    float n = sum - WHOLE;
    float r = mad(n, -1.5703125f, x);
    r = mad(n, -4.837512969970703125e-4f, r);
    r = mad(n, -0.0000000754953362047672271728515625f, r);
    return mad(n, -2.56334415159e-12f, r);
}

static float sin_of_remainder(float r)
{
    float z = r * r;
    float p = mad(z, -1.0f / 39916800.0f, 1.0f / 362880.0f);
    p = mad(z, p, -1.0f / 5040.0f);
    p = mad(z, p, 1.0f / 120.0f);
    p = mad(z, p, -1.0f / 6.0f);
    return mad(r * z, p, r);
}

static float cos_of_remainder(float r)
{
    float z = r * r;
    float p = mad(z, -1.0f / 3628800.0f, 1.0f / 40320.0f);
    p = mad(z, p, -1.0f / 720.0f);
    p = mad(z, p, 1.0f / 24.0f);
    return mad(z * z, p, -0.5f * z) + 1.0f;
}

// The sine of r plus a number of quarter turns: one polynomial in r^2, whose coefficients are the sine's or
// the cosine's (minimax, errors below 2^-24), times r or 1. The factor r keeps the sign of zero.
static float sin_in_quadrant(float r, int quadrant)
{
    bool odd = (quadrant & 1) != 0;
    float z = r * r;
    float p = mad(z, odd ? -0x1.644064p-10f : -0x1.992cf6p-13f, odd ? 0x1.553e1ep-5f : 0x1.1106e6p-7f);
    p = mad(z, p, odd ? -0x1.ffffbp-2f : -0x1.555544p-3f);
    float value = (odd ? 1.0f : r) * mad(z, p, 1.0f);
    return as_float(as_uint(value) ^ ((uint)quadrant << 30 & 0x80000000));
}

float __clvk_sin_f32(float x)
{
    int quadrant;
    float r = reduce(x, &quadrant);
    return sin_in_quadrant(r, quadrant);
}

float __clvk_cos_f32(float x)
{
    int quadrant;
    float r = reduce(x, &quadrant);
    return sin_in_quadrant(r, quadrant + 1);
}

float __clvk_sincos_f32(float x, float *cosine)
{
    int quadrant;
    float r = reduce(x, &quadrant);
    *cosine = sin_in_quadrant(r, quadrant + 1);
    return sin_in_quadrant(r, quadrant);
}

// a / b to 1.5 ulp, for b between 2^-60 and 2^60 and normal quotients: from the reciprocal square root, which
// devices compute fast, and a step that corrects it.
static float quotient_by_positive(float a, float b)
{
    float root = native_rsqrt(b);
    float reciprocal = root * root;
    float q = a * reciprocal;
    return mad(mad(-q, b, a), reciprocal, q);
}

// The same for b of either sign.
static float ordinary_quotient(float a, float b)
{
    return quotient_by_positive(as_float(as_uint(a) ^ (as_uint(b) & 0x80000000)), fabs(b));
}

float __clvk_tan_f32(float x)
{
    int quadrant;
    float r = reduce(x, &quadrant);
    float s = sin_of_remainder(r);
    float c = cos_of_remainder(r);
    bool odd = (quadrant & 1) != 0;
    float result = ordinary_quotient(odd ? -c : s, odd ? s : c);
    // Below this the cube is smaller than the rounding error, and the parts of the division would not be
    // normal numbers.
    return fabs(x) < 1e-4f ? x : result;
}

float __clvk_native_tan_f32(float x)
{
    return native_sin(x) / native_cos(x);
}

// The angle of a point as a fraction and a base that is added to its arc tangent. One quotient suffices, of
// magnitude up to tan(pi/8), because atan(a) = pi/4 + atan((a - 1) / (a + 1)) and atan(a) = pi/2 - atan(1 /
// a).
static float angle_fraction(float y, float x, float *denominator, float *base)
{
    bool large = y > 2.41421356f * x;
    bool middle = y > 0.414213562f * x && !large;
    *base = large ? 1.57079633f : (middle ? 0.785398163f : 0.0f);
    *denominator = large ? y : (middle ? y + x : x);
    return large ? -x : (middle ? y - x : y);
}

// base + atan(t): the polynomial interpolates atan(t) / t at Chebyshev nodes; its error is below 2^-30.
static float atan_from_base(float base, float t)
{
    float z = t * t;
    float p = mad(z, -6.026305228e-02f, 1.056982881e-01f);
    p = mad(z, p, -1.423953267e-01f);
    p = mad(z, p, 1.999818304e-01f);
    p = mad(z, p, -3.333330689e-01f);
    return base + mad(t * z, p, t);
}

// atan(t) for t from 0 to 1.
static float atan_up_to_one(float t)
{
    float z = t * t;
    float p = mad(z, 0x1.7c5b12p-9f, -0x1.0ae84cp-6f);
    p = mad(z, p, 0x1.60eeccp-5f);
    p = mad(z, p, -0x1.34dff2p-4f);
    p = mad(z, p, 0x1.b4a728p-4f);
    p = mad(z, p, -0x1.23031ep-3f);
    p = mad(z, p, 0x1.9977fp-3f);
    p = mad(z, p, -0x1.5554d6p-2f);
    return mad(t * z, p, t);
}

// atan(y / x) for x and y that are not negative and not both zero or both infinite.
static float atan_of_quotient(float y, float x)
{
    float denominator, base;
    float numerator = angle_fraction(y, x, &denominator, &base);
    return atan_from_base(base, numerator / denominator);
}

float __clvk_atan_f32(float x)
{
    float result = copysign(atan_of_quotient(fabs(x), 1.0f), x);
    return isnan(x) ? x : result;
}

float __clvk_atan2_f32(float y, float x)
{
    float ay = fabs(y), ax = fabs(x);
    // Numbers between 2^-60 and 2^60; a NaN is larger.
    uint smaller = min(as_uint(ay), as_uint(ax)), larger_one = max(as_uint(ay), as_uint(ax));
    if (smaller >= 0x21800000 && larger_one <= 0x5d800000) {
        float angle = atan_up_to_one(quotient_by_positive(as_float(smaller), as_float(larger_one)));
        angle = ay > ax ? 1.57079633f - angle : angle;
        return copysign(x < 0.0f ? 3.14159265f - angle : angle, y);
    }
    // Scaled to where sums do not overflow and a device divides well.
    float larger = fmax(ay, ax);
    float factor = larger > 1e36f ? 0.0625f : (larger < 1e-30f ? 1.84467441e19f : 1.0f);
    float angle = atan_of_quotient(ay * factor, ax * factor);
    angle = ax == ay ? 0.785398163f : angle;
    angle = ay == 0.0f ? 0.0f : angle;
    angle = signbit(x) ? 3.14159265f - angle : angle;
    angle = copysign(angle, y);
    return isnan(x) || isnan(y) ? x + y : angle;
}

// asin of at most one half by a polynomial; above, asin(a) = pi/2 - 2 asin(sqrt((1 - a) / 2)).
static float asin_small(float a)
{
    float z = a * a;
    float p = mad(z, 3.369084720e-02f, 1.714923836e-02f);
    p = mad(z, p, 3.110066274e-02f);
    p = mad(z, p, 4.459940153e-02f);
    p = mad(z, p, 7.500094543e-02f);
    p = mad(z, p, 1.666666634e-01f);
    return mad(a * z, p, a);
}

float __clvk_asin_f32(float x)
{
    float a = fabs(x);
    bool large = a > 0.5f;
    float t = asin_small(large ? square_root((1.0f - a) * 0.5f) : a);
    float result = large ? 1.57079633f - 2.0f * t : t;
    result = copysign(result, x);
    result = a > 1.0f ? NAN : result;
    return isnan(x) ? x : result;
}

float __clvk_acos_f32(float x)
{
    float a = fabs(x);
    bool large = a > 0.5f;
    float t = asin_small(large ? square_root((1.0f - a) * 0.5f) : a);
    float near_one = x > 0.0f ? 2.0f * t : 3.14159265f - 2.0f * t;
    float middle = 1.57079633f - copysign(t, x);
    float result = large ? near_one : middle;
    result = a > 1.0f ? NAN : result;
    return isnan(x) ? x : result;
}
