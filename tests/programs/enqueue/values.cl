//! options: -cl-std=CL3.0
//! needs: __opencl_c_device_enqueue
//! buffer out: int 20
//! buffer wide: double 2
//! needs: cl_khr_fp64
//! launch: held(out, wide, char -3) global 1
//! expect out: 100 -3 7 8 9 10 513 1 0 5 6 42 3 2 77 11 33 5 6 4
//! expect wide: 2.5 -1.25
// Captured values of every type reach the block's kernel (OpenCL C §6.14.3, §6.15.19.1).

struct pair {
    char first;
    long second;
};

constant int table[3] = {11, 22, 33};
struct places {
    global int* global_one;
    int* any_one;
    constant int* constant_one;
    ndrange_t range;
    clk_event_t event;
};

global int counter = 77;

kernel void held(global int* out, global double* wide, char small)
{
    int4 four = (int4)(7, 8, 9, 10);
    uint3 three = (uint3)(5, 6, 42);
    struct pair pair = {2, 511};
    bool yes = true, no = false;
    double2 doubles = (double2)(2.5, -1.25);
    int* anywhere = out + 12;
    constant int* first = table;
    clk_event_t none = CLK_NULL_EVENT;
    ndrange_t range = ndrange_1D(1);
    struct places places = {out + 16, out + 17, table + 2, ndrange_1D(4, 2), none};
    int result = enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, range, ^{
        out[0] = 100;
        out[1] = small;
        vstore4(four, 0, out + 2);
        out[6] = pair.first + pair.second;
        out[7] = yes;
        out[8] = no;
        out[9] = three.x;
        out[10] = three.y;
        out[11] = three.z;
        anywhere[0] = 3;
        anywhere[1] = is_valid_event(none) ? 1 : 2;
        anywhere[2] = counter;
        out[15] = *first;
        vstore2(doubles, 0, wide);
        places.global_one[0] = *places.constant_one;
        places.any_one[0] = 5;
        places.any_one[1] = is_valid_event(places.event) ? 0 : 6;
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, places.range, ^{
            if (get_global_id(0) == 3)
                places.any_one[2] = get_local_size(0) + get_num_groups(0);
        });
    });
    out[0] = result;
}
