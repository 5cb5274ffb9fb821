//! Line information: `OpString`, `OpSource` and `OpLine` (SPIR-V §3.52.2).

use super::kernel::Kernel;
use super::writer::{Writer, instruction};
use crate::lines::{LinePlace, LineTable};
use clvk_ir::Inst;
use rspirv::dr::Operand;
use rspirv::spirv::{self, Word};

/// The line information of the module under construction.
pub struct Debug<'t> {
    table: &'t LineTable,
    /// The strings with the names of the files.
    names: Vec<Word>,
}

/// Bytes of source text in one instruction, which has at most 65,535 words.
const MOST_TEXT: usize = 200_000;

impl<'t> Debug<'t> {
    /// Declares the source files.
    pub fn new(writer: &mut Writer, table: &'t LineTable) -> Self {
        let mut names = Vec::new();
        let mut sources = Vec::new();
        for file in &table.files {
            let name = writer.id();
            let operands = vec![Operand::LiteralString(file.name.clone())];
            writer.module.debug_string_source.push(instruction(
                spirv::Op::String,
                None,
                Some(name),
                operands,
            ));
            names.push(name);
            let mut parts = parts(&file.text).into_iter();
            let mut operands = vec![
                Operand::SourceLanguage(spirv::SourceLanguage::OpenCL_C),
                Operand::LiteralBit32(table.language_version),
                Operand::IdRef(name),
            ];
            operands.extend(parts.next().map(|part| Operand::LiteralString(part.to_owned())));
            sources.push(instruction(spirv::Op::Source, None, None, operands));
            sources.extend(parts.map(|part| {
                let operands = vec![Operand::LiteralString(part.to_owned())];
                instruction(spirv::Op::SourceContinued, None, None, operands)
            }));
        }
        writer.module.debug_string_source.extend(sources);
        Debug { table, names }
    }
}

/// A text in parts that an instruction can hold.
fn parts(mut text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    while !text.is_empty() {
        let mut end = text.len().min(MOST_TEXT);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let (part, rest) = text.split_at(end);
        parts.push(part);
        text = rest;
    }
    parts
}

impl Kernel<'_, '_> {
    /// Says where an instruction comes from, unless the last one in the block came from there too.
    ///
    /// It is called between instructions of the IR only: between the phis of a block, and between a merge
    /// instruction and its branch, nothing may stand.
    pub fn line(&mut self, inst: Inst) {
        let Some(debug) = self.debug else { return };
        let Some(place) = debug.table.place(self.function.insts[inst].span) else { return };
        if self.last_line == Some(place) {
            return;
        }
        self.last_line = Some(place);
        let LinePlace { file, line, column } = place;
        let operands = vec![
            Operand::IdRef(debug.names[file as usize]),
            Operand::LiteralBit32(line),
            Operand::LiteralBit32(column),
        ];
        self.effect(spirv::Op::Line, operands);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_divided_between_characters() {
        let text = "é".repeat(MOST_TEXT);
        let parts = parts(&text);
        assert_eq!(parts.concat(), text);
        assert!(parts.len() == 2 && parts.iter().all(|part| part.len() <= MOST_TEXT));
        let odd = "x".to_owned() + &text;
        assert_eq!(super::parts(&odd).concat(), odd);
    }
}
