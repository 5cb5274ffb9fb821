//! Mathematical functions (OpenCL C §6.15.2). The library computes those that a driver may compute with too
//! little precision.

use super::Lowering::{Library, Math, Special};
use super::lowering::{Lowering, Special as Code};
use super::table::{FLOAT, FLOATS, Lanes, Precision, Row, Signature, Spaces, Term, overloads, signature};
use crate::options::LanguageVersion::C11;
use crate::types::ScalarKind::{Double, Float, Half, Int};
use clvk_ir::MathOp;

const UNARY: &[Signature] = &[signature(FLOATS, Lanes::Any, Term::Generic, &[Term::Generic])];
const BINARY: &[Signature] = &[signature(FLOATS, Lanes::Any, Term::Generic, &[Term::Generic, Term::Generic])];
const TERNARY: &[Signature] =
    &[signature(FLOATS, Lanes::Any, Term::Generic, &[Term::Generic, Term::Generic, Term::Generic])];
/// One signature for single and double precision, and a separate one for half precision, which `legalise`
/// computes exactly.
const WIDE_UNARY: &[Signature] = &[signature(&[Float, Double], Lanes::Any, Term::Generic, &[Term::Generic])];
const TEST: &[Signature] = &[signature(&[Float, Double], Lanes::Any, Term::Truth, &[Term::Generic])];
const HALF_UNARY: &[Signature] = &[signature(&[Half], Lanes::Any, Term::Generic, &[Term::Generic])];
const WIDE_BINARY: &[Signature] =
    &[signature(&[Float, Double], Lanes::Any, Term::Generic, &[Term::Generic, Term::Generic])];
const WIDE_TERNARY: &[Signature] =
    &[signature(&[Float, Double], Lanes::Any, Term::Generic, &[Term::Generic, Term::Generic, Term::Generic])];
const HALF_TERNARY: &[Signature] =
    &[signature(&[Half], Lanes::Any, Term::Generic, &[Term::Generic, Term::Generic, Term::Generic])];
/// Two arguments; the second may be a scalar.
const BINARY_OR_SCALAR: &[Signature] = &[
    signature(FLOATS, Lanes::Any, Term::Generic, &[Term::Generic, Term::Generic]),
    signature(FLOATS, Lanes::Vector, Term::Generic, &[Term::Generic, Term::Element]),
];
const WITH_POINTER: &[Signature] =
    &[signature(FLOATS, Lanes::Any, Term::Generic, &[Term::Generic, Term::Pointer(Spaces::Writable)])];
const WITH_INT_POINTER: &[Signature] =
    &[signature(FLOATS, Lanes::Any, Term::Generic, &[Term::Generic, Term::IntPointer(Spaces::Writable)])];
const REMQUO: &[Signature] = &[signature(
    FLOATS,
    Lanes::Any,
    Term::Generic,
    &[Term::Generic, Term::Generic, Term::IntPointer(Spaces::Writable)],
)];
const ILOGB: &[Signature] = &[signature(FLOATS, Lanes::Any, Term::Lanes(Int), &[Term::Generic])];
const WITH_INT: &[Signature] =
    &[signature(FLOATS, Lanes::Any, Term::Generic, &[Term::Generic, Term::Lanes(Int)])];
const LDEXP: &[Signature] = &[
    signature(FLOATS, Lanes::Any, Term::Generic, &[Term::Generic, Term::Lanes(Int)]),
    signature(FLOATS, Lanes::Vector, Term::Generic, &[Term::Generic, Term::Widened(Int)]),
];
const NAN: &[Signature] = &[signature(FLOATS, Lanes::Any, Term::Generic, &[Term::Unsigned])];
const FLOAT_UNARY: &[Signature] = &[signature(FLOAT, Lanes::Any, Term::Generic, &[Term::Generic])];
const FLOAT_BINARY: &[Signature] =
    &[signature(FLOAT, Lanes::Any, Term::Generic, &[Term::Generic, Term::Generic])];

const fn math(name: &'static str, signatures: &'static [Signature], lowering: Lowering) -> Row {
    overloads("6.15.2", name, signatures, lowering)
}

/// A function of one argument from the library.
const fn unary(name: &'static str, ulp: f64) -> Row {
    math(name, UNARY, Library(name)).ulp(ulp)
}

/// A function of two arguments from the library.
const fn binary(name: &'static str, ulp: f64) -> Row {
    math(name, BINARY, Library(name)).ulp(ulp)
}

const fn half(name: &'static str, signatures: &'static [Signature], lowering: Lowering) -> Row {
    math(name, signatures, lowering).ulp(8192.0)
}

const fn native(name: &'static str, signatures: &'static [Signature], lowering: Lowering) -> Row {
    math(name, signatures, lowering).precision(Precision::Free)
}

/// Functions that only the library calls.
pub(super) const OF_LIBRARY: &[Row] = &[
    // The device's fused multiplication and addition. `mad` may be split if something else needs the product;
    // this never is.
    native("__clvk_fused", WIDE_TERNARY, Math(MathOp::Fma)),
    // The device's quotient and square root, also of doubles.
    native("__clvk_divided", WIDE_BINARY, Math(MathOp::NativeDivide)),
    native("__clvk_root", WIDE_UNARY, Math(MathOp::Sqrt)),
    // Whether the compiler knows that a number is not positive. It may not know.
    native("__clvk_never_positive", TEST, Math(MathOp::NeverPositive)),
];

/// The rows.
pub(super) const ROWS: &[Row] = &[
    unary("acos", 4.0),
    unary("acosh", 4.0),
    unary("acospi", 5.0),
    unary("asin", 4.0),
    unary("asinh", 4.0),
    unary("asinpi", 5.0),
    unary("atan", 5.0),
    binary("atan2", 6.0),
    unary("atanh", 5.0),
    unary("atanpi", 5.0),
    binary("atan2pi", 6.0),
    unary("cbrt", 2.0),
    math("ceil", UNARY, Math(MathOp::Ceil)),
    math("copysign", BINARY, Math(MathOp::CopySign)),
    unary("cos", 4.0).relaxed(Math(MathOp::NativeCos)),
    unary("cosh", 4.0),
    unary("cospi", 4.0).relaxed(Library("native_cospi")),
    unary("erfc", 16.0).half(Precision::Ulp(4.0)),
    unary("erf", 16.0).half(Precision::Ulp(4.0)),
    unary("exp", 3.0),
    unary("exp2", 3.0),
    unary("exp10", 3.0).relaxed(Library("native_exp10")),
    unary("expm1", 3.0),
    math("fabs", UNARY, Math(MathOp::FAbs)),
    math("fdim", BINARY, Library("fdim")),
    math("floor", UNARY, Math(MathOp::Floor)),
    math("fma", WIDE_TERNARY, Library("fma")),
    math("fma", HALF_TERNARY, Math(MathOp::Fma)),
    math("fmax", BINARY_OR_SCALAR, Math(MathOp::FMax)),
    math("fmin", BINARY_OR_SCALAR, Math(MathOp::FMin)),
    math("fmod", BINARY, Library("fmod")),
    math("fract", WITH_POINTER, Library("fract")),
    math("frexp", WITH_INT_POINTER, Library("frexp")),
    binary("hypot", 4.0),
    math("ilogb", ILOGB, Library("ilogb")),
    math("ldexp", LDEXP, Library("ldexp")),
    math("lgamma", UNARY, Library("lgamma")).precision(Precision::Free),
    math("lgamma_r", WITH_INT_POINTER, Library("lgamma_r")).precision(Precision::Free),
    unary("log", 3.0).relaxed(Math(MathOp::NativeLog)),
    unary("log2", 3.0).relaxed(Math(MathOp::NativeLog2)),
    unary("log10", 3.0),
    unary("log1p", 2.0),
    math("logb", UNARY, Library("logb")),
    math("mad", TERNARY, Special(Code::Mad)).double(Precision::Free).half(Precision::Free),
    math("maxmag", BINARY, Library("maxmag")).since(C11),
    math("minmag", BINARY, Library("minmag")).since(C11),
    math("modf", WITH_POINTER, Library("modf")),
    math("nan", NAN, Library("nan")),
    math("nextafter", BINARY, Library("nextafter")),
    binary("pow", 16.0).half(Precision::Ulp(4.0)).relaxed(Library("relaxed_pow")),
    math("pown", WITH_INT, Library("pown")).ulp(16.0).half(Precision::Ulp(4.0)),
    binary("powr", 16.0).half(Precision::Ulp(4.0)).relaxed(Library("native_powr")),
    math("remainder", BINARY, Library("remainder")),
    math("remquo", REMQUO, Library("remquo")),
    math("rint", UNARY, Math(MathOp::RoundEven)),
    math("rootn", WITH_INT, Library("rootn")).ulp(16.0).half(Precision::Ulp(4.0)),
    math("round", UNARY, Library("round")),
    math("rsqrt", UNARY, Library("rsqrt")).ulp(2.0).half(Precision::Ulp(1.0)),
    unary("sin", 4.0).relaxed(Math(MathOp::NativeSin)),
    math("sincos", WITH_POINTER, Library("sincos")).ulp(4.0),
    unary("sinh", 4.0),
    unary("sinpi", 4.0).relaxed(Library("native_sinpi")),
    // Vulkan only promises the precision of the reciprocal of `InverseSqrt`, which is not enough.
    math("sqrt", WIDE_UNARY, Library("sqrt")).ulp(3.0).double(Precision::Exact),
    math("sqrt", HALF_UNARY, Math(MathOp::Sqrt)).ulp(1.5).half(Precision::Ulp(1.5)),
    unary("tan", 5.0).half(Precision::Ulp(2.5)).relaxed(Library("native_tan")),
    unary("tanh", 5.0),
    unary("tanpi", 6.0),
    unary("tgamma", 16.0).half(Precision::Ulp(4.0)),
    math("trunc", UNARY, Math(MathOp::Trunc)),
    // The device's sine has an absolute error and a small range, and its logarithm has an absolute error near
    // 1, so these `half_` functions come from the library. The others may use the device's.
    half("half_cos", FLOAT_UNARY, Library("cos")),
    half("half_divide", FLOAT_BINARY, Library("divide")),
    half("half_exp", FLOAT_UNARY, Library("half_exp")),
    half("half_exp2", FLOAT_UNARY, Library("half_exp2")),
    half("half_exp10", FLOAT_UNARY, Library("half_exp10")),
    half("half_log", FLOAT_UNARY, Library("log")),
    half("half_log2", FLOAT_UNARY, Library("log2")),
    half("half_log10", FLOAT_UNARY, Library("log10")),
    half("half_powr", FLOAT_BINARY, Library("powr")),
    half("half_recip", FLOAT_UNARY, Library("recip")),
    half("half_rsqrt", FLOAT_UNARY, Library("rsqrt")),
    half("half_sin", FLOAT_UNARY, Library("sin")),
    half("half_sqrt", FLOAT_UNARY, Library("sqrt")),
    half("half_tan", FLOAT_UNARY, Library("tan")),
    native("native_cos", FLOAT_UNARY, Math(MathOp::NativeCos)),
    native("native_divide", FLOAT_BINARY, Math(MathOp::NativeDivide)),
    native("native_exp", FLOAT_UNARY, Math(MathOp::NativeExp)),
    native("native_exp2", FLOAT_UNARY, Math(MathOp::NativeExp2)),
    native("native_exp10", FLOAT_UNARY, Library("native_exp10")),
    native("native_log", FLOAT_UNARY, Math(MathOp::NativeLog)),
    native("native_log2", FLOAT_UNARY, Math(MathOp::NativeLog2)),
    native("native_log10", FLOAT_UNARY, Library("native_log10")),
    native("native_powr", FLOAT_BINARY, Library("native_powr")),
    native("native_recip", FLOAT_UNARY, Library("native_recip")),
    native("native_rsqrt", FLOAT_UNARY, Math(MathOp::NativeRsqrt)),
    native("native_sin", FLOAT_UNARY, Math(MathOp::NativeSin)),
    native("native_sqrt", FLOAT_UNARY, Math(MathOp::NativeSqrt)),
    native("native_tan", FLOAT_UNARY, Library("native_tan")),
];
