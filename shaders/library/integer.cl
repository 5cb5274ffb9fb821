// Integer and common functions that take more than an operation or two.

char __clvk_mad_sat_i8(char a, char b, char c)
{
    return convert_char_sat(a * b + c);
}

uchar __clvk_mad_sat_u8(uchar a, uchar b, uchar c)
{
    return convert_uchar_sat(a * b + c);
}

short __clvk_mad_sat_i16(short a, short b, short c)
{
    return convert_short_sat(a * b + c);
}

ushort __clvk_mad_sat_u16(ushort a, ushort b, ushort c)
{
    // The largest product and sum just fit in 32 unsigned bits.
    return convert_ushort_sat((uint)a * b + c);
}

long __clvk_mad_sat_i64(long a, long b, long c)
{
    // As for 32 bits, with a 128-bit product.
    long high = mul_hi(a, b);
    ulong low = (ulong)a * (ulong)b;
    ulong sum = low + (ulong)c;
    long carry = sum < low ? 1 : 0;
    long sum_high = high + (c >> 63) + carry;
    bool fits = sum_high == ((long)sum >> 63);
    return fits ? (long)sum : (sum_high < 0 ? (long)0x8000000000000000 : 0x7fffffffffffffff);
}

ulong __clvk_mad_sat_u64(ulong a, ulong b, ulong c)
{
    ulong low = a * b;
    ulong sum = low + c;
    return mul_hi(a, b) != 0 || sum < low ? 0xffffffffffffffff : sum;
}

int __clvk_mad_sat_i32(int a, int b, int c)
{
    // The product has 64 bits: it fits if its high half is the sign of its low half.
    int high = mul_hi(a, b);
    uint low = (uint)a * (uint)b;
    uint sum = low + (uint)c;
    int carry = sum < low ? 1 : 0;
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
