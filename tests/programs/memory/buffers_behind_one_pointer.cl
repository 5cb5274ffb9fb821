// One pointer, several buffers: chosen by a condition, exchanged round a loop, taken from an array, written
// through.
//! buffer a: int = 0..16
//! buffer b: int = 100..116
//! buffer c: int = 200..216
//! buffer out: int 24
//! launch: run(a, b, c, out) global 8
//! expect out: 100 1 102 3 104 5 106 7
//! expect out: 100 10101 302 10303 504 10505 706 10707
//! expect out: 0 101 202 3 104 205 6 107
//! expect a: 0..8 1000 9 10 1003 12 13 1006 15
//! expect b: 100..109 1001 110 111 1004 113 114 1007
//! expect c: 200..210 1002 211 212 1005 214 215

kernel void run(global int *a, global int *b, global int *c, global int *out) {
  int i = get_global_id(0);
  global int *chosen = (i & 1) ? a : b;
  out[i] = chosen[i];

  global int *first = a;
  global int *second = b;
  for (int k = 0; k < i; ++k) {
    global int *previous = first;
    first = second;
    second = previous;
  }
  out[8 + i] = first[i] * 100 + second[i];

  global int *table[3] = {a, b, c};
  out[16 + i] = table[i % 3][i];
  table[i % 3][8 + i] = 1000 + i;
}
