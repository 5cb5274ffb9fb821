//# enqueue_a_literal options="-cl-std=CL2.0"
kernel void k(global int *p) { int r = enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ p[0] = 1; }); p[1] = r == CLK_SUCCESS; }
//# enqueue_a_variable options="-cl-std=CL2.0"
kernel void k(queue_t q, global int *p) { void (^b)(void) = ^{ p[get_global_id(0)] = 1; }; ndrange_t n = ndrange_1D(8, 4); enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, n, b); }
//# enqueue_with_events options="-cl-std=CL2.0"
kernel void k(global int *p) { clk_event_t e[2], f; e[0] = create_user_event(); e[1] = e[0]; enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP, ndrange_1D(1), 2, e, &f, ^{ p[0] = 1; }); set_user_event_status(e[0], CL_COMPLETE); release_event(f); }
//# enqueue_without_events options="-cl-std=CL2.0"
kernel void k(global int *p) { enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 0, NULL, NULL, ^{ p[0] = 1; }); clk_event_t e; enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 0, NULL, &e, ^{ p[0] = 1; }); retain_event(e); }
//# enqueue_with_local_memory options="-cl-std=CL2.0"
kernel void k(global int *p, uint n) { void (^b)(local void *, local void *) = ^(local void *x, local void *y) { ((local int *)x)[0] = p[0]; ((local float4 *)y)[0] = (float4)(1); }; enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), b, n, n * 4); clk_event_t e; enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &e, &e, b, 16, 64u); }
//# enqueue_in_a_function options="-cl-std=CL2.0"
void f(queue_t q, const ndrange_t n, global int *p, int left) { if (left) enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, n, ^{ f(q, n, p, left - 1); }); }
kernel void k(global int *p) { f(get_default_queue(), ndrange_1D(4), p, 3); }
//# enqueue_in_a_block options="-cl-std=CL2.0"
kernel void k(global int *p) { queue_t q = get_default_queue(); enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ p[0] = 1; }); }); }
//# enqueue_a_call_of_a_kernel options="-cl-std=CL2.0"
kernel void g(global int *p) { p[get_global_id(0)] = 1; }
kernel void k(global int *p) { enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4), ^{ g(p); }); }
//# enqueue_a_block_at_file_scope options="-cl-std=CL2.0"
global int count; void (^b)(void) = ^{ count = 1; };
kernel void k(global int *p) { enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4), b); }
//# ranges options="-cl-std=CL2.0"
kernel void k(global int *p) { size_t a[2] = {4, 4}, b[3] = {1, 2, 3}; ndrange_t n = ndrange_1D(1, 2, 1); n = ndrange_2D(a); n = ndrange_2D(a, a); n = ndrange_2D(a, a, a); n = ndrange_3D(b); n = ndrange_3D(b, b); n = ndrange_3D(b, b, b); ndrange_t m = p[0] ? n : ndrange_1D(3); enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, m, ^{ p[0] = 1; }); }
//# markers options="-cl-std=CL2.0"
kernel void k(global int *p) { clk_event_t e = create_user_event(), f; int r = enqueue_marker(get_default_queue(), 1, &e, &f); p[0] = r == CLK_ENQUEUE_FAILURE || is_valid_event(f); }
//# profiles options="-cl-std=CL2.0"
kernel void k(global ulong *p) { clk_event_t e = create_user_event(); capture_event_profiling_info(e, CLK_PROFILING_COMMAND_EXEC_TIME, p); }
//# queries_of_blocks options="-cl-std=CL2.0"
kernel void k(global int *p) { void (^b)(void) = ^{ p[0] = 1; }; void (^c)(local void *) = ^(local void *x) { p[0] = 1; }; p[1] = get_kernel_work_group_size(b) + get_kernel_preferred_work_group_size_multiple(c) + get_kernel_work_group_size(^{ p[0] = 2; }); }
//# handles_compared options="-cl-std=CL2.0"
kernel void k(queue_t q, global int *p) { queue_t r = get_default_queue(); clk_event_t e = create_user_event(), f = e; p[0] = q == r; p[1] = e != f; }
