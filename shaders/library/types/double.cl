// Compiles generic/ for double.

#undef REAL
#undef BITS
#undef TYPED
#undef AS_REAL
#undef AS_BITS
#undef SIGN_BIT
#undef MANTISSA_BITS
#undef EXPONENT_BITS
#undef LEAST_EXPONENT

#define REAL double
#define BITS ulong
#define TYPED(name) name##_f64
#define AS_REAL as_double
#define AS_BITS as_ulong
#define SIGN_BIT ((BITS)1 << 63)
#define MANTISSA_BITS 52
#define EXPONENT_BITS 11
#define LEAST_EXPONENT -1022
