// Conversions between `float` and bfloat16, the upper half of a `float`, whose bits are in a `ushort`
// (cl_intel_bfloat16_conversions).

// Rounds to the nearest, ties to even. A NaN keeps its sign and the upper part of its payload, and is quiet.
ushort __clvk_to_bfloat16_f32(float x)
{
    uint bits = as_uint(x);
    uint upper = bits >> 16;
    uint rounded = (bits + 0x7fffu + (upper & 1u)) >> 16;
    return (ushort)((bits & 0x7fffffffu) > 0x7f800000u ? upper | 0x40u : rounded);
}

float __clvk_from_bfloat16_u16(ushort x)
{
    return as_float((uint)x << 16);
}
