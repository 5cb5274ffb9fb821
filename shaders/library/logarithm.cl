// Logarithms. x is 2^e m with m between sqrt(1/2) and sqrt(2); with f = m - 1, log(m) is f - f^2/2 + f^3
// q(f), where only the last term, which is small, has a polynomial's error.
//
// One comparison distinguishes positive normal numbers, for which there is nothing else to do; the others are
// in generic/logarithm.cl.

static bool is_positive_normal_f32(float x)
{
    return as_uint(x) - 0x800000 < 0x7f000000;
}

// e as a float, and f in *fraction, for a positive normal x.
static float split_exponent(float x, float *fraction)
{
    int bits = as_int(x) - 0x3f3504f3;
    *fraction = as_float(as_int(x) - (bits & (int)0xff800000)) - 1.0f;
    // A sum with WHOLE.
    return as_float((bits >> 23) + 0x4b400000) - WHOLE;
}

// (log(1 + f) - f + f^2 / 2) / f^3, for the fractions that split_exponent gives.
static float log1p_cubic(float f)
{
    float q = mad(f, -0x1.555632p-4f, 0x1.066d0ap-3f);
    q = mad(f, q, -0x1.0902c4p-3f);
    q = mad(f, q, 0x1.2291b6p-3f);
    q = mad(f, q, -0x1.54dc62p-3f);
    q = mad(f, q, 0x1.99a3fep-3f);
    q = mad(f, q, -0x1.0000bcp-2f);
    return mad(f, q, 0x1.55555p-2f);
}

// log(1 + f) - f.
static float log1p_tail(float f)
{
    return mad(f, log1p_cubic(f), -0.5f) * (f * f);
}

// log(x) 2^0 as e log(2) + log(m), where e counts `more` as well.
static float log_of_normal_f32(float x, float more)
{
    float f;
    float e = split_exponent(x, &f) + more;
    float log = mad(mad(f, log1p_cubic(f), -0.5f), f * f, f);
    // The float next to log(2) is accurate to 2^-28.
    return mad(e, 0.693147182f, log);
}

static float log2_of_normal_f32(float x, float more)
{
    float f;
    float e = split_exponent(x, &f) + more;
    // log2(1 + f) / f.
    float q = mad(f, 0x1.028b4ap-3f, -0x1.a824aep-3f);
    q = mad(f, q, 0x1.b942bp-3f);
    q = mad(f, q, -0x1.e9636cp-3f);
    q = mad(f, q, 0x1.26dc8ep-2f);
    q = mad(f, q, -0x1.715c56p-2f);
    q = mad(f, q, 0x1.ec737p-2f);
    q = mad(f, q, -0x1.71547p-1f);
    q = mad(f, q, 0x1.715476p0f);
    return mad(f, q, e);
}

static float log10_of_normal_f32(float x, float more)
{
    float f;
    float e = split_exponent(x, &f) + more;
    float tail = log1p_tail(f);
    // log10(e) in two parts; the high product of f is exact with f truncated to 12 bits.
    float high = as_float(as_int(f) & 0xfffff000);
    float low = (f - high) + tail;
    float small = mad(low, 0.434294482f, mad(high, 9.03803408e-5f, e * 4.60503898e-6f));
    return mad(e, 0.301025390625f, mad(high, 0.4342041015625f, small));
}

float __clvk_log1p_f32(float x)
{
    // 1 + x rounded, and the rounding error.
    float u = 1.0f + x;
    float lost = x < 1.0f ? x - (u - 1.0f) : 1.0f - (u - x);
    float f;
    float e = split_exponent(u, &f);
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
