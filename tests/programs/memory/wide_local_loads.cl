// Neighbouring numbers in local memory that are loaded as vectors, and lanes of these vectors that work-items
// store to on their own. `computed.rs` has the same loops.
//! prefers: wide-local-loads
//! buffer rows: uint 128
//! buffer ends: uint 32
//! buffer changed: uint 32
//! buffer kept: uint 32
//! buffer wrapped: uint 32
//! launch: by_rows(rows) global 128 local 64
//! launch: from_argument(ends, local 60) global 32 local 16
//! launch: stored_between(changed, uint 0, uint 0) global 32 local 16
//! launch: left_as_numbers(kept) global 32 local 16
//! launch: at_wrapped_indices(wrapped, uint 1) global 32 local 16
//! expect rows: computed wide_rows
//! expect ends: computed wide_ends
//! expect changed: computed wide_changed
//! expect kept: computed wide_kept
//! expect wrapped: computed wide_wrapped

#define VALUE(i) ((i) * (i) * 7 + 3)

uint products(local uint (*tile)[8], const uint *own) {
  uint total = 0;
  for (uint row = 0; row < 16; ++row) {
    uint sum = 0;
#pragma unroll
    for (uint f = 0; f < 8; ++f)
      sum += own[f] * tile[row][f];
    total = total * 31 + sum;
  }
  return total;
}

// The four lanes of a vector are stored by four work-items; later each work-item changes one lane of every
// second pair.
kernel void by_rows(global uint *out) {
  local uint tile[16][8];
  uint id = get_local_id(0), group = get_group_id(0);
  for (uint i = id; i < 128; i += 64) {
    uint e = i * 5 % 128;
    tile[e / 8][e % 8] = VALUE(e) + group;
  }
  uint own[8];
#pragma unroll
  for (uint f = 0; f < 8; ++f)
    own[f] = id + f;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint first = products(tile, own);
  barrier(CLK_LOCAL_MEM_FENCE);
  uint e = id * 2 + (id & 1);
  tile[e / 8][e % 8] += id;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = first ^ products(tile, own);
}

// 15 numbers: the last vector is not whole. Those from the second on do not begin with a vector.
kernel void from_argument(global uint *out, local uint *row) {
  uint id = get_local_id(0);
  if (id < 15)
    row[id] = VALUE(id + get_group_id(0));
  barrier(CLK_LOCAL_MEM_FENCE);
  uint sum = row[id % 15];
  local uint *second = row + 1;
  sum = sum * 31 + second[-1];
#pragma unroll
  for (int f = 0; f < 11; ++f)
    sum = sum * 31 + second[f];
  out[get_global_id(0)] = sum;
}

// Both numbers are zero, which the compiler does not know.
kernel void stored_between(global uint *out, uint zero, uint none) {
  local uint tile[16][4];
  size_t id = get_local_id(0);
  *(local uint4 *)tile[id] = (uint4)(1, 2, 3, 4) * (uint)(id + 1);
  uint a = tile[id + zero][0], b = tile[id + zero][1];
  tile[id ^ none][2] = a * b;
  uint c = tile[id + zero][2], d = tile[id + zero][3];
  barrier(CLK_LOCAL_MEM_FENCE);
  size_t next = (id + 1) % 16;
  uint before = tile[next][0] + tile[next][1] * 3 + tile[next][2] * 5 + tile[next][3] * 7;
  barrier(CLK_LOCAL_MEM_FENCE);
  tile[id][id % 4] = before;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint after = 0;
#pragma unroll
  for (uint i = 0; i < 16; ++i) {
    uint row[4];
#pragma unroll
    for (uint f = 0; f < 4; ++f)
      row[f] = tile[i][f];
    after = after * 31 + (row[0] ^ row[1]) + row[2] - row[3];
  }
  out[get_global_id(0)] = after + c * 11 + d * 13;
}

// Atomic operations, and accesses that must happen one by one.
kernel void left_as_numbers(global uint *out) {
  local uint counted[4][4];
  volatile local uint watched[4][4];
  size_t id = get_local_id(0);
  counted[id / 4][id % 4] = id;
  watched[id / 4][id % 4] = id * 3;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&counted[id % 4][id / 4], (uint)id);
  barrier(CLK_LOCAL_MEM_FENCE);
  size_t i = id / 4;
  uint sum = counted[i][0] + counted[i][1] * 3 + counted[i][2] * 5 + counted[i][3] * 7;
  out[get_global_id(0)] =
      sum * 31 + watched[i][0] + watched[i][1] * 3 + watched[i][2] * 5 + watched[i][3] * 7;
}

// Shifting loses the upper bits of the index, which is small then.
kernel void at_wrapped_indices(global uint *out, uint one) {
  local uint tile[16];
  uint id = get_local_id(0);
  tile[id] = VALUE(id);
  barrier(CLK_LOCAL_MEM_FENCE);
  uint x = (one << 30) + id % 4;
  uint at = x << 2;
  uint high = tile[at] + tile[at + 1] * 3 + tile[at + 2] * 5 + tile[at + 3] * 7;
  uint other = (one << 31) + 3 - id % 4;
  int signed_at = other << 2;
  uint low = tile[signed_at + 3] + tile[signed_at + 2] * 3 + tile[signed_at + 1] * 5 + tile[signed_at] * 7;
  out[get_global_id(0)] = high * 31 + low;
}
