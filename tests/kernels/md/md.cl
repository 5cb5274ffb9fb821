// Forces of a Lennard-Jones fluid: each work-item has an atom and the list of those that are near it. Entry e
// of the list of atom i is at e * atoms + i. Of the listed atoms, those within the cut-off distance act.

__kernel void md(__global const float4 *restrict positions, const uint atoms,
                 __global const uint *restrict neighbours, const uint listed, const float squared_cut_off,
                 const float lj1, const float lj2, __global float4 *restrict forces)
{
    const uint i = get_global_id(0);
    if (i >= atoms)
        return;

    const float3 own = positions[i].xyz;
    const float repulsive = lj1 / 12.0f;
    const float attractive = lj2 / 6.0f;
    float3 force = (float3)(0.0f);
    float energy = 0.0f;
    for (uint entry = 0; entry < listed; ++entry) {
        const float3 way = own - positions[neighbours[entry * atoms + i]].xyz;
        const float squared = dot(way, way);
        if (squared < squared_cut_off) {
            const float inverse2 = 1.0f / squared;
            const float inverse6 = inverse2 * inverse2 * inverse2;
            force += way * (inverse2 * inverse6 * (lj1 * inverse6 - lj2));
            energy += inverse6 * (repulsive * inverse6 - attractive);
        }
    }
    forces[i] = (float4)(force, 0.5f * energy);
}
