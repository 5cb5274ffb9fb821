//! needs: cl_khr_cooperative_matrix
//! buffer in: float = 256*2
//! buffer rows: float = 240*2
//! buffer short_rows: float = 256*2
//! buffer few: float = 20*2
//! buffer back: float = 256*2
//! buffer out: float 256
//! buffer partly: float = 256*5
//! buffer halves: float 256
//! launch: last_row(rows, out) global 64 local 64
//! launch: last_column(short_rows, out, uint 16) global 64 local 64
//! launch: wide_stride(in, out, uint 17) global 64 local 64
//! launch: columns(in, out) global 64 local 64
//! launch: backwards(in, out, long -16) global 64 local 64
//! launch: far(in, out, ulong 1152921504606846976) global 64 local 64
//! launch: stores(partly) global 64 local 64
//! launch: in_local(in, out) global 64 local 64
//! launch: one_group(few, out, uint 0) global 64 local 64
//! launch: between(halves) global 64 local 64
//! launch: right(in, back, long -16) global 64 local 64
//! expect partly: 256*5
//! expect back: 256*2

// Each element outside counts once, whichever work-item holds it and however large sub-groups are. The matrix
// is then zero, or not stored.

#define MATRIX(rows, columns, use) \
    __attribute__((coop_mat(CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP, rows, columns, CLK_COOPERATIVE_MATRIX_##use)))
#define ROWS CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR
#define COLUMNS CLK_COOPERATIVE_MATRIX_LAYOUT_COLUMN_MAJOR

typedef float MATRIX(16, 16, ACCUMULATOR) matrix;
typedef half MATRIX(16, 16, A) left_matrix;
typedef half MATRIX(16, 8, B) right_matrix;
typedef float MATRIX(16, 8, ACCUMULATOR) narrow_matrix;

kernel void last_row(global const float *rows, global float *out)
{
    if (get_sub_group_id() != 0)
        return;
    matrix m = coop_mat_load(rows, ROWS, 16); //~ bounds 16 `coop_mat_load(rows, ROWS, 16)` read of 4 bytes at byte
    coop_mat_store(out, m, ROWS, 16);
}

// One element of the last column.
kernel void last_column(global const float *in, global float *out, uint stride)
{
    if (get_sub_group_id() != 0)
        return;
    matrix m = coop_mat_load(in + 1, ROWS, stride); //~ bounds 1 `coop_mat_load(in + 1, ROWS, stride)` read of 4 bytes at byte 1024 of the argument `in` (0), which has 1024 bytes
    coop_mat_store(out, m, ROWS, 16);
}

kernel void wide_stride(global const float *in, global float *out, uint stride)
{
    if (get_sub_group_id() != 0)
        return;
    matrix m = coop_mat_load(in, ROWS, stride); //~ bounds 15 `coop_mat_load(in, ROWS, stride)` of the argument `in` (0)
    coop_mat_store(out, m, ROWS, 16);
}

// 8 columns of 16 elements; then 16 times 8 with a stride that is too small to hold them.
kernel void columns(global const float *in, global float *out)
{
    if (get_sub_group_id() != 0)
        return;
    narrow_matrix m = coop_mat_load(in + 144, COLUMNS, 16); //~ bounds 16 `coop_mat_load(in + 144, COLUMNS, 16)` read of 4 bytes at byte 10
    narrow_matrix n = coop_mat_load(in + 136, ROWS, 8); //~ bounds 8 `coop_mat_load(in + 136, ROWS, 8)` read of 4 bytes at byte 10
    coop_mat_store(out, m + n, ROWS, 8);
}

kernel void backwards(global const float *in, global float *out, long stride)
{
    if (get_sub_group_id() != 0)
        return;
    matrix m = coop_mat_load(in + 224, ROWS, stride); //~ bounds 16 `coop_mat_load(in + 224, ROWS, stride)` bytes before the start of the argument `in` (0)
    coop_mat_store(out, m, ROWS, 16);
}

// Every fourth row is the first one again, because the distance overflows.
kernel void far(global const float *in, global float *out, ulong stride)
{
    if (get_sub_group_id() != 0)
        return;
    matrix m = coop_mat_load(in, ROWS, stride); //~ bounds 192 `coop_mat_load(in, ROWS, stride)` of the argument `in` (0)
    coop_mat_store(out, m, ROWS, 16);
}

kernel void stores(global float *out)
{
    if (get_sub_group_id() != 0)
        return;
    matrix m = coop_mat_init(3.0f);
    coop_mat_store(out + 8, m, ROWS, 16); //~ bounds 8 `coop_mat_store(out + 8, m, ROWS, 16)` write of 4 bytes at byte 10
    coop_mat_store(out - 1, m, COLUMNS, 16); //~ bounds 1 `coop_mat_store(out - 1, m, COLUMNS, 16)` write of 4 bytes 4 bytes before the start of the argument `out` (0)
}

kernel void in_local(global const float *in, global float *out)
{
    local float tile[255];
    local half halves[2][128];
    for (uint i = get_local_id(0); i < 256; i += get_local_size(0)) {
        if (i < 255)
            tile[i] = in[i];
        halves[i / 128][i % 128] = 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_sub_group_id() != 0)
        return;
    matrix m = coop_mat_load(tile, ROWS, 16); //~ bounds 1 `coop_mat_load(tile, ROWS, 16)` read of 4 bytes at byte 1020 of the local variable `in_local.tile`, which has 1020 bytes
    left_matrix a = coop_mat_init(1);
    right_matrix b = coop_mat_load((local half *)halves + 129, ROWS, 8); //~ bounds 1 `coop_mat_load((local half *)halves + 129, ROWS, 8)` read of 2 bytes at byte 512 of the local variable
    narrow_matrix c = coop_mat_init(0);
    c = coop_mat_mulAdd(a, b, c);
    coop_mat_store(out, m, ROWS, 16);
    coop_mat_store(out, c, ROWS, 8);
}

// A stride of 0 repeats a row.
kernel void one_group(global const float *few, global float *out, uint stride)
{
    if (get_sub_group_id() != 0)
        return;
    matrix m = coop_mat_load(few + 4, ROWS, stride);
    matrix n = coop_mat_load(few + 5, ROWS, stride); //~ bounds 16 `coop_mat_load(few + 5, ROWS, stride)` read of 4 bytes at byte 80 of
    coop_mat_store(out, m + n, ROWS, 16);
}

// The address is between two elements.
kernel void between(global float *halves)
{
    if (get_sub_group_id() != 0)
        return;
    global float *to = (global float *)((global char *)halves + 2);
    narrow_matrix m = coop_mat_init(1);
    coop_mat_store(to, m, ROWS, 8); //~ alignment 128 `coop_mat_store(to, m, ROWS, 8)` write at byte
}

// From the last row to the first one.
kernel void right(global const float *in, global float *back, long stride)
{
    if (get_sub_group_id() != 0)
        return;
    matrix m = coop_mat_load(in + 240, ROWS, stride);
    coop_mat_store(back, m, COLUMNS, 16);
}
