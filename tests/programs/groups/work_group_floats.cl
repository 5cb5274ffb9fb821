// Reductions, scans and broadcasts of work-groups on floating-point numbers, with exact sums, compared with
// plain loops over each work-item's value.
//! options: -cl-std=CL3.0
//! needs: __opencl_c_work_group_collective_functions cl_khr_fp16
//! buffer of_float: int = 8*0
//! buffer of_half: int = 8*0
//! launch: collectives_float(of_float) global 120x2 local 30x2
//! launch: collectives_half(of_half) global 10x12x2 local 5x6x2
//! expect of_float: 4*240 3*0 240
//! expect of_half: 4*240 3*0 240

#include "work_group.h"

KERNEL(float, (float)(-INFINITY), (float)(INFINITY), NO_BITS)
KERNEL(half, (half)(-INFINITY), (half)(INFINITY), NO_BITS)
