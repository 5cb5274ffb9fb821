// Clocks do not run backwards, and the two forms of a clock agree except for the time between the reads
// (OpenCL C §6.15.21).
//! options: -cl-std=CL3.0
//! needs: cl_khr_kernel_clock
//! needs: __opencl_c_kernel_clock_scope_device
//! needs: __opencl_c_kernel_clock_scope_sub_group
//! buffer work: uint = 64*1
//! buffer order: int 256
//! launch: clocks(work, order) global 64 local 64
//! expect order: 256*1

ulong joined(uint2 words) { return (ulong)words.y << 32 | words.x; }

kernel void clocks(volatile global uint *work, global int *order) {
  size_t i = get_global_id(0);
  ulong device = clock_read_device(), group = clock_read_work_group(), sub_group = clock_read_sub_group();
  for (uint k = 0; k < 100; k++)
    work[i] = work[i] * 3 + k;
  order[4 * i] = clock_read_device() > device;
  order[4 * i + 1] = clock_read_work_group() > group;
  order[4 * i + 2] = clock_read_sub_group() > sub_group;
  order[4 * i + 3] = joined(clock_read_hilo_device()) > device && joined(clock_read_hilo_work_group()) > group &&
                     joined(clock_read_hilo_sub_group()) > sub_group;
}
