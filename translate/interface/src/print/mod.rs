//! `printf` (OpenCL C §6.15.14): the records that a kernel leaves, and the text that the host makes of them.
//!
//! A call writes a record of 32-bit words into the launch's print buffer. The first word is the number of the
//! format in [`ModuleInterface::print_formats`](crate::ModuleInterface) plus one. The others are the
//! arguments: each lane is one word, or two with the low one first. A string is one word: its length, or
//! [`NULL_STRING`], or [`STRING_TABLE`] plus its position in
//! [`ModuleInterface::print_strings`](crate::ModuleInterface) if it is known at compile time. A format that
//! is not known at compile time is such a string, before the arguments. The bytes of all strings that have a
//! length stand at the record's end, and each string begins at a word. The buffer begins with a head of
//! [`HEAD_WORDS`] words: how many words were requested (including the head), how many there are, and how many
//! records were lost; the last word has no meaning. A record that does not fit is lost whole; the first lost
//! record leaves a zero where it would have begun.
//!
//! [`spec`] parses formats, also for the compiler's checks; [`check`] compares them with the arguments;
//! [`text`] formats values as C does.

pub mod check;
pub mod spec;
pub mod text;

use serde::{Deserialize, Serialize};
use spec::{Conversion, Directive, directives};
use text::Value;

/// Words before the first record of a print buffer.
pub const HEAD_WORDS: u32 = 4;

/// Default size in bytes of a print buffer: the least that OpenCL allows (`CL_DEVICE_PRINTF_BUFFER_SIZE`).
pub const DEFAULT_PRINT_BUFFER: u32 = 1 << 20;

/// The most bytes that a kernel copies of a string; the rest is not printed.
pub const STRING_LIMIT: u32 = 4096;

/// The length of a string whose pointer is null.
pub const NULL_STRING: u32 = u32::MAX;

/// In place of the length of a string that is known at compile time; its position in the module's table is
/// added.
pub const STRING_TABLE: u32 = 1 << 31;

/// The text printed for a null pointer.
pub const NULL_TEXT: &[u8] = b"(null)";

/// A call of `printf`: its format and its arguments.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PrintFormat {
    /// The format, without the zero at its end. `None` if it is a string in the record, of at most
    /// [`STRING_LIMIT`] bytes.
    pub text: Option<Vec<u8>>,
    /// The arguments after it.
    pub arguments: Vec<PrintArgument>,
}

/// An argument of `printf`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum PrintArgument {
    /// In the record: this many lanes of a kind.
    Value(PrintKind, u32),
    /// A string that is known at compile time; it is not in the record.
    Text(Vec<u8>),
    /// A string in the record.
    String {
        /// The most bytes that are copied.
        limit: u32,
        /// Whether the address precedes the length, for formats that may print either.
        address: bool,
    },
}

/// The type of an argument's lane. In records, those with fewer than 32 bits have 32: only vectors have such
/// lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PrintKind {
    /// An 8-bit integer.
    Char,
    /// A 16-bit integer.
    Short,
    /// A 32-bit integer.
    Int,
    /// A 64-bit integer.
    Long,
    /// A pointer, which has 64 bits.
    Pointer,
    /// Half precision, as single precision.
    Half,
    /// Single precision.
    Float,
    /// Double precision.
    Double,
}

impl PrintKind {
    /// Number of words for a lane.
    #[must_use]
    pub fn words(self) -> u32 {
        match self {
            PrintKind::Char | PrintKind::Short | PrintKind::Int | PrintKind::Half | PrintKind::Float => 1,
            PrintKind::Long | PrintKind::Pointer | PrintKind::Double => 2,
        }
    }
}

impl PrintFormat {
    /// Number of words of a record of this call, without the bytes of its strings.
    #[must_use]
    pub fn words(&self) -> u32 {
        let words = self.arguments.iter().map(PrintArgument::words);
        words.fold(1 + u32::from(self.text.is_none()), u32::saturating_add)
    }

    /// Number of words that hold the bytes of a record's strings. `words` are the record's other words,
    /// without the format's number.
    fn string_words(&self, words: &[u32]) -> usize {
        let mut reader = Reader { fixed: words, strings: &[], known: &[] };
        let format = if self.text.is_none() { reader.place(STRING_LIMIT).words() } else { 0 };
        let of_argument = |argument: &PrintArgument| match *argument {
            PrintArgument::String { limit, address } => {
                reader.skip(if address { 2 } else { 0 });
                reader.place(limit).words()
            }
            _ => {
                reader.skip(argument.words());
                0
            }
        };
        format + self.arguments.iter().map(of_argument).sum::<usize>()
    }

    /// Appends the output of a call. `words` are those of the arguments and the strings, `known` the module's
    /// table of strings.
    fn write(&self, words: &[u32], known: &[Vec<u8>], out: &mut Vec<u8>) {
        let (fixed, strings) = words.split_at(words.len().min(self.words() as usize - 1));
        let mut reader = Reader { fixed, strings, known };
        let of_record;
        let format = match &self.text {
            Some(text) => text,
            None => {
                of_record = reader.string(STRING_LIMIT).unwrap_or_else(|| NULL_TEXT.to_vec());
                &of_record
            }
        };
        let mut arguments = self.arguments.iter();
        for directive in directives(format) {
            match directive {
                Directive::Text(bytes) | Directive::Invalid(bytes) => out.extend_from_slice(bytes),
                Directive::Percent => out.push(b'%'),
                Directive::Conversion(conversion) => {
                    if let Some(argument) = arguments.next() {
                        reader.argument(argument, &conversion, out);
                    }
                }
            }
        }
    }
}

impl PrintArgument {
    /// Number of words in a record, without the bytes of a string.
    fn words(&self) -> u32 {
        match *self {
            PrintArgument::Value(kind, lanes) => kind.words().saturating_mul(lanes),
            PrintArgument::Text(_) => 0,
            PrintArgument::String { address, .. } => {
                if address {
                    3
                } else {
                    1
                }
            }
        }
    }
}

/// Where a string is.
enum StringPlace {
    /// Nowhere: the pointer was null.
    Null,
    /// In the module's table, at this position; at most this number of its bytes are printed.
    Known(usize, usize),
    /// In the record, with this number of bytes.
    Record(usize),
}

impl StringPlace {
    /// Words of its bytes in the record.
    fn words(&self) -> usize {
        match *self {
            StringPlace::Record(length) => length.div_ceil(4),
            StringPlace::Null | StringPlace::Known(..) => 0,
        }
    }
}

/// The unread rest of a record: the words of its arguments, and those of the bytes of its strings; and the
/// module's table of strings. Missing words count as zero.
struct Reader<'a> {
    fixed: &'a [u32],
    strings: &'a [u32],
    known: &'a [Vec<u8>],
}

impl Reader<'_> {
    fn skip(&mut self, words: u32) {
        self.fixed = self.fixed.get(words as usize..).unwrap_or_default();
    }

    fn value(&mut self, kind: PrintKind) -> Value {
        let (value, behind) = take(kind, self.fixed);
        self.fixed = behind;
        value
    }

    /// Where a string is. Our kernels never write a length above the limit.
    fn place(&mut self, limit: u32) -> StringPlace {
        let word = self.fixed.first().copied().unwrap_or(0);
        self.skip(1);
        match word {
            NULL_STRING => StringPlace::Null,
            STRING_TABLE.. => StringPlace::Known((word - STRING_TABLE) as usize, limit as usize),
            length => StringPlace::Record(length.min(limit) as usize),
        }
    }

    fn string(&mut self, limit: u32) -> Option<Vec<u8>> {
        let place = self.place(limit);
        let (words, behind) = self.strings.split_at(self.strings.len().min(place.words()));
        self.strings = behind;
        let (mut bytes, length) = match place {
            StringPlace::Null => return None,
            StringPlace::Known(position, limit) => {
                (self.known.get(position).cloned().unwrap_or_default(), limit)
            }
            StringPlace::Record(length) => {
                (words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>(), length)
            }
        };
        bytes.truncate(length);
        Some(bytes)
    }

    fn argument(&mut self, argument: &PrintArgument, conversion: &Conversion, out: &mut Vec<u8>) {
        match *argument {
            PrintArgument::Text(ref bytes) => text::string(conversion, bytes, out),
            PrintArgument::String { limit, address } => {
                let place = address.then(|| self.value(PrintKind::Long));
                let bytes = self.string(limit);
                match place {
                    Some(place) if conversion.letter != b's' => text::value(conversion, place, out),
                    _ => text::string(conversion, bytes.as_deref().unwrap_or(NULL_TEXT), out),
                }
            }
            PrintArgument::Value(kind, lanes) => {
                for lane in 0..lanes {
                    if lane > 0 {
                        out.push(b',');
                    }
                    let value = self.value(kind);
                    text::value(conversion, value, out);
                }
            }
        }
    }
}

/// The lane at the start of some words, and the words after it. Missing words count as zero.
fn take(kind: PrintKind, words: &[u32]) -> (Value, &[u32]) {
    let word = |index: usize| u64::from(words.get(index).copied().unwrap_or(0));
    let value = match kind {
        PrintKind::Char | PrintKind::Short | PrintKind::Int => Value::Int { bits: word(0), wide: false },
        PrintKind::Long | PrintKind::Pointer => Value::Int { bits: word(0) | word(1) << 32, wide: true },
        PrintKind::Half | PrintKind::Float => Value::Float(f64::from(f32::from_bits(word(0) as u32))),
        PrintKind::Double => Value::Float(f64::from_bits(word(0) | word(1) << 32)),
    };
    (value, words.get(kind.words() as usize..).unwrap_or_default())
}

/// What a launch printed, and how many records were lost, with the
/// [`print_formats`](crate::ModuleInterface::print_formats) and
/// [`print_strings`](crate::ModuleInterface::print_strings) of its module. The buffer may hold anything,
/// because a kernel could write to it.
#[must_use]
pub fn printed(buffer: &[u32], formats: &[PrintFormat], strings: &[Vec<u8>]) -> (Vec<u8>, u32) {
    let mut out = Vec::new();
    let word = |index: usize| buffer.get(index).copied().unwrap_or(0);
    let end = (word(0) as usize).min(buffer.len());
    let mut at = HEAD_WORDS as usize;
    while at < end {
        // A zero marks where a record did not fit.
        let Some(format) = (buffer[at] as usize).checked_sub(1).and_then(|index| formats.get(index)) else {
            break;
        };
        let fixed = at + format.words() as usize;
        let Some(words) = buffer[..end].get(at + 1..fixed) else { break };
        let next = fixed + format.string_words(words);
        let Some(words) = buffer[..end].get(at + 1..next) else { break };
        format.write(words, strings, &mut out);
        at = next;
    }
    (out, word(2))
}

/// The first words of a print buffer of `words` words.
#[must_use]
pub fn head(words: u32) -> [u32; HEAD_WORDS as usize] {
    [HEAD_WORDS, words, 0, 0]
}

#[cfg(test)]
mod tests;
