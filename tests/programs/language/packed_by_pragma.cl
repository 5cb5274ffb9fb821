// #pragma pack lays out structures as it does on hosts: members at odd offsets, in buffers and in arguments
// by value.
//! buffer in: char int short char = 1 70000 -3 4 5 80000 -6 7
//! buffer out: int 8
//! launch: run(in, out, char 9 + int 90000 + short 11) global 2
//! expect out: 70000 -3 5 8 80000 -6 12 8

#pragma pack(push, 1)
struct record {
  char tag;
  int number;
  short small;
  char last;
};
#pragma pack(2)
struct argument {
  char tag;
  int number;
};
#pragma pack(pop)

struct natural {
  char tag;
  int number;
};

struct __attribute__((packed)) parameter {
  char tag;
  int number;
  short small;
};

kernel void run(global const struct record *in, global int *out, struct parameter p) {
  int i = get_global_id(0);
  struct argument a = {1, in[i].number};
  global int *row = out + 4 * i;
  row[0] = a.number;
  row[1] = in[i].small;
  row[2] = in[i].tag + in[i].last;
  row[3] = sizeof(struct record) == 8 && sizeof(struct argument) == 6 && sizeof(struct natural) == 8 && p.number == 90000 &&
                   p.small == 11
               ? sizeof(struct natural)
               : 0;
}
