//# functions_of_one_float
kernel void f(global float *p) { p[0] = acos(p[1]) + acosh(p[1]) + acospi(p[1]) + asin(p[1]) + asinh(p[1]) + asinpi(p[1]) + atan(p[1]) + atanh(p[1]) + atanpi(p[1]) + cbrt(p[1]) + ceil(p[1]) + cos(p[1]) + cosh(p[1]) + cospi(p[1]) + erfc(p[1]) + erf(p[1]) + exp(p[1]) + exp2(p[1]) + exp10(p[1]) + expm1(p[1]) + fabs(p[1]) + floor(p[1]) + lgamma(p[1]) + log(p[1]) + log2(p[1]) + log10(p[1]) + log1p(p[1]) + logb(p[1]) + rint(p[1]) + round(p[1]) + rsqrt(p[1]) + sin(p[1]) + sinh(p[1]) + sinpi(p[1]) + sqrt(p[1]) + tan(p[1]) + tanh(p[1]) + tanpi(p[1]) + tgamma(p[1]) + trunc(p[1]); }
//# functions_of_vectors
kernel void f(global float2 *a, global float3 *b, global float4 *c, global float8 *d, global float16 *e) { *a = sin(*a) + pow(*a, *a); *b = exp(*b); *c = fma(*c, *c, *c); *d = hypot(*d, *d); *e = mad(*e, *e, *e) + atan2(*e, *e); }
//# functions_of_double
kernel void f(global double *p, global double4 *q) { p[0] = sin(p[1]) + pow(p[1], p[2]) + sqrt(2.0) + fma(p[0], p[1], 3.0); q[0] = exp(q[0]) * ldexp(q[0], 2) + fmax(q[0], 1.0); }
//# functions_of_two
kernel void f(global float *p) { float x = p[0], y = p[1]; p[2] = atan2(x, y) + atan2pi(x, y) + copysign(x, y) + fdim(x, y) + fmax(x, y) + fmin(x, y) + fmod(x, y) + hypot(x, y) + maxmag(x, y) + minmag(x, y) + nextafter(x, y) + pow(x, y) + powr(x, y) + remainder(x, y); }
//# scalar_beside_a_vector
kernel void f(global float4 *p, float x) { p[0] = fmax(p[0], x) + fmin(p[1], 1.0f); p[1] = ldexp(p[1], 3) + ldexp(p[0], (int4)(1, 2, 3, 4)); }
//# integer_arguments
kernel void f(global float *p, global float4 *q, int n, int4 m) { p[0] = pown(p[0], n) + rootn(p[0], n) + ldexp(p[0], n) + ilogb(p[1]); q[0] = pown(q[0], m) + rootn(q[0], m); int4 e = ilogb(q[1]); q[1] = convert_float4(e); }
//# results_through_pointers
kernel void f(global float *p, global int *n, local float *l) { float a, b; int e, q; p[0] = fract(p[0], &a) + modf(p[1], &b) + sincos(p[2], p + 3) + frexp(p[4], &e) + frexp(p[4], n) + lgamma_r(p[5], &e) + remquo(p[6], p[7], &q); p[1] = fract(p[2], l) + a + b + e + q; }
//# results_of_vectors_through_pointers
kernel void f(global float4 *p, global int4 *n) { float4 a; int4 e; p[0] = fract(p[0], &a) + modf(p[1], p + 2) + sincos(p[2], &a) + frexp(p[4], &e) + lgamma_r(p[5], n) + remquo(p[6], p[7], n + 1) + a + convert_float4(e); }
//# nan_of_bits
kernel void f(global float *p, global float4 *q, uint x, uint4 y) { p[0] = nan(x) + nan(0u); q[0] = nan(y); }
//# half_and_native_precision
kernel void f(global float *p, global float4 *q) { p[0] = half_cos(p[0]) + half_divide(p[0], p[1]) + half_exp(p[0]) + half_log2(p[0]) + half_powr(p[0], p[1]) + half_recip(p[0]) + half_rsqrt(p[0]) + half_sqrt(p[1]) + half_tan(p[1]); q[0] = native_cos(q[0]) + native_divide(q[0], q[1]) + native_exp10(q[0]) + native_log(q[0]) + native_powr(q[1], q[0]) + native_recip(q[0]) + native_rsqrt(q[0]) + native_sin(q[0]) + native_sqrt(q[0]) + native_tan(q[0]); }
//# constants_of_float
kernel void f(global float *p) { p[0] = M_E_F + M_LOG2E_F + M_LOG10E_F + M_LN2_F + M_LN10_F + M_PI_F + M_PI_2_F + M_PI_4_F + M_1_PI_F + M_2_PI_F + M_2_SQRTPI_F + M_SQRT2_F + M_SQRT1_2_F; p[1] = INFINITY; p[2] = NAN; p[3] = MAXFLOAT; p[4] = HUGE_VALF; p[5] = -FLT_MAX + FLT_MIN * FLT_EPSILON; }
//# constants_of_double
kernel void f(global double *p) { p[0] = M_E + M_LOG2E + M_LOG10E + M_LN2 + M_LN10 + M_PI + M_PI_2 + M_PI_4 + M_1_PI + M_2_PI + M_2_SQRTPI + M_SQRT2 + M_SQRT1_2; p[1] = HUGE_VAL + DBL_MAX - DBL_MIN * DBL_EPSILON; }
//# limits_in_conditions
#if FLT_DIG != 6 || FLT_MANT_DIG != 24 || FLT_MAX_10_EXP != +38 || FLT_MAX_EXP != +128 || FLT_MIN_10_EXP != -37 || FLT_MIN_EXP != -125 || FLT_RADIX != 2
#error
#endif
#if DBL_DIG != 15 || DBL_MANT_DIG != 53 || DBL_MAX_10_EXP != +308 || DBL_MAX_EXP != +1024 || DBL_MIN_EXP != -1021
#error
#endif
kernel void f(global int *p) { p[0] = FP_ILOGB0 < 0 && FP_ILOGBNAN != 0; }
//# functions_of_half options="-cl-std=CL3.0"
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void f(global half *p, global half4 *q) { half x; p[0] = sin(p[1]) + pow(p[0], p[1]) + fract(p[2], &x) + fma(p[0], 2.0h, 1.0h) + x; q[0] = fmax(q[0], q[1]) + sqrt(q[2]); }
//# integer_literals_with_a_float_are_converted
kernel void f(global float *p) { p[0] = fmax(p[0], 0) + fmin(1, p[1]) + pow(p[0], 2) + mix(p[0], p[1], 1); }
