//! `printf` (OpenCL C §6.15.14): what a kernel leaves of its calls, and the text that the host makes of it.
//!
//! A call writes a record into the launch's print buffer: words of 32 bits; the first is the number of the
//! format in [`ModuleInterface::print_formats`](crate::ModuleInterface) plus one, and the others are the arguments, each
//! lane one word, or two with the low one first. The buffer begins with a head of [`HEAD_WORDS`] words: how many words
//! were asked for (the head counted), how many there are, and how many records were lost. A record that does not fit is
//! lost whole; the first one leaves a zero where it would have begun.
//!
//! [`spec`] reads formats, for the compiler's checks too; [`text`] writes values as C does.

pub mod spec;
pub mod text;

use serde::{Deserialize, Serialize};
use spec::{Directive, directives};
use text::Value;

/// Words before the first record of a print buffer.
pub const HEAD_WORDS: u32 = 4;

/// Bytes of a print buffer unless its user says otherwise: the least that OpenCL allows (`CL_DEVICE_PRINTF_BUFFER_SIZE`).
pub const DEFAULT_PRINT_BUFFER: u32 = 1 << 20;

/// A call of `printf`: its format and what it passes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PrintFormat {
    /// The format, without the zero at its end.
    pub text: Vec<u8>,
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
    /// Words of a record of this call.
    #[must_use]
    pub fn words(&self) -> u32 {
        let words = self.arguments.iter().map(|argument| match argument {
            PrintArgument::Value(kind, lanes) => kind.words().saturating_mul(*lanes),
            PrintArgument::Text(_) => 0,
        });
        words.fold(1, u32::saturating_add)
    }

    /// Appends what a call prints. `words` are those of the arguments.
    fn write(&self, words: &[u32], out: &mut Vec<u8>) {
        let mut rest = words;
        let mut arguments = self.arguments.iter();
        for directive in directives(&self.text) {
            match directive {
                Directive::Text(bytes) | Directive::Invalid(bytes) => out.extend_from_slice(bytes),
                Directive::Percent => out.push(b'%'),
                Directive::Conversion(conversion) => match arguments.next() {
                    Some(PrintArgument::Text(bytes)) => text::string(&conversion, bytes, out),
                    Some(&PrintArgument::Value(kind, lanes)) => {
                        for lane in 0..lanes {
                            if lane > 0 {
                                out.push(b',');
                            }
                            let (value, behind) = take(kind, rest);
                            rest = behind;
                            text::value(&conversion, value, out);
                        }
                    }
                    None => {}
                },
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

/// What a launch printed, and how many records were lost. The buffer may hold anything: it was in the hands of a kernel.
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
        let next = at + format.words() as usize;
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
