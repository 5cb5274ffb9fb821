//! needs: cl_khr_cooperative_matrix
//! buffer a: float = 0..256
//! buffer b: float = 256*0.5
//! buffer c: float = 0..256
//! buffer sums: float 256
//! buffer rounded: ushort 256
//! buffer wide: float 256
//! buffer ones: ushort 256
//! buffer copied: ushort = 4*7
//! launch: product(a, b, c, sums, wide, ones) global 64 local 64
//! launch: copy(ones, copied) global 1
//! launch: narrow(a, b, rounded) global 64 local 64
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

void narrowed(local ushort *to, global const float *from)
{
    for (int i = get_local_id(0); i < 256; i += get_local_size(0))
        to[i] = intel_convert_bfloat16_as_ushort(from[i]);
}

kernel void product(global const float *a, global const float *b, global const float *c, global float *sums,
                    global float *wide, global __bf16 *ones)
{
    local ushort left[256], right[256];
    narrowed(left, a);
    narrowed(right, b);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_sub_group_id() != 0)
        return;
    mat_a x = coop_mat_load((local const __bf16 *)left, ROWS, 16);
    mat_b y = coop_mat_load((local const __bf16 *)right, COLUMNS, 16);
    mat_c z = coop_mat_load(c, ROWS, 16);
    z = coop_mat_mulAdd(x, y, z);
    coop_mat_store(sums, z, ROWS, 16);
    mat_r r = (mat_r)z;
    coop_mat_store(wide, (mat_c)r, ROWS, 16);
    mat_r one = coop_mat_init(1);
    coop_mat_store(ones, one, ROWS, 16);
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

// The sum is rounded once.
kernel void narrow(global const float *a, global const float *b, global __bf16 *rounded)
{
    local ushort left[256], right[256];
    narrowed(left, a);
    narrowed(right, b);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_sub_group_id() != 0)
        return;
    mat_a x = coop_mat_load((local const __bf16 *)left, ROWS, 16);
    mat_b y = coop_mat_load((local const __bf16 *)right, COLUMNS, 16);
    mat_r z = coop_mat_load((local const __bf16 *)left, ROWS, 16);
    z = coop_mat_mulAdd(x, y, z);
    coop_mat_store(rounded, z, ROWS, 16);
}
