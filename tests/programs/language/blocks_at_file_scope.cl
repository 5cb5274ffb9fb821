// Blocks as program-scope variables and as static variables of functions.
//! options: -cl-std=CL2.0
//! buffer out: int 6
//! launch: run(out) global 1
//! expect out: 1 2 10 30 9 4

int counter = 0;
int (^next)(void) = ^{ return ++counter; };
typedef int (^binary)(int, int);
binary scale = ^(int a, int b) { return a * b * 5; };
static binary same = scale;

int twice(int x) {
  static int (^const doubled)(int) = ^(int y) { return y + y; };
  return doubled(x);
}

kernel void run(global int *out) {
  out[0] = next();
  out[1] = next();
  out[2] = scale(1, 2);
  int (^both)(int) = ^(int a) { return same(a, 1) + scale(a, 1); };
  out[3] = both(3);
  out[4] = twice(3) + next();
  out[5] = twice(counter - 1);
}
