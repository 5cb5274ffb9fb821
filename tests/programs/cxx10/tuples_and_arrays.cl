// cl::tuple, pair, array, iterators and function objects.
//! options: -cl-std=c++
//! spirv differs: clang has no OpenCL C++ 1.0
//! buffer out: int 12
//! launch: run(out, int 5) global 1
//! expect out: 4321 10 7 6 5 99 3 1 24 11 2 15
#include <opencl_array>
#include <opencl_functional>
#include <opencl_iterator>
#include <opencl_memory>
#include <opencl_tuple>
using namespace cl;

template <class F, class A, size_t... I> auto apply(F f, A &a, index_sequence<I...>) { return f(get<I>(a)...); }

template <class It, class T, class Op> T fold(It first, It last, T value, Op op) {
  for (; first != last; ++first)
    value = op(value, *first);
  return value;
}

kernel void run(global_ptr<int[]> out, int n) {
  array<int, 4> a{{1, 2, 3, 4}};
  int digits = 0;
  for (auto it = a.rbegin(); it != a.rend(); ++it)
    digits = digits * 10 + *it;
  out[0] = digits;
  out[1] = fold(a.begin(), a.end(), 0, plus<int>());
  auto t = make_tuple(n, 2.5f, (short)7);
  out[2] = get<2>(t);
  int x;
  float y;
  tie(x, y, ignore) = make_tuple(6, 5.0f, 1);
  out[3] = x;
  out[4] = (int)y;
  get<int>(t) = 99;
  auto u = t;
  out[5] = get<0>(u);
  out[6] = tuple_size<decltype(tuple_cat(make_tuple(1), make_pair(2, 3).first ? make_tuple(2, 3) : make_tuple(4, 5)))>::value;
  out[7] = make_tuple(1, 2.0f) < make_tuple(1, 3.0f);
  auto product = [](int p, int q, int r, int s) { return p * q * r * s; };
  out[8] = apply(product, a, make_index_sequence<4>());
  swap(a[0], a[3]);
  out[9] = *next(a.begin(), 1) + *prev(a.end(), 4) + a.size() + a.back();
  out[10] = distance(a.begin(), a.end()) / 2;
  int plain[5] = {1, 2, 3, 4, 5};
  out[11] = fold(begin(plain), end(plain), 0, plus<>());
}
