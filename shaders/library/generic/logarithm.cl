// Logarithms of any number, through those of positive normal ones. For the type that types/ sets.

// For a number that is not positive and normal: a normal one with the same mantissa, and the missing
// exponent. If it is not a positive number, its logarithm goes to *edge, which is zero otherwise.
static REAL TYPED(normal_of_edge)(REAL x, REAL *exponent, REAL *edge)
{
    BITS bits = AS_BITS(x);
    bool subnormal = bits - 1 < ((BITS)1 << MANTISSA_BITS) - 1;
    *exponent = LEAST_EXPONENT - MANTISSA_BITS;
    REAL result = signbit(x) ? NAN : x;
    result = (bits & ~SIGN_BIT) == 0 ? -INFINITY : result;
    *edge = subnormal ? (REAL)0 : result;
    return subnormal ? (REAL)bits : (REAL)1;
}

#define LOGARITHM(name) \
    REAL TYPED(__clvk_##name)(REAL x) \
    { \
        if (TYPED(is_positive_normal)(x)) { \
            return TYPED(name##_of_normal)(x, 0); \
        } \
        REAL exponent, edge; \
        REAL normal = TYPED(normal_of_edge)(x, &exponent, &edge); \
        return edge == 0 ? TYPED(name##_of_normal)(normal, exponent) : edge; \
    }

LOGARITHM(log)
LOGARITHM(log2)
LOGARITHM(log10)
#undef LOGARITHM
