// Compiles generic/ for float.

#undef REAL
#undef BITS
#undef TYPED
#undef AS_REAL
#undef AS_BITS
#undef SIGN_BIT
#undef MANTISSA_BITS
#undef EXPONENT_BITS
#undef LEAST_EXPONENT

#define REAL float
#define BITS uint
#define TYPED(name) name##_f32
#define AS_REAL as_float
#define AS_BITS as_uint
#define SIGN_BIT ((BITS)1 << 31)
#define MANTISSA_BITS 23
#define EXPONENT_BITS 8
#define LEAST_EXPONENT -126
