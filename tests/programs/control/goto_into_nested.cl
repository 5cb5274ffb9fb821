// Jumps into loops, branches and switches, backward and forward, and a function with labels that is inlined
// twice.
//! buffer out: int 12
//! launch: run(out) global 12
//! expect out: 10015033 31019336 4101008 21039336 9009123 31019336 5109032 30006335 9009032 30009424 5106032 30006335

int count(int from, int step) {
  int turns = 0;
  goto check;
  while (1) {
    turns += step;
  check:
    if (from > 20)
      return turns;
    from += step + 2;
    if (from & 1)
      goto odd;
    turns += 100;
  }
odd:
  turns += 1000;
  from += 3;
  goto check;
}

kernel void run(global int *out) {
  int i = get_global_id(0);
  int sum = 0, k = 0;
  if (i > 5)
    goto middle;
  for (k = 0; k < 3; ++k) {
    sum += 1;
    if (i == 4 && k == 1)
      goto other;
  middle:
    sum += 10;
    if (sum > 45)
      break;
    if (i == 9) {
      i = 3;
    other:
      sum += 100;
    }
  }
  switch (i) {
  case 0:
    sum += 1000;
  again:
    sum += 2000;
    break;
  case 2:
    if (sum < 5000) {
      sum += 5;
      goto again;
    }
  }
  if (i == 2 && sum < 9000)
    goto middle;
  out[get_global_id(0)] = sum + count(i, 1) * 3 + count(sum % 7, i % 4) * 10000;
}
