//! Checks whether results are as close to the exact ones as OpenCL C §7.4 demands.

use crate::exact::{Expected, evaluate};
use crate::inputs::{Call, Value};
use crate::number::Format;
use crate::relaxed::{self, Bound};
use crate::subject::{Slot, Subject, Variant};
use clvk_frontend::builtins::Precision;
use rug::Float;

/// The result of measuring a function.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The largest error in units in the last place, and the call with it.
    pub worst: f64,
    pub worst_call: String,
    /// The number of calls whose result is wrong.
    pub wrong: usize,
    /// The first few of them.
    pub examples: Vec<String>,
    /// The number of calls.
    pub calls: usize,
}

/// The number of wrong results that are shown.
const EXAMPLES: usize = 5;

/// Judges the results of a function, given the bytes of each result buffer.
pub fn judge(subject: &Subject, calls: &[Call], results: &[Vec<u8>], may_flush: bool) -> Outcome {
    let judge = Judge { subject, may_flush };
    let mut outcome = Outcome { calls: calls.len(), ..Outcome::default() };
    for (index, call) in calls.iter().enumerate() {
        let actual = actual(subject, results, index);
        let verdict = judge.call(call, &actual);
        if verdict.error > outcome.worst {
            outcome.worst = verdict.error;
            outcome.worst_call = show_call(subject, call);
        }
        if let Some(expected) = verdict.wrong {
            outcome.wrong += 1;
            if outcome.examples.len() < EXAMPLES {
                let given: Vec<String> = actual.iter().map(|value| show(*value)).collect();
                outcome.examples.push(format!(
                    "{} is {}, expected {expected}",
                    show_call(subject, call),
                    given.join(", ")
                ));
            }
        }
    }
    outcome
}

/// The results of a call, lane by lane.
fn actual(subject: &Subject, results: &[Vec<u8>], index: usize) -> Vec<Value> {
    let mut values = Vec::new();
    for (&(slot, by_lane), bytes) in subject.results.iter().zip(results) {
        let lanes = if by_lane { subject.lanes } else { 1 };
        for lane in 0..lanes {
            let size = slot.size(subject.format);
            let at = &bytes[(index * lanes + lane) * size..][..size];
            values.push(match slot {
                Slot::Int => Value::Int(i64::from(i32::from_le_bytes(at.try_into().expect("four bytes")))),
                Slot::Real | Slot::Code => Value::Real(subject.format.read(at)),
            });
        }
    }
    values
}

fn show(value: Value) -> String {
    match value {
        Value::Real(value) => format!("{value:e}"),
        Value::Int(value) => value.to_string(),
    }
}

fn show_call(subject: &Subject, call: &[Value]) -> String {
    let arguments: Vec<String> = call.iter().map(|&value| show(value)).collect();
    format!("{}({})", subject.name, arguments.join(", "))
}

struct Verdict {
    /// In units in the last place; 0 where that is meaningless.
    error: f64,
    /// What was expected, if the result is wrong.
    wrong: Option<String>,
}

struct Judge<'a> {
    subject: &'a Subject,
    may_flush: bool,
}

impl Judge<'_> {
    fn call(&self, call: &Call, actual: &[Value]) -> Verdict {
        let expected = evaluate(self.subject, call);
        assert_eq!(expected.len(), actual.len(), "{}: number of results", self.subject.name);
        if self.subject.variant == Variant::Unsafe && relaxed::FUNCTIONS.contains(&self.subject.name) {
            return self.relaxed(call, &expected, actual);
        }
        let strict = self.compare(&expected, actual);
        if strict.wrong.is_none() || !self.may_flush {
            return strict;
        }
        // Subnormal arguments may count as zeros of either sign (OpenCL C §7.5.3).
        for flushed in flushed(self.subject.format, call) {
            let verdict = self.compare(&evaluate(self.subject, &flushed), actual);
            if verdict.wrong.is_none() {
                return Verdict { error: 0.0, wrong: None };
            }
        }
        strict
    }

    /// With `-cl-unsafe-math-optimizations`, arguments and results must be ordinary numbers.
    fn relaxed(&self, call: &Call, expected: &[Expected], actual: &[Value]) -> Verdict {
        let format = self.subject.format;
        let ordinary = |value: f64| value.is_finite() && !format.is_subnormal(value);
        let arguments: Vec<f64> = call
            .iter()
            .map(|value| match *value {
                Value::Real(value) => value,
                Value::Int(value) => value as f64,
            })
            .collect();
        let mut verdict = Verdict { error: 0.0, wrong: None };
        let bound = relaxed::bound(self.subject.name, &arguments);
        if bound == Bound::Undefined || !arguments.iter().all(|&argument| ordinary(argument)) {
            return verdict;
        }
        for (expected, actual) in expected.iter().zip(actual) {
            let (Value::Real(actual), Expected::Near(exact)) = (*actual, expected) else { continue };
            let (error, right) = self.near_relaxed(bound, exact, actual);
            verdict.error = verdict.error.max(error);
            if !right && verdict.wrong.is_none() {
                verdict.wrong = Some(format!("{} ({error:.3} ulp, allowed {bound:?})", exact.to_f64()));
            }
        }
        verdict
    }

    /// The error, and whether it is small enough. If a result within the bound could be a number that is not
    /// ordinary, any result is right.
    fn near_relaxed(&self, bound: Bound, exact: &Float, actual: f64) -> (f64, bool) {
        let format = self.subject.format;
        let size = exact.to_f64().abs();
        match bound {
            Bound::Undefined => (0.0, true),
            _ if exact.is_nan() => (0.0, true),
            Bound::Absolute(allowed) => {
                let error = Float::with_val(exact.prec(), actual - exact).abs().to_f64();
                (0.0, error <= allowed)
            }
            Bound::Ulps(_) if size == 0.0 => (0.0, actual == 0.0),
            Bound::Ulps(allowed) => {
                let share = allowed * format.epsilon();
                if size * (1.0 + share) >= format.largest() || size * (1.0 - share) <= format.least_normal() {
                    return (0.0, true);
                }
                let error = if actual.is_nan() { f64::INFINITY } else { format.error(actual, exact) };
                (error, error <= allowed)
            }
        }
    }

    fn compare(&self, expected: &[Expected], actual: &[Value]) -> Verdict {
        let mut verdict = Verdict { error: 0.0, wrong: None };
        for (expected, actual) in expected.iter().zip(actual) {
            let (error, right) = self.one(expected, *actual);
            if error > verdict.error {
                verdict.error = error;
            }
            if !right && verdict.wrong.is_none() {
                verdict.wrong = Some(self.describe(expected, error));
            }
        }
        verdict
    }

    fn describe(&self, expected: &Expected, error: f64) -> String {
        match expected {
            Expected::Near(exact) => {
                format!(
                    "{:e} ({error:.3} ulp, allowed {})",
                    self.subject.format.round(exact),
                    self.subject.bound()
                )
            }
            Expected::Within(exact, error) => format!("{:e} ± {error:e}", exact.to_f64()),
            Expected::OneOf(values) => {
                values.iter().map(|value| format!("{value:e}")).collect::<Vec<_>>().join(" or ")
            }
            Expected::Int(value) => value.to_string(),
            Expected::Free => "anything".to_owned(),
        }
    }

    /// The error and whether it is small enough.
    fn one(&self, expected: &Expected, actual: Value) -> (f64, bool) {
        let format = self.subject.format;
        match (expected, actual) {
            (Expected::Free, _) => (0.0, true),
            (Expected::Int(expected), Value::Int(actual)) => (0.0, *expected == actual),
            (Expected::OneOf(values), Value::Real(actual)) => {
                let right = values.iter().any(|&value| {
                    same(value, actual) || (self.may_flush && format.is_subnormal(value) && actual == 0.0)
                });
                (0.0, right)
            }
            (Expected::Within(..), _) if self.subject.precision == Precision::Free => (0.0, true),
            (Expected::Within(exact, error), Value::Real(actual)) => {
                let difference = Float::with_val(exact.prec(), actual - exact).abs();
                (0.0, difference <= *error)
            }
            (Expected::Near(exact), Value::Real(actual)) => self.near(exact, actual),
            _ => panic!("{}: a result of another type than expected", self.subject.name),
        }
    }

    fn near(&self, exact: &Float, actual: f64) -> (f64, bool) {
        let format = self.subject.format;
        let free = self.subject.precision == Precision::Free;
        if exact.is_nan() {
            return (0.0, free || actual.is_nan());
        }
        if exact.is_infinite() || exact.is_zero() {
            return (0.0, free || same(exact.to_f64(), actual));
        }
        if actual.is_nan() {
            return (if free { 0.0 } else { f64::INFINITY }, free);
        }
        let subnormal = exact.clone().abs() < format.least_normal();
        if self.may_flush && subnormal && actual == 0.0 {
            return (0.0, true);
        }
        let error = format.error(actual, exact);
        let right = match self.subject.ulps() {
            Some(bound) => error <= bound,
            None if free => true,
            None => same(format.round(exact), actual),
        };
        (error, right)
    }
}

/// The same number, with zeros compared by sign; all NaNs are equal.
fn same(a: f64, b: f64) -> bool {
    (a.is_nan() && b.is_nan()) || (a == b && (a != 0.0 || a.is_sign_negative() == b.is_sign_negative()))
}

/// The call with some or all of its subnormal numbers replaced by zeros, in all combinations.
fn flushed(format: Format, call: &Call) -> Vec<Call> {
    let subnormal: Vec<usize> = (0..call.len())
        .filter(|&index| matches!(call[index], Value::Real(value) if format.is_subnormal(value)))
        .collect();
    let mut calls = vec![call.clone()];
    for index in subnormal {
        for zero in [0.0, -0.0] {
            let more: Vec<Call> = calls
                .iter()
                .filter(|call| matches!(call[index], Value::Real(value) if value != 0.0))
                .map(|call| {
                    let mut call = call.clone();
                    call[index] = Value::Real(zero);
                    call
                })
                .collect();
            calls.extend(more);
        }
    }
    calls.split_off(1)
}
