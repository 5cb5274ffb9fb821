//! Whether the arguments of `printf` are those that its format takes (OpenCL C §6.15.14.2).
//!
//! [`mismatch`] is for formats that are known at compile time. For others the library's functions
//! `__clvk_print_mismatch_…` do the same on the device: they get [`PrintArgument::code`] of each argument and
//! give [`Mismatch::word`].

use super::spec::{Conversion, Directive, Length, directives};
use super::{PrintArgument, PrintKind};

/// What is wrong with a call of `printf`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// The format is a null pointer.
    Null,
    /// OpenCL C does not have this conversion, counted from one.
    Invalid {
        /// Which conversion of the format.
        number: u32,
        /// Its last character.
        letter: u8,
    },
    /// There are fewer arguments than conversions; this is the first conversion without one.
    Missing(Conversion),
    /// An argument, counted from zero, does not fit its conversion.
    Unfit(u32, Conversion),
}

/// The length modifiers, by their code.
const LENGTHS: [Length; 7] =
    [Length::None, Length::Char, Length::Short, Length::Int, Length::Long, Length::Size, Length::Difference];

impl Mismatch {
    /// The number that a kernel reports: what it is, the number of the argument or conversion, the letter,
    /// the length modifier, and the lanes, with 8 bits for each.
    #[must_use]
    pub fn word(self) -> u64 {
        let of_conversion = |code: u64, conversion: Conversion| {
            let length = LENGTHS.iter().position(|&length| length == conversion.length).unwrap_or(0) as u64;
            let lanes = u64::from(conversion.lanes.unwrap_or(0));
            code | u64::from(conversion.letter) << 16 | length << 24 | lanes << 32
        };
        match self {
            Mismatch::Null => 1,
            Mismatch::Invalid { number, letter } => {
                2 | u64::from(number & 255) << 8 | u64::from(letter) << 16
            }
            Mismatch::Missing(conversion) => of_conversion(3, conversion),
            Mismatch::Unfit(argument, conversion) => {
                of_conversion(4, conversion) | u64::from(argument & 255) << 8
            }
        }
    }

    /// What such a number means; `None` if nothing is wrong.
    #[must_use]
    pub fn read(word: u64) -> Option<Mismatch> {
        let [code, number, letter, length, lanes, ..] = word.to_le_bytes();
        let conversion = Conversion {
            letter,
            length: LENGTHS.get(usize::from(length)).copied().unwrap_or_default(),
            lanes: (lanes > 0).then_some(lanes.into()),
            ..Conversion::default()
        };
        match code {
            1 => Some(Mismatch::Null),
            2 => Some(Mismatch::Invalid { number: number.into(), letter }),
            3 => Some(Mismatch::Missing(conversion)),
            4 => Some(Mismatch::Unfit(number.into(), conversion)),
            _ => None,
        }
    }

    /// What is wrong, for a call with these arguments: a line without a full stop.
    #[must_use]
    pub fn problem(self, arguments: &[PrintArgument]) -> String {
        match self {
            Mismatch::Null => "the format of `printf` is a null pointer".to_owned(),
            Mismatch::Invalid { number, letter } => format!(
                "the conversion {number} of the format of `printf`, which ends with `{}`, is not one of OpenCL C",
                char::from(letter).escape_default()
            ),
            Mismatch::Missing(conversion) => format!(
                "no argument of `printf` is left for `{}`, because the format has more conversions than the {} given",
                conversion.spelled(),
                arguments.len()
            ),
            Mismatch::Unfit(index, conversion) => format!(
                "the argument {} of `printf` is {}, which does not fit `{}`",
                index + 1,
                arguments
                    .get(index as usize)
                    .map_or_else(|| "another one".to_owned(), PrintArgument::describe),
                conversion.spelled()
            ),
        }
    }
}

/// The first thing that is wrong with arguments for a format. More arguments than conversions are right: they
/// are not printed.
#[must_use]
pub fn mismatch(format: &[u8], arguments: &[PrintArgument]) -> Option<Mismatch> {
    let mut count = 0;
    for directive in directives(format) {
        let conversion = match directive {
            Directive::Text(_) | Directive::Percent => continue,
            Directive::Conversion(conversion) => conversion,
            Directive::Invalid(bytes) => {
                let letter = bytes.last().copied().unwrap_or(0);
                return Some(Mismatch::Invalid { number: count + 1, letter });
            }
        };
        match arguments.get(count as usize) {
            None => return Some(Mismatch::Missing(conversion)),
            Some(argument) if !argument.fits(&conversion) => {
                return Some(Mismatch::Unfit(count, conversion));
            }
            Some(_) => count += 1,
        }
    }
    None
}

impl PrintArgument {
    /// Whether a conversion is one for it.
    #[must_use]
    pub fn fits(&self, conversion: &Conversion) -> bool {
        let PrintArgument::Value(kind, lanes) = *self else {
            return matches!(conversion.letter, b's' | b'p');
        };
        if conversion.letter == b'p' {
            return kind == PrintKind::Pointer;
        }
        let is_float = matches!(kind, PrintKind::Half | PrintKind::Float | PrintKind::Double);
        if kind == PrintKind::Pointer || conversion.letter == b's' || is_float != conversion.is_float() {
            return false;
        }
        let size = match kind {
            PrintKind::Char => 1,
            PrintKind::Short | PrintKind::Half => 2,
            PrintKind::Int | PrintKind::Float => 4,
            _ => 8,
        };
        let wide = matches!(conversion.length, Length::Long | Length::Size | Length::Difference);
        match conversion.lanes {
            None => lanes == 1 && (is_float || (size == 8) == wide),
            Some(wanted) => {
                let wanted_size = match conversion.length {
                    Length::Char => 1,
                    Length::Short => 2,
                    Length::Int => 4,
                    // As for scalars; clang accepts it for vectors of 'int', too.
                    Length::None if !is_float => 4,
                    _ => 8,
                };
                lanes == wanted && size == wanted_size
            }
        }
    }

    /// Its byte for the library: the type, and the lanes less one in the upper half.
    #[must_use]
    pub fn code(&self) -> u8 {
        let PrintArgument::Value(kind, lanes) = *self else { return 8 };
        let kind = match kind {
            PrintKind::Char => 0,
            PrintKind::Short => 1,
            PrintKind::Int => 2,
            PrintKind::Long => 3,
            PrintKind::Half => 4,
            PrintKind::Float => 5,
            PrintKind::Double => 6,
            PrintKind::Pointer => 7,
        };
        kind | (lanes.saturating_sub(1) as u8) << 4
    }

    fn describe(&self) -> String {
        let PrintArgument::Value(kind, lanes) = *self else { return "a string".to_owned() };
        let name = match kind {
            PrintKind::Char => "char",
            PrintKind::Short => "short",
            PrintKind::Int => "int",
            PrintKind::Long => "long",
            PrintKind::Half => "half",
            PrintKind::Float => "float",
            PrintKind::Double => "double",
            PrintKind::Pointer => return "a pointer".to_owned(),
        };
        let article = if name == "int" { "an" } else { "a" };
        format!("{article} `{name}{}`", if lanes > 1 { lanes.to_string() } else { String::new() })
    }
}
