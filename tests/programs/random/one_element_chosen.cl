// A variable of one element, found through a pointer from an array: NVIDIA's driver 580 does not find it.
//! buffer out: int 2
//! launch: run(out, int4 5 6 7 8) global 2 local 2
//! expect out: 12 12

kernel void run(global int *out, int4 x) {
  int i = get_local_id(0);
  int4 *choices[2] = {&x, &x};
  out[i] = choices[i & 1]->y * 2;
}
