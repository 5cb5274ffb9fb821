// Exponentials. The argument is n times the base's logarithm plus a remainder of at most half of it; the
// exponential of the remainder is a minimax polynomial, whose error is below 2^-27. Products with n are
// exact: n has at most 9 bits and the high parts of the constants have 15, so it does not matter whether
// `mad` is fused there.
//
// One comparison tells whether argument and result are ordinary numbers; then there is nothing else to do.

// 1.5 * 2^23: adding it rounds to an integer, which is then in the low bits of the sum. On many devices
// conversions and rounding are many times slower than addition.
#define WHOLE 12582912.0f

// The integer in a sum with WHOLE.
static int whole_number(float sum)
{
    return as_int(sum) - 0x4b400000;
}

// p * 2^n for -300 < n < 300, even where 2^n is not a normal number: in two steps; only the last one rounds.
static float scale(float p, int n)
{
    int half_n = n >> 1;
    return p * as_float((half_n + 127) << 23) * as_float((n - half_n + 127) << 23);
}

// The same for a normal result and n in a sum with WHOLE.
static float scale_normal(float p, float sum)
{
    return as_float(as_int(p) + (as_int(sum) << 23));
}

// e^r for |r| <= 0.35.
static float exp_of_remainder(float r)
{
    float p = mad(r, 0x1.6a624cp-10f, 0x1.123abcp-7f);
    p = mad(r, p, 0x1.55589ep-5f);
    p = mad(r, p, 0x1.55549p-3f);
    p = mad(r, p, 0x1.fffffcp-2f);
    p = mad(r, p, 1.0f);
    return mad(r, p, 1.0f);
}

// 2^t for |t| <= 0.5.
static float exp2_of_remainder(float t)
{
    float p = mad(t, 0x1.3f9068p-13f, 0x1.5f0a66p-10f);
    p = mad(t, p, 0x1.3b30bp-7f);
    p = mad(t, p, 0x1.c6af78p-5f);
    p = mad(t, p, 0x1.ebfbd8p-3f);
    p = mad(t, p, 0x1.62e43p-1f);
    return mad(t, p, 1.0f);
}

// x = n log(2) + result, n in *sum with WHOLE.
static float reduce_exp(float x, float *sum)
{
    *sum = mad(x, 1.44269504f, WHOLE);
    float n = *sum - WHOLE;
    return mad(n, -1.42860682e-6f, mad(n, -0.693145751953125f, x));
}

float __clvk_exp_f32(float x)
{
    float sum;
    if (fabs(x) <= 86.0f) {
        float r = reduce_exp(x, &sum);
        return scale_normal(exp_of_remainder(r), sum);
    }
    float r = reduce_exp(fmin(fmax(x, -105.0f), 89.0f), &sum);
    float result = scale(exp_of_remainder(r), whole_number(sum));
    return isnan(x) ? x : result;
}

float __clvk_exp2_f32(float x)
{
    if (fabs(x) <= 125.0f) {
        float sum = x + WHOLE;
        return scale_normal(exp2_of_remainder(x - (sum - WHOLE)), sum);
    }
    float clamped = fmin(fmax(x, -151.0f), 129.0f);
    float sum = clamped + WHOLE;
    float result = scale(exp2_of_remainder(clamped - (sum - WHOLE)), whole_number(sum));
    return isnan(x) ? x : result;
}

// x = n log10(2) + result / log(10), n in *sum with WHOLE.
static float reduce_exp10(float x, float *sum)
{
    *sum = mad(x, 3.32192809f, WHOLE);
    float n = *sum - WHOLE;
    float r = mad(n, -4.60503898e-6f, mad(n, -0.301025390625f, x));
    // log(10) in two parts, so that the product's error is only that of its low part.
    return mad(r, 2.3017578125f, r * 8.27280494e-4f);
}

float __clvk_exp10_f32(float x)
{
    float sum;
    if (fabs(x) <= 37.0f) {
        float r = reduce_exp10(x, &sum);
        return scale_normal(exp_of_remainder(r), sum);
    }
    float r = reduce_exp10(fmin(fmax(x, -46.0f), 39.0f), &sum);
    float result = scale(exp_of_remainder(r), whole_number(sum));
    return isnan(x) ? x : result;
}

float __clvk_expm1_f32(float x)
{
    float sum;
    float r = reduce_exp(fmin(fmax(x, -20.0f), 89.0f), &sum);
    float p = mad(r, 1.0f / 40320.0f, 1.0f / 5040.0f);
    p = mad(r, p, 1.0f / 720.0f);
    p = mad(r, p, 1.0f / 120.0f);
    p = mad(r, p, 1.0f / 24.0f);
    p = mad(r, p, 1.0f / 6.0f);
    p = mad(r, p, 0.5f);
    float tail = r * r * p;
    // 2^n (e^r - 1) + (2^n - 1), with the large part added last; for n = 128 half of everything is computed
    // and then doubled.
    int n = whole_number(sum);
    bool huge = n > 127;
    float power = as_float(((huge ? 127 : n) + 127) << 23);
    float offset = huge ? 1.0f : power - 1.0f;
    float result = huge ? (power * (r + tail) + power) * 2.0f : mad(power, r, offset) + power * tail;
    result = n == 0 ? r + tail : result;
    result = x < -18.0f ? -1.0f : result;
    return isnan(x) || x == 0.0f ? x : result;
}

float __clvk_native_exp10_f32(float x)
{
    return native_exp2(x * 3.32192809f);
}

// The device's exponential, which here need not handle NaNs and infinities.
float __clvk_half_exp2_f32(float x)
{
    float result = native_exp2(fmin(fmax(x, -160.0f), 130.0f));
    return isnan(x) ? x : result;
}

float __clvk_half_exp_f32(float x)
{
    return __clvk_half_exp2_f32(x * 1.44269504f);
}

float __clvk_half_exp10_f32(float x)
{
    return __clvk_half_exp2_f32(x * 3.32192809f);
}
