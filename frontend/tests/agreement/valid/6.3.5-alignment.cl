//# alignment_is_the_size
_Static_assert(__alignof__(char) == 1 && __alignof__(short) == 2 && __alignof__(int) == 4 && __alignof__(long) == 8, "");
_Static_assert(__alignof__(half) == 2 && __alignof__(float) == 4 && __alignof__(double) == 8 && __alignof__(void *) == sizeof(void *), "");
//# padding_in_structures
struct S { char a; short b; char c; int d; char e; long f; };
_Static_assert(sizeof(struct S) == 24 && __alignof__(struct S) == 8, "");
//# offsets_of_members
struct S { char a; float3 b; char c; double d; uchar2 e; };
#define OFFSET(type, member) ((size_t)&((type *)0)->member)
_Static_assert(sizeof(struct S) == 64, "");
kernel void k(global ulong *p) { p[0] = OFFSET(struct S, d); }
//# unions
union U { char a[5]; int b; short c; };
_Static_assert(sizeof(union U) == 8 && __alignof__(union U) == 4, "");
//# nested_structures
struct A { char a; struct { char b; double c; } d; char e; };
_Static_assert(sizeof(struct A) == 32, "");
//# packed
struct __attribute__((packed)) P { char a; int b; float c; };
_Static_assert(sizeof(struct P) == 9 && __alignof__(struct P) == 1, "");
//# packed_after
struct P { char a; long b; short c; } __attribute__((packed));
_Static_assert(sizeof(struct P) == 11, "");
//# packed_members
struct P { char a; int b __attribute__((packed)); short c; };
_Static_assert(sizeof(struct P) == 8 && __alignof__(struct P) == 2, "");
//# packed_structure_in_another
struct P { char a; int b; } __attribute__((packed));
struct Q { char a; struct P p; int c; };
_Static_assert(sizeof(struct P) == 5 && sizeof(struct Q) == 12, "");
//# aligned_structure
struct S { int a; } __attribute__((aligned(32)));
_Static_assert(sizeof(struct S) == 32 && __alignof__(struct S) == 32, "");
struct T { char a; struct S s; };
_Static_assert(sizeof(struct T) == 64, "");
//# aligned_member
struct S { char a; char b __attribute__((aligned(8))); };
_Static_assert(sizeof(struct S) == 16 && __alignof__(struct S) == 8, "");
//# aligned_and_packed
struct S { char a; int b; } __attribute__((packed, aligned(4)));
_Static_assert(sizeof(struct S) == 8 && __alignof__(struct S) == 4, "");
//# aligned_member_of_a_packed_structure
struct S { char a; int b __attribute__((aligned(2))); char c; } __attribute__((packed));
_Static_assert(sizeof(struct S) == 8, "");
//# aligned_variable
kernel void k(global int *p) { char a __attribute__((aligned(16))); int b[3] __attribute__((aligned(32))); a = 1; b[0] = a; p[0] = b[0] + sizeof(b); }
//# aligned_typedef
typedef int big __attribute__((aligned(16)));
struct S { char a; big b; };
_Static_assert(sizeof(struct S) == 32 && __alignof__(big) == 16 && sizeof(big) == 4, "");
//# aligned_typedef_of_a_structure
typedef struct { float x, y, z; } __attribute__((aligned(16))) vec;
_Static_assert(sizeof(vec) == 16, "");
//# aligned_after_the_typedef_name
typedef struct { float x, y, z; } vec __attribute__((aligned(16)));
_Static_assert(sizeof(vec) == 12 && __alignof__(vec) == 16, "");
//# aligned_before_the_tag
typedef struct __attribute__((aligned(8))) tag { char c; } tagged;
_Static_assert(sizeof(tagged) == 8, "");
//# aligned_without_a_number
struct S { char a; } __attribute__((aligned));
_Static_assert(sizeof(struct S) >= 8, "");
//# aligned_with_an_expression
#define ALIGN 4
struct S { char a; } __attribute__((aligned(ALIGN * sizeof(int))));
_Static_assert(sizeof(struct S) == 16, "");
//# alignof_of_an_expression
kernel void k(global int4 *p) { int x[__alignof__(p[0]) == 16 ? 1 : -1]; p[0] = sizeof x; }
//# sizes_of_arrays
_Static_assert(sizeof(int[3]) == 12 && sizeof(float3[2]) == 32 && sizeof(char[2][3][4]) == 24 && sizeof(int *[2]) == 2 * sizeof(void *), "");
//# bool_in_a_structure
struct S { bool a; int b; bool c[3]; };
_Static_assert(sizeof(struct S) == 12, "");
//# pointer_in_a_structure
struct S { char a; global int *p; };
_Static_assert(sizeof(struct S) == 2 * sizeof(void *), "");
//# enumeration_in_a_structure
struct S { char a; enum { A, B } e; };
_Static_assert(sizeof(struct S) == 8, "");
