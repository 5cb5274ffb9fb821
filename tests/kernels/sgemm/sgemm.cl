// C = alpha * A * B + beta * C, all row-major: A is m x k, B is k x n, C is m x n.
//
// A work-group of 16 x 16 work-items computes a tile of 128 x 128 elements of C: it walks along k in steps of
// 16, keeps the two input tiles in local memory, and fetches the next ones into registers while it
// multiplies. A work-item owns eight rows (four and four, 64 apart) of two float4, so that a row of
// work-items reads and writes contiguous memory. m and n must be multiples of 128 and k of 16.

#define TILE 128
#define DEPTH 16
#define TILE4 (TILE / 4)
#define DEPTH4 (DEPTH / 4)
#define SIDE 16

#define EACH_ROW(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)

// The tile's row that is the work-item's i-th row.
#define ROW_OF(i) (((i) < 4 ? 0 : TILE / 2) + ty * 4 + ((i) & 3))

#define CLEAR(i) \
    sum[i][0] = (float4)(0.0f); \
    sum[i][1] = (float4)(0.0f);

#define LOAD_A(i) a[i] = tile_a[ROW_OF(i)][step];

#define MULTIPLY(i, lane) \
    sum[i][0] = mad((float4)(a[i].lane), b0, sum[i][0]); \
    sum[i][1] = mad((float4)(a[i].lane), b1, sum[i][1]);

#define MULTIPLY_X(i) MULTIPLY(i, x)
#define MULTIPLY_Y(i) MULTIPLY(i, y)
#define MULTIPLY_Z(i) MULTIPLY(i, z)
#define MULTIPLY_W(i) MULTIPLY(i, w)

#define LOAD_B(lane) \
    b0 = tile_b[step * 4 + (lane)][tx]; \
    b1 = tile_b[step * 4 + (lane)][tx + TILE4 / 2];

#define STORE(i) \
    { \
        __global float4 *out = c + (size_t)(group_row + ROW_OF(i)) * n4 + group_column4 + tx; \
        out[0] = alpha * sum[i][0] + beta * out[0]; \
        out[TILE4 / 2] = alpha * sum[i][1] + beta * out[TILE4 / 2]; \
    }

__kernel __attribute__((reqd_work_group_size(SIDE, SIDE, 1)))
void sgemm(const uint m, const uint n, const uint k, const float alpha, const float beta,
           __global const float4 *restrict a_matrix, __global const float4 *restrict b_matrix,
           __global float4 *restrict c)
{
    __local float4 tile_a[TILE][DEPTH4];
    __local float4 tile_b[DEPTH][TILE4];

    const uint tx = get_local_id(0);
    const uint ty = get_local_id(1);
    const uint item = ty * SIDE + tx;
    const uint n4 = n / 4;
    const uint k4 = k / 4;
    const uint group_row = get_group_id(1) * TILE;
    const uint group_column4 = get_group_id(0) * TILE4;

    // Each work-item carries two float4 of either tile: rows 0..63 and 64..127 of A, rows 0..7 and 8..15 of
    // B.
    const uint a_row = item / DEPTH4;
    const uint a_column = item % DEPTH4;
    const uint b_row = item / TILE4;
    const uint b_column = item % TILE4;
    __global const float4 *a_low = a_matrix + (size_t)(group_row + a_row) * k4 + a_column;
    __global const float4 *a_high = a_low + (size_t)(TILE / 2) * k4;
    __global const float4 *b_low = b_matrix + (size_t)b_row * n4 + group_column4 + b_column;
    __global const float4 *b_high = b_low + (size_t)(DEPTH / 2) * n4;

    float4 sum[8][2];
    EACH_ROW(CLEAR)

    float4 next_a_low = *a_low;
    float4 next_a_high = *a_high;
    float4 next_b_low = *b_low;
    float4 next_b_high = *b_high;

    for (uint done = 0; done < k; done += DEPTH) {
        tile_a[a_row][a_column] = next_a_low;
        tile_a[a_row + TILE / 2][a_column] = next_a_high;
        tile_b[b_row][b_column] = next_b_low;
        tile_b[b_row + DEPTH / 2][b_column] = next_b_high;
        barrier(CLK_LOCAL_MEM_FENCE);

        if (done + DEPTH < k) {
            a_low += DEPTH4;
            a_high += DEPTH4;
            b_low += (size_t)DEPTH * n4;
            b_high += (size_t)DEPTH * n4;
            next_a_low = *a_low;
            next_a_high = *a_high;
            next_b_low = *b_low;
            next_b_high = *b_high;
        }

#pragma unroll
        for (uint step = 0; step < DEPTH4; ++step) {
            float4 a[8];
            float4 b0, b1;
            EACH_ROW(LOAD_A)
            LOAD_B(0)
            EACH_ROW(MULTIPLY_X)
            LOAD_B(1)
            EACH_ROW(MULTIPLY_Y)
            LOAD_B(2)
            EACH_ROW(MULTIPLY_Z)
            LOAD_B(3)
            EACH_ROW(MULTIPLY_W)
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    EACH_ROW(STORE)
}
