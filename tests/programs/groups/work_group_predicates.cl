// Whether a predicate is true for all or any work-items of a group, and logical reductions and scans; in
// loops, so that the scratch memory is used again. All work-items reach each function.
//! options: -cl-std=CL3.0
//! needs: cl_khr_work_group_uniform_arithmetic
//! buffer passed: int = 4*0
//! launch: predicates(passed) global 100 local 50
//! expect passed: 400 400 400 400

kernel void predicates(global int *passed) {
  int i = get_local_id(0);
  for (int round = 0; round < 4; ++round) {
    // Round 0: none, 1: only the last, 2: all but the first, 3: all.
    int mine = round == 0 ? 0 : round == 1 ? (i == 49) * 8 : round == 2 ? i != 0 : -1;
    if (!work_group_all(mine) == (round != 3) & !work_group_any(mine) == (round == 0))
      atomic_inc(&passed[0]);
    if (!work_group_reduce_logical_and(mine) == (round != 3) & !work_group_reduce_logical_or(mine) == (round == 0) &
        !work_group_reduce_logical_xor(mine) == (round == 0 || round == 3))
      atomic_inc(&passed[1]);
    bool all_before = round == 3 || i == 0;
    bool any_before = round == 3 && i > 0 || round == 2 && i > 1;
    if (!work_group_scan_exclusive_logical_and(mine) == !all_before &
        !work_group_scan_exclusive_logical_or(mine) == !any_before)
      atomic_inc(&passed[2]);
    bool odd = round == 0 ? false : round == 1 ? i == 49 : round == 2 ? i & 1 : !(i & 1);
    if (!work_group_scan_inclusive_logical_xor(mine) == !odd)
      atomic_inc(&passed[3]);
  }
}
