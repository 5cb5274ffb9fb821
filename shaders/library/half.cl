// Half precision through single precision: a float holds every half exactly, and the functions in single
// precision err by some units of the 24th bit, so the result's error is little more than that of rounding to
// 11 bits. Where a function is exact, its result in single precision is exact too, or is rounded to 24 bits
// first, which is harmless before rounding to 11 bits.

#define THROUGH_FLOAT(name)                                                                                            \
    half __clvk_##name##_f16(half x)                                                                                   \
    {                                                                                                                  \
        return (half)__clvk_##name##_f32((float)x);                                                                    \
    }

#define THROUGH_FLOAT_2(name)                                                                                          \
    half __clvk_##name##_f16(half x, half y)                                                                           \
    {                                                                                                                  \
        return (half)__clvk_##name##_f32((float)x, (float)y);                                                          \
    }

#define THROUGH_FLOAT_WITH_INT(name)                                                                                   \
    half __clvk_##name##_f16(half x, int n)                                                                            \
    {                                                                                                                  \
        return (half)__clvk_##name##_f32((float)x, n);                                                                 \
    }

THROUGH_FLOAT(acos)
THROUGH_FLOAT(acosh)
THROUGH_FLOAT(acospi)
THROUGH_FLOAT(asin)
THROUGH_FLOAT(asinh)
THROUGH_FLOAT(asinpi)
THROUGH_FLOAT(atan)
THROUGH_FLOAT(atanh)
THROUGH_FLOAT(atanpi)
THROUGH_FLOAT(cbrt)
THROUGH_FLOAT(cos)
THROUGH_FLOAT(cosh)
THROUGH_FLOAT(cospi)
THROUGH_FLOAT(erf)
THROUGH_FLOAT(erfc)
THROUGH_FLOAT(exp)
THROUGH_FLOAT(exp2)
THROUGH_FLOAT(exp10)
THROUGH_FLOAT(expm1)
THROUGH_FLOAT(lgamma)
THROUGH_FLOAT(log)
THROUGH_FLOAT(log2)
THROUGH_FLOAT(log10)
THROUGH_FLOAT(log1p)
THROUGH_FLOAT(logb)
THROUGH_FLOAT(round)
THROUGH_FLOAT(rsqrt)
THROUGH_FLOAT(sin)
THROUGH_FLOAT(sinh)
THROUGH_FLOAT(sinpi)
THROUGH_FLOAT(tan)
THROUGH_FLOAT(tanh)
THROUGH_FLOAT(tanpi)
THROUGH_FLOAT(tgamma)
THROUGH_FLOAT_2(atan2)
THROUGH_FLOAT_2(atan2pi)
THROUGH_FLOAT_2(fdim)
THROUGH_FLOAT_2(fmod)
THROUGH_FLOAT_2(hypot)
THROUGH_FLOAT_2(maxmag)
THROUGH_FLOAT_2(minmag)
THROUGH_FLOAT_2(pow)
THROUGH_FLOAT_2(powr)
THROUGH_FLOAT_2(remainder)
THROUGH_FLOAT_WITH_INT(ldexp)
THROUGH_FLOAT_WITH_INT(pown)
THROUGH_FLOAT_WITH_INT(rootn)

int __clvk_ilogb_f16(half x)
{
    return __clvk_ilogb_f32((float)x);
}

half __clvk_fract_f16(half x, half *whole)
{
    float part;
    float result = __clvk_fract_f32((float)x, &part);
    *whole = (half)part;
    return (half)(isnan(result) ? result : fmin(result, 0x1.ffcp-1f));
}

half __clvk_frexp_f16(half x, int *exponent)
{
    return (half)__clvk_frexp_f32((float)x, exponent);
}

half __clvk_lgamma_r_f16(half x, int *sign)
{
    return (half)__clvk_lgamma_r_f32((float)x, sign);
}

half __clvk_modf_f16(half x, half *whole)
{
    float part;
    float result = __clvk_modf_f32((float)x, &part);
    *whole = (half)part;
    return (half)result;
}

half __clvk_nan_u16(ushort payload)
{
    return as_half((ushort)(0x7e00 | (payload & 0x1ff)));
}

half __clvk_nextafter_f16(half x, half y)
{
    float a = (float)x, b = (float)y;
    int bits = as_ushort(x);
    // Away from zero is upward in the bit pattern, whatever the sign.
    int next = (a < b) == (bits < 0x8000) ? bits + 1 : bits - 1;
    next = a == 0.0f ? (as_ushort(y) & 0x8000) | 1 : next;
    half result = a == b ? y : as_half((ushort)next);
    return isnan(a) || isnan(b) ? (half)(a + b) : result;
}

half __clvk_remquo_f16(half x, half y, int *quotient)
{
    return (half)__clvk_remquo_f32((float)x, (float)y, quotient);
}

half __clvk_sincos_f16(half x, half *cosine)
{
    float c;
    float s = __clvk_sincos_f32((float)x, &c);
    *cosine = (half)c;
    return (half)s;
}

half __clvk_smoothstep_f16(half edge0, half edge1, half x)
{
    return (half)__clvk_smoothstep_f32((float)edge0, (float)edge1, (float)x);
}
