// Copies to local memory and back, plain and strided, of small, large and three-element types; an event is
// passed on.
//! buffer bytes: uchar = 0..40
//! buffer words: uint = 100..164
//! buffer out_bytes: uchar 40
//! buffer out_words: uint 64
//! buffer columns: uint 24
//! launch: copy(bytes, words, out_bytes, out_words, columns) global 8 local 8
//! expect out_bytes: 1..41
//! expect out_words: 101..165
//! expect columns: 102 106 110 114 118 122 0xcdcdcdcd 0xcdcdcdcd 0xcdcdcdcd 0xcdcdcdcd 0xcdcdcdcd 0xcdcdcdcd 100 101 102 103 0xcdcdcdcd 0xcdcdcdcd 0xcdcdcdcd 0xcdcdcdcd 108 109 110 111

kernel void copy(global const uchar *bytes, global const uint4 *words, global uchar *out_bytes, global uint4 *out_words,
                 global uint *columns) {
  local uchar small[40];
  local uint4 large[16];
  local uint column[6];
  local uint3 triples[2];
  event_t event = async_work_group_copy(small, bytes, 40, 0);
  event = async_work_group_copy(large, words, 16, event);
  event_t events[2];
  events[0] = event;
  events[1] = async_work_group_strided_copy(column, (global const uint *)words + 2, 6, 4, (event_t)0);
  wait_group_events(2, events);
  int i = get_local_id(0);
  for (int k = i; k < 40; k += 8)
    small[k] += 1;
  for (int k = i; k < 16; k += 8)
    large[k] += 1u;
  barrier(CLK_LOCAL_MEM_FENCE);
  event = async_work_group_copy(out_bytes, small, 40, 0);
  async_work_group_copy(out_words, large, 16, event);
  event_t third = async_work_group_copy(columns, column, 6, 0);
  event_t fourth = async_work_group_strided_copy(triples, (global const uint3 *)words, 2, 2, 0);
  wait_group_events(1, &fourth);
  fourth = async_work_group_strided_copy((global uint3 *)(columns + 12), triples, 2, 2, 0);
  wait_group_events(1, &event);
  wait_group_events(1, &third);
  wait_group_events(1, &fourth);
  prefetch(words, 4);
}
