// Variables in global memory keep their values from launch to launch and are shared by the kernels.
//! options: -cl-std=CL2.0
//! buffer out: int 8
//! launch: change(out) global 1
//! launch: change(out) global 1
//! launch: look(out) global 1
//! expect out: 3 25 25 24 25 2 1 77

global int counter = 5;
global int table[4] = {1, 2, 3, 4};
global int *pointer = &table[2];
global uchar zeros[3];
constant int known = 77;

int calls(void) {
  static global int count = 0;
  return ++count;
}

kernel void change(global int *out) {
  int n = calls();
  if (n == 1)
    out[0] = *pointer;
  counter += 10;
  table[1] = counter;
  pointer = &table[1];
  zeros[1] += n == 2 ? 1 : 0;
}

kernel void look(global int *out) {
  out[1] = counter;
  out[2] = *pointer;
  *pointer -= 1;
  out[3] = table[1];
  out[4] = *pointer + 1;
  out[5] = calls() - 1;
  out[6] = zeros[0] + zeros[1] + zeros[2];
  out[7] = known;
}
