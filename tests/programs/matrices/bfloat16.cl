//! needs: cl_khr_cooperative_matrix
//! buffer a: float = 0..256
//! buffer b: float = 256*0.5
//! buffer c: float = 0..256
//! buffer left: ushort 256
//! buffer right: ushort 256
//! buffer sums: float 256
//! buffer rounded: ushort 256
//! buffer wide: float 256
//! buffer ones: ushort 256
//! buffer copied: ushort = 4*7
//! launch: narrow(a, left) global 256
//! launch: narrow(b, right) global 256
//! launch: product(left, right, c, sums) global 32 local 32
//! launch: narrow_product(left, right, rounded) global 32 local 32
//! launch: widen(rounded, wide, ones) global 32 local 32
//! launch: copy(ones, copied) global 1
//! expect sums: computed matrix_rows
//! expect rounded: computed matrix_rows_as_bfloat16
//! expect wide: computed matrix_rows_through_bfloat16
//! expect ones: 256*0x3f80
//! expect copied: 0x3f80 0x3f80 2*7
// As in half.cl, with factors in bfloat16, which has whole numbers up to 256. Sums of bfloat16 are rounded,
// to the even number if they are in the middle.

#include "matrices.h"

typedef __bf16 MATRIX(16, 16, A) mat_a;
typedef __bf16 MATRIX(16, 16, B) mat_b;
typedef float MATRIX(16, 16, ACCUMULATOR) mat_c;
typedef __bf16 MATRIX(16, 16, ACCUMULATOR) mat_r;

kernel void narrow(global const float *from, global ushort *to)
{
    size_t i = get_global_id(0);
    to[i] = intel_convert_bfloat16_as_ushort(from[i]);
}

kernel void product(global const __bf16 *left, global const __bf16 *right, global const float *c, global float *sums)
{
    mat_a x = coop_mat_load(left, ROWS, 16);
    mat_b y = coop_mat_load(right, COLUMNS, 16);
    mat_c z = coop_mat_load(c, ROWS, 16);
    z = coop_mat_mulAdd(x, y, z);
    coop_mat_store(sums, z, ROWS, 16);
}

kernel void narrow_product(global const ushort *left, global const ushort *right, global __bf16 *rounded)
{
    mat_a x = coop_mat_load((global const __bf16 *)left, ROWS, 16);
    mat_b y = coop_mat_load((global const __bf16 *)right, COLUMNS, 16);
    mat_r z = coop_mat_load((global const __bf16 *)left, ROWS, 16);
    z = coop_mat_mulAdd(x, y, z);
    coop_mat_store(rounded, z, ROWS, 16);
}

kernel void widen(global const __bf16 *rounded, global float *wide, global __bf16 *ones)
{
    mat_r r = coop_mat_load(rounded, ROWS, 16);
    mat_c w = (mat_c)r;
    coop_mat_store(wide, w, ROWS, 16);
    mat_c one = coop_mat_init(1);
    mat_r narrow = coop_mat_init(0);
    narrow = (mat_r)(one + (mat_c)narrow);
    coop_mat_store(ones, narrow, ROWS, 16);
}

struct pair {
    __bf16 first, second;
};

kernel void copy(global const __bf16 *from, global struct pair *to)
{
    struct pair both;
    both.first = from[0];
    both.second = from[255];
    *to = both;
}
