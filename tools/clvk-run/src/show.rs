//! Elements as people and programs read them: numbers, and vectors without their padding.

use crate::number::{ElementType, elements};
use serde::{Serialize, Serializer};
use std::fmt;

/// An element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// A number.
    Scalar(String),
    /// The lanes of a vector.
    Vector(Vec<String>),
    /// The members of a structure, with their names.
    Structure(Vec<(String, Shown)>),
    /// The elements of an array in a structure.
    Array(Vec<Shown>),
}

/// The elements that whole bytes hold.
pub fn shown(bytes: &[u8], ty: ElementType) -> Vec<Shown> {
    let mut numbers = elements(bytes, ty.scalar);
    if ty.lanes == 1 {
        return numbers.into_iter().map(Shown::Scalar).collect();
    }
    let vector = |lanes: &mut [String]| {
        Shown::Vector(lanes[..ty.lanes as usize].iter_mut().map(std::mem::take).collect())
    };
    numbers.chunks_exact_mut(ty.stride() as usize).map(vector).collect()
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shown::Scalar(number) => f.write_str(number),
            Shown::Vector(lanes) => write!(f, "({})", lanes.join(", ")),
            Shown::Structure(members) => {
                let members: Vec<String> =
                    members.iter().map(|(name, shown)| format!("{name}: {shown}")).collect();
                write!(f, "{{{}}}", members.join(", "))
            }
            Shown::Array(elements) => {
                let elements: Vec<String> = elements.iter().map(Shown::to_string).collect();
                write!(f, "{{{}}}", elements.join(", "))
            }
        }
    }
}

impl Serialize for Shown {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Shown::Scalar(number) => json_number(number).serialize(serializer),
            Shown::Vector(lanes) => serializer.collect_seq(lanes.iter().map(|lane| json_number(lane))),
            Shown::Structure(members) => {
                serializer.collect_map(members.iter().map(|(name, shown)| (name, shown)))
            }
            Shown::Array(elements) => serializer.collect_seq(elements),
        }
    }
}

/// A number; a text where JSON has no such number (`NaN`, `inf`).
fn json_number(text: &str) -> serde_json::Value {
    let number = || -> Option<serde_json::Number> {
        if let Ok(value) = text.parse::<i64>() {
            return Some(value.into());
        }
        if let Ok(value) = text.parse::<u64>() {
            return Some(value.into());
        }
        serde_json::Number::from_f64(text.parse().ok()?)
    };
    number().map_or_else(|| text.into(), Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_floats(values: &[f32], ty: &str) -> Vec<Shown> {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        shown(&bytes, ElementType::parse(ty).unwrap())
    }

    #[test]
    fn vectors_are_shown_without_padding() {
        let elements = of_floats(&[1.0, 2.5, 3.0, 9.0, 4.0, 5.0, 6.0, 9.0], "float3");
        let texts: Vec<String> = elements.iter().map(Shown::to_string).collect();
        assert_eq!(texts, ["(1, 2.5, 3)", "(4, 5, 6)"]);
        assert_eq!(serde_json::to_string(&elements).unwrap(), "[[1,2.5,3],[4,5,6]]");
    }

    #[test]
    fn json_has_numbers_where_it_can() {
        let elements = of_floats(&[0.1, f32::NAN, f32::NEG_INFINITY], "float");
        assert_eq!(serde_json::to_string(&elements).unwrap(), r#"[0.1,"NaN","-inf"]"#);
        let large = shown(&u64::MAX.to_le_bytes(), ElementType::parse("ulong").unwrap());
        assert_eq!(serde_json::to_string(&large).unwrap(), "[18446744073709551615]");
    }
}
