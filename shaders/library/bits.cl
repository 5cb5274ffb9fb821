// Extended bit operations (OpenCL C §6.15.3.1): each for an unsigned type U of `width` bits, and the signed
// type S.

#define BIT_FIELDS(S, U, s, u, width)                                                        \
    U __clvk_bitfield_insert_##u(U base, U insert, uint offset, uint count)                  \
    {                                                                                        \
        U ones = (U)(U)~(U)0;                                                                \
        U mask = count == 0 ? (U)0 : (U)(ones >> (width - count));                           \
        U place = (U)(mask << offset);                                                       \
        return (U)((base & (U)~place) | ((U)(insert << offset) & place));                    \
    }                                                                                        \
    S __clvk_bitfield_insert_##s(S base, S insert, uint offset, uint count)                  \
    {                                                                                        \
        return (S)__clvk_bitfield_insert_##u((U)base, (U)insert, offset, count);             \
    }                                                                                        \
    U __clvk_bitfield_extract_unsigned_##u(U base, uint offset, uint count)                  \
    {                                                                                        \
        U ones = (U)(U)~(U)0;                                                                \
        U mask = count == 0 ? (U)0 : (U)(ones >> (width - count));                           \
        return (U)((U)(base >> offset) & mask);                                              \
    }                                                                                        \
    U __clvk_bitfield_extract_unsigned_##s(S base, uint offset, uint count)                  \
    {                                                                                        \
        return __clvk_bitfield_extract_unsigned_##u((U)base, offset, count);                 \
    }                                                                                        \
    S __clvk_bitfield_extract_signed_##u(U base, uint offset, uint count)                    \
    {                                                                                        \
        /* The field moves to the top, and comes down with copies of its highest bit. */     \
        S top = (S)(U)(base << (width - offset - count));                                    \
        return count == 0 ? (S)0 : (S)(top >> (width - count));                              \
    }                                                                                        \
    S __clvk_bitfield_extract_signed_##s(S base, uint offset, uint count)                    \
    {                                                                                        \
        return __clvk_bitfield_extract_signed_##u((U)base, offset, count);                   \
    }

BIT_FIELDS(char, uchar, i8, u8, 8)
BIT_FIELDS(short, ushort, i16, u16, 16)
BIT_FIELDS(int, uint, i32, u32, 32)
BIT_FIELDS(long, ulong, i64, u64, 64)

uint __clvk_bit_reverse_u32(uint base)
{
    base = ((base >> 1) & 0x55555555u) | ((base & 0x55555555u) << 1);
    base = ((base >> 2) & 0x33333333u) | ((base & 0x33333333u) << 2);
    base = ((base >> 4) & 0x0f0f0f0fu) | ((base & 0x0f0f0f0fu) << 4);
    base = ((base >> 8) & 0x00ff00ffu) | ((base & 0x00ff00ffu) << 8);
    return (base >> 16) | (base << 16);
}

int __clvk_bit_reverse_i32(int base)
{
    return (int)__clvk_bit_reverse_u32((uint)base);
}

uchar __clvk_bit_reverse_u8(uchar base)
{
    return (uchar)(__clvk_bit_reverse_u32(base) >> 24);
}

char __clvk_bit_reverse_i8(char base)
{
    return (char)__clvk_bit_reverse_u8((uchar)base);
}

ushort __clvk_bit_reverse_u16(ushort base)
{
    return (ushort)(__clvk_bit_reverse_u32(base) >> 16);
}

short __clvk_bit_reverse_i16(short base)
{
    return (short)__clvk_bit_reverse_u16((ushort)base);
}

ulong __clvk_bit_reverse_u64(ulong base)
{
    return ((ulong)__clvk_bit_reverse_u32((uint)base) << 32) | __clvk_bit_reverse_u32((uint)(base >> 32));
}

long __clvk_bit_reverse_i64(long base)
{
    return (long)__clvk_bit_reverse_u64((ulong)base);
}

// Dot products of four bytes in a word, added to a number (OpenCL C §6.15.3): `s` means signed, `u` unsigned.

#define DOT_PRODUCT(a_kind, b_kind, R)                                                        \
    R __clvk_dot_acc_sat_4x8packed_##a_kind##b_kind##_u32(uint a, uint b, R accumulated)      \
    {                                                                                         \
        return add_sat(dot_4x8packed_##a_kind##b_kind##_##R(a, b), accumulated);              \
    }

DOT_PRODUCT(u, u, uint)
DOT_PRODUCT(s, s, int)
DOT_PRODUCT(u, s, int)
DOT_PRODUCT(s, u, int)
