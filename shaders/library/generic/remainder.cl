// The remainders: all exact, computed in integers. For the type that types/ sets.

// |x| modulo |y| for finite x and y that are not zero, by long division in binary, and the low bits of the
// quotient. With `nearest` the remainder is the one nearest to zero; of two equally near ones, that of the
// even quotient.
static REAL TYPED(long_division)(REAL x, REAL y, bool nearest, uint *quotient)
{
    BITS magnitude = AS_BITS(x) & ~SIGN_BIT;
    int ea, eb;
    BITS ma = TYPED(mantissa)(x, &ea), mb = TYPED(mantissa)(y, &eb);
    *quotient = 0;
    // Less than half of y, or less than y.
    if (ea < eb - 1 || (ea < eb && !nearest)) {
        return AS_REAL(magnitude);
    }
    // In units half as large, so that half of y is an integer.
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
        return 0;
    }
    // Moves the leading one into place.
    int shift = (int)clz(ma) - EXPONENT_BITS;
    int exponent = eb - 1 - shift;
    BITS mantissa = shift < 0 ? ma >> 1 : ma << shift;
    BITS result = exponent < LEAST_EXPONENT ? mantissa >> (LEAST_EXPONENT - exponent)
                                           : mantissa + ((BITS)(exponent - LEAST_EXPONENT) << MANTISSA_BITS);
    return AS_REAL(result | (beyond ? SIGN_BIT : 0));
}

// Whether the remainder of x by y is undefined.
static bool TYPED(no_remainder)(REAL x, REAL y)
{
    return isnan(x) || isnan(y) || isinf(x) || (AS_BITS(y) << 1) == 0;
}

// Whether x is the remainder: for infinite y, and for zero x.
static bool TYPED(is_own_remainder)(REAL x, REAL y)
{
    return isinf(y) || (AS_BITS(x) << 1) == 0;
}

REAL TYPED(__clvk_fmod)(REAL x, REAL y)
{
    if (TYPED(no_remainder)(x, y)) {
        return NAN;
    }
    uint quotient;
    REAL rest = TYPED(is_own_remainder)(x, y) ? x : TYPED(long_division)(x, y, false, &quotient);
    return copysign(rest, x);
}

REAL TYPED(__clvk_remquo)(REAL x, REAL y, int *quotient)
{
    *quotient = 0;
    if (TYPED(no_remainder)(x, y)) {
        return NAN;
    }
    if (TYPED(is_own_remainder)(x, y)) {
        return x;
    }
    uint bits;
    BITS rest = AS_BITS(TYPED(long_division)(x, y, true, &bits));
    bits &= 0x7f;
    *quotient = signbit(x) != signbit(y) ? -(int)bits : (int)bits;
    return AS_REAL(rest ^ (AS_BITS(x) & SIGN_BIT));
}

REAL TYPED(__clvk_remainder)(REAL x, REAL y)
{
    int quotient;
    return TYPED(__clvk_remquo)(x, y, &quotient);
}
