// Vectors as template arguments: values, equivalent instances, deduction, packs, defaults, specialisations.
//! options: -cl-std=c++
//! spirv differs: clang has no OpenCL C++ 1.0
//! buffer out: int 16
//! launch: run(out) global 1
//! expect out: 1234 1234 5 6  30 12 100 7  1 0 3 -1  255 4 4 4
#include <opencl_memory>
#include <opencl_type_traits>
using namespace cl;

// Each instance counts its own calls.
template <int4 V> int number() { return ((V.x * 10 + V.y) * 10 + V.z) * 10 + V.w; }
template <uint2 V> int calls() {
  static int count = 0;
  return ++count;
}
template <long2 V> struct shifted { long2 held = V; long2 plus(long2 other) const { return held + other; } };
template <int2... V> int sum() { return (0 + ... + (V.x * V.y)); }
template <class T, T V> struct constant_of {};
template <short3 V> int weight(constant_of<short3, V>) { return V.x * V.y + V.z; }
template <char2 V> struct named { static int value() { return V.x; } };
template <> struct named<char2(1, 2)> { static int value() { return 100; } };
template <bool2 B> int chosen() { return B.x ? 1 : 0; }
template <int2 V = int2(3, -1)> int2 defaulted() { return V; }

kernel void run(global_ptr<int[]> out) {
  out[0] = number<int4(1, 2, 3, 4)>();
  constexpr int4 known = int4(0, 1, 2, 3) + 1;
  out[1] = number<known>();
  calls<uint2(1, 2)>(), calls<uint2(1, 2)>(), calls<uint2(2, 1)>();
  out[2] = calls<uint2(1, 2)>() + calls<uint2(2, 1)>();
  out[3] = (int)shifted<long2(1, 2)>().plus(long2(5, 6)).x;
  out[4] = sum<int2(1, 2), int2(4, 7)>();
  out[5] = weight(constant_of<short3, short3(2, 3, 6)>());
  out[6] = named<char2(1, 2)>::value();
  out[7] = named<char2(7, 2)>::value();
  out[8] = chosen<bool2(true, false)>();
  out[9] = chosen<bool2(false, true)>();
  out[10] = defaulted().x;
  out[11] = defaulted<>().y;
  out[12] = []() { return constant_of<uchar2, uchar2(255, 1)>(), 255; }();
  // A comma expression, whose value all elements get (2.1).
  int4 last = (int4)(1, 2, 3, 4);
  out[13] = last.x;
  out[14] = last.y;
  out[15] = last.w;
}
