// The remainders in double precision: all exact.

// |x| modulo |y| for finite x and y that are not zero, by long division in binary; the low bits of the quotient too.
static double long_division_f64(double x, double y, uint *quotient)
{
    ulong a = as_ulong(x) & 0x7fffffffffffffffUL, b = as_ulong(y) & 0x7fffffffffffffffUL;
    if (a < b) {
        *quotient = 0;
        return as_double(a);
    }
    int ea, eb;
    ulong ma = (as_ulong(normalised_f64(x, &ea)) & 0xfffffffffffffUL) | 0x10000000000000UL;
    ulong mb = (as_ulong(normalised_f64(y, &eb)) & 0xfffffffffffffUL) | 0x10000000000000UL;
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
        return 0.0;
    }
    int shift = (int)clz(ma) - 11;
    ma <<= shift;
    eb -= shift;
    ulong normal = (ma & 0xfffffffffffffUL) | ((ulong)(eb + 1023) << 52);
    return as_double(eb > -1023 ? normal : ma >> min(-1022 - eb, 63));
}

// Whether a remainder of x by y is not defined.
static bool no_remainder_f64(double x, double y)
{
    return isnan(x) || isnan(y) || isinf(x) || (as_ulong(y) << 1) == 0;
}

static bool is_zero_f64(double x)
{
    return (as_ulong(x) << 1) == 0;
}

double __clvk_fmod_f64(double x, double y)
{
    if (no_remainder_f64(x, y)) {
        return NAN;
    }
    uint quotient;
    double rest = isinf(y) || is_zero_f64(x) ? fabs(x) : long_division_f64(x, y, &quotient);
    return copysign(rest, x);
}

double __clvk_remquo_f64(double x, double y, int *quotient)
{
    *quotient = 0;
    if (no_remainder_f64(x, y)) {
        return NAN;
    }
    if (isinf(y) || is_zero_f64(x)) {
        return x;
    }
    uint bits;
    double rest = long_division_f64(x, y, &bits);
    // The nearest multiple, of two equally near ones the even one. The difference is exact where it matters.
    double b = fabs(y);
    double other = b - rest;
    bool up = rest > other || (rest == other && (bits & 1) != 0);
    rest = up ? -other : rest;
    bits = (up ? bits + 1 : bits) & 0x7f;
    *quotient = signbit(x) != signbit(y) ? -(int)bits : (int)bits;
    rest = signbit(x) ? -rest : rest;
    return is_zero_f64(rest) ? copysign(0.0, x) : rest;
}

double __clvk_remainder_f64(double x, double y)
{
    int quotient;
    return __clvk_remquo_f64(x, y, &quotient);
}
