// Rectangles and boxes, with elements of three and four bytes, between global and local memory.
//! buffer plane: uchar = 0..96
//! buffer back: uchar = 96*255
//! buffer box: uint = 0..60
//! buffer box_back: uint = 60*7
//! launch: copy(plane, back, box, box_back) global 3x2 local 3x2
//! expect back: 255 255 255 15 16 17 18 19 20 255 255 255 255 255 255 27 28 29 30 31 32 75*255
//! expect box_back: 16 17 7 7 21 22 7 7 7 7 36 37 7 7 41 42 44*7

kernel void copy(global const uchar *plane, global uchar *back, global const uint *box, global uint *box_back) {
  local uchar part[24];
  local uint cells[16];
  // From lines of 4 elements of 3 bytes: 2 elements of each of 2 lines, from element 5 on, to lines of 3
  // elements.
  event_t event = async_work_group_copy_2D2D(part, 1, plane, 5, 3, 2, 2, 4, 3, 0);
  // From planes of 4 lines of 5 words: 2 x 2 x 2 words from word 16 on, to a box of 2 x 2 x 2.
  event = async_work_group_copy_3D3D(cells, 0, box, 16, 4, 2, 2, 2, 5, 20, 2, 4, event);
  wait_group_events(1, &event);
  event = async_work_group_copy_2D2D(back, 1, part, 1, 3, 2, 2, 3, 4, 0);
  event = async_work_group_copy_3D3D(box_back, 0, cells, 0, 4, 2, 2, 2, 2, 4, 4, 10, event);
  wait_group_events(1, &event);
}
