// C = A B on the matrix engine for each of a batch of matrices, all row-major: A is m x k, B is k x n, and
// C is m x n. A and B are of halves; sums are in single precision.
//
// A work-group of 128 work-items computes a tile of 128 x 128 elements of C, each sub-group a part of 64 x
// 64 as 4 x 4 matrices. There are two tiles of each input in local memory: while the sub-groups multiply
// one pair, the next one arrives in registers and is then written to the other pair, so each step along k
// needs one barrier. Sub-groups of 32 work-items have one part each; with fewer sub-groups, the work-group
// walks along k several times. m and n must be multiples of 128, and k of DEPTH.

#ifndef DEPTH
#define DEPTH 32
#endif

#define TILE 128
#define ITEMS 128
#define PART 64
#define PARTS 4
#define SIDE 16
#define COUNT (PART / SIDE)

// Rows of the tiles in units of 16 bytes; one more keeps rows in different banks.
#define UNIT 8
#define A4 (DEPTH / UNIT)
#define B4 (TILE / UNIT)
#define A_STRIDE ((A4 + 1) * UNIT)
#define B_STRIDE ((B4 + 1) * UNIT)
// Work-items that fetch a row, rows that all of them fetch, and units that each one fetches.
#define A_PASS (ITEMS / A4)
#define B_PASS (ITEMS / B4)
#define A_FETCHES (TILE / A_PASS)
#define B_FETCHES (DEPTH / B_PASS)

#define ROWS CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR
#define MATRIX(use) \
    __attribute__((coop_mat(CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP, SIDE, SIDE, CLK_COOPERATIVE_MATRIX_##use)))

typedef half MATRIX(A) left_matrix;
typedef half MATRIX(B) right_matrix;
typedef float MATRIX(ACCUMULATOR) sum_matrix;

kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void staged_product(const uint m, const uint n, const uint k, global const uint4 *restrict a_matrices,
                    global const uint4 *restrict b_matrices, global float *restrict c_matrices)
{
    local uint4 tiles_a[2][TILE][A4 + 1];
    local uint4 tiles_b[2][DEPTH][B4 + 1];

    const uint item = get_local_id(0);
    const uint k4 = k / UNIT;
    const uint n4 = n / UNIT;
    const size_t batch = get_group_id(2);
    const uint group_row = get_group_id(1) * TILE;
    const uint group_column = get_group_id(0) * TILE;
    const uint a_row = item / A4;
    const uint a_column = item % A4;
    const uint b_row = item / B4;
    const uint b_column = item % B4;
    global float *c = c_matrices + batch * m * n;

    for (uint first = 0; first < PARTS; first += get_num_sub_groups()) {
        const uint part = first + get_sub_group_id();
        const uint row = part / (TILE / PART) * PART;
        const uint column = part % (TILE / PART) * PART;
        global const uint4 *a = a_matrices + (batch * m + group_row + a_row) * k4 + a_column;
        global const uint4 *b = b_matrices + (batch * k + b_row) * n4 + group_column / UNIT + b_column;

        sum_matrix sums[COUNT][COUNT];
        for (uint i = 0; i < COUNT; ++i)
            for (uint j = 0; j < COUNT; ++j)
                sums[i][j] = coop_mat_init(0);

        uint4 next_a[A_FETCHES];
        uint4 next_b[B_FETCHES];
        for (uint i = 0; i < A_FETCHES; ++i)
            next_a[i] = a[(size_t)(i * A_PASS) * k4];
        for (uint i = 0; i < B_FETCHES; ++i)
            next_b[i] = b[(size_t)(i * B_PASS) * n4];

        // The tiles may still be in use from the last walk.
        barrier(CLK_LOCAL_MEM_FENCE);
        uint now = 0;
        for (uint done = 0; done < k; done += DEPTH) {
            for (uint i = 0; i < A_FETCHES; ++i)
                tiles_a[now][a_row + i * A_PASS][a_column] = next_a[i];
            for (uint i = 0; i < B_FETCHES; ++i)
                tiles_b[now][b_row + i * B_PASS][b_column] = next_b[i];
            barrier(CLK_LOCAL_MEM_FENCE);

            if (done + DEPTH < k) {
                a += A4;
                b += (size_t)DEPTH * n4;
                for (uint i = 0; i < A_FETCHES; ++i)
                    next_a[i] = a[(size_t)(i * A_PASS) * k4];
                for (uint i = 0; i < B_FETCHES; ++i)
                    next_b[i] = b[(size_t)(i * B_PASS) * n4];
            }

            if (part < PARTS) {
                __attribute__((opencl_unroll_hint(DEPTH / SIDE)))
                for (uint step = 0; step < DEPTH; step += SIDE) {
                    right_matrix right[COUNT];
                    for (uint j = 0; j < COUNT; ++j) {
                        local const half *from =
                            (local const half *)tiles_b[now][step] + column + j * SIDE;
                        right[j] = coop_mat_load(from, ROWS, B_STRIDE);
                    }
                    for (uint i = 0; i < COUNT; ++i) {
                        local const half *from = (local const half *)tiles_a[now][row + i * SIDE] + step;
                        left_matrix left = coop_mat_load(from, ROWS, A_STRIDE);
                        for (uint j = 0; j < COUNT; ++j)
                            sums[i][j] = coop_mat_mulAdd(left, right[j], sums[i][j]);
                    }
                }
            }
            now ^= 1;
        }

        if (part < PARTS) {
            for (uint i = 0; i < COUNT; ++i) {
                for (uint j = 0; j < COUNT; ++j) {
                    global float *to =
                        c + (size_t)(group_row + row + i * SIDE) * n + group_column + column + j * SIDE;
                    coop_mat_store(to, sums[i][j], ROWS, n);
                }
            }
        }
    }
}
