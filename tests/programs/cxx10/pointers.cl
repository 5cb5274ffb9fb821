// Pointers of the address spaces: casts between types and from generic pointers, comparison, exchange.
//! options: -cl-std=c++
//! spirv differs: clang has no OpenCL C++ 1.0
//! buffer out: int 19
//! buffer in: int = 1 2 3 4 5 6 7 8
//! launch: run(out, in) global 1
//! expect out: 1 0 1 3 5 1 1 4 1065353216 5 2 1 1 6 3 1 2 8 22
#include <opencl_memory>
#include <opencl_reinterpret>
using namespace cl;

struct base { int a; };
struct derived : base { int b; };
int of_memory(int *p) {
  mem_fence place = get_mem_fence(p);
  return place == mem_fence::global ? 1 : place == mem_fence::local ? 2 : 0;
}
constant<int[4]> table = {5, 6, 7, 8};
constant<int> number{2};
struct both { int first, second; };
constant<both> two = {10, 20};

kernel void run(global_ptr<int[]> out, global_ptr<int> in) {
  int own = 3;
  local<int> shared;
  int *generic = in;
  out[0] = static_cast<bool>(dynamic_asptr_cast<global_ptr<int>>(generic));
  out[1] = static_cast<bool>(dynamic_asptr_cast<local_ptr<int>>(generic));
  generic = &own;
  private_ptr<int> mine = dynamic_asptr_cast<private_ptr<int>>(generic);
  out[2] = mine != nullptr && dynamic_asptr_cast<global_ptr<int>>(generic) == nullptr;
  out[3] = *mine;
  global_ptr<int> second = in + 4;
  out[4] = *second;
  out[5] = second > in && in <= second && second != in;
  out[6] = of_memory(in);
  swap(in, second);
  out[7] = (int)(in.get() - second.get());
  global_ptr<float> floats = reinterpret_asptr_cast<float>(in);
  *floats = 1.0f;
  out[8] = *in;
  *in = 5;
  out[9] = *in;
  derived whole;
  whole.a = 2;
  private_ptr<derived> to_whole(&whole);
  private_ptr<base> to_base = static_asptr_cast<base>(to_whole);
  out[10] = to_base->a;
  global_ptr<int> none;
  out[11] = !none && none == nullptr && nullptr == none;
  none.reset(in.get());
  out[12] = none.release() == in.get() && !none;
  constant_ptr<int[]> all = table.ptr();
  out[13] = all[1];
  shared = 3;
  local_ptr<int> to_shared = shared.ptr();
  out[14] = *to_shared;
  in = nullptr;
  out[15] = in == nullptr;
  out[16] = of_memory(to_shared);
  ++second;
  second++;
  --second;
  out[17] = *second + second.get()[5] - 1;
  constant_ptr<int> to_number = &number;
  out[18] = *to_number + two.ptr()->second;
}
