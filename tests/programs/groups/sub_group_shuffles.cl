// Shuffles, rotations and cluster reductions of values of each size, compared with what the work-items
// stored. Groups of 32: every sub-group is full.
//! options: -cl-std=CL3.0
//! needs: cl_khr_subgroup_shuffle cl_khr_subgroup_shuffle_relative cl_khr_subgroup_rotate cl_khr_subgroup_clustered_reduce
//! buffer passed: int = 7*0
//! launch: shuffles(passed) global 64 local 32
//! expect passed: 64 64 64 64 64 64 64

// The value of the work-item with this lane in the same sub-group.
#define AT(values, lane_) values[(lane_) + group * most]

kernel void shuffles(global int *passed) {
  local int words[128];
  local long longs[128];
  uint group = get_sub_group_id(), lane = get_sub_group_local_id(), most = get_max_sub_group_size();
  int i = get_local_linear_id();
  int mine = i * 37 % 101 - 50;
  words[group * most + lane] = mine;
  longs[group * most + lane] = (long)mine << 33;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint mirrored = most - 1 - lane;
  if (sub_group_shuffle(mine, mirrored) == AT(words, mirrored) &&
      sub_group_shuffle((long)mine << 33, mirrored) == AT(longs, mirrored) &&
      sub_group_shuffle((char)mine, mirrored) == (char)AT(words, mirrored) &&
      sub_group_shuffle((ushort)mine, mirrored) == (ushort)AT(words, mirrored) &&
      sub_group_shuffle((float)mine, mirrored) == (float)AT(words, mirrored))
    atomic_inc(&passed[0]);
  if (most == 1 || sub_group_shuffle_xor(mine, 1) == AT(words, lane ^ 1))
    atomic_inc(&passed[1]);
  // Without a work-item to take the value from, it may be anything.
  int up = sub_group_shuffle_up(mine, 2), down = sub_group_shuffle_down(mine, lane & 1);
  if ((lane < 2 || up == AT(words, lane - 2)) && (lane + 1 >= most || down == AT(words, lane + (lane & 1))))
    atomic_inc(&passed[2]);
  if (sub_group_rotate(mine, 3) == AT(words, (lane + 3) % most) &&
      sub_group_rotate(mine, -1) == AT(words, (lane + most - 1) % most))
    atomic_inc(&passed[3]);
  uint start = lane & ~1u;
  bool pairs = most == 1 || sub_group_clustered_rotate(mine, 1, 2) == AT(words, start + (lane + 1 - start) % 2);
  if (pairs)
    atomic_inc(&passed[4]);
  if (most == 1 ||
      sub_group_clustered_reduce_add(mine, 2) == AT(words, start) + AT(words, start + 1) &&
          sub_group_clustered_reduce_min((long)mine << 33, 2) == min(AT(longs, start), AT(longs, start + 1)) &&
          sub_group_clustered_reduce_xor((short)mine, 2) == (short)(AT(words, start) ^ AT(words, start + 1)) &&
          sub_group_clustered_reduce_max((float)mine, 1) == (float)mine &&
          sub_group_clustered_reduce_logical_or(mine < -20, 2) == (AT(words, start) < -20 || AT(words, start + 1) < -20))
    atomic_inc(&passed[5]);
  bool fours = true;
  if (most >= 4) {
    uint first = lane & ~3u;
    int sum = 0;
    for (uint k = first; k < first + 4; ++k)
      sum += (k & 1) ? AT(words, k) : 0;
    // Only the odd ones take part.
    if (lane & 1)
      fours = sub_group_clustered_reduce_add(mine, 4) == sum;
  }
  if (fours)
    atomic_inc(&passed[6]);
}
