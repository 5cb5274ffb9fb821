// Votes, ballots, functions of masks, broadcasts of each type, and logical reductions, compared with plain
// loops.
//! options: -cl-std=CL3.0
//! needs: cl_khr_subgroup_ballot cl_khr_subgroup_non_uniform_vote cl_khr_subgroup_non_uniform_arithmetic cl_khr_fp16
//! buffer passed: int = 9*0
//! launch: votes(passed) global 60 local 30
//! expect passed: 60 60 40 60 60 60 60 60 40

uint bit(uint4 mask, uint index) {
  return ((index < 32 ? mask.x : index < 64 ? mask.y : index < 96 ? mask.z : mask.w) >> (index & 31)) & 1;
}

kernel void votes(global int *passed) {
  local uint groups[30], lanes[30];
  int i = get_local_linear_id();
  uint lane = get_sub_group_local_id(), most = get_max_sub_group_size(), size = get_sub_group_size();
  groups[i] = get_sub_group_id();
  lanes[i] = lane;
  barrier(CLK_LOCAL_MEM_FENCE);
  bool every = true, some = false, ballot_right = true;
  uint count = 0, upto = 0, before = 0, first = ~0u, last = 0, lowest = ~0u, first_some = ~0u;
  int ands = 1, ors = 0, xors = 0;
  uint4 mask = sub_group_ballot(i % 5 == 2 || i % 7 == 0);
  for (int j = 0; j < 30; ++j) {
    if (groups[j] != groups[i])
      continue;
    bool holds = j % 5 == 2 || j % 7 == 0;
    every = every && holds;
    some = some || holds;
    ballot_right = ballot_right && bit(mask, lanes[j]) == holds;
    count += holds;
    upto += holds && lanes[j] <= lane;
    before += holds && lanes[j] < lane;
    first = holds ? min(first, lanes[j]) : first;
    last = holds ? max(last, lanes[j]) : last;
    lowest = min(lowest, lanes[j]);
    if (j % 3 != 1)
      first_some = min(first_some, lanes[j]);
    if (lanes[j] <= lane) {
      ands = ands && holds;
      ors = ors || holds;
      xors = xors != holds;
    }
  }
  bool mine = i % 5 == 2 || i % 7 == 0;
  if (!sub_group_all(mine) == !every && !sub_group_any(mine) == !some && !sub_group_non_uniform_all(mine) == !every)
    atomic_inc(&passed[0]);
  if (ballot_right && !sub_group_inverse_ballot(mask) == !mine && sub_group_ballot_bit_extract(mask, lane) == mine)
    atomic_inc(&passed[1]);
  if (i % 3 != 1) {
    if (!sub_group_elect() == (lane != first_some))
      atomic_inc(&passed[2]);
  }
  bool finds = count == 0 || sub_group_ballot_find_lsb(mask) == first && sub_group_ballot_find_msb(mask) == last;
  if (sub_group_ballot_bit_count(mask) == count && sub_group_ballot_inclusive_scan(mask) == upto &&
      sub_group_ballot_exclusive_scan(mask) == before && finds)
    atomic_inc(&passed[3]);
  bool masks = true;
  uint4 eq = get_sub_group_eq_mask(), ge = get_sub_group_ge_mask(), gt = get_sub_group_gt_mask(),
        le = get_sub_group_le_mask(), lt = get_sub_group_lt_mask();
  for (uint k = 0; k < 128; ++k)
    masks = masks && bit(eq, k) == (k == lane) && bit(ge, k) == (k >= lane && k < most) &&
            bit(gt, k) == (k > lane && k < most) && bit(le, k) == (k <= lane) && bit(lt, k) == (k < lane);
  if (masks)
    atomic_inc(&passed[4]);
  // From the last work-item of the sub-group, whose lane only the device knows.
  uint source = size - 1;
  bool moved = sub_group_broadcast(lane * 3 + 1, source) == source * 3 + 1 &&
               sub_group_broadcast((long)lane << 35, source) == (long)source << 35 &&
               sub_group_broadcast((uchar)lane, source) == (uchar)source &&
               sub_group_broadcast((float)lane * 0.5f, source) == source * 0.5f &&
               all(sub_group_broadcast((short4)(lane, 1, 2, -(short)lane), source) ==
                   (short4)(source, 1, 2, -(short)source));
  if (moved)
    atomic_inc(&passed[5]);
  if (sub_group_non_uniform_scan_inclusive_logical_and(mine) == ands &&
      sub_group_non_uniform_scan_inclusive_logical_or(mine) == ors &&
      sub_group_non_uniform_scan_inclusive_logical_xor(mine * 4) == xors &&
      !sub_group_non_uniform_reduce_logical_and(mine) == !every && !sub_group_non_uniform_reduce_logical_or(mine) == !some)
    atomic_inc(&passed[6]);
  if (sub_group_non_uniform_all_equal(7L) && !sub_group_non_uniform_all_equal(lane) == (size > 1) &&
      !sub_group_non_uniform_all_equal(NAN) && sub_group_non_uniform_all_equal((char)3) &&
      sub_group_non_uniform_broadcast(lane, 0) == 0)
    atomic_inc(&passed[7]);
  if (i % 3 != 1) {
    if (sub_group_broadcast_first(lane) == first_some && sub_group_broadcast_first((half)lane) == (half)first_some)
      atomic_inc(&passed[8]);
  }
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);
  if (groups[i] == 0)
    sub_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_scope_sub_group);
}
