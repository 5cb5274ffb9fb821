//! options: -cl-std=CL3.0
//! buffer bytes: uchar = 0..64
//! buffer out: int 16
//! launch: casts(bytes, out, int 1) global 1
//! launch: vectors(bytes, out, int 4) global 1
//! launch: variables(out, int 2) global 1
//! launch: steps(bytes, out) global 4
//! launch: fine(bytes, out) global 4

typedef struct {
    char tag;
    int value;
} tagged;

kernel void casts(global uchar *bytes, global int *out, int n)
{
    out[0] = *(global int *)(bytes + n); //~ alignment 1 `*(global int *)(bytes + n)` read at byte 1 of the argument `bytes` (0), which is not a multiple of 4 bytes
    *(global short *)(bytes + 2 * n + 1) = 1; //~ alignment 1 `*(global short *)(bytes + 2 * n + 1) = 1` write at byte 3
    *(global ulong *)(bytes + 4 * n) = 1; //~ alignment 1 `*(global ulong *)(bytes + 4 * n) = 1` which is not a multiple of 8 bytes
    atomic_inc((global uint *)(bytes + 6)); //~ alignment 1 `atomic_inc((global uint *)(bytes + 6))` atomic operation at byte 6
}

kernel void vectors(global uchar *bytes, global int *out, int n)
{
    int2 two = *(global int2 *)(bytes + n); //~ alignment 1 `*(global int2 *)(bytes + n)` which is not a multiple of 8 bytes
    *(global int4 *)(out + 2) = (int4)(1); //~ alignment 1 `*(global int4 *)(out + 2) = (int4)(1)` which is not a multiple of 16 bytes
    out[0] = two.x + vload2(0, (global int *)(bytes + n)).x;
    out[1] = vload2(0, (global int *)(bytes + n + 1)).x; //~ alignment 1 `vload2(0, (global int *)(bytes + n + 1))` read at byte 5
}

kernel void variables(global int *out, int n)
{
    uchar own[16] = { 1, 2, 3 };
    local uchar shared[16];
    out[0] = *(int *)(own + n); //~ alignment 1 `*(int *)(own + n)` read at byte 2 of the variable `own`
    *(local int *)(shared + n + 1) = 1; //~ alignment 1 `*(local int *)(shared + n + 1) = 1` write at byte 3 of the local variable
    tagged t = { 1, 2 };
    out[1] = ((tagged *)(own + n))->value; //~ alignment 1 `((tagged *)(own + n))->value` read at byte 6
    out[2] = t.value;
}

kernel void steps(global uchar *bytes, global int *out)
{
    int i = get_global_id(0);
    out[i] = ((global ushort *)(bytes + i))[3]; //~ alignment 2 `((global ushort *)(bytes + i))[3]` which is not a multiple of 2 bytes
    global uchar *p = bytes;
    for (int k = 0; k < i; k++)
        p += 2;
    out[4 + i] = *(global int *)p; //~ alignment 2 `*(global int *)p` which is not a multiple of 4 bytes
}

kernel void fine(global uchar *bytes, global int *out)
{
    int i = get_global_id(0);
    out[8 + i] = ((global int *)bytes)[i] + ((global ushort *)bytes)[2 * i] + ((global uint4 *)bytes)[i].y;
    out[12 + i] = vload4(i, bytes).x + vload2(1, (global short *)(bytes + 2 * i)).x;
}
