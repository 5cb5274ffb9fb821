// Pointers to local memory kept in local memory, where another work-item follows them.
//! buffer out: int 8
//! launch: run(out) global 8
//! expect out: 70 60 50 40 30 20 10 0

kernel void run(global int *out) {
  local int values[8];
  local int *local pointers[8];
  int i = get_local_id(0);
  values[i] = 10 * i;
  pointers[7 - i] = &values[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = *pointers[i];
}
