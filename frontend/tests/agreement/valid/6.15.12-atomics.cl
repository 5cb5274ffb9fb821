//# atomic_functions_of_version_one
kernel void f(global int *p, local uint *l, volatile global uint *v) { p[0] = atomic_add(p, 1) + atomic_sub(p, 2) + atomic_xchg(p, 3) + atomic_inc(p) + atomic_dec(p) + atomic_cmpxchg(p, 1, 2) + atomic_min(p, 1) + atomic_max(p, 2) + atomic_and(p, 3) + atomic_or(p, 4) + atomic_xor(p, 5); l[0] = atomic_add(l, 1u) + atomic_max(v, 2u) + atomic_inc(v); }
//# exchange_of_float
kernel void f(global float *p, local float *l) { p[0] = atomic_xchg(p + 1, 1.5f) + atomic_xchg(l, 2.0f); }
//# names_of_version_one_point_zero
#pragma OPENCL EXTENSION cl_khr_global_int32_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_local_int32_extended_atomics : enable
kernel void f(global int *p, local uint *l) { p[0] = atom_add(p, 1) + atom_sub(p, 1) + atom_xchg(p, 1) + atom_inc(p) + atom_dec(p) + atom_cmpxchg(p, 0, 1); l[0] = atom_min(l, 1u) + atom_max(l, 2u) + atom_and(l, 1u) + atom_or(l, 2u) + atom_xor(l, 3u); }
//# atomics_of_64_bits
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
kernel void f(global long *p, global ulong *q) { p[0] = atom_add(p, 1L) + atom_cmpxchg(p, 1L, 2L) + atom_min(p, 3L); q[0] = atom_inc(q) + atom_xor(q, 1UL) + atom_xchg(q, 5UL); }
//# loads_and_stores options="-cl-std=CL2.0"
kernel void f(global atomic_int *p, local atomic_uint *l, global float *q, global atomic_float *r) { atomic_init(p, 3); atomic_store(p, 1); int x = atomic_load(p); atomic_store_explicit(l, 2u, memory_order_release); x += atomic_load_explicit(l, memory_order_acquire, memory_scope_work_group); q[0] = x + atomic_load(r) + atomic_exchange(r, 2.0f); }
//# read_and_modify options="-cl-std=CL2.0"
kernel void f(global atomic_int *p, global atomic_uint *q, global int *r) { r[0] = atomic_fetch_add(p, 1) + atomic_fetch_sub(p, 2) + atomic_fetch_or(p, 3) + atomic_fetch_xor(p, 4) + atomic_fetch_and(p, 5) + atomic_fetch_min(p, 6) + atomic_fetch_max(p, 7) + atomic_exchange(p, 8); r[1] = atomic_fetch_add_explicit(q, 1u, memory_order_relaxed, memory_scope_device) + atomic_fetch_max_explicit(q, 3u, memory_order_acq_rel); }
//# compare_and_exchange options="-cl-std=CL2.0"
kernel void f(global atomic_int *p, global int *r, local int *l) { int expected = 1; r[0] = atomic_compare_exchange_strong(p, &expected, 2) + atomic_compare_exchange_weak(p, r + 1, 3) + atomic_compare_exchange_strong_explicit(p, l, 4, memory_order_acq_rel, memory_order_relaxed) + atomic_compare_exchange_weak_explicit(p, &expected, 5, memory_order_seq_cst, memory_order_acquire, memory_scope_device); }
//# flags options="-cl-std=CL2.0"
global atomic_flag lock = ATOMIC_FLAG_INIT;
kernel void f(global atomic_flag *p, global int *r) { r[0] = atomic_flag_test_and_set(p) + atomic_flag_test_and_set_explicit(&lock, memory_order_acquire); atomic_flag_clear(p); atomic_flag_clear_explicit(&lock, memory_order_release, memory_scope_device); }
//# atomics_initialised options="-cl-std=CL2.0"
global atomic_int counter = ATOMIC_VAR_INIT(5); global atomic_uint other;
kernel void f(global int *r) { r[0] = atomic_fetch_add(&counter, 1) + atomic_load(&other); }
//# atomics_through_generic_pointers options="-cl-std=CL2.0"
int next(volatile atomic_int *p) { return atomic_fetch_add_explicit(p, 1, memory_order_relaxed); }
kernel void f(global atomic_int *g, local atomic_int *l, global int *r) { r[0] = next(g) + next(l); }
//# atomics_of_64_bits_of_version_two options="-cl-std=CL2.0"
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
kernel void f(global atomic_long *p, global atomic_ulong *q, global atomic_size_t *s, global long *r) { r[0] = atomic_fetch_add(p, 1L) + atomic_fetch_max(q, 3UL) + atomic_load(s); }
//# old_functions_in_version_three
kernel void f(global int *p, local int *l) { p[0] = atomic_add(&p[get_local_id(0)], l[0]); atomic_inc(&l[3]); }
