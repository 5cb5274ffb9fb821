// Barriers between loops made of labels, which each work-item leaves after a different number of iterations:
// the flow at the barriers is uniform. Each round adds what the neighbour stored: with s(i) = i + 1 at first,
// four rounds of s(i) += s((i + 1) % 16).
//! buffer out: int 16
//! launch: run(out) global 16
//! expect out: 48 64 80 96 112 128 144 160 176 192 208 224 224 176 96 48

kernel void run(global int *out) {
  local int shared_values[16];
  int i = get_local_id(0);
  int value = 0;
count:
  ++value;
  if (value <= i)
    goto count;
  int round = 0;
again:
  shared_values[i] = value;
  barrier(CLK_LOCAL_MEM_FENCE);
  int other = shared_values[(i + 1) % 16];
  barrier(CLK_LOCAL_MEM_FENCE);
  int left = other;
add:
  if (left > 0) {
    ++value;
    --left;
    goto add;
  }
  if (++round < 4)
    goto again;
  out[i] = value;
}
