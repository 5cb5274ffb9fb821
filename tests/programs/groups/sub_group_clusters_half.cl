//! options: -cl-std=CL3.0
//! needs: cl_khr_fp16 cl_khr_subgroup_clustered_reduce
//! buffer sums: float 8
//! buffer products: float 8
//! buffer least: float 8
//! buffer most: float 8
//! buffer before: float 1
//! launch: clusters(sums, products, least, most, before) global 8 local 8
//! expect sums: 3 3 7 7 11 11 15 15
//! expect products: 2 2 12 12 30 30 56 56
//! expect least: 1 1 3 3 5 5 7 7
//! expect most: 2 2 4 4 6 6 8 8
//! expect before: 0

// Clusters of two work-items; the very first one has none before it.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void clusters(global float *sums, global float *products, global float *least, global float *most,
                     global float *before)
{
    uint id = get_local_id(0);
    half value = id + 1;
    sums[id] = sub_group_clustered_reduce_add(value, 2);
    products[id] = sub_group_clustered_reduce_mul(value, 2);
    least[id] = sub_group_clustered_reduce_min(value, 2);
    most[id] = sub_group_clustered_reduce_max(value, 2);
    half sum = sub_group_scan_exclusive_add(value);
    if (id == 0)
        before[0] = sum;
}
