// Four 16-bit numbers become the bits of a 64-bit one, and come back.
//! quirk: packed-quarters
//! buffer in: ushort = 1 2 3 0xffff 0x8000 0 0x1234 0x5678
//! buffer out: ulong 2
//! buffer back: short 8
//! launch: run(in, out, back) global 2
//! expect out: 0x0000000400030002 0x5679123500018001
//! expect back: 4 6 8 0 2 2 9322 -21262

kernel void run(global const ushort4 *in, global ulong *out, global short4 *back) {
  size_t i = get_global_id(0);
  ushort4 quarters = in[i] + (ushort)1;
  ulong whole = as_ulong(quarters);
  out[i] = whole;
  back[i] = as_short4(whole) * (short)2;
}
