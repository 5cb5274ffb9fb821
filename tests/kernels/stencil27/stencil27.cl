// A stencil of all 27 points of a cube on a grid, with a weight each for the centre, the faces, the edges and
// the corners. A work-group walks along z through a slab of planes, whose neighbourhoods in x and y it takes
// from local memory: each plane is read once and gives sums that three planes of the result need. Points on
// the border keep their value.

#define WIDTH 32
#define HEIGHT 8

#ifndef SLAB
#define SLAB 16
#endif

typedef struct {
    float centre;
    float face;
    float edge;
    float corner;
} Weights;

// The point of a plane, the sum of its four neighbours in the plane, and that of the four across.
static float3 sums_of_plane(__local float (*tile)[WIDTH + 2], const int x, const int y)
{
    const float sides = tile[y - 1][x] + tile[y + 1][x] + tile[y][x - 1] + tile[y][x + 1];
    const float across =
        tile[y - 1][x - 1] + tile[y - 1][x + 1] + tile[y + 1][x - 1] + tile[y + 1][x + 1];
    return (float3)(tile[y][x], sides, across);
}

__kernel __attribute__((reqd_work_group_size(WIDTH, HEIGHT, 1)))
void stencil27(__global const float *restrict in, __global float *restrict out, const int width,
               const int height, const int depth, const Weights weights)
{
    __local float tile[HEIGHT + 2][WIDTH + 2];

    const int tx = get_local_id(0);
    const int ty = get_local_id(1);
    const int left = (int)get_group_id(0) * WIDTH - 1;
    const int top = (int)get_group_id(1) * HEIGHT - 1;
    const int x = left + 1 + tx;
    const int y = top + 1 + ty;
    const int first = (int)get_group_id(2) * SLAB;
    const bool is_inside = x < width && y < height;
    const bool is_border = x == 0 || y == 0 || x == width - 1 || y == height - 1;

    // The sums of the two planes before.
    float3 previous = (float3)(0.0f);
    float3 current = (float3)(0.0f);
    for (int step = -1; step <= SLAB; ++step) {
        const int z = first + step;
        const int plane = clamp(z, 0, depth - 1);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = ty * WIDTH + tx; i < (HEIGHT + 2) * (WIDTH + 2); i += HEIGHT * WIDTH) {
            const int from_x = clamp(left + i % (WIDTH + 2), 0, width - 1);
            const int from_y = clamp(top + i / (WIDTH + 2), 0, height - 1);
            tile[i / (WIDTH + 2)][i % (WIDTH + 2)] = in[(plane * height + from_y) * width + from_x];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        const float3 next = sums_of_plane(tile, tx + 1, ty + 1);

        const int done = z - 1;
        if (step >= 1 && is_inside && done < depth) {
            float value = current.x;
            if (!is_border && done > 0 && done < depth - 1) {
                value = weights.centre * current.x
                    + weights.face * (current.y + previous.x + next.x)
                    + weights.edge * (current.z + previous.y + next.y)
                    + weights.corner * (previous.z + next.z);
            }
            out[(done * height + y) * width + x] = value;
        }
        previous = current;
        current = next;
    }
}
