// A table in constant memory that is too large for a shader, beside a small one, and a pointer to either.
//! buffer out: uint 12
//! launch: run(out) global 4
//! expect out: 0 700 1400 2047 7 8 9 10 0 8 1400 10

#define ROW(x) x, x + 1, x + 2, x + 3, x + 4, x + 5, x + 6, x + 7
#define BLOCK(x) ROW(x), ROW(x + 8), ROW(x + 16), ROW(x + 24), ROW(x + 32), ROW(x + 40), ROW(x + 48), ROW(x + 56)
#define PLANE(x) BLOCK(x), BLOCK(x + 64), BLOCK(x + 128), BLOCK(x + 192), BLOCK(x + 256), BLOCK(x + 320), BLOCK(x + 384), BLOCK(x + 448)
constant uint large[2048] = {PLANE(0), PLANE(512), PLANE(1024), PLANE(1536)};
constant uint small[4] = {7, 8, 9, 10};

kernel void run(global uint *out) {
  uint i = get_global_id(0);
  uint at = min(i * 700u, 2047u);
  out[i] = large[at];
  out[4 + i] = small[i];
  constant uint *p = (i & 1) ? small + i : large + at;
  out[8 + i] = *p;
}
