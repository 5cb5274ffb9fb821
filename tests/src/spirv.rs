//! SPIR-V modules: from text, as bytes, and their instructions for tests that inspect the output.

use rspirv::dr::{Instruction, load_words};
use rspirv::spirv::Op;
use spirv_tools::assembler::{self, Assembler, AssemblerOptions};

/// The words of a module that is given as text.
///
/// # Errors
/// What is wrong with the text.
pub fn assemble(text: &str) -> Result<Vec<u32>, String> {
    let assembled = assembler::create(None).assemble(text, AssemblerOptions::default());
    Ok(assembled.map_err(|error| error.to_string())?.as_words().to_vec())
}

/// The bytes of a module's words.
#[must_use]
pub fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

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
