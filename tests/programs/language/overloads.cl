// Functions with the attribute overloadable, chosen by promotion, conversion, address space and number of
// arguments; one of them overloads a built-in function.
//! buffer g: int = 5 6 7
//! buffer out: int 12
//! launch: run(g, out, int 3) global 1
//! expect out: 101 102 103 104 101 101 205 306 400 4 1003 7

#define OVERLOADABLE __attribute__((overloadable))

int OVERLOADABLE kind(int x);
int OVERLOADABLE kind(float x) { return 102; }
int OVERLOADABLE kind(int4 x) { return 103; }
int OVERLOADABLE kind(int x, int y) { return 104; }
int OVERLOADABLE kind(int x) { return 101; }

int OVERLOADABLE place(global int *p) { return 200 + *p; }
int OVERLOADABLE place(local int *p) { return 300 + *p; }
int OVERLOADABLE place(constant int *p) { return 400 + *p; }

// The built-in max has no overload for structures.
struct pair { int a, b; };
int OVERLOADABLE max(struct pair p) { return max(p.a, p.b); }

constant int zero = 0;

kernel void run(global int *g, global int *out, int n) {
  local int l;
  l = 6;
  out[0] = kind(n);
  out[1] = kind(1.5f);
  out[2] = kind((int4)(n));
  out[3] = kind(n, n);
  out[4] = kind((char)n);
  out[5] = kind((ushort)n);
  out[6] = place(g);
  out[7] = place(&l);
  out[8] = place(&zero);
  struct pair p = {n, n + 1};
  out[9] = max(p);
  out[10] = max(1003, n);
  out[11] = max(g[2], n);
}
