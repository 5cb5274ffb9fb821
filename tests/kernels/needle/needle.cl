// Needleman-Wunsch: the scores of the best global alignments of all beginnings of two sequences. The matrix
// of scores has a row more than `down` has letters and a column more than `across`; its first row and column
// are known. Blocks of BLOCK x BLOCK scores on an anti-diagonal do not depend on each other; a launch
// computes one such diagonal, a work-group one block. Within the block, work-items walk along its own
// anti-diagonals.

#define BLOCK 32
#define LETTERS 24

// The first row and column: all letters of one sequence against gaps.
__kernel void borders(__global int *restrict scores, const int rows, const int columns, const int gap)
{
    const int i = get_global_id(0);
    if (i < columns)
        scores[i] = -gap * i;
    if (i < rows)
        scores[i * columns] = -gap * i;
}

// Blocks (diagonal - x, x) for x from `first` on.
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1)))
void needle(__global int *restrict scores, const int columns, __global const int *restrict down,
            __global const int *restrict across, __constant int *similarity, const int gap,
            const int diagonal, const int first)
{
    __local int tile[BLOCK + 1][BLOCK + 1];
    __local int alike[BLOCK][BLOCK + 1];

    const int x = get_local_id(0);
    const int block_x = first + (int)get_group_id(0);
    const int column = block_x * BLOCK;
    const int row = (diagonal - block_x) * BLOCK;
    __global int *corner = scores + row * columns + column;

    const int letter = across[column + x];
    for (int y = 0; y < BLOCK; ++y)
        alike[y][x] = similarity[down[row + y] * LETTERS + letter];
    tile[0][x + 1] = corner[x + 1];
    tile[x + 1][0] = corner[(x + 1) * columns];
    if (x == 0)
        tile[0][0] = corner[0];

    for (int step = 0; step < 2 * BLOCK - 1; ++step) {
        barrier(CLK_LOCAL_MEM_FENCE);
        const int y = step - x;
        if (y >= 0 && y < BLOCK) {
            const int aligned = tile[y][x] + alike[y][x];
            tile[y + 1][x + 1] = max(aligned, max(tile[y][x + 1], tile[y + 1][x]) - gap);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int y = 0; y < BLOCK; ++y)
        corner[(y + 1) * columns + x + 1] = tile[y + 1][x + 1];
}
