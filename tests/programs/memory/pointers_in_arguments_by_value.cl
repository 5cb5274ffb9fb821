// A structure with pointers as an argument: its layout, and null.
//! options: -cl-std=CL2.0
//! needs: __opencl_c_generic_address_space
//! buffer out: int 4
//! launch: run(out, long 0 + int 5 + int 6 + long 0) global 1
//! expect out: 1 5 6 1

struct view {
  global int *data;
  int from, to;
  constant float *weights;
};

kernel void run(global int *out, struct view v) {
  out[0] = v.data == 0;
  out[1] = v.from;
  out[2] = v.to;
  out[3] = v.weights == 0;
}
