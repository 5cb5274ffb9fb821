//! needs: cl_khr_cooperative_matrix
//! buffer in: float = 0..256
//! buffer out: float 2048
//! buffer all: float 256
//! buffer tiles: float 2048
//! launch: sub_groups(out) global 256 local 256
//! launch: groups(out) global 256 local 128
//! launch: overlapping(out) global 256 local 128
//! launch: missing_barrier(in, out) global 128 local 128
//! launch: too_early(in, out, local 1024) global 128 local 128
//! launch: turned(in, out) global 128 local 128
//! launch: equal(all) global 256 local 128
//! launch: staged(in, tiles) global 256 local 128
//! expect all: 256*1

// What sub-groups store together races with what others do, as other accesses do. Work-groups have two
// sub-groups at least.

#define MATRIX(rows, columns, use) \
    __attribute__((coop_mat(CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP, rows, columns, CLK_COOPERATIVE_MATRIX_##use)))
#define ROWS CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR
#define COLUMNS CLK_COOPERATIVE_MATRIX_LAYOUT_COLUMN_MAJOR

typedef float MATRIX(16, 16, ACCUMULATOR) matrix;

// Every sub-group writes another number.
kernel void sub_groups(global float *out)
{
    matrix m = coop_mat_init((float)get_sub_group_id());
    coop_mat_store(out, m, ROWS, 16); //~ races * `coop_mat_store(out, m, ROWS, 16)` of the argument `out` (0) races with a write by another work-item
}

kernel void groups(global float *out)
{
    if (get_sub_group_id() != 0)
        return;
    matrix m = coop_mat_init((float)get_group_id(0));
    coop_mat_store(out, m, ROWS, 16); //~ races * `coop_mat_store(out, m, ROWS, 16)` of the argument `out` (0) races with a write by another work-group
}

// Tiles of 16 rows, 15 rows apart.
kernel void overlapping(global float *out)
{
    if (get_sub_group_id() != 0)
        return;
    matrix m = coop_mat_init((float)get_group_id(0));
    coop_mat_store(out + get_group_id(0) * 240, m, ROWS, 16); //~ races * `coop_mat_store(out + get_group_id(0) * 240, m, ROWS, 16)` races with a write by another work-group
}

kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void missing_barrier(global const float *in, global float *out)
{
    local float tile[256];
    for (uint i = get_local_id(0); i < 256; i += 128)
        tile[i] = in[i]; //~ races ? `tile[i] = in[i]` races with a read
    matrix m = coop_mat_load(tile, ROWS, 16); //~ races ? `coop_mat_load(tile, ROWS, 16)` of the local variable `missing_barrier.tile` races with a write //~ uninitialised ? `coop_mat_load(tile, ROWS, 16)` before it is written
    if (get_sub_group_id() == 0)
        coop_mat_store(out, m, ROWS, 16);
}

// The tile is filled again while others may still read it.
kernel void too_early(global const float *in, global float *out, local float *tile)
{
    matrix sum = coop_mat_init(0);
    for (uint round = 0; round < 2; ++round) {
        for (uint i = get_local_id(0); i < 256; i += 128)
            tile[i] = in[i] + round; //~ races ? `tile[i] = in[i] + round` races with a read
        barrier(CLK_LOCAL_MEM_FENCE);
        matrix m = coop_mat_load(tile, ROWS, 16); //~ races ? `coop_mat_load(tile, ROWS, 16)` races with a write
        sum = sum + m;
    }
    if (get_sub_group_id() == 0)
        coop_mat_store(out, sum, ROWS, 16);
}

// Who stored an element does not load it.
kernel void turned(global const float *in, global float *out)
{
    local float tile[256];
    if (get_sub_group_id() != 0)
        return;
    matrix m = coop_mat_load(in, ROWS, 16);
    coop_mat_store(tile, m, ROWS, 16); //~ races ? `coop_mat_store(tile, m, ROWS, 16)` races with a read
    m = coop_mat_load(tile, COLUMNS, 16); //~ races ? `coop_mat_load(tile, COLUMNS, 16)` races with a write
    coop_mat_store(out, m, ROWS, 16);
}

// All sub-groups write the same.
kernel void equal(global float *all)
{
    matrix m = coop_mat_init(1);
    coop_mat_store(all, m, ROWS, 16);
}

kernel void staged(global const float *in, global float *tiles)
{
    local float tile[256];
    for (uint round = 0; round < 2; ++round) {
        for (uint i = get_local_id(0); i < 256; i += 128)
            tile[i] = in[i] + round;
        barrier(CLK_LOCAL_MEM_FENCE);
        matrix m = coop_mat_load(tile, ROWS, 16);
        m = m + m;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (get_sub_group_id() == 0)
            coop_mat_store(tiles + (get_group_id(0) * 2 + round) * 256, m, ROWS, 16);
    }
}
