//! What is wrong with a module, or not supported, and where.

use rspirv::spirv::Op;
use std::fmt;

/// A module that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// What is wrong, or what is not supported.
    pub problem: String,
    /// The instruction; `None` if it concerns the module as a whole.
    pub place: Option<Place>,
}

/// An instruction of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The position of its first word, counted from the start of the module.
    pub word: usize,
    /// Its number.
    pub opcode: u16,
}

impl Error {
    /// An error that concerns the whole module.
    pub(crate) fn of_module(problem: impl Into<String>) -> Error {
        Error { problem: problem.into(), place: None }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.problem)?;
        match self.place {
            None => Ok(()),
            Some(Place { word, opcode }) => write!(f, " ({} at byte {})", name(opcode), 4 * word),
        }
    }
}

impl std::error::Error for Error {}

/// The name of an instruction: `OpLoad`.
pub(crate) fn name(opcode: u16) -> String {
    match Op::from_u32(u32::from(opcode)) {
        Some(op) => format!("Op{op:?}"),
        None => format!("instruction number {opcode}"),
    }
}
