// Blocks: values are captured when the literal is evaluated (example 5 of the specification); arrays are
// captured as pointers.
//! spirv differs: clang captures arrays as copies
//! options: -cl-std=CL2.0
//! buffer out: int 8
//! launch: run(out, int 7) global 1
//! expect out: 21 1 8 2 7 10 12 42

struct v {
  int arr[2];
};

kernel void run(global int *out, int multiplier) {
  int (^multiply)(int) = ^(int number) { return number * multiplier; };
  out[0] = multiply(3);
  struct v s = {{0, 1}};
  int arr[2] = {0, 1};
  void (^of_structure)(void) = ^{ out[1] = s.arr[1]; };
  void (^of_array)(void) = ^{ out[2] = arr[1]; };
  s.arr[1] = arr[1] = 8;
  of_structure();
  of_array();
  int x = 2;
  int (^of_variable)(void) = ^{ return x; };
  x = 5;
  out[3] = of_variable();
  out[4] = of_variable() + x;
  out[5] = ^(int a, int b) { return a * b; }(x, 2);
  int (^same)(int) = multiply;
  int (^const other)(int) = same;
  out[6] = other(1) + x;
  multiplier = 100;
  out[7] = other(6);
}
