// Calls FUNCTION many times, so that its speed dominates.
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#ifndef FUNCTION
#define FUNCTION sin
#define TYPE float
#endif

kernel void math_speed(global const TYPE *in, global TYPE *out, int steps) {
  size_t i = get_global_id(0);
  TYPE x = in[i], sum = 0;
  for (int k = 0; k < steps; ++k) {
#ifdef SECOND
    sum += FUNCTION(x, (TYPE)SECOND);
#else
    sum += FUNCTION(x);
#endif
    x += 0.0078125f;
  }
  out[i] = sum;
}
