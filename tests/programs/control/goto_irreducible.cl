// A loop with two entries. It counts down to zero and records its path: it is entered at `even` for even
// numbers, at `odd` for odd ones. The value is 100 * (times at odd) + (times at even): for n, ceil(n/2) odd
// steps and floor(n/2) even ones, and the visit of `even` with zero.
//! buffer out: int 6
//! launch: run(out) global 6
//! expect out: 1 101 102 202 203 303

kernel void run(global int *out) {
  int n = get_global_id(0);
  int left = n;
  int sum = 0;
  if (n % 2)
    goto odd;
even:
  sum += 1;
  if (left == 0)
    goto end;
  --left;
odd:
  sum += 100;
  --left;
  goto even;
end:
  out[n] = sum;
}
