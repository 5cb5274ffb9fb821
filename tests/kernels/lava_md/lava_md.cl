// Potential and forces between particles in boxes: a box interacts with itself and its neighbours, whatever
// the distance of their particles. A work-group owns a box, and keeps it and one neighbour in local memory.
// A particle is (x, y, z, charge); a result is (force, potential).

#ifndef PARTICLES
#define PARTICLES 100
#endif
#define GROUP 128
#define NEIGHBOURS 26

typedef struct {
    uint first;                  // its first particle
    uint count;                  // neighbours
    uint neighbours[NEIGHBOURS]; // indices of boxes
} Box;

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void lava_md(__global const Box *restrict boxes, __global const float4 *restrict particles,
             const float alpha, __global float4 *restrict forces)
{
    __local float4 others[PARTICLES];

    __global const Box *home = &boxes[get_group_id(0)];
    const uint lid = get_local_id(0);
    const uint first = home->first;
    const uint boxes_near = home->count + 1;
    const float factor = 2.0f * alpha * alpha;

    const float4 own = lid < PARTICLES ? particles[first + lid] : (float4)(0.0f);
    float4 result = (float4)(0.0f);
    for (uint near = 0; near <= NEIGHBOURS; ++near) {
        const bool exists = near < boxes_near;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (exists && lid < PARTICLES) {
            const uint from = near == 0 ? first : boxes[home->neighbours[near - 1]].first;
            others[lid] = particles[from + lid];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (exists) {
            for (uint j = 0; j < PARTICLES; ++j) {
                const float4 other = others[j];
                const float3 way = own.xyz - other.xyz;
                const float potential = other.w * exp(-0.5f * factor * dot(way, way));
                result.xyz += factor * potential * way;
                result.w += potential;
            }
        }
    }
    if (lid < PARTICLES)
        forces[first + lid] = result;
}
