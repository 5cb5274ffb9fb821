//! options: -cl-std=CL3.0
//! buffer out: int 256
//! buffer few: int = 0 0 0 0 0 0 0 0
//! buffer records: int 64
//! launch: shifted(out) global 64 local 64
//! launch: everybody(few) global 64 local 16
//! launch: neighbours(out) global 64 local 64
//! launch: between_groups(out) global 64 local 8
//! launch: not_for_groups(out) global 32 local 16
//! launch: local_fence(out) global 32 local 32
//! launch: mixed(few) global 32 local 8
//! launch: before_atomics(few) global 32768 local 8
//! launch: totals(few) global 32 local 8
//! launch: aliases(out, out) global 32 local 32
//! launch: variable(out) global 32 local 8
//! launch: fine(out, few, records) global 64 local 16

kernel void shifted(global int *out)
{
    int i = get_global_id(0);
    out[i] = out[i + 1]; //~ races * `out[i] = out[i + 1]` of the argument `out` (0) races with a read
}

kernel void everybody(global int *few)
{
    few[1] = get_global_id(0); //~ races * `few[1] = get_global_id(0)` write of 4 bytes at byte 4 of the argument `few` (0) races with a write by another work-
}

kernel void neighbours(global int *out)
{
    int i = get_global_id(0);
    out[i] = i; //~ races ? `out[i] = i` races with a read
    out[64 + i] = out[63 - i]; //~ races * `out[63 - i]` read of 4 bytes at byte
}

kernel void between_groups(global int *out)
{
    int i = get_global_id(0);
    out[i] = i; //~ races ? `out[i] = i` races with a read by another work-group
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        out[128 + i] = out[i ^ 8]; //~ races * `out[i ^ 8]` by another work-group
}

kernel void not_for_groups(global int *out)
{
    int i = get_global_id(0);
    if (i < 16)
        out[3] = i + get_group_id(0); //~ races * `out[3] = i + get_group_id(0)` races with a write by another work-
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (i == 16)
        out[3] = 7; //~ races ? `out[3] = 7` races with a write by another work-group
}

kernel void local_fence(global int *out)
{
    int i = get_global_id(0);
    out[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[64 + i] = out[31 - i]; //~ races * `out[31 - i]` by another work-item
}

kernel void mixed(global int *few)
{
    atomic_inc(few); //~ races ? `atomic_inc(few)` atomic operation of 4 bytes at byte 0
    if (get_global_id(0) == 31)
        few[0] = 5; //~ races * `few[0] = 5` races with an atomic operation by another work-
}

// The barrier is before all atomic operations, so it tells no work-group of another one.
kernel void before_atomics(global int *few)
{
    if (get_global_id(0) == 0)
        few[4] = 3; //~ races ? `few[4] = 3` races with an atomic operation by another work-group
    barrier(CLK_GLOBAL_MEM_FENCE);
    atomic_inc(&few[4]); //~ races * `atomic_inc(&few[4])` races with a write by another work-group
}

kernel void totals(global int *few)
{
    few[2] += get_local_id(0); //~ races * `few[2] += get_local_id(0)` //~ races * `few[2] += get_local_id(0)` write of
}

kernel void aliases(global int *from, global int *to)
{
    int i = get_global_id(0);
    to[i + 1] = from[i]; //~ races ? `from[i]` races with a write //~ races * `to[i + 1] = from[i]` races with a read
}

global int total;

kernel void variable(global int *out)
{
    total = get_global_id(0); //~ races * `total = get_global_id(0)` of the program's variable `total`
}

kernel void fine(global int *out, global int *few, global int *records)
{
    int i = get_global_id(0);
    atomic_fetch_add_explicit((global atomic_int *)few, 1, memory_order_relaxed, memory_scope_device);
    out[i] = few[7];
    out[128] = 1;
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[64 + i] = out[i ^ 1] + out[i];
    // The last group adds what the others left.
    local int is_last;
    if (get_local_id(0) == 0) {
        records[get_group_id(0)] = i;
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
        is_last = atomic_inc(&few[1]) == get_num_groups(0) - 1;
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (is_last && get_local_id(0) < get_num_groups(0))
        records[32 + get_local_id(0)] = records[get_local_id(0)];
    // A lock.
    if (get_local_id(0) == 1) {
        int tries = 0;
        bool done = false;
        while (!done && tries++ < 10000)
            if (atomic_xchg(&few[2], 1) == 0) {
                atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
                few[3] = few[3] + 1;
                atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
                atomic_xchg(&few[2], 0);
                done = true;
            }
    }
}
