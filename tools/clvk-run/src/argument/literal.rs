//! Values as they are written: numbers, vectors and structures.

use crate::number::Number;
use std::fmt;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// `2.5f`.
    Number(Number),
    /// `(1,2,3,4)`.
    Vector(Vec<Number>),
    /// `{1, 2.5f, (1,2)}`: members of a structure, or elements of an array in one.
    Structure(Vec<Literal>),
}

/// Structures in structures at most.
const MOST_NESTING: u32 = 32;

impl Literal {
    /// Reads a value; `None` if it is not one.
    pub fn parse(text: &str) -> Option<Literal> {
        parse(text.trim(), MOST_NESTING)
    }

    /// The numbers of a scalar or a vector.
    pub fn numbers(&self) -> Option<&[Number]> {
        match self {
            Literal::Number(number) => Some(std::slice::from_ref(number)),
            Literal::Vector(numbers) => Some(numbers),
            Literal::Structure(_) => None,
        }
    }
}

fn parse(text: &str, nesting: u32) -> Option<Literal> {
    if let Some(rest) = text.strip_prefix('(') {
        let numbers = rest.strip_suffix(')')?.split(',').map(Number::parse);
        return Some(Literal::Vector(numbers.collect::<Option<_>>()?));
    }
    if let Some(rest) = text.strip_prefix('{') {
        let members = split(rest.strip_suffix('}')?)?;
        let nesting = nesting.checked_sub(1)?;
        let members = members.iter().map(|member| parse(member.trim(), nesting));
        return Some(Literal::Structure(members.collect::<Option<_>>()?));
    }
    Number::parse(text).map(Literal::Number)
}

/// Divides a text at the commas that are in no brackets.
fn split(text: &str) -> Option<Vec<&str>> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0u32);
    for (index, byte) in text.bytes().enumerate() {
        match byte {
            b'(' | b'{' => depth += 1,
            b')' | b'}' => depth = depth.checked_sub(1)?,
            b',' if depth == 0 => {
                parts.push(&text[start..index]);
                start = index + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    Some(parts)
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, items: &[&dyn fmt::Display]| {
            items.iter().enumerate().try_for_each(|(index, item)| {
                let comma = if index > 0 { ", " } else { "" };
                write!(f, "{comma}{item}")
            })
        };
        match self {
            Literal::Number(number) => write!(f, "{number}"),
            Literal::Vector(numbers) => {
                let items: Vec<&dyn fmt::Display> = numbers.iter().map(|number| number as _).collect();
                f.write_str("(")?;
                list(f, &items)?;
                f.write_str(")")
            }
            Literal::Structure(members) => {
                let items: Vec<&dyn fmt::Display> = members.iter().map(|member| member as _).collect();
                f.write_str("{")?;
                list(f, &items)?;
                f.write_str("}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structures_nest() {
        let literal = Literal::parse("{1, 2.5f, (1,-2), {3}}").unwrap();
        assert_eq!(literal.to_string(), "{1, 2.5, (1, -2), {3}}");
        let deep = "{".repeat(100_000) + &"}".repeat(100_000);
        for wrong in ["{1", "(1,2", "{1,}", "{(1},2)", "()", "(1,(2))", &deep] {
            assert_eq!(Literal::parse(wrong), None);
        }
    }
}
