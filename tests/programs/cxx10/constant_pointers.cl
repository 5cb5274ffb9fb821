// Pointers to objects of constant<T>: numbers, structures, classes and arrays.
//! options: -cl-std=c++
//! spirv differs: clang has no OpenCL C++ 1.0
//! buffer out: int 6
//! launch: run(out) global 1
//! expect out: 40 4 5 9 1 7
#include <opencl_memory>
#include <opencl_work_item>
using namespace cl;

struct point {
    int x, y;
};
struct made {
    int x;
    constexpr made(int v) : x(v) {}
    constexpr made(const made &m) : x(m.x) {}
};
constant<uint> number{41 - 1};
constant<point> corner{{3, 4}};
constant<made> object{made(5)};
constant<int[3]> table{{7, 8, 9}};

kernel void run(global_ptr<int[]> out) {
    static constant<uint> own{1};
    constant_ptr<uint> to_number = number.ptr();
    constant_ptr<point> to_corner = corner.ptr();
    constant_ptr<made> to_object = &object;
    constant_ptr<int[]> to_table = table.ptr();
    out[0] = *to_number;
    out[1] = to_corner->y;
    out[2] = to_object->x;
    out[3] = to_table[2];
    out[4] = *own.ptr();
    out[5] = table[0];
}
