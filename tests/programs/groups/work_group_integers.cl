// Reductions, scans and broadcasts of work-groups on integers, compared with plain loops over each
// work-item's value.
//! options: -cl-std=CL3.0
//! needs: __opencl_c_work_group_collective_functions cl_khr_work_group_uniform_arithmetic
//! buffer of_int: int = 8*0
//! buffer of_ulong: int = 8*0
//! launch: collectives_int(of_int) global 120x2 local 30x2
//! launch: collectives_ulong(of_ulong) global 10x12x2 local 5x6x2
//! expect of_int: 7*240 240
//! expect of_ulong: 7*240 240

#include "work_group.h"

KERNEL(int, (int)(INT_MIN), (int)(INT_MAX), BITS)
KERNEL(ulong, (ulong)(0), (ulong)(ULONG_MAX), BITS)
