// Lists, tables and pointers that are the same for all work-items, read only where they are valid: not beyond
// the null pointer at the end of a list, and not in branches that no work-item or only some take.
//! quirk: unguarded-loads
//! buffer nodes: ulong 6
//! buffer out: int 16
//! launch: link(nodes) global 1
//! launch: run(nodes, out, null) global 16
//! expect out: 60 61 62 63 64 65 66 67 68 69 70 71 72 73 74 75

struct node {
  global struct node *next;
  long value;
};

kernel void link(global struct node *nodes) {
  for (int k = 0; k < 3; ++k) {
    nodes[k].next = k < 2 ? &nodes[k + 1] : 0;
    nodes[k].value = 10 * (k + 1);
  }
}

kernel void run(global const struct node *nodes, global int *out, global const int *absent) {
  int item = (int)get_global_id(0), sum = item;
  for (global const struct node *n = nodes; n && sum >= 0; n = n->next)
    sum += (int)n->value;
  if (item > 100)
    sum += *absent;
  for (int k = 0; absent && k < item; ++k)
    sum += absent[k];
  out[item] = sum;
}
