// Loops carry 64-bit integers that are sums, as scalars and in vectors, and use their upper words.
//! quirk: carried-sums
//! buffer in: uint = 1 2 3 4 5 6 7 8 9 10
//! buffer out: ulong 6
//! launch: run(in, out, ulong 3, ulong 0xfffffffe) global 1
//! expect out: 0xdc 0x17127325d2 0x3d1 0xffffff4a 0x444444441f 0x17f0

kernel void run(global const uint *in, global ulong *out, ulong step, ulong start) {
  ulong sum = 0, place = 0;
  for (int i = 0; i < 40; ++i) {
    sum += in[place % 10];
    place += step;
  }
  out[0] = sum;
  ulong state = start, upper = 0;
  for (int i = 0; i < 50; ++i) {
    upper += state >> 32;
    state = state * 6364136223846793005ul + 1442695040888963407ul;
  }
  out[1] = upper;
  ulong2 both = (ulong2)(start, step);
  ulong high = 0;
  for (int i = 0; i < 60; ++i) {
    high += (both.x >> 32) + (both.y >> 33);
    both = (ulong2)(both.x - step, both.y + 0x123456789ul);
  }
  out[2] = high;
  out[3] = both.x;
  out[4] = both.y;
  ulong left = start, all = 0;
  for (int i = 0; i < 70; ++i) {
    for (int j = 0; j < 80; ++j) {
      left += 0x40000001ul;
      if (left >> 36 == 5)
        break;
    }
    all += left >> 32;
  }
  out[5] = all;
}
