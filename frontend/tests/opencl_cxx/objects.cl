//# marker_types stands-for="3.10 example 2"
#include <opencl_image>
using namespace cl;
kernel void run(image1d<float4> img) { static_assert(is_marker_type<decltype(img)>(), ""); }
//# marker_declared stands-for="3.10 example 1" refused="image"
#include <opencl_image>
using namespace cl;
kernel void run(image1d<float4> img1) { image1d<float4> img3; }
//# marker_assigned stands-for="3.10 example 1" refused="operator="
#include <opencl_image>
using namespace cl;
kernel void run(image1d<float4> img1, image1d<float4> img2) { img1 = img2; }
//# marker_address stands-for="3.10 example 1" refused="image<"
#include <opencl_image>
using namespace cl;
kernel void run(image1d<float4> img1) { image1d<float4> *p = &img1; }
//# image_read stands-for="3.11 example 1"
#include <opencl_image>
#include <opencl_work_item>
using namespace cl;
kernel void run(image2d<float4, image_access::read> img) {
  int2 coord;
  coord.x = get_global_id(0);
  coord.y = get_global_id(1);
  float4 val = img.read(coord);
}
//# image_read_write stands-for="3.11 example 2"
#include <opencl_atomic>
#include <opencl_image>
#include <opencl_work_item>
using namespace cl;
kernel void run(image2d<float4, image_access::read_write> img) {
  int2 coord;
  coord.x = get_global_id(0);
  coord.y = get_global_id(1);
  float4 val1{0.5f};
  img[coord] = val1;
  atomic_fence(mem_fence::image, memory_order_acq_rel, memory_scope_work_item);
  float4 val2 = img[coord];
}
//# image_sampler_argument stands-for="3.11 example 3"
#include <opencl_image>
#include <opencl_work_item>
using namespace cl;
kernel void run(image2d<float4, image_access::sample> img, sampler s) {
  int2 coord;
  coord.x = get_global_id(0);
  coord.y = get_global_id(1);
  float4 val = img.sample(s, coord);
}
//# image_sampler_of_program stands-for="3.11 example 4"
#include <opencl_image>
#include <opencl_work_item>
using namespace cl;
sampler s = make_sampler<addressing_mode::clamp, normalized_coordinates::unnormalized, filtering_mode::nearest>();
kernel void run(image2d<float4, image_access::sample> img) {
  int2 coord = int2(get_global_id(0), get_global_id(1));
  float4 val = img.sample(s, coord);
}
//# image_sampler_of_kernel stands-for="3.11 example 5"
#include <opencl_image>
#include <opencl_work_item>
using namespace cl;
kernel void run(image2d<float4, image_access::sample> img) {
  int2 coord = int2(get_global_id(0), get_global_id(1));
  static sampler s =
      make_sampler<addressing_mode::clamp, normalized_coordinates::unnormalized, filtering_mode::nearest>();
  float4 val = img.sample(s, coord);
}
//# image_passed
#include <opencl_image>
using namespace cl;
int2 sizes(const image2d<float4, image_access::read> &img) { return img.size(); }
template <class T, image_access A> int wide(image2d<T, A> img) { return img.width(); }
float4 one(const image3d<float4, image_access::sample> &img, const sampler &s) { return img.sample(s, float3(0.5f)); }
kernel void run(image2d<float4, image_access::read> a, image3d<float4, image_access::sample> b, sampler s,
                image2d_array<int4, image_access::write> c, image1d_buffer<uint4> d,
                image2d_depth<float, image_access::sample> e) {
  int2 n = sizes(a);
  int w = wide(a) + c.array_size() + d.width();
  float4 x = one(b, s);
  c.write(int3(0, 0, 1), int4(w));
  uint4 u = d.read(3);
  float z = e.sample(s, float2(0.5f, 0.5f));
  if (a.order() == image_channel_order::rgba && a.data_type() == image_channel_type::unorm_int8)
    c.write(int3(0, 0, 0), int4(n.x));
}
//# image_written_while_read refused="can be written"
#include <opencl_image>
using namespace cl;
kernel void run(image2d<float4, image_access::read> img) { img.write(int2(0), float4(1.0f)); }
//# image_in_class refused="image"
#include <opencl_image>
using namespace cl;
struct holder { image2d<float4, image_access::read> img; };
//# image_captured refused="image"
#include <opencl_image>
using namespace cl;
kernel void run(image2d<float4> img) {
  auto f = [&]() { return img.width(); };
  f();
}
//# named_barriers stands-for="3.16 named barriers" refused="named barriers are not supported (OpenCL C++ 3.16)"
#include <opencl_memory>
#include <opencl_synchronization>
#include <opencl_work_item>
using namespace cl;
void wait(work_group_named_barrier &b) { b.wait(mem_fence::global); }
kernel void run() {
  cl::local<work_group_named_barrier> a(4), b(2);
  if (get_sub_group_id() < 4)
    wait(a);
  b.wait(mem_fence::local);
}
//# atomics stands-for="3.24 example 1"
#include <opencl_atomic>
#include <opencl_memory>
using namespace cl;
atomic<int> a;
local<atomic<int>> b;
global<atomic<int>> c;
kernel void run() {
  static global<atomic<int>> d;
  local<atomic<int>> f;
  static atomic<int> g;
  a.fetch_add(1);
  b.store(3, memory_order_relaxed, memory_scope_work_group);
  c++;
  d += 2;
  f.fetch_max(4);
  int expected = 5;
  g.compare_exchange_strong(expected, 6);
  atomic_fetch_or(&g, 2);
  int x = a.load() + b + atomic_load_explicit(&g, memory_order_acquire, memory_scope_device);
}
//# atomic_of_char refused="cl::atomic takes"
#include <opencl_atomic>
cl::atomic<char> a;
kernel void run() { a.load(); }
//# atomic_of_storage stands-for="3.24 example 1" refused="address space"
#include <opencl_atomic>
#include <opencl_memory>
kernel void run() { cl::atomic<cl::global<int>> e; }
//# atomic_of_pointer
#include <opencl_atomic>
#include <opencl_type_traits>
using namespace cl;
int numbers[4];
atomic<int *> a, b{nullptr};
global<atomic<const int *>> c;
kernel void run() {
  static atomic<int *> d(nullptr);
  local<atomic<int *>> e;
  static_assert(is_same<decltype(a.fetch_add(1)), int *>::value && is_same<decltype(a += 1), int *>::value, "");
  a = numbers;
  int *p = a.exchange(numbers + 1, memory_order_relaxed), *q = b;
  bool is_done = a.compare_exchange_weak(p, q) || a.compare_exchange_strong(p, q, memory_order_seq_cst, memory_order_relaxed, memory_scope_device);
  e.store(p);
  ++a, a--, a -= 2, a.fetch_sub(1, memory_order_relaxed, memory_scope_work_group);
  p = atomic_fetch_add(&a, 3);
  p = atomic_fetch_sub_explicit(&a, 3l, memory_order_relaxed, memory_scope_device);
  p = atomic_exchange(&a, numbers);
  p = atomic_fetch_and(&a, ~7l);
  atomic_init(&b, numbers);
  c.store(atomic_load(&b));
}
//# atomic_of_pointer_without_long_atomics without="cl_khr_int64_base_atomics" refused="cl::atomic of a pointer needs cl_khr_int64_base_atomics"
#include <opencl_atomic>
cl::atomic<int *> a;
kernel void run() {}
//# atomic_of_pointer_multiplied refused="fetch_max"
#include <opencl_atomic>
cl::atomic<int *> a;
kernel void run() { cl::atomic_fetch_max(&a, 1); }
//# atomic_flag
#include <opencl_atomic>
cl::atomic_flag f;
kernel void run() {
  if (!f.test_and_set())
    atomic_flag_clear(&f);
}
//# pipe_used stands-for="3.12 example 1"
#include <opencl_pipe>
using namespace cl;
kernel void run(pipe<int> p) {
  int val;
  if (p.read(val)) {
    uint n = p.num_packets() + p.max_packets();
  }
  static_assert(is_marker_type<pipe<int>>::value && pipe<int>::access == pipe_access::read, "");
}
//# pipe_storage_used stands-for="3.12 example 4"
#include <opencl_pipe>
cl::pipe_storage<int, 100> storage;
kernel void producer() {
  cl::pipe<int, cl::pipe_access::write> p = storage.get<cl::pipe_access::write>();
  p.write(3);
}
kernel void consumer() {
  cl::pipe<int, cl::pipe_access::read> p = storage.get<cl::pipe_access::read>();
  int val;
  if (p.read(val)) {
  }
}
//# queue_used stands-for="3.13 example 2"
#include <opencl_device_queue>
#include <opencl_work_item>
using namespace cl;
kernel void run(device_queue queue) {
  auto work = [](local_ptr<ushort16> p) { uint place = get_global_id(0); };
  queue.enqueue_kernel(enqueue_policy::no_wait, ndrange{1}, work, local_ptr<ushort16>::size_type{1});
}
//# marker_read stands-for="3.10 example 1"
#include <opencl_image>
#include <opencl_work_item>
using namespace cl;
float4 bar(image1d<float4> img) { return img.read((int)get_global_id(0)); }
kernel void run(image1d<float4> img1) { float4 val = bar(img1); }
//# image_fence stands-for="3.11 reading and writing"
#include <opencl_atomic>
#include <opencl_image>
#include <opencl_work_item>
using namespace cl;
kernel void run(image2d<float4, image_access::read_write> img) {
  int2 coord;
  coord.x = (int)get_global_id(0);
  coord.y = (int)get_global_id(1);
  float4 clr = img.read(coord);
  img.write(coord, clr);
  atomic_fence(mem_fence::image, memory_order_acq_rel, memory_scope_work_item);
  float4 again = img.read(coord);
}
//# pipe_written stands-for="3.12 example 2"
#include <opencl_pipe>
using namespace cl;
kernel void run(pipe<int, pipe_access::write> p) {
  int val = 3;
  if (p.write(val)) {
  }
}
//# pipe_reserved stands-for="3.12 example 3"
#include <opencl_pipe>
using namespace cl;
kernel void run(pipe<int, pipe_access::read> p) {
  int val;
  auto rid = p.reserve(1);
  if (rid.read(0, val)) {
  }
  rid.commit();
}
//# pipe_reserved_by_groups
#include <opencl_memory>
#include <opencl_pipe>
using namespace cl;
struct packet { int low; float4 high; };
template <class P> auto take(P p) { return p.work_group_reserve(2); }
kernel void run(pipe<packet, pipe_access::write> p, global_ptr<packet> from) {
  auto group = take(p);
  if (group && group.is_valid())
    group.write(1, *from);
  group.commit();
  const auto narrow = p.sub_group_reserve(1);
  narrow.write(0, packet{1, float4(2)});
  narrow.commit();
}
//# pipe_written_to_reader refused="only a pipe of pipe_access::write can be written"
#include <opencl_pipe>
kernel void run(cl::pipe<int> p) { p.write(3); }
//# pipe_reservation_read_by_writer refused="only a pipe of pipe_access::read can be read"
#include <opencl_pipe>
kernel void run(cl::pipe<int, cl::pipe_access::write> p) {
  int val;
  p.reserve(1).read(0, val);
}
//# pipe_declared refused="pipe"
#include <opencl_pipe>
kernel void run() { cl::pipe<int> p; }
//# pipe_assigned refused="operator="
#include <opencl_pipe>
kernel void run(cl::pipe<int> p, cl::pipe<int> q) { p = q; }
//# pipe_reservation_assigned refused="operator="
#include <opencl_pipe>
kernel void run(cl::pipe<int> p) {
  auto a = p.reserve(1), b = p.reserve(1);
  a = b;
}
//# pipe_of_objects refused="POD"
#include <opencl_pipe>
struct packet {
  int n;
  packet() : n(3) {}
};
kernel void run(cl::pipe<packet> p) {}
//# pipe_of_pointers refused="a pipe of packets of type"
#include <opencl_pipe>
kernel void run(cl::pipe<__global int *> p) {}
//# pipe_storages stands-for="3.12 example 5"
#include <opencl_pipe>
using namespace cl;
pipe_storage<int2, 20> first;
pipe_storage<float, 40> second;
kernel void input() {
  auto p = make_pipe<pipe_access::write>(first);
  p.write(int2(1, 2));
}
kernel void processor() {
  auto p_in = make_pipe<pipe_access::read>(first);
  auto p_out = make_pipe<pipe_access::write>(second);
  int2 val;
  if (p_in.read(val))
    p_out.write((float)val.x);
}
kernel void output() {
  auto p = make_pipe<pipe_access::read>(second);
  float val;
  if (p.read(val)) {
  }
}
//# queue_default stands-for="3.13 example 1"
#include <opencl_device_queue>
#include <opencl_work_item>
using namespace cl;
kernel void run() {
  auto queue = get_default_device_queue();
  queue.enqueue_kernel(enqueue_policy::no_wait, ndrange(1), []() { uint place = get_global_id(0); });
}
//# queue_functor stands-for="3.13 example 3"
#include <opencl_device_queue>
#include <opencl_work_item>
using namespace cl;
struct functor {
  template <typename T> void operator()(T t) const { uint place = get_global_id(0); }
};
kernel void run(device_queue queue) {
  auto work = functor{};
  queue.enqueue_kernel(enqueue_policy::no_wait, ndrange{1}, work, local_ptr<ushort16>::size_type{1});
}
//# queue_types
#include <opencl_device_queue>
using namespace cl;
static_assert(is_marker_type<device_queue>::value && !is_marker_type<event>::value, "");
static_assert(!is_default_constructible<device_queue>::value && is_copy_constructible<device_queue>::value, "");
static_assert(is_default_constructible<event>::value && is_copy_assignable<event>::value, "");
static_assert(!is_convertible<event, bool>::value && !is_convertible<size_t, ndrange>::value, "");
kernel void run(device_queue queue) {
  event e = make_user_event(), list[2] = {e, event()};
  event *at = &e;
  ndrange all[3] = {{1, 2}, {1, 2, 3}, ndrange({4, 5, 6})};
  if (e && queue.is_valid())
    queue.enqueue_marker(2, list, at);
}
//# queue_needs_the_feature without="__opencl_c_device_enqueue" refused="requires __opencl_c_device_enqueue, which the device does not offer"
#include <opencl_device_queue>
using namespace cl;
kernel void run() { get_default_device_queue().enqueue_kernel(enqueue_policy::no_wait, ndrange(1), []() {}); }
//# queue_included_without_the_feature without="__opencl_c_device_enqueue"
#include <opencl_device_queue>
kernel void run() { cl::ndrange all(1); }
//# queue_declared refused="deleted function 'queue<void>"
#include <opencl_device_queue>
using namespace cl;
kernel void run() { device_queue q; }
//# queue_assigned refused="operator="
#include <opencl_device_queue>
using namespace cl;
kernel void run(device_queue a, device_queue b) { a = b; }
//# queue_address refused="operator&"
#include <opencl_device_queue>
using namespace cl;
kernel void run(device_queue a) { auto p = &a; }
//# queue_object_captured refused="trivially"
#include <opencl_device_queue>
using namespace cl;
struct guard {
  ~guard() {}
};
kernel void run() {
  guard g;
  get_default_device_queue().enqueue_kernel(enqueue_policy::no_wait, ndrange(1), [g]() {});
}
//# queue_pointer_passed refused="pointers that are enqueued point to global or constant memory"
#include <opencl_device_queue>
using namespace cl;
kernel void run() {
  int n = 1;
  get_default_device_queue().enqueue_kernel(enqueue_policy::no_wait, ndrange(1), [](int *p) {}, &n);
}
//# queue_passed refused="objects of marker types cannot be enqueued"
#include <opencl_device_queue>
using namespace cl;
kernel void run(device_queue q) { q.enqueue_kernel(enqueue_policy::no_wait, ndrange(1), [](device_queue) {}, q); }
//# queue_arguments_missing refused="no matching"
#include <opencl_device_queue>
using namespace cl;
kernel void run(device_queue q) { q.enqueue_kernel(enqueue_policy::no_wait, ndrange(1), [](int, float) {}, 1); }
//# ndrange_of_four refused="an ndrange has one to three dimensions"
#include <opencl_device_queue>
kernel void run() { cl::ndrange all({1, 2, 3, 4}); }
//# queue_in_class refused="cannot be used to declare a structure or union field"
#include <opencl_device_queue>
struct A { cl::device_queue queue; };
//# event_at_program_scope refused="cannot be used to declare a program scope variable"
#include <opencl_device_queue>
cl::event e;
//# event_in_class refused="cannot be used to declare a structure or union field"
#include <opencl_device_queue>
struct A { cl::event e; };
//# event_of_kernel refused="kernel"
#include <opencl_device_queue>
kernel void run(cl::event e) {}
//# image_returned refused="return value of type 'image<"
#include <opencl_image>
using namespace cl;
image2d<float4> f(image2d<float4> a) { return a; }
kernel void run(image2d<float4> a) { f(a); }
//# image_in_class refused="cannot be used to declare a structure or union field"
#include <opencl_image>
struct A { cl::image2d<float4> a; };
//# image_pixels
#include <opencl_image>
using namespace cl;
template <class I> I &itself(I &img) { return img; }
kernel void run(image2d<float4> from, image2d<float4, image_access::write> to, image1d<int4, image_access::write> line) {
  float4 x = from[int2(1, 2)], y = from[int2(2, 3)] * 2.0f + from[int2(0)];
  to[int2(1)] = x;
  (to[int2(2, 1)]) = from[int2(1)];
  (to)[int2(1, 2)] = y;
  itself(to)[int2(3)] = x;
  line[3] = int4(4);
}
//# image_pixel_kept refused="float4"
#include <opencl_image>
using namespace cl;
kernel void run(image2d<float4> from) {
  auto pixel = from[int2(1, 2)];
  float4 x = pixel;
}
//# image_pixel_kept_and_written refused="a pixel is written where it is designated"
#include <opencl_image>
using namespace cl;
kernel void run(image2d<float4, image_access::read_write> img) {
  auto pixel = img[int2(1, 2)];
  pixel = float4(1.0f);
}
//# image_pixel_written_to_reader refused="only images of image_access::write and read_write can be written"
#include <opencl_image>
using namespace cl;
kernel void run(image2d<float4> img) { img[int2(1, 2)] = float4(1.0f); }
//# image_levels
#include <opencl_image>
#include <opencl_memory>
using namespace cl;
kernel void read(image2d<float4, image_access::sample> a, image3d<int4, image_access::sample> b,
                 image1d_array<uint4, image_access::sample> c, image2d_array_depth<half, image_access::sample> d, sampler s) {
  float4 x = a.sample(s, float2(0.5f), 1.0f) + a.sample(s, float2(0.5f), float2(0.1f), float2(0.2f));
  int4 y = b.sample(s, float3(0.5f), 1.0f) + b.sample(s, float3(0.5f), float3(0.1f), float3(0.2f));
  uint4 z = c.sample(s, float2(0.5f), 1.0f) + c.sample(s, float2(0.5f), 0.1f, 0.2f);
  half w = d.sample(s, float3(0.5f), 1.0f) + d.sample(s, float3(0.5f), float2(0.1f), float2(0.2f));
  int n = a.miplevels() + a.width(1) + b.depth(2) + b.height(1) + c.array_size(1);
}
kernel void write(image2d<float4, image_access::write> a, image2d_array<half4, image_access::write> b) {
  a.write(int2(1, 2), float4(1.0f), a.miplevels() - 1);
  b.write(int3(1, 2, 0), half4(1.0h), 1);
}
//# image_levels_without without="cl_khr_mipmap_image" refused="miplevels"
#include <opencl_image>
kernel void run(cl::image2d<float4> img) { int n = img.miplevels(); }
//# image_levels_written_to_reader refused="have levels that can be written"
#include <opencl_image>
kernel void run(cl::image2d<float4> img) { img.write(int2(1, 2), float4(1.0f), 1); }
//# image_of_samples refused="multi-sampled images are not supported (OpenCL C++ 3.11)"
#include <opencl_image>
using namespace cl;
kernel void run(image<float4, image_access::read, image_dim::image_2d, false, false, true> img) { int n = img.width(); }
//# image_conversions stands-for="5 conversion rules"
#include <opencl_convert>
using namespace cl;
kernel void run(int i, uint n) {
  char a = convert_cast<char, saturate::on>(i);
  short b = convert_cast<short, saturate::on>(i);
  uchar c = convert_cast<uchar, saturate::on>(n);
  ushort d = convert_cast<ushort, saturate::on>(n);
}
