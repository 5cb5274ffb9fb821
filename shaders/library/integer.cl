// Integer and common functions that are more than an operation or two.

int __clvk_mad_sat_i32(int a, int b, int c)
{
    // The product has 64 bits: it fits if its high half is the sign of its low half.
    int high = mul_hi(a, b);
    int low = a * b;
    uint sum = (uint)low + (uint)c;
    int carry = sum < (uint)low ? 1 : 0;
    int sum_high = high + (c >> 31) + carry;
    bool fits = sum_high == ((int)sum >> 31);
    return fits ? (int)sum : (sum_high < 0 ? (int)0x80000000 : 0x7fffffff);
}

uint __clvk_mad_sat_u32(uint a, uint b, uint c)
{
    uint low = a * b;
    uint sum = low + c;
    return mul_hi(a, b) != 0 || sum < low ? 0xffffffffu : sum;
}

float __clvk_smoothstep_f32(float edge0, float edge1, float x)
{
    float t = clamp((x - edge0) / (edge1 - edge0), 0.0f, 1.0f);
    return t * t * (3.0f - 2.0f * t);
}
