// Vectors of bool: comparisons, operators, components, memory, conversions and relational functions.
//! options: -cl-std=c++
//! spirv differs: clang has no OpenCL C++ 1.0
//! buffer out: int 56
//! launch: run(out) global 1 local 1
//! expect out: 1 0 1 0  0 0 1 1  1 0 1 1  0 1 1 0
//! expect out: 1 0 0 1  0 1 0 1  1 0 1 0  1 1 0 1
//! expect out: 2 5 7 9  1 0 1 0  1 0 0 1  16 9 3 4
//! expect out: 1 0 1 0  1 1 1 1
#include <opencl_convert>
#include <opencl_memory>
#include <opencl_range>
#include <opencl_relational>
#include <opencl_vec>
#include <opencl_vector_utility>
using namespace cl;

struct Held { char before; bool3 three; char after; bool8 eight; };
static constexpr bool4 known = bool4(true, false, true, true) & !bool4(false, false, true, false);
static_assert(known.x && !known.y && !known.z && known.w, "constants");

// Through a call, memory and a loop: the elements move to the left.
bool4 rotated(bool4 v, int by) {
  for (int i = 0; i < by; ++i)
    v = v.yzwx;
  return v;
}
void put(global_ptr<int[]> out, int at, bool4 v) {
  int4 n = convert_cast<int4>(v);
  for (int i = 0; i < 4; ++i)
    out[at + i] = n[i];
}

kernel void run(global_ptr<int[]> out) {
  int4 a(1, 5, 3, 9), b(2, 4, 7, 4);
  bool4 less = a < b;                                   // 1 0 1 0
  put(out, 0, less);
  put(out, 4, rotated(less, 1) != bool4(less.y, false, less.yy)); // 0 1 0 1
  out[5] = rotated(less, 3).y ? 0 : 1;                  // of 0 1 0 1
  out[6] = any(less) && !all(less);
  put(out, 8, known | (b == 7));                        // 1 0 0 1 | 0 0 1 0
  put(out, 12, ~(known ^ less));                        // not 0 0 1 1: 1 1 0 0
  bool4 parts = less;
  parts.wx = bool2(true, false);                        // 0 0 1 1
  parts.y = parts.z;                                    // 0 1 1 1
  parts[3] = a.x > b.x;                                 // 0 1 1 0
  put(out, 12, parts);

  // In structures and arrays, whose bytes stay apart.
  Held held[2];
  held[0] = Held{7, a.xyz > b.xyz, 8, bool8(false)};
  held[1] = Held{9, bool3(true, false, false), 10, bool8(less, known)};
  held[0].eight.odd = less;
  held[0].three.x = true;
  put(out, 16, bool4(held[0].three.x, held[0].three.z, held[0].eight.s02.x, held[0].eight.s1)); // 1 0 0 1
  put(out, 20, held[0].eight.lo);                       // 0 1 0 0, then with the third element of less below
  out[23] = held[0].eight.s5;                           // 1
  put(out, 24, held[1].eight.lo);                       // 1 0 1 0

  // Relational functions, and the choice of elements.
  float4 f(1.0f, 2.0f, 3.0f, 4.0f), g = f;
  g.z = __builtin_nanf("");
  put(out, 28, isordered(f, g));                        // 1 1 0 1
  int4 chosen = select(a, b, less);                     // 2 5 7 9
  for (int i = 0; i < 4; ++i)
    out[32 + i] = chosen[i];
  bool4 equal = isgreaterequal(f, 2.0f) && isfinite(g) || bool4(true, false, false, false); // 1 1 0 1
  put(out, 36, equal & less | ~equal);                  // 1 0 0 0 | 0 0 1 0
  put(out, 40, convert_cast<bool4>(f - float4(0.0f, 2.0f, 3.0f, 4.5f))); // 1 0 0 1

  // Wide vectors, and iteration.
  bool16 wide = uchar16(3) < uchar16(a.x, 5, 7, 9, 2, 2, 2, 2, 4, 4, 4, 4, 1, 1, 8, 8);
  int count = 0;
  for (bool each : range(wide))
    count += each;
  out[44] = sizeof(wide);
  out[45] = count;                                      // 5 7 9, four times 4, 8 8
  vec<int, 4> v(a), w(b);
  int4 both = convert_cast<int4>(v != w);
  out[46] = both.x + both.y + both.z + both.w - 1;      // 4 - 1
  out[47] = all(wide.lo == wide.lo) ? 4 : 0;
  bool4 counted = less, before = counted++;
  put(out, 48, before);
  ++counted;
  put(out, 52, counted);
}
