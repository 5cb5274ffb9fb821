//! options: -cl-std=CL3.0
//! buffer out: int 64
//! buffer in: int = 0 1 2 3 4 5 6 7
//! launch: branch(out, in) global 8
//! launch: stored(out, in) global 8
//! launch: address(out, in) global 8
//! launch: arrays(out, in) global 8
//! launch: lanes(out, in) global 8
//! launch: in_loop(out, in) global 8
//! launch: switched(out, in) global 8
//! launch: passed(out, in) global 8
//! launch: members(out, in) global 8
//! launch: chosen(out, in) global 8
//! launch: returned(out, in) global 8
//! launch: fine(out, in) global 8

kernel void branch(global int *out, global const int *in)
{
    int i = get_global_id(0), limit;
    if (in[i] > 5)
        limit = 3;
    if (i > limit) //~ uninitialised 6 `i > limit` a condition depends on the variable `limit`, which was not written
        out[i] = 1;
}

kernel void stored(global int *out, global const int *in)
{
    int i = get_global_id(0), sum;
    for (int k = 0; k < 3; k++)
        sum += in[k];
    out[i] = sum; //~ uninitialised 8 `out[i] = sum` the stored value depends on the variable `sum`
}

kernel void address(global int *out, global const int *in)
{
    int i = get_global_id(0), k;
    if (in[i] < 4)
        k = i;
    out[k & 7] = i; //~ uninitialised 4 `out[k & 7]` an address depends on the variable `k`
}

kernel void arrays(global int *out, global const int *in)
{
    int i = get_global_id(0);
    float parts[4];
    parts[in[i] & 3] = 1;
    out[i] = parts[in[i + 1 & 7] & 3]; //~ uninitialised 8 `out[i] = parts[in[i + 1 & 7] & 3]` the stored value depends on the variable `parts`
    parts[in[i] + 1 & 3] = 1;
    out[i] += parts[in[i + 1 & 7] & 3];
}

float4 three(float x)
{
    float4 v;
    v.x = x;
    v.yz = (float2)(x, 1);
    return v;
}

int nothing(void)
{
    int n;
    return n; //~ uninitialised 8 `return n;` a value that others get depends on the variable `n`
}

// A lane that is not written may be passed on, because nothing may use it.
kernel void returned(global int *out, global const int *in)
{
    int i = get_global_id(0);
    out[i] = (int)three(in[i]).y;
    out[8 + i] = nothing();
}

kernel void lanes(global int *out, global const int *in)
{
    int4 v;
    v.xz = (int2)(in[0], in[1]);
    v.y = 7;
    out[0] = v.x + v.y + v.z;
    out[1] = v.w; //~ uninitialised 8 `out[1] = v.w` depends on the variable `v`
    v = v.xyzz;
    out[2] = v.w;
}

kernel void in_loop(global int *out, global const int *in)
{
    int i = get_global_id(0), best;
    for (int k = 0; k < i; k++)
        if (in[k] == 2)
            best = k;
    out[i] = i < 3 ? 0 : best;
    out[8 + i] = best + i; //~ uninitialised 3 `out[8 + i] = best + i` depends on the variable `best`
}

kernel void switched(global int *out, global const int *in)
{
    int i = get_global_id(0), which;
    switch (in[i]) {
    case 0: which = 2; break;
    case 1: which = 3; break;
    }
    switch (which) { //~ uninitialised 6 `which` a condition depends on the variable `which`
    case 2: out[i] = 1; break;
    default: out[i] = 2;
    }
}

int twice(int n)
{
    return 2 * n;
}

kernel void passed(global int *out, global const int *in)
{
    int i = get_global_id(0), n;
    if (in[i] & 1)
        n = i;
    out[i] = twice(n); //~ uninitialised 4 `twice(n)` depends on the variable `n`
}

typedef struct {
    int first, second;
    char third;
} record;

kernel void members(global int *out, global const int *in)
{
    int i = get_global_id(0);
    record a, b;
    a.first = i;
    a.third = 'a';
    b = a;
    out[i] = b.first + b.third;
    out[8 + i] = b.second; //~ uninitialised 8 `out[8 + i] = b.second` depends on the variable `b`
}

kernel void chosen(global int *out, global const int *in)
{
    int i = get_global_id(0), a, b = 2;
    int n = in[i] < 4 ? a : b;
    atomic_add(&out[0], n); //~ uninitialised 4 `atomic_add(&out[0], n)` a value that others get depends on
}

kernel void fine(global int *out, global const int *in)
{
    int i = get_global_id(0), sum, parts[4], k, last;
    bool found = false;
    sum = 0;
    for (k = 0; k < 8; k++) {
        int halved = in[k] / 2;
        parts[k & 3] = halved;
        if (halved == 2) {
            last = k;
            found = true;
        }
        sum += halved;
    }
    if (found)
        sum += last;
    float3 v;
    v.xy = (float2)(1, sum);
    v.z = 2;
    float8 wide;
    wide.lo = (float4)(v, 1);
    wide.hi = wide.lo.wzyx;
    record r = { i }, s;
    s = r;
    for (int n = 0; n < 4; n++)
        sum += parts[n];
    out[i] = sum + dot(v, v.zyx) + wide.s7 + s.second;
    goto end;
end:
    out[8 + i] = i;
}
