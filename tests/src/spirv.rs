//! SPIR-V modules: from text, as bytes, and their instructions for tests that inspect the output.

use rspirv::dr::{Instruction, load_words};
use rspirv::grammar::INSTRUCTION_TABLE;
use rspirv::spirv::{Capability, Op, StorageClass};
use spirv_tools::assembler::{self, Assembler, AssemblerOptions};
use std::str::FromStr;

/// The words of a module that is given as text.
///
/// # Errors
/// What is wrong with the text.
pub fn assemble(text: &str) -> Result<Vec<u32>, String> {
    let lines: Vec<String> =
        text.lines().map(|line| numbers(line).unwrap_or_else(|| line.to_owned())).collect();
    let assembled = assembler::create(None).assemble(&lines.join("\n"), AssemblerOptions::default());
    Ok(assembled.map_err(|error| error.to_string())?.as_words().to_vec())
}

/// An instruction with untyped pointers in numbers: distributions' assemblers do not know it yet.
fn numbers(line: &str) -> Option<String> {
    let line = line.split(';').next().filter(|line| line.contains("Untyped"))?;
    let mut tokens = line.split_whitespace().peekable();
    let result = tokens.next_if(|token| token.starts_with('%'));
    tokens.next_if_eq(&"=");
    let op = operation(tokens.next()?.strip_prefix("Op")?)?;
    let has_type = result.is_some() && !op.is_type();
    let mut words: Vec<String> = tokens.next_if(|_| has_type).map(str::to_owned).into_iter().collect();
    words.extend(result.map(str::to_owned));
    words.extend(tokens.map(|token| {
        let class = StorageClass::from_str(token).map(|class| class as u32);
        let capability = || Capability::from_str(token).map(|capability| capability as u32);
        let number = class.or_else(|_| capability()).ok().or_else(|| operation(token).map(|op| op as u32));
        number.map_or_else(|| token.to_owned(), |number| format!("!{number}"))
    }));
    // Else it may be taken for operands of the instruction before.
    Some(format!("OpNop\n!{} {}", (words.len() as u32 + 1) << 16 | op as u32, words.join(" ")))
}

/// The operation of this name.
fn operation(name: &str) -> Option<Op> {
    INSTRUCTION_TABLE.iter().find(|row| row.opname == name).map(|row| row.opcode)
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
