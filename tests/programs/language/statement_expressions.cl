// Statement expressions: with loops, structures, early returns and their own variables.
//! buffer in: int = -4 2 9 5
//! buffer out: int 16
//! launch: run(in, out) global 4
//! expect out: -1 -4 40 -44 7 4 40 -38 21 18 40 -24 13 10 40 -32

#define LARGER(a, b) ({ int x_ = (a), y_ = (b); x_ > y_ ? x_ : y_; })

struct pair { int a, b; };

int twice(int x) {
  return ({
    if (x < 0)
      return -1;
    int y = x + x;
    y + 3;
  });
}

kernel void run(global const int *in, global int *out) {
  int i = get_global_id(0);
  int x = in[i];
  global int *row = out + 4 * i;
  row[0] = twice(x);
  row[1] = ({ struct pair p = {x, x}; p; }).a * 1 + ({ int t = 0; for (int k = 0; k < 10; ++k) { if (k >= x) break; ++t; } t; });
  int n = LARGER(LARGER(x, 10), 40);
  row[2] = n;
  row[3] = ({ struct pair q = {n, x}; q.a -= x > 0 ? 0 : 0; q; }).b * 2 + ({ int m = -n; m; }) + ({ ; x > 0 ? 0 - 2 : 4; });
}
