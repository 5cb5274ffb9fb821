// Reductions and scans of sub-groups on integers of 32 and 64 bits, by all work-items and by some, compared
// with plain loops. Groups of 30 leave a sub-group that is not full.
//! options: -cl-std=CL3.0
//! needs: cl_khr_subgroup_non_uniform_arithmetic
//! buffer of_int: int = 10*0
//! buffer of_ulong: int = 10*0
//! launch: arithmetic_int(of_int) global 60 local 30
//! launch: arithmetic_ulong(of_ulong) global 20x3 local 10x3
//! expect of_int: 3*60 7*40
//! expect of_ulong: 3*60 7*40

#include "sub_group_arithmetic.h"

KERNEL(int, (int)(INT_MIN), (int)(INT_MAX), i * 37 - 11, BITS)
KERNEL(ulong, (ulong)(0), (ulong)(ULONG_MAX), i * 37 - 11, BITS)
