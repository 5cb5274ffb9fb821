// Iterators: of arrays, of a list of the program, reversed, moving and inserting ones, and functions on them.
//! options: -cl-std=c++
//! spirv differs: clang has no OpenCL C++ 1.0
//! buffer out: int 20
//! launch: run(out, int 3) global 1
//! expect out: 54321 5 2 4 3 135 531 4 40 12 21 987 789 3 15 6 1 -2 1 0
#include <opencl_array>
#include <opencl_iterator>
#include <opencl_memory>
using namespace cl;

// A list in an array: each element says where the next and the previous one are.
struct node { int value, next, before; };
struct list_iterator : iterator<bidirectional_iterator_tag, int, ptrdiff_t, const int *, const int &> {
  const node *nodes;
  int at;
  list_iterator(const node *nodes, int at) : nodes(nodes), at(at) {}
  const int &operator*() const { return nodes[at].value; }
  list_iterator &operator++() { at = nodes[at].next; return *this; }
  list_iterator &operator--() { at = nodes[at].before; return *this; }
  bool operator!=(const list_iterator &other) const { return at != other.at; }
};
// Takes digits at its ends.
struct digits {
  typedef int value_type;
  typedef int *iterator;
  int number = 0, count = 0;
  void push_back(const int &digit) { number = number * 10 + digit; ++count; }
  void push_front(const int &digit) {
    int power = 1;
    for (int i = 0; i < count; ++i)
      power *= 10;
    number += digit * power;
    ++count;
  }
};
template <class I, class O> O copy(I first, I last, O to) {
  for (; first != last; ++first)
    *to++ = *first;
  return to;
}
template <class I> int number(I first, I last) {
  int result = 0;
  for (; first != last; ++first)
    result = result * 10 + *first;
  return result;
}

kernel void run(global_ptr<int[]> out, int n) {
  array<int, 5> a{{1, 2, 3, 4, 5}};
  out[0] = number(a.rbegin(), a.rend());
  out[1] = (int)distance(a.begin(), a.end());
  auto it = a.begin();
  advance(it, n - 2);
  out[2] = *it;
  out[3] = *next(it, 2);
  out[4] = *prev(a.end(), n);

  node nodes[] = {{1, 2, 4}, {5, 4, 2}, {3, 1, 0}, {9, 9, 9}, {0, 0, 1}};
  list_iterator first(nodes, 0), end(nodes, 4);
  out[5] = number(first, end);
  out[6] = number(make_reverse_iterator(end), make_reverse_iterator(first));
  out[7] = (int)distance(first, end) + 1;
  advance(end, -2);
  out[8] = *end * 10 + *prev(next(first)) * 10;

  digits taken;
  copy(a.begin(), a.begin() + 2, back_inserter(taken));
  out[9] = taken.number;
  digits reversed;
  copy(a.cbegin(), a.cbegin() + 2, front_inserter(reversed));
  out[10] = reversed.number;

  int plain[] = {7, 8, 9}, other[3];
  out[11] = number(rbegin(plain), rend(plain));
  copy(make_move_iterator(begin(plain)), make_move_iterator(cl::end(plain)), begin(other));
  out[12] = number(begin(other), cl::end(other));
  auto back = make_reverse_iterator(a.end());
  out[13] = back[2];
  int sum = 0;
  for (auto x = crbegin(a); x != crend(a); x += 1)
    sum += *x;
  out[14] = sum;
  auto later = back + 3;
  --later;
  later -= 1;
  out[15] = *later + *later.base() - *back + *(1 + back) - 2;
  out[16] = back < later && later <= later && later > back && !(later == back);
  out[17] = (int)(back - later) - 1;
  out[18] = make_move_iterator(a.begin()) + 2 == make_move_iterator(a.begin() + 2);
  out[19] = (int)(a.begin() - it) + 1;
}
