// An `if` after the `else` of another one is a separate statement: 3 + 1 from the branch of the first, times
// 2 or 5 from the second.
//! buffer out: int 4
//! launch: run(out) global 4
//! expect out: 20 8 8 8

kernel void run(global int *out) {
  int i = get_global_id(0);
  int value = 3;
  if (i > 7) {
    value = 100;
  } else {
    value += 1;
  }
  if (i == 0) {
    value *= 5;
  } else {
    value *= 2;
  }
  out[i] = value;
}
