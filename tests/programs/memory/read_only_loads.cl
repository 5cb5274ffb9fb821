// What a kernel reads through `const` and `restrict`, of several types, beside what it writes; two arguments
// may be the same buffer, because nothing writes to it. A second launch reads what the first one wrote.
//! prefers: read-only-loads
//! buffer bytes: char = -3 5 7 -9 11 2 4 6
//! buffer floats: float = 0.5 1.5 2.5 3.5 4.5 5.5 6.5 7.5
//! buffer records: int short short = 100 1 2 200 3 4 300 5 6 400 7 8
//! buffer sums: int 4
//! buffer again: int 4
//! launch: add(bytes, bytes, floats, records, sums, int 2) global 4
//! launch: read(sums, again) global 4
//! expect sums: 107 197 312 427
//! expect again: 108 199 315 431

typedef struct { int whole; short parts[2]; } Record;

kernel void add(global const char *restrict a, global const char *restrict b, global const float4 *restrict f,
                global const Record *restrict r, global int *restrict out, int times) {
  int i = get_global_id(0);
  int sum = r[i].whole + r[i].parts[1];
  for (int k = 0; k < times; ++k)
    sum += a[2 * i + k] * (k + 1 - k);
  sum -= b[i];
  sum += (int)(f[1].w - f[0].x) - 7;
  out[i] = sum;
}

kernel void read(global const int *restrict in, global int *restrict out) {
  int i = get_global_id(0);
  out[i] = in[i] + i + 1;
}
