// Sums, greatest values and sorted parts of an array: what reduce_and_sort.clcpp does with templates and
// lambdas, written by hand.
#define GROUP 256

kernel void reduce(global const int *in, uint count, global int *partial) {
  local int sums[GROUP], greatest[GROUP];
  uint id = get_local_id(0);
  int sum = 0, most = INT_MIN;
  for (uint i = get_global_id(0); i < count; i += get_global_size(0)) {
    sum += in[i];
    most = max(most, in[i] ^ 0x55);
  }
  sums[id] = sum;
  greatest[id] = most;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint half_way = GROUP / 2; half_way > 0; half_way /= 2) {
    if (id < half_way) {
      sums[id] += sums[id + half_way];
      greatest[id] = max(greatest[id], greatest[id + half_way]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (id == 0) {
    partial[2 * get_group_id(0)] = sums[0];
    partial[2 * get_group_id(0) + 1] = greatest[0];
  }
}

// Each work-group sorts 2 * GROUP values by their lower halves, and by the upper ones where these are equal.
static bool goes_before(int a, int b) {
  uint x = rotate((uint)a, 16u), y = rotate((uint)b, 16u);
  return x < y;
}

kernel void sort_parts(global int *data) {
  local int part[2 * GROUP];
  uint id = get_local_id(0), start = get_group_id(0) * 2 * GROUP;
  part[id] = data[start + id];
  part[id + GROUP] = data[start + id + GROUP];
  for (uint size = 2; size <= 2 * GROUP; size *= 2)
    for (uint stride = size / 2; stride > 0; stride /= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      uint first = 2 * id - (id & (stride - 1)), second = first + stride;
      bool upwards = (first & size) == 0;
      int a = part[first], b = part[second];
      if (goes_before(b, a) == upwards) {
        part[first] = b;
        part[second] = a;
      }
    }
  barrier(CLK_LOCAL_MEM_FENCE);
  data[start + id] = part[id];
  data[start + id + GROUP] = part[id + GROUP];
}
