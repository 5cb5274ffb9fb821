//! options: -cl-std=CL3.0
//! buffer out: int 64
//! launch: never(out) global 8 local 8
//! launch: some(out) global 16 local 8
//! launch: given(out, local 64) global 8 local 8
//! launch: counter(out) global 8 local 8
//! launch: accumulated(out) global 8 local 8
//! launch: vectors(out) global 8 local 8
//! launch: fine(out, local 64) global 32 local 8

kernel void never(global int *out)
{
    local int shared;
    if (out == 0)
        shared = 1;
    out[get_global_id(0)] = shared; //~ uninitialised 8 `shared` read of 4 bytes at byte 0 of the local variable `never.shared` before it is written
}

kernel void some(global int *out)
{
    local int tile[8];
    int i = get_local_id(0);
    if (i < 4)
        tile[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[7 - i]; //~ uninitialised 8 `tile[7 - i]` of the local variable `some.tile` before it is written
}

kernel void given(global int *out, local int *values)
{
    int i = get_local_id(0);
    values[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = values[i + 4]; //~ uninitialised 4 `values[i + 4]` read of 4 bytes at byte 32 of the argument `values` (1) before it is written
}

kernel void counter(global int *out)
{
    local int count;
    atomic_inc(&count); //~ uninitialised * `atomic_inc(&count)` atomic operation of 4 bytes
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_local_id(0)] = count;
}

kernel void accumulated(global int *out)
{
    local float sums[8];
    int i = get_local_id(0);
    sums[i] += 1; //~ uninitialised 8 `sums[i] += 1` of the local variable `accumulated.sums` before
    out[i] = as_int(sums[i]);
}

kernel void vectors(global int *out)
{
    local float4 wide[8];
    int i = get_local_id(0);
    wide[i].xyz = (float3)(1, 2, 3);
    vstore2((float2)(4, 5), 0, (local float *)wide + 4 * i);
    out[i] = vload4(i, (local float *)wide).z; //~ uninitialised 8 `vload4(i, (local float *)wide)` read of 16 bytes
}

kernel void fine(global int *out, local int *values)
{
    local struct { char letter; int number; } record, copy;
    local int total;
    int i = get_local_id(0);
    if (i == 0) {
        record.letter = 'a';
        record.number = 7;
        copy = record;
        total = 0;
    }
    event_t copied = async_work_group_copy(values, out, 8, 0);
    wait_group_events(1, &copied);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&total, values[i]);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[32 + get_global_id(0)] = total + copy.number;
}
