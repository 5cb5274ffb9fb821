// Division and square root closer to the exact result than a device must be (2.5 ulp for a quotient, more for
// a root): little more than half an ulp, or correctly rounded.

// The high 12 bits of a float's mantissa: products of two such numbers are exact.
static float high_part(float x)
{
    return as_float(as_int(x) & 0xfffff000);
}

// The square root of a positive number from 2^-100 to 2^100: one step of Heron's method from the reciprocal
// square root, which a device has to 2 ulp, so that only the step's own rounding errors remain.
static float root_of_positive(float x)
{
    float r = native_rsqrt(x);
    float s = x * r;
    return mad(0.5f * r, mad(-s, s, x), s);
}

// The same, for zero too.
static float square_root(float x)
{
    return x == 0.0f ? x : root_of_positive(x);
}

// Within 1.2 ulp without a branch: a step that neither overflows nor loses bits for any normal number.
float __clvk_sqrt_f32(float x)
{
    uint bits = as_uint(x);
    // Subnormal numbers are read as integers, because the device may flush them.
    bool tiny = bits < 0x800000;
    float normal = (float)bits * 0.5f;
    normal = tiny ? normal : x;
    float r = native_rsqrt(normal);
    float s = normal * r;
    s = mad(0.5f * s, mad(-s, r, 1.0f), s);
    s *= tiny ? 0x1p-74f : 1.0f;
    // Zeros, infinity and NaNs are their own roots.
    float special = bits > 0x80000000 ? NAN : x;
    return bits - 1 < 0x7f7fffff ? s : special;
}

float __clvk_rsqrt_f32(float x)
{
    uint bits = as_uint(x);
    if (bits - 0x800000 < 0x7f000000) {
        return native_rsqrt(x);
    }
    // What is seldom needed is little code, without further branches. Subnormal numbers are read as integers.
    float r = native_rsqrt((float)bits * 0.5f) * 0x1p+74f;
    float other = x == INFINITY ? 0.0f : NAN;
    r = bits < 0x800000 ? r : other;
    float infinite = as_float(bits | 0x7f800000);
    return (bits << 1) == 0 ? infinite : r;
}

// Whether a number is zero, infinite or a NaN. A subnormal number is none of these, even if the device
// flushes it to zero.
static bool is_special_f32(float x)
{
    return (as_uint(x) & 0x7fffffff) - 1 >= 0x7f7fffff;
}

// The mantissa, with its leading one, and the exponent of a finite number that is not zero.
static uint mantissa_f32(float x, int *exponent)
{
    uint bits = as_uint(x) & 0x7fffffff;
    int shift = bits < 0x800000 ? (int)clz(bits) - 8 : 0;
    *exponent = shift != 0 ? -126 - shift : (int)(bits >> 23) - 127;
    return ((bits << shift) & 0x7fffff) | 0x800000;
}

// The same correctly rounded, on the numbers' mantissas: the root is found in integers from one that is a few
// units off.
float __clvk_sqrt_exact_f32(float x)
{
    float plain = __clvk_sqrt_f32(x);
    int exponent;
    uint m = mantissa_f32(x, &exponent);
    // The root of m 2^24 or m 2^23, which has 24 bits, is an integer plus a rest.
    ulong wide = (ulong)m << ((exponent & 1) != 0 ? 24 : 23);
    uint s = (uint)(root_of_positive((float)m * ((exponent & 1) != 0 ? 16777216.0f : 8388608.0f)));
    s += (ulong)(s + 1) * (s + 1) <= wide ? 1 : 0;
    s -= (ulong)s * s > wide ? 1 : 0;
    s += wide - (ulong)s * s > s ? 1 : 0;
    float root = as_float((s & 0x7fffff) | (uint)((exponent >> 1) + 127) << 23);
    // s may have become 2^24.
    root = s == 0x1000000 ? as_float((uint)((exponent >> 1) + 128) << 23) : root;
    bool ordinary = as_uint(x) - 1 < 0x7f7fffff;
    return ordinary ? root : plain;
}

// a / b as a device divides, which needs to be accurate only for b up to 2^126.
float __clvk_divide_f32(float a, float b)
{
    float factor = fabs(b) > 0x1p+126f ? 0x1p-32f : 1.0f;
    return native_divide(a * factor, b * factor);
}

float __clvk_recip_f32(float x)
{
    return __clvk_divide_f32(1.0f, x);
}

// a / b, correctly rounded: the quotient of the mantissas in integers, corrected by its remainder.
static float correct_quotient_of_any(float a, float b)
{
    if (is_special_f32(a) || is_special_f32(b)) {
        return native_divide(is_special_f32(a) ? a : copysign(1.0f, a), is_special_f32(b) ? b : copysign(1.0f, b));
    }
    int of_a, of_b;
    uint ma = mantissa_f32(a, &of_a), mb = mantissa_f32(b, &of_b);
    int exponent = of_a - of_b - (ma < mb ? 1 : 0);
    // 26 bits: two more than are kept.
    ulong wide = (ulong)ma << (ma < mb ? 26 : 25);
    uint q = (uint)(native_divide((float)ma, (float)mb) * (ma < mb ? 67108864.0f : 33554432.0f));
    long rest = (long)(wide - (ulong)q * mb);
    // The quotient is a few units of 24 bits off, so more of 26: add a second quotient, of the rest.
    int more = (int)rint(native_divide((float)rest, (float)mb));
    q += (uint)more;
    rest -= (long)more * mb;
    q -= rest < 0 ? 1 : 0;
    rest += rest < 0 ? mb : 0;
    uint sticky = q << 1 | (rest != 0 ? 1 : 0);
    // 27 bits, including the one that says whether more follows.
    int cut = 3 + clamp(-126 - exponent, 0, 25);
    uint kept = sticky >> cut, lost = sticky & ((1u << cut) - 1), tie = 1u << (cut - 1);
    kept += lost > tie || (lost == tie && (kept & 1) != 0) ? 1 : 0;
    uint bits = kept + (exponent < -126 ? 0 : (uint)(exponent + 126) << 23);
    bits = exponent > 127 || bits > 0x7f800000 ? 0x7f800000 : bits;
    return as_float(bits | ((as_uint(a) ^ as_uint(b)) & 0x80000000));
}

float __clvk_divide_exact_f32(float a, float b)
{
    return correct_quotient_of_any(a, b);
}
