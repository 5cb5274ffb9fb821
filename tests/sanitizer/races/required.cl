//! options: -cl-std=CL1.2
//! buffer out: int 64
//! buffer in: int 64
//! launch: no_barrier(in, out) global 64 local 32
//! launch: one_barrier(in, out) global 64 local 32
//! launch: off_by_one(in, out) global 64 local 32
//! launch: folded(in, out) global 64 local 32
//! launch: folded_too_far(in, out) global 64 local 32
//! launch: unordered_fold(in, out) global 64 local 32
//! launch: turned(in, out) global 8x8 local 8x8
//! launch: turned_in_place(in, out) global 8x8 local 8x8
//! launch: scattered(in, out) global 64 local 32
//! launch: counted(in, out) global 64 local 32
//! launch: counted_and_read(in, out) global 64 local 32
//! launch: half_filled(in, out) global 64 local 32
//! launch: filled_in_loop(in, out) global 64 local 32
//! launch: short_loop(in, out) global 64 local 32
//! launch: filled_if(in, out) global 64 local 32
//! launch: left_early(in, out) global 64 local 32
//! launch: broken_loop(in, out, int 5) global 64 local 32
//! launch: filled_later(in, out, int 3) global 64 local 32
//! launch: in_step(in, out, int 3) global 64 local 32
//! launch: out_of_step(in, out, int 3) global 64 local 32

// Sizes of work-groups are known here, so that most of this is decided before there is a launch.
#define ITEMS __attribute__((reqd_work_group_size(32, 1, 1)))
#define PLANE __attribute__((reqd_work_group_size(8, 8, 1)))

kernel ITEMS void no_barrier(global const int *in, global int *out)
{
    local int tile[32];
    int i = get_local_id(0);
    tile[i] = in[get_global_id(0)]; //~ races ? `tile[i] = in[get_global_id(0)]` races with a read
    out[get_global_id(0)] = tile[31 - i]; //~ uninitialised ? `tile[31 - i]` before //~ races * `tile[31 - i]` races with a write
}

kernel ITEMS void one_barrier(global const int *in, global int *out)
{
    local int tile[32];
    int i = get_local_id(0);
    for (int k = 0; k < 3; k++) {
        tile[i] = in[get_global_id(0)] + k + i; //~ races * `tile[i] = in[get_global_id(0)] + k + i` races with a read
        barrier(CLK_LOCAL_MEM_FENCE);
        out[get_global_id(0)] = tile[31 - i]; //~ races ? `tile[31 - i]` races with a write
    }
}

kernel ITEMS void off_by_one(global const int *in, global int *out)
{
    local int tile[33];
    int i = get_local_id(0);
    tile[i] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[i + 1]; //~ uninitialised 2 `tile[i + 1]` read of 4 bytes at byte 128
}

kernel ITEMS void folded(global const int *in, global int *out)
{
    local int sums[32];
    int i = get_local_id(0);
    sums[i] = in[get_global_id(0)];
    for (int distance = 16; distance > 0; distance /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i < distance)
            sums[i] += sums[i + distance];
    }
    if (i == 0)
        out[get_group_id(0)] = sums[i];
}

kernel ITEMS void folded_too_far(global const int *in, global int *out)
{
    local int sums[64];
    int i = get_local_id(0);
    sums[i] = in[get_global_id(0)] + i;
    sums[i + 32] = i;
    for (int distance = 16; distance > 0; distance /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i <= distance)
            sums[i] += sums[i + distance]; //~ races ? `sums[i] += sums[i + distance]` races with a read //~ races ? `sums[i + distance]` races with a write
    }
    out[get_global_id(0)] = sums[i];
}

kernel ITEMS void unordered_fold(global const int *in, global int *out)
{
    local int sums[32];
    int i = get_local_id(0);
    sums[i] = in[get_global_id(0)] + i;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int distance = 16; distance > 0; distance /= 2)
        if (i < distance)
            sums[i] += sums[i + distance]; //~ races ? `sums[i] += sums[i + distance]` races with a read //~ races * `sums[i + distance]` races with a write
    if (i == 0)
        out[get_group_id(0)] = sums[0];
}

kernel PLANE void turned(global const int *in, global int *out)
{
    local int tile[8][9];
    int x = get_local_id(0), y = get_local_id(1);
    tile[y][x] = in[y * 8 + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[y * 8 + x] = tile[x][y];
}

kernel PLANE void turned_in_place(global const int *in, global int *out)
{
    local int tile[8][8];
    int x = get_local_id(0), y = get_local_id(1);
    tile[y][x] = in[y * 8 + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    int turned = tile[x][y]; //~ races ? `tile[x][y]` races with a write
    tile[y][x] = turned + x; //~ races * `tile[y][x] = turned + x` races with a read
    barrier(CLK_LOCAL_MEM_FENCE);
    out[y * 8 + x] = tile[y][x];
}

kernel ITEMS void scattered(global const int *in, global int *out)
{
    local int tile[32];
    int i = get_local_id(0);
    tile[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    tile[in[i] & 3] = i; //~ races * `tile[in[i] & 3] = i` races with a write
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[i];
}

kernel ITEMS void counted(global const int *in, global int *out)
{
    local int bins[8];
    int i = get_local_id(0);
    if (i < 8)
        bins[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&bins[in[i] & 7]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < 8)
        out[i] = bins[i];
}

kernel ITEMS void counted_and_read(global const int *in, global int *out)
{
    local int bins[8];
    int i = get_local_id(0);
    if (i < 7)
        bins[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&bins[i & 7]); //~ uninitialised * `atomic_inc(&bins[i & 7])` of the local variable //~ races ? `atomic_inc(&bins[i & 7])` races with a read
    if (i < 8)
        out[get_global_id(0)] = bins[7 - i]; //~ races * `bins[7 - i]` races with an atomic operation
}

kernel ITEMS void half_filled(global const int *in, global int *out)
{
    local int tile[32];
    int i = get_local_id(0);
    if (i % 2 == 0)
        tile[i] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[31 - i]; //~ uninitialised 32 `tile[31 - i]` of the local variable `half_filled.tile` before
}

kernel ITEMS void filled_in_loop(global const int *in, global int *out)
{
    local int tile[10][10];
    for (int i = get_local_id(0); i < 100; i += 32)
        tile[i / 10][i % 10] = in[i & 63];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[in[get_local_id(0)] & 7][in[3] & 7];
}

kernel ITEMS void short_loop(global const int *in, global int *out)
{
    local int tile[10][10];
    for (int i = get_local_id(0); i < 99; i += 32)
        tile[i / 10][i % 10] = in[i & 63];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[(in[get_local_id(0)] & 0) + 9][9]; //~ uninitialised 64 `tile[(in[get_local_id(0)] & 0) + 9][9]` before it is written
}

kernel ITEMS void filled_if(global const int *in, global int *out)
{
    local int tile[32];
    int i = get_local_id(0);
    if (in[i] > 1000)
        tile[i] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[31 - i]; //~ uninitialised 64 `tile[31 - i]` of the local variable `filled_if.tile` before
}

kernel ITEMS void left_early(global const int *in, global int *out)
{
    local int tile[32];
    int i = get_local_id(0);
    do {
        if (in[i] < 1000)
            break;
        tile[i] = in[i];
    } while (0);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[31 - i]; //~ uninitialised 64 `tile[31 - i]` of the local variable `left_early.tile` before
}

kernel ITEMS void broken_loop(global const int *in, global int *out, int count)
{
    local int tile[32];
    int i = get_local_id(0);
    for (int k = i; k < 32; k += 32) {
        if (count == 5)
            break;
        tile[k] = in[k];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[31 - i]; //~ uninitialised 64 `tile[31 - i]` of the local variable `broken_loop.tile` before
}

kernel ITEMS void filled_later(global const int *in, global int *out, int count)
{
    local int tile[32];
    int i = get_local_id(0);
    int sum = 0;
    for (int k = 0; k < count; k++) {
        sum += tile[31 - i]; //~ uninitialised 64 `tile[31 - i]` of the local variable `filled_later.tile` before
        barrier(CLK_LOCAL_MEM_FENCE);
        tile[i] = in[i];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = sum;
}

kernel ITEMS void in_step(global const int *in, global int *out, int count)
{
    local int tile[32];
    int i = get_local_id(0);
    int sum = 0;
    for (int k = 0; k < count; k++) {
        tile[i] = in[i] + k;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += tile[31 - i];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = sum;
}

kernel ITEMS void out_of_step(global const int *in, global int *out, int count)
{
    local int tile[32];
    int i = get_local_id(0);
    int sum = 0;
    for (int k = 0; k < count; k++) {
        tile[i] = in[i] + k + i; //~ races * `tile[i] = in[i] + k + i` races with a read
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += tile[31 - i]; //~ races ? `tile[31 - i]` races with a write
    }
    out[get_global_id(0)] = sum;
}
