// A kernel that calls another kernel as a function.
//! buffer out: int 8
//! launch: outer(out, int 3) global 4
//! launch: inner(out, int 100) global 4
//! expect out: 100 101 102 103 6 7 8 9

kernel void inner(global int *out, int offset) {
  out[get_global_id(0)] = offset + (int)get_global_id(0);
}

kernel void outer(global int *out, int offset) {
  inner(out, 1);
  inner(out + 4, offset * 2);
}
