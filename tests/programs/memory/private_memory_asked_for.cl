// A generic pointer into such a buffer cannot tell its address space, so the kernel is refused.
//! options: -cl-std=CL2.0
//! quirk: large-private-memory
//! refused: more private memory

kernel void run(global uint *out) {
  uint large[16384];
  for (uint k = 0; k < 16384; ++k)
    large[(k * out[1]) & 16383] = k;
  generic uint *pointer = large;
  if (out[2])
    pointer = out;
  out[0] = to_private(pointer) != 0 ? large[out[3]] : 0;
}
