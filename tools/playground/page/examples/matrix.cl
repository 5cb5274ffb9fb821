// A product of square matrices. A work-group loads tiles of both into local
// memory, so that it reads each number from global memory only once.
#define TILE 16

kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void multiply(global const float *a, global const float *b, global float *c,
              int side)
{
    local float tile_a[TILE][TILE], tile_b[TILE][TILE];
    int column = get_global_id(0), row = get_global_id(1);
    int x = get_local_id(0), y = get_local_id(1);

    float sum = 0.0f;
    for (int first = 0; first < side; first += TILE) {
        tile_a[y][x] = a[row * side + first + x];
        tile_b[y][x] = b[(first + y) * side + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; ++k)
            sum = mad(tile_a[y][k], tile_b[k][x], sum);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * side + column] = sum;
}
