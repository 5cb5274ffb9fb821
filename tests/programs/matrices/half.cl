//! needs: cl_khr_cooperative_matrix
//! buffer a: float = 0..256
//! buffer b: float = 256*0.5
//! buffer c: float = 0..256
//! buffer sums: float 256
//! buffer halves: half 256
//! launch: product(a, b, c, sums, halves) global 64 local 64
//! expect sums: computed matrix_rows
//! expect halves: 256*0x0000

// The numbers 0 to 255, row by row, times a matrix of ones half, plus themselves: half the sum of a row's
// numbers, and the number itself. All are exact in half precision but the products' sums, which are in
// single.


#include "matrices.h"

typedef half MATRIX(16, 16, A) mat_a;
typedef half MATRIX(16, 16, B) mat_b;
typedef float MATRIX(16, 16, ACCUMULATOR) mat_c;

kernel void product(global const float *a, global const float *b, global const float *c, global float *sums,
                    global half *halves)
{
    local half left[256], right[256];
    for (int i = get_local_id(0); i < 256; i += get_local_size(0)) {
        left[i] = a[i];
        right[i] = b[i];
        halves[i] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_sub_group_id() != 0)
        return;
    mat_a x = coop_mat_load(left, ROWS, 16);
    mat_b y = coop_mat_load(right, COLUMNS, 16);
    mat_c z = coop_mat_load(c, ROWS, 16);
    z = coop_mat_mulAdd(x, y, z);
    coop_mat_store(sums, z, ROWS, 16);
}
