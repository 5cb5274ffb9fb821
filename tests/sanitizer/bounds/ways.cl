//! options: -cl-std=CL3.0
//! buffer in: float = 0..16
//! buffer out: float 16
//! launch: vectors(in, out) global 5
//! launch: chosen(in, out, int 1) global 1
//! launch: functions(in, out, int 16) global 1
//! launch: loops(in, out) global 1
//! launch: null_pointers(out, int 0) global 1
//! launch: asynchronous(in, out) global 8 local 8
//! launch: written(out, int 16) global 1

kernel void vectors(global const float *in, global float *out)
{
    int i = get_global_id(0);
    float4 v = vload4(i, in); //~ bounds 1 `vload4(i, in)` read of 16 bytes at byte 64
    vstore3(v.xyz, i + 1, out); //~ bounds 1 `vstore3(v.xyz, i + 1, out)` write of 12 bytes
    vstore_half(v.x, 32 + i, (global half *)out); //~ bounds 5 `vstore_half(v.x, 32 + i, (global half *)out)` write of 2 bytes
    ((global float2 *)out)[i + 4].y = 1; //~ bounds 1 `((global float2 *)out)[i + 4].y = 1` write of 4 bytes at byte 68 //~ races ? `((global float2 *)out)[i + 4].y = 1` races with a write
}

kernel void chosen(global const float *in, global float *out, int n)
{
    float own[4] = { 0 };
    float *p = n ? own : 0;
    p[4] = 1; //~ bounds 1 `p[4] = 1` of the variable `own`
    global const float *q = n == 1 ? out : in;
    out[0] = q[-1]; //~ bounds 1 `q[-1]` before the start of the argument `out` (1)
    q = n == 2 ? out : in;
    out[0] = q[16]; //~ bounds 1 `q[16]` of the argument `in` (0)
}

float at(global const float *p, int i)
{
    return p[i]; //~ bounds 2 `p[i]` of the argument `in` (0)
}

float twice(global const float *p, int i)
{
    return at(p, i) + at(p + 1, i);
}

void set(float *p, int i)
{
    p[i] = 1; //~ bounds 1 `p[i] = 1` of the variable `own`
}

kernel void functions(global const float *in, global float *out, int n)
{
    float own[2];
    set(own, 1);
    set(own, 2);
    out[0] = twice(in, n) + own[1];
}

kernel void loops(global const float *in, global float *out)
{
    float sum = 0;
    global const float *end = in + 17;
    for (global const float *p = in; p != end; p++)
        sum += *p; //~ bounds 1 `*p` read of 4 bytes at byte 64
    global float *p = out;
    for (int i = 0; i <= 16; i += 4, p += 4)
        *p = sum; //~ bounds 1 `*p = sum` write of 4 bytes at byte 64
}

kernel void null_pointers(global float *out, int n)
{
    global float *p = 0;
    if (n == 1)
        p = out;
    *p = 1; //~ bounds 1 `*p = 1` write through a null pointer
    p[3] = 1; //~ bounds 1 `p[3] = 1` write through a null pointer
}

kernel void asynchronous(global const float *in, global float *out)
{
    local float tile[8];
    event_t e = async_work_group_copy(tile, in + 12, 8, 0); //~ bounds * `async_work_group_copy(tile, in + 12, 8, 0)` of the argument `in` (0)
    wait_group_events(1, &e);
    out[get_local_id(0)] = tile[get_local_id(0)];
}

kernel void written(global float *out, int n)
{
    float whole;
    float part = fract(2.5f, &whole);
    out[0] = sincos(part, out + n); //~ bounds 1 `sincos(part, out + n)` write of 4 bytes at byte 64
    out[1] = whole;
}
