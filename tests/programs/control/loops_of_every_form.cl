// continue and break in every loop, loops with parts omitted, switches in loops and loops in switches.
//! buffer out: int 12
//! launch: run(out, int 10) global 1
//! expect out: 30 3 5 4 10 5 98 5 321 6 1100 12

kernel void run(global int *out, int n) {
  int i = 0, sum = 0;
  for (;;) {
    if (++i > n)
      break;
    if (i & 1)
      continue;
    sum += i;
  }
  out[0] = sum;
  i = n;
  while (i--)
    if (i == 3)
      break;
    else
      continue;
  out[1] = i;
  i = 0;
  do
    i++;
  while (i < 5);
  out[2] = i;
  int odd = 0;
  do {
    if (i & 1)
      continue;
    odd++;
  } while (++i < 13);
  out[3] = odd;
  sum = 0;
  for (i = 0; i < 5; sum += i++)
    ;
  out[4] = sum;
  out[5] = i;
  sum = 0;
  for (i = 0; i < 8; ++i) {
    switch (i) {
    case 2 ... 4:
      continue;
    case 6:
      break;
    default:
      sum += 10;
      if (i == 5)
        sum += 50;
    }
    if (i == 7)
      break;
    sum += 2;
  }
  out[6] = sum;
  int digits = 0, place = 1;
  switch (n) {
    for (i = 1; i < 4; ++i) {
    case 10:
      if (place == 1)
        i = 1;
      digits += i * place;
      place *= 10;
    }
  }
  out[7] = 5;
  out[8] = digits;
  int depth = 0;
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) {
      if (b > a)
        break;
      for (int c = 0;; ++c) {
        if (c == 1)
          break;
        depth++;
      }
    }
  out[9] = depth;
  int trace = 0;
  for (int k = 3; k; k /= 2)
    trace = trace * 10 + (k == 3 ? 11 : 0) * 10;
  out[10] = trace;
  int steps = 0;
  while (1) {
    while (1) {
      if (++steps % 3 == 0)
        break;
    }
    if (steps >= 10)
      break;
  }
  out[11] = steps;
}
