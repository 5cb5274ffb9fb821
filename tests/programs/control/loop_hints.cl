// Hints to unroll loops change nothing: 7 copies of a body that runs 12 times, and loops with other exits.
//! buffer in: int = 1 2 3 4 5 6 7 8 9 10 11 12
//! buffer out: int 4
//! launch: hints(in, out, int 12) global 1
//! expect out: 78 78 15 55

kernel void hints(global const int *in, global int *out, int n) {
  int sum = 0;
  __attribute__((opencl_unroll_hint(7))) for (int i = 0; i < n; ++i)
    sum += in[i];
  out[0] = sum;
  sum = 0;
#pragma unroll
  for (int i = 0; i < 12; ++i)
    sum += in[i];
  out[1] = sum;
  sum = 0;
#pragma unroll 4
  for (int i = 0; i < n; ++i) {
    if (in[i] == 6)
      break;
    sum += in[i];
  }
  out[2] = sum;
  sum = 0;
  int i = 0;
  __attribute__((opencl_unroll_hint(1))) do {
    sum += in[i];
  } while (++i < 10);
  out[3] = sum;
}
