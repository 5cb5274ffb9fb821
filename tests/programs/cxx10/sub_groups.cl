// Functions of sub-groups, whatever their size: what their leaders add up is what the work-group has.
//! options: -cl-std=c++
//! spirv differs: clang has no OpenCL C++ 1.0
//! needs: cl_khr_subgroups
//! buffer out: int = 6*0
//! launch: run(out) global 64 local 64
//! expect out: 2016 2016 1 1 64 1
#include <opencl_atomic>
#include <opencl_memory>
#include <opencl_synchronization>
#include <opencl_work_group>
#include <opencl_work_item>
using namespace cl;

kernel void run(global_ptr<int[]> out) {
  local<atomic<int>> sum, last, leaders;
  int i = (int)get_local_id(0);
  if (i == 0) {
    sum.store(0);
    last.store(0);
    leaders.store(0);
  }
  work_group_barrier(mem_fence::local);
  int size = (int)get_sub_group_size(), lane = (int)get_sub_group_local_id();
  int total = sub_group_reduce<work_group_op::add>(i);
  int before = sub_group_scan_exclusive<work_group_op::add>(i);
  int until = sub_group_scan_inclusive<work_group_op::add>(i);
  if (lane == 0) {
    sum += total;
    leaders += size;
  }
  if (lane == size - 1)
    last += until;
  bool holds = until - before == i && sub_group_broadcast(lane, 0) == 0 && sub_group_all(lane < size) && !sub_group_any(lane >= size);
  sub_group_barrier(mem_fence::local);
  holds = holds && sub_group_reduce<work_group_op::max>(lane) == size - 1 && sub_group_reduce<work_group_op::min>(i) == i - lane;
  bool all_hold = work_group_all(holds);
  if (i == 0) {
    out[0] = sum;
    out[1] = last;
    out[2] = all_hold;
    out[3] = get_max_sub_group_size() >= get_sub_group_size();
    out[4] = leaders;
    out[5] = get_num_sub_groups() * get_max_sub_group_size() >= 64;
  }
}
