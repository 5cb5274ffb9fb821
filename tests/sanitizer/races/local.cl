//! options: -cl-std=CL3.0
//! buffer out: int 64
//! buffer pairs: uchar 64
//! launch: neighbours(out) global 64 local 32
//! launch: same_place(out) global 16 local 16
//! launch: reduce(out, local 256) global 64 local 64
//! launch: one_writes(out) global 32 local 32
//! launch: overwritten(out, local 128) global 32 local 32
//! launch: in_loop(out) global 32 local 32
//! launch: wrong_fence(out) global 32 local 32
//! launch: counters(out) global 32 local 32
//! launch: early(out) global 32 local 32
//! launch: records(out) global 32 local 32
//! launch: vectors(out) global 16 local 16
//! launch: called(out) global 32 local 32
//! launch: fine(out, pairs, local 128) global 64 local 32

kernel void neighbours(global int *out)
{
    local int tile[33];
    int i = get_local_id(0);
    if (i == 0)
        tile[32] = 7;
    tile[i] = i; //~ races ? `tile[i] = i` races with a read
    out[get_global_id(0)] = tile[i + 1]; //~ races ? `tile[i + 1]` read of 4 bytes at byte //~ uninitialised ? `tile[i + 1]` before
}

kernel void same_place(global int *out)
{
    local int last;
    last = get_local_id(0); //~ races * `last = get_local_id(0)` races with a write by another work-item
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_local_id(0)] = last;
}

kernel void reduce(global int *out, local int *sums)
{
    int i = get_local_id(0);
    sums[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 32; step > 0; step /= 2)
        if (i < step)
            sums[i] += sums[i + step]; //~ races ? `sums[i] += sums[i + step]` races with a read //~ races * `sums[i + step]` of the argument `sums` (1) races with a write by another work-item
    if (i == 0)
        out[0] = sums[0];
}

kernel void one_writes(global int *out)
{
    local int shared;
    int i = get_local_id(0);
    if (i == 31)
        shared = 4; //~ races * `shared = 4` races with a read
    out[i] = shared; //~ uninitialised ? `shared` before it is written //~ races * `shared` races with a write by another work-item
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == 7)
        shared = 5;
}

kernel void overwritten(global int *out, local int *values)
{
    int i = get_local_id(0);
    values[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    int next = values[(i + 1) & 31]; //~ races ? `values[(i + 1) & 31]` races with a write
    values[i] = next; //~ races * `values[i] = next` write of 4 bytes
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = values[i];
}

kernel void in_loop(global int *out)
{
    local int values[32];
    int i = get_local_id(0);
    values[i] = i;
    for (int k = 0; k < 4; k++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int next = values[31 - i]; //~ races ? `values[31 - i]` races with a write
        // The other barrier is missing.
        values[i] = next + k; //~ races * `values[i] = next + k` races with a read by another work-item
    }
    out[i] = values[i];
}

kernel void wrong_fence(global int *out)
{
    local int values[32];
    int i = get_local_id(0);
    values[i] = i;
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[i] = values[31 - i]; //~ races * `values[31 - i]` races with a write by another work-item
}

kernel void counters(global int *out)
{
    local int count;
    int i = get_local_id(0);
    if (i == 0)
        count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&count); //~ races ? `atomic_inc(&count)` races with a read
    out[i] = count; //~ races * `count` races with an atomic operation by another work-item
    barrier(CLK_LOCAL_MEM_FENCE);
    count++; //~ races * `count++` //~ races * `count++` write of
}

kernel void early(global int *out)
{
    local int tile[32];
    event_t copied = async_work_group_copy(tile, out, 32, 0); //~ races ? `async_work_group_copy(tile, out, 32, 0)` races with a read
    int i = get_local_id(0);
    out[32 + i] = tile[31 - i]; //~ uninitialised ? `tile[31 - i]` before //~ races * `tile[31 - i]` by an asynchronous copy that was not waited for
    wait_group_events(1, &copied);
}

typedef struct {
    int key, value;
} record;

kernel void records(global int *out)
{
    local record many[32];
    int i = get_local_id(0);
    many[i].key = i;
    many[i].value = -i;
    record other = many[i ^ 1]; //~ races * `other` read of 8 bytes
    out[i] = other.value;
}

kernel void vectors(global int *out)
{
    local int4 wide[16];
    int i = get_local_id(0);
    wide[i] = (int4)(i); //~ races ? `wide[i] = (int4)(i)` races with a read
    local int *flat = (local int *)wide;
    out[i] = flat[63 - 4 * i]; //~ uninitialised ? `flat[63 - 4 * i]` before //~ races * `flat[63 - 4 * i]` races with a write by another work-item
}

int middle(local int *values, int i)
{
    return values[i ^ 2]; //~ races * `values[i ^ 2]` of the local variable `called.own`
}

kernel void called(global int *out)
{
    local int own[32];
    int i = get_local_id(0);
    own[i] = i;
    out[i] = middle(own, i);
}

kernel void fine(global int *out, global uchar *bytes, local int *given)
{
    local int tile[32], any;
    local uchar letters[32];
    int i = get_local_id(0);
    // All write the same.
    any = 0;
    letters[i] = i;
    bytes[get_global_id(0)] = i;
    given[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 1; k < 32; k *= 2) {
        int other = given[i ^ k] + letters[31 - i];
        barrier(CLK_LOCAL_MEM_FENCE);
        given[i] += other;
        if (other & 1)
            any = 1;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    event_t copied = async_work_group_copy(tile, (global int *)bytes + 8 * get_group_id(0), 8, 0);
    wait_group_events(1, &copied);
    out[get_global_id(0)] = given[31 - i] + any + tile[i & 7];
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (i == 0)
        out[get_global_id(0)] = out[get_global_id(0) + 1];
}
