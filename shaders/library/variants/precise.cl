// Variants for devices whose functions are precise for every number (Guarantee::PreciseFunctions). Such a
// device also multiplies and adds with one rounding, through `__clvk_fused`. Subnormal numbers may be flushed
// to zero, as the hardware does.

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

// b^x = 2^(x log2(b)) (1 + rest log(b)), where `rest` is the part of x that the product has lost; high + low
// is the logarithm of 2 to the base b. Where the power is ordinary, the product is reduced by more than its
// error (2^-18, and that of log2(b)), so that the rest is positive. Where the power is infinite or vanishes,
// the magnitude of the rest will do, or 1 if that is larger or a NaN. Where it only vanishes, because x is
// not positive, any number from 0 to 1 will do, and many devices clamp to these for nothing. A normal power
// never has a product below -126, because no number's product comes that close to it. Among offsets of this
// size, 7 * 2^-20 gives exactly 1 for b^0 (the device's 2^-(7 * 2^-20) has an error, too).
static float power_of_base(float x, float log2_of_base, float high, float low, float log_of_base)
{
    float product = __clvk_fused(x, log2_of_base, -0x1.cp-18f);
    float rest = __clvk_fused(product, -low, __clvk_fused(product, -high, x));
    float magnitude = __clvk_never_positive(x) ? fmax(rest, 0.0f) : fabs(rest);
    float lost = fmin(magnitude, 1.0f) * log_of_base;
    float power = native_exp2(product);
    return __clvk_fused(power, lost, power);
}

float __clvk_exp_f32__precise(float x)
{
    return power_of_base(x, 0x1.715476p0f, 0x1.62e43p-1f, -0x1.05c61p-29f, 1.0f);
}

float __clvk_exp10_f32__precise(float x)
{
    return power_of_base(x, 0x1.a934fp1f, 0x1.344136p-2f, -0x1.ec10cp-27f, 2.30258509f);
}

// Where x and the result are ordinary: the logarithm and the product in two floats each, the second one with
// the rounding error of the first.
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
