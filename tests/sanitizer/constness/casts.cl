//! buffer in: int = 0..16
//! buffer out: int 16
//! launch: casts(in, out) global 4
//! launch: vectors(in, out) global 1
//! launch: atomics(in, out) global 2
//! launch: functions(in, out, int 1) global 1
//! launch: locals(in, out, local 32) global 4
//! launch: fine(in, out) global 4

kernel void casts(global const int *in, global int *out)
{
    int i = get_global_id(0);
    ((global int *)in)[i] = i; //~ constness 4 `((global int *)in)[i] = i` write of 4 bytes
    global int *p = (global int *)in + 4;
    p[i] = 1; //~ constness 4 `p[i] = 1` of the argument `in` (0), which points to `const`
    p[i]++; //~ constness 4 `p[i]++` write of 4 bytes
    *(global char *)(in + 12 + i) = 1; //~ constness 4 `*(global char *)(in + 12 + i) = 1` write of 1 byte
    out[i] = in[i];
}

kernel void vectors(global const int4 *in, global int *out)
{
    vstore4(in[1], 2, (global int *)in); //~ constness 1 `vstore4(in[1], 2, (global int *)in)` write of 16 bytes at byte 32
    ((global int4 *)in)->y = 3; //~ constness 1 `((global int4 *)in)->y = 3` write of 4 bytes at byte 4
}

kernel void atomics(global const int *in, global int *out)
{
    atomic_inc((global int *)in); //~ constness 2 `atomic_inc((global int *)in)` atomic operation of 4 bytes
}

void set(global const int *p, int i)
{
    ((global int *)p)[i] = 3; //~ constness 1 `((global int *)p)[i] = 3` write of 4 bytes at byte 4 of the argument `in` (0)
}

kernel void functions(global const int *in, global int *out, int n)
{
    set(in, n);
    set(out, n);
    global int *chosen = n == 1 ? (global int *)in : out;
    chosen[2] = n; //~ constness 1 `chosen[2] = n` of the argument `in` (0)
}

kernel void locals(global const int *in, global int *out, local const int *part)
{
    int i = get_local_id(0);
    ((local int *)part)[i] = i; //~ constness 4 `((local int *)part)[i] = i` of the argument `part` (2)
    out[i] = part[i];
}

kernel void fine(global const int *in, global int *out)
{
    int i = get_global_id(0);
    const global int *p = out;
    ((global int *)p)[i] = in[i];
}
