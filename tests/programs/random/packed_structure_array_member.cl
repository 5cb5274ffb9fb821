// Elements of arrays that are members of a packed structure, at odd addresses: read and written with constant
// and computed indices, whole and by lane, through a pointer to the structure and in a variable.
//! buffer records: char = 0 1 0 0 0 2 0 0 0 3 0 0 0 4 0 0 0 5 0 6 0 7 0 8 0 9 0 0 0
//! buffer out: int 10
//! launch: run(records, out, int 1) global 1
//! expect out: 1 2 3 4 5 6 7 8 24 9
//! expect records: 0 1 0 0 0 2 0 0 0 33 0 0 0 4 0 0 0 5 0 6 0 7 0 77 0 9 0 0 0

struct __attribute__((packed)) record {
  char c;
  int2 i[2];
  short4 s[1];
  int last[1];
};

kernel void run(global struct record *records, global int *out, int one) {
  struct record copy = records[0];
  out[0] = records->i[0].x;
  out[1] = copy.i[one - 1].y;
  int2 second = records[one - 1].i[one];
  out[2] = second.x;
  out[3] = copy.i[one].y;
  short4 s = records->s[one - 1];
  out[4] = s.x;
  out[5] = copy.s[0].y;
  out[6] = (*copy.s).z;
  out[7] = records->s->w;
  records->i[one].x = 33;
  copy.s[one - 1].w = 24;
  out[8] = copy.s[0].w;
  records->s[one - 1].w = 77;
  out[9] = records->last[one - 1];
}
