//! buffer floats: uint = 0x00000000 0x80000000 0x3f800000 0x3f808000 0x3f808001 0x3f818000 0x3f817fff 0x3f818001
//! buffer floats: uint = 0x7f7fffff 0xff7f7fff 0x7f800000 0xff800000 0x7f800001 0xffc12345 0x00000001 0x00018000
//! buffer shorts: ushort = 16*0
//! buffer back: uint = 16*0
//! buffer passed: uint = 6*0
//! launch: convert(floats, shorts, back) global 16
//! launch: vectors(floats, shorts, passed) global 1
//! expect shorts: 0x0000 0x8000 0x3f80 0x3f80 0x3f81 0x3f82 0x3f81 0x3f82
//! expect shorts: 0x7f80 0xff7f 0x7f80 0xff80 0x7fc0 0xffc1 0x0000 0x0002
//! expect back: 0x00000000 0x80000000 0x3f800000 0x3f800000 0x3f810000 0x3f820000 0x3f810000 0x3f820000
//! expect back: 0x7f800000 0xff7f0000 0x7f800000 0xff800000 0x7fc00000 0xffc10000 0x00000000 0x00020000
//! expect passed: 6*1
// Ties go to the even number, the largest numbers to infinity, and NaNs stay NaNs.
#ifndef cl_intel_bfloat16_conversions
#error no macro
#endif

kernel void convert(global const float *floats, global ushort *shorts, global uint *back)
{
    size_t i = get_global_id(0);
    shorts[i] = intel_convert_bfloat16_as_ushort(floats[i]);
    back[i] = as_uint(intel_convert_as_bfloat16_float(shorts[i]));
}

#define SAME(n)                                                                              \
    {                                                                                        \
        ushort##n made = intel_convert_bfloat16##n##_as_ushort##n(vload##n(0, floats));      \
        float##n wide = intel_convert_as_bfloat16##n##_float##n(made);                       \
        int ok = all(made == vload##n(0, shorts));                                           \
        *passed++ = ok && all(as_uint##n(wide) == convert_uint##n(made) << 16);              \
    }

kernel void vectors(global const float *floats, global const ushort *shorts, global uint *passed)
{
    SAME(2)
    SAME(3)
    SAME(4)
    SAME(8)
    SAME(16)
    *passed = intel_convert_bfloat16_as_ushort(1) == 0x3f80;
}
