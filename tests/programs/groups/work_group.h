// Reductions, scans and broadcasts of work-groups, against plain loops over what each work-item has.

#include "operations.h"

#define COMPARE(T, index, key, COMBINE, IDENTITY, x)                                           \
  {                                                                                            \
    T all = IDENTITY, with = IDENTITY, before = IDENTITY;                                      \
    __attribute__((opencl_unroll_hint(1)))                                                     \
    for (int j = 0; j < 60; ++j) {                                                             \
      int i = j;                                                                               \
      T value = (T)(x);                                                                        \
      all = COMBINE(all, value);                                                               \
      if (j <= me)                                                                             \
        with = COMBINE(with, value);                                                           \
      if (j < me)                                                                              \
        before = COMBINE(before, value);                                                       \
    }                                                                                          \
    int i = me;                                                                                \
    T mine = (T)(x);                                                                           \
    if (work_group_reduce_##key(mine) == all & work_group_scan_inclusive_##key(mine) == with & \
        work_group_scan_exclusive_##key(mine) == before)                                       \
      atomic_inc(&passed[index]);                                                              \
  }

#define NO_BITS(T)

#define BITS(T)                                                                                \
  COMPARE(T, 4, and, AND, (T)~(T)0, ~(1 << (i & 7)))                                           \
  COMPARE(T, 5, or, OR, (T)0, 1 << (i & 7))                                                    \
  COMPARE(T, 6, xor, XOR, (T)0, i * 5)

// BITWISE compares the operations on bits, where the type has those.
#define KERNEL(T, least, greatest, BITWISE)                                                    \
kernel void collectives_##T(global int *passed) {                                              \
  int me = get_local_linear_id();                                                              \
  int i = me;                                                                                  \
  COMPARE(T, 0, add, ADD, (T)0, (i * 37 % 23 - 11))                                            \
  COMPARE(T, 1, min, LESS, greatest, (i * 37 % 23 - 11))                                       \
  COMPARE(T, 2, max, MORE, least, (i * 37 % 23 - 11))                                          \
  COMPARE(T, 3, mul, MUL, (T)1, (i % 9 == 0 ? 2 : 1))                                          \
  BITWISE(T)                                                                                   \
  uint x = 2, y = 1, z = get_local_size(2) - 1;                                                \
  T given = (T)(i + 100 * get_group_id(0));                                                    \
  uint from = (z * get_local_size(1) + y) * get_local_size(0) + x;                             \
  if (work_group_broadcast(given, x, y, z) == (T)(from + 100 * get_group_id(0)))               \
    atomic_inc(&passed[7]);                                                                    \
}
