//! Requests and answers: one program and its results.

use crate::generator;
use serde::{Deserialize, Serialize};

/// Sent once by an executor before any program: it has found its device and waits.
pub const READY: &str = "ready";

/// A program to run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// The source, with a kernel called `test`.
    pub source: String,
    /// Options for the compiler.
    pub options: Vec<String>,
    /// Work-items in each dimension.
    pub global: Vec<usize>,
    /// Work-items of a group, in each dimension.
    pub local: Vec<usize>,
    /// The arguments of the kernel.
    pub arguments: Vec<Argument>,
    /// With `-D GENERIC` in OpenCL C 2.0, the program uses generic pointers where it otherwise does without
    /// them.
    #[serde(default)]
    pub generic: bool,
}

/// An argument of the kernel; bytes are hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Argument {
    /// A buffer, and whether the answer contains its contents.
    Buffer {
        /// The contents before the launch.
        contents: String,
        /// Whether the contents after the launch are wanted.
        compare: bool,
    },
    /// A value.
    Value(String),
    /// Local memory: bytes for each work-group.
    Local(usize),
}

/// The outcome of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    /// The contents of the buffers that are compared, in hexadecimal.
    Outputs(Vec<String>),
    /// The compiler refused the program.
    Refused(String),
    /// The program did not run.
    Failed(String),
}

impl Request {
    /// A generated program.
    #[must_use]
    pub fn of(program: &generator::Program) -> Self {
        let argument = |argument: &generator::Argument| match argument {
            generator::Argument::Buffer { contents, compare } => {
                Argument::Buffer { contents: to_hex(contents), compare: *compare }
            }
            generator::Argument::Value(bytes) => Argument::Value(to_hex(bytes)),
            generator::Argument::Local(bytes) => Argument::Local(*bytes),
        };
        let version = match (program.language, program.program_variables) {
            (generator::Language::Cxx, _) => "-cl-std=CLC++2021",
            (generator::Language::C, true) => "-cl-std=CL2.0",
            (generator::Language::C, false) => "-cl-std=CL1.2",
        };
        Request {
            source: program.root.to_source(),
            options: vec![version.to_owned()],
            global: program.global.clone(),
            local: program.local.clone(),
            arguments: program.arguments.iter().map(argument).collect(),
            generic: program.generic,
        }
    }
}

/// Bytes as hexadecimal digits.
#[must_use]
pub fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Hexadecimal digits as bytes.
///
/// # Errors
/// A sentence, if they are not hexadecimal digits in pairs.
pub fn from_hex(text: &str) -> Result<Vec<u8>, String> {
    let pair = |pair: &[u8]| {
        let text = std::str::from_utf8(pair).map_err(|error| error.to_string())?;
        u8::from_str_radix(text, 16).map_err(|error| format!("`{text}`: {error}"))
    };
    text.as_bytes().chunks(2).map(pair).collect()
}

/// A number that identifies texts: FNV-1a, 64 bits.
#[must_use]
pub fn fingerprint<'a>(texts: impl IntoIterator<Item = &'a str>) -> u64 {
    let mut hash = 0xCBF2_9CE4_8422_2325u64;
    for text in texts {
        for &byte in text.as_bytes().iter().chain(b"\n") {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
        }
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hexadecimal_digits_come_back_as_bytes() {
        assert_eq!(from_hex(&to_hex(&[0, 127, 255])), Ok(vec![0, 127, 255]));
        assert!(from_hex("0g").is_err());
    }

    #[test]
    fn the_fingerprint_is_fnv_1a() {
        // FNV-1a's published value for "foobar", continued with the line's end.
        let foobar = 0x8594_4171_F739_67E8u64;
        assert_eq!(fingerprint(["foobar"]), (foobar ^ 10).wrapping_mul(0x0100_0000_01B3));
        assert_ne!(fingerprint(["ab", "c"]), fingerprint(["a", "bc"]));
    }
}
