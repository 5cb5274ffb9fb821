//! options: -cl-std=CL3.0
//! needs: __opencl_c_work_group_collective_functions
//! buffer out: int 32
//! launch: by_parity(out) global 16 local 8
//! launch: in_rows(out) global 8x4 local 4x2
//! launch: late(out, int 5) global 8 local 8
//! launch: fine(out, int 3) global 16 local 8

kernel void by_parity(global int *out)
{
    int i = get_local_id(0);
    out[get_global_id(0)] = work_group_broadcast(i, i & 1); //~ barriers 2 `work_group_broadcast(i, i & 1)` ask for the values of different work-items
}

kernel void in_rows(global int *out)
{
    int y = get_local_id(1);
    out[get_global_id(0) + 8 * get_global_id(1)] = work_group_broadcast(y, 1, y); //~ barriers 4 `work_group_broadcast(y, 1, y)` ask for the values of different work-items
}

// In the third of four times.
kernel void late(global int *out, int n)
{
    int i = get_local_id(0);
    int sum = 0;
    for (int k = 0; k < 4; k++) {
        int from = i == n && k == 2 ? 7 : k;
        sum += work_group_broadcast(i, from); //~ barriers 1 `work_group_broadcast(i, from)` ask for the values of different work-items
    }
    out[i] = sum;
}

// Another one in each group, and in each turn.
kernel void fine(global int *out, int n)
{
    int i = get_local_id(0), sum = 0;
    for (int k = 0; k < n; k++)
        sum += work_group_broadcast(i * k, k + get_group_id(0));
    out[get_global_id(0)] = sum + work_group_reduce_add(i);
}
