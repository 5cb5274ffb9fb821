// Exponentials. The argument is n times the base's logarithm plus a remainder of at most half of it; the exponential
// of the remainder is its Taylor series, whose first omitted term is below 2^-27 of the sum. Products with n are exact:
// n has at most 9 bits and the high parts of the constants have 15.

// p * 2^n for -300 < n < 300, also where 2^n is no normal number: two exact steps, of which the last one rounds.
static float scale(float p, int n)
{
    int half_n = n >> 1;
    return p * as_float((half_n + 127) << 23) * as_float((n - half_n + 127) << 23);
}

// e^r for |r| <= 0.35.
static float exp_of_remainder(float r)
{
    float p = mad(r, 1.0f / 5040.0f, 1.0f / 720.0f);
    p = mad(r, p, 1.0f / 120.0f);
    p = mad(r, p, 1.0f / 24.0f);
    p = mad(r, p, 1.0f / 6.0f);
    p = mad(r, p, 0.5f);
    return mad(r * r, p, r) + 1.0f;
}

float __clvk_exp_f32(float x)
{
    float clamped = fmin(fmax(x, -105.0f), 89.0f);
    float n = rint(clamped * 1.44269504f);
    float r = clamped - n * 0.693145751953125f;
    r = r - n * 1.42860682e-6f;
    float result = scale(exp_of_remainder(r), (int)n);
    return isnan(x) ? x : result;
}

float __clvk_exp2_f32(float x)
{
    float clamped = fmin(fmax(x, -151.0f), 129.0f);
    float n = rint(clamped);
    float result = scale(exp_of_remainder((clamped - n) * 0.693147181f), (int)n);
    return isnan(x) ? x : result;
}

float __clvk_exp10_f32(float x)
{
    float clamped = fmin(fmax(x, -46.0f), 39.0f);
    float n = rint(clamped * 3.32192809f);
    float r = clamped - n * 0.301025390625f;
    r = r - n * 4.60503898e-6f;
    // log(10) in two parts, so that the product's error stays that of its low part.
    float result = scale(exp_of_remainder(r * 2.3017578125f + r * 8.27280494e-4f), (int)n);
    return isnan(x) ? x : result;
}

float __clvk_expm1_f32(float x)
{
    float clamped = fmin(fmax(x, -20.0f), 89.0f);
    float n = rint(clamped * 1.44269504f);
    float r = clamped - n * 0.693145751953125f;
    r = r - n * 1.42860682e-6f;
    float p = mad(r, 1.0f / 40320.0f, 1.0f / 5040.0f);
    p = mad(r, p, 1.0f / 720.0f);
    p = mad(r, p, 1.0f / 120.0f);
    p = mad(r, p, 1.0f / 24.0f);
    p = mad(r, p, 1.0f / 6.0f);
    p = mad(r, p, 0.5f);
    float tail = r * r * p;
    // 2^n (e^r - 1) + (2^n - 1), the large part last; for n = 128 half of everything is computed and doubled.
    int whole = (int)n;
    bool huge = whole > 127;
    float power = as_float(((huge ? 127 : whole) + 127) << 23);
    float offset = huge ? 1.0f : power - 1.0f;
    float result = huge ? (power * (r + tail) + power) * 2.0f : mad(power, r, offset) + power * tail;
    result = n == 0.0f ? r + tail : result;
    result = x < -18.0f ? -1.0f : result;
    return isnan(x) || x == 0.0f ? x : result;
}

float __clvk_native_exp10_f32(float x)
{
    return native_exp2(x * 3.32192809f);
}

// The device's exponential, where it need not know NaNs and infinities.
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
