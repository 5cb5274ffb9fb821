// Selectors of every width, and ranges wider than an int.
//! buffer in: long = -9223372036854775808 -4294967297 -1 0 5 4294967295 4294967296 9223372036854775807
//! buffer out: int 40
//! launch: run(out, in) global 8
//! expect out: 1 2 3 4 4 5 5 6
//! expect out: 20 22 21 20 20 21 20 22
//! expect out: 30 32 32 30 31 32 30 32
//! expect out: 41 41 41 40 41 41 41 41
//! expect out: 50 51 51 50 50 51 50 51

kernel void run(global int *out, global const long *in) {
  int i = get_global_id(0);
  long value = in[i];
  int result = 0;
  switch (value) {
  case -9223372036854775807 - 1: result = 1; break;
  case -4294967300 ... -4294967000: result = 2; break;
  case -1: result = 3; break;
  case 0 ... 4294967294: result = 4; break;
  case 4294967295 ... 5000000000: result = 5; break;
  default: result = 6;
  }
  out[i] = result;
  switch ((ulong)value >> 31 & 3ul) {
  case 1ul: result = 21; break;
  case 3ul: result = (value == -1) ? 21 : 22; break;
  default: result = value >= 0x7fffffffffffffff ? 21 : 20;
  }
  if (value == -1) result = 21;
  if (value == -4294967297) result = 22;
  out[8 + i] = result;
  switch ((char)value) {
  case 0: result = 30; break;
  case 1 ... 127: result = 31; break;
  case -128 ... -1: result = 32; break;
  }
  out[16 + i] = result;
  switch (value != 0) {
  case 0: result = 40; break;
  case 1: result = 41; break;
  }
  out[24 + i] = result;
  switch ((uint)value) {
  case 0x7fffffff ... 0xffffffff: result = 51; break;
  case 0 ... 0x7ffffffe: result = 50; break;
  }
  out[32 + i] = result;
}
