// opencl_utility, opencl_marker and opencl_def. What is expected is what C++14 says of the same
// facilities, and the sizes of the types on the host.
//! options: -cl-std=c++
//! spirv differs: clang has no OpenCL C++ 1.0
//! buffer out: int 22
//! launch: run(out, int 7) global 1
//! expect out: 7 3 9 7 2 2 4 3 6 5 10 4 3 1 0 0 1 1 8 32 16 2
#include <opencl_def>
#include <opencl_marker>
#include <opencl_memory>
#include <opencl_utility>
using namespace cl;

struct counted {
  int value, moved = 0;
  counted(int value) : value(value) {}
  counted(const counted &other) : value(other.value), moved(other.moved) {}
  counted(counted &&other) noexcept : value(other.value), moved(other.moved + 1) {}
  counted &operator=(counted &&other) noexcept {
    value = other.value;
    moved = other.moved + 1;
    return *this;
  }
};
int kind(const int &) { return 3; }
int kind(int &&) { return 4; }
template <class T> int forwarded(T &&x) { return kind(forward<T>(x)); }
template <size_t... I> int weighted(const int (&a)[sizeof...(I)], index_sequence<I...>) {
  int sum = 0, unused[] = {(sum += a[I] * (int)I, 0)...};
  return sum + unused[0];
}
struct marked : marker_type {};

kernel void run(global_ptr<int[]> out, int n) {
  int a = 3, b = n;
  swap(a, b);
  out[0] = a;
  out[1] = b;
  out[2] = exchange(b, 5) + exchange(a, 2) - 1;
  counted first(2), second(7);
  swap(first, second);
  out[3] = first.value;
  out[4] = second.value;
  out[5] = second.moved;                          // through the temporary of swap
  int left[2] = {3, 4}, right[2] = {5, 6};
  swap(left, right);
  out[6] = right[1];
  out[7] = right[0];
  out[8] = left[1];
  out[9] = left[0];
  out[10] = weighted({1, 2, 4}, make_index_sequence<3>());
  out[11] = forwarded(5);
  out[12] = forwarded(n);
  auto both = make_pair(n, 2.5f);
  out[13] = both == pair<int, float>(7, 2.5f);
  out[14] = both != pair<int, float>(7, 2.5f);
  out[15] = both < pair<int, float>(7, 2.5f);
  out[16] = is_marker_type<const marked>::value && !is_marker_type<int>::value;
  out[17] = sizeof(cl_char) == 1 && sizeof(uint16_t) == 2 && sizeof(cl_float) == 4;
  out[18] = sizeof(size_t);
  out[19] = sizeof(cl_long4);
  out[20] = sizeof(cl_int3);
  counted third = move(first);
  out[21] = third.moved;
}
