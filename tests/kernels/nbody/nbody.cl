// One step of a gravitational n-body simulation, every body against every other. A body is (x, y, z, mass).
// The group loads a tile of bodies into local memory, which all of its work-items then read.
// The number of bodies is the global size and a multiple of the local size.

__kernel void nbody(__global const float4 *restrict bodies, __global float4 *restrict velocities,
                    __global float4 *restrict moved, const float time_step, const float softening,
                    __local float4 *tile)
{
    const uint count = get_global_size(0);
    const uint tile_size = get_local_size(0);
    const uint i = get_global_id(0);
    const uint lid = get_local_id(0);

    const float4 self = bodies[i];
    float3 acceleration = (float3)(0.0f, 0.0f, 0.0f);

    for (uint first = 0; first < count; first += tile_size) {
        tile[lid] = bodies[first + lid];
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 8
        for (uint j = 0; j < tile_size; ++j) {
            const float4 other = tile[j];
            const float3 way = other.xyz - self.xyz;
            const float inverse = rsqrt(dot(way, way) + softening);
            acceleration += way * (other.w * inverse * inverse * inverse);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    float4 velocity = velocities[i];
    velocity.xyz += acceleration * time_step;
    velocities[i] = velocity;
    moved[i] = (float4)(self.xyz + velocity.xyz * time_step, self.w);
}
