// The built-in library: one translation unit. A function `__clvk_<name>_<type>` is the scalar body of a built-in; vectors
// are mapped over it. Contraction is off here, so that each rounding is where it stands; `mad` may be fused.

#include "exponential.cl"
#include "logarithm.cl"
#include "power.cl"
#include "trigonometry.cl"
#include "error_function.cl"
#include "parts.cl"
#include "integer.cl"
