// LU decomposition of a matrix in place, without pivoting: A = L U, where L has ones on its diagonal, which
// are not stored. The matrix is walked along its diagonal in steps of BLOCK. Each step decomposes the block
// on the diagonal, then solves for the blocks below it and to the right of it, and then subtracts the
// products of these from the rest. `n` is a multiple of BLOCK, and `step` the first row and column of a step.

#define BLOCK 32
#define ROWS 8

// Copies a block between global and local memory. A work-item owns every ROWS-th element of a column.
static void load_block(__global const float *matrix, const uint n, const uint row, const uint column,
                       __local float (*block)[BLOCK + 1])
{
    const uint x = get_local_id(0);
    for (uint y = get_local_id(1); y < BLOCK; y += ROWS)
        block[y][x] = matrix[(row + y) * n + column + x];
}

static void store_block(__global float *matrix, const uint n, const uint row, const uint column,
                        __local float (*block)[BLOCK + 1])
{
    const uint x = get_local_id(0);
    for (uint y = get_local_id(1); y < BLOCK; y += ROWS)
        matrix[(row + y) * n + column + x] = block[y][x];
}

// Decomposes the block on the diagonal.
__kernel __attribute__((reqd_work_group_size(BLOCK, ROWS, 1)))
void lud_diagonal(__global float *matrix, const uint n, const uint step)
{
    __local float block[BLOCK][BLOCK + 1];
    const uint x = get_local_id(0);

    load_block(matrix, n, step, step, block);
    for (uint k = 0; k < BLOCK - 1; ++k) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (get_local_id(1) == 0 && x > k)
            block[x][k] /= block[k][k];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint y = get_local_id(1); y < BLOCK; y += ROWS) {
            if (y > k && x > k)
                block[y][x] -= block[y][k] * block[k][x];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    store_block(matrix, n, step, step, block);
}

// Solves for a block to the right of the diagonal (second dimension 0) or below it (1).
__kernel __attribute__((reqd_work_group_size(BLOCK, ROWS, 1)))
void lud_perimeter(__global float *matrix, const uint n, const uint step)
{
    __local float pivot[BLOCK][BLOCK + 1];
    __local float block[BLOCK][BLOCK + 1];
    const uint x = get_local_id(0);
    const uint other = step + (get_group_id(0) + 1) * BLOCK;
    const bool below = get_group_id(1) == 1;
    const uint row = below ? other : step;
    const uint column = below ? step : other;

    load_block(matrix, n, step, step, pivot);
    load_block(matrix, n, row, column, block);
    if (below) {
        for (uint k = 0; k < BLOCK; ++k) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (get_local_id(1) == 0)
                block[x][k] /= pivot[k][k];
            barrier(CLK_LOCAL_MEM_FENCE);
            for (uint y = get_local_id(1); y < BLOCK; y += ROWS) {
                if (x > k)
                    block[y][x] -= block[y][k] * pivot[k][x];
            }
        }
    } else {
        for (uint k = 0; k < BLOCK - 1; ++k) {
            barrier(CLK_LOCAL_MEM_FENCE);
            for (uint y = get_local_id(1); y < BLOCK; y += ROWS) {
                if (y > k)
                    block[y][x] -= pivot[y][k] * block[k][x];
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    store_block(matrix, n, row, column, block);
}

// Subtracts the product of a block of L and a block of U from a block of the rest.
__kernel __attribute__((reqd_work_group_size(BLOCK, ROWS, 1)))
void lud_internal(__global float *matrix, const uint n, const uint step)
{
    __local float lower[BLOCK][BLOCK + 1];
    __local float upper[BLOCK][BLOCK + 1];
    const uint x = get_local_id(0);
    const uint y = get_local_id(1);
    const uint row = step + (get_group_id(1) + 1) * BLOCK;
    const uint column = step + (get_group_id(0) + 1) * BLOCK;

    load_block(matrix, n, row, step, lower);
    load_block(matrix, n, step, column, upper);
    barrier(CLK_LOCAL_MEM_FENCE);

    float sum[BLOCK / ROWS] = {0.0f};
#pragma unroll
    for (uint k = 0; k < BLOCK; ++k) {
        const float right = upper[k][x];
#pragma unroll
        for (uint i = 0; i < BLOCK / ROWS; ++i)
            sum[i] += lower[y + i * ROWS][k] * right;
    }
    for (uint i = 0; i < BLOCK / ROWS; ++i)
        matrix[(row + y + i * ROWS) * n + column + x] -= sum[i];
}
