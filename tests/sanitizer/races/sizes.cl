//! options: -cl-std=CL3.0
//! buffer in: int 128
//! buffer out: int 256
//! launch: near(out) global 64 local 32
//! launch: near(out) global 128 local 64
//! launch: filled(out) global 64 local 32
//! launch: filled(out) global 128 local 64
//! launch: mirrored(out, local 256) global 64 local 32
//! launch: mirrored(out, local 256) global 40 local 32
//! launch: folded(out, local 256) global 128 local 64
//! launch: folded(out, local 256) global 128 local 32
//! launch: counted(in, out) global 128 local 64
//! launch: hasty(out) global 128 local 64

// Without a required size, what is right in groups of one size need not be in those of another.

kernel void near(global int *out)
{
    local int part[64];
    int l = get_local_id(0);
    part[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    part[l] += part[(l + 32) % get_local_size(0)]; //~ races * `part[(l + 32) % get_local_size(0)]` races with a write //~ races ? `part[l] += part[(l + 32) % get_local_size(0)]` races with a read
    out[get_global_id(0)] = part[l];
}

kernel void filled(global int *out)
{
    local int part[64];
    int l = get_local_id(0);
    if (l < 32)
        part[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = part[l]; //~ uninitialised 64 `part[l]` before it is written
}

// The last group has fewer work-items, so nobody has written what they read.
kernel void mirrored(global int *out, local int *part)
{
    int l = get_local_id(0);
    part[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = part[31 - l]; //~ uninitialised 8 `part[31 - l]` before it is written
}

// The last steps are right only where a few work-items are executed in step.
kernel void folded(global int *out, local int *part)
{
    int l = get_local_id(0);
    part[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = get_local_size(0) / 2; step > 0; step /= 2) {
        if (l < step)
            part[l] += part[l + step]; //~ races * `part[l + step]` races with a write //~ races ? `part[l] += part[l + step]` races with a read
        if (get_local_size(0) == 64)
            barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        out[get_group_id(0)] = part[0];
}

kernel void counted(global const int *in, global int *out)
{
    local int bins[96];
    for (int bin = get_local_id(0); bin < 96; bin += get_local_size(0))
        bins[bin] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&bins[(in[get_global_id(0)] + get_global_id(0)) % 96u]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int bin = get_local_id(0); bin < 96; bin += get_local_size(0))
        atomic_add(&out[bin], bins[bin]);
}

// Without the barrier between both, and not all of it is zero.
kernel void hasty(global int *out)
{
    local int bins[96];
    int l = get_local_id(0);
    bins[l] = 0; //~ races ? `bins[l] = 0` races with
    atomic_inc(&bins[63 - l]); //~ races * `atomic_inc(&bins[63 - l])` races with a write //~ uninitialised ? `atomic_inc(&bins[63 - l])` before it is written
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = bins[l + 32]; //~ uninitialised 64 `bins[l + 32]` before it is written
}
