//! What is wrong with a module, or not supported, and where.

use crate::binary::{HEADER, Id, Instruction, instructions};
use crate::lines::Lines;
use rspirv::spirv::Op;
use rustc_hash::FxHashMap;
use std::fmt;

/// A module that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// What is wrong, or what is not supported.
    pub problem: String,
    /// The instruction; `None` if it concerns the module as a whole.
    pub place: Option<Place>,
    /// The line of the source, if the module names it.
    pub line: Option<Line>,
}

/// A line of the source that a module was made from (`OpLine`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The file.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1; 0 if it is not known.
    pub column: u32,
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
        Error { problem: problem.into(), place: None, line: None }
    }

    /// An error at an instruction.
    pub(crate) fn at(word: usize, opcode: u16, problem: impl Into<String>) -> Error {
        Error { problem: problem.into(), place: Some(Place { word, opcode }), line: None }
    }

    /// The same error at this instruction, if it has no place yet.
    pub(crate) fn used_by(self, user: &Instruction<'_>) -> Error {
        let place = Place { word: user.at, opcode: user.opcode };
        Error { place: self.place.or(Some(place)), ..self }
    }

    /// The same error with the line of the source, if the module whose words these are names it.
    pub(crate) fn in_source(self, words: &[u32]) -> Error {
        let line = self.place.and_then(|place| line_of(words, place.word));
        Error { line, ..self }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.line {
            None => {}
            Some(Line { file, line, column: 0 }) => write!(f, "{file}:{line}: ")?,
            Some(Line { file, line, column }) => write!(f, "{file}:{line}:{column}: ")?,
        }
        f.write_str(&self.problem)?;
        match self.place {
            None => Ok(()),
            Some(Place { word, opcode }) => write!(f, " ({} at byte {})", name(opcode), 4 * word),
        }
    }
}

impl std::error::Error for Error {}

/// The line that is in effect at an instruction.
fn line_of(words: &[u32], word: usize) -> Option<Line> {
    let (mut definitions, mut lines) = (FxHashMap::default(), Lines::default());
    let find =
        |definitions: &FxHashMap<Id, usize>, id| instructions(words, *definitions.get(&id)?).next()?.ok();
    for instruction in instructions(words, HEADER) {
        let instruction = instruction.ok()?;
        lines.go_to(&instruction, |id| find(&definitions, id));
        if instruction.at >= word {
            break;
        }
        if let Some(id) = instruction.result() {
            definitions.insert(id, instruction.at);
        }
    }
    lines.spot()?.line(|id| find(&definitions, id))
}

/// The name of an instruction: `OpLoad`.
pub(crate) fn name(opcode: u16) -> String {
    match Op::from_u32(u32::from(opcode)) {
        Some(op) => format!("Op{op:?}"),
        None => format!("instruction number {opcode}"),
    }
}
