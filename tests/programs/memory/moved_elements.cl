// Elements of a private array change places, at indices that a loop counts down: by a number, by a pointer.
//! buffer out: int 8
//! launch: run(out, int 3) global 1
//! expect out: 9 0 3 6 9 0 3 6

kernel void run(global int *out, int n) {
  int list[4], other[4];
  for (int i = 0; i < 4; ++i)
    list[i] = other[i] = i * n;
  for (int j = n; j != 0; --j) {
    int t = list[j];
    list[j] = list[j - 1];
    list[j - 1] = t;
  }
  for (private int *p = other + n; p != other; --p) {
    int t = *p;
    *p = *(p - 1);
    *(p - 1) = t;
  }
  for (int i = 0; i < 4; ++i) {
    out[i] = list[i];
    out[4 + i] = other[i];
  }
}
