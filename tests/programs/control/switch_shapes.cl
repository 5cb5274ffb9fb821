// Switches that are empty, have one label, the default first or in the middle, or are nested in each other
// and in loops.
//! buffer out: int 16
//! launch: run(out) global 16
//! expect out: 10467 10363 599 1600 11663 10667 10355 10467 10408 10404 403 10404 30402 30407 30392 30405

kernel void run(global int *out) {
  int i = get_global_id(0);
  int sum = 0;
  switch (sum++)
    ;
  switch (i) {
  }
  switch (i)
  case 3:
    sum += 1;
  switch (i) {
  default:
    sum += 2;
  }
  switch (i & 7) {
  default:
    sum += 4;
  case 1:
    sum += 8;
    break;
    sum += 100000;
  case 5:
    sum += 16;
  case 6:;
  }
  for (int k = 0; k < 6; ++k) {
    switch (k ^ i) {
    case 2:
      continue;
    case 0:
    case 7:
      switch (k) {
      case 1:
        break;
      case 3:
        sum += 1000;
      default:
        sum += 100;
        if (i == 12)
          continue;
        break;
      }
      sum += 32;
      break;
    case 12 ... 14: {
      int extra = k;
      sum += extra;
      if (extra == 4)
        break;
    }
    case 4:
      sum += 10000;
    }
    sum += 64;
  }
  out[i] = sum;
}
