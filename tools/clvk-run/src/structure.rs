//! Structures: made of literals, and shown.

use crate::argument::Literal;
use crate::failure::{counted, given};
use crate::number::{ElementType, Number};
use crate::show::{Shown, shown};
use clvk::Layout;

/// The bytes of a structure that a literal describes; the error says what does not suit.
pub fn bytes(literal: &Literal, layout: &Layout, size: u32) -> Result<Vec<u8>, String> {
    let mut bytes = vec![0; size as usize];
    write(literal, layout, &mut bytes, "")?;
    Ok(bytes)
}

/// Writes a value to the start of some bytes; `path` names it, as `.a.b`.
fn write(literal: &Literal, layout: &Layout, bytes: &mut [u8], path: &str) -> Result<(), String> {
    let what = if path.is_empty() { "it".to_owned() } else { format!("`{path}`") };
    match (layout, literal) {
        (Layout::Structure { members, .. }, Literal::Structure(literals)) => {
            if literals.len() != members.len() {
                let names: Vec<&str> = members.iter().map(|member| member.name.as_str()).collect();
                let (count, names) = (counted(members.len(), "member"), names.join(", "));
                return Err(format!("{what} has {count} ({names}), but {}", given(literals.len(), "value")));
            }
            for (member, literal) in members.iter().zip(literals) {
                let path = format!("{path}.{}", member.name);
                write(literal, &member.layout, &mut bytes[member.offset as usize..], &path)?;
            }
            Ok(())
        }
        (Layout::Array { length, stride, element }, Literal::Structure(literals)) => {
            if literals.len() as u64 != *length {
                return Err(format!("{what} has {length} elements, but {}", given(literals.len(), "value")));
            }
            for (index, literal) in literals.iter().enumerate() {
                let place = &mut bytes[index * *stride as usize..];
                write(literal, element, place, &format!("{path}[{index}]"))?;
            }
            Ok(())
        }
        (Layout::Value { scalar, lanes }, literal) => {
            let element = ElementType { scalar: *scalar, lanes: *lanes };
            let numbers: &[Number] =
                literal.numbers().filter(|numbers| numbers.len() == *lanes as usize).ok_or_else(|| {
                    let form =
                        if *lanes == 1 { "a number".to_owned() } else { format!("{lanes} numbers in `()`") };
                    format!("{what} is {element} and takes {form}, but {literal} was given")
                })?;
            let mut offset = 0;
            for number in numbers {
                let lane = number
                    .to_bytes(*scalar)
                    .map_err(|reason| format!("{what} cannot be {number}: {reason}"))?;
                bytes[offset..][..lane.len()].copy_from_slice(&lane);
                offset += lane.len();
            }
            Ok(())
        }
        (Layout::Opaque, _) => Err(format!("{what} is a union or a pointer; pass the bytes as `in:FILE`")),
        (_, literal) => Err(format!("{what} takes its members in `{{}}`, but {literal} was given")),
    }
}

/// Bytes of an object; `None` if that is not known.
pub fn size(layout: &Layout) -> Option<u64> {
    match layout {
        Layout::Structure { size, .. } => Some(*size).filter(|&size| size > 0),
        _ => None,
    }
}

/// An object that begins with these bytes, for people and programs.
pub fn show(bytes: &[u8], layout: &Layout) -> Shown {
    match layout {
        Layout::Value { scalar, lanes } => {
            let element = ElementType { scalar: *scalar, lanes: *lanes };
            let size = element.size().unwrap_or(1) as usize;
            shown(&bytes[..size], element).remove(0)
        }
        Layout::Structure { members, .. } => {
            let member = |member: &clvk::MemberLayout| {
                (member.name.clone(), show(&bytes[member.offset as usize..], &member.layout))
            };
            Shown::Structure(members.iter().map(member).collect())
        }
        Layout::Array { length, stride, element } => {
            let element = |index: u64| show(&bytes[(index * stride) as usize..], element);
            Shown::Array((0..*length).map(element).collect())
        }
        Layout::Opaque => Shown::Scalar("?".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clvk::MemberLayout;
    use clvk::interface::ScalarType;

    fn pair() -> Layout {
        let value = |scalar, lanes| Layout::Value { scalar, lanes };
        let member = |name: &str, offset, layout| MemberLayout { name: name.to_owned(), offset, layout };
        let array = Layout::Array { length: 2, stride: 2, element: Box::new(value(ScalarType::U16, 1)) };
        let members = vec![
            member("a", 0, value(ScalarType::I8, 1)),
            member("v", 4, value(ScalarType::U8, 3)),
            member("s", 8, array),
        ];
        Layout::Structure { size: 12, members }
    }

    #[test]
    fn literals_become_bytes_and_back() {
        let literal = Literal::parse("{-1, (1,2,3), {4, 5}}").unwrap();
        let bytes = bytes(&literal, &pair(), 12).unwrap();
        assert_eq!(bytes, [255, 0, 0, 0, 1, 2, 3, 0, 4, 0, 5, 0]);
        let shown = show(&bytes, &pair());
        assert_eq!(shown.to_string(), "{a: -1, v: (1, 2, 3), s: {4, 5}}");
        assert_eq!(serde_json::to_string(&shown).unwrap(), r#"{"a":-1,"v":[1,2,3],"s":[4,5]}"#);
    }

    #[test]
    fn mistakes_name_the_member() {
        for (literal, expected) in [
            ("{1}", "it has 3 members (a, v, s), but 1 value was given"),
            ("{128, (1,2,3), {4, 5}}", "`.a` cannot be 128"),
            ("{1, (1,2), {4, 5}}", "`.v` is uchar3 and takes 3 numbers in `()`, but (1, 2) was given"),
            ("{1, (1,2,3), {4}}", "`.s` has 2 elements, but 1 value was given"),
            ("{1, (1,2,3), {4, 1.5}}", "`.s[1]` cannot be 1.5"),
            ("7", "it takes its members in `{}`, but 7 was given"),
        ] {
            let error = bytes(&Literal::parse(literal).unwrap(), &pair(), 12).unwrap_err();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
