// More arguments than fit into the push constants, in one of two kernels of a program.
//! buffer a: int = 1 2 3 4
//! buffer out: int 8
//! launch: large(a, int 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68 69 70 71 72 73 74 75 76 77 78 79 80, char 9, out) global 4
//! launch: small(char 3, out, a) global 4
//! expect out: 92 93 94 95 7 10 13 16

struct numbers {
  int values[80];
};

kernel void large(global const int *a, struct numbers n, char c, global int *out) {
  int i = get_global_id(0);
  out[i] = a[i] + n.values[79] + c + n.values[1];
}

kernel void small(char c, global int *out, global const int *a) {
  int i = get_global_id(0);
  out[4 + i] = a[i] * c + 4;
}
