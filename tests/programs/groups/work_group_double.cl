// Reductions, scans and broadcasts of work-groups in double precision, with exact sums, compared with plain
// loops over each work-item's value.
//! options: -cl-std=CL3.0
//! needs: __opencl_c_work_group_collective_functions cl_khr_fp64
//! buffer of_double: int = 8*0
//! launch: collectives_double(of_double) global 120x2 local 30x2
//! expect of_double: 4*240 3*0 240

#include "work_group.h"

KERNEL(double, (double)(-INFINITY), (double)(INFINITY), NO_BITS)
