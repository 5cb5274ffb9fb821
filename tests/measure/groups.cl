// Local memory, barriers, and functions of the library: 64 work-items in groups of 16.

kernel void groups(global int *out, global const int *in, local int *shared)
{
    size_t local_id = get_local_id(0), size = get_local_size(0); // runs 64
    shared[local_id] = in[get_global_id(0)]; // runs 64
    barrier(CLK_LOCAL_MEM_FENCE); // runs 64
    for (size_t step = size / 2; step > 0; step /= 2) { // runs 320
        if (local_id < step) // runs 256
            shared[local_id] += shared[local_id + step]; // runs 60
        barrier(CLK_LOCAL_MEM_FENCE); // runs 256
    }
    if (local_id == 0) // runs 64
        atomic_add(&out[0], shared[0]); // runs 4
    out[1 + get_global_id(0)] = clamp(in[get_global_id(0)], 1, 5); // runs 64
}
