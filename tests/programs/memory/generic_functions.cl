// A function called with pointers to every address space, directly and through another function with generic
// pointers.
//! options: -cl-std=CL2.0
//! buffer g: int = 5 6 7 8
//! buffer out: int 4
//! launch: run(g, out) global 1
//! expect out: 26 46 10 80
//! expect g: 6 7 8 9

int add_up(const int *p, int n) {
  int result = 0;
  while (n--)
    result += *p++;
  return result;
}

void increment(int *p, int n) {
  for (int k = 0; k < n; ++k)
    p[k] += 1;
}

int both(int *p, int n) {
  int before = add_up(p, n);
  increment(p, n);
  return before;
}

kernel void run(global int *g, global int *out) {
  local int l[4];
  int own[4];
  for (int k = 0; k < 4; ++k) {
    l[k] = 10 + k;
    own[k] = k + 1;
  }
  out[0] = both(g, 4);
  out[1] = both(l, 4);
  out[2] = both(own, 4);
  // 11+12+13+14 = 50, 2+3+4+5 = 14, and g[0] + g[1] + own[1] = 6 + 7 + 3 = 16.
  out[3] = add_up(l, 4) + add_up(own, 4) + add_up(g, 2) + own[1];
}
