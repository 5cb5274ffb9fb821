// Extensions of GNU C: designated ranges, whose values are evaluated once; arrays without elements; empty
// structures.
//! buffer in: int = 10 20
//! buffer list: int = 3 7 8 9
//! buffer out: int 24
//! launch: run(in, list, out) global 2
//! expect in: 13 23
//! expect out: 10 11 11 0 12 12 5 21 27 4 4 1 20 21 21 0 22 22 5 42 29 4 4 2

struct list {
  int count;
  int data[0];
};

struct nothing {};

struct mixed {
  struct nothing before;
  int first;
  struct nothing between[3];
  int second;
};

constant uchar kind[256] = {[0 ... 255] = 4, ['0' ... '9'] = 1, ['a'] = 2, 3};

int count(global int *p) { return (*p)++; }

struct nothing pass(struct nothing x) {
  struct nothing y = x;
  return y;
}

kernel void run(global int *in, global const struct list *list, global int *out) {
  int i = get_global_id(0);
  global int *row = out + 12 * i;
  int once[2][3] = {[0 ... 1] = {[0] = 7, [1 ... 2] = 7}};
  row[0] = count(in + i);
  int a[4] = {[0 ... 1] = count(in + i)};
  row[1] = a[in[i] & 1];
  row[2] = a[1];
  row[3] = a[2] + a[3];
  int b[2][3] = {[0 ... 1][1 ... 2] = count(in + i), [1][0] = 5};
  row[4] = b[0][1];
  row[5] = b[i][2];
  row[6] = b[1][0] + b[0][0];
  row[7] = once[i][0] * 3 * (i + 1);
  int sum = i * 2;
  for (int k = 0; k < list->count; ++k)
    sum += list->data[k];
  row[8] = sum + list->count;
  struct mixed m = {{}, 1, {}, 3};
  m.between[i] = pass(m.before);
  row[9] = m.first + m.second;
  int none[0];
  row[10] = sizeof(struct list) + sizeof(none) + sizeof(struct nothing);
  row[11] = kind['5' + 44 * i];
}
