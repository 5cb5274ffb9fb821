// The remainders: all exact, in whole numbers.

// |x| modulo |y| for finite x and y that are not zero, by long division in binary, and the low bits of the quotient. The
// remainder is the one nearest to zero if that is asked for, of two equally near ones that of the even quotient.
static float long_division(float x, float y, bool nearest, uint *quotient)
{
    uint magnitude = as_uint(x) & 0x7fffffff;
    int ea, eb;
    uint ma = mantissa_f32(x, &ea), mb = mantissa_f32(y, &eb);
    *quotient = 0;
    // Less than half of y, or less than y.
    if (ea < eb - 1 || (ea < eb && !nearest)) {
        return as_float(magnitude);
    }
    // In units of which there is one more bit, so that half of y is whole.
    mb <<= 1;
    ma = ea < eb ? ma : ma << 1;
    uint bits = 0;
    for (int step = ea - eb; step > 0; --step) {
        bool fits = ma >= mb;
        ma = (fits ? ma - mb : ma) << 1;
        bits = (bits | (fits ? 1 : 0)) << 1;
    }
    bool fits = ma >= mb;
    ma = fits ? ma - mb : ma;
    bits |= fits ? 1 : 0;
    bool beyond = nearest && (2 * ma > mb || (2 * ma == mb && (bits & 1) != 0));
    ma = beyond ? mb - ma : ma;
    *quotient = beyond ? bits + 1 : bits;
    if (ma == 0) {
        return 0.0f;
    }
    // The first bit in place.
    int shift = (int)clz(ma) - 8;
    int exponent = eb - 1 - shift;
    uint mantissa = shift < 0 ? ma >> 1 : ma << shift;
    uint result = exponent < -126 ? mantissa >> (-126 - exponent) : mantissa + ((uint)(exponent + 126) << 23);
    return as_float(result | (beyond ? 0x80000000 : 0));
}

// Whether a remainder of x by y is not defined.
static bool no_remainder(float x, float y)
{
    return isnan(x) || isnan(y) || isinf(x) || (as_uint(y) << 1) == 0;
}

// Whether x is the remainder: of infinity, and of zero.
static bool is_own_remainder(float x, float y)
{
    return isinf(y) || (as_uint(x) << 1) == 0;
}

float __clvk_fmod_f32(float x, float y)
{
    if (no_remainder(x, y)) {
        return NAN;
    }
    uint quotient;
    float rest = is_own_remainder(x, y) ? x : long_division(x, y, false, &quotient);
    return copysign(rest, x);
}

float __clvk_remquo_f32(float x, float y, int *quotient)
{
    *quotient = 0;
    if (no_remainder(x, y)) {
        return NAN;
    }
    if (is_own_remainder(x, y)) {
        return x;
    }
    uint bits;
    uint rest = as_uint(long_division(x, y, true, &bits));
    bits &= 0x7f;
    *quotient = signbit(x) != signbit(y) ? -(int)bits : (int)bits;
    return as_float(rest ^ (as_uint(x) & 0x80000000));
}

float __clvk_remainder_f32(float x, float y)
{
    int quotient;
    return __clvk_remquo_f32(x, y, &quotient);
}
