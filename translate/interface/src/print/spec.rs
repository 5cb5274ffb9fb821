//! Parser of `printf` formats (OpenCL C §6.15.14.2).

/// Larger field widths and precisions are not valid conversions here.
const LARGEST_NUMBER: u32 = 65_535;

/// A part of a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Directive<'a> {
    /// Characters that are copied to the output.
    Text(&'a [u8]),
    /// `%%`.
    Percent,
    /// A conversion of one argument.
    Conversion(Conversion),
    /// A conversion that OpenCL C does not have, as written; it is copied to the output.
    Invalid(&'a [u8]),
}

/// A conversion of an argument.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools)]
pub struct Conversion {
    /// `-`.
    pub left: bool,
    /// `+`.
    pub plus: bool,
    /// A space.
    pub space: bool,
    /// `#`.
    pub alternative: bool,
    /// `0`.
    pub zeros: bool,
    /// The field width.
    pub width: Option<u32>,
    /// The precision.
    pub precision: Option<u32>,
    /// The number of a vector specifier such as `v4`: 4.
    pub lanes: Option<u32>,
    /// The length modifier.
    pub length: Length,
    /// The letter at the end.
    pub letter: u8,
}

/// A length modifier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Length {
    /// None.
    #[default]
    None,
    /// `hh`.
    Char,
    /// `h`.
    Short,
    /// `hl`, for vectors.
    Int,
    /// `l`.
    Long,
    /// `z`.
    Size,
    /// `t`.
    Difference,
}

impl Length {
    /// Its spelling in a format.
    #[must_use]
    pub fn spelling(self) -> &'static str {
        match self {
            Length::None => "",
            Length::Char => "hh",
            Length::Short => "h",
            Length::Int => "hl",
            Length::Long => "l",
            Length::Size => "z",
            Length::Difference => "t",
        }
    }
}

impl Conversion {
    /// Whether it converts integers to digits.
    #[must_use]
    pub fn is_integer(&self) -> bool {
        matches!(self.letter, b'd' | b'i' | b'o' | b'u' | b'x' | b'X')
    }

    /// Whether it converts floating-point numbers.
    #[must_use]
    pub fn is_float(&self) -> bool {
        matches!(self.letter, b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G')
    }

    /// As it is written in a format, without flags, width and precision.
    #[must_use]
    pub fn spelled(&self) -> String {
        let lanes = self.lanes.map_or(String::new(), |lanes| format!("v{lanes}"));
        format!("%{lanes}{}{}", self.length.spelling(), char::from(self.letter))
    }
}

/// The parts of a format, in order.
pub fn directives(format: &[u8]) -> impl Iterator<Item = Directive<'_>> {
    let mut rest = format;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let plain = rest.iter().position(|&byte| byte == b'%').unwrap_or(rest.len());
        let (directive, length) = if plain > 0 {
            (Directive::Text(&rest[..plain]), plain)
        } else if rest.get(1) == Some(&b'%') {
            (Directive::Percent, 2)
        } else {
            conversion(rest)
        };
        rest = &rest[length..];
        Some(directive)
    })
}

/// The conversion at the start of `text`, after its `%`, and its length.
fn conversion(text: &[u8]) -> (Directive<'_>, usize) {
    let mut reader = Reader { text, at: 1 };
    let found = reader.conversion();
    let length = reader.at.min(text.len());
    (found.map_or(Directive::Invalid(&text[..length]), Directive::Conversion), length)
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn take(&mut self, byte: u8) -> bool {
        let found = self.text.get(self.at) == Some(&byte);
        self.at += usize::from(found);
        found
    }

    /// A number; `None` if it is too large.
    fn number(&mut self) -> Option<u32> {
        let mut number = 0u32;
        while let Some(digit) = self.text.get(self.at).filter(|byte| byte.is_ascii_digit()) {
            number = number.saturating_mul(10).saturating_add(u32::from(digit - b'0'));
            self.at += 1;
        }
        (number <= LARGEST_NUMBER).then_some(number)
    }

    fn conversion(&mut self) -> Option<Conversion> {
        let mut found = Conversion::default();
        self.flags(&mut found);
        let mut valid = true;
        if self.text.get(self.at).is_some_and(u8::is_ascii_digit) {
            found.width = self.number();
            valid &= found.width.is_some();
        }
        if self.take(b'.') {
            found.precision = self.number();
            valid &= found.precision.is_some();
        }
        if self.take(b'v') {
            found.lanes = self.number().filter(|lanes| matches!(lanes, 2 | 3 | 4 | 8 | 16));
            valid &= found.lanes.is_some();
        }
        found.length = self.length();
        found.letter = *self.text.get(self.at)?;
        self.at += 1;
        (valid && is_valid(&found)).then_some(found)
    }

    fn flags(&mut self, found: &mut Conversion) {
        loop {
            let flag = match self.text.get(self.at) {
                Some(b'-') => &mut found.left,
                Some(b'+') => &mut found.plus,
                Some(b' ') => &mut found.space,
                Some(b'#') => &mut found.alternative,
                Some(b'0') => &mut found.zeros,
                _ => return,
            };
            *flag = true;
            self.at += 1;
        }
    }

    fn length(&mut self) -> Length {
        if self.take(b'h') {
            if self.take(b'h') {
                Length::Char
            } else if self.take(b'l') {
                Length::Int
            } else {
                Length::Short
            }
        } else if self.take(b'l') {
            Length::Long
        } else if self.take(b'z') {
            Length::Size
        } else if self.take(b't') {
            Length::Difference
        } else {
            Length::None
        }
    }
}

/// Whether OpenCL C has this conversion.
fn is_valid(conversion: &Conversion) -> bool {
    let length = conversion.length;
    if conversion.is_integer() {
        return match conversion.lanes {
            Some(_) => {
                matches!(length, Length::None | Length::Char | Length::Short | Length::Int | Length::Long)
            }
            None => length != Length::Int,
        };
    }
    if conversion.is_float() {
        // In C, `l` has no effect on a scalar's floating-point conversion (C99 §7.19.6.1).
        return match conversion.lanes {
            Some(_) => matches!(length, Length::None | Length::Short | Length::Int | Length::Long),
            None => matches!(length, Length::None | Length::Long),
        };
    }
    matches!(conversion.letter, b'c' | b's' | b'p') && conversion.lanes.is_none() && length == Length::None
}
