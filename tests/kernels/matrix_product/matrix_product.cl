// C = A B on the matrix engine (cl_khr_cooperative_matrix), all row-major: A is m x k, B is k x n, and C is
// m x n.
//
// The options choose the types: ELEMENT of A and B, SUM of C, and INNER, the depth of one product of the
// engine. With FUSED, a bias for each column is added, negative results become zero, and the results are
// rounded to half precision. With BYTES, elements are bytes, whose matrices engines load fast from columns
// alone: the tile of B is turned on its way into local memory.
//
// A work-group of 128 work-items computes a tile of 128 x 128 elements of C. It walks along k by UNITS times
// 16 bytes, keeps the two input tiles in local memory, and fetches the next ones into registers while it
// multiplies. A sub-group computes a part of 64 x 64 elements as 4 x 4 matrices of 16 x 16; there are 4
// parts. Sub-groups of 32 work-items have one part each; with fewer sub-groups, the work-group walks along k
// several times. m and n must be multiples of 128, and k of a tile's depth. With 8 units, the tiles take more
// than 32 KiB.

#ifndef ELEMENT
#define ELEMENT half
#define SUM float
#define INNER 16
#endif
#ifndef UNITS
#define UNITS 4
#endif

#define TILE 128
#define STRIP 8
#define PART 64
#define PARTS 4
#define SIDE 16
#define BLOCKS (PART / SIDE)
#define ITEMS 128
#define DEPTH (UNITS * 16 / sizeof(ELEMENT))

// Rows of the tiles in units of 16 bytes; one more keeps rows in different banks.
#define A_STRIDE ((UNITS + 1) * 16 / sizeof(ELEMENT))
#define A_PASS (ITEMS / UNITS)
#define A_LOADS (TILE / A_PASS)

#ifdef BYTES
// A work-item turns blocks of 16 rows of four bytes; a pass of the work-group is 64 rows.
#define B_ROWS 64
#define B_LOADS (DEPTH / B_ROWS * 4)
#else
#define B4 (TILE * sizeof(ELEMENT) / 16)
#define B_STRIDE ((B4 + 1) * 16 / sizeof(ELEMENT))
#define B_PASS (ITEMS / B4)
#define B_LOADS (DEPTH / B_PASS)
#endif

#define ROWS CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR
#define COLUMNS CLK_COOPERATIVE_MATRIX_LAYOUT_COLUMN_MAJOR
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

#ifdef BYTES
// Four rows of four bytes as four columns.
static uint4 turned(uint4 r)
{
    uint a = (r.x & 0x00ff00ffu) | ((r.y & 0x00ff00ffu) << 8);
    uint b = ((r.x >> 8) & 0x00ff00ffu) | (r.y & 0xff00ff00u);
    uint c = (r.z & 0x00ff00ffu) | ((r.w & 0x00ff00ffu) << 8);
    uint d = ((r.z >> 8) & 0x00ff00ffu) | (r.w & 0xff00ff00u);
    return (uint4)((a & 0xffffu) | (c << 16), (b & 0xffffu) | (d << 16),
                   (a >> 16) | (c & 0xffff0000u), (b >> 16) | (d & 0xffff0000u));
}

// Fetches a work-item's blocks; `from` is its first four bytes, and n4 a row in units of four bytes.
static void fetch_blocks(uint4 *next, global const uint *from, size_t n4)
{
    for (uint i = 0; i < B_LOADS; ++i) {
        global const uint *row = from + (i / 4 * B_ROWS + i % 4 * 4) * n4;
        next[i] = (uint4)(row[0], row[n4], row[2 * n4], row[3 * n4]);
    }
}

static void keep_blocks(local uint4 (*tile)[UNITS + 1], const uint4 *next, uint item)
{
    for (uint i = 0; i < B_LOADS; i += 4) {
        uint4 q0 = turned(next[i]), q1 = turned(next[i + 1]);
        uint4 q2 = turned(next[i + 2]), q3 = turned(next[i + 3]);
        uint column = item % (TILE / 4) * 4, unit = item / (TILE / 4) + i / 4 * (B_ROWS / 16);
        tile[column][unit] = (uint4)(q0.x, q1.x, q2.x, q3.x);
        tile[column + 1][unit] = (uint4)(q0.y, q1.y, q2.y, q3.y);
        tile[column + 2][unit] = (uint4)(q0.z, q1.z, q2.z, q3.z);
        tile[column + 3][unit] = (uint4)(q0.w, q1.w, q2.w, q3.w);
    }
}
#endif

static void fetch(uint4 *next, global const uint4 *from, size_t step, uint loads)
{
    for (uint i = 0; i < loads; ++i)
        next[i] = from[i * step];
}

// The work-group's tile of C. Work-groups that run together have STRIP tiles across, and as many down as
// there are, so that they share what the cache holds of A and B.
static uint2 place(void)
{
    const uint across = get_num_groups(0), down = get_num_groups(1);
    const uint group = get_group_id(1) * across + get_group_id(0);
    const uint first = group / (STRIP * down) * STRIP;
    const uint width = min((uint)STRIP, across - first);
    const uint within = group - first * down;
    return (uint2)(first + within % width, within / width);
}

kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void matrix_product(const uint n, const uint k, global const uint4 *restrict a_matrix,
                    global const uint4 *restrict b_matrix, global const SUM *restrict bias,
                    global RESULT *restrict c)
{
    local uint4 tile_a[TILE][UNITS + 1];
#ifdef BYTES
    local uint4 tile_b[TILE][UNITS + 1];
#else
    local uint4 tile_b[DEPTH][B4 + 1];
#endif
#ifdef FUSED
    local SUM patches[PARTS][SIDE * SIDE];
#endif

    const uint item = get_local_id(0);
    const uint k4 = k * sizeof(ELEMENT) / 16;
    const uint2 tile = place();
    const uint group_row = tile.y * TILE;
    const uint group_column = tile.x * TILE;
    const uint a_row = item / UNITS;
    const uint a_column = item % UNITS;
    const size_t a_step = (size_t)A_PASS * k4;
#ifdef BYTES
    const size_t n4 = n / 4;
#else
    const uint n4 = n * sizeof(ELEMENT) / 16;
    const uint b_row = item / B4;
    const uint b_column = item % B4;
    const size_t b_step = (size_t)B_PASS * n4;
#endif

    for (uint first = 0; first < PARTS; first += get_num_sub_groups()) {
        const uint part = first + get_sub_group_id();
        const uint row = part / (TILE / PART) * PART;
        const uint column = part % (TILE / PART) * PART;
        global const uint4 *a = a_matrix + (size_t)(group_row + a_row) * k4 + a_column;
#ifdef BYTES
        global const uint *b = (global const uint *)b_matrix + item / (TILE / 4) * 16 * n4 + group_column / 4 +
                               item % (TILE / 4);
#else
        global const uint4 *b = b_matrix + (size_t)b_row * n4 + group_column * sizeof(ELEMENT) / 16 + b_column;
#endif

        sum_matrix sums[BLOCKS][BLOCKS];
        if (part < PARTS) {
            for (uint i = 0; i < BLOCKS; ++i)
                for (uint j = 0; j < BLOCKS; ++j)
#ifdef FUSED
                    sums[i][j] = coop_mat_load(bias + group_column + column + j * SIDE, ROWS, 0);
#else
                    sums[i][j] = coop_mat_init(0);
#endif
        }

        uint4 next_a[A_LOADS], next_b[B_LOADS];
        fetch(next_a, a, a_step, A_LOADS);
#ifdef BYTES
        fetch_blocks(next_b, b, n4);
#else
        fetch(next_b, b, b_step, B_LOADS);
#endif
        for (uint done = 0; done < k; done += DEPTH) {
            barrier(CLK_LOCAL_MEM_FENCE);
            for (uint i = 0; i < A_LOADS; ++i)
                tile_a[a_row + i * A_PASS][a_column] = next_a[i];
#ifdef BYTES
            keep_blocks(tile_b, next_b, item);
#else
            for (uint i = 0; i < B_LOADS; ++i)
                tile_b[b_row + i * B_PASS][b_column] = next_b[i];
#endif
            barrier(CLK_LOCAL_MEM_FENCE);

            if (done + DEPTH < k) {
                a += UNITS;
                b += (size_t)DEPTH * n4;
                fetch(next_a, a, a_step, A_LOADS);
#ifdef BYTES
                fetch_blocks(next_b, b, n4);
#else
                fetch(next_b, b, b_step, B_LOADS);
#endif
            }

            if (part < PARTS) {
                __attribute__((opencl_unroll_hint(DEPTH / INNER)))
                for (uint step = 0; step < DEPTH; step += INNER) {
                    right_matrix right[BLOCKS];
                    for (uint j = 0; j < BLOCKS; ++j) {
#ifdef BYTES
                        local const ELEMENT *from = (local const ELEMENT *)tile_b[column + j * SIDE] + step;
                        right[j] = coop_mat_load(from, COLUMNS, A_STRIDE);
#else
                        local const ELEMENT *from = (local const ELEMENT *)tile_b[step] + column + j * SIDE;
                        right[j] = coop_mat_load(from, ROWS, B_STRIDE);
#endif
                    }
                    for (uint i = 0; i < BLOCKS; ++i) {
                        local const ELEMENT *from = (local const ELEMENT *)tile_a[row + i * SIDE] + step;
                        left_matrix left = coop_mat_load(from, ROWS, A_STRIDE);
                        for (uint j = 0; j < BLOCKS; ++j)
                            sums[i][j] = coop_mat_mulAdd(left, right[j], sums[i][j]);
                    }
                }
            }
        }

        if (part < PARTS) {
            for (uint i = 0; i < BLOCKS; ++i) {
                for (uint j = 0; j < BLOCKS; ++j) {
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
