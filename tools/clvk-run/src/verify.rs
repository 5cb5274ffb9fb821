//! `--verify`: results compared with files.

use crate::array;
use crate::failure::{Failure, Result};
use crate::job::VerifyText;
use crate::number::{Number, elements, numbers};
use crate::resource::BufferResource;
use std::path::PathBuf;

/// What is to be compared.
pub struct Check {
    /// Index of the argument.
    pub argument: usize,
    path: PathBuf,
    tolerance: f64,
}

/// How a comparison came out.
#[derive(Default)]
pub struct Outcome {
    /// Elements compared.
    pub elements: usize,
    /// Elements that differ by more than the tolerance.
    pub wrong: usize,
    /// Index of the first of them.
    pub first: Option<usize>,
    /// The first of them, for people.
    pub first_wrong: Option<String>,
    /// Largest difference, as the tolerance counts it.
    pub worst: f64,
}

impl Check {
    /// The comparison of the argument at a position.
    pub fn new(text: &VerifyText, argument: usize) -> Check {
        Check { argument, path: text.path.clone(), tolerance: text.tolerance }
    }

    /// Compares.
    pub fn run(&self, resource: &BufferResource, parameter: &str) -> Result<Outcome> {
        let element = resource.shape.element;
        let expected = array::read(&self.path, element, parameter, resource.buffer.size())?.bytes;
        let bytes = resource.contents(u64::MAX)?;
        if expected.len() != bytes.len() {
            return Err(Failure::usage(format!(
                "`{}` holds {} bytes, but the result of {parameter} has {}",
                self.path.display(),
                expected.len(),
                bytes.len()
            )));
        }
        let mut outcome = Outcome::default();
        for (bytes, expected) in bytes.chunks(PART).zip(expected.chunks(PART)) {
            let values = |bytes| numbers(bytes, element.scalar);
            outcome.compare(&values(bytes), &values(expected), self.tolerance);
        }
        outcome.first_wrong = outcome.first.map(|index| {
            let size = element.scalar.size().unwrap_or(1) as usize;
            let text = |bytes: &[u8]| elements(&bytes[index * size..][..size], element.scalar).concat();
            format!("[{index}] is {}, expected {}", text(&bytes), text(&expected))
        });
        Ok(outcome)
    }
}

/// Bytes that are compared at a time: a multiple of every scalar's size.
const PART: usize = 1 << 16;

impl Outcome {
    /// Compares the next elements.
    fn compare(&mut self, results: &[Number], expected: &[Number], tolerance: f64) {
        for (result, expected) in results.iter().zip(expected) {
            let difference = difference(*result, *expected);
            self.worst = self.worst.max(difference);
            // A difference is never a NaN.
            if difference > tolerance {
                self.wrong += 1;
                self.first.get_or_insert(self.elements);
            }
            self.elements += 1;
        }
    }
}

/// Absolute for values up to 1, relative above; infinite where one is a NaN or an infinity and the other is
/// not the same.
fn difference(result: Number, expected: Number) -> f64 {
    match (result, expected) {
        (Number::Int(a), Number::Int(b)) => {
            (a - b).unsigned_abs() as f64 / (b.unsigned_abs() as f64).max(1.0)
        }
        (Number::Float(a), Number::Float(b)) if a == b || (a.is_nan() && b.is_nan()) => 0.0,
        (Number::Float(a), Number::Float(b)) if a.is_finite() && b.is_finite() => {
            (a - b).abs() / b.abs().max(1.0)
        }
        _ => f64::INFINITY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compare(results: &[Number], expected: &[Number], tolerance: f64) -> Outcome {
        let mut outcome = Outcome::default();
        outcome.compare(results, expected, tolerance);
        outcome
    }

    #[test]
    fn differences_are_absolute_below_one_and_relative_above() {
        let floats = |values: &[f64]| values.iter().map(|&v| Number::Float(v)).collect::<Vec<_>>();
        let outcome = compare(&floats(&[0.5, 101.0, f64::NAN]), &floats(&[0.4, 100.0, f64::NAN]), 0.05);
        assert_eq!((outcome.elements, outcome.wrong), (3, 1));
        assert_eq!(outcome.first, Some(0));
        assert!((outcome.worst - 0.1).abs() < 1e-12);
        assert_eq!(compare(&floats(&[f64::NAN]), &floats(&[1.0]), 1e9).wrong, 1);
        assert_eq!(compare(&[Number::Int(3)], &[Number::Int(4)], 0.0).wrong, 1);
    }
}
