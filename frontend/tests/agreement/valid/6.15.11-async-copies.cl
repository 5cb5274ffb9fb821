//# copies_in_both_directions
kernel void f(global float4 *g, local float4 *l, global uchar *b, local uchar *c) { event_t e = async_work_group_copy(l, g, 16, 0); e = async_work_group_copy(c, b, (size_t)64, e); wait_group_events(1, &e); e = async_work_group_copy(g, l, 16, 0); wait_group_events(1, &e); }
//# strided_copies
kernel void f(global int *g, local int *l) { event_t e[2]; e[0] = async_work_group_strided_copy(l, g, 8, 4, 0); e[1] = async_work_group_strided_copy(g, (const local int *)l, 8, 4, 0); wait_group_events(2, e); }
//# copies_of_const_memory
kernel void f(global const double *g, local double *l, global double *h) { wait_group_events(0, 0); event_t e = async_work_group_copy(l, g, 4, (event_t)0); wait_group_events(1, &e); h[0] = l[0]; }
//# prefetches
kernel void f(global const float *g, global int4 *h) { prefetch(g, 16); prefetch(h, get_local_size(0)); }
//# copies_of_vectors_of_three
kernel void f(global float3 *g, local float3 *l) { event_t e = async_work_group_copy(l, (const global float3 *)g, 3, 0); wait_group_events(1, &e); }
//# events_in_functions
event_t start(local int *l, global const int *g, event_t e) { return async_work_group_copy(l, g, 4, e); } void finish(int n, event_t *e) { wait_group_events(n, e); }
kernel void f(global int *g, local int *l) { event_t e = start(l, g, 0); finish(1, &e); g[0] = l[0]; }
