// Volatile objects in every address space are read and written as often as the source says.
//! buffer g: int = 1 2
//! buffer out: int 3
//! launch: run(g, out) global 1
//! expect out: 4 9 16
//! expect g: 3 2

kernel void run(volatile global int *g, global int *out) {
  volatile int own = 4;
  volatile local int shared_value[1];
  shared_value[0] = 8;
  g[0] = g[0] + 1;
  g[0] = g[0] + 1;
  out[0] = g[0] + (own == 4);
  own += 4;
  shared_value[0] += 1;
  out[1] = shared_value[0];
  out[2] = own * g[1];
}
