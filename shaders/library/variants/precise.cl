// Variants for devices whose functions are precise for every number (Guarantee::PreciseFunctions); such a device also multiplies and
// adds with one rounding, by `__clvk_fused`. Subnormal numbers may be taken for zero, as by the hardware.

float __clvk_exp2_f32__precise(float x)
{
    return native_exp2(x);
}

float __clvk_sqrt_f32__precise(float x)
{
    return native_sqrt(x);
}

float __clvk_rsqrt_f32__precise(float x)
{
    return native_rsqrt(x);
}

float root_of_positive__precise(float x)
{
    return native_sqrt(x);
}

float square_root__precise(float x)
{
    return native_sqrt(x);
}

// b^x = 2^(x log2(b)), with what the product has lost put back. high + low is 2^-8 log2(b), so that the loss is finite for every finite x;
// low is larger than a rounding, so that the loss is positive where the power may be infinite.
static float power_of_base(float x, float high, float low)
{
    float product = x * high;
    float lost = __clvk_fused(x, low, __clvk_fused(x, high, -product));
    // Beside an infinite or vanishing power any such number will do, but for the NaN that is lost from infinity.
    float relative = fmin(lost * 177.445679f, 0.5f);
    float power = native_exp2(product * 256.0f);
    return __clvk_fused(power, relative, power);
}

float __clvk_exp_f32__precise(float x)
{
    return power_of_base(x, 0x1.71547p-8f, 0x1.94ae0cp-30f);
}

float __clvk_exp10_f32__precise(float x)
{
    return power_of_base(x, 0x1.a934eap-7f, 0x1.a5e68ep-29f);
}

// To 3 ulp, of a bound of 16; see exp_of_small_negative() and the others for more precision.
float __clvk_erf_f32__precise(float x)
{
    float a = fabs(x);
    // Up to 1: x times a polynomial in x^2.
    float z = a * a;
    float small = __clvk_fused(z, -0x1.268bc2p-11f, 0x1.420828p-8f);
    small = __clvk_fused(z, small, -0x1.b5937p-6f);
    small = __clvk_fused(z, small, 0x1.ce077cp-4f);
    small = __clvk_fused(z, small, -0x1.81266p-2f);
    small = __clvk_fused(z, small, 0x1.20dd74p0f) * a;
    // Beyond: 1 - 2^-q, whose polynomial need not be better than what it leaves of 1.
    float t = fmin(a, 4.0f) - 2.5f;
    float q = __clvk_fused(t, 0x1.b314d8p-10f, -0x1.2cef8ap-11f);
    q = __clvk_fused(t, q, 0x1.2d79bap-6f);
    q = __clvk_fused(t, q, 0x1.5cf334p0f);
    q = __clvk_fused(t, q, 0x1.ee3d8ap2f);
    q = __clvk_fused(t, q, 0x1.686938p3f);
    float large = 1.0f - native_exp2(-q);
    return copysign(a >= 1.0f ? large : small, x);
}

// Where x and the result are ordinary: the logarithm and the product in two floats each, the second one what the first has lost.
float __clvk_pow_f32__precise(float x, float y)
{
    float f;
    float e = split_exponent(x, &f);
    // log(1 + f) = f - f^2 / 2 + f^3 q
    float square = f * f;
    float square_low = __clvk_fused(f, f, -square);
    float cubic = log1p_cubic(f) * f * square;
    float head = __clvk_fused(square, -0.5f, f);
    float tail = __clvk_fused(square, -0.5f, f - head) + __clvk_fused(square_low, -0.5f, cubic);
    float log = head + tail;
    float log_low = tail - (log - head);
    float scaled = log * 1.44269502f;
    float scaled_low = __clvk_fused(log, 1.44269502f, -scaled);
    scaled_low = __clvk_fused(log, 1.92596303e-8f, scaled_low);
    scaled_low = __clvk_fused(log_low, 1.44269502f, scaled_low);
    float sum = e + scaled;
    float sum_low = (scaled - (sum - e)) + scaled_low;
    float product = y * sum;
    if (is_positive_normal_f32(x) && fabs(product) <= 125.0f) {
        float product_low = __clvk_fused(y, sum_low, __clvk_fused(y, sum, -product));
        return native_exp2(product) * __clvk_fused(product_low, 0.693147182f, 1.0f);
    }
    return power_with_edges(x, y);
}
