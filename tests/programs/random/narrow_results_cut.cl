// The result of an operation on small integers is truncated to their width before it is extended: NVIDIA's
// driver 580 omits that.
//! buffer bytes: char = -128 127 -1 0
//! buffer shorts: short = -32768 32767 -1 0
//! buffer out: uint 8
//! launch: run(bytes, shorts, out) global 4 local 4
//! expect out: 0xffffff81 0 0xffffff82 0 2 3 1 3

kernel void run(global const char *bytes, global const short *shorts, global uint *out) {
  uint i = get_global_id(0);
  out[2 * i] = (char)-bytes[i] + 1u;
  out[2 * i + 1] = convert_uint_sat((short)((short)i - shorts[i]));
}
