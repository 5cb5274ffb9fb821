//! options: -cl-std=CL3.0
//! buffer in read-only: int = 0..16
//! buffer out write-only: int 16
//! buffer both: int = 16*1
//! launch: writes(in, out) global 4
//! launch: reads(in, out, both) global 4
//! launch: vectors(in, out) global 1
//! launch: atomics(in, out, both) global 2
//! launch: functions(in, out, both, int 1) global 1
//! launch: records(in, both) global 1
//! launch: asynchronous(in, out) global 8 local 8
//! launch: fine(in, out, both) global 4

kernel void writes(global int *in, global int *out)
{
    int i = get_global_id(0);
    in[i] = 1; //~ flags 4 `in[i] = 1` write of 4 bytes at byte
    if (i == 2)
        in[i + 4] = 7; //~ flags 1 `in[i + 4] = 7` write of 4 bytes at byte 24 of the argument `in` (0), whose buffer is `CL_MEM_READ_ONLY`
    out[i] = 1;
}

kernel void reads(global const int *in, global int *out, global int *both)
{
    int i = get_global_id(0);
    both[i] = out[i]; //~ flags 4 `out[i]` read of 4 bytes
    both[i] += in[i] + out[i + 8]; //~ flags 4 `out[i + 8]` of the argument `out` (1), whose buffer is `CL_MEM_WRITE_ONLY`
    out[i] += 1; //~ flags 4 `out[i] += 1` read of 4 bytes
}

kernel void vectors(global int *in, global int *out)
{
    int4 v = vload4(1, in);
    vstore4(v, 2, in); //~ flags 1 `vstore4(v, 2, in)` write of 16 bytes at byte 32
    vstore4(v, 0, out);
}

kernel void atomics(global int *in, global int *out, global int *both)
{
    atomic_inc(in); //~ flags 2 `atomic_inc(in)` atomic operation of 4 bytes
    atomic_add(both, 2);
}

int at(global int *p, int i)
{
    return p[i]; //~ flags 1 `p[i]` read of 4 bytes at byte 4 of the argument `out` (1)
}

void set(global int *p, int i)
{
    p[i] = 3; //~ flags 1 `p[i] = 3` write of 4 bytes at byte 4 of the argument `in` (0)
}

kernel void functions(global int *in, global int *out, global int *both, int n)
{
    set(in, n);
    set(out, n);
    both[0] = at(in, n) + at(out, n);
    global int *chosen = n == 1 ? in : both;
    chosen[2] = n; //~ flags 1 `chosen[2] = n` of the argument `in` (0)
}

struct Pair {
    int numbers[4];
    int last[2];
};

kernel void records(global struct Pair *in, global struct Pair *both)
{
    both->numbers[in->numbers[2]] = 4;
    in->numbers[both->last[0]] = 4; //~ flags 1 `in->numbers[both->last[0]] = 4` write of 4 bytes at byte 4 of the array
}

kernel void asynchronous(global int *in, global int *out)
{
    local int tile[8];
    event_t e = async_work_group_copy(tile, out, 8, 0); //~ flags * `async_work_group_copy(tile, out, 8, 0)` of the argument `out` (1)
    wait_group_events(1, &e);
    in[get_local_id(0)] = get_local_size(0); //~ flags 8 `in[get_local_id(0)] = get_local_size(0)` write
}

kernel void fine(global int *in, global int *out, global int *both)
{
    int i = get_global_id(0);
    out[i] = in[i] + both[i];
    both[i] = in[i + 4];
}
