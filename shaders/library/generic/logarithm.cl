// Logarithms of any number by those of positive normal ones. Of the type that types/ set.

// Of a number that is not positive and normal: a normal one that has the same mantissa, and the exponent that
// it lacks. What is not a positive number has its logarithm in *edge, which is zero otherwise.
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
