// Lanes of vectors chosen at run time through pointers, of 3, 4, 8 and 16 lanes.
//! buffer out: int 16
//! launch: run(out) global 4
//! expect out: 10 11 12 10 3 2 1 0 0 2 4 6 15 100 13 102

kernel void run(global int *out) {
  int i = get_global_id(0);
  int3 three = (int3)(10, 11, 12);
  out[i] = ((int *)&three)[i % 3];
  int4 four = (int4)(0, 1, 2, 3);
  out[4 + i] = ((int *)&four)[3 - i];
  short8 eight = (short8)(0, 1, 2, 3, 4, 5, 6, 7);
  out[8 + i] = ((short *)&eight)[2 * i];
  int16 sixteen = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  int *lanes = (int *)&sixteen;
  lanes[14 - 2 * (i >> 1)] = 100 + (i >> 1) * 2;
  out[12 + i] = (i & 1) ? lanes[15 - i - (i == 1 ? 0 : -1) - (i == 3 ? 1 : 0)] : lanes[15 - i];
}
