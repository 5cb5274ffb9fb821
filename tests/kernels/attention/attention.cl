// Attention: each row of `out` is the sum of the rows of `value`, weighted by the softmax of `query` times
// the transpose of `key`, times `scale`. All matrices of a head are row-major with WIDTH columns, in half
// precision; sums and `out` are in single precision.
//
// It takes one pass over keys and values (Dao et al. 2022, FlashAttention): for each row it keeps the
// largest score so far, the sum of the weights relative to it, and the weighted sum of the values. Where a
// larger score comes, both sums are multiplied by what the old weights are worth now.
//
// A work-group of 128 work-items has 64 rows of `query`, each sub-group 16 of them, which it keeps as
// matrices. Keys and values pass through local memory, 32 rows at a time. Factors of rows become a matrix
// with equal columns by a load with a stride of 0, with which the sums are multiplied by element.
// Sub-groups of 32 work-items have one part each; with fewer, the work-group passes several times. The
// number of rows must be a multiple of 64.

#define WIDTH 64
#define ITEMS 128
#define SIDE 16
#define PARTS 4
#define GROUP_ROWS (PARTS * SIDE)
#define KEYS 32
#define ACROSS (WIDTH / SIDE)
#define SCORES (KEYS / SIDE)

// Rows in local memory; 16 bytes more than needed keep them in different banks.
#define STRIDE (WIDTH + 8)
#define WEIGHT_STRIDE (KEYS + 8)
#define SCORE_STRIDE (KEYS + 4)
#define UNITS (WIDTH / 8)
#define FETCHES (KEYS * UNITS / ITEMS)

#define ROWS CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR
#define COLUMNS CLK_COOPERATIVE_MATRIX_LAYOUT_COLUMN_MAJOR
#define MATRIX(use) \
    __attribute__((coop_mat(CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP, SIDE, SIDE, CLK_COOPERATIVE_MATRIX_##use)))

typedef half MATRIX(A) left_matrix;
typedef half MATRIX(B) right_matrix;
typedef float MATRIX(ACCUMULATOR) sum_matrix;

kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void attention(const uint rows, const float scale, global const half *restrict query,
               global const uint4 *restrict key, global const uint4 *restrict value, global float *restrict out)
{
    local uint4 keys[KEYS][STRIDE / 8];
    local uint4 values[KEYS][STRIDE / 8];
    local float scores[PARTS][SIDE][SCORE_STRIDE];
    local half weights[PARTS][SIDE][WEIGHT_STRIDE];
    local float largest[PARTS][SIDE], sums[PARTS][SIDE], factors[PARTS][SIDE];

    const uint item = get_local_id(0);
    const uint lane = get_sub_group_local_id();
    const uint lanes = get_sub_group_size();
    const size_t head = (size_t)get_group_id(1) * rows;

    for (uint first = 0; first < PARTS; first += get_num_sub_groups()) {
        const uint part = first + get_sub_group_id();
        const bool works = part < PARTS;
        const uint mine = works ? part : 0;
        const size_t row = head + get_group_id(0) * GROUP_ROWS + mine * SIDE;

        left_matrix queries[ACROSS];
        sum_matrix results[ACROSS];
        for (uint i = 0; i < ACROSS; ++i) {
            queries[i] = coop_mat_load(query + row * WIDTH + i * SIDE, ROWS, WIDTH);
            results[i] = coop_mat_init(0);
        }
        if (works) {
            for (uint r = lane; r < SIDE; r += lanes) {
                largest[mine][r] = -INFINITY;
                sums[mine][r] = 0;
            }
        }

        for (uint start = 0; start < rows; start += KEYS) {
            barrier(CLK_LOCAL_MEM_FENCE);
            for (uint i = 0; i < FETCHES; ++i) {
                const uint at = item + i * ITEMS;
                keys[at / UNITS][at % UNITS] = key[(head + start) * UNITS + at];
                values[at / UNITS][at % UNITS] = value[(head + start) * UNITS + at];
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            if (!works)
                continue;

            // Scores: a key is a column of the right factor.
            for (uint j = 0; j < SCORES; ++j) {
                sum_matrix score = coop_mat_init(0);
                for (uint i = 0; i < ACROSS; ++i) {
                    local const half *from = (local const half *)keys[j * SIDE] + i * SIDE;
                    right_matrix right = coop_mat_load(from, COLUMNS, STRIDE);
                    score = coop_mat_mulAdd(queries[i], right, score);
                }
                score = score * scale;
                coop_mat_store(&scores[mine][0][j * SIDE], score, ROWS, SCORE_STRIDE);
            }
            sub_group_barrier(CLK_LOCAL_MEM_FENCE);

            for (uint r = lane; r < SIDE; r += lanes) {
                const float before = largest[mine][r];
                float most = before;
                for (uint c = 0; c < KEYS; ++c)
                    most = fmax(most, scores[mine][r][c]);
                largest[mine][r] = most;
                factors[mine][r] = native_exp(before - most);
            }
            sub_group_barrier(CLK_LOCAL_MEM_FENCE);
            for (uint at = lane; at < SIDE * KEYS; at += lanes) {
                const uint r = at / KEYS, c = at % KEYS;
                vstore_half(native_exp(scores[mine][r][c] - largest[mine][r]), c, weights[mine][r]);
            }
            sub_group_barrier(CLK_LOCAL_MEM_FENCE);
            // The sum of what is multiplied, which is rounded.
            for (uint r = lane; r < SIDE; r += lanes) {
                float sum = sums[mine][r] * factors[mine][r];
                for (uint c = 0; c < KEYS; ++c)
                    sum += vload_half(c, weights[mine][r]);
                sums[mine][r] = sum;
            }

            sum_matrix factor = coop_mat_load(factors[mine], COLUMNS, 0);
            for (uint i = 0; i < ACROSS; ++i)
                results[i] = results[i] * factor;
            for (uint j = 0; j < SCORES; ++j) {
                left_matrix left = coop_mat_load(&weights[mine][0][j * SIDE], ROWS, WEIGHT_STRIDE);
                for (uint i = 0; i < ACROSS; ++i) {
                    local const half *from = (local const half *)values[j * SIDE] + i * SIDE;
                    right_matrix right = coop_mat_load(from, ROWS, STRIDE);
                    results[i] = coop_mat_mulAdd(left, right, results[i]);
                }
            }
        }

        if (works) {
            sub_group_barrier(CLK_LOCAL_MEM_FENCE);
            for (uint r = lane; r < SIDE; r += lanes)
                factors[mine][r] = 1 / sums[mine][r];
            sub_group_barrier(CLK_LOCAL_MEM_FENCE);
            sum_matrix factor = coop_mat_load(factors[mine], COLUMNS, 0);
            for (uint i = 0; i < ACROSS; ++i) {
                results[i] = results[i] * factor;
                coop_mat_store(out + row * WIDTH + i * SIDE, results[i], ROWS, WIDTH);
            }
        }
    }
}
