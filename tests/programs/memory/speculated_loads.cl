// Updates of a tile under conditions that follow each other: elimination of rows, where what one of them
// stores is not what the next one loads, by its condition; and two chains, in which it is.
//! prefers: speculated-loads
//! buffer in: int = 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18
//! buffer out: int 16
//! buffer chains: int 8
//! launch: eliminate(in, out) global 8 local 8
//! launch: chain(chains, int 2) global 4 local 4
//! expect out: 3 4 5 6 7 -20 -26 -32 11 -32 -874 -1076 15 -44 -1202 -1294832
//! expect chains: 22 27 106 107 5 6 7 8

kernel __attribute__((reqd_work_group_size(8, 1, 1)))
void eliminate(global const int *in, global int *out) {
  local int tile[4][4];
  const uint x = get_local_id(0) & 3, y = get_local_id(0) >> 2;
  for (uint row = y; row < 4; row += 2)
    tile[row][x] = in[row * 4 + x];
  for (uint k = 0; k < 3; ++k) {
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint row = y; row < 4; row += 2)
      if (row > k && x > k)
        tile[row][x] -= tile[row][k] * tile[k][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (uint row = y; row < 4; row += 2)
    out[row * 4 + x] = tile[row][x];
}

kernel __attribute__((reqd_work_group_size(4, 1, 1)))
void chain(global int *out, const uint n) {
  local int tile[8];
  local int far[4];
  const uint x = get_local_id(0);
  tile[x] = x + 1;
  tile[x + 4] = x + 5;
  far[x] = 100;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (x < 2)
    tile[x] += 10;
  if (x < n)
    tile[x + n] += far[x];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (x < 2)
    tile[x] = tile[x] * 2;
  if (x > 0)
    tile[x] = tile[x] + 3;
  out[x] = tile[x];
  out[x + 4] = tile[x + 4];
}
