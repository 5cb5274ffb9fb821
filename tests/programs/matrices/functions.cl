//! needs: cl_khr_cooperative_matrix
//! buffer a: int = 0..64
//! buffer b: int 64
//! buffer c: short 64
//! buffer d: int 64
//! launch: pass(a, b, c, d, int 3) global 64 local 64
//! expect b: 6..70
//! expect c: 0..64
//! expect d: 0..64

// Matrices are parameters and results of functions, elements of arrays, and change in loops. A conversion
// keeps the shape. What is loaded by rows and stored by columns, twice, is as before.

#include "matrices.h"

typedef int MATRIX(8, 8, ACCUMULATOR) matrix;
typedef short MATRIX(8, 8, ACCUMULATOR) narrow_matrix;

matrix plus(matrix x, matrix y)
{
    return x + y;
}

matrix of_number(int number)
{
    matrix made = coop_mat_init(number);
    return made;
}

kernel void pass(global const int *a, global int *b, global short *c, global int *d, int count)
{
    local int turned[64];
    if (get_sub_group_id() != 0)
        return;
    matrix x[2][2];
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
            x[i][j] = coop_mat_load(a, ROWS, 8);
    for (int i = 0; i < count; ++i) {
        matrix step = of_number(i + 1);
        x[1][0] = plus(x[1][0], step);
    }
    coop_mat_store(b, x[1][0], ROWS, 8);
    coop_mat_store(c, (narrow_matrix)x[0][1], ROWS, 8);
    coop_mat_store(turned, x[1][1], COLUMNS, 8);
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    matrix back = coop_mat_load(turned, COLUMNS, 8);
    coop_mat_store(d, back, ROWS, 8);
}
