// Functions that are declared but never defined, called only where no kernel gets: in functions that are
// never called, and in branches that constants rule out.
//! buffer out: int 4
//! launch: run(out) global 1
//! expect out: 1 2 7 9

int missing(int x);
kernel void missing_kernel(global int *p);

int unused(int x) { return missing(x); }

int variant(int x, int which) {
  if (which == 3)
    return missing(x);
  return x;
}

void unused_kernel_call(global int *p) { missing_kernel(p); }

kernel void run(global int *out) {
  if (0)
    out[0] = missing(1);
  out[0] = 1;
  out[1] = 0 ? missing(1) : 2;
  out[2] = variant(7, 2);
  while (sizeof(int) == 8)
    missing(2);
  switch (sizeof(long)) {
  case 4: out[3] = missing(3); break;
  case 8: out[3] = 9; break;
  }
}
