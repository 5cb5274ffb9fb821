// References, pointers and iterators of the channels of vectors, ranges of them and of arrays, and cl::vec.
//! options: -cl-std=c++
//! spirv differs: clang has no OpenCL C++ 1.0
//! buffer out: int 22
//! launch: run(out, int 4) global 1
//! expect out: 14 28 9 7 3 5 1 4 2 0 6 30 321 3 1 12 8 5 1 4 9 2
#include <opencl_array>
#include <opencl_memory>
#include <opencl_range>
#include <opencl_vec>
#include <opencl_vector_utility>
using namespace cl;

kernel void run(global_ptr<int[]> out, int n) {
  int4 v(1, 2, 3, 4);
  channel_ref<int4> r = index(v, 1);
  r += 10;
  r = r + 2;
  out[0] = v.y;
  r *= 2;
  out[1] = r;
  r /= 3;
  out[2] = v.y;
  r -= 2;
  out[3] = r--;
  r %= 4;
  r++;
  out[4] = v.y;
  r ^= 6;
  out[5] = v.y;
  r &= 3;
  out[6] = v.y;
  r |= 4;
  --r;
  out[7] = v.y;
  channel_ptr<int4> p(index(v, 2));
  *p = n - 2;
  out[8] = v.z;
  auto first = begin(v), last = end(v);
  out[9] = first == last;
  int sum = 0;
  for (auto it = first + 2; it != last; ++it)
    sum += *it;
  out[10] = sum;
  first[3] = 30;
  out[11] = v.w;
  int3 w(1, 2, 3);
  int digits = 0;
  for (auto it = end(w) - 1; it >= begin(w); --it)
    digits = digits * 10 + *it;
  out[12] = digits;
  out[13] = (int)(end(w) - begin(w));
  out[14] = *(1 + begin(w)) == 2 && begin(w) < end(w);
  float8 f(0.5f);
  for (auto c : range(f, 2, 6))
    c = 2.5f;
  float total = 0.0f;
  for (float c : range(f))
    total += c;
  out[15] = (int)total;
  array<int, 5> list{{1, 2, 3, 4, 5}};
  sum = 0;
  for (int x : range(list, 1, 3))
    sum += x;
  for (int x : range(list, 2))
    sum += x;
  out[16] = sum;
  int plain[4] = {1, 2, 3, 4};
  for (int &x : range(plain, 3))
    x = x + 1;
  out[17] = plain[3] + plain[0] - 1;
  vec<short, 3> s((short)1, short2(2, 3)), t(s);
  t += s;
  out[18] = (s == short3(1, 2, 3)).y;
  out[19] = (short3(t) - short3(s) * short3(1, 0, 1)).y;
  t = t * s;
  auto u = swizzle<2, 0, 1, 2>(t);
  short4 plain_u = u;
  out[20] = plain_u.x / 2;
  out[21] = plain_u.y;
}
