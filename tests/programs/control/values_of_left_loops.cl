// Values that are computed in a loop and used after it, when neighbours leave the loop after different
// numbers of iterations: by one exit, by two with the same value, out of an inner loop; and the results of
// atomic operations.
//! options: -cl-std=CL3.0
//! buffer steps: int = 50 60 70 80 90 100 110 120
//! buffer found: int 64
//! buffer twice: int 64
//! buffer outer: int 64
//! buffer turn: int = 0
//! buffer turns: int = 64*0
//! buffer sum: float = 0
//! buffer sums: int = 64*0
//! launch: search(steps, found, twice, outer) global 64 local 32
//! launch: take_turns(turn, turns, sum, sums) global 64 local 32
//! expect found: 50 60 70 80 90 100 110 120 50 60 70 80 90 100 110 120 50 60 70 80 90 100 110 120 50 60 70 80 90 100 110 120 50 60 70 80 90 100 110 120 50 60 70 80 90 100 110 120 50 60 70 80 90 100 110 120 50 60 70 80 90 100 110 120
//! expect twice: 50 60 70 80 90 90 90 90 50 60 70 80 90 90 90 90 50 60 70 80 90 90 90 90 50 60 70 80 90 90 90 90 50 60 70 80 90 90 90 90 50 60 70 80 90 90 90 90 50 60 70 80 90 90 90 90 50 60 70 80 90 90 90 90
//! expect outer: 50 61 72 83 94 105 116 127 50 61 72 83 94 105 116 127 50 61 72 83 94 105 116 127 50 61 72 83 94 105 116 127 50 61 72 83 94 105 116 127 50 61 72 83 94 105 116 127 50 61 72 83 94 105 116 127 50 61 72 83 94 105 116 127
//! expect turns: 64*1
//! expect sums: 64*1

kernel void search(global const int *steps, global int *found, global int *twice, global int *outer) {
  int me = get_global_id(0), wanted = 50 + 10 * (me % 8), value;
  for (int i = 0;; i++) {
    value = steps[i];
    if (value >= wanted)
      break;
  }
  found[me] = value;
  for (int i = 0;; i++) {
    value = steps[i];
    if (value == 90)
      break;
    if (value >= wanted)
      break;
  }
  twice[me] = value;
  for (int j = 0;; j++) {
    for (int i = j;; i++) {
      value = steps[i] + j;
      if (value >= wanted)
        break;
      if (i > j + 1)
        break;
    }
    if (j >= me % 8)
      break;
  }
  outer[me] = value;
}

kernel void take_turns(global int *turn, global int *turns, global atomic_float *sum, global int *sums) {
  int old = *turn, seen;
  do {
    seen = atomic_cmpxchg(turn, old, old + 1);
    if (seen == old)
      break;
    old = seen;
  } while (true);
  turns[seen] += 1;
  sums[(int)atomic_fetch_add(sum, 1.0f)] += 1;
}
