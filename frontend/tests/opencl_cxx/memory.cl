//# storage_classes stands-for="3.4 restriction 1"
#include <opencl_array>
#include <opencl_memory>
using namespace cl;
kernel void by_reference(global<array<int, 5>> &values) { values[0] = 1; }
kernel void by_pointer_class(global_ptr<int> value) { *value = 2; }
kernel void by_array_class(global_ptr<int[]> values) { values[3] = 3; }
//# storage_by_value stands-for="3.4 restriction 1" refused="address space"
#include <opencl_array>
#include <opencl_memory>
using namespace cl;
kernel void run(global<array<int, 5>> values) {}
//# returned_by_reference stands-for="3.4 restriction 2"
#include <opencl_array>
#include <opencl_memory>
using namespace cl;
global<array<int, 5>> numbers;
global<array<int, 5>> &whole() { return numbers; }
kernel void run() { whole()[0] = 1; }
//# returned_by_value stands-for="3.4 restriction 2" refused="address space"
#include <opencl_array>
#include <opencl_memory>
using namespace cl;
global<array<int, 5>> numbers;
global<array<int, 5>> whole() { return numbers; }
//# static_members stands-for="3.4 restriction 3"
#include <opencl_array>
#include <opencl_memory>
using namespace cl;
struct holder {
  static global<int> a;
};
global<int> holder::a;
kernel void run(global_ptr<int> out) { holder::a = 3; *out = holder::a; }
//# members stands-for="3.4 restriction 3" refused="field may not be qualified with an address space"
#include <opencl_memory>
using namespace cl;
struct holder {
  global<int> a;
  local<int> b;
};
//# global_in_function stands-for="3.4 restriction 4"
#include <opencl_memory>
using namespace cl;
kernel void run(global_ptr<int> out) {
  static global<int> kept;
  kept += 1;
  *out = kept;
}
//# global_not_static stands-for="3.4 restriction 4" refused="address space"
#include <opencl_memory>
using namespace cl;
kernel void run() { global<int> lost; }
//# local_variables stands-for="3.4 restriction 5"
#include <opencl_array>
#include <opencl_memory>
using namespace cl;
kernel void run() {
  local<int> one;
  local<array<int, 5>> many;
  one = 1;
  many[2] = one;
}
//# local_initialised stands-for="3.4 restriction 5"
#include <opencl_array>
#include <opencl_memory>
using namespace cl;
kernel void run() {
  local<int> b{1};
  static local<int> d{1};
  local<array<int, 5>> a = {10};
  d = b + a[0];
}
//# local_initialised_at_program_scope refused="cannot have an initializer"
#include <opencl_memory>
using namespace cl;
local<int> b{1};
//# local_in_block stands-for="3.4 restriction 5" refused="outermost scope"
#include <opencl_memory>
using namespace cl;
kernel void run(int x) {
  if (x) {
    local<int> c;
  }
}
//# constant_variables stands-for="3.4 restriction 7"
#include <opencl_memory>
using namespace cl;
constant<int> a{4};
kernel void run(global_ptr<int> out) {
  static constant<int> b{5};
  *out = a + b;
}
//# constant_uninitialised stands-for="3.4 restriction 8" refused="initiali"
#include <opencl_memory>
using namespace cl;
constant<int> a;
//# priv_variables stands-for="3.4 restriction 9"
#include <opencl_memory>
using namespace cl;
kernel void run(global_ptr<int> out) {
  priv<int> d;
  d = 3;
  *out = d;
}
//# priv_at_program_scope stands-for="3.4 restriction 9" refused="address space"
#include <opencl_memory>
using namespace cl;
priv<int> a;
//# sealed_class stands-for="3.4 restriction 11" refused="final"
#include <opencl_memory>
using namespace cl;
struct sealed final {};
kernel void run() { local<sealed> a; }
//# kernel_takes_pointer stands-for="3.4 example 1"
#include <opencl_memory>
using namespace cl;
kernel void run(global<int> *arg) { *arg = 3; }
//# cast_of_generic stands-for="3.4 example 3"
#include <opencl_memory>
using namespace cl;
kernel void run(global_ptr<int> arg) {
  int *ptr = arg;
  auto found = dynamic_asptr_cast<global_ptr<int>>(ptr);
  if (found)
    *found = 5;
}
//# array_in_local stands-for="3.4 example 4"
#include <opencl_array>
#include <opencl_memory>
#include <opencl_synchronization>
#include <opencl_work_item>
using namespace cl;
kernel void run() {
  local<array<int, 2>> shared;
  if (get_local_id(0) == 0) {
    for (auto it = shared.begin(); it != shared.end(); ++it)
      *it = 0;
  }
  work_group_barrier(mem_fence::local);
  shared[0] += 1;
}
//# number_in_local stands-for="3.4 example 5"
#include <opencl_memory>
#include <opencl_synchronization>
#include <opencl_work_item>
using namespace cl;
kernel void run() {
  local<int> a;
  if (get_local_id(0) == 0)
    a = 1;
  work_group_barrier(mem_fence::local);
  if (get_local_id(0) == 1)
    a += 1;
}
//# pointer_classes
#include <opencl_memory>
using namespace cl;
struct pair_of { int a, b; };
kernel void run(global_ptr<pair_of> p, constant_ptr<int[]> c, local_ptr<float[]> l, global_ptr<int> q) {
  p->a = c[1];
  global_ptr<int> moved = q + 2;
  ++moved;
  moved += 1;
  if (moved != q && q && moved > q && moved != nullptr)
    *moved = p->b;
  l[0] = 1.0f;
  moved.swap(q);
  swap(moved, q);
  auto again = static_asptr_cast<const int>(moved);
  auto other = reinterpret_asptr_cast<float>(moved);
  *other = *again;
  moved.reset();
  moved = nullptr;
  q.release();
}
//# aggregates_in_spaces
#include <opencl_memory>
using namespace cl;
struct point { int x, y; };
struct circle {
  point middle;
  int radius;
  constexpr circle(int r) : middle{r, r}, radius(r) {}
};
global<point> p{1, 2};
constant<point> q{3, 4};
constant<int[2]> table{{5, 6}};
global<circle> c{3};
kernel void run(global_ptr<int> out) {
  p = point{7, 8};
  c.radius = p.x;
  *out = p.x + q.y + table[1] + (&c)->radius + c.middle.x;
}
//# kernel_takes_pointer_class stands-for="3.4 example 2"
#include <opencl_memory>
using namespace cl;
kernel void run(global_ptr<int> arg) { *arg = 3; }
//# global_with_constant stands-for="3.4 restriction 6"
#include <opencl_memory>
using namespace cl;
kernel void run(global_ptr<int> out) {
  static global<int> c{5};
  *out = c;
}
//# global_not_constant stands-for="3.4 restriction 6" refused="constant expression"
#include <opencl_memory>
#include <opencl_work_item>
using namespace cl;
kernel void run() {
  int a = get_local_id(0);
  static global<int> b{a};
}
//# constant_not_constant stands-for="3.4 restriction 7" refused="constant expression"
#include <opencl_memory>
#include <opencl_work_item>
using namespace cl;
kernel void run() {
  int a = get_local_id(0);
  static constant<int> b{a};
}
//# constant_with_methods stands-for="3.4 restriction 10" refused="get"
#include <opencl_memory>
using namespace cl;
struct bar {
  int n;
  int get() { return 10; }
};
constant<bar> a{1};
kernel void run() { int b = a.get(); }
//# priv_static stands-for="3.4 restriction 9" refused="address space"
#include <opencl_memory>
using namespace cl;
kernel void run() { static priv<int> c{0}; }
//# local_with_destructor stands-for="2.5 memory initialization"
#include <opencl_memory>
using namespace cl;
struct S {
  int n;
  S() : n(1) {}
  ~S() { n = 2; }
};
kernel void run() {
  local<S> a;
  static local<S> b;
}
//# local_with_barriers stands-for="3.4 restriction 12" refused="one work-item executes this"
#include <opencl_memory>
#include <opencl_synchronization>
#include <opencl_work_group>
using namespace cl;
void wait() { work_group_barrier(mem_fence::local); }
struct Foo {
  Foo() { work_group_barrier(mem_fence::local); }
};
struct Bar {
  ~Bar() {
    if (work_group_any(true))
      wait();
  }
};
kernel void bar() {
  local<Foo> a;
  local<Bar> b;
}
//# local_of_program_with_destructor stands-for="2.5 memory initialization" refused="can only be declared in a kernel"
#include <opencl_memory>
struct S {
  ~S() {}
};
cl::local<S> a;
//# local_member_with_destructor stands-for="2.5 memory initialization" refused="can only be declared in a kernel"
#include <opencl_memory>
struct S {
  ~S() {}
};
struct T { static cl::local<S> a; };
//# local_after_return stands-for="3.4 restriction 13"
#include <opencl_memory>
using namespace cl;
kernel void run(int n) {
  if (n == 0)
    return;
  local<int> a;
  a = n;
}
//# local_cleared options="-cl-std=c++ -cl-zero-init-local-mem-vars"
#include <opencl_memory>
kernel void run() { cl::local<int> a; }
//# arrays_of_unknown_length
#include <opencl_memory>
using namespace cl;
kernel void run(local<int2[]> *a, [[cl::max_size(64)]] local<int2[]> &b, constant<int2[]> *c, [[cl::max_size(64)]] constant<int2[]> &d, global<int[]> &e) {
  (*a)[1] = d[2] + (*c)[3];
  b[0] = (*a)[1];
  e[0] = b[0].x;
  e.ptr()[1] = b.ptr()[1].y + d.ptr()[1].x;
}
