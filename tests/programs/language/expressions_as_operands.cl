// Assignments, commas, conditions and calls as operands: which are evaluated, and how often.
//! buffer log: int = 0 0 0 0
//! buffer out: int 24
//! launch: run(log, out) global 1
//! expect log: 9 0 0 0
//! expect out: 5 5 5 42 -7 3 12 2 7 1 0 1 0 -2 1 44 1 2 6 24 8 16 -1 2

int count(global int *log, int value) {
  log[0]++;
  return value;
}

kernel void run(global int *log, global int *out) {
  int a, b, c;
  a = b = c = count(log, 5);
  out[0] = a;
  out[1] = b;
  out[2] = c;
  out[3] = (a += 2) * (b += 1);
  out[4] = -(a -= 0);
  out[5] = (count(log, 1), count(log, 2), 3);
  // The right operand of && and || is evaluated only if it decides the result; ?: evaluates only one operand.
  int d = count(log, 0) && count(log, 1);
  d += count(log, 1) || count(log, 1);
  out[6] = d + (a ? 11 : count(log, 100));
  out[7] = a > 3 ? b > 9 ? 1 : 2 : b > 9 ? 3 : 4;
  out[8] = (a ? b : c) + (c ? 1 : 0);
  out[9] = sizeof(count(log, 3)) == 4;
  out[10] = sizeof(a++) == 8;
  out[11] = a == 7;
  out[12] = !!a == a;
  out[13] = ~!a + -1 + !b;
  uchar u = 255;
  u++;
  out[14] = u == 0;
  u -= 1;
  u = u + 45;
  out[15] = u;
  short s = 32767;
  out[16] = s + 1 == 32768;
  out[17] = (char)(s + 1) + (char)258;
  int e = 3;
  e <<= e - 2;
  out[18] = e;
  out[19] = (e = 4, e *= 2, e) * 3;
  int i = 1, x[4] = {2, 4, 8, 16};
  i += x[i & 1] > 1 ? 1 : 0;
  out[20] = x[i];
  out[21] = *(x + 3) == 3 [x] ? x[3] : 0;
  out[22] = log[3] = -1;
  log[3]++;
  for (int j = 0, k = 9; j < k; ++j, --k)
    i = k - j;
  out[23] = count(log, i) + count(log, 1);
  count(log, 0), count(log, 0);
}
