// Pipes of the host: packets, and reservations of work-items and work-groups. What is expected is what
// `pipes/reservations.cl` in OpenCL C gives.
//! options: -cl-std=c++
//! spirv differs: clang has no OpenCL C++ 1.0
//! buffer ring: uint = 16 8 0 0 28*0 32*0
//! buffer out: int 48
//! launch: produce(ring) global 8 local 4
//! launch: consume(ring, out) global 8 local 4
//! launch: refused(ring, out) global 1
//! launch: single(ring) global 4 local 2
//! launch: taken(ring, out) global 4 local 2
//! expect out: 0 1000 10 1010 20 1020 30 1030
//! expect out: 40 1040 50 1050 60 1060 70 1070
//! expect out: 80 1080 90 1090 100 1100 110 1110
//! expect out: 120 1120 130 1130 140 1140 150 1150
//! expect out: 0 1 0 1 16 0 16 0  7 8 9 10 4*-1
#include <opencl_memory>
#include <opencl_pipe>
#include <opencl_work_item>
using namespace cl;
struct packet { int low, high; };

// Pipes and reservations go through calls.
template <class R> void put(R &reservation, uint index, int number) {
  reservation.write(index, packet{number * 10, number * 10 + 1000});
}
kernel void produce(pipe<packet, pipe_access::write> p) {
  auto group = p.work_group_reserve((uint)get_local_size(0) * 2);
  if (group)
    for (int i = 0; i < 2; i++) {
      uint index = (uint)get_local_id(0) * 2 + i;
      put(group, index, 8 * (int)get_group_id(0) + index);
    }
  group.commit();
}
kernel void consume(pipe<packet> p, global_ptr<int[]> out) {
  auto reserved = p.reserve(2);
  if (reserved.is_valid())
    for (uint i = 0; i < 2; i++) {
      packet it;
      if (reserved.read(i, it)) {
        out[it.low / 5] = it.low;
        out[it.low / 5 + 1] = it.high;
      }
    }
  reserved.commit();
}
kernel void refused(pipe<packet, pipe_access::write> p, global_ptr<int[]> out) {
  out[32] = p.num_packets();
  auto whole = p.reserve(16);
  out[33] = (bool)whole;
  auto more = p.reserve(1);
  out[34] = (bool)more;
  out[35] = !p.write(packet{1, 2});
  for (uint i = 0; i < 16; i++)
    whole.write(i, packet{-1, -1});
  whole.commit();
  out[36] = p.max_packets();
  out[37] = p.max_packets() - p.num_packets();
  out[38] = sizeof(packet) * 2;
  out[39] = p.write(packet{1, 2});
}
// The pipe is full of packets of the same contents: each work-item takes four of them, and leaves none.
kernel void single(pipe<packet> p) {
  packet it;
  for (int i = 0; i < 4; i++)
    p.read(it);
}
kernel void taken(pipe<packet> p, global_ptr<int[]> out) {
  int i = (int)get_global_id(0);
  packet it{7 + i, -1};
  // Of an empty pipe nothing is read.
  bool is_read = p.read(it);
  out[40 + i] = is_read ? 100 : it.low;
  out[44 + i] = it.high;
}
