//! Line information: `OpString`, `OpSource` and `OpLine` (SPIR-V §3.52.2).

use super::control::Body;
use super::kernel::Kernel;
use super::writer::instruction;
use crate::lines::{LinePlace, LineTable};
use clvk_ir::{Inst, Span};
use rspirv::dr::{self, Operand};
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
    /// Declares the source files; `names` are ids for their names, and `version` is that of the language as
    /// the client API numbers it.
    pub fn new(module: &mut dr::Module, names: Vec<Word>, table: &'t LineTable, version: u32) -> Self {
        let mut sources = Vec::new();
        for (file, &name) in table.files.iter().zip(&names) {
            let operands = vec![Operand::LiteralString(file.name.clone())];
            module.debug_string_source.push(instruction(spirv::Op::String, None, Some(name), operands));
            let mut parts = parts(&file.text).into_iter();
            let mut operands = vec![
                Operand::SourceLanguage(spirv::SourceLanguage::OpenCL_C),
                Operand::LiteralBit32(version),
                Operand::IdRef(name),
            ];
            operands.extend(parts.next().map(|part| Operand::LiteralString(part.to_owned())));
            sources.push(instruction(spirv::Op::Source, None, None, operands));
            sources.extend(parts.map(|part| {
                let operands = vec![Operand::LiteralString(part.to_owned())];
                instruction(spirv::Op::SourceContinued, None, None, operands)
            }));
        }
        module.debug_string_source.extend(sources);
        Debug { table, names }
    }

    /// The place of a span, if it has one.
    pub fn place(&self, span: Span) -> Option<LinePlace> {
        self.table.place(span)
    }

    /// The operands of the `OpLine` of a place.
    pub fn operands(&self, place: LinePlace) -> Vec<Operand> {
        let LinePlace { file, line, column } = place;
        vec![
            Operand::IdRef(self.names[file as usize]),
            Operand::LiteralBit32(line),
            Operand::LiteralBit32(column),
        ]
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

/// Says where an instruction comes from, unless the last one in the block came from there too.
///
/// It is called between instructions of the IR only: between the phis of a block, and between a merge
/// instruction and its branch, nothing may stand.
pub fn line(kernel: &mut Kernel<'_, '_>, inst: Inst) {
    let Some(debug) = kernel.debug else { return };
    let Some(place) = debug.place(kernel.function.insts[inst].span) else { return };
    if kernel.last_line == Some(place) {
        return;
    }
    kernel.last_line = Some(place);
    let operands = debug.operands(place);
    kernel.effect(spirv::Op::Line, operands);
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
