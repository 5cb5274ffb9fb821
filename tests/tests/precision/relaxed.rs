//! The precision of functions in single precision with `-cl-unsafe-math-optimizations`: OpenCL C §7.4, table
//! 67, row by row.
//!
//! Where the table allows a function to be derived from others and ours is, its bound follows from theirs.

use clvk_frontend::builtins::Precision;
use std::f64::consts::{LN_2, LOG2_10, PI};

/// The table's bound for a call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// This many units in the last place.
    Ulps(f64),
    /// This absolute error.
    Absolute(f64),
    /// None.
    Undefined,
}

use Bound::{Absolute, Ulps, Undefined};

/// Absolute errors of trigonometric functions, and of logarithms near 1.
const ANGLE: f64 = 1.0 / 2048.0;
const NEAR_ONE: f64 = 1.0 / 2_097_152.0;

/// The functions of the table except `x * y + z`, which has no error of its own.
pub const FUNCTIONS: [&str; 35] = [
    "operator/",
    "acos",
    "acosh",
    "acospi",
    "asin",
    "asinh",
    "asinpi",
    "atan",
    "atanh",
    "atanpi",
    "atan2",
    "atan2pi",
    "cbrt",
    "cos",
    "cosh",
    "cospi",
    "exp",
    "exp2",
    "exp10",
    "expm1",
    "log",
    "log2",
    "log10",
    "log1p",
    "pow",
    "pown",
    "powr",
    "rootn",
    "sin",
    "sincos",
    "sinh",
    "sinpi",
    "tan",
    "tanh",
    "tanpi",
];

/// The bound as the page displays it.
pub fn precision(name: &str) -> Option<Precision> {
    FUNCTIONS.contains(&name).then(|| match name {
        "operator/" => Precision::Ulp(2.5),
        "acos" | "asin" | "atan" => Precision::Ulp(4096.0),
        "sin" | "cos" | "sincos" => Precision::AbsoluteIn(ANGLE, (-PI, PI), None),
        "sinpi" | "cospi" => Precision::AbsoluteIn(ANGLE, (-1.0, 1.0), None),
        "log" | "log2" | "log10" => Precision::AbsoluteIn(NEAR_ONE, (0.5, 2.0), Some(3.0)),
        "exp" | "exp2" | "exp10" | "pow" | "powr" | "tan" => Precision::Relative,
        _ => Precision::Ulp(8192.0),
    })
}

/// The bound of a call.
pub fn bound(name: &str, arguments: &[f64]) -> Bound {
    let x = arguments[0];
    let y = arguments.get(1).copied().unwrap_or_default();
    let is = |condition: bool, bound: Bound| if condition { bound } else { Undefined };
    let within =
        |value: f64, exponent: i32| (-exponent..=exponent).contains(&(value.abs().log2().floor() as i32));
    match name {
        "operator/" => is(within(x, 61) && within(y, 61) || x == 1.0 && within(y, 125), Ulps(2.5)),
        "acos" | "asin" | "atan" => Ulps(4096.0),
        "sin" | "cos" | "sincos" => is(x.abs() <= PI, Absolute(ANGLE)),
        "sinpi" | "cospi" => is(x.abs() <= 1.0, Absolute(ANGLE)),
        "tan" => tangent(x),
        "log" | "log2" | "log10" => {
            if (0.5..=2.0).contains(&x) {
                Absolute(NEAR_ONE)
            } else {
                Ulps(3.0)
            }
        }
        "exp" | "exp2" => Ulps(exponential(x)),
        // The product and the constant are rounded.
        "exp10" => Ulps(power_of_two(x * LOG2_10, x.abs() * LOG2_10 / 8_388_608.0)),
        "pow" => is(x > 0.0 || x < 0.0 && y.fract() == 0.0 && y.abs() <= 16_777_216.0, power(x, y)),
        "powr" => is(x > 0.0, power(x, y)),
        "pown" => is(x != 0.0 || y != 0.0, Ulps(8192.0)),
        "rootn" => is(y != 0.0 && (x > 0.0 || x < 0.0 && y % 2.0 != 0.0), Ulps(8192.0)),
        "atanh" => is(x.abs() < 1.0, Ulps(8192.0)),
        "cosh" | "sinh" => is(x.abs() <= 88.0, Ulps(8192.0)),
        "tanpi" => is(x.abs() <= 1.0, Ulps(8192.0)),
        _ => Ulps(8192.0),
    }
}

/// The error of `exp2(x)`, in units in the last place.
fn exponential(x: f64) -> f64 {
    3.0 + (2.0 * x).abs().floor()
}

/// The error of `exp2(x)` whose argument has an error; a unit is at least 2^-24 of a number.
fn power_of_two(x: f64, error: f64) -> f64 {
    exponential(x.abs() + error) + ((LN_2 * error).exp() - 1.0) * 16_777_216.0
}

/// `exp2(y * log2(|x|))`.
fn power(x: f64, y: f64) -> Bound {
    let logarithm = x.abs().log2();
    // A unit is at most 2^-23 of a number.
    let near_one = (0.5..=2.0).contains(&x.abs());
    let error = if near_one { NEAR_ONE } else { 3.0 * logarithm.abs() / 8_388_608.0 };
    let product = y * logarithm;
    Ulps(power_of_two(product, y.abs() * error + product.abs() / 16_777_216.0))
}

/// `sin(x) / cos(x)`.
fn tangent(x: f64) -> Bound {
    let (sine, cosine) = (x.sin().abs(), x.cos().abs());
    if x.abs() > PI || cosine < 2.0 * ANGLE {
        return Undefined;
    }
    let error = ANGLE * (sine + cosine) / (cosine * (cosine - ANGLE));
    Absolute(error + (sine / cosine + error) * 4.0 / 8_388_608.0)
}
