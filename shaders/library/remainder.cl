// The remainders: all exact.

// |x| modulo |y| for finite x and y that are not zero, by long division in binary; the low bits of the quotient too.
static float long_division(float x, float y, uint *quotient)
{
    uint a = as_uint(x) & 0x7fffffff, b = as_uint(y) & 0x7fffffff;
    if (a < b) {
        *quotient = 0;
        return as_float(a);
    }
    // Mantissas with their first bit in place, those of subnormal numbers too.
    int ea = (int)(a >> 23), eb = (int)(b >> 23);
    uint ma = ea == 0 ? a << (clz(a) - 8) : (a & 0x7fffff) | 0x800000;
    uint mb = eb == 0 ? b << (clz(b) - 8) : (b & 0x7fffff) | 0x800000;
    ea = ea == 0 ? 9 - (int)clz(a) : ea;
    eb = eb == 0 ? 9 - (int)clz(b) : eb;
    uint bits = 0;
    for (int step = ea - eb; step > 0; --step) {
        bool fits = ma >= mb;
        ma = (fits ? ma - mb : ma) << 1;
        bits = (bits | (fits ? 1 : 0)) << 1;
    }
    bool fits = ma >= mb;
    ma = fits ? ma - mb : ma;
    *quotient = bits | (fits ? 1 : 0);
    if (ma == 0) {
        return 0.0f;
    }
    int shift = (int)clz(ma) - 8;
    ma <<= shift;
    eb -= shift;
    return as_float(eb > 0 ? (ma & 0x7fffff) | ((uint)eb << 23) : ma >> (1 - eb));
}

// Whether a remainder of x by y is not defined.
static bool no_remainder(float x, float y)
{
    return isnan(x) || isnan(y) || isinf(x) || y == 0.0f;
}

float __clvk_fmod_f32(float x, float y)
{
    if (no_remainder(x, y)) {
        return NAN;
    }
    uint quotient;
    float rest = isinf(y) || x == 0.0f ? fabs(x) : long_division(x, y, &quotient);
    return copysign(rest, x);
}

float __clvk_remquo_f32(float x, float y, int *quotient)
{
    *quotient = 0;
    if (no_remainder(x, y)) {
        return NAN;
    }
    if (isinf(y) || x == 0.0f) {
        return x;
    }
    uint bits;
    float rest = long_division(x, y, &bits);
    // The nearest multiple, of two equally near ones the even one. The difference is exact where it matters.
    float b = fabs(y);
    float other = b - rest;
    bool up = rest > other || (rest == other && (bits & 1) != 0);
    rest = up ? -other : rest;
    bits = (up ? bits + 1 : bits) & 0x7f;
    *quotient = signbit(x) != signbit(y) ? -(int)bits : (int)bits;
    rest = signbit(x) ? -rest : rest;
    return rest == 0.0f ? copysign(0.0f, x) : rest;
}

float __clvk_remainder_f32(float x, float y)
{
    int quotient;
    return __clvk_remquo_f32(x, y, &quotient);
}
