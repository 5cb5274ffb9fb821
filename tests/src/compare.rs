//! The verdict on an output: which values are wrong, and by how much.

use crate::case::{Case, Output, Tolerance};
use clvk_interface::ScalarType;
use std::fmt;

/// An output that differs from what was expected.
#[derive(Clone, Debug, PartialEq)]
pub struct Mismatch {
    /// Name of the resource.
    pub resource: String,
    /// The number of wrong values.
    pub wrong: usize,
    /// The number of values.
    pub total: usize,
    /// The first wrong values: index, result, expected.
    pub examples: Vec<(usize, String, String)>,
    /// What was allowed, and why.
    pub allowed: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {} of {} values are wrong", self.resource, self.wrong, self.total)?;
        for (index, result, expected) in &self.examples {
            write!(f, "\n  [{index}] is {result}, expected {expected}")?;
        }
        write!(f, "\n  allowed: {}", self.allowed)
    }
}

impl std::error::Error for Mismatch {}

/// The number of wrong values that a mismatch shows.
const EXAMPLES: usize = 4;

/// Compares the contents that a run left in an output's resource with the reference.
///
/// # Errors
/// The wrong values.
pub fn verify(case: &Case, output: &Output, result: &[u8]) -> Result<(), Mismatch> {
    let resource = &case.resources[output.resource.0];
    assert_eq!(result.len(), output.expected.len(), "{}: bytes of `{}`", case.name, resource.name);
    if result == output.expected {
        return Ok(());
    }
    let record = resource.record();
    let mut mismatch = Mismatch {
        resource: resource.name.clone(),
        wrong: 0,
        total: 0,
        examples: Vec::new(),
        allowed: format!("{:?} ({})", output.tolerance, output.reason),
    };
    let mut at = 0;
    while at < result.len() {
        let element = record[mismatch.total % record.len()];
        let end = at + element.size().expect("records are made of scalars") as usize;
        let (got, want) = (&result[at..end], &output.expected[at..end]);
        if !accepts(output.tolerance, element, got, want) {
            mismatch.wrong += 1;
            if mismatch.examples.len() < EXAMPLES {
                mismatch.examples.push((mismatch.total, show(element, got), show(element, want)));
            }
        }
        mismatch.total += 1;
        at = end;
    }
    if mismatch.wrong == 0 { Ok(()) } else { Err(mismatch) }
}

fn accepts(tolerance: Tolerance, element: ScalarType, got: &[u8], want: &[u8]) -> bool {
    if got == want {
        return true;
    }
    match tolerance {
        Tolerance::Exact => false,
        Tolerance::Float { absolute, relative } => {
            let (got, want) = (float(element, got), float(element, want));
            if want.is_finite() && got.is_finite() {
                (got - want).abs() <= absolute + relative * want.abs()
            } else {
                got == want || got.is_nan() && want.is_nan()
            }
        }
        Tolerance::Steps(steps) => {
            integer(element, got).abs_diff(integer(element, want)) <= u128::from(steps)
        }
    }
}

fn float(element: ScalarType, bytes: &[u8]) -> f64 {
    match element {
        ScalarType::F32 => f64::from(f32::from_le_bytes(bytes.try_into().expect("four bytes"))),
        ScalarType::F64 => f64::from_le_bytes(bytes.try_into().expect("eight bytes")),
        other => panic!("a float tolerance on values of type {other:?}"),
    }
}

fn integer(element: ScalarType, bytes: &[u8]) -> i128 {
    let mut wide = [0; 16];
    wide[..bytes.len()].copy_from_slice(bytes);
    let value = i128::from_le_bytes(wide);
    let bits = 8 * bytes.len();
    match element {
        ScalarType::I8 | ScalarType::I16 | ScalarType::I32 | ScalarType::I64 => {
            (value << (128 - bits)) >> (128 - bits)
        }
        ScalarType::U8 | ScalarType::U16 | ScalarType::U32 | ScalarType::U64 => value,
        other => panic!("an integer tolerance on values of type {other:?}"),
    }
}

fn show(element: ScalarType, bytes: &[u8]) -> String {
    match element {
        ScalarType::F32 => format!("{:?}", f32::from_le_bytes(bytes.try_into().expect("four bytes"))),
        ScalarType::F64 => format!("{:?}", float(element, bytes)),
        ScalarType::F16 | ScalarType::Opaque => format!("{bytes:02x?}"),
        _ => integer(element, bytes).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict<T: bytemuck::NoUninit>(
        element: ScalarType,
        tolerance: Tolerance,
        got: &[T],
        want: &[T],
    ) -> Result<(), Mismatch> {
        let mut case = Case::new("test", "");
        let id = case.output("out", element, want.len());
        case.expect(id, want, tolerance, "a test");
        verify(&case, &case.outputs[0], bytemuck::cast_slice(got))
    }

    #[test]
    fn floats_are_right_within_the_tolerance_only() {
        let tolerance = Tolerance::Float { absolute: 0.5, relative: 0.1 };
        let want = [0.0f32, 10.0, f32::INFINITY, f32::NAN];
        assert_eq!(
            verdict(ScalarType::F32, tolerance, &[0.5, 11.5, f32::INFINITY, -f32::NAN], &want),
            Ok(())
        );
        let wrong = verdict(ScalarType::F32, tolerance, &[0.6, 11.6, f32::MAX, 0.0], &want).unwrap_err();
        assert_eq!((wrong.wrong, wrong.total), (4, 4));
        assert_eq!(verdict(ScalarType::F32, tolerance, &[f32::NAN], &[1.0]).unwrap_err().wrong, 1);
    }

    #[test]
    fn steps_know_the_sign_and_exact_knows_every_bit() {
        assert_eq!(verdict(ScalarType::I8, Tolerance::Steps(2), &[-1i8], &[1]), Ok(()));
        assert_eq!(verdict(ScalarType::U8, Tolerance::Steps(2), &[255u8], &[1]).unwrap_err().wrong, 1);
        let wrong = verdict(ScalarType::F32, Tolerance::Exact, &[0.0f32], &[-0.0]).unwrap_err();
        assert_eq!(wrong.examples[0], (0, "0.0".to_owned(), "-0.0".to_owned()));
    }
}
