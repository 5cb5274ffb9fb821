// Labels of a switch inside if and else, a for loop whose first clause is skipped, and a default in the
// middle.
//! buffer out: int 8
//! launch: run(out) global 8
//! expect out: 1 10 100 1003 5000 1003 12 5000

kernel void run(global int *out) {
  int i = get_global_id(0);
  int sum = 0;
  int k = 0;
  switch (i == 6 ? 11 : i == 7 ? 4 : i) {
    if (i < 100) {
    case 0:
      sum += 1;
      break;
    } else {
    case 1:
      sum += 10;
      break;
    case 11:
      sum += 12;
      break;
    }
  default:
    for (k = 10; k < 3; ++k) {
    case 2:
      sum += 100;
      break;
    }
    if (i != 2)
      sum = 1003;
    break;
  case 4:
    sum = 5000;
  }
  out[i] = sum;
}
