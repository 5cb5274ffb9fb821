// Quotients that are rounded correctly, on devices that multiply and add with one rounding (variants/fused.cl). Of the type that types/ set.

// a / b, of a reciprocal that is some units off. Nothing may leave the normal numbers, and b's mantissa may not be all ones: then the
// reciprocal becomes the one that is rounded correctly and the quotient one that is hardly more than half a unit off, and what comes
// of these is rounded correctly (Markstein, 1990).
static REAL TYPED(corrected_quotient)(REAL a, REAL b, REAL r)
{
    r = __clvk_fused(__clvk_fused(-b, r, (REAL)1), r, r);
    r = __clvk_fused(__clvk_fused(-b, r, (REAL)1), r, r);
    REAL q = a * r;
    q = __clvk_fused(__clvk_fused(-q, b, a), r, q);
    return __clvk_fused(__clvk_fused(-q, b, a), r, q);
}
