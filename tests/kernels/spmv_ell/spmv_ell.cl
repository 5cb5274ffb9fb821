// y = A x for a sparse matrix in ELLPACK-R: every row has the same number of places for entries, and entry e
// of row r is at e * pitch + r, so that neighbouring work-items, which have a row each, read side by side.
// lengths[r] entries of a row are used.

__kernel void spmv_ell(const uint rows, const uint pitch, __global const uint *restrict lengths,
                       __global const uint *restrict columns, __global const float *restrict values,
                       __global const float *restrict x, __global float *restrict y)
{
    const uint row = get_global_id(0);
    if (row >= rows)
        return;

    const uint length = lengths[row];
    float sum = 0.0f;
    uint at = row;
    for (uint entry = 0; entry < length; ++entry) {
        sum += values[at] * x[columns[at]];
        at += pitch;
    }
    y[row] = sum;
}
