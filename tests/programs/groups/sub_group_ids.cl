// Every work-item of groups of one to three dimensions has its own position in a sub-group, the sub-groups
// are as large as they report, and the ids in the work-group are the same as without sub-groups.
//! options: -cl-std=CL3.0
//! needs: __opencl_c_subgroups
//! buffer passed: int = 0 0 0
//! launch: places(passed) global 60 local 30
//! launch: places(passed) global 20x6 local 10x3
//! launch: places(passed) global 10x3x4 local 5x3x2
//! expect passed: 300 10 300

kernel void places(global int *passed) {
  local int taken[1024];
  local int members[32];
  uint size = get_sub_group_size(), most = get_max_sub_group_size(), groups = get_num_sub_groups();
  uint group = get_sub_group_id(), lane = get_sub_group_local_id();
  int i = get_local_linear_id();
  for (int k = i; k < 1024; k += 30)
    taken[k] = 0;
  if (i < 32)
    members[i] = 0;
  if (i == 0)
    members[30] = members[31] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  bool inside = lane < size && size <= most && group < groups && groups <= 30 && groups == get_enqueued_num_sub_groups();
  if (inside) {
    inside = atomic_inc(&taken[group * most + lane]) == 0;
    atomic_inc(&members[group]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  int x = get_local_id(0), y = get_local_id(1), z = get_local_id(2);
  bool linear = i == (z * (int)get_local_size(1) + y) * (int)get_local_size(0) + x && x < get_local_size(0) &&
                get_global_id(1) == get_group_id(1) * get_local_size(1) + y;
  if (inside && members[group] == size)
    atomic_inc(&passed[0]);
  if (i == 0 && members[groups - 1] > 0)
    atomic_inc(&passed[1]);
  if (linear)
    atomic_inc(&passed[2]);
}
