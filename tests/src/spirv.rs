//! The instructions of a compiled module, for tests that inspect the output.

use rspirv::dr::{Instruction, load_words};
use rspirv::spirv::Op;

/// All instructions, in order.
///
/// # Panics
/// If the words are not SPIR-V.
#[must_use]
pub fn instructions(words: &[u32]) -> Vec<Instruction> {
    let module = load_words(words).unwrap_or_else(|error| panic!("no SPIR-V: {error}"));
    module.all_inst_iter().cloned().collect()
}

/// The instructions with an opcode.
///
/// # Panics
/// As [`instructions`].
#[must_use]
pub fn instructions_of(words: &[u32], op: Op) -> Vec<Instruction> {
    let mut found = instructions(words);
    found.retain(|instruction| instruction.class.opcode == op);
    found
}
