// Dot products of four bytes, as vectors and packed, of each combination of signs, with saturation at both
// ends.
//! options: -cl-std=CL3.0
//! needs: cl_khr_integer_dot_product
//! buffer a: uint = 0x04030201 0xffffffff 0x80808080 0x7f80ff01
//! buffer b: uint = 0x05060708 0xffffffff 0x80808080 0x01020304
//! buffer uu: uint 4
//! buffer ss: int 4
//! buffer us: int 4
//! buffer su: int 4
//! buffer saturated: int 8
//! launch: dots(a, b, uu, ss, us, su, saturated) global 4
//! expect uu: 60 260100 65536 1152
//! expect ss: 60 4 65536 -128
//! expect us: 60 -1020 -65536 1152
//! expect su: 60 -1020 -65536 -128
//! expect saturated: 160 0x7fffffff 0x80000000 -28 -1 -1 -1 0x7ffffffe

kernel void dots(global const uint *a, global const uint *b, global uint *uu, global int *ss, global int *us,
                 global int *su, global int *saturated) {
  int i = get_global_id(0);
  uint x = a[i], y = b[i];
  bool packed = i & 1;
  uu[i] = packed ? dot_4x8packed_uu_uint(x, y) : dot(as_uchar4(x), as_uchar4(y));
  ss[i] = packed ? dot_4x8packed_ss_int(x, y) : dot(as_char4(x), as_char4(y));
  us[i] = packed ? dot_4x8packed_us_int(x, y) : dot(as_uchar4(x), as_char4(y));
  su[i] = packed ? dot_4x8packed_su_int(x, y) : dot(as_char4(x), as_uchar4(y));
  if (i == 0) {
    saturated[0] = dot_acc_sat(as_char4(x), as_char4(y), 100);
    saturated[1] = dot_acc_sat(as_char4(a[1]), as_char4(b[1]), 0x7ffffffe);
    saturated[2] = dot_acc_sat(as_uchar4(a[1]), as_char4(b[1]), (int)0x80000001);
    saturated[3] = dot_acc_sat_4x8packed_su_int(a[3], b[3], 100);
    saturated[4] = (int)dot_acc_sat(as_uchar4(x), as_uchar4(y), 0xffffffc4u);
    saturated[5] = (int)dot_acc_sat_4x8packed_uu_uint(x, y, 0xffffffc3u);
    saturated[6] = (int)dot_acc_sat_4x8packed_uu_uint(a[1], b[1], 0xfffffff0u);
    saturated[7] = dot_acc_sat_4x8packed_ss_int(a[1], b[1], 0x7ffffffa);
  }
}
