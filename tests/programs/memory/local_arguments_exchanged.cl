// The double buffering of a prefix sum: two pointers to local memory, one of them an argument, are swapped in
// a loop.
//! buffer out: int 16
//! launch: run(out, local 64) global 16
//! expect out: 1 3 6 10 15 21 28 36 45 55 66 78 91 105 120 136

kernel void run(global int *out, local int *scratch) {
  local int own[16];
  int i = get_local_id(0);
  local int *from = scratch;
  local int *to = own;
  from[i] = i + 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int distance = 1; distance < 16; distance *= 2) {
    to[i] = i >= distance ? from[i] + from[i - distance] : from[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    local int *previous = from;
    from = to;
    to = previous;
  }
  out[i] = from[i];
}
