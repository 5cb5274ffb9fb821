// y = A x for a sparse matrix in compressed rows: row r has the entries first[r] .. first[r + 1]. LANES
// work-items share a row, so that they read its entries side by side, and fold their sums in local memory.

#ifndef LANES
#define LANES 16
#endif
#define GROUP 256

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void spmv(const uint rows, __global const uint *restrict first, __global const uint *restrict columns,
          __global const float *restrict values, __global const float *restrict x, __global float *restrict y)
{
    __local float sums[GROUP];

    const uint lid = get_local_id(0);
    const uint lane = lid % LANES;
    const uint row = get_group_id(0) * (GROUP / LANES) + lid / LANES;

    float sum = 0.0f;
    if (row < rows) {
        const uint end = first[row + 1];
        for (uint i = first[row] + lane; i < end; i += LANES)
            sum += values[i] * x[columns[i]];
    }
    sums[lid] = sum;
    for (uint distance = LANES / 2; distance > 0; distance /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < distance)
            sums[lid] += sums[lid + distance];
    }
    if (lane == 0 && row < rows)
        y[row] = sums[lid];
}
