// Functions that take numbers apart or round them: all exact.

float __clvk_round_f32(float x)
{
    float whole = trunc(x);
    float result = fabs(x - whole) >= 0.5f ? whole + copysign(1.0f, x) : whole;
    return copysign(result, x);
}

float __clvk_fract_f32(float x, float *whole)
{
    float down = floor(x);
    *whole = down;
    float result = fmin(x - down, 0.999999940f);
    result = isinf(x) ? copysign(0.0f, x) : result;
    result = x == 0.0f ? x : result;
    return isnan(x) ? x : result;
}

float __clvk_modf_f32(float x, float *whole)
{
    float part = trunc(x);
    *whole = part;
    return copysign(isinf(x) ? 0.0f : x - part, x);
}

float __clvk_frexp_f32(float x, int *exponent)
{
    bool special = x == 0.0f || isinf(x) || isnan(x);
    bool tiny = fabs(x) < 1.17549435e-38f;
    int bits = as_int(tiny ? x * 8388608.0f : x);
    *exponent = special ? 0 : ((bits >> 23) & 0xff) - 126 - (tiny ? 23 : 0);
    return special ? x : as_float((bits & 0x807fffff) | 0x3f000000);
}

float __clvk_ldexp_f32(float x, int n)
{
    bool special = x == 0.0f || isinf(x) || isnan(x);
    bool tiny = fabs(x) < 1.17549435e-38f;
    int bits = as_int(tiny ? x * 8388608.0f : x);
    int exponent = ((bits >> 23) & 0xff) - (tiny ? 23 : 0) + clamp(n, -400, 400);
    // A subnormal result is made 2^100 too large and then rounded once.
    bool below = exponent < 1;
    int field = clamp(below ? exponent + 100 : exponent, 0, 255);
    int mantissa = field == 255 || field == 0 ? 0 : bits & 0x7fffff;
    float result = as_float((bits & (int)0x80000000) | (field << 23) | mantissa);
    result = below ? result * 7.8886091e-31f : result;
    return special ? x : result;
}

int __clvk_ilogb_f32(float x)
{
    bool tiny = fabs(x) < 1.17549435e-38f;
    int bits = as_int(tiny ? x * 8388608.0f : x);
    int result = ((bits >> 23) & 0xff) - 127 - (tiny ? 23 : 0);
    result = x == 0.0f ? (int)0x80000000 : result;
    return isinf(x) || isnan(x) ? 0x7fffffff : result;
}

float __clvk_logb_f32(float x)
{
    float result = (float)__clvk_ilogb_f32(x);
    result = x == 0.0f ? -INFINITY : result;
    result = isinf(x) ? INFINITY : result;
    return isnan(x) ? x : result;
}

float __clvk_fdim_f32(float x, float y)
{
    float result = x > y ? x - y : 0.0f;
    return isnan(x) || isnan(y) ? NAN : result;
}

float __clvk_maxmag_f32(float x, float y)
{
    float result = fabs(x) > fabs(y) ? x : y;
    return fabs(x) == fabs(y) || isnan(x) || isnan(y) ? fmax(x, y) : result;
}

float __clvk_minmag_f32(float x, float y)
{
    float result = fabs(x) < fabs(y) ? x : y;
    return fabs(x) == fabs(y) || isnan(x) || isnan(y) ? fmin(x, y) : result;
}

float __clvk_nan_u32(uint payload)
{
    return as_float(0x7fc00000 | (payload & 0x3fffff));
}

float __clvk_nextafter_f32(float x, float y)
{
    int bits = as_int(x);
    // Away from zero is up in the bit pattern of either sign.
    int next = (x < y) == (bits >= 0) ? bits + 1 : bits - 1;
    next = x == 0.0f ? (as_int(y) & (int)0x80000000) | 1 : next;
    float result = x == y ? y : as_float(next);
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
