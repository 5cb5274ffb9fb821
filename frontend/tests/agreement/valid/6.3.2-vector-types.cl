//# all_integer_vectors
_Static_assert(sizeof(char2) == 2 && sizeof(char3) == 4 && sizeof(char4) == 4 && sizeof(char8) == 8 && sizeof(char16) == 16, "");
_Static_assert(sizeof(uchar2) == 2 && sizeof(uchar3) == 4 && sizeof(uchar4) == 4 && sizeof(uchar8) == 8 && sizeof(uchar16) == 16, "");
_Static_assert(sizeof(short2) == 4 && sizeof(short3) == 8 && sizeof(short4) == 8 && sizeof(short8) == 16 && sizeof(short16) == 32, "");
_Static_assert(sizeof(ushort2) == 4 && sizeof(ushort3) == 8 && sizeof(ushort4) == 8 && sizeof(ushort8) == 16, "");
_Static_assert(sizeof(int2) == 8 && sizeof(int3) == 16 && sizeof(int4) == 16 && sizeof(int8) == 32 && sizeof(int16) == 64, "");
_Static_assert(sizeof(uint2) == 8 && sizeof(uint3) == 16 && sizeof(uint4) == 16 && sizeof(uint8) == 32 && sizeof(uint16) == 64, "");
_Static_assert(sizeof(long2) == 16 && sizeof(long3) == 32 && sizeof(long4) == 32 && sizeof(long8) == 64 && sizeof(long16) == 128, "");
_Static_assert(sizeof(ulong2) == 16 && sizeof(ulong3) == 32 && sizeof(ulong4) == 32 && sizeof(ulong8) == 64, "");
//# all_floating_point_vectors
_Static_assert(sizeof(half2) == 4 && sizeof(half3) == 8 && sizeof(half4) == 8 && sizeof(half8) == 16 && sizeof(half16) == 32, "");
_Static_assert(sizeof(float2) == 8 && sizeof(float3) == 16 && sizeof(float4) == 16 && sizeof(float8) == 32 && sizeof(float16) == 64, "");
_Static_assert(sizeof(double2) == 16 && sizeof(double3) == 32 && sizeof(double4) == 32 && sizeof(double8) == 64 && sizeof(double16) == 128, "");
//# alignment_of_vectors
_Static_assert(__alignof__(char3) == 4 && __alignof__(float3) == 16 && __alignof__(int2) == 8, "");
_Static_assert(__alignof__(double16) == 128 && __alignof__(short8) == 16 && __alignof__(long4) == 32, "");
//# vectors_as_arguments
kernel void k(float4 a, int3 b, uchar16 c, double2 d, global float *p) { p[0] = a.x + b.z + c.sf + d.y; }
//# vectors_as_results
float4 twice(float4 v) { return v * 2; }
int3 three(void) { return (int3)(1, 2, 3); }
kernel void k(global float4 *p) { p[0] = twice(p[1]); p[2].xyz = convert_float3(three()); }
//# arrays_of_vectors
kernel void k(global float *p, constant int4 *c) {
    float4 a[3]; int3 b[2][2];
    _Static_assert(sizeof(a) == 48 && sizeof(b) == 64, "");
    a[1] = (float4)(1); b[1][0] = c[0].xyz; p[0] = a[1].w + b[1][0].y;
}
//# pointers_to_vectors
kernel void k(global float4 *g, local int3 *l, constant uchar2 *c) { g[0].x = l[1].z + c[2].y; *(g + 1) = (float4)0; (*g).s1 = 2; }
//# typedef_of_a_vector
typedef float4 vec; typedef vec mat[4];
kernel void k(global vec *p) { mat m; m[0] = p[0]; p[1] = m[0].wzyx; }
//# vector_names_may_be_shadowed
kernel void k(global int *p) { int float4 = 3; int uchar = 2; p[0] = float4 + uchar; }
//# vectors_of_three_are_as_large_as_of_four
struct S { char a; float3 v; char b; };
_Static_assert(sizeof(struct S) == 48, "");
