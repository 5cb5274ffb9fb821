//! `--verify`: results compared with files.

use crate::failure::{Failure, Result};
use crate::file::picture;
use crate::job::VerifyText;
use crate::number::{Number, numbers};
use crate::resource::{Comparable, Resource};
use crate::show::shown;
use clvk::interface::Argument;
use std::path::PathBuf;

/// What is to be compared.
pub struct Check {
    /// Position of the slot.
    pub slot: usize,
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
    /// The picture of the differences, if there are some.
    pub picture: Option<PathBuf>,
}

impl Check {
    /// The comparison of the slot at a position.
    pub fn new(text: &VerifyText, slot: usize) -> Check {
        Check { slot, path: text.path.clone(), tolerance: text.tolerance }
    }

    /// Compares a slot of this name.
    pub fn run(&self, resource: &Resource, parameter: &Argument, name: &str) -> Result<Outcome> {
        let Comparable { element, scale, width } = resource.comparable(parameter, &self.path);
        let expected = resource.expected(parameter, &self.path)?;
        let bytes = resource.contents(u64::MAX)?;
        if expected.len() != bytes.len() {
            return Err(Failure::usage(format!(
                "`{}` holds {} bytes, but the result of parameter `{name}` has {}",
                self.path.display(),
                expected.len(),
                bytes.len()
            )));
        }
        let lanes = (element.stride() as usize, element.lanes as usize);
        let mut outcome = Outcome::default();
        for (bytes, expected) in bytes.chunks(PART).zip(expected.chunks(PART)) {
            let values = |bytes| scaled(numbers(bytes, element.scalar), scale);
            outcome.compare(&values(bytes), &values(expected), lanes, self.tolerance);
        }
        outcome.first_wrong = outcome.first.map(|index| {
            let size = element.size().unwrap_or(1) as usize;
            let text = |bytes: &[u8]| shown(&bytes[index * size..][..size], element)[0].to_string();
            let place = match width {
                Some(width) => format!("{}, {}", index as u64 % width, index as u64 / width),
                None => index.to_string(),
            };
            format!("[{place}] is {}, expected {}", text(&bytes), text(&expected))
        });
        if outcome.wrong > 0
            && let Some((result, expected)) = resource.pictures(&bytes, &expected).filter(|_| width.is_some())
        {
            let path = PathBuf::from(format!("{name}.difference.png"));
            let format = picture::PictureFormat::of_ending("png").expect("it is known");
            picture::difference(&result, &expected).save(&path, format)?;
            outcome.picture = Some(path);
        }
        Ok(outcome)
    }
}

/// Numbers whose `scale` counts as 1.
fn scaled(numbers: Vec<Number>, scale: f64) -> Vec<Number> {
    match scale == 1.0 {
        true => numbers,
        false => numbers.into_iter().map(|number| Number::Float(number.to_f64() / scale)).collect(),
    }
}

/// Bytes that are compared at a time: a multiple of every element's size.
const PART: usize = 1 << 16;

impl Outcome {
    /// Compares the next elements, which have `stride` numbers each; the first `lanes` of them count.
    fn compare(
        &mut self,
        results: &[Number],
        expected: &[Number],
        (stride, lanes): (usize, usize),
        tolerance: f64,
    ) {
        for (result, expected) in results.chunks(stride).zip(expected.chunks(stride)) {
            let differences = result.iter().zip(expected).take(lanes).map(|(a, b)| difference(*a, *b));
            let difference = differences.fold(0.0, f64::max);
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
pub fn difference(result: Number, expected: Number) -> f64 {
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
        outcome.compare(results, expected, (1, 1), tolerance);
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

    #[test]
    fn padding_does_not_count() {
        let numbers = |values: [i128; 8]| values.map(Number::Int);
        let mut outcome = Outcome::default();
        outcome.compare(&numbers([1, 2, 3, 4, 5, 6, 7, 8]), &numbers([1, 2, 3, 0, 5, 6, 9, 8]), (4, 3), 0.0);
        assert_eq!((outcome.elements, outcome.wrong, outcome.first), (2, 1, Some(1)));
    }
}
