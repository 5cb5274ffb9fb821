// Structures copied, assigned, returned, nested and passed by value to kernels and functions, with the host's
// padding.
//! buffer out: int 10
//! launch: run(char 5 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 + int 1 2 3 4 + char 7 0 + short 600 + int 0 0 0, out) global 2
//! expect out: 5 2 3 607 48 10 4 3 600 48

struct inner {
  char tag;
  short count;
};

struct outer {
  char first;
  int3 vector;
  struct inner last;
};

struct outer swapped(struct outer o) {
  struct outer result = o;
  result.vector = o.vector.zyx;
  result.last.count = o.first;
  o.first = 99;
  return result;
}

kernel void run(struct outer o, global int *out) {
  int i = get_global_id(0);
  struct outer copies[2];
  copies[0] = o;
  copies[1] = swapped(o);
  struct outer c = copies[i];
  if (i == 0) {
    out[0] = c.first;
    out[1] = c.vector.y;
    out[2] = c.vector.z;
    out[3] = c.last.tag + c.last.count;
    out[4] = sizeof(struct outer);
  } else {
    out[5] = c.first + c.last.count;
    out[6] = c.vector.z + c.vector.x;
    out[7] = swapped(c).vector.z;
    out[8] = o.last.count;
    out[9] = (int)sizeof(copies) / 2;
  }
}
