// Vectors in initialiser lists: with their own braces they take their lanes from them, without braces they
// take one expression.
//! buffer out: int 36
//! launch: run(out) global 1
//! expect out: 1 1 1 1 2 2 2 2 3 3 3 3 7 1 2 3 4 5 5 5 5 6 7 6 7 8 9 8 9 1 2 3 4 1 5 0

struct pair {
  int4 lanes;
  int last;
};

constant int2 table[] = {{6, 7}, {6, 7}, (int2)(8, 9), (int2)(8, 9)};

kernel void run(global int *out) {
  int4 filled[2] = {1, 2};
  struct pair pair = {3, 7};
  int4 mixed[2] = {{1, 2, 3, 4}, 5};
  int4 joined[1] = {{(int2)(1, 2), 3, 4}};
  struct pair designated = {.last = 1, .lanes = {0, 5, 0, 0}};
  vstore4(filled[0], 0, out);
  vstore4(filled[1], 1, out);
  vstore4(pair.lanes, 2, out);
  out[12] = pair.last;
  vstore4(mixed[0], 0, out + 13);
  vstore4(mixed[1], 0, out + 17);
  for (int i = 0; i < 4; i++)
    vstore2(table[i], i, out + 21);
  vstore4(joined[0], 0, out + 29);
  out[33] = designated.last;
  out[34] = designated.lanes.y;
  out[35] = designated.lanes.x;
}
