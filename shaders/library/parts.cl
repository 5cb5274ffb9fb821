// Functions that split numbers or round them, all exact.

float __clvk_fract_f32(float x, float *whole)
{
    float down = floor(x);
    // For numbers just below an integer, including those below zero that the device flushes.
    bool below_zero = as_uint(x) > 0x80000000 && as_uint(x) < 0xb3000000;
    *whole = below_zero ? -1.0f : down;
    float result = below_zero ? 0.999999940f : fmin(x - down, 0.999999940f);
    result = isinf(x) ? copysign(0.0f, x) : result;
    result = (as_uint(x) << 1) == 0 ? x : result;
    return isnan(x) ? x : result;
}

float __clvk_frexp_f32(float x, int *exponent)
{
    int of_x;
    uint mantissa = mantissa_f32(is_special_f32(x) ? 1.0f : x, &of_x);
    *exponent = is_special_f32(x) ? 0 : of_x + 1;
    return is_special_f32(x) ? x : as_float((as_uint(x) & 0x80000000) | 0x3f000000 | (mantissa & 0x7fffff));
}

float __clvk_ldexp_f32(float x, int n)
{
    if (is_special_f32(x)) {
        return x;
    }
    int exponent;
    uint mantissa = mantissa_f32(x, &exponent);
    exponent += clamp(n, -400, 400);
    // The hidden bit increments the exponent; a subnormal result loses its last bits and is rounded.
    int cut = clamp(-126 - exponent, 0, 25);
    uint kept = mantissa >> cut, lost = mantissa & ((1u << cut) - 1), tie = (1u << cut) >> 1;
    kept += cut > 0 && (lost > tie || (lost == tie && (kept & 1) != 0)) ? 1 : 0;
    uint bits = kept + (exponent < -126 ? 0 : (uint)(exponent + 126) << 23);
    bits = exponent > 127 ? 0x7f800000 : bits;
    return as_float(bits | (as_uint(x) & 0x80000000));
}

int __clvk_ilogb_f32(float x)
{
    int result;
    mantissa_f32(is_special_f32(x) ? 1.0f : x, &result);
    int special = isinf(x) || isnan(x) ? 0x7fffffff : (int)0x80000000;
    return is_special_f32(x) ? special : result;
}

float __clvk_nan_u32(uint payload)
{
    return as_float(0x7fc00000 | (payload & 0x3fffff));
}

float __clvk_nextafter_f32(float x, float y)
{
    int of_x = as_int(x), of_y = as_int(y);
    // As integers in the same order as the numbers.
    int place_x = of_x < 0 ? (int)0x80000000 - of_x : of_x;
    int place_y = of_y < 0 ? (int)0x80000000 - of_y : of_y;
    int next = place_x < place_y ? place_x + 1 : place_x - 1;
    // The largest negative number's successor is negative zero.
    int bits = next < 0 || (next == 0 && of_x < 0) ? (int)0x80000000 - next : next;
    float result = place_x == place_y ? y : as_float(bits);
    return isnan(x) || isnan(y) ? x + y : result;
}

float __clvk_hypot_f32(float x, float y)
{
    float a = fmax(fabs(x), fabs(y)), b = fmin(fabs(x), fabs(y));
    bool large = a > 1e18f, small = a < 1e-15f;
    float down = large ? 8.27180613e-25f : (small ? 7.92281625e28f : 1.0f);
    float up = large ? 1.20892582e24f : (small ? 1.26217745e-29f : 1.0f);
    a *= down;
    b *= down;
    float result = square_root(a * a + b * b) * up;
    result = isnan(x) || isnan(y) ? NAN : result;
    return isinf(x) || isinf(y) ? INFINITY : result;
}

float __clvk_native_recip_f32(float x)
{
    return native_divide(1.0f, x);
}
