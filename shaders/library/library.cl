// The built-in library: one translation unit. A function `__clvk_<name>_<type>` is the scalar body of a built-in; vectors
// are mapped over it. Contraction is off here, so that each rounding is where it stands; `mad` may be fused.

#include "arithmetic.cl"
#include "exponential.cl"
#include "logarithm.cl"
#include "power.cl"
#include "root.cl"
#include "trigonometry.cl"
#include "half_turns.cl"
#include "hyperbolic.cl"
#include "error_function.cl"
#include "gamma.cl"
#include "parts.cl"
#include "remainder.cl"
#include "integer.cl"
