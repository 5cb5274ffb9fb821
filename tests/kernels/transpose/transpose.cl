// Transposes a row-major matrix of `height` rows through a tile in local memory, so that both reads and
// writes are contiguous. The tile has one column more than it needs, which spreads a column over 32 different
// banks.

#define TILE 32
#define ROWS 8

__kernel __attribute__((reqd_work_group_size(TILE, ROWS, 1)))
void transpose(__global const float *restrict in, __global float *restrict out, const uint width, const uint height)
{
    __local float tile[TILE][TILE + 1];

    const uint lx = get_local_id(0);
    const uint ly = get_local_id(1);
    uint x = get_group_id(0) * TILE + lx;
    uint y = get_group_id(1) * TILE + ly;
    for (uint row = 0; row < TILE; row += ROWS) {
        if (x < width && y + row < height)
            tile[ly + row][lx] = in[(size_t)(y + row) * width + x];
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    x = get_group_id(1) * TILE + lx;
    y = get_group_id(0) * TILE + ly;
    for (uint row = 0; row < TILE; row += ROWS) {
        if (x < height && y + row < width)
            out[(size_t)(y + row) * height + x] = tile[lx][ly + row];
    }
}
