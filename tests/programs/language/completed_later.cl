// Variables whose types are completed after their first declaration, and externs in functions.
//! options: -cl-std=CL3.0
//! needs: __opencl_c_program_scope_global_variables
//! buffer out: int 8
//! launch: run(out) global 1
//! expect out: 16 0 32 7 3 5 4 9

struct record;
extern constant struct record first;
extern constant int table[];
global struct record second;
global int tentative[];

constant struct record *address(void) {
  return &first;
}
struct record sum(struct record a, struct record b);

int before(void) {
  extern constant int table[];
  return table[1];
}

struct record {
  int4 a;
  long b;
};
constant int table[4] = {5, 9};
constant struct record first = {(int4)(1, 2, 3, 4), 7};

struct record sum(struct record a, struct record b) {
  a.a += b.a;
  a.b += b.b;
  return a;
}

kernel void run(global int *out) {
  out[0] = sizeof(table);
  out[1] = table[3];
  out[2] = sizeof(second) + ((ulong)&second & 15);
  out[3] = address()->b;
  second.a = (int4)(1, 1, 1, 1);
  second.b = 0;
  out[4] = sum(first, second).a.y;
  tentative[0] = table[0];
  out[5] = tentative[0];
  extern global int later;
  out[6] = later;
  out[7] = before();
}

global int later = 4;
