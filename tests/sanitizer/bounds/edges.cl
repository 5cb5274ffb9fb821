//! buffer in: int = 0..64
//! buffer out: int 64
//! buffer bytes: uchar 100
//! launch: guarded(in, out, int 64) global 80 local 16
//! launch: guarded(in, out, int 66) global 80 local 16
//! launch: guarded(in, out, int 60) global 80 local 16
//! launch: grid(out, int 8, int 8) global 12x10 local 4x2
//! launch: grid(out, int 9, int 8) global 12x10 local 4x2
//! launch: grid(out, int 8, int 9) global 12x10 local 4x2
//! launch: falling(out, int 63, int 0) global 1
//! launch: falling(out, int 64, int -2) global 1
//! launch: halves(out, int 63) global 1
//! launch: halves(out, int 130) global 1
//! launch: wraps(out, int 1) global 4
//! launch: wraps(out, int 1073741824) global 4
//! launch: before(in, out, uint 1) global 4
//! launch: before(in, out, uint 0) global 4
//! launch: masked(in, out, int 63) global 64
//! launch: masked(in, out, int 127) global 64
//! launch: compared(in, out, int 64) global 8
//! launch: rows(out) global 8 local 8
//! launch: rows(out) global 9 local 9
//! launch: parts(bytes, int 4) global 8
//! launch: steps(out, int 4) global 16
//! launch: steps(out, int 5) global 16

// What is right in some launches and not in others, by a little. The host finds out at each launch whether
// accesses stay inside; where it errs, these errors are not found.

kernel void guarded(global const int *in, global int *out, int n)
{
    int i = get_global_id(0);
    if (i < n)
        out[i] = 1; //~ bounds 2 `out[i] = 1` write of 4 bytes at byte 2
    if (i <= n)
        out[i] += 1; //~ bounds 4 `out[i] += 1` write of 4 bytes at byte 256 //~ bounds 4 `out[i] += 1` read of 4 bytes at byte 256
}

kernel void grid(global int *out, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height)
        return;
    out[y * width + x] = 1; //~ bounds 16 `out[y * width + x] = 1` write of 4 bytes
}

kernel void falling(global int *out, int n, int last)
{
    for (int k = n; k >= last; --k)
        out[k] = 1; //~ bounds 3 `out[k] = 1` write of 4 bytes at byte 256
}

kernel void halves(global int *out, int n)
{
    for (int step = n; step > 0; step /= 2)
        out[step] = 1; //~ bounds 2 `out[step] = 1` write of 4 bytes at byte 520
}

// The product of ints is negative from the third work-item on.
kernel void wraps(global int *out, int n)
{
    int i = get_global_id(0) * n;
    out[i >> 28] = 1; //~ bounds 2 `out[i >> 28] = 1` before the start of
}

kernel void before(global const int *in, global int *out, uint first)
{
    uint i = get_global_id(0) + first - 1;
    out[i] = in[i]; //~ bounds 1 `out[i] = in[i]` write of 4 bytes at byte 17179869180 of //~ bounds 1 `in[i]` read of 4 bytes at byte 17179869180 of
}

kernel void masked(global const int *in, global int *out, int mask)
{
    out[in[get_global_id(0)] * 2 & mask] = 1; //~ bounds 32 `out[in[get_global_id(0)] * 2 & mask] = 1` write of 4 bytes
}

kernel void compared(global const int *in, global int *out, int n)
{
    int i = in[get_global_id(0)] - 2;
    if (i < n)
        out[i] = 1; //~ bounds 2 `out[i] = 1` before the start of
    if ((uint)i < n)
        out[i] = 1;
}

kernel void rows(global int *out)
{
    local int tile[8][9];
    int x = get_local_id(0);
    for (int y = 0; y < 8; ++y)
        tile[y][x + 1] = y; //~ bounds 8 `tile[y][x + 1] = y` write of 4 bytes at byte 36 of the array
    tile[x][0] = x; //~ bounds 1 `tile[x][0] = x` write of 4 bytes at byte 288 of the local variable
    barrier(CLK_LOCAL_MEM_FENCE);
    out[x] = tile[7][x];
}

typedef struct {
    int head;
    int letters[4];
} Part;

// 100 bytes are five parts.
kernel void parts(global uchar *bytes, int n)
{
    int i = get_global_id(0);
    global Part *part = (global Part *)bytes + i;
    if (i < 6)
        part->letters[i % n] = 1; //~ bounds 1 `part->letters[i % n] = 1` write of 4 bytes at byte 108 of
}

kernel void steps(global int *out, int n)
{
    int i = get_global_id(0);
    for (int k = 0; k < n; ++k)
        out[k * 16 + i] = 1; //~ bounds 16 `out[k * 16 + i] = 1` write of 4 bytes
}
