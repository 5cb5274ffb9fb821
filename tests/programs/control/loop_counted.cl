// Loops over memory that count to a limit unknown to the compiler, which unrolls them. Counters come close to
// the ends of their type, steps are larger than the distance, and unsigned counters wrap. The sums depend on
// the order; they were computed with exact arithmetic elsewhere.
//! buffer in: uint = 3 4 7 12 19 28 39 52 67 84 103 124 147 172 199 228
//! buffer counts: uint = 0 10 3 0 9 3 4294967280 4294967295 15 3221225472 3238002688 1342177280 3221225472 3489660928 1610612736 5 5 1 0 17 1 2 100 7
//! buffer signed_counts: int = -5 5 2 -2147483648 1879048191 1342177280 3 -3 1 -20 -1 4 0 13 3 -3 21 6 2147483632 2147483643 3 -7 -7 5
//! buffer out: uint 24
//! launch: count(in, counts, signed_counts, out) global 8
//! expect out: 102198 3294 3 2751261411 2979 0 1694725259 3009403759
//! expect out: 119859900 2979 0 135867443 3168285 5138416 102198 0
//! expect out: 3715656928 2979 0 135867443 3168285 159290924 102198 84

kernel void count(global const uint *in, global const uint *counts, global const int *signed_counts,
                  global uint *out) {
  size_t item = get_global_id(0);
  uint start = counts[3 * item], limit = counts[3 * item + 1], step = counts[3 * item + 2];
  uint sum = 0;
  for (uint i = start; i < limit; i += step)
    sum = sum * 31 + in[i & 15];
  out[item] = sum;

  int first = signed_counts[3 * item], end = signed_counts[3 * item + 1], by = signed_counts[3 * item + 2];
  uint below = 0;
  for (int i = first; i < end; i += by)
    below = below * 31 + in[i & 15];
  out[8 + item] = below;

  uint up_to = 0;
  for (int i = first; i <= end; i += by)
    up_to = up_to * 31 + in[i & 15];
  out[16 + item] = up_to;
}
