// Order and number of side effects: comma, conditional, short circuit, compound assignment, and in loop
// conditions.
//! buffer out: int 8
//! launch: run(out) global 8
//! expect out: 8257685 12787352 4098567 11316520 8814991 6250274 1076699 5686023

int note(int *log, int digit, int result) {
  *log = (*log * 7 + digit) % 1000003;
  return result;
}

kernel void run(global int *out) {
  int i = get_global_id(0);
  int log = 0;
  int x = note(&log, 1, i & 1) && note(&log, 2, i & 2) || note(&log, 3, i & 4);
  x += (note(&log, 4, 0), note(&log, 5, 1)) ? note(&log, 6, 10) : note(&log, 0, 20);
  int y = !note(&log, 1, i > 3) ? (x++, x) : (x ? --x : x--);
  for (int k = note(&log, 2, 0); note(&log, 3, k < i % 3); k += note(&log, 4, 1))
    if (note(&log, 5, k) || !note(&log, 6, i == 5) && note(&log, 1, 1))
      y += 3;
  int a[3] = {1, 2, 3};
  int at = 0;
  a[at++] += 5;
  a[at] = a[at] + 4, at++;
  int which = (log & 1) + 1;
  a[which] *= note(&log, 3, 2) == 2 ? at : -1;
  while (note(&log, 2, i) && i-- > 4)
    x -= i;
  int id = get_global_id(0);
  out[id] = log * 13 + x * 1000 + y * 17 + a[0] + a[1] * 2 + a[2] * 3;
}
