// Reductions and scans of sub-groups, by all work-items and by some, against plain loops.

#include "operations.h"

// Compares the functions with plain loops over the values of the work-items that take part.
#define COMPARE(T, index, key, PREFIX, COMBINE, IDENTITY, x)                                   \
  {                                                                                            \
    T mine = (T)(x);                                                                           \
    values[i] = mine;                                                                          \
    barrier(CLK_LOCAL_MEM_FENCE);                                                              \
    T all = IDENTITY, with = IDENTITY, before = IDENTITY;                                      \
    __attribute__((opencl_unroll_hint(1)))                                                     \
    for (int j = 0; j < 30; ++j) {                                                             \
      if (groups[j] == get_sub_group_id() && (!some || j % 3 != 1)) {                          \
        all = COMBINE(all, values[j]);                                                         \
        if (lanes[j] <= get_sub_group_local_id())                                              \
          with = COMBINE(with, values[j]);                                                     \
        if (lanes[j] < get_sub_group_local_id())                                               \
          before = COMBINE(before, values[j]);                                                 \
      }                                                                                        \
    }                                                                                          \
    barrier(CLK_LOCAL_MEM_FENCE);                                                              \
    if (!some || i % 3 != 1) {                                                                 \
      if (PREFIX##reduce_##key(mine) == all && PREFIX##scan_inclusive_##key(mine) == with &&   \
          PREFIX##scan_exclusive_##key(mine) == before)                                        \
        atomic_inc(&passed[index]);                                                            \
    }                                                                                          \
  }

#define PLACES                                                                                 \
  local uint groups[30], lanes[30];                                                            \
  int i = get_local_linear_id();                                                               \
  groups[i] = get_sub_group_id();                                                              \
  lanes[i] = get_sub_group_local_id();                                                         \
  barrier(CLK_LOCAL_MEM_FENCE);                                                                \
  bool some;

#define NO_BITS(T)

#define BITS(T)                                                                                \
  COMPARE(T, 7, and, sub_group_non_uniform_, AND, (T)~(T)0, ~(1 << (i & 7)))                   \
  COMPARE(T, 8, or, sub_group_non_uniform_, OR, (T)0, 1 << (i & 7))                            \
  COMPARE(T, 9, xor, sub_group_non_uniform_, XOR, (T)0, i * 5)

// `term` is the value that is added; BITWISE compares the operations on bits, where the type has those.
#define KERNEL(T, least, greatest, term, BITWISE)                                              \
kernel void arithmetic_##T(global int *passed) {                                               \
  local T values[30];                                                                          \
  PLACES                                                                                       \
  some = false;                                                                                \
  COMPARE(T, 0, add, sub_group_, ADD, (T)0, term)                                              \
  COMPARE(T, 1, min, sub_group_, LESS, greatest, i * 37 % 23 - 11)                             \
  COMPARE(T, 2, max, sub_group_, MORE, least, i * 37 % 23 - 11)                                \
  some = true;                                                                                 \
  COMPARE(T, 3, add, sub_group_non_uniform_, ADD, (T)0, term)                                  \
  COMPARE(T, 4, mul, sub_group_non_uniform_, MUL, (T)1, i % 7 == 0 ? 2 : 1)                    \
  COMPARE(T, 5, min, sub_group_non_uniform_, LESS, greatest, i * 37 % 23 - 11)                 \
  COMPARE(T, 6, max, sub_group_non_uniform_, MORE, least, i * 37 % 23 - 11)                    \
  BITWISE(T)                                                                                   \
}
