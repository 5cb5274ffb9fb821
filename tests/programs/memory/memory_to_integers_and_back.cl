// Pointers converted to integers and back: in a union, in a vector, byte by byte.
//! buffer a: int = 0..4
//! buffer b: int = 10..14
//! buffer out: int 12
//! launch: run(a, b, out) global 4
//! expect out: 10 1 12 3 100 201 102 203 0 11 2 13
//! expect a: 0..4
//! expect b: 10..14

union handle {
  global int *pointer;
  ulong number;
};

kernel void run(global int *a, global int *b, global int *out) {
  int i = get_global_id(0);
  union handle h;
  h.number = (i & 1) ? (ulong)a : (ulong)b;
  out[i] = h.pointer[i];

  int first[4], second[4];
  for (int k = 0; k < 4; ++k) {
    first[k] = 100 + k;
    second[k] = 200 + k;
  }
  int *pointers[2] = {first, second};
  int *copies[2];
  for (int k = 0; k < (int)sizeof(copies); ++k)
    ((char *)copies)[k] = ((char *)pointers)[k];
  out[4 + i] = copies[i & 1][i];

  ulong2 both = (ulong2)((ulong)a, (ulong)b);
  ulong number = (i & 1) ? both.y : both.x;
  out[8 + i] = ((global int *)number)[i];
}
