// Structures that contain pointers: by value, returned, copied, in indexed arrays.
//! buffer a: int = 0..4
//! buffer b: int = 100..104
//! buffer out: int 12
//! launch: run(a, b, out) global 4
//! expect out: 100 1 102 3 1100 2101 3102 4103 7 104 9 106
//! expect a: 0..4
//! expect b: 100..104

struct view {
  global int *data;
  local int *shared_data;
  int length;
};

struct view narrow(struct view v, int length) {
  v.length = length;
  return v;
}

int at(struct view v, int i) {
  return i < v.length ? v.data[i] : v.shared_data[i];
}

kernel void run(global int *a, global int *b, global int *out) {
  local int l[4];
  int i = get_local_id(0);
  l[i] = 1000 * (i + 1);
  barrier(CLK_LOCAL_MEM_FENCE);
  struct view views[2];
  views[0].data = b;
  views[0].shared_data = l;
  views[0].length = 4;
  views[1] = views[0];
  views[1].data = a;
  struct view chosen = views[i & 1];
  out[i] = at(chosen, i);
  out[4 + i] = at(narrow(views[0], 0), i) + at(narrow(views[0], 4), i);
  struct view *p = &views[i & 1];
  p->data += 1;
  // views of a at odd work-items, of b at even ones: b[1 + ...], a[1 + ...]
  out[8 + i] = (i & 1) ? p->data[0] + 103 + (i - 1) : 7 + i;
}
