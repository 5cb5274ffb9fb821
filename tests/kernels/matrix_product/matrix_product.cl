// C = A B on the matrix engine (cl_khr_cooperative_matrix), all row-major: A is m x k, B is k x n, and C is
// m x n.
//
// The options choose the types: ELEMENT of A and B, SUM of C, and INNER, the depth of one product of the
// engine. With FUSED, a bias for each column is added, negative results become zero, and the results are
// rounded to half precision.
//
// A work-group of 256 work-items computes a tile of 128 x 128 elements of C. It walks along k by 64 bytes,
// keeps the two input tiles in local memory, and fetches the next ones into registers while it multiplies. A
// sub-group computes a part of 64 x 32 elements as 4 x 2 matrices of 16 x 16; there are 8 parts. Sub-groups
// of 32 work-items have one part each; with fewer sub-groups, the work-group walks along k several times. m
// and n must be multiples of 128, and k of 64 bytes.

#ifndef ELEMENT
#define ELEMENT half
#define SUM float
#define INNER 16
#endif

#define TILE 128
#define PART_ROWS 64
#define PART_COLUMNS 32
#define PARTS 8
#define SIDE 16
#define DOWN 4
#define ACROSS 2
#define ITEMS 256

// Rows of the tiles in units of 16 bytes; one more keeps rows in different banks.
#define A4 4
#define B4 (TILE * sizeof(ELEMENT) / 16)
#define DEPTH (A4 * 16 / sizeof(ELEMENT))
#define A_STRIDE ((A4 + 1) * 16 / sizeof(ELEMENT))
#define B_STRIDE ((B4 + 1) * 16 / sizeof(ELEMENT))
#define A_PASS (ITEMS / A4)
#define B_PASS (ITEMS / B4)

#define ROWS CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR
#define MATRIX(rows, columns, use) \
    __attribute__((coop_mat(CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP, rows, columns, CLK_COOPERATIVE_MATRIX_##use)))

typedef ELEMENT MATRIX(SIDE, INNER, A) left_matrix;
typedef ELEMENT MATRIX(INNER, SIDE, B) right_matrix;
typedef SUM MATRIX(SIDE, SIDE, ACCUMULATOR) sum_matrix;

#ifdef FUSED
#define RESULT half
#else
#define RESULT SUM
#endif

kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void matrix_product(const uint n, const uint k, global const uint4 *restrict a_matrix,
                    global const uint4 *restrict b_matrix, global const SUM *restrict bias,
                    global RESULT *restrict c)
{
    local uint4 tile_a[TILE][A4 + 1];
    local uint4 tile_b[DEPTH][B4 + 1];
#ifdef FUSED
    local SUM patches[PARTS][SIDE * SIDE];
#endif

    const uint item = get_local_id(0);
    const uint k4 = k * sizeof(ELEMENT) / 16;
    const uint n4 = n * sizeof(ELEMENT) / 16;
    const uint group_row = get_group_id(1) * TILE;
    const uint group_column = get_group_id(0) * TILE;
    const uint a_row = item / A4;
    const uint a_column = item % A4;
    const uint b_row = item / B4;
    const uint b_column = item % B4;

    for (uint first = 0; first < PARTS; first += get_num_sub_groups()) {
        const uint part = first + get_sub_group_id();
        const uint row = part / (TILE / PART_COLUMNS) * PART_ROWS;
        const uint column = part % (TILE / PART_COLUMNS) * PART_COLUMNS;
        global const uint4 *a = a_matrix + (size_t)(group_row + a_row) * k4 + a_column;
        global const uint4 *b = b_matrix + (size_t)b_row * n4 + group_column * sizeof(ELEMENT) / 16 + b_column;

        sum_matrix sums[DOWN][ACROSS];
        if (part < PARTS) {
            for (uint i = 0; i < DOWN; ++i)
                for (uint j = 0; j < ACROSS; ++j)
#ifdef FUSED
                    sums[i][j] = coop_mat_load(bias + group_column + column + j * SIDE, ROWS, 0);
#else
                    sums[i][j] = coop_mat_init(0);
#endif
        }

        uint4 next_a_low = a[0];
        uint4 next_a_high = a[(size_t)A_PASS * k4];
        uint4 next_b_low = b[0];
        uint4 next_b_high = b[(size_t)B_PASS * n4];
        for (uint done = 0; done < k; done += DEPTH) {
            barrier(CLK_LOCAL_MEM_FENCE);
            tile_a[a_row][a_column] = next_a_low;
            tile_a[a_row + A_PASS][a_column] = next_a_high;
            tile_b[b_row][b_column] = next_b_low;
            tile_b[b_row + B_PASS][b_column] = next_b_high;
            barrier(CLK_LOCAL_MEM_FENCE);

            if (done + DEPTH < k) {
                a += A4;
                b += (size_t)DEPTH * n4;
                next_a_low = a[0];
                next_a_high = a[(size_t)A_PASS * k4];
                next_b_low = b[0];
                next_b_high = b[(size_t)B_PASS * n4];
            }

            if (part < PARTS) {
                for (uint step = 0; step < DEPTH; step += INNER) {
                    right_matrix right[ACROSS];
                    for (uint j = 0; j < ACROSS; ++j) {
                        local const ELEMENT *from = (local const ELEMENT *)tile_b[step] + column + j * SIDE;
                        right[j] = coop_mat_load(from, ROWS, B_STRIDE);
                    }
                    for (uint i = 0; i < DOWN; ++i) {
                        local const ELEMENT *from = (local const ELEMENT *)tile_a[row + i * SIDE] + step;
                        left_matrix left = coop_mat_load(from, ROWS, A_STRIDE);
                        for (uint j = 0; j < ACROSS; ++j)
                            sums[i][j] = coop_mat_mulAdd(left, right[j], sums[i][j]);
                    }
                }
            }
        }

        if (part < PARTS) {
            for (uint i = 0; i < DOWN; ++i) {
                for (uint j = 0; j < ACROSS; ++j) {
                    global RESULT *to =
                        c + (size_t)(group_row + row + i * SIDE) * n + group_column + column + j * SIDE;
#ifdef FUSED
                    local SUM *patch = patches[part];
                    coop_mat_store(patch, sums[i][j], ROWS, SIDE);
                    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
                    for (uint e = get_sub_group_local_id(); e < SIDE * SIDE; e += get_sub_group_size())
                        to[e / SIDE * (size_t)n + e % SIDE] = convert_half_rte(fmax(patch[e], (SUM)0));
                    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
#else
                    coop_mat_store(to, sums[i][j], ROWS, n);
#endif
                }
            }
        }
    }
}
