//! Small arrays as text: a row a line, numbers separated by commas, semicolons, tabs or spaces.
//!
//! Empty lines, lines that begin with `#` and a first line of names are skipped. The lanes of a vector are
//! columns, without padding.

use super::{Contents, Form, cannot, write_bytes};
use crate::failure::{Result, counted};
use crate::number::{ElementType, Number, elements};
use std::path::Path;

/// Reads the elements for a parameter.
pub fn read(path: &Path, bytes: &[u8], element: ElementType, parameter: &str) -> Result<Contents> {
    let wrong = |line: usize, what: String| cannot("read", path, format!("line {line} {what}"));
    let text = std::str::from_utf8(bytes).map_err(|_| cannot("read", path, "it is not text"))?;
    let mut columns = 0;
    let (mut rows, mut packed) = (0, Vec::new());
    for (index, line) in text.lines().enumerate() {
        let fields: Vec<&str> = fields(line).collect();
        let numbers: Vec<Option<Number>> = fields.iter().map(|field| Number::parse(field)).collect();
        let is_heading = rows == 0 && numbers.iter().all(Option::is_none);
        if fields.is_empty() || line.trim_start().starts_with('#') || is_heading {
            continue;
        }
        if rows > 0 && fields.len() != columns {
            return Err(wrong(
                index + 1,
                format!("has {}, but the first row has {columns}", counted(fields.len(), "value")),
            ));
        }
        (columns, rows) = (fields.len(), rows + 1);
        for (field, number) in fields.iter().zip(numbers) {
            let number =
                number.ok_or_else(|| wrong(index + 1, format!("has `{field}`, which is not a number")))?;
            let bytes = number.to_bytes(element.scalar);
            let bytes =
                bytes.map_err(|reason| wrong(index + 1, format!("does not suit {parameter}: {reason}")))?;
            packed.extend(bytes);
        }
    }
    let (lanes, stride) = (element.lanes as usize, element.stride() as usize);
    let flat = if columns == 1 { vec![rows] } else { vec![rows, columns as u64] };
    let shape = match flat.as_slice() {
        _ if lanes == 1 => flat,
        [rows, columns] if *columns as usize == lanes => vec![*rows],
        [.., last] if (*last as usize).is_multiple_of(lanes) => {
            [&flat[..flat.len() - 1], &[*last / lanes as u64]].concat()
        }
        _ => {
            let what =
                format!("it has rows of {columns}, but {parameter} needs `{element}`: {lanes} numbers each");
            return Err(cannot("read", path, what));
        }
    };
    let size = element.scalar.size().unwrap_or(1) as usize;
    let bytes = if stride == lanes { packed } else { padded(&packed, lanes * size, stride * size) };
    Ok(Contents { bytes, extents: shape, form: Form::default() })
}

fn fields(line: &str) -> impl Iterator<Item = &str> {
    line.split([',', ';', '\t', ' ']).map(str::trim).filter(|field| !field.is_empty())
}

/// Elements with zeros behind each.
fn padded(packed: &[u8], from: usize, to: usize) -> Vec<u8> {
    packed
        .chunks(from)
        .flat_map(|chunk| chunk.iter().copied().chain(std::iter::repeat_n(0, to - chunk.len())))
        .collect()
}

/// Writes elements: the last extent, and the lanes of vectors, are the columns.
pub fn write(path: &Path, element: ElementType, extents: &[u64], bytes: &[u8]) -> Result<()> {
    let (lanes, stride) = (element.lanes as usize, element.stride() as usize);
    let columns = if extents.len() > 1 { *extents.last().expect("it is not empty") as usize } else { 1 };
    let numbers = elements(bytes, element.scalar);
    let mut text = String::new();
    for row in numbers.chunks(columns * stride) {
        let kept: Vec<&str> =
            row.chunks(stride).flat_map(|element| element.iter().take(lanes)).map(String::as_str).collect();
        text += &kept.join(",");
        text.push('\n');
    }
    write_bytes(path, text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str, ty: &str) -> std::result::Result<(Vec<String>, Vec<u64>), String> {
        let element = ElementType::parse(ty).unwrap();
        let contents = read(Path::new("a.csv"), text.as_bytes(), element, "parameter `x`");
        let contents = contents.map_err(|failure| failure.message().to_owned())?;
        Ok((elements(&contents.bytes, element.scalar), contents.extents))
    }

    #[test]
    fn rows_are_lines() {
        let strings = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(parse("a,b\n1, 2\n# no\n\n3;4\n", "int"), Ok((strings("1 2 3 4"), vec![2, 2])));
        assert_eq!(parse("1\n2.5\n", "float"), Ok((strings("1 2.5"), vec![2])));
        assert_eq!(parse("1,2,3\n4,5,6\n", "float3"), Ok((strings("1 2 3 0 4 5 6 0"), vec![2])));
        assert_eq!(parse("1 2 3 4\n", "int2"), Ok((strings("1 2 3 4"), vec![1, 2])));
    }

    #[test]
    fn mistakes_are_in_lines() {
        for (text, ty, expected) in [
            ("1,2\n3\n", "int", "line 2 has 1 value, but the first row has 2"),
            ("1,x\n", "int", "line 1 has `x`, which is not a number"),
            ("1\n300\n", "uchar", "line 2 does not suit parameter `x`: 300 does not fit"),
            ("1,2,3\n", "int2", "rows of 3, but parameter `x` needs `int2`"),
        ] {
            let message = parse(text, ty).unwrap_err();
            assert!(message.contains(expected), "{message}");
        }
    }
}
