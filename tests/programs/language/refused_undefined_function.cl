//! refused: `missing`, which is declared but never defined
int missing(int x);

int variant(int x, int which) {
  if (which == 3)
    return missing(x);
  return x;
}

kernel void run(global int *out, int which) {
  out[0] = variant(out[0], which);
}
