// {char, int, float} without padding: in buffers, in an indexed private array and in local memory.
//! buffer in: char int float = 1 100 0.5 2 200 1.5 -3 300 2.5 4 -400 3.5
//! buffer out: char int float 12
//! buffer sizes: int 12
//! launch: run(in, out, sizes) global 4
//! expect out: 4 -396 7.0 -3 297 5.0 2 202 3.0 1 101 1.0
//! expect sizes: 9 9 9 9 200 300 -400 100 -3 4 1 2

struct __attribute__((packed)) packed_record {
  char c;
  int i;
  float f;
};

kernel void run(global const struct packed_record *in, global struct packed_record *out, global int *sizes) {
  local struct packed_record shared_records[4];
  int i = get_local_id(0);
  struct packed_record record = in[i];
  record.i += record.c;
  record.f *= 2;
  out[3 - i] = record;
  sizes[i] = sizeof(struct packed_record);
  struct packed_record copies[4];
  for (int k = 0; k < 4; ++k)
    copies[k] = in[k];
  sizes[4 + i] = copies[(i + 1) & 3].i;
  shared_records[i] = in[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  sizes[8 + i] = shared_records[(i + 2) & 3].c;
}
