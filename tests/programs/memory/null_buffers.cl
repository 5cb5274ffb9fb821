// Kernels distinguish null pointers from buffers: by tests, comparisons, selections, through other functions
// and through memory.
//! buffer a: int = 11 22 33 44
//! buffer out: int 24
//! buffer more: int = 8*7
//! launch: run(out, a, null, int 0) global 1
//! launch: run(out, null, a, int 1) global 1
//! launch: run(out, null, null, int 2) global 1
//! launch: offsets(out, more, null) global 1
//! expect out: 1 0 11 5 0 110 0 1 5 11 0 110 0 0 5 5 1 31 1 7 0 0 2 1

int first(global const int *p) {
  return p ? *p : 5;
}

kernel void run(global int *out, global const int *p, global const int *q, int row) {
  out += 6 * row;
  global const int *table[2] = {p, q};
  global const int *chosen = p ? p : q;
  out[0] = p != 0;
  out[1] = q != 0;
  out[2] = first(p);
  out[3] = first(q);
  out[4] = p == q;
  out[5] = (table[out[1]] == 0) + 10 * first(chosen) - (chosen ? 0 : 20);
}

kernel void offsets(global int *out, global int *p, global int *q) {
  out[18] = (ulong)q == 0;
  out[19] = p ? p[1] : 0;
  out[20] = (p + 3 == 0) + (&p[2] == q);
  int x = 4;
  int *any = out[18] ? 0 : &x;
  out[21] = any != 0;
  out[22] = 2;
  out[23] = !q;
}
