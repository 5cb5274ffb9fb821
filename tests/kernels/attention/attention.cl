// Attention: each row of `out` is the sum of the rows of `value`, weighted by the softmax of `query` times
// the transpose of `key`, times `scale`. All matrices of a head are row-major with WIDTH columns, in half
// precision; sums and `out` are in single precision.
//
// It takes one pass over keys and values (Dao et al. 2022, FlashAttention): for each row it keeps the
// largest score so far, the sum of the weights relative to it, and the weighted sum of the values. Where a
// larger score comes, both sums are multiplied by what the old weights are worth now.
//
// A work-group of 128 work-items has GROUP_ROWS rows of `query`, each sub-group a quarter of them, which it
// keeps as TALL matrices. Keys and values pass through local memory, KEYS rows at a time. Scores do, too: one
// work-item reads a row of them and writes its weights in their place. Factors of rows become a matrix with
// equal columns by a load with a stride of 0, with which the sums are multiplied by element. Sub-groups of 32
// work-items have one part each; with fewer, the work-group passes several times. The number of rows must be
// a multiple of GROUP_ROWS and of KEYS.

#ifndef TALL
#define TALL 2
#endif
#ifndef KEYS
#define KEYS 32
#endif
#define WIDTH 64
#define ITEMS 128
#define SIDE 16
#define PARTS 4
#define BAND (TALL * SIDE)
#define GROUP_ROWS (PARTS * BAND)
#define ACROSS (WIDTH / SIDE)
#define SCORES (KEYS / SIDE)

// Rows in local memory; 16 bytes more than needed keep them in different banks.
#define STRIDE (WIDTH + 8)
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

// Loads what a work-item brings of a tile; `from` is its first element.
void fetch(global const uint4 *from, uint4 *to)
{
    for (uint i = 0; i < FETCHES; ++i)
        to[i] = from[i * ITEMS];
}

// Makes the weights of a row of its scores, in their place, and returns their sum. `largest` is the largest
// score of the row so far, times `scale`.
float weigh(local float4 *row, const float scale, float *largest)
{
    float4 score[KEYS / 4];
    float4 most = *largest;
    for (uint i = 0; i < KEYS / 4; ++i) {
        score[i] = row[i] * scale;
        most = fmax(most, score[i]);
    }
    *largest = fmax(fmax(most.x, most.y), fmax(most.z, most.w));
    float4 sum = 0;
    for (uint i = 0; i < KEYS / 4; ++i) {
        const float4 weight = native_exp2(score[i] - *largest);
        vstore_half4(weight, i, (local half *)row);
        sum += weight;
    }
    return sum.x + sum.y + sum.z + sum.w;
}

kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void attention(const uint rows, const float scale, global const half *restrict query,
               global const uint4 *restrict key, global const uint4 *restrict value, global float *restrict out)
{
    local uint4 keys[KEYS][STRIDE / 8];
    local uint4 values[KEYS][STRIDE / 8];
    local float4 scores[PARTS][BAND][SCORE_STRIDE / 4];
    local float largest[PARTS][BAND], sums[PARTS][BAND], factors[PARTS][BAND];

    const uint item = get_local_id(0);
    const uint lane = get_sub_group_local_id();
    const uint lanes = get_sub_group_size();
    const size_t head = (size_t)get_group_id(1) * rows;
    // exp(x) is exp2(x log2(e)).
    const float scale2 = scale * M_LOG2E_F;

    for (uint first = 0; first < PARTS; first += get_num_sub_groups()) {
        const uint part = first + get_sub_group_id();
        const bool works = part < PARTS;
        const uint mine = works ? part : 0;
        const size_t row = head + get_group_id(0) * GROUP_ROWS + mine * BAND;

        left_matrix queries[TALL][ACROSS];
        sum_matrix results[TALL][ACROSS];
        for (uint t = 0; t < TALL; ++t) {
            for (uint i = 0; i < ACROSS; ++i) {
                queries[t][i] = coop_mat_load(query + (row + t * SIDE) * WIDTH + i * SIDE, ROWS, WIDTH);
                results[t][i] = coop_mat_init(0);
            }
        }
        if (works) {
            for (uint r = lane; r < BAND; r += lanes) {
                largest[mine][r] = -INFINITY;
                sums[mine][r] = 0;
            }
        }

        uint4 next_keys[FETCHES], next_values[FETCHES];
        fetch(key + head * UNITS + item, next_keys);
        fetch(value + head * UNITS + item, next_values);
        for (uint start = 0; start < rows; start += KEYS) {
            barrier(CLK_LOCAL_MEM_FENCE);
            for (uint i = 0; i < FETCHES; ++i) {
                const uint at = item + i * ITEMS;
                keys[at / UNITS][at % UNITS] = next_keys[i];
                values[at / UNITS][at % UNITS] = next_values[i];
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            if (start + KEYS < rows) {
                fetch(key + (head + start + KEYS) * UNITS + item, next_keys);
                fetch(value + (head + start + KEYS) * UNITS + item, next_values);
            }
            if (!works)
                continue;

            // Scores: a key is a column of the right factor.
            for (uint j = 0; j < SCORES; ++j) {
                sum_matrix score[TALL];
                for (uint t = 0; t < TALL; ++t)
                    score[t] = coop_mat_init(0);
                for (uint i = 0; i < ACROSS; ++i) {
                    local const half *from = (local const half *)keys[j * SIDE] + i * SIDE;
                    right_matrix right = coop_mat_load(from, COLUMNS, STRIDE);
                    for (uint t = 0; t < TALL; ++t)
                        score[t] = coop_mat_mulAdd(queries[t][i], right, score[t]);
                }
                for (uint t = 0; t < TALL; ++t) {
                    local float *to = (local float *)scores[mine][t * SIDE] + j * SIDE;
                    coop_mat_store(to, score[t], ROWS, SCORE_STRIDE);
                }
            }
            sub_group_barrier(CLK_LOCAL_MEM_FENCE);

            bool grows = false;
            for (uint r = lane; r < BAND; r += lanes) {
                const float before = largest[mine][r];
                float most = before;
                const float sum = weigh(scores[mine][r], scale2, &most);
                const float factor = native_exp2(before - most);
                largest[mine][r] = most;
                factors[mine][r] = factor;
                sums[mine][r] = sums[mine][r] * factor + sum;
                grows |= most > before;
            }
            sub_group_barrier(CLK_LOCAL_MEM_FENCE);

            if (sub_group_any(grows)) {
                for (uint t = 0; t < TALL; ++t) {
                    sum_matrix factor = coop_mat_load(factors[mine] + t * SIDE, COLUMNS, 0);
                    for (uint i = 0; i < ACROSS; ++i)
                        results[t][i] = results[t][i] * factor;
                }
            }
            for (uint j = 0; j < SCORES; ++j) {
                left_matrix left[TALL];
                for (uint t = 0; t < TALL; ++t) {
                    local const half *from = (local const half *)scores[mine][t * SIDE] + j * SIDE;
                    left[t] = coop_mat_load(from, ROWS, 2 * SCORE_STRIDE);
                }
                for (uint i = 0; i < ACROSS; ++i) {
                    local const half *from = (local const half *)values[j * SIDE] + i * SIDE;
                    right_matrix right = coop_mat_load(from, ROWS, STRIDE);
                    for (uint t = 0; t < TALL; ++t)
                        results[t][i] = coop_mat_mulAdd(left[t], right, results[t][i]);
                }
            }
        }

        if (works) {
            sub_group_barrier(CLK_LOCAL_MEM_FENCE);
            for (uint r = lane; r < BAND; r += lanes)
                factors[mine][r] = 1 / sums[mine][r];
            sub_group_barrier(CLK_LOCAL_MEM_FENCE);
            for (uint t = 0; t < TALL; ++t) {
                sum_matrix factor = coop_mat_load(factors[mine] + t * SIDE, COLUMNS, 0);
                for (uint i = 0; i < ACROSS; ++i) {
                    results[t][i] = results[t][i] * factor;
                    coop_mat_store(out + (row + t * SIDE) * WIDTH + i * SIDE, results[t][i], ROWS, WIDTH);
                }
            }
        }
    }
}
