// Captures of a block: pointers to every memory, vectors, structures, and values of a function that is called
// with different arguments.
//! options: -cl-std=CL2.0
//! buffer in: float = 1 2 3 4 5 6 7 8
//! buffer out: float 8
//! launch: run(in, out) global 2 local 2
//! expect out: 11 22 26 10 15 26 26 26

struct pair {
  float a;
  int b;
};

float apply(global const float4 *in, local float *shared, int i, int scale) {
  struct pair p = {scale, i};
  float4 v = in[i];
  float (^f)(float) = ^(float x) { return shared[1 - i] + v.x * p.a + x + p.b; };
  p.a = 0;
  v = 0;
  return f(scale == 1 ? 0.0f : 10.0f - 10.0f * i);
}

kernel void run(global const float4 *in, global float *out) {
  local float shared[2];
  int i = get_local_id(0);
  float4 v = in[i];
  float (^total)(void) = ^{ return v.x + v.y + v.z + v.w; };
  shared[i] = total();
  barrier(CLK_LOCAL_MEM_FENCE);
  out[4 * i + 2] = shared[1];
  out[4 * i + 3] = shared[i];
  // i = 0: 26 + 1·scale + x − 16 …; i = 1: 10 + 5·scale + x + 1 …
  out[4 * i] = apply(in, shared, i, 1) - (i == 0 ? 16 : 1);
  out[4 * i + 1] = apply(in, shared, i, 3) - (i == 0 ? 17 : 0);
}
