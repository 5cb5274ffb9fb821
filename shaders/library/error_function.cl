// The error function and its complement. The polynomials interpolate at Chebyshev nodes; their relative
// errors are below 2^-26.

// e^-(x^2) for x up to 11, corrected by the rounding error of the square: its parts are products of 12-bit
// halves.
static float exp_of_minus_square(float x)
{
    float high = high_part(x);
    float square = high * high;
    float rest = (x - high) * (x + high);
    return __clvk_exp_f32(-square) * __clvk_exp_f32(-rest);
}

// To 3 ulp; the bound is 16.
float __clvk_erf_f32(float x)
{
    float a = fabs(x);
    // Up to 1: x times a polynomial in x^2.
    float z = a * a;
    float small = mad(z, -0x1.268bc2p-11f, 0x1.420828p-8f);
    small = mad(z, small, -0x1.b5937p-6f);
    small = mad(z, small, 0x1.ce077cp-4f);
    small = mad(z, small, -0x1.81266p-2f);
    small = mad(z, small, 0x1.20dd74p0f) * a;
    // Above 1: 1 - 2^-q, with a polynomial that need only be as accurate as the part that remains of 1; from
    // 4 on the result is 1.
    float t = fmin(a, 4.0f) - 2.5f;
    float q = mad(t, 0x1.b314d8p-10f, -0x1.2cef8ap-11f);
    q = mad(t, q, 0x1.2d79bap-6f);
    q = mad(t, q, 0x1.5cf334p0f);
    q = mad(t, q, 0x1.ee3d8ap2f);
    q = mad(t, q, 0x1.686938p3f);
    float large = 1.0f - __clvk_exp2_f32(-q);
    return copysign(a >= 1.0f ? large : small, x);
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
