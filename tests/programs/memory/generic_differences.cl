// Differences between generic pointers and those to one address space.
//! options: -cl-std=CL2.0
//! buffer g: int = 0..8
//! buffer out: int 6
//! launch: run(g, out, int 5) global 1
//! expect out: 5 -3 2 -5 4 1

kernel void run(global int *g, global int *out, int n) {
  local int l[8];
  int own[8];
  for (int k = 0; k < 8; ++k)
    l[k] = own[k] = k;
  int *q = g + n;
  out[0] = (int)(q - g);
  global int *h = g + n - 3;
  out[1] = (int)(h - q);
  q = l + n - 3;
  out[2] = (int)(q - l);
  const int *r = own + n;
  private int *start = own;
  out[3] = (int)(start - r);
  out[4] = (int)(r - (own + 1)) * *q / 2;
  out[5] = q - l == *q && r > start;
}
