// A copy after a fence sees what one before it wrote.
//! needs: cl_khr_async_work_group_copy_fence
//! buffer in: int = 10..26
//! buffer out: int 16
//! launch: twice(in, out) global 16 local 16
//! expect out: 10..26

kernel void twice(global const int *in, global int *out) {
  local int row[16];
  event_t event = async_work_group_copy(row, in, 16, 0);
  async_work_group_copy_fence(CLK_LOCAL_MEM_FENCE);
  event = async_work_group_copy(out, row, 16, event);
  wait_group_events(1, &event);
}
