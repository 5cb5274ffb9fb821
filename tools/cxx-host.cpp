// What `tools/cxx-reference` links with a program in C++ for OpenCL that clang compiled for the host: the built-in
// functions that the programs of tests/programs/cxx call, and work-groups whose work-items are coroutines, so that
// barriers hold. Built-in functions have the same mangled names here as in the program.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <ucontext.h>
#include <vector>

using size_type = unsigned long;

namespace {
struct Item {
    ucontext_t context;
    std::unique_ptr<char[]> stack;
    size_type local[3];
    bool done = false;
};
struct Launch {
    unsigned dimensions = 1;
    size_type global[3] = {1, 1, 1}, local[3] = {1, 1, 1}, group[3] = {0, 0, 0};
    std::function<void()> kernel;
} now;
ucontext_t scheduler;
Item *running = nullptr;

void enter() {
    now.kernel();
    running->done = true;
    swapcontext(&running->context, &scheduler);
}

void run_group() {
    std::vector<std::unique_ptr<Item>> items;
    for (size_type z = 0; z < now.local[2]; ++z)
        for (size_type y = 0; y < now.local[1]; ++y)
            for (size_type x = 0; x < now.local[0]; ++x) {
                auto item = std::make_unique<Item>();
                constexpr size_type size = 1 << 18;
                item->stack = std::make_unique<char[]>(size);
                getcontext(&item->context);
                item->context.uc_stack.ss_sp = item->stack.get();
                item->context.uc_stack.ss_size = size;
                item->context.uc_link = &scheduler;
                item->local[0] = x, item->local[1] = y, item->local[2] = z;
                makecontext(&item->context, enter, 0);
                items.push_back(std::move(item));
            }
    // Each round runs every work-item to its next barrier.
    for (bool left = true; left;) {
        left = false;
        for (auto &item : items)
            if (!item->done) {
                running = item.get();
                swapcontext(&scheduler, &item->context);
                left |= !item->done;
            }
    }
}
} // namespace

void clvk_launch(const size_type (&global)[3], const size_type (&local)[3], unsigned dimensions, std::function<void()> kernel) {
    now.dimensions = dimensions;
    now.kernel = std::move(kernel);
    std::copy(global, global + 3, now.global);
    std::copy(local, local + 3, now.local);
    for (size_type z = 0; z < global[2] / local[2]; ++z)
        for (size_type y = 0; y < global[1] / local[1]; ++y)
            for (size_type x = 0; x < global[0] / local[0]; ++x) {
                now.group[0] = x, now.group[1] = y, now.group[2] = z;
                run_group();
            }
}

unsigned get_work_dim() { return now.dimensions; }
size_type get_global_size(unsigned d) { return d < 3 ? now.global[d] : 1; }
size_type get_local_size(unsigned d) { return d < 3 ? now.local[d] : 1; }
size_type get_num_groups(unsigned d) { return d < 3 ? now.global[d] / now.local[d] : 1; }
size_type get_group_id(unsigned d) { return d < 3 ? now.group[d] : 0; }
size_type get_local_id(unsigned d) { return d < 3 ? running->local[d] : 0; }
size_type get_global_id(unsigned d) { return d < 3 ? now.group[d] * now.local[d] + running->local[d] : 0; }
size_type get_global_offset(unsigned) { return 0; }
size_type get_global_linear_id() { return get_global_id(0) + now.global[0] * (get_global_id(1) + now.global[1] * get_global_id(2)); }
size_type get_local_linear_id() { return get_local_id(0) + now.local[0] * (get_local_id(1) + now.local[1] * get_local_id(2)); }
void barrier(unsigned) { swapcontext(&running->context, &scheduler); }
void work_group_barrier(unsigned) { barrier(0); }

#define VECTORS(T)                                                                                                     \
    typedef T T##2 __attribute__((ext_vector_type(2)));                                                                \
    typedef T T##3 __attribute__((ext_vector_type(3)));                                                                \
    typedef T T##4 __attribute__((ext_vector_type(4)));
VECTORS(int)
VECTORS(float)
typedef unsigned uint4 __attribute__((ext_vector_type(4)));

#define INTEGERS(T)                                                                                                    \
    T min(T a, T b) { return b < a ? b : a; }                                                                          \
    T max(T a, T b) { return a < b ? b : a; }                                                                          \
    T clamp(T v, T low, T high) { return min(max(v, low), high); }
INTEGERS(char) INTEGERS(signed char) INTEGERS(unsigned char) INTEGERS(short) INTEGERS(unsigned short)
INTEGERS(int) INTEGERS(unsigned) INTEGERS(long) INTEGERS(unsigned long) INTEGERS(float) INTEGERS(double)
#undef INTEGERS
#define LANES(T, N, F)                                                                                                 \
    T##N F(T##N a, T##N b) {                                                                                           \
        T##N r;                                                                                                        \
        for (int i = 0; i < N; ++i) r[i] = F(a[i], b[i]);                                                              \
        return r;                                                                                                      \
    }
LANES(int, 2, min) LANES(int, 4, min) LANES(int, 2, max) LANES(int, 4, max) LANES(float, 4, min) LANES(float, 4, max)
unsigned clvk_abs(int v) __asm__("_Z3absi");
unsigned clvk_abs(int v) { return v < 0 ? 0u - unsigned(v) : unsigned(v); }
int popcount(int v) { return __builtin_popcount(unsigned(v)); }
unsigned popcount(unsigned v) { return unsigned(__builtin_popcount(v)); }
int clz(int v) { return v ? __builtin_clz(unsigned(v)) : 32; }
unsigned clz(unsigned v) { return v ? unsigned(__builtin_clz(v)) : 32u; }
int rotate(int v, int by) { return int(unsigned(v) << (by & 31) | unsigned(v) >> (-by & 31)); }
unsigned rotate(unsigned v, unsigned by) { return v << (by & 31) | v >> (-by & 31); }
int mad24(int a, int b, int c) { return a * b + c; }
// The C library has the functions of float with C's names; these have the names of OpenCL's overloads.
#define FLOAT1(N, NAME, BODY) float clvk_##NAME(float x) __asm__("_Z" N #NAME "f"); float clvk_##NAME(float x) { return BODY; }
#define FLOAT2(N, NAME, BODY) float clvk_##NAME(float x, float y) __asm__("_Z" N #NAME "ff"); float clvk_##NAME(float x, float y) { return BODY; }
FLOAT1("4", sqrt, __builtin_sqrtf(x)) FLOAT1("4", fabs, __builtin_fabsf(x)) FLOAT1("5", floor, __builtin_floorf(x))
FLOAT1("4", ceil, __builtin_ceilf(x)) FLOAT1("5", trunc, __builtin_truncf(x)) FLOAT1("5", round, __builtin_roundf(x))
FLOAT2("4", fmin, __builtin_fminf(x, y)) FLOAT2("4", fmax, __builtin_fmaxf(x, y))
float clvk_fma(float a, float b, float c) __asm__("_Z3fmafff");
float clvk_fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
float dot(float4 a, float4 b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]; }
float dot(float3 a, float3 b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
float dot(float2 a, float2 b) { return a[0] * b[0] + a[1] * b[1]; }
int4 convert_int4(float4 v) { return int4{int(v[0]), int(v[1]), int(v[2]), int(v[3])}; }
float4 convert_float4(int4 v) { return float4{float(v[0]), float(v[1]), float(v[2]), float(v[3])}; }
int any(int4 v) { return (v[0] | v[1] | v[2] | v[3]) < 0; }
int all(int4 v) { return (v[0] & v[1] & v[2] & v[3]) < 0; }
