//# absolute_values_are_unsigned
kernel void f(global uchar *a, global ushort4 *b, global uint2 *c, global ulong *d, char w, short4 x, int2 y, long z) { *a = abs(w); *b = abs(x); *c = abs(y); *d = abs(z) + abs_diff(z, 3L); _Static_assert(sizeof(abs((char)1)) == 1, ""); uint2 v = abs_diff(y, y); *c = v; }
//# sums_that_saturate
kernel void f(global char *a, global uchar16 *b, global short2 *c, global ulong4 *d) { *a = add_sat(*a, (char)100) - sub_sat(*a, *a); *b = sub_sat(*b, (uchar16)3); *c = add_sat(*c, *c); *d = sub_sat(*d, *d); }
//# halved_sums_and_high_products
kernel void f(global int *a, global uint4 *b, global long2 *c) { *a = hadd(*a, 3) + rhadd(*a, *a) + mul_hi(*a, *a) + mad_hi(*a, *a, *a) + mad_sat(*a, 1, 2); *b = mul_hi(*b, *b); *c = mad_hi(*c, *c, *c); }
//# bounds
kernel void f(global int4 *p, global uchar *q, int x, global long *l) { p[0] = clamp(p[0], 1, 5) + clamp(p[1], p[2], p[3]) + max(p[0], 3) + min(p[1], x) + max(p[0], p[1]); q[0] = clamp(q[0], (uchar)1, (uchar)5); l[0] = max(l[0], l[1]); }
//# bits
kernel void f(global uint *p, global uchar4 *q, global long *l) { p[0] = clz(p[0]) + popcount(p[1]) + rotate(p[0], 3u) + ctz(p[2]); q[0] = clz(q[0]) + popcount(q[1]) + rotate(q[0], (uchar4)(1, 2, 3, 4)); l[0] = rotate(l[0], 5L) + clz(l[1]); }
//# joined
kernel void f(global short *a, global ushort *b, global int4 *c, global ulong2 *d, char x, uchar y, short4 z, ushort4 w, uint2 v) { *a = upsample(x, y); *b = upsample(y, y); *c = upsample(z, w); *d = upsample(v, v); }
//# of_24_bits
kernel void f(global int *p, global uint4 *q) { p[0] = mul24(p[0], p[1]) + mad24(p[0], 3, 5) + mul24(get_local_id(0), 3u); q[0] = mad24(q[0], q[1], q[2]); }
//# limits_of_integers
#if CHAR_BIT != 8 || SCHAR_MAX != 127 || SCHAR_MIN != -128 || UCHAR_MAX != 255 || SHRT_MAX != 32767 || SHRT_MIN != -32768 || USHRT_MAX != 65535 || INT_MAX != 2147483647 || UINT_MAX != 0xffffffffU || LONG_MAX != 0x7fffffffffffffffL || ULONG_MAX != 0xffffffffffffffffUL
#error
#endif
kernel void f(global long *p) { p[0] = INT_MIN + LONG_MIN + CHAR_MAX + CHAR_MIN; }
//# bit_fields_extension
#ifdef cl_khr_extended_bit_ops
kernel void f(global uint *p, global int4 *q) { p[0] = bitfield_insert(p[0], p[1], 3, 5) + bitfield_extract_unsigned(p[0], 1, 2) + bit_reverse(p[2]); q[0] = bitfield_extract_signed(q[0], 3, 4); }
#endif
