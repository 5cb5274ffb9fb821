// The error function and its complement. The polynomials interpolate at Chebyshev nodes; their relative errors are
// below 2^-26.

// e^-(x^2) for x up to 11, the square's rounding corrected: its parts are products of 12-bit halves.
static float exp_of_minus_square(float x)
{
    float high = high_part(x);
    float square = high * high;
    float rest = (x - high) * (x + high);
    return __clvk_exp_f32(-square) * __clvk_exp_f32(-rest);
}

// e^x for x from -20 to 0, whose result is normal.
static float exp_of_small_negative(float x)
{
    float sum;
    float r = reduce_exp(x, &sum);
    return scale_normal(exp_of_remainder(r), sum);
}

float __clvk_erf_f32(float x)
{
    float a = fabs(x);
    // Up to 1: x times a polynomial in x^2.
    float z = a * a;
    float small = mad(z, -9.667044571e-06f, 1.126595903e-04f);
    small = mad(z, small, -8.484080406e-04f);
    small = mad(z, small, 5.221031808e-03f);
    small = mad(z, small, -2.686543073e-02f);
    small = mad(z, small, 1.128378250e-01f);
    small = mad(z, small, -3.761263847e-01f);
    small = mad(z, small, 1.128379167e+00f) * a;
    // Beyond: 1 - e^-q, q = -log(erfc) as a polynomial round 2.5; from 4 on the result is 1.
    float t = fmin(a, 4.0f) - 2.5f;
    float q = mad(t, 7.582681970e-08f, -1.615581148e-06f);
    q = mad(t, q, 1.292569587e-05f);
    q = mad(t, q, -7.738760363e-05f);
    q = mad(t, q, 4.207916506e-04f);
    q = mad(t, q, -2.165169871e-03f);
    q = mad(t, q, 1.085811294e-02f);
    q = mad(t, q, 9.438936446e-01f);
    q = mad(t, q, 5.352680749e+00f);
    q = mad(t, q, 7.806815277e+00f);
    float large = 1.0f - exp_of_small_negative(-q);
    float result = copysign(a < 1.0f ? small : large, x);
    return isnan(x) ? x : result;
}

float __clvk_erfc_f32(float x)
{
    float a = fmin(fabs(x), 11.0f);
    // From 1 on: e^-(a^2) / a times a polynomial in 1 / a.
    float u = 1.0f / fmax(a, 1.0f);
    float t = u - 0.55f;
    float p = mad(t, 1.197668283e-01f, -4.970145937e-02f);
    p = mad(t, p, -9.604991317e-02f);
    p = mad(t, p, 1.064294793e-01f);
    p = mad(t, p, -6.044462665e-02f);
    p = mad(t, p, 9.529996716e-03f);
    p = mad(t, p, 4.985539780e-02f);
    p = mad(t, p, -9.690659167e-02f);
    p = mad(t, p, 9.835772489e-02f);
    p = mad(t, p, -2.036579545e-02f);
    p = mad(t, p, -1.700351165e-01f);
    p = mad(t, p, 5.023534288e-01f);
    float tail = exp_of_minus_square(a) * p * u;
    float result = x < 0.0f ? 2.0f - tail : tail;
    result = a < 1.0f ? 1.0f - __clvk_erf_f32(x) : result;
    return isnan(x) ? x : result;
}
