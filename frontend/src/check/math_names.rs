//! Functions of `math.h` among the compiler built-ins (`__builtin_sinf`), by their names in OpenCL C.

/// Functions of `math.h` that OpenCL C has under the same name.
pub(super) const MATH: &[&str] = &[
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cbrt",
    "ceil",
    "copysign",
    "cos",
    "cosh",
    "erf",
    "erfc",
    "exp",
    "exp10",
    "exp2",
    "expm1",
    "fabs",
    "fdim",
    "floor",
    "fma",
    "fmax",
    "fmin",
    "fmod",
    "hypot",
    "ilogb",
    "ldexp",
    "lgamma",
    "log",
    "log10",
    "log1p",
    "log2",
    "logb",
    "nextafter",
    "pow",
    "remainder",
    "rint",
    "round",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
    "tgamma",
    "trunc",
];

/// Functions of `math.h` that OpenCL C has under another name.
pub(super) const MATH_BY_OTHER_NAMES: &[(&str, &str)] =
    &[("nearbyint", "rint"), ("roundeven", "rint"), ("scalbn", "ldexp"), ("powi", "pown")];

/// Classifications of floating-point numbers that OpenCL C has under the same name.
pub(super) const CLASSIFICATIONS: &[&str] = &[
    "isfinite",
    "isgreater",
    "isgreaterequal",
    "isinf",
    "isless",
    "islessequal",
    "islessgreater",
    "isnan",
    "isnormal",
    "isunordered",
    "signbit",
];

/// The OpenCL C function for a function of `math.h`.
pub(super) fn math(name: &str) -> Option<&'static str> {
    let same = MATH.iter().find(|function| **function == name);
    let other = || MATH_BY_OTHER_NAMES.iter().find(|(other, _)| *other == name).map(|(_, function)| function);
    same.or_else(other).copied()
}
