//! options: -cl-std=CL3.0
//! needs: __opencl_c_device_enqueue
//! buffer out: int 16
//! buffer wide: double 2
//! needs: cl_khr_fp64
//! launch: held(out, wide, char -3) global 1
//! expect out: 100 -3 7 8 9 10 513 1 0 5 6 42 3 2 77 11
//! expect wide: 2.5 -1.25
// What a block holds reaches its kernel, whatever its type (OpenCL C §6.14.3, §6.15.19.1).

struct pair {
    char first;
    long second;
};

constant int table[3] = {11, 22, 33};
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
    });
    out[0] = result;
}
