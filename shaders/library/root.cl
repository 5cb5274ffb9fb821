// Roots.

float __clvk_cbrt_f32(float x)
{
    // |x| is m 2^(3 k) with m in [1, 8).
    int e;
    uint mantissa = mantissa_f32(is_special_f32(x) ? 1.0f : x, &e);
    int k = (e + 300) / 3 - 100;
    float m = as_float((mantissa & 0x7fffff) | (uint)(e - 3 * k + 127) << 23);
    // A cubic that is accurate to 2^-6, then two steps of Halley's method; each triples the number of correct
    // bits.
    float y = mad(m, 1.627495338e-03f, -3.402605365e-02f);
    y = mad(m, y, 3.288364545e-01f);
    y = mad(m, y, 7.167346419e-01f);
    float cube = y * y * y;
    y = y + y * (m - cube) / (2.0f * cube + m);
    cube = y * y * y;
    y = y + y * (m - cube) / (2.0f * cube + m);
    float result = copysign(y * as_float((k + 127) << 23), x);
    return is_special_f32(x) ? x : result;
}

float __clvk_rootn_f32(float x, int n)
{
    // 1 / n in two floats: the rest of the first one is exact.
    float d = (float)(n == 0 ? 1 : n);
    float y = high_part(1.0f / d);
    float d_high = high_part(d);
    float y_low = ((1.0f - y * d_high) - y * (d - d_high)) / d;
    float a = fabs(x);
    bool odd = (n & 1) != 0;
    float result = power_of_positive(a, y, y_low);
    result = a == 0.0f ? (n > 0 ? 0.0f : INFINITY) : result;
    result = a == INFINITY ? (n > 0 ? INFINITY : 0.0f) : result;
    result = signbit(x) && odd ? -result : result;
    result = x < 0.0f && !odd ? NAN : result;
    result = isnan(x) ? x : result;
    return n == 0 ? NAN : result;
}
