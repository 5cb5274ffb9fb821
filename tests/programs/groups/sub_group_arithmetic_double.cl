// Reductions and scans of sub-groups in double precision, with exact sums, by all work-items and by some,
// compared with plain loops. Groups of 30 leave a sub-group that is not full.
//! options: -cl-std=CL3.0
//! needs: cl_khr_subgroup_non_uniform_arithmetic cl_khr_fp64
//! buffer of_double: int = 7*0
//! launch: arithmetic_double(of_double) global 60 local 30
//! expect of_double: 3*60 4*40

#include "sub_group_arithmetic.h"

KERNEL(double, (double)(-INFINITY), (double)(INFINITY), i * 37 - 11, NO_BITS)
