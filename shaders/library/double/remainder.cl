// The remainders in double precision: all exact, in whole numbers.

// |x| modulo |y| for finite x and y that are not zero, by long division in binary, and the low bits of the quotient. The
// remainder is the one nearest to zero if that is asked for, of two equally near ones that of the even quotient.
static double long_division_f64(double x, double y, bool nearest, uint *quotient)
{
    ulong magnitude = as_ulong(x) & 0x7fffffffffffffffUL;
    int ea, eb;
    ulong ma = mantissa_f64(x, &ea), mb = mantissa_f64(y, &eb);
    *quotient = 0;
    // Less than half of y, or less than y.
    if (ea < eb - 1 || (ea < eb && !nearest)) {
        return as_double(magnitude);
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
        return 0.0;
    }
    // The first bit in place.
    int shift = (int)clz(ma) - 11;
    int exponent = eb - 1 - shift;
    ulong mantissa = shift < 0 ? ma >> 1 : ma << shift;
    ulong result = exponent < -1022 ? mantissa >> (-1022 - exponent) : mantissa + ((ulong)(exponent + 1022) << 52);
    return as_double(result | (beyond ? 0x8000000000000000UL : 0));
}

// Whether a remainder of x by y is not defined.
static bool no_remainder_f64(double x, double y)
{
    return isnan(x) || isnan(y) || isinf(x) || (as_ulong(y) << 1) == 0;
}

// Whether x is the remainder: of infinity, and of zero.
static bool is_own_remainder_f64(double x, double y)
{
    return isinf(y) || (as_ulong(x) << 1) == 0;
}

double __clvk_fmod_f64(double x, double y)
{
    if (no_remainder_f64(x, y)) {
        return NAN;
    }
    uint quotient;
    double rest = is_own_remainder_f64(x, y) ? x : long_division_f64(x, y, false, &quotient);
    return copysign(rest, x);
}

double __clvk_remquo_f64(double x, double y, int *quotient)
{
    *quotient = 0;
    if (no_remainder_f64(x, y)) {
        return NAN;
    }
    if (is_own_remainder_f64(x, y)) {
        return x;
    }
    uint bits;
    ulong rest = as_ulong(long_division_f64(x, y, true, &bits));
    bits &= 0x7f;
    *quotient = signbit(x) != signbit(y) ? -(int)bits : (int)bits;
    return as_double(rest ^ (as_ulong(x) & 0x8000000000000000UL));
}

double __clvk_remainder_f64(double x, double y)
{
    int quotient;
    return __clvk_remquo_f64(x, y, &quotient);
}
