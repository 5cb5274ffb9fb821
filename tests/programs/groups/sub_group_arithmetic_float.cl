// Reductions and scans of sub-groups on floating-point numbers, with exact sums, by all work-items and by
// some, compared with plain loops. Groups of 30 leave a sub-group that is not full.
//! options: -cl-std=CL3.0
//! needs: cl_khr_subgroup_non_uniform_arithmetic cl_khr_fp16
//! buffer of_float: int = 7*0
//! buffer of_half: int = 7*0
//! launch: arithmetic_float(of_float) global 60 local 30
//! launch: arithmetic_half(of_half) global 20x3 local 10x3
//! expect of_float: 3*60 4*40
//! expect of_half: 3*60 4*40

#include "sub_group_arithmetic.h"

KERNEL(float, (float)(-INFINITY), (float)(INFINITY), i - 11, NO_BITS)
KERNEL(half, (half)(-INFINITY), (half)(INFINITY), i - 11, NO_BITS)
