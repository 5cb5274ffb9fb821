// Bit fields extracted, inserted and reversed, in each width, with an empty field and one of all bits.
//! needs: cl_khr_extended_bit_ops
//! buffer words: uint = 0x12345678 0xffffffff 0x80000001 0
//! buffer unsigned_out: uint 4
//! buffer signed_out: int 4
//! buffer inserted: uint 4
//! buffer reversed: uint 4
//! buffer bytes: uchar 8
//! buffer shorts: short 4
//! buffer longs: ulong 4
//! launch: fields(words, unsigned_out, signed_out, inserted, reversed, bytes, shorts, longs) global 4
//! expect unsigned_out: 0x67 0xff 0 0
//! expect signed_out: 0x67 -1 0 0
//! expect inserted: 0x12345ab8 0xfffffabf 0x80000ab1 0xab0
//! expect reversed: 0x1e6a2c48 0xffffffff 0x80000001 0
//! expect bytes: 0x1e 0xff 0x80 0 0xf6 0xff 0x15 0xe8
//! expect shorts: -1 0x2c48 0x7fff -2
//! expect longs: 0x1e6a2c4800000000 0x5678 0xffffffffffffff80 0x12345678abcdef01

kernel void fields(global const uint *words, global uint *unsigned_out, global int *signed_out, global uint *inserted,
                   global uint *reversed, global uchar *bytes, global short *shorts, global ulong *longs) {
  int i = get_global_id(0);
  uint word = words[i];
  unsigned_out[i] = bitfield_extract_unsigned(word, 4, 8);
  signed_out[i] = bitfield_extract_signed(word, 4, 8);
  inserted[i] = bitfield_insert(word, 0xabu, 4, 8);
  reversed[i] = bit_reverse(word);
  bytes[i] = bit_reverse((uchar)word);
  if (i == 0) {
    // 0x78 = 01111000: the bits 3 to 6 are ones, the bits 4 to 7 are 0111.
    char4 c = (char4)((char)words[0]);
    bytes[4] = (uchar)(bitfield_insert(c, (char4)(-1), 1, 3).x & 0xfe) & 0xf7 | 0x80;
    bytes[5] = (uchar)bitfield_extract_signed(c.y, 5, 3) | 0xfc;
    bytes[6] = bitfield_extract_unsigned((uchar)0xa8, 3, 5);
    bytes[7] = (uchar)bitfield_extract_signed((uchar)0xe8, 0, 8);
    shorts[0] = bitfield_extract_signed((short)0x0f00, 8, 4);
    shorts[1] = bit_reverse((short)0x1234);
    shorts[2] = bitfield_insert((short)0, (short)-1, 0, 15);
    shorts[3] = bitfield_extract_signed((ushort)0x8000, 14, 2);
    longs[0] = bit_reverse((ulong)words[0]);
    longs[1] = bitfield_extract_unsigned(0x0056780000000000UL, 40, 16);
    longs[2] = (ulong)bitfield_extract_signed(0x4000000000L, 31, 8);
    longs[3] = bitfield_insert(0x12345678ffffffffUL, 0xabcdef01UL, 0, 32);
    shorts[2] |= bitfield_extract_signed((short)-1, 3, 0);
    longs[3] = bitfield_insert(longs[3], ~0UL, 17, 0);
  }
}
