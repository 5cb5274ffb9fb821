// `return` in loops, switches and branches of functions that are inlined more than once, and code after it.
//! buffer out: int 16
//! launch: run(out) global 16
//! expect out: 0 10400 10400 10400 10695 10685 10710 -19 10190 10885 11385 -6 10185 0 -5 -6

int find(int wanted, int limit) {
  for (int a = 0; a < limit; ++a) {
    int b = 0;
    do {
      switch (a * b - wanted) {
      case 0:
        return a * 100 + b;
      case 1:
        if (b > 2)
          return -b;
        break;
      default:
        if (a * b > 40)
          return -1000;
        return a == 4 ? 77 : (b++, 0);
        b = 500;
      case -3:
      case -2 ... -1:
      case -20 ... -4:
        ++b;
        continue;
      }
      b += 2;
    } while (b < 7);
  }
  return -1;
}

void set(global int *to, int value) {
  if (value < 0) {
    *to = value;
    return;
    *to = 1234;
  }
  while (value > 50) {
    value -= 7;
    if (value % 5 == 0) {
      *to = value + 10000;
      return;
    }
  }
  *to = value;
}

kernel void run(global int *out) {
  int i = get_global_id(0);
  int first = find(i, 5);
  if (i == 15) {
    out[i] = find(2, 1) - 5;
    return;
  }
  set(out + i, first + find(i * 2, 6) * 3);
}
