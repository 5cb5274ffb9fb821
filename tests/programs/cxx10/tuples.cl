// Tuples of values and references, concatenation, order, exchange, and pairs.
//! options: -cl-std=c++
//! spirv differs: clang has no OpenCL C++ 1.0
//! buffer out: int 24
//! launch: run(out, int 5) global 1
//! expect out: 3 5 2 9 7 1 0 1 1 1 0 8 3 42 6 3 1 2 30 1 1 6 20 4
#include <opencl_array>
#include <opencl_memory>
#include <opencl_tuple>
using namespace cl;

struct point { int x, y; };
template <class T, size_t... I> int sum(const T &t, index_sequence<I...>) {
  int result = 0;
  int order[] = {(result += (int)get<I>(t), 0)...};
  static_cast<void>(order);
  return result;
}
template <class T> int sum(const T &t) { return sum(t, make_index_sequence<tuple_size<T>::value>()); }
tuple<int, float> both(int n) { return make_tuple(n, n * 0.5f); }

kernel void run(global_ptr<int[]> out, int n) {
  tuple<char, short, point> mixed((char)3, (short)5, point{1, 2});
  out[0] = get<char>(mixed);
  out[1] = get<1>(mixed);
  out[2] = get<point>(mixed).y;
  int a = 1, b = 2;
  tuple<int &, int &> references(a, b);
  get<0>(references) = 9;
  get<1>(references) = 7;
  out[3] = a;
  out[4] = b;
  out[5] = make_tuple(1, 2, 3) < make_tuple(1, 3, 0);
  out[6] = make_tuple(1, 2) == make_tuple(1, 3);
  out[7] = make_tuple(2, 0) > make_tuple(1, 9);
  out[8] = make_tuple(1, 2.0f) <= make_tuple(1, 2.0f);
  out[9] = make_tuple(1) != make_tuple(2);
  out[10] = make_tuple(3, 4) >= make_tuple(3, 5);
  auto joined = tuple_cat(make_tuple(1, (short)2), tuple<>(), make_tuple(2.5f), tie(a) == tie(a) ? make_tuple((char)3) : make_tuple((char)4));
  out[11] = sum(joined);
  int c;
  float d;
  tie(c, d) = both(n + 1);
  out[12] = (int)d;
  tuple<int, long> first(6, 42l), second(3, 1l);
  swap(first, second);
  out[13] = (int)get<1>(second);
  out[14] = get<0>(second);
  out[15] = get<0>(first);
  first.swap(second);
  tuple<long, long> wider = second;
  tuple<long, int> of_pair = make_pair(1, (short)2), single_source(of_pair);
  tuple<long> single = tuple<int>(4);
  out[16] = (int)get<1>(wider) + get<1>(of_pair) - get<1>(single_source) + (int)get<0>(single) - 4;
  out[17] = is_same<tuple_element_t<1, tuple<int, float, char>>, float>::value + is_same<tuple_element_t<0, const tuple<int>>, const int>::value;
  array<int, 3> list{{10, 20, 30}};
  out[18] = get<2>(list);
  pair<int, float> p = make_pair(1, 2.0f), q(p);
  out[19] = p == q && !(p < q);
  out[20] = make_pair(1, 3) < make_pair(2, 0);
  auto forwarded = forward_as_tuple(c, 5);
  get<0>(forwarded) = 20;
  out[21] = (int)get<0>(both(6));
  out[22] = c;
  out[23] = tuple_size<decltype(joined)>::value;
}
