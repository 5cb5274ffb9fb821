// What the runtime moves by kernels where the driver's own transfers are slow. Work-items move units of 16 or
// 4 bytes; pitches count units.

kernel void copy16(global const uint4 *restrict from, global uint4 *restrict to)
{
    size_t i = get_global_id(0);
    to[i] = from[i];
}

kernel void copy4(global const uint *restrict from, global uint *restrict to)
{
    size_t i = get_global_id(0);
    to[i] = from[i];
}

kernel void copy_box16(global const uint4 *restrict from, global uint4 *restrict to, ulong4 pitches)
{
    size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    to[x + y * pitches.z + z * pitches.w] = from[x + y * pitches.x + z * pitches.y];
}

kernel void copy_box4(global const uint *restrict from, global uint *restrict to, ulong4 pitches)
{
    size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    to[x + y * pitches.z + z * pitches.w] = from[x + y * pitches.x + z * pitches.y];
}

kernel void fill16(global uint4 *to, uint4 pattern)
{
    to[get_global_id(0)] = pattern;
}
