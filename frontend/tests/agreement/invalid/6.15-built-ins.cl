//# misspelt_work_item_function
kernel void f(global int *p) { p[get_global_Id(0)] = 1; }
//# misspelt_math_function
kernel void f(global float *p) { p[0] = sqtr(p[0]); }
//# work_item_function_without_argument
kernel void f(global int *p) { p[get_global_id()] = 1; }
//# work_item_function_with_two_arguments
kernel void f(global int *p) { p[get_global_id(0, 1)] = 1; }
//# work_item_function_with_pointer
kernel void f(global int *p) { p[0] = get_global_id(p); }
//# work_dim_with_argument
kernel void f(global int *p) { p[0] = get_work_dim(0); }
//# math_too_few_arguments
kernel void f(global float *p) { p[0] = pow(p[0]); }
//# math_too_many_arguments
kernel void f(global float *p) { p[0] = sqrt(p[0], p[1]); }
//# math_of_pointer
kernel void f(global float *p) { p[0] = sin(p); }
//# math_of_struct
struct s { float a; };
kernel void f(global float *p, struct s v) { p[0] = sin(v); }
//# math_of_integer_vector
kernel void f(global float4 *p, int4 v) { p[0] = sin(v); }
//# math_of_integer_is_ambiguous
kernel void f(global float *p, int v) { p[0] = sin(v); }
//# math_vectors_of_other_width
kernel void f(global float4 *p, float2 v) { p[0] = pow(p[1], v); }
//# math_result_of_other_width
kernel void f(global float4 *p, float2 v) { p[0] = sin(v); }
//# min_of_other_types
kernel void f(global int4 *p, uint4 v) { p[0] = min(p[1], v); }
//# min_is_ambiguous
kernel void f(global int *p, long v) { p[0] = min(p[1], v); }
//# clamp_two_arguments
kernel void f(global float *p) { p[0] = clamp(p[1], 0.0f); }
//# dot_of_wide_vectors
kernel void f(global float *p, float8 v) { p[0] = dot(v, v); }
//# dot_of_integers
kernel void f(global int *p, int4 v) { p[0] = dot(v, v); }
//# cross_of_pairs
kernel void f(global float2 *p) { p[0] = cross(p[0], p[1]); }
//# length_of_integers
kernel void f(global float *p, int2 v) { p[0] = length(v); }
//# fract_without_pointer
kernel void f(global float *p) { p[0] = fract(p[1]); }
//# fract_with_value
kernel void f(global float *p) { p[0] = fract(p[1], p[2]); }
//# sincos_with_integer_pointer differs="§6.15.2: the second parameter of sincos points to the type of the first"
kernel void f(global float *p) { int c; p[0] = sincos(p[1], &c); }
//# frexp_with_float_pointer differs="§6.15.2: the second parameter of frexp points to int"
kernel void f(global float *p) { float e; p[0] = frexp(p[1], &e); }
//# fract_with_constant_pointer
kernel void f(global float *p, constant float *c) { p[0] = fract(p[1], c); }
//# mad24_of_floats
kernel void f(global float4 *p) { p[0] = mad24(p[0], p[1], p[2]); }
//# mul24_of_long
kernel void f(global long4 *p) { p[0] = mul24(p[0], p[1]); }
//# rotate_of_float
kernel void f(global float4 *p) { p[0] = rotate(p[0], p[1]); }
//# popcount_of_float
kernel void f(global float4 *p) { p[0] = popcount(p[0]); }
//# popcount_before_1_2 options="-cl-std=CL1.1"
kernel void f(global int *p) { p[0] = popcount(p[0]); }
//# upsample_of_other_sizes
kernel void f(global int4 *p, short4 a, uchar4 b) { p[0] = upsample(a, b); }
//# select_of_other_condition_size
kernel void f(global float4 *p, short4 c) { p[0] = select(p[0], p[1], c); }
//# select_of_float_condition
kernel void f(global float4 *p, float4 c) { p[0] = select(p[0], p[1], c); }
//# bitselect_of_other_types
kernel void f(global float4 *p, int4 c) { p[0] = bitselect(p[0], p[1], c); }
//# any_of_unsigned
kernel void f(global int *p, float4 c) { p[0] = any(c); }
//# isnan_of_integers
kernel void f(global int4 *p) { p[0] = isnan(p[1]); }
//# vload_without_pointer
kernel void f(global float4 *p) { p[0] = vload4(0, p[1]); }
//# vload_of_vector_pointer
kernel void f(global float4 *p) { p[0] = vload4(0, p); }
//# vload_one_argument
kernel void f(global float *p) { p[0] = vload4(0).x; }
//# vload_of_five
kernel void f(global float *p) { vload5(0, p); }
//# vstore_of_other_width
kernel void f(global float *p, float3 v) { vstore4(v, 0, p); }
//# vstore_of_other_type differs="§6.15.7: vstoren takes a gentypen and a pointer to gentype"
kernel void f(global float *p, int4 v) { vstore4(v, 0, p); }
//# vstore_to_constant
kernel void f(constant float *p, float4 v) { vstore4(v, 0, p); }
//# vstore_to_const differs="§6.15.7: vstoren writes through a pointer to gentype that is not const"
kernel void f(global const float *p, float4 v) { vstore4(v, 0, p); }
//# vload_half_of_float differs="§6.15.7: vload_half reads through a pointer to half"
kernel void f(global float *p) { p[0] = vload_half(0, p); }
//# vstore_half_of_integer_vector
kernel void f(global half *p, int4 v) { vstore_half4(v, 0, p); }
//# vstore_half_unknown_rounding
kernel void f(global half *p, float v) { vstore_half_rtx(v, 0, p); }
//# barrier_without_argument
kernel void f(void) { barrier(); }
//# barrier_with_pointer
kernel void f(global int *p) { barrier(p); }
//# barrier_result_used
kernel void f(global int *p) { p[0] = barrier(CLK_LOCAL_MEM_FENCE); }
//# work_group_barrier_before_2_0 options="-cl-std=CL1.2"
kernel void f(void) { work_group_barrier(CLK_LOCAL_MEM_FENCE); }
//# barrier_flag_misspelt
kernel void f(void) { barrier(CLK_LOCAL_MEM_FENSE); }
//# to_global_before_2_0 options="-cl-std=CL1.2"
void g(private int *p) { global int *q = to_global(p); }
//# to_global_of_integer options="-cl-std=CL2.0"
void g(int p) { to_global(p); }
//# to_global_of_constant options="-cl-std=CL2.0"
void g(constant int *p) { to_global(p); }
//# atomic_add_of_float
kernel void f(global float *p) { atomic_add(p, 1.0f); }
//# atomic_add_of_char differs="§6.15.12: the atomic functions take pointers to int, uint and float"
kernel void f(global char *p) { atomic_add(p, 1); }
//# atomic_add_of_private options="-cl-std=CL1.2"
kernel void f(void) { int x = 0; atomic_add(&x, 1); }
//# atomic_add_of_value
kernel void f(global int *p) { atomic_add(p[0], 1); }
//# atomic_add_of_constant
kernel void f(constant int *p) { atomic_add(p, 1); }
//# atomic_inc_with_two_arguments
kernel void f(global int *p) { atomic_inc(p, 1); }
//# atomic_cmpxchg_with_two_arguments
kernel void f(global int *p) { atomic_cmpxchg(p, 1); }
//# async_copy_to_global_from_global
kernel void f(global float *p, global float *q) { async_work_group_copy(p, q, 4, 0); }
//# async_copy_of_other_types
kernel void f(global int *p) { local float l[4]; async_work_group_copy(l, p, 4, 0); }
//# async_copy_three_arguments
kernel void f(global float *p) { local float l[4]; async_work_group_copy(l, p, 4); }
//# wait_group_events_of_value
kernel void f(void) { event_t e; wait_group_events(1, e); }
//# prefetch_of_local
kernel void f(local float *p) { prefetch(p, 4); }
//# shuffle_with_float_mask
kernel void f(global float4 *p) { p[0] = shuffle(p[1], p[2]); }
//# shuffle_with_scalar_mask
kernel void f(global float4 *p) { p[0] = shuffle(p[1], 1u); }
//# shuffle_with_mask_of_other_size
kernel void f(global float4 *p, ushort4 m) { p[0] = shuffle(p[1], m); }
//# shuffle2_of_other_types
kernel void f(global float4 *p, int4 q, uint4 m) { p[0] = shuffle2(p[1], q, m); }
//# shuffle_of_three
kernel void f(global float3 *p, uint4 m) { shuffle(p[1], m); }
//# vec_step_of_nothing
kernel void f(global int *p) { p[0] = vec_step(); }
//# vec_step_of_struct
struct s { int a; };
kernel void f(global int *p) { p[0] = vec_step(struct s); }
//# printf_without_arguments
kernel void f(void) { printf(); }
//# printf_with_integer_format
kernel void f(void) { printf(5); }
//# printf_before_1_2 options="-cl-std=CL1.1"
kernel void f(void) { printf("a"); }
//# assignment_to_built_in
kernel void f(void) { sin = 0; }
//# built_in_as_value
kernel void f(global int *p) { p[0] = get_global_id; }
//# built_in_address
kernel void f(void) { &sin; }
//# void_result_used
kernel void f(global int *p) { p[0] = mem_fence(CLK_LOCAL_MEM_FENCE); }
//# work_group_all_before_2_0 options="-cl-std=CL1.2"
kernel void f(global int *p) { p[0] = work_group_all(p[1]); }
//# get_fence_before_2_0 options="-cl-std=CL1.2"
kernel void f(global int *p) { p[0] = get_fence(p); }
//# clamp_of_mixed_vectors
kernel void f(global float4 *p, float2 lo) { p[0] = clamp(p[1], lo, 1.0f); }
//# mix_of_integers
kernel void f(global int4 *p) { p[0] = mix(p[0], p[1], p[2]); }
//# step_of_other_width
kernel void f(global float4 *p, float3 e) { p[0] = step(e, p[1]); }
//# fma_of_integers
kernel void f(global int4 *p) { p[0] = fma(p[0], p[1], p[2]); }
//# ldexp_of_float_exponent
kernel void f(global float4 *p) { p[0] = ldexp(p[0], p[1]); }
//# nan_of_signed
kernel void f(global float4 *p, int4 v) { p[0] = nan(v); }
//# abs_of_float
kernel void f(global float4 *p) { p[0] = abs(p[1]); }
//# abs_result_is_unsigned
kernel void f(global int4 *p) { p[0] = abs(p[1]); }
//# fabs_of_integers
kernel void f(global int4 *p) { p[0] = fabs(p[1]); }
