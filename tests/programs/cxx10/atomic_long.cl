// Atomic objects of 64 bits, which carry from one half into the other.
//! options: -cl-std=c++
//! spirv differs: clang has no OpenCL C++ 1.0
//! needs: cl_khr_int64_base_atomics cl_khr_int64_extended_atomics
//! buffer out: long 6
//! launch: run(out) global 64 local 16
//! launch: read(out) global 1
//! expect out: 68719476720 -4294967297 4611686018427387904 16 9007199254740993 65
#include <opencl_atomic>
#include <opencl_memory>
#include <opencl_work_item>
using namespace cl;

atomic<long> sum, least;
global<atomic<ulong>> bits;
atomic_long count;
atomic_size_t places;

kernel void run(global_ptr<long[]> out) {
  long i = (long)get_global_id(0);
  if (i < 16)
    sum.fetch_add(0xffffffffl);
  least.fetch_min(-(1l << 32) - (i == 7), memory_order_relaxed);
  if (i == 62)
    bits.fetch_or(1ul << i);
  if (i % 4 == 1)
    ++count;
  places += 1;
}
kernel void read(global_ptr<long[]> out) {
  out[0] = sum;
  out[1] = least;
  out[2] = (long)bits.load();
  out[3] = count.exchange(9007199254740993l);
  long expected = 9007199254740993l;
  out[4] = count.compare_exchange_strong(expected, 1l) ? expected : 0;
  out[5] = (long)places + count;
}
