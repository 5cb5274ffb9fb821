// Loops with the hint to unroll them whose counter is multiplied, shifted, doubled or divided, with barriers.
//! buffer out: int 8
//! launch: run(out, int 1, int 0) global 4 local 4
//! launch: run(out, int 3, int 4) global 4 local 4
//! expect out: 16386739 16414522 16387225 16303552 16359685 16387468 16303795 16331578

__kernel void run(__global int *out, const int n, const int first)
{
    __local uint parts[4];
    const uint id = get_local_id(0);
    parts[id] = id;
    uint value = 0;
#pragma unroll
    for (uint i = 1; i < 512; i *= 8) {
        barrier(CLK_LOCAL_MEM_FENCE);
        // Of the neighbour, and back.
        value = parts[id ^ 1];
        barrier(CLK_LOCAL_MEM_FENCE);
        parts[id ^ 1] = value * 7 + i * n;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    value = parts[id];
#pragma unroll
    for (int i = 4096; i > 1; i >>= 2)
        value ^= i + n;
#pragma unroll
    for (ushort i = 3; i < 400; i += i)
        value += (uint)i * i;
#pragma unroll
    for (uint i = 200; i; i /= 5)
        value = value * 3 + i;
    out[first + id] = value;
}
