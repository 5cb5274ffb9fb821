// The gamma function and the logarithm of its absolute value.

// gamma(t + 1.5) for |t| <= 0.5: the polynomial interpolates at Chebyshev nodes; its error is below 2^-29.
static float gamma_around_middle(float t)
{
    float p = mad(t, -1.089769415e-02f, 1.633166025e-02f);
    p = mad(t, p, -1.625704486e-02f);
    p = mad(t, p, 2.439010879e-02f);
    p = mad(t, p, -3.813110319e-02f);
    p = mad(t, p, 5.880397661e-02f);
    p = mad(t, p, -7.751535732e-02f);
    p = mad(t, p, 1.446338212e-01f);
    p = mad(t, p, -1.072949708e-01f);
    p = mad(t, p, 4.148137029e-01f);
    p = mad(t, p, 3.233839803e-02f);
    return mad(t, p, 8.862269246e-01f);
}

// The terms of Stirling's series for x >= 8 except the first: log(gamma(x)) - ((x - 1/2) log(x) - x + log(2
// pi) / 2).
static float stirling(float x)
{
    float u = 1.0f / x;
    float z = u * u;
    float p = mad(z, 1.0f / 1260.0f, -1.0f / 360.0f);
    return mad(z, p, 1.0f / 12.0f) * u;
}

// gamma(x) for 1 <= x < 8: reduced to between 1 and 2; the factors are exact.
static float gamma_of_few(float x)
{
    float product = 1.0f;
    __attribute__((opencl_unroll_hint))
    for (int step = 0; step < 6; ++step) {
        bool more = x >= 2.0f;
        x = more ? x - 1.0f : x;
        product = more ? product * x : product;
    }
    return product * gamma_around_middle(x - 1.5f);
}

// gamma(x) = result * 2^exponent for 1 <= x <= 46, beyond which gamma is too large for a float, and its
// reciprocal too small.
static float gamma_from_one(float x, int *exponent)
{
    *exponent = 0;
    if (x < 8.0f) {
        return gamma_of_few(x);
    }
    // (x - 1/2) log2(x) - x log2(e) in two floats, then the series.
    float log_low;
    float log_high = log2_of_positive(x, &log_low);
    float a = x - 0.5f;
    float a_high = high_part(a), x_high = high_part(x);
    float product = a_high * log_high;
    float product_low = (a - a_high) * log_high + a * log_low;
    float linear = x_high * 1.4423828125f;
    float linear_low = (x - x_high) * 1.4423828125f + x * 3.12228389e-4f;
    float sum = product - linear;
    float sum_low = ((product - sum) - linear) + (product_low - linear_low) + stirling(x) * 1.44269504f;
    float rounded = sum + sum_low + WHOLE;
    *exponent = whole_number(rounded);
    float t = (sum - (rounded - WHOLE)) + sum_low;
    return 2.50662827f * exp2_of_remainder(t);
}

float __clvk_tgamma_f32(float x)
{
    if (x >= 1.0f && x < 8.0f) {
        return gamma_of_few(x);
    }
    float y = fabs(x);
    bool below_one = y < 1.0f;
    int exponent;
    float g = gamma_from_one(fmin(fmax(y, 1.0f), 46.0f), &exponent);
    // y gamma(y) is gamma(y + 1).
    float next = below_one ? gamma_around_middle(y - 0.5f) : fmin(y, 46.0f) * g;
    float positive = below_one ? next / y : scale(g, exponent);
    // gamma(-y) = -pi / (sin(pi y) y gamma(y))
    float s = __clvk_sinpi_f32(y);
    float negative = scale(-3.14159265f / (s * next), -exponent);
    float result = x > 0.0f ? positive : negative;
    result = y < 1e-30f ? 1.0f / x : result;
    result = x < 0.0f && floor(x) == x ? NAN : result;
    result = x == 0.0f ? copysign(INFINITY, x) : result;
    return isnan(x) || x == INFINITY ? x : result;
}

float __clvk_lgamma_r_f32(float x, int *sign)
{
    float y = fabs(x);
    bool large = y >= 8.0f;
    int exponent;
    float g = gamma_from_one(fmin(fmax(y, 1.0f), 8.0f), &exponent);
    float log_y = __clvk_log_f32(y);
    float small = y < 1.0f ? __clvk_log_f32(gamma_around_middle(y - 0.5f)) - log_y : __clvk_log_f32(g);
    float series = (y - 0.5f) * (log_y - 1.0f) + (0.418938533f + stirling(fmax(y, 8.0f)));
    float positive = large ? series : small;
    // log |gamma(-y)| = log(pi) - log |sin(pi y)| - log(y) - log(gamma(y))
    float s = __clvk_sinpi_f32(y);
    float negative = y < 1e-20f ? -log_y : 1.14472989f - __clvk_log_f32(fabs(s)) - log_y - positive;
    float result = signbit(x) ? negative : positive;
    bool pole = x <= 0.0f && floor(x) == x && !isinf(x);
    result = pole || isinf(x) ? INFINITY : result;
    // Where the sine is subnormal, it is positive.
    *sign = pole ? 0 : (signbit(x) && (s > 0.0f || y < 1e-30f) ? -1 : 1);
    return isnan(x) ? x : result;
}

float __clvk_lgamma_f32(float x)
{
    int sign;
    return __clvk_lgamma_r_f32(x, &sign);
}
