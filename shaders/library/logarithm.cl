// Logarithms. x is 2^e m with m between sqrt(1/2) and sqrt(2); with f = m - 1 and s = f / (2 + f), log(m) is
// 2 atanh(s) = f - f^2/2 + s (f^2/2 + R), where R = 2 s^2 (1/3 + s^2/5 + s^4/7 + ...): the division's error reaches
// only the small last term.

// e, and f in *fraction, for a positive finite x.
static int split_exponent(float x, float *fraction)
{
    // Subnormal numbers are brought into range first.
    bool tiny = x < 1.17549435e-38f;
    int bits = as_int(tiny ? x * 8388608.0f : x) - 0x3f3504f3;
    *fraction = as_float((bits & 0x7fffff) + 0x3f3504f3) - 1.0f;
    return (bits >> 23) - (tiny ? 23 : 0);
}

// log(1 + f) - f, for the fractions that split_exponent gives.
static float log1p_tail(float f)
{
    float s = f / (2.0f + f);
    float z = s * s;
    float r = mad(z, 2.0f / 11.0f, 2.0f / 9.0f);
    r = mad(z, r, 2.0f / 7.0f);
    r = mad(z, r, 2.0f / 5.0f);
    r = mad(z, r, 2.0f / 3.0f) * z;
    float half_square = 0.5f * f * f;
    return s * (half_square + r) - half_square;
}

// What the logarithms of zero, negative numbers, infinity and NaN are; `result` for all others.
static float log_edges(float x, float result)
{
    result = x == 0.0f ? -INFINITY : result;
    result = x < 0.0f ? NAN : result;
    return isnan(x) || x == INFINITY ? x : result;
}

float __clvk_log_f32(float x)
{
    float f;
    float e = (float)split_exponent(x, &f);
    float tail = log1p_tail(f) + e * 1.42860682e-6f;
    return log_edges(x, e * 0.693145751953125f + (f + tail));
}

float __clvk_log2_f32(float x)
{
    float f;
    float e = (float)split_exponent(x, &f);
    float tail = log1p_tail(f);
    // log2(e) in two parts; the high product of f is exact with f cut to 12 bits.
    float high = as_float(as_int(f) & 0xfffff000);
    float low = (f - high) + tail;
    float small = low * 1.44269504f + high * 3.12228389e-4f;
    return log_edges(x, e + high * 1.4423828125f + small);
}

float __clvk_log10_f32(float x)
{
    float f;
    float e = (float)split_exponent(x, &f);
    float tail = log1p_tail(f);
    float high = as_float(as_int(f) & 0xfffff000);
    float low = (f - high) + tail;
    float small = low * 0.434294482f + high * 9.03803408e-5f + e * 4.60503898e-6f;
    return log_edges(x, e * 0.301025390625f + (high * 0.4342041015625f + small));
}

float __clvk_log1p_f32(float x)
{
    // 1 + x rounded, and what the rounding lost.
    float u = 1.0f + x;
    float lost = x < 1.0f ? x - (u - 1.0f) : 1.0f - (u - x);
    float f;
    float e = (float)split_exponent(u, &f);
    bool direct = fabs(x) < 0.29f;
    float corrected = direct ? 0.0f : lost / u;
    f = direct ? x : f;
    e = direct ? 0.0f : e;
    float tail = log1p_tail(f) + (e * 1.42860682e-6f + corrected);
    float result = e * 0.693145751953125f + (f + tail);
    result = x == -1.0f ? -INFINITY : result;
    result = x < -1.0f ? NAN : result;
    return isnan(x) || x == INFINITY || x == 0.0f ? x : result;
}

float __clvk_native_log10_f32(float x)
{
    return native_log2(x) * 0.301029996f;
}
