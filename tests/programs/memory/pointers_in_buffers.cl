// Pointers that one kernel writes to a buffer and another follows: only where buffers have addresses.
//! buffer a: int = 0..4
//! buffer table: ulong 4
//! buffer out: int 8
//! launch: fill(a, table) global 4
//! launch: follow(table, a, out) global 4
//! expect out: 3 2 1 0 1003 1002 1001 1000
//! expect a: 1000..1004

struct cell {
  global int *target;
};

kernel void fill(global int *a, global struct cell *table) {
  int i = get_global_id(0);
  table[i].target = &a[3 - i];
}

kernel void follow(global struct cell *table, global int *a, global int *out) {
  int i = get_global_id(0);
  out[i] = *table[i].target;
  *table[i].target += 1000;
  out[4 + i] = *table[i].target;
}
