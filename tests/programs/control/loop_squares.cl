// Squares as sums of odd numbers.
//! buffer out: int 256
//! launch: run(out, int 256) global 256 local 64
//! expect out: computed squares

kernel void run(global int *out, int count) {
  int i = get_global_id(0);
  int sum = 0;
  int odd = 1;
  for (int k = 0; k < count; ++k) {
    if (k == i)
      break;
    sum += odd;
    odd += 2;
  }
  out[i] = sum;
}
