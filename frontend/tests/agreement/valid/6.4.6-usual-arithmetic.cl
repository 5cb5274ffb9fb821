//# promotion_to_int
_Static_assert(sizeof((char)1 + (char)1) == 4 && sizeof((short)1 * (uchar)2) == 4 && sizeof(+(char)1) == 4 && sizeof(~(uchar)0) == 4, "");
_Static_assert(~(uchar)0 == -1 && -(uchar)1 == -1 && (uchar)255 + (uchar)1 == 256, "");
//# unsigned_wins
_Static_assert(-1 + 0u > 0 && -1 > 0u && sizeof(1 + 1u) == 4 && -1L < 1u && -1L > 1ul, "");
//# long_wins
_Static_assert(sizeof(1 + 1L) == 8 && sizeof(1u + 1L) == 8 && (1u - 2L) < 0 && (1u - 2ul) > 0, "");
//# floating_point_wins
_Static_assert(sizeof(1 + 1.0f) == 4 && sizeof(1L + 1.0f) == 4 && sizeof(1.0f + 1.0) == 8 && sizeof(1ul + 1.0) == 8, "");
kernel void k(global float *p, int i, ulong u) { p[0] = 1 / 2.0f + i * 0.5f + u / 3.0f; }
//# half_wins_over_integers
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
_Static_assert(sizeof(1.0h + 1) == 2 && sizeof(1.0h + 1L) == 2 && sizeof(1.0h + 1.0f) == 4, "");
//# vectors_are_not_promoted
_Static_assert(sizeof((char4)(1) + (char4)(1)) == 4 && sizeof((short2)(1) * (short)2) == 4 && sizeof(-(uchar8)(1)) == 8, "");
//# vector_beside_a_scalar
_Static_assert(sizeof((float4)(1) + 1) == 16 && sizeof(1 + (long2)(1)) == 16 && sizeof((uchar4)(1) * (uchar)2) == 4, "");
//# conditional
_Static_assert(sizeof(1 ? (char)1 : (char)2) == 4 && sizeof(1 ? 1 : 2L) == 8 && sizeof(0 ? 1.0f : 2) == 4 && (1 ? -1 : 0u) > 0, "");
//# shifts_keep_the_left_type
_Static_assert(sizeof(1 << 1L) == 4 && sizeof((char)1 << 1) == 4 && sizeof(1L >> 1) == 8 && (-1 >> 1ul) < 0, "");
//# compound_assignment_computes_in_the_common_type
kernel void k(global char *p, global uchar *q) { char c = 100; c += 100; c *= 1.5f; p[0] = c; q[0] = 200; q[0] += q[0]; q[1] -= 1; q[2] <<= 3; q[3] /= 2.5f; }
//# size_of_literals
_Static_assert(sizeof(1) == 4 && sizeof(2147483648) == 8 && sizeof(4294967295u) == 4 && sizeof(0xFFFFFFFF) == 4 && sizeof(0x100000000) == 8, "");
_Static_assert(0xFFFFFFFF > 0 && 0x80000000 > 0 && sizeof('a') == 4 && sizeof(1l) == 8 && sizeof(1ul) == 8 && sizeof(1LU) == 8, "");
//# comparison_is_int
_Static_assert(sizeof(1.0 < 2.0) == 4 && sizeof(1L == 2L) == 4 && sizeof(!1L) == 4 && sizeof(1L && 1L) == 4 && (1 < 2) - 2 < 0, "");
//# bool_is_promoted
_Static_assert(sizeof((bool)1 + (bool)1) == 4 && (bool)1 + (bool)1 == 2 && -(bool)1 < 0 && ~(bool)0 == -1, "");
//# enumerations_in_arithmetic
enum E { A = 1, B = 2 };
_Static_assert(sizeof(A + B) == 4 && A - B == (A - B) && (A | B) == 3, "");
