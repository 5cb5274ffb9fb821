// A list in private memory, linked in an order known only at run time, ended by null.
//! buffer order: int = 5 2 7 0 3 6 1 4
//! buffer out: int 3
//! launch: run(order, out) global 1
//! expect out: 52703614 8 1

struct node {
  int value;
  struct node *next;
};

kernel void run(global const int *order, global int *out) {
  struct node nodes[8];
  struct node *head = 0;
  for (int k = 7; k >= 0; --k) {
    struct node *n = &nodes[order[k]];
    n->value = order[k];
    n->next = head;
    head = n;
  }
  int digits = 0;
  int count = 0;
  for (struct node *n = head; n != 0; n = n->next) {
    digits = digits * 10 + n->value;
    ++count;
  }
  out[0] = digits;
  out[1] = count;
  out[2] = nodes[4].next == 0;
}
