// Duff's device: the labels are in a loop. Copies `count` values; each work-item has a different count.
//! buffer in: int = 10..34
//! buffer out: int = 64*-1
//! launch: run(out, in) global 8
//! expect out: 8*-1 10 7*-1 10 11 6*-1 10 11 12 5*-1 10 11 12 13 4*-1 10 11 12 13 14 3*-1 10 11 12 13 14 15 2*-1
//! expect out: 10 11 12 13 14 15 16 -1

kernel void run(global int *out, global const int *in) {
  int count = get_global_id(0);
  global int *to = out + 8 * count;
  if (count == 0)
    return;
  int rounds = (count + 3) / 4;
  switch (count % 4) {
  case 0:
    do {
      *to++ = *in++;
  case 3:
      *to++ = *in++;
  case 2:
      *to++ = *in++;
  case 1:
      *to++ = *in++;
    } while (--rounds > 0);
  }
}
