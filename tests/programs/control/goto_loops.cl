// Loops made of labels: a plain one, a nested one, and variables that begin anew in each iteration.
//! buffer out: int 6
//! launch: run(out) global 6
//! expect out: 0 11 44 99 176 275

kernel void run(global int *out) {
  int n = get_global_id(0);
  int sum = 0;
  int i = 0;
outer:
  if (i >= n)
    goto end;
  {
    int j = 0;
  inner:
    if (j < n) {
      int ten = 10;
      ten += 1;
      sum += ten;
      ++j;
      goto inner;
    }
  }
  ++i;
  goto outer;
end:
  out[n] = sum;
}
