// Variables of functions that live as long as the program, one for all calls; variables at file scope that
// contain each other's addresses.
//! options: -cl-std=CL2.0
//! needs: __opencl_c_program_scope_global_variables
//! buffer out: int 12
//! launch: first(out) global 1
//! launch: second(out) global 1
//! expect out: 1 2 10 20 7 8 3 30 9 42 40 5

global int counter = 7;
static global int table[3] = {40, 41, 42};
global int *constant places[2] = {&table[2], &counter};
struct pair {
  int a;
  int b;
} object = {.b = 5};

int calls(void) {
  static int count;
  return ++count;
}

int tens(void) {
  static global int count = 0;
  count += 10;
  return count;
}

kernel void first(global int *out) {
  out[0] = calls();
  out[1] = calls();
  out[2] = tens();
  out[3] = tens();
  out[4] = counter++;
  out[5] = *places[1];
}

kernel void second(global int *out) {
  out[6] = calls();
  out[7] = tens();
  out[8] = ++*places[1];
  out[9] = *places[0];
  out[10] = places[0][-2];
  out[11] = object.a + object.b;
}
