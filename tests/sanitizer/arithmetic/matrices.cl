//! needs: cl_khr_cooperative_matrix
//! buffer in: int = 0..256
//! buffer large: float = 255*1e10 5
//! buffer out: int 256
//! launch: quotients(in, out) global 64 local 64
//! launch: conversions(large, out) global 64 local 64

// How often depends on how many work-items hold an element.

#define MATRIX(rows, columns, use) \
    __attribute__((coop_mat(CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP, rows, columns, CLK_COOPERATIVE_MATRIX_##use)))
#define ROWS CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR

typedef int MATRIX(16, 16, ACCUMULATOR) matrix;
typedef float MATRIX(16, 16, ACCUMULATOR) float_matrix;

// One element is zero.
kernel void quotients(global const int *in, global int *out)
{
    if (get_sub_group_id() != 0)
        return;
    matrix m = coop_mat_load(in, ROWS, 16);
    matrix hundred = coop_mat_init(100);
    coop_mat_store(out, hundred / m, ROWS, 16); //~ arithmetic * `hundred / m`
    coop_mat_store(out, m / hundred, ROWS, 16);
}

kernel void conversions(global const float *large, global int *out)
{
    if (get_sub_group_id() != 0)
        return;
    float_matrix m = coop_mat_load(large, ROWS, 16);
    coop_mat_store(out, (matrix)m, ROWS, 16); //~ arithmetic * `(matrix)m`
}
