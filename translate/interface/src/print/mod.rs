//! `printf` (OpenCL C §6.15.14): what a kernel leaves of its calls, and the text that the host makes of it.
//!
//! A call writes a record into the launch's print buffer: words of 32 bits; the first is the number of the
//! format in [`ModuleInterface::print_formats`](crate::ModuleInterface) plus one, and the others are the
//! arguments, each lane one word, or two with the low one first. Of a string that is not known when the
//! program is compiled, or of such a format, which comes before the arguments, there is the length, or
//! [`NULL_STRING`]; the bytes of all strings of a record stand at its end, each string beginning with a word
//! of its own. The buffer begins with a head of [`HEAD_WORDS`] words: how many words were asked for (the head
//! counted), how many there are, and how many records were lost. A record that does not fit is lost whole;
//! the first one leaves a zero where it would have begun.
//!
//! [`spec`] reads formats, for the compiler's checks too; [`text`] writes values as C does.

pub mod spec;
pub mod text;

use serde::{Deserialize, Serialize};
use spec::{Conversion, Directive, directives};
use text::Value;

/// Words before the first record of a print buffer.
pub const HEAD_WORDS: u32 = 4;

/// Bytes of a print buffer unless its user says otherwise: the least that OpenCL allows
/// (`CL_DEVICE_PRINTF_BUFFER_SIZE`).
pub const DEFAULT_PRINT_BUFFER: u32 = 1 << 20;

/// Bytes that a kernel copies of a string, at most; what is behind them is not printed.
pub const STRING_LIMIT: u32 = 4096;

/// In place of the length of a string: the pointer is null.
pub const NULL_STRING: u32 = u32::MAX;

/// What is printed of a null pointer.
pub const NULL_TEXT: &[u8] = b"(null)";

/// A call of `printf`: its format and what it passes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PrintFormat {
    /// The format, without the zero at its end; `None` if it is a string in the record, of [`STRING_LIMIT`]
    /// bytes at most.
    pub text: Option<Vec<u8>>,
    /// The arguments after it.
    pub arguments: Vec<PrintArgument>,
}

/// An argument of `printf`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum PrintArgument {
    /// In the record: that many lanes of a kind.
    Value(PrintKind, u32),
    /// A string, which is known when the program is compiled; it is not in the record.
    Text(Vec<u8>),
    /// A string in the record.
    String {
        /// Bytes that are copied, at most.
        limit: u32,
        /// Whether the address stands before the length, for formats that may print either.
        address: bool,
    },
}

/// What a lane of an argument is in a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PrintKind {
    /// An integer of 32 bits.
    Int,
    /// An integer of 64 bits, or a pointer.
    Long,
    /// Single precision.
    Float,
    /// Double precision.
    Double,
}

impl PrintKind {
    /// Words of a lane.
    #[must_use]
    pub fn words(self) -> u32 {
        match self {
            PrintKind::Int | PrintKind::Float => 1,
            PrintKind::Long | PrintKind::Double => 2,
        }
    }
}

impl PrintFormat {
    /// Words of a record of this call, without the bytes of its strings.
    #[must_use]
    pub fn words(&self) -> u32 {
        let words = self.arguments.iter().map(PrintArgument::words);
        words.fold(1 + u32::from(self.text.is_none()), u32::saturating_add)
    }

    /// Words of the bytes of the strings of a record, whose other words, without the number of the format,
    /// are these.
    fn string_words(&self, words: &[u32]) -> usize {
        let mut reader = Reader { fixed: words, strings: &[] };
        let format = if self.text.is_none() { Reader::words_of(reader.length(STRING_LIMIT)) } else { 0 };
        let of_argument = |argument: &PrintArgument| match *argument {
            PrintArgument::String { limit, address } => {
                reader.skip(if address { 2 } else { 0 });
                Reader::words_of(reader.length(limit))
            }
            _ => {
                reader.skip(argument.words());
                0
            }
        };
        format + self.arguments.iter().map(of_argument).sum::<usize>()
    }

    /// Appends what a call prints. `words` are those of the arguments and the strings.
    fn write(&self, words: &[u32], out: &mut Vec<u8>) {
        let (fixed, strings) = words.split_at(words.len().min(self.words() as usize - 1));
        let mut reader = Reader { fixed, strings };
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
    /// Words in a record, without the bytes of a string.
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

/// What is left of a record: the words of its arguments, and those of the bytes of its strings. Words that
/// are missing count as zero.
struct Reader<'a> {
    fixed: &'a [u32],
    strings: &'a [u32],
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

    /// The length of a string; `None` if the pointer was null. No kernel of ours writes a greater one than
    /// its limit.
    fn length(&mut self, limit: u32) -> Option<u32> {
        let length = self.fixed.first().copied().unwrap_or(0);
        self.skip(1);
        (length != NULL_STRING).then(|| length.min(limit))
    }

    fn words_of(length: Option<u32>) -> usize {
        length.unwrap_or(0).div_ceil(4) as usize
    }

    fn string(&mut self, limit: u32) -> Option<Vec<u8>> {
        let length = self.length(limit)?;
        let (words, behind) = self.strings.split_at(self.strings.len().min(Self::words_of(Some(length))));
        self.strings = behind;
        let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        bytes.truncate(length as usize);
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

/// A lane at the beginning of some words, and the words behind it. Words that are missing count as zero.
fn take(kind: PrintKind, words: &[u32]) -> (Value, &[u32]) {
    let word = |index: usize| u64::from(words.get(index).copied().unwrap_or(0));
    let value = match kind {
        PrintKind::Int => Value::Int { bits: word(0), wide: false },
        PrintKind::Long => Value::Int { bits: word(0) | word(1) << 32, wide: true },
        PrintKind::Float => Value::Float(f64::from(f32::from_bits(word(0) as u32))),
        PrintKind::Double => Value::Float(f64::from_bits(word(0) | word(1) << 32)),
    };
    (value, words.get(kind.words() as usize..).unwrap_or_default())
}

/// What a launch printed, and how many records were lost. The buffer may hold anything: it was in the hands
/// of a kernel.
#[must_use]
pub fn printed(buffer: &[u32], formats: &[PrintFormat]) -> (Vec<u8>, u32) {
    let mut out = Vec::new();
    let word = |index: usize| buffer.get(index).copied().unwrap_or(0);
    let end = (word(0) as usize).min(buffer.len());
    let mut at = HEAD_WORDS as usize;
    while at < end {
        // A zero is where a record did not fit.
        let Some(format) = (buffer[at] as usize).checked_sub(1).and_then(|index| formats.get(index)) else {
            break;
        };
        let fixed = at + format.words() as usize;
        let Some(words) = buffer[..end].get(at + 1..fixed) else { break };
        let next = fixed + format.string_words(words);
        let Some(words) = buffer[..end].get(at + 1..next) else { break };
        format.write(words, &mut out);
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
