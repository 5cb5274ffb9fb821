// A block literal that is evaluated repeatedly captures the current values each time; control flow in a block
// stays in it.
//! options: -cl-std=CL2.0
//! buffer in: int = 4 -1 9 0 3 3
//! buffer out: int 8
//! launch: run(in, out, int 6) global 1
//! expect out: 4 0 18 0 12 15 18 37

kernel void run(global const int *in, global int *out, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    int (^weigh)(int) = ^(int x) {
      int result = 0;
      for (int k = 0; k < 100; ++k) {
        if (x <= 0)
          break;
        if (k >= x)
          return result;
        if (k == 50)
          continue;
        result += i;
      }
      return result;
    };
    int value = i == 0 ? in[i] : weigh(in[i]);
    out[i] = value;
    sum += value;
  }
  void (^finish)(int) = ^(int extra) {
    switch (extra) {
    case 1:
      out[6] = n * 3;
      break;
    default:
      out[7] = sum - extra;
    }
  };
  finish(1);
  finish(12);
}
