// C = alpha * A * B + beta * C, all row-major: A is m x k, B is k x n, C is m x n.
//
// A work-group of 128 work-items computes a tile of C, of 128 x 128 elements where DOWN is 4: it walks along
// k in steps of DEPTH, keeps the two input tiles in local memory, A's turned so that a column of it is
// contiguous, and fetches the next ones into registers while it multiplies. Each 32 work-items in a row, 4 by
// 8 of them, own a quarter of the tile, a work-item DOWN times four rows of two float4: with DOWN 4 a step
// reads 24 numbers from local memory for 128 products, and needs as many registers for sums. A row of
// work-items reads and writes contiguous memory. m must be a multiple of ROWS, n of 128 and k of DEPTH.

#ifndef DOWN
#define DOWN 4
#endif
#ifndef DEPTH
#define DEPTH 8
#endif
#define ITEMS 128
// The tile of C.
#define ROWS (DOWN * 32)
#define COLUMNS 128

#define ROWS4 (ROWS / 4)
#define COLUMNS4 (COLUMNS / 4)
#define DEPTH4 (DEPTH / 4)
// Rows of A's tile; 16 bytes more than needed keep what is stored together in different banks.
#define STRIDE (ROWS + 4)

// A work-item's blocks of four rows are DOWN_STEP blocks apart, and ACROSS of four columns ACROSS_STEP.
#define DOWN_STEP 4
#define ACROSS 2
#define ACROSS_STEP 8

// What a work-item carries of a tile, in float4, and how many rows these are apart.
#define A_FETCHES (ROWS * DEPTH4 / ITEMS)
#define B_FETCHES (DEPTH * COLUMNS4 / ITEMS)
#if ROWS * DEPTH4 % ITEMS || DEPTH * COLUMNS4 % ITEMS
#error "ITEMS work-items cannot share the tiles equally; choose a larger DEPTH"
#endif
#define A_APART (ITEMS / DEPTH4)
#define B_APART (ITEMS / COLUMNS4)

// Loads what a work-item carries of the next tiles.
void fetch(__global const float4 *a, const size_t k4, __global const float4 *b, const size_t n4, float4 *next_a,
           float4 *next_b)
{
    for (uint i = 0; i < A_FETCHES; ++i)
        next_a[i] = a[i * A_APART * k4];
    for (uint i = 0; i < B_FETCHES; ++i)
        next_b[i] = b[i * B_APART * n4];
}

__kernel __attribute__((reqd_work_group_size(16, 8, 1)))
void sgemm(const uint m, const uint n, const uint k, const float alpha, const float beta,
           __global const float4 *restrict a_matrix, __global const float4 *restrict b_matrix,
           __global float4 *restrict c)
{
    __local float4 tile_a[DEPTH][STRIDE / 4];
    __local float4 tile_b[DEPTH][COLUMNS4];

    const uint n4 = n / 4;
    const uint k4 = k / 4;
    const uint group_row = get_group_id(1) * ROWS;
    const uint group_column4 = get_group_id(0) * COLUMNS4;

    const uint item = get_local_id(1) * 16 + get_local_id(0);
    const uint quarter = item / 32;
    const uint row4 = quarter / 2 * (DOWN * DOWN_STEP) + item % 32 / ACROSS_STEP;
    const uint column4 = quarter % 2 * (ACROSS * ACROSS_STEP) + item % ACROSS_STEP;

    const uint a_row = item / DEPTH4;
    const uint a_column4 = item % DEPTH4;
    const uint b_row = item / COLUMNS4;
    const uint b_column4 = item % COLUMNS4;
    __global const float4 *a_from = a_matrix + (size_t)(group_row + a_row) * k4 + a_column4;
    __global const float4 *b_from = b_matrix + (size_t)b_row * n4 + group_column4 + b_column4;
    __local float *a_to = (__local float *)tile_a[a_column4 * 4] + a_row;

    float4 sum[DOWN * 4][ACROSS];
    for (uint i = 0; i < DOWN * 4; ++i) {
        for (uint j = 0; j < ACROSS; ++j)
            sum[i][j] = 0;
    }
    float4 next_a[A_FETCHES], next_b[B_FETCHES];
    fetch(a_from, k4, b_from, n4, next_a, next_b);

    for (uint done = 0; done < k; done += DEPTH) {
        for (uint i = 0; i < A_FETCHES; ++i) {
            a_to[i * A_APART] = next_a[i].x;
            a_to[i * A_APART + STRIDE] = next_a[i].y;
            a_to[i * A_APART + STRIDE * 2] = next_a[i].z;
            a_to[i * A_APART + STRIDE * 3] = next_a[i].w;
        }
        for (uint i = 0; i < B_FETCHES; ++i)
            tile_b[b_row + i * B_APART][b_column4] = next_b[i];
        barrier(CLK_LOCAL_MEM_FENCE);

        if (done + DEPTH < k) {
            a_from += DEPTH4;
            b_from += (size_t)DEPTH * n4;
            fetch(a_from, k4, b_from, n4, next_a, next_b);
        }

#pragma unroll
        for (uint step = 0; step < DEPTH; ++step) {
            float4 b[ACROSS];
            for (uint j = 0; j < ACROSS; ++j)
                b[j] = tile_b[step][column4 + j * ACROSS_STEP];
            for (uint i = 0; i < DOWN; ++i) {
                const float4 a = tile_a[step][row4 + i * DOWN_STEP];
                for (uint j = 0; j < ACROSS; ++j) {
                    sum[i * 4][j] = mad((float4)(a.x), b[j], sum[i * 4][j]);
                    sum[i * 4 + 1][j] = mad((float4)(a.y), b[j], sum[i * 4 + 1][j]);
                    sum[i * 4 + 2][j] = mad((float4)(a.z), b[j], sum[i * 4 + 2][j]);
                    sum[i * 4 + 3][j] = mad((float4)(a.w), b[j], sum[i * 4 + 3][j]);
                }
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    for (uint i = 0; i < DOWN * 4; ++i) {
        const uint row = (row4 + i / 4 * DOWN_STEP) * 4 + i % 4;
        __global float4 *out = c + (size_t)(group_row + row) * n4 + group_column4 + column4;
        for (uint j = 0; j < ACROSS; ++j)
            out[j * ACROSS_STEP] = alpha * sum[i][j] + beta * out[j * ACROSS_STEP];
    }
}
