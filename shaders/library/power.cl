// Powers: x^y is 2^(y log2 |x|), with the logarithm and the product in two floats each.

// log2(x) for a positive finite x: 12 bits, and the rest in *rest_of_log.
static float log2_of_positive(float x, float *rest_of_log)
{
    // A subnormal number is read as an integer.
    bool tiny = as_uint(x) < 0x800000;
    float f;
    float e = split_exponent(tiny ? (float)as_uint(x) : x, &f) - (tiny ? 149.0f : 0.0f);
    // s = f / (2 + f), with the rounding errors of the division and the sum.
    float d = 2.0f + f;
    float d_low = f - (d - 2.0f);
    float r = 1.0f / d;
    float s = high_part(f * r);
    float d_high = high_part(d);
    float rest = (f - s * d_high) - s * (d - d_high) - s * d_low;
    float s_low = rest * r;
    // log(m) = 2 s + (2/3 s^3 + ...), in two floats.
    float z = s * s;
    float p = mad(z, 2.0f / 13.0f, 2.0f / 11.0f);
    p = mad(z, p, 2.0f / 9.0f);
    p = mad(z, p, 2.0f / 7.0f);
    p = mad(z, p, 2.0f / 5.0f);
    p = mad(z, p, 2.0f / 3.0f);
    // The derivative of 2 atanh at s, 2 / (1 - s^2), carries s_low.
    float low = p * z * s + 2.0f * s_low * (1.0f + z * (1.0f + z * (1.0f + z)));
    float high = 2.0f * s;
    // Times log2(e), in two parts.
    float high_log = high * 1.4423828125f;
    float low_log = high * 3.12228389e-4f + low * 1.44269504f;
    // log2 x = sum + sum_low.
    float sum = e + high_log;
    float sum_low = (high_log - (sum - e)) + low_log;
    float log_high = high_part(sum + sum_low);
    *rest_of_log = (sum - log_high) + sum_low;
    return log_high;
}

// x^(y + y_low) for a positive finite x.
static float power_of_positive(float x, float y, float y_low)
{
    float log_low;
    float log_high = log2_of_positive(x, &log_low);
    // y log2 x = product + product_low.
    y = fmin(fmax(y, -1e30f), 1e30f);
    float y_high = high_part(y);
    float product = y_high * log_high;
    float product_low = (y - y_high) * log_high + (y + y_low) * log_low + y_low * log_high;
    // Far outside, the low part does not count, and may be infinite.
    bool outside = fabs(product) > 250.0f;
    product_low = outside ? 0.0f : product_low;
    product = fmin(fmax(product, -250.0f), 250.0f);
    float sum = product + product_low + WHOLE;
    float t = (product - (sum - WHOLE)) + product_low;
    return scale(exp2_of_remainder(t), whole_number(sum));
}

// The sign and the edge cases of pow (C99 F.9.4.4, OpenCL C §7.5.1).
static float power_with_edges(float x, float y)
{
    float magnitude = fabs(x);
    float result = power_of_positive(magnitude, y, 0.0f);
    bool y_is_whole = rint(y) == y || isinf(y);
    // An odd number is an integer whose half is not; from 2^24 on all are even.
    bool y_is_odd = y_is_whole && fabs(y) < 16777216.0f && rint(y * 0.5f) * 2.0f != y;
    result = magnitude == INFINITY ? (y > 0.0f ? INFINITY : 0.0f) : result;
    result = magnitude == 0.0f ? (y > 0.0f ? 0.0f : INFINITY) : result;
    bool grows = (magnitude > 1.0f) == (y > 0.0f);
    result = isinf(y) ? (magnitude == 1.0f ? 1.0f : (grows ? INFINITY : 0.0f)) : result;
    result = signbit(x) && y_is_odd ? -result : result;
    result = x < 0.0f && x != -INFINITY && !y_is_whole ? NAN : result;
    result = isnan(x) || isnan(y) ? x + y : result;
    return y == 0.0f || x == 1.0f ? 1.0f : result;
}

float __clvk_pow_f32(float x, float y)
{
    return power_with_edges(x, y);
}

float __clvk_powr_f32(float x, float y)
{
    float result = __clvk_pow_f32(x, y);
    bool undefined = x < 0.0f || (x == 0.0f && y == 0.0f) || (x == INFINITY && y == 0.0f) || (x == 1.0f && isinf(y));
    result = x == 0.0f && y != 0.0f ? fabs(result) : result;
    result = isnan(x) || isnan(y) ? x + y : result;
    return undefined ? NAN : result;
}

float __clvk_pown_f32(float x, int y)
{
    // Without the low bits of a large y, a float holds it exactly.
    int low = abs(y) < 0x800000 ? 0 : y & 0xff;
    float result = power_of_positive(fabs(x), (float)(y - low), (float)low);
    result = fabs(x) == INFINITY ? (y > 0 ? INFINITY : 0.0f) : result;
    result = x == 0.0f ? (y > 0 ? 0.0f : INFINITY) : result;
    result = signbit(x) && (y & 1) != 0 ? -result : result;
    result = isnan(x) ? x : result;
    return y == 0 ? 1.0f : result;
}

float __clvk_native_powr_f32(float x, float y)
{
    return native_exp2(y * native_log2(x));
}

// For lower precision: if x is below zero, y is an integer.
float __clvk_relaxed_pow_f32(float x, float y)
{
    float result = native_exp2(y * native_log2(fabs(x)));
    bool y_is_odd = rint(y * 0.5f) * 2.0f != y;
    result = x < 0.0f && y_is_odd ? -result : result;
    return y == 0.0f ? 1.0f : (x == 0.0f && y > 0.0f ? 0.0f : result);
}
