// 64 KB of private memory, written and read completely in an order known only at run time.
//! buffer steps: uint = 4097 8191
//! buffer out: uint 4
//! launch: run(steps, out) global 2
//! expect out: 134209536 12321 134209536 1

kernel void run(global const uint *steps, global uint *out) {
  uint scratch[16384];
  uint i = get_global_id(0);
  uint step = steps[i];
  // Odd steps visit every element of the 2^14 once.
  for (uint k = 0; k < 16384; ++k)
    scratch[(k * step) & 16383] = k;
  uint sum = 0;
  for (uint k = 0; k < 16384; ++k)
    sum += scratch[k];
  out[i * 2] = sum;
  out[i * 2 + 1] = scratch[(12321 * step) & 16383] - (i ? 12320 : 0);
}
