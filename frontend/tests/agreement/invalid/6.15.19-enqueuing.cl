//# enqueue_a_function options="-cl-std=CL2.0"
void f(void) { }
kernel void k(global int *p) { enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), f); }
//# enqueue_without_a_block options="-cl-std=CL2.0"
kernel void k(global int *p) { enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1)); }
//# block_with_a_result options="-cl-std=CL2.0" differs="OpenCL C §6.15.19.1: the block is of type void (^)(void) or void (^)(local void *, …)"
kernel void k(global int *p) { enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ return p[0]; }); }
//# block_with_a_private_argument options="-cl-std=CL2.0"
kernel void k(global int *p) { enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^(int *x) { p[0] = 1; }, 4); }
//# block_with_a_number options="-cl-std=CL2.0"
kernel void k(global int *p) { enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^(int x) { p[0] = 1; }, 4); }
//# too_few_sizes options="-cl-std=CL2.0"
kernel void k(global int *p) { enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^(local void *x, local void *y) { p[0] = 1; }, 4); }
//# too_many_sizes options="-cl-std=CL2.0"
kernel void k(global int *p) { enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ p[0] = 1; }, 4); }
//# size_that_is_a_pointer options="-cl-std=CL2.0"
kernel void k(global int *p) { enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^(local void *x) { p[0] = 1; }, p); }
//# queue_that_is_a_number options="-cl-std=CL2.0"
kernel void k(global int *p) { enqueue_kernel(3, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ p[0] = 1; }); }
//# range_that_is_a_number options="-cl-std=CL2.0"
kernel void k(global int *p) { enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, 4, ^{ p[0] = 1; }); }
//# flags_that_are_a_queue options="-cl-std=CL2.0"
kernel void k(queue_t q, global int *p) { enqueue_kernel(q, q, ndrange_1D(1), ^{ p[0] = 1; }); }
//# events_of_copies options="-cl-std=CL2.0"
kernel void k(global int *p, event_t e) { clk_event_t f; enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &e, &f, ^{ p[0] = 1; }); }
//# event_by_value options="-cl-std=CL2.0" differs="OpenCL C §6.15.19.1: event_wait_list is a pointer to events"
kernel void k(global int *p) { clk_event_t e, f; enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, e, &f, ^{ p[0] = 1; }); }
//# query_of_a_function options="-cl-std=CL2.0"
void f(void) { }
kernel void k(global uint *p) { p[0] = get_kernel_work_group_size(f); }
//# query_without_a_block options="-cl-std=CL2.0"
kernel void k(global uint *p) { p[0] = get_kernel_preferred_work_group_size_multiple(); }
//# status_of_a_number options="-cl-std=CL2.0"
kernel void k(global uint *p) { set_user_event_status(1, 0); }
//# profile_to_private_memory options="-cl-std=CL2.0"
kernel void k(global uint *p) { ulong x[2]; private ulong *y = x; capture_event_profiling_info(create_user_event(), CLK_PROFILING_COMMAND_EXEC_TIME, y); }
//# range_of_a_pointer options="-cl-std=CL2.0"
kernel void k(global size_t *p) { ndrange_t n = ndrange_1D(p); }
//# enqueue_before_version_two options="-cl-std=CL1.2"
kernel void k(global int *p) { release_event(0); }
//# local_memory_held options="-cl-std=CL2.0" differs="OpenCL C §6.15.19.1: blocks passed to enqueue_kernel cannot use pointers to local memory"
kernel void k(global int *p, local int *l) { enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ p[0] = l[0]; }); }
