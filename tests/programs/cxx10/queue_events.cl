// Events of enqueued functors, markers, times, ranges and queries (OpenCL C++ §3.13). What is expected
// is what the programs of the same names in `enqueue`, in OpenCL C, give.
//! options: -cl-std=c++
//! needs: __opencl_c_device_enqueue
//! spirv differs: clang has no OpenCL C++ 1.0
//! buffer log: int = 12*0
//! buffer results: int 8
//! buffer one: int 12
//! buffer two: int = 24*0
//! buffer three: int = 24*0
//! buffer sizes: int 4
//! buffer asked: int 8
//! buffer times: long = 4*0
//! buffer timed: int = 2*0
//! launch: events(log, results) global 1
//! launch: ranges(one, two, three, sizes) global 1
//! launch: queries(asked) global 1
//! launch: profile(times, timed) global 1
//! expect log: 8 2 1 3 4 5 6 7 8 0 0 0
//! expect results: 1 1 1 1 1 0 1 1
//! expect one: 0 1 2 103 104 105 106 7 208 209 210 211
//! expect two: 0 0 0 0 0 0 0 0 32 33 34 0 0 42 43 44 0 0 52 53 54 0 0 0
//! expect three: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24
//! expect sizes: 2 3 1 1
//! expect asked: 1 1 1 1 1 0 0 1
//! expect timed: 1 1
#include <opencl_atomic>
#include <opencl_device_queue>
#include <opencl_memory>
#include <opencl_work_item>
using namespace cl;

void note(global_ptr<int[]> log, int number) { log[atomic_inc(log.get()) + 1] = number; }

kernel void events(global_ptr<int[]> log, global_ptr<int[]> results) {
  auto queue = get_default_device_queue();
  ndrange one(1);
  event gate = make_user_event(), first, second, both, last, none;
  results[7] = gate.is_valid() && !none.is_valid();
  auto status = queue.enqueue_kernel(enqueue_policy::no_wait, 1, &gate, &first, one, [=]() {
    note(log, 1);
    // Part of `first`.
    get_default_device_queue().enqueue_kernel(enqueue_policy::wait_kernel, one, [=]() {
      note(log, 3);
      get_default_device_queue().enqueue_kernel(enqueue_policy::wait_kernel, one, [=]() { note(log, 4); });
    });
  });
  results[0] = status == enqueue_status::success;
  status = queue.enqueue_kernel(enqueue_policy::no_wait, 1, &first, &second, one, [=]() { note(log, 5); });
  results[1] = status == enqueue_status::success;
  event list[2] = {first, second};
  results[2] = queue.enqueue_marker(2, list, &both) == enqueue_status::success;
  status = queue.enqueue_kernel(enqueue_policy::no_wait, 1, &both, &last, one, [=]() { note(log, 6); });
  results[3] = status == enqueue_status::success;
  results[4] = last ? 1 : 0;
  results[5] = none ? 1 : 0;
  status = queue.enqueue_kernel(enqueue_policy::no_wait, one, [=](event gate, event last) {
    note(log, 2);
    gate.set_status(event_status::submitted);
    gate.set_status(event_status::complete);
    gate.release();
    get_default_device_queue().enqueue_kernel(enqueue_policy::no_wait, 1, &last, nullptr, one, [=](event last) {
      note(log, 7);
      last.release();
      get_default_device_queue().enqueue_kernel(enqueue_policy::no_wait, one, [=]() { note(log, 8); });
    }, last);
  }, gate, last);
  results[6] = status == enqueue_status::success;
  first.release();
  second.release();
  both.release();
}

kernel void ranges(global_ptr<int[]> one, global_ptr<int[]> two, global_ptr<int[]> three, global_ptr<int[]> sizes) {
  auto queue = get_default_device_queue();
  bool all = true;
  for (int i = 0; i < 12; i++)
    one[i] = i;
  auto enqueue = [&](const ndrange &range, auto work) {
    all = queue.enqueue_kernel(enqueue_policy::no_wait, range, work) == enqueue_status::success && all;
  };
  enqueue(ndrange(3, 4, 2), [=]() { one[get_global_id(0)] += 100 * (1 + (get_global_id(0) - get_global_offset(0)) / 4); });
  enqueue({8, 4, 4}, [=]() { one[get_global_id(0)] += get_local_size(0) * 50; });
  enqueue(ndrange({2, 1}, {3, 3}, {3, 1}), [=]() {
    two[(get_global_id(1) - 1) * 5 + get_global_id(0) + 6] = 30 + (get_global_id(1) - 1) * 10 + get_global_id(0);
  });
  const size_t cube[3] = {4, 3, 2}, groups[3] = {2, 1, 1};
  enqueue(cube, [=]() {
    three[get_global_linear_id()] += get_global_linear_id() + 1;
    if (get_global_linear_id() == 0)
      sizes[2] = get_work_dim() == 3;
  });
  enqueue({cube, groups}, [=]() {
    if (get_global_linear_id() == 23) {
      sizes[0] = get_local_size(0);
      sizes[1] = get_num_groups(1);
    }
  });
  sizes[3] = all;
}

kernel void queries(global_ptr<int[]> out) {
  auto work = [=]() { out[0] = 0; };
  auto with_memory = [=](local_ptr<int> memory) { *memory = 1; };
  local_ptr<int>::size_type one(1);
  uint most = get_kernel_work_group_size(work), multiple = get_kernel_preferred_work_group_size_multiple(with_memory, one);
  ndrange range(64, 16);
  uint size = get_kernel_max_sub_group_size_for_ndrange(range, work), count = get_kernel_sub_group_count_for_ndrange(range, work);
  out[0] = most >= 64 && most == get_kernel_work_group_size(with_memory, one);
  out[1] = multiple >= 1 && multiple <= most;
  out[2] = size >= 1 && count == (16 + size - 1) / size;
  out[3] = get_kernel_max_num_sub_groups(work) == (most + size - 1) / size;
  out[4] = get_kernel_local_size_for_sub_group_count(1, work) == size && get_kernel_local_size_for_sub_group_count(1 << 30, work) == 0;
  // These have no effect.
  auto queue = get_default_device_queue();
  out[5] = queue.enqueue_kernel(enqueue_policy::no_wait, ndrange(4096 * 4096, 4096 * 4096), work) == enqueue_status::success;
  out[6] = queue.enqueue_kernel(enqueue_policy::no_wait, 1, nullptr, nullptr, ndrange(1), work) == enqueue_status::success;
  out[7] = queue.is_valid();
}

kernel void profile(global_ptr<long[]> times, global_ptr<int[]> out) {
  auto queue = get_default_device_queue();
  event done;
  queue.enqueue_kernel(enqueue_policy::no_wait, 0, nullptr, &done, ndrange(1), [=]() { out[0] = 1; });
  done.profiling_info(event_profiling_info::exec_time, global_ptr<long>(times.get()));
  queue.enqueue_kernel(enqueue_policy::no_wait, 1, &done, nullptr, ndrange(1), [=](event done) {
    out[1] = times[0] > 0 && times[1] >= times[0];
    done.release();
  }, done);
}
