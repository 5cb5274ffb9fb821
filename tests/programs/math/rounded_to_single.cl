// A number of double precision is rounded on its way through single precision.
//! needs: cl_khr_fp64
//! buffer in: double = 0.1 1e300 16777217 1e-300
//! buffer out: double 4
//! launch: run(in, out) global 4
//! expect out: 0.100000001490116119384765625 inf 16777216 0

kernel void run(global const double *in, global double *out) {
  size_t i = get_global_id(0);
  out[i] = (double)(float)in[i];
}
