// Correctly rounded quotients, on devices that multiply and add with one rounding (variants/fused.cl). For
// the type that types/ sets.

// a / b, from a reciprocal r with a relative error of up to 2^-20, or 2^-40 in double precision. All numbers
// must be normal. The reciprocal is refined to hardly more than half a unit of error, and so is the first
// quotient; the result of both is correctly rounded (Markstein, 1990). The exception is a b whose mantissa is
// all ones as far as the reciprocal's error shows: in its first 16 bits, or 20 in double precision.
static REAL TYPED(corrected_quotient)(REAL a, REAL b, REAL r)
{
    REAL minus_b = -b;
    r = __clvk_fused(__clvk_fused(minus_b, r, (REAL)1), r, r);
    REAL q = a * r;
    q = __clvk_fused(__clvk_fused(minus_b, q, a), r, q);
    return __clvk_fused(__clvk_fused(minus_b, q, a), r, q);
}
