// Loops without bodies, with constant conditions, and without a second iteration.
//! buffer out: int 8
//! launch: run(out) global 8
//! expect out: 354933 351765 6436277 960021 675189 6435093 355125 351957

kernel void run(global int *out) {
  int i = get_global_id(0);
  int sum = 0, k;
  for (k = 0; k < i; ++k)
    ;
  sum += k;
  while (k-- > 0)
    ;
  sum += 10 * k;
  do
    ++sum;
  while (0);
  do {
    if (i & 1)
      continue;
    sum += 100;
  } while (0);
  while (0)
    sum += 1000000;
  for (; 0;)
    sum += 1000000;
  for (;;) {
    if (i == 3)
      break;
    sum += 1000;
    break;
  }
  for (;;)
    for (;;) {
      sum += 10000;
      if (sum % 3 == 0)
        goto out;
      sum += i;
      if (sum > 200000)
        goto out;
    }
out:
  if (0)
    sum = -1;
  else
    for (k = 0; 1; k += 2)
      if (k > i)
        break;
  while (1) {
    if (++k > 20)
      break;
    else
      continue;
    sum = -2;
  }
  out[i] = sum * 32 + k;
}
