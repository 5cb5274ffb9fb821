// Reductions and scans of sub-groups on integers of 8 and 16 bits, by all work-items and by some, compared
// with plain loops. Groups of 30 leave a sub-group that is not full.
//! options: -cl-std=CL3.0
//! needs: cl_khr_subgroup_non_uniform_arithmetic cl_khr_subgroup_extended_types
//! buffer of_char: int = 10*0
//! buffer of_ushort: int = 10*0
//! launch: arithmetic_char(of_char) global 60 local 30
//! launch: arithmetic_ushort(of_ushort) global 20x3 local 10x3
//! expect of_char: 3*60 7*40
//! expect of_ushort: 3*60 7*40

#include "sub_group_arithmetic.h"

KERNEL(char, (char)(CHAR_MIN), (char)(CHAR_MAX), i * 37 - 11, BITS)
KERNEL(ushort, (ushort)(0), (ushort)(USHRT_MAX), i * 37 - 11, BITS)
