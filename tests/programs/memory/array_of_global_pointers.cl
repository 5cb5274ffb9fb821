// A private array of pointers to global memory, filled and read at indices known only at run time.
//! buffer a: int = 0..8
//! buffer b: int = 10..18
//! buffer order: int = 3 0 2 1
//! buffer out: int 4
//! launch: run(a, b, order, out) global 4
//! expect out: 6 1004 17 1002
//! expect a: 0..8
//! expect b: 10 11 12 13 14 15 16 17

kernel void run(global int *a, global int *b, global const int *order, global int *out) {
  int i = get_global_id(0);
  global int *table[4];
  for (int k = 0; k < 4; ++k)
    table[order[k]] = (k & 1) ? b + 2 * k : a + 2 * k;
  // table: [0] = b + 2, [1] = b + 6, [2] = a + 4, [3] = a + 0.
  global int *p = table[order[(i + 1) & 3]];
  // i = 0: table[0] = b + 2, 1: table[2] = a + 4, 2: table[1] = b + 6, 3: table[3] = a.
  out[i] = i == 0 ? p[0] - 6 : i == 1 ? p[0] + 1000 : i == 2 ? p[1] : p[2] + 1000;
}
