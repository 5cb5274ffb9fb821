// Code after a return is reached only through labels; the switch, whose cases are in a loop, is not reached
// at all.
//! buffer out: int = 1 2 3 4
//! launch: run(out, int 2) global 1
//! launch: jump(out, int 2) global 1
//! expect out: 1 2 13 23

kernel void run(global int *out, int count) {
  return;
  switch (count) {
  case 0:
    do {
      *out++ = 7;
  case 2:
      *out++ = 8;
    } while (--count > 0);
  }
}

kernel void jump(global int *out, int count) {
  if (count == 2)
    goto inside;
  return;
  while (count > 5) {
    out[0] = 9;
  inside:
    out[2] += 10;
    out[3] += 19;
  }
}
