// Blocks within blocks: the outer block also captures what the inner one names, when the outer one is
// evaluated.
//! options: -cl-std=CL2.0
//! buffer out: int 4
//! launch: run(out) global 4
//! expect out: 106 117 128 139

kernel void run(global int *out) {
  int i = get_global_id(0);
  int base = 100;
  int (^outer)(int) = ^(int a) {
    int b = i * 10;
    int (^inner)(int) = ^(int c) {
      int (^innermost)(void) = ^{ return base + a + b + c; };
      return innermost();
    };
    b = 1000;
    return inner(i + 1);
  };
  base = 5000;
  out[i] = outer(5);
}
