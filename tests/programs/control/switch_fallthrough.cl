// A switch whose groups fall through: adds the value of each group on the way.
//! buffer out: int 8
//! launch: run(out) global 8
//! expect out: 111 11 10 0 1000 1000 0 0

kernel void run(global int *out) {
  int i = get_global_id(0);
  int sum = 0;
  switch (i) {
  case 0:
    sum += 100;
  case 1:
    sum += 1;
  case 2:
    sum += 10;
    break;
  case 4 ... 5:
    sum += 1000;
  default:
    break;
  }
  out[i] = sum;
}
