// Temperatures of a chip that dissipates power: explicit steps of the heat equation on a grid. A work-group
// loads a tile and makes STEPS steps on it in local memory. With each step the part of the tile whose
// neighbours are known shrinks by one cell a side, so neighbouring tiles overlap. Cells outside of the grid
// have the temperature of the nearest cell in it.

#define SIDE 16

#ifndef STEPS
#define STEPS 2
#endif

// The reciprocals of the thermal resistances, and the time step divided by the capacity of a cell.
typedef struct {
    float along_x;
    float along_y;
    float to_ambient;
    float ambient;
    float step;
} Settings;

__kernel __attribute__((reqd_work_group_size(SIDE, SIDE, 1)))
void hotspot(__global const float *restrict power, __global const float *restrict in,
             __global float *restrict out, const int width, const int height, const Settings settings)
{
    __local float tile[SIDE][SIDE];

    const int tx = get_local_id(0);
    const int ty = get_local_id(1);
    const int x = (int)get_group_id(0) * (SIDE - 2 * STEPS) + tx - STEPS;
    const int y = (int)get_group_id(1) * (SIDE - 2 * STEPS) + ty - STEPS;
    const bool inside = x >= 0 && x < width && y >= 0 && y < height;
    const int cell = y * width + x;

    // The neighbours' places in the tile; those outside of the grid are the cell itself.
    const int west = x > 0 ? tx - 1 : tx;
    const int east = x < width - 1 ? tx + 1 : tx;
    const int north = y > 0 ? ty - 1 : ty;
    const int south = y < height - 1 ? ty + 1 : ty;

    float temperature = 0.0f;
    float heat = 0.0f;
    if (inside) {
        temperature = in[cell];
        heat = power[cell];
    }
#pragma unroll
    for (int step = 1; step <= STEPS; ++step) {
        tile[ty][tx] = temperature;
        barrier(CLK_LOCAL_MEM_FENCE);
        const bool known = tx >= step && tx < SIDE - step && ty >= step && ty < SIDE - step;
        if (inside && known) {
            const float flow = heat
                + (tile[ty][east] + tile[ty][west] - 2.0f * temperature) * settings.along_x
                + (tile[south][tx] + tile[north][tx] - 2.0f * temperature) * settings.along_y
                + (settings.ambient - temperature) * settings.to_ambient;
            temperature += settings.step * flow;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    const bool known = tx >= STEPS && tx < SIDE - STEPS && ty >= STEPS && ty < SIDE - STEPS;
    if (inside && known)
        out[cell] = temperature;
}
