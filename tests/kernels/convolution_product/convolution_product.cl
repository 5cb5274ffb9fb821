// A convolution of pictures with many channels as a matrix product (implicit GEMM): each pixel of the
// result is the sum, over the 3 x 3 pixels around it and over all input channels, of the channel times its
// weight. Pixels outside the picture are zero.
//
// `input` has the channels of a pixel side by side, pixels row by row, pictures one after the other;
// `weights` are indexed by place in the window, input channel and output channel. The product's left factor
// would have a row for each pixel, with 9 x INPUTS columns; its parts are gathered in local memory when
// they are needed.
//
// A work-group of 128 work-items computes OUTPUTS channels of 128 pixels, each sub-group those of 32
// pixels. Sub-groups of 32 work-items have one part each; with fewer, the work-group computes several
// times. The pixels of all pictures must be a multiple of 128.

#define INPUTS 64
#define OUTPUTS 64
#define TILE 128
#define ITEMS 128
#define PARTS 4
#define PART_ROWS (TILE / PARTS)
#define SIDE 16
#define DOWN (PART_ROWS / SIDE)
#define ACROSS (OUTPUTS / SIDE)
// Input channels in local memory at a time.
#define DEPTH 32

// In units of 16 bytes; one more keeps rows in different banks.
#define UNIT 8
#define A4 (DEPTH / UNIT)
#define B4 (OUTPUTS / UNIT)
#define A_STRIDE ((A4 + 1) * UNIT)
#define B_STRIDE ((B4 + 1) * UNIT)
#define A_FETCHES (TILE * A4 / ITEMS)
#define B_FETCHES (DEPTH * B4 / ITEMS)

#define ROWS CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR
#define MATRIX(use) \
    __attribute__((coop_mat(CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP, SIDE, SIDE, CLK_COOPERATIVE_MATRIX_##use)))

typedef half MATRIX(A) left_matrix;
typedef half MATRIX(B) right_matrix;
typedef float MATRIX(ACCUMULATOR) sum_matrix;

kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void convolution_product(const int width, const int height, global const uint4 *restrict input,
                         global const uint4 *restrict weights, global float *restrict output)
{
    local uint4 tile_a[TILE][A4 + 1];
    local uint4 tile_b[DEPTH][B4 + 1];

    const uint item = get_local_id(0);
    const uint group_pixel = get_group_id(0) * TILE;

    for (uint first = 0; first < PARTS; first += get_num_sub_groups()) {
        const uint part = first + get_sub_group_id();

        sum_matrix sums[DOWN][ACROSS];
        for (uint i = 0; i < DOWN; ++i)
            for (uint j = 0; j < ACROSS; ++j)
                sums[i][j] = coop_mat_init(0);

        for (int window = 0; window < 9; ++window) {
            const int dx = window % 3 - 1, dy = window / 3 - 1;
            for (uint channel = 0; channel < INPUTS; channel += DEPTH) {
                barrier(CLK_LOCAL_MEM_FENCE);
                for (uint i = 0; i < A_FETCHES; ++i) {
                    const uint at = item + i * ITEMS;
                    const uint pixel = group_pixel + at / A4;
                    const int x = (int)(pixel % width) + dx;
                    const int y = (int)(pixel / width % height) + dy;
                    const bool inside = x >= 0 && x < width && y >= 0 && y < height;
                    const size_t from = inside ? (size_t)((int)pixel + dy * width + dx) : 0;
                    const uint4 texel = input[from * (INPUTS / UNIT) + channel / UNIT + at % A4];
                    tile_a[at / A4][at % A4] = inside ? texel : (uint4)0;
                }
                for (uint i = 0; i < B_FETCHES; ++i) {
                    const uint at = item + i * ITEMS;
                    tile_b[at / B4][at % B4] = weights[(window * INPUTS + channel) * B4 + at];
                }
                barrier(CLK_LOCAL_MEM_FENCE);
                if (part >= PARTS)
                    continue;

                __attribute__((opencl_unroll_hint(DEPTH / SIDE)))
                for (uint step = 0; step < DEPTH; step += SIDE) {
                    right_matrix right[ACROSS];
                    for (uint j = 0; j < ACROSS; ++j) {
                        local const half *from = (local const half *)tile_b[step] + j * SIDE;
                        right[j] = coop_mat_load(from, ROWS, B_STRIDE);
                    }
                    for (uint i = 0; i < DOWN; ++i) {
                        local const half *from = (local const half *)tile_a[part * PART_ROWS + i * SIDE] + step;
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
                    const size_t pixel = group_pixel + part * PART_ROWS + i * SIDE;
                    coop_mat_store(output + pixel * OUTPUTS + j * SIDE, sums[i][j], ROWS, OUTPUTS);
                }
            }
        }
    }
}
