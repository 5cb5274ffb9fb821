// How often each brightness occurs in a picture. Work-groups count in local
// memory, where atomic operations are cheap, and add up their counts.
kernel void count(global const uchar *photo, global uint *histogram)
{
    local uint counts[256];
    for (int bin = get_local_id(0); bin < 256; bin += get_local_size(0))
        counts[bin] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    atomic_inc(&counts[photo[get_global_id(0)]]);
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int bin = get_local_id(0); bin < 256; bin += get_local_size(0))
        if (counts[bin] > 0)
            atomic_add(&histogram[bin], counts[bin]);
}
