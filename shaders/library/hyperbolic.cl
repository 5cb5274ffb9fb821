// Hyperbolic functions and their inverses.

// e^x 2^shift for |x| < 180 and small shifts.
static float exp_shifted(float x, int shift)
{
    float sum;
    float r = reduce_exp(x, &sum);
    return scale(exp_of_remainder(r), whole_number(sum) + shift);
}

float __clvk_sinh_f32(float x)
{
    // Up to 1 the Taylor series, above that the definition.
    float a = fabs(x);
    float z = a * a;
    float p = mad(z, 1.0f / 39916800.0f, 1.0f / 362880.0f);
    p = mad(z, p, 1.0f / 5040.0f);
    p = mad(z, p, 1.0f / 120.0f);
    p = mad(z, p, 1.0f / 6.0f);
    float small = mad(a * z, p, a);
    float half_exp = exp_shifted(fmin(fmax(a, 1.0f), 92.0f), -1);
    float large = half_exp - 0.25f / half_exp;
    float result = copysign(a < 1.0f ? small : large, x);
    return isnan(x) ? x : result;
}

float __clvk_cosh_f32(float x)
{
    float half_exp = exp_shifted(fmin(fabs(x), 92.0f), -1);
    float result = half_exp + 0.25f / half_exp;
    return isnan(x) ? x : result;
}

float __clvk_tanh_f32(float x)
{
    // Up to 0.6 a polynomial that interpolates at Chebyshev nodes, above that 1 - 2 / (e^2x + 1).
    float a = fabs(x);
    float z = a * a;
    float p = mad(z, -6.26911972e-03f, 2.111095905e-02f);
    p = mad(z, p, -5.387394885e-02f);
    p = mad(z, p, 1.333291537e-01f);
    p = mad(z, p, -3.333333033e-01f);
    float small = mad(a * z, p, a);
    float large = 1.0f - 2.0f / (exp_shifted(2.0f * fmin(a, 12.0f), 0) + 1.0f);
    float result = copysign(a < 0.6f ? small : large, x);
    return isnan(x) ? x : result;
}

// From 4096 on, asinh and acosh are log(2 a).
float __clvk_asinh_f32(float x)
{
    float a = fabs(x);
    bool huge = a > 4096.0f;
    float b = huge ? 1.0f : a;
    float near = __clvk_log1p_f32(b + b * b / (1.0f + sqrt(b * b + 1.0f)));
    float result = huge ? __clvk_log_f32(a) + 0.693147181f : near;
    result = copysign(result, x);
    return isnan(x) || x == 0.0f ? x : result;
}

float __clvk_acosh_f32(float x)
{
    bool huge = x > 4096.0f;
    float t = huge ? 1.0f : x - 1.0f;
    float near = __clvk_log1p_f32(t + square_root(2.0f * t + t * t));
    float result = huge ? __clvk_log_f32(x) + 0.693147181f : near;
    result = x < 1.0f ? NAN : result;
    return isnan(x) ? x : result;
}

float __clvk_atanh_f32(float x)
{
    // (1 + a) / (1 - a) is 1 + 2 a + 2 a^2 / (1 - a).
    float a = fabs(x);
    float t = 2.0f * a;
    t = a < 0.5f ? t + t * a / (1.0f - a) : t / (1.0f - a);
    float result = 0.5f * __clvk_log1p_f32(t);
    result = a == 1.0f ? INFINITY : result;
    result = copysign(result, x);
    result = a > 1.0f ? NAN : result;
    return isnan(x) || x == 0.0f ? x : result;
}
