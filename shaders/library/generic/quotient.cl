// Quotients that are rounded correctly, on devices that multiply and add with one rounding
// (variants/fused.cl). Of the type that types/ set.

// a / b, of a reciprocal r off by up to a part in 2^20, or 2^40 in double precision. Nothing may leave the
// normal numbers. The reciprocal becomes one that is hardly more than half a unit off, so do the first
// quotient, and what comes of these is rounded correctly (Markstein, 1990), but where b's mantissa is all
// ones as far as the reciprocal's error shows: in its first 16 bits, or 20 in double precision.
static REAL TYPED(corrected_quotient)(REAL a, REAL b, REAL r)
{
    REAL minus_b = -b;
    r = __clvk_fused(__clvk_fused(minus_b, r, (REAL)1), r, r);
    REAL q = a * r;
    q = __clvk_fused(__clvk_fused(minus_b, q, a), r, q);
    return __clvk_fused(__clvk_fused(minus_b, q, a), r, q);
}
