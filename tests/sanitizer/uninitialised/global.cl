//! buffer in undefined: int 16
//! buffer table undefined: int 16
//! buffer sums undefined: int 16
//! buffer counts undefined: int 4
//! buffer pairs undefined: int 8
//! buffer out: int 16
//! launch: copied(in, out) global 4
//! launch: written_first(sums, out) global 8 local 4
//! launch: constant_memory(table, out) global 2
//! launch: counted(counts, out) global 4
//! launch: members(pairs, out) global 1
//! launch: fine(in, sums, counts, out) global 4

kernel void copied(global const int *in, global int *out)
{
    int i = get_global_id(0);
    out[i] = in[i]; //~ uninitialised 4 `in[i]` read of 4 bytes at byte
    out[i] += in[i + 8] * 2; //~ uninitialised 4 `in[i + 8]` of the argument `in` (0) before it is written
    int4 all = vload4(1, in); //~ uninitialised 4 `vload4(1, in)` read of 16 bytes at byte 16
    out[i + 4] = all.x;
}

kernel void written_first(global int *sums, global int *out)
{
    int i = get_global_id(0);
    sums[i] = i;
    out[i] = sums[i] + sums[i + 8]; //~ uninitialised 8 `sums[i + 8]` of the argument `sums` (0) before it is written
    barrier(CLK_GLOBAL_MEM_FENCE);
    int group = get_group_id(0) * 4;
    if (get_local_id(0) == 0)
        for (int k = 0; k < 4; k++)
            out[i] += sums[group + k];
}

kernel void constant_memory(constant int *table, global int *out)
{
    int i = get_global_id(0);
    out[i] = table[i]; //~ uninitialised 2 `table[i]` read of 4 bytes at byte
    out[i] += table[7]; //~ uninitialised 2 `table[7]` read of 4 bytes at byte 28 of the argument `table` (0) before it is written
}

kernel void counted(global int *counts, global int *out)
{
    int i = get_global_id(0);
    atomic_inc(&counts[i]); //~ uninitialised 4 `atomic_inc(&counts[i])` atomic operation of 4 bytes
    out[i] = counts[i];
}

struct Pair {
    int numbers[2];
    int sum, product;
};

kernel void members(global struct Pair *pairs, global int *out)
{
    pairs->numbers[0] = 1;
    out[0] = pairs->numbers[0] + pairs->sum; //~ uninitialised 1 `pairs->sum` read of 4 bytes at byte 8
    out[1] = pairs->numbers[1]; //~ uninitialised 1 `pairs->numbers[1]` of the array `pairs->numbers` before it is written
    struct Pair copy = pairs[1];
    pairs[0] = copy;
}

kernel void fine(global const int *in, global int *sums, global int *counts, global int *out)
{
    int i = get_global_id(0);
    // Launches that may write have had each of these but the first.
    out[i] = sums[i] + counts[i];
    if (i > 100)
        out[i] += in[i];
}
