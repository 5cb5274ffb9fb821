// An `if` that follows an `else` is a separate statement.
//! buffer out: int 4
//! launch: run(out) global 4
//! expect out: 1202 13201 11211 11111

kernel void run(global int *out) {
  int i = get_global_id(0);
  int s = 0;
  if (i > 0)
    s = 1;
  else
    s = 2;
  if (i > 1)
    s += 10;
  if (i > 2) {
    s += 100;
  } else {
    s += 200;
  }
  if (i != 1)
    s += 1000;
  else if (s > 3)
    s += 3000;
  else
    s += 5000;
  if (s & 1)
    s += 10000;
  out[i] = s;
}
