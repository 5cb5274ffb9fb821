// In OpenCL C 3.0 with the feature, a pointer declared without an address space is generic, and variables at
// file scope are in global memory.
//! options: -cl-std=CL3.0
//! buffer g: int = 5 6
//! buffer out: int 4
//! launch: run(g, out) global 1
//! expect out: 15 21 3 5
//! expect g: 10 6

#if __opencl_c_generic_address_space != 1 || __opencl_c_program_scope_global_variables != 1
#error
#endif

int calls = 2;

int add_twice(int *p) {
  ++calls;
  *p += 5;
  return *p;
}

kernel void run(global int *g, global int *out) {
  local int l;
  int own = 1;
  l = 10;
  int *p = g;
  out[0] = add_twice(p) + 5;
  p = &l;
  out[1] = add_twice(p) + (own += 5);
  out[2] = calls - 1;
  out[3] = add_twice(&calls) - 5;
}
