// Loops that end at a position at a known distance, forwards, backwards, by several elements, left early:
// NVIDIA's driver 580 does not terminate on some kernels with such comparisons of pointers.
//! buffer data: uint = 12345 2654448106 1013916571 3668352332 2027820797 387289262 3041725023 1401193488 4055629249 2415097714 774566179 3429001940 1788470405 147938870 2802374631 1161843096 3816278857 2175747322 535215787 3189651548 1549120013 4203555774 2563024239 922492704 3576928465 1936396930 295865395 2950301156 1309769621 3964205382 2323673847 683142312
//! buffer out: uint 12
//! launch: run(data, out) global 4 local 4
//! expect data: 4059832097 2654448106 1013916571 3668352332 2027820797 387289262 3041725023 1401193488 3988508745 2415097714 774566179 3429001940 1788470405 147938870 2802374631 1161843096 683139569 2175747322 535215787 3189651548 1549120013 4203555774 2563024239 922492704 3447555033 1936396930 295865395 2950301156 1309769621 3964205382 2323673847 683142312
//! expect out: 716628590 3662937474 147 3559857910 2676115970 140 2108119934 2563024239 132 656381958 1936396930 144

kernel void run(global uint *data, global uint *out) {
  const uint i = get_global_id(0);
  global uint *own = data + i * 8;
  for (const global uint *p = own, *end = p + 8; p != end; p += 1)
    own[own[7] & 7] ^= *p;
  uint sum = 0;
  for (const global uint *p = own + 7; p > own + 2; p -= 2) {
    if (*p & 1)
      continue;
    sum = sum * 31 + *p;
  }
  uint other = 0;
  for (uint j = i * 3, last = j + 6; j != last; j += 2) {
    other = other * 7 + own[j & 7];
    if (own[j & 7] & 2)
      break;
  }
  // The loop passes the position without a check.
  uint seen = 0;
  for (uint j = i;; ++j) {
    if ((j - i) % 3 == 0)
      continue;
    if (j == i + 3)
      break;
    if (j > 20)
      break;
    seen += j;
  }
  out[3 * i] = sum;
  out[3 * i + 1] = other;
  out[3 * i + 2] = seen;
}
