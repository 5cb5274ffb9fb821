//! options: -cl-std=CL3.0
//! needs: __opencl_c_device_enqueue
//! buffer out: int 4
//! launch: start(out) global 1
//! expect out: 1 2 22 4
// A small structure of pointers that a block captures goes through the push constants of its kernel.

constant int table[3] = {11, 22, 33};

struct places {
    global int* first;
    int* second;
    constant int* third;
};

kernel void start(global int* out)
{
    struct places places = {out, out + 1, table + 1};
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{
        places.first[0] = 1;
        places.second[0] = 2;
        places.first[2] = *places.third;
        places.first[3] = places.second == places.first + 1 ? 4 : 5;
    });
}
