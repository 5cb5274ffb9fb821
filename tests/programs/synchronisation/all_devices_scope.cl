// The scope of all devices is that of the device where no memory is shared with atomics (OpenCL API §3.3.7):
// the work-item that counts last sees what all others wrote before they counted.
//! options: -cl-std=CL3.0
//! needs: __opencl_c_atomic_scope_all_devices
//! buffer counter: int = 0
//! buffer parts: int 64
//! buffer sums: int = 0 0
//! launch: last(counter, parts, sums) global 64 local 4
//! expect counter: 64
//! expect sums: 2080 64

#ifndef __opencl_c_atomic_scope_all_devices
#error the macro of the feature
#endif

kernel void last(global atomic_int *counter, global int *parts, global int *sums) {
  parts[get_global_id(0)] = get_global_id(0) + 1;
  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_all_devices);
  int before = atomic_fetch_add_explicit(counter, 1, memory_order_acq_rel, memory_scope_all_devices);
  if (before == 63) {
    for (int i = 0; i < 64; ++i)
      sums[0] += parts[i];
    sums[1] = atomic_load_explicit(counter, memory_order_seq_cst, memory_scope_all_svm_devices);
  }
}
