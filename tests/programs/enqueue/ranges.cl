//! options: -cl-std=CL3.0
//! needs: __opencl_c_device_enqueue
//! buffer one: int 12
//! buffer two: int = 24*0
//! buffer three: int = 24*0
//! buffer sizes: int 4
//! launch: ranges(one, two, three, sizes) global 1
//! expect one: 0 1 2 103 104 105 106 7 208 209 210 211
//! expect two: 0 0 0 0 0 0 0 0 32 33 34 0 0 42 43 44 0 0 52 53 54 0 0 0
//! expect three: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24
//! expect sizes: 2 3 1 0
// Every form of a range: sizes, work-group sizes and offsets, with sizes that the work-group size need not
// divide (OpenCL C §6.15.19.9).

kernel void ranges(global int* one, global int* two, global int* three, global int* sizes)
{
    queue_t queue = get_default_queue();
    int failed = 0;
    for (int i = 0; i < 12; i++)
        one[i] = i;
    failed |= enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(3, 4, 2), ^{
        one[get_global_id(0)] += 100 * (1 + (get_global_id(0) - get_global_offset(0)) / 4);
    });
    failed |= enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D((size_t)8, (size_t)4, (size_t)4), ^{
        one[get_global_id(0)] += get_local_size(0) * 50;
    });
    const size_t offset[2] = {2, 1}, global_size[2] = {3, 3}, local_size[2] = {3, 1};
    failed |= enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_2D(offset, global_size, local_size), ^{
        two[(get_global_id(1) - 1) * 5 + get_global_id(0) + 6] = 30 + (get_global_id(1) - 1) * 10 + get_global_id(0);
    });
    const size_t cube[3] = {4, 3, 2};
    failed |= enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_3D(cube), ^{
        three[get_global_linear_id()] += get_global_linear_id() + 1;
        if (get_global_linear_id() == 0) {
            sizes[2] = get_work_dim() == 3;
        }
    });
    const size_t wide[3] = {4, 3, 2}, groups[3] = {2, 1, 1};
    ndrange_t range = ndrange_3D(wide, groups);
    ndrange_t copy = range;
    failed |= enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, copy, ^{
        if (get_global_linear_id() == 23) {
            sizes[0] = get_local_size(0);
            sizes[1] = get_num_groups(1);
        }
    });
    sizes[3] = failed;
}
