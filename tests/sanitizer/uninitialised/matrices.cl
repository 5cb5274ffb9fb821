//! needs: cl_khr_cooperative_matrix
//! buffer in: float = 0..256
//! buffer out: float 256
//! buffer right: float 256
//! launch: half_a_tile(in, out) global 64 local 64
//! launch: a_row_between(in, out) global 64 local 64
//! launch: never(out) global 64 local 64
//! launch: dropped(in, out) global 64 local 64
//! launch: passed_on(in, right) global 64 local 64
//! expect right: 0..256

#define MATRIX(rows, columns, use) \
    __attribute__((coop_mat(CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP, rows, columns, CLK_COOPERATIVE_MATRIX_##use)))
#define ROWS CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR
#define COLUMNS CLK_COOPERATIVE_MATRIX_LAYOUT_COLUMN_MAJOR

typedef float MATRIX(16, 16, ACCUMULATOR) matrix;
typedef float MATRIX(8, 16, ACCUMULATOR) low_matrix;

kernel void half_a_tile(global const float *in, global float *out)
{
    local float tile[256];
    for (uint i = get_local_id(0); i < 128; i += get_local_size(0))
        tile[i] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_sub_group_id() != 0)
        return;
    matrix m = coop_mat_load(tile, ROWS, 16); //~ uninitialised 128 `coop_mat_load(tile, ROWS, 16)` of the local variable `half_a_tile.tile` before it is written
    coop_mat_store(out, m, ROWS, 16);
}

// Rows of 16 elements and one more, which nobody writes; columns instead of rows reach it.
kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void a_row_between(global const float *in, global float *out)
{
    local float tile[16][17];
    for (uint i = get_local_id(0); i < 256; i += 64)
        tile[i / 16][i % 16] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_sub_group_id() != 0)
        return;
    matrix m = coop_mat_load((local float *)tile, ROWS, 17);
    matrix n = coop_mat_load((local float *)tile, ROWS, 16); //~ uninitialised 15 `coop_mat_load((local float *)tile, ROWS, 16)` of the local variable `a_row_between.tile` before it is written
    coop_mat_store(out, m + n, ROWS, 16);
}

kernel void never(global float *out)
{
    local float tile[256];
    if (get_sub_group_id() != 0)
        return;
    if (out == 0)
        tile[0] = 1;
    low_matrix m = coop_mat_load(tile, COLUMNS, 8); //~ uninitialised 128 `coop_mat_load(tile, COLUMNS, 8)` of the local variable `never.tile` before it is written
    coop_mat_store(out, m, ROWS, 16);
}

// A store that is not made, because a part of it is outside, leads to no other report.
kernel void dropped(global const float *in, global float *out)
{
    local float tile[256];
    if (get_sub_group_id() != 0)
        return;
    matrix m = coop_mat_load(in, ROWS, 16);
    coop_mat_store(tile + 16, m, ROWS, 16); //~ bounds 16 `coop_mat_store(tile + 16, m, ROWS, 16)` write of 4 bytes at byte 10
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    low_matrix l = coop_mat_load(tile + 32, COLUMNS, 8);
    coop_mat_store(out, l, ROWS, 16);
}

kernel void passed_on(global const float *in, global float *out)
{
    local float tile[256];
    if (get_sub_group_id() != 0)
        return;
    matrix m = coop_mat_load(in, ROWS, 16);
    coop_mat_store(tile, m, COLUMNS, 16);
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    matrix n = coop_mat_load(tile, COLUMNS, 16);
    coop_mat_store(out, n, ROWS, 16);
}
