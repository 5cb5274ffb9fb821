//# version_of_the_device differs="§6.12: `__OPENCL_VERSION__` is an integer that reflects the version of the OpenCL supported by the device; clang leaves it to the device's compiler"
#if __OPENCL_VERSION__ < 300
#error version
#endif
//# versions options="-cl-std=CL1.2"
#if __OPENCL_C_VERSION__ != 120 || CL_VERSION_1_0 != 100 || CL_VERSION_1_1 != 110 || CL_VERSION_1_2 != 120
#error versions
#endif
//# version_one_point_one options="-cl-std=CL1.1"
#if __OPENCL_C_VERSION__ != 110
#error version
#endif
//# version_two options="-cl-std=CL2.0"
#if __OPENCL_C_VERSION__ != 200 || CL_VERSION_2_0 != 200
#error version
#endif
//# version_three options="-cl-std=CL3.0"
#if __OPENCL_C_VERSION__ != 300 || CL_VERSION_3_0 != 300 || CL_VERSION_2_0 != 200
#error version
#endif
//# macros_of_the_device differs="§6.12: `__ENDIAN_LITTLE__` and `__IMAGE_SUPPORT__` say what the device is and can do; clang leaves them to the device's compiler"
#if !__ENDIAN_LITTLE__ || __IMAGE_SUPPORT__ != 1
#error macros
#endif
//# no_fast_relaxed_math
#ifdef __FAST_RELAXED_MATH__
#error macro
#endif
//# fast_relaxed_math options="-cl-std=CL1.2 -cl-fast-relaxed-math"
#if __FAST_RELAXED_MATH__ != 1
#error macro
#endif
//# features_of_three
#if !defined(__opencl_c_fp64) || !defined(__opencl_c_int64) || !defined(__opencl_c_images)
#error features
#endif
//# extensions
#if !defined(cl_khr_fp64) || !defined(cl_khr_fp16) || !defined(cl_khr_global_int32_base_atomics) || !defined(cl_khr_byte_addressable_store)
#error extensions
#endif
//# options_define_macros options="-cl-std=CL3.0 -DA -DB=2 -D C=3 -DD=4+5"
#if A != 1 || B != 2 || C != 3 || D != 9
#error macros
#endif
//# options_undefine_macros options="-cl-std=CL3.0 -DA=1 -UA"
#ifdef A
#error macro
#endif
//# line_and_file
kernel void k(global int *p) { p[0] = __LINE__; constant char *f = __FILE__; p[1] = f[0]; }
#line 100 "other.cl"
_Static_assert(__LINE__ == 100, "");
//# extension_pragmas
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : disable
#pragma OPENCL EXTENSION all : disable
kernel void k(global int *p) { p[0] = 1; }
//# unknown_extension_pragma
#pragma OPENCL EXTENSION cl_nobody_knows : enable
kernel void k(global int *p) { p[0] = 1; }
//# contraction_pragmas
#pragma OPENCL FP_CONTRACT OFF
float f(float a, float b) { return a * b + 1; }
kernel void k(global float *p) {
#pragma OPENCL FP_CONTRACT ON
    p[0] = f(p[1], p[2]) * 2 + 1;
}
#pragma STDC FP_CONTRACT DEFAULT
//# unroll_pragmas
kernel void k(global int *p) {
#pragma unroll
    for (int i = 0; i < 4; i++) p[i] = i;
#pragma unroll 2
    for (int i = 0; i < 4; i++) p[i] = i;
#pragma unroll(4)
    for (int i = 0; i < 4; i++) p[i] = i;
#pragma nounroll
    for (int i = 0; i < 4; i++) p[i] = i;
    int j = 0;
#pragma unroll
    while (j < 4) j++;
#pragma unroll 3
    do j--; while (j);
}
//# unknown_pragmas
#pragma once_upon_a_time
#pragma GCC something
#pragma omp parallel for
kernel void k(global int *p) {
#pragma whatever
    p[0] = 1;
}
//# pragma_operator
_Pragma("OPENCL EXTENSION cl_khr_fp64 : enable")
#define UNROLL(n) _Pragma(#n)
kernel void k(global int *p) { UNROLL(unroll 4) for (int i = 0; i < 4; i++) p[i] = i; }
//# has_tests
#if defined(__has_extension) && defined(__has_feature) && defined(__has_builtin) && defined(__has_attribute)
#if __has_feature(no_such_feature) || __has_extension(no_such_extension) || __has_builtin(__no_such_builtin) || __has_attribute(no_such_attribute)
#error has
#endif
#endif
//# has_include
#ifdef __has_include
#if __has_include("no_such_file.h") || __has_include(<no/such/file.h>)
#error has
#endif
#endif
//# image_macros options="-cl-std=CL1.2"
_Static_assert(CLK_SNORM_INT8 != CLK_FLOAT && CLK_RGBA != CLK_R && CLK_ADDRESS_NONE == 0, "");
//# limits
_Static_assert(CHAR_BIT == 8 && INT_MAX == 2147483647 && INT_MIN < 0 && UCHAR_MAX == 255 && SCHAR_MIN == -128 && USHRT_MAX == 65535, "");
_Static_assert(LONG_MAX > 0 && ULONG_MAX == 18446744073709551615UL && SHRT_MAX == 32767 && CHAR_MAX == 127 && UINT_MAX == 4294967295u, "");
//# floating_point_limits
_Static_assert(FLT_DIG == 6 && FLT_MANT_DIG == 24 && FLT_MAX_EXP == 128 && FLT_RADIX == 2 && DBL_DIG == 15 && DBL_MANT_DIG == 53, "");
kernel void k(global float *p) { p[0] = FLT_MAX + FLT_MIN + FLT_EPSILON + INFINITY + NAN + HUGE_VALF + MAXFLOAT + M_PI_F; }
