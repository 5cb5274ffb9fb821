// A loop made with `goto` in a loop that is unrolled: blocks dissolve into others whose exits have just been
// moved.
//! buffer flags: float = 1 1 0 1
//! buffer out: uint 2
//! launch: run(flags, out) global 1
//! expect out: 4 7

kernel void run(global const float *flags, global uint *out) {
  local float copy[4];
  for (int i = 0; i < 4; ++i)
    copy[i] = flags[i];
  uchar3 v = (uchar3)1;
  uint hash = 0;
  int i = 0;
  do {
    hash = hash * 3 + 1;
    int j = 0;
  again:;
    ((uchar *)&v)[1] = v.s1 + 1;
    if (++j < 3 && 1u) goto again;
  } while (++i < 4 && convert_char((int)(copy[i])));
  out[0] = hash;
  out[1] = v.s1;
}
