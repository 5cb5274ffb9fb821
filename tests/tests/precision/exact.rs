//! The exact results, from MPFR with far more bits than are compared, and the edge cases of OpenCL C §7.5.

use crate::inputs::Value;
use crate::number::Format;
use crate::subject::Subject;
use rug::Float;
use rug::float::{Constant, Round};
use rug::ops::AssignRound;
use std::cmp::Ordering;

/// The required result of a function.
#[derive(Clone, Debug)]
pub enum Expected {
    /// This number, within the function's error.
    Near(Float),
    /// One of these numbers, exactly; both zeros where the sign of a zero is open.
    OneOf(Vec<f64>),
    /// This number, within an absolute error.
    Within(Float, f64),
    Int(i64),
    /// Anything.
    Free,
}

/// The required results of `subject` for these arguments: each lane of each result.
pub fn evaluate(subject: &Subject, call: &[Value]) -> Vec<Expected> {
    let math = Math { format: subject.format, bits: subject.format.reference_bits() };
    let reals: Vec<f64> = call
        .iter()
        .map(|value| match value {
            Value::Real(value) => *value,
            Value::Int(value) => *value as f64,
        })
        .collect();
    let int = call.iter().rev().find_map(|value| match value {
        Value::Int(value) => Some(*value),
        Value::Real(_) => None,
    });
    let name = subject.name;
    if let Some(expected) = super::vectors::geometric(&math, subject, &reals) {
        return expected;
    }
    if let Some(int) = int {
        return vec![math.with_int(name, reals[0], int, &reals)];
    }
    match *reals {
        [x] => math.unary(name, x),
        [x, y] => math.binary(name, x, y),
        [x, y, z] => vec![math.ternary(name, x, y, z)],
        _ => panic!("`{name}` has no reference"),
    }
}

/// Arithmetic in a precision that is sufficient for a format.
pub struct Math {
    pub format: Format,
    pub bits: u32,
}

fn near(value: Float) -> Vec<Expected> {
    vec![Expected::Near(value)]
}

fn exactly(value: f64) -> Expected {
    Expected::OneOf(vec![value])
}

fn truth(value: bool) -> Vec<Expected> {
    vec![Expected::Int(i64::from(value))]
}

impl Math {
    pub fn real(&self, value: f64) -> Float {
        Float::with_val(self.bits, value)
    }

    /// An operation whose exact result may need any number of bits: truncated, with a sticky bit after the
    /// last one, so that it is still rounded correctly.
    fn sticky<T>(&self, operation: T) -> Float
    where
        Float: AssignRound<T, Round = Round, Ordering = Ordering>,
    {
        let mut value = Float::new(self.bits);
        let lost = value.assign_round(operation, Round::Zero);
        if lost == Ordering::Equal || value.is_zero() || !value.is_finite() {
            return value;
        }
        half_a_unit_out(&value)
    }

    /// Functions of one number.
    fn unary(&self, name: &str, x: f64) -> Vec<Expected> {
        let v = || self.real(x);
        let plain = name.strip_prefix("half_").unwrap_or(name);
        let plain = plain.strip_prefix("native_").unwrap_or(plain);
        let short_range = name != plain && matches!(plain, "sin" | "cos" | "tan");
        if short_range && (x.is_nan() || x.abs() > 65536.0) {
            return vec![Expected::Free];
        }
        near(match plain {
            "acos" => v().acos(),
            "acosh" => v().acosh(),
            "acospi" => v().acos_pi(),
            "asin" => v().asin(),
            "asinh" => v().asinh(),
            "asinpi" => v().asin_pi(),
            "atan" => v().atan(),
            "atanh" => v().atanh(),
            "atanpi" => v().atan_pi(),
            "cbrt" => v().cbrt(),
            "cos" => v().cos(),
            "cosh" => v().cosh(),
            "cospi" => v().cos_pi(),
            "erf" => v().erf(),
            "erfc" => v().erfc(),
            "exp" => v().exp(),
            "exp2" => v().exp2(),
            "exp10" => v().exp10(),
            "expm1" => v().exp_m1(),
            "log" => v().ln(),
            "log2" => v().log2(),
            "log10" => v().log10(),
            "log1p" => v().ln_1p(),
            "sin" => v().sin(),
            "sinh" => v().sinh(),
            "sinpi" => v().sin_pi(),
            "tan" => v().tan(),
            "tanh" => v().tanh(),
            "tanpi" => v().tan_pi(),
            "recip" => v().recip(),
            "sqrt" => self.sticky(self.real(x).sqrt_ref()),
            // The root of negative zero is negative zero.
            "rsqrt" if x == 0.0 => self.real(f64::INFINITY.copysign(x)),
            "rsqrt" => v().recip_sqrt(),
            "tgamma" => self.gamma(x),
            "lgamma" => self.log_gamma(x).0,
            "degrees" => v() * 180u32 / Float::with_val(self.bits, Constant::Pi),
            "radians" => v() * Float::with_val(self.bits, Constant::Pi) / 180u32,
            _ => return self.exact_unary(plain, x),
        })
    }

    fn exact_unary(&self, name: &str, x: f64) -> Vec<Expected> {
        let finite = x.is_finite();
        let special = !finite || x == 0.0;
        vec![match name {
            "ceil" => exactly(x.ceil()),
            "floor" => exactly(x.floor()),
            "rint" => exactly(x.round_ties_even()),
            "round" => exactly(x.round()),
            "trunc" => exactly(x.trunc()),
            "fabs" => exactly(x.abs()),
            "fract" => return self.fract(x),
            "modf" => {
                let part = if x.is_infinite() { 0.0 } else { x - x.trunc() };
                return vec![exactly(part.copysign(x)), exactly(x.trunc())];
            }
            "frexp" if special => return vec![exactly(x), Expected::Int(0)],
            "frexp" => {
                let (mantissa, exponent) = libm::frexp(x);
                return vec![exactly(mantissa), Expected::Int(i64::from(exponent))];
            }
            "ilogb" if x == 0.0 => Expected::Int(i64::from(i32::MIN)),
            "ilogb" if !finite => Expected::Int(i64::from(i32::MAX)),
            "ilogb" => Expected::Int(i64::from(libm::ilogb(x))),
            "logb" if x == 0.0 => exactly(f64::NEG_INFINITY),
            "logb" if !finite => exactly(x.abs()),
            "logb" => exactly(f64::from(libm::ilogb(x))),
            "lgamma_r" => {
                let (value, sign) = self.log_gamma(x);
                return vec![Expected::Near(value), sign.map_or(Expected::Free, Expected::Int)];
            }
            "sincos" => return vec![Expected::Near(self.real(x).sin()), Expected::Near(self.real(x).cos())],
            "sign" if x.is_nan() => exactly(0.0),
            "sign" if x == 0.0 => exactly(x),
            "sign" => exactly(1.0f64.copysign(x)),
            "isfinite" => return truth(finite),
            "isinf" => return truth(x.is_infinite()),
            "isnan" => return truth(x.is_nan()),
            "isnormal" => return truth(finite && x.abs() >= self.format.least_normal()),
            // The sign of a NaN in the reference is not that of the device's NaN.
            "signbit" if x.is_nan() => Expected::Free,
            "signbit" => return truth(x.is_sign_negative()),
            _ => panic!("`{name}` has no reference"),
        }]
    }

    fn fract(&self, x: f64) -> Vec<Expected> {
        let below_one = self.format.neighbour(1.0, false);
        let part = if x.is_infinite() || x == 0.0 {
            0.0f64.copysign(x)
        } else {
            self.format.round(&self.sticky(&self.real(x) - &self.real(x.floor()))).min(below_one)
        };
        let part = if x.is_nan() { x } else { part };
        vec![exactly(part), exactly(x.floor())]
    }

    fn gamma(&self, x: f64) -> Float {
        // For zero it is infinite with the sign of zero, for negative integers undefined.
        if x < 0.0 && x.floor() == x { self.real(f64::NAN) } else { self.real(x).gamma() }
    }

    /// The logarithm of gamma's magnitude, and gamma's sign if it has one: 0 at the poles (OpenCL C §7.5.1).
    fn log_gamma(&self, x: f64) -> (Float, Option<i64>) {
        if x.is_infinite() {
            return (self.real(f64::INFINITY), (x > 0.0).then_some(1));
        }
        if x.is_nan() {
            return (self.real(x), None);
        }
        if x <= 0.0 && x.floor() == x {
            return (self.real(f64::INFINITY), Some(0));
        }
        let (value, sign) = self.real(x).ln_abs_gamma();
        (value, Some(if sign == Ordering::Less { -1 } else { 1 }))
    }

    /// Functions of two numbers.
    fn binary(&self, name: &str, x: f64, y: f64) -> Vec<Expected> {
        let (a, b) = (self.real(x), self.real(y));
        let plain = name.strip_prefix("half_").or_else(|| name.strip_prefix("native_")).unwrap_or(name);
        let either_nan = x.is_nan() || y.is_nan();
        vec![match plain {
            "atan2" => Expected::Near(a.atan2(&b)),
            "atan2pi" => Expected::Near(a.atan2_pi(&b)),
            "hypot" => Expected::Near(self.sticky(a.hypot_ref(&b))),
            "pow" => Expected::Near(self.pow(x, y)),
            "powr" => Expected::Near(self.powr(x, y)),
            "operator+" => Expected::Near(self.sticky(&a + &b)),
            "operator-" => Expected::Near(self.sticky(&a - &b)),
            "operator*" => Expected::Near(self.sticky(&a * &b)),
            "divide" | "operator/" => Expected::Near(self.sticky(&a / &b)),
            "copysign" => exactly(x.copysign(y)),
            "fdim" if either_nan => exactly(f64::NAN),
            "fdim" if x > y => Expected::Near(self.sticky(&a - &b)),
            "fdim" => exactly(0.0),
            "fmax" | "fmin" => Expected::OneOf(extreme(plain == "fmax", x, y)),
            "max" | "min" if either_nan => Expected::Free,
            "max" | "min" => Expected::OneOf(extreme(plain == "max", x, y)),
            "maxmag" | "minmag" => {
                let larger = plain == "maxmag";
                if either_nan || x.abs() == y.abs() {
                    Expected::OneOf(extreme(larger, x, y))
                } else {
                    exactly(if (x.abs() > y.abs()) == larger { x } else { y })
                }
            }
            "fmod" => exactly(x % y),
            "remainder" => exactly(remainder(x, y).0),
            "remquo" => return remquo(x, y),
            "nextafter" => exactly(self.next_after(x, y)),
            "step" if either_nan => Expected::Free,
            "step" => exactly(if y < x { 0.0 } else { 1.0 }),
            "isequal" => return truth(x == y),
            "isnotequal" => return truth(x != y),
            "isgreater" => return truth(x > y),
            "isgreaterequal" => return truth(x >= y),
            "isless" => return truth(x < y),
            "islessequal" => return truth(x <= y),
            "islessgreater" => return truth(x != y && !either_nan),
            "isordered" => return truth(!either_nan),
            "isunordered" => return truth(either_nan),
            _ => panic!("`{name}` has no reference"),
        }]
    }

    fn pow(&self, x: f64, y: f64) -> Float {
        // As in C, which MPFR follows.
        Float::with_val(self.bits, rug::ops::Pow::pow(self.real(x), self.real(y)))
    }

    fn powr(&self, x: f64, y: f64) -> Float {
        let undefined = x.is_nan()
            || y.is_nan()
            || x < 0.0
            || (x == 0.0 && y == 0.0)
            || (x == f64::INFINITY && y == 0.0)
            || (x == 1.0 && y.is_infinite());
        if undefined { self.real(f64::NAN) } else { self.pow(x.abs(), y) }
    }

    fn next_after(&self, x: f64, y: f64) -> f64 {
        if x.is_nan() || y.is_nan() {
            return f64::NAN;
        }
        if x == y {
            return y;
        }
        if x == 0.0 { self.format.neighbour(0.0, y > 0.0) } else { self.format.neighbour(x, y > x) }
    }

    /// Functions whose last argument is an integer.
    fn with_int(&self, name: &str, x: f64, n: i64, all: &[f64]) -> Expected {
        match name {
            "ldexp" => {
                let mut value = self.real(x);
                value <<= n as i32;
                Expected::Near(value)
            }
            "pown" if n == 0 => Expected::Near(self.real(1.0)),
            "pown" => Expected::Near(self.pow(x, n as f64)),
            "rootn" => Expected::Near(self.root(x, n)),
            "nan" => exactly(f64::NAN),
            // A scalar's condition is any bit.
            "select" => {
                let bits = 8 * self.format.size() as u32;
                exactly(if n << (64 - bits) != 0 { all[1] } else { x })
            }
            _ => panic!("`{name}` has no reference"),
        }
    }

    fn root(&self, x: f64, n: i64) -> Float {
        let odd = n % 2 != 0;
        if n == 0 || x.is_nan() || (x < 0.0 && !odd) {
            return self.real(f64::NAN);
        }
        let magnitude = if x == 0.0 {
            self.real(if n > 0 { 0.0 } else { f64::INFINITY })
        } else if x.is_infinite() {
            self.real(if n > 0 { f64::INFINITY } else { 0.0 })
        } else {
            let wide = Float::with_val(self.bits + 64, x.abs());
            Float::with_val(self.bits, (wide.ln() / n).exp())
        };
        if odd && x.is_sign_negative() { -magnitude } else { magnitude }
    }

    /// Functions of three numbers.
    fn ternary(&self, name: &str, x: f64, y: f64, z: f64) -> Expected {
        let (a, b, c) = (self.real(x), self.real(y), self.real(z));
        let any_nan = x.is_nan() || y.is_nan() || z.is_nan();
        match name {
            "fma" => Expected::Near(self.sticky(a.mul_add_ref(&b, &c))),
            "mad" | "operator*+" => {
                let exact = self.sticky(&a * &b);
                let product = self.format.round(&exact);
                // Whether a result is flushed may be decided before rounding.
                let is_tiny = !exact.is_zero() && exact.clone().abs() < self.format.least_normal();
                let separate = self.format.round(&self.sticky(&self.real(product) + &c));
                let fused = self.format.round(&self.sticky(a.mul_add_ref(&b, &c)));
                let flushed = is_tiny.then_some(z);
                Expected::OneOf([separate, fused].into_iter().chain(flushed).collect())
            }
            "clamp" if any_nan || y > z => Expected::Free,
            "clamp" => {
                let raised = extreme(true, x, y);
                Expected::OneOf(raised.into_iter().flat_map(|value| extreme(false, value, z)).collect())
            }
            "bitselect" => {
                let [x, y, z] = [x, y, z].map(|value| self.format.bits(value));
                exactly(self.format.value((x & !z) | (y & z)))
            }
            _ => super::vectors::blend(self, name, x, y, z),
        }
    }
}

/// With an extra bit after the last one.
fn half_a_unit_out(value: &Float) -> Float {
    let last = value.get_exp().expect("a finite number that is not zero") - value.prec() as i32;
    let mut rest = Float::with_val(value.prec(), 1);
    rest <<= last - 1;
    let wide = value.prec() + 2;
    if value.is_sign_negative() {
        Float::with_val(wide, value - &rest)
    } else {
        Float::with_val(wide, value + &rest)
    }
}

/// The larger or the smaller number; for a NaN the other; for zeros either.
fn extreme(larger: bool, x: f64, y: f64) -> Vec<f64> {
    if x == 0.0 && y == 0.0 {
        return vec![x, y];
    }
    vec![if x.is_nan() || (!y.is_nan() && (x < y) == larger) { y } else { x }]
}

/// The remainder nearest to zero, and the quotient's last seven bits with its sign.
fn remainder(x: f64, y: f64) -> (f64, i64) {
    if x.is_nan() || y.is_nan() || x.is_infinite() || y == 0.0 {
        return (f64::NAN, 0);
    }
    if y.is_infinite() {
        return (x, 0);
    }
    let divisor = y.abs();
    let mut rest = x.abs() % (divisor * 128.0);
    let mut quotient = 0i64;
    for bit in (0..7).rev() {
        let step = divisor * f64::from(1 << bit);
        if rest >= step {
            rest -= step;
            quotient |= 1 << bit;
        }
    }
    let beyond = divisor - rest;
    if 2.0 * rest > divisor || (rest == beyond && quotient % 2 != 0) {
        rest -= divisor;
        quotient = (quotient + 1) & 127;
    }
    let rest = if x.is_sign_negative() { -rest } else { rest };
    let rest = if rest == 0.0 { 0.0f64.copysign(x) } else { rest };
    (rest, if x.is_sign_negative() == y.is_sign_negative() { quotient } else { -quotient })
}

fn remquo(x: f64, y: f64) -> Vec<Expected> {
    let (rest, quotient) = remainder(x, y);
    vec![exactly(rest), Expected::Int(quotient)]
}
