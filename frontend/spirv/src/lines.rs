//! Lines of the source: `OpLine`, and the instructions of `OpenCL.DebugInfo.100` and
//! `NonSemantic.Shader.DebugInfo.100` that say where the next instruction comes from. Where no line is in
//! effect, the place of the scope is: a block, or a function.
//!
//! Not here: types and variables of debug information.

use crate::binary::{Id, Instruction, holds_string, wide};
use crate::error::Line;
use rspirv::spirv::Op;

/// How deep scopes may be nested that have no place of their own.
const MAX_DEPTH: u32 = 64;

/// A place in a source: the id of the file's name, line and column. Both count from 1; a column of 0 is not
/// known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Spot {
    file: Id,
    line: u32,
    column: u32,
}

impl Spot {
    /// With the name of its file.
    pub fn line<'w>(self, find: impl Fn(Id) -> Option<Instruction<'w>>) -> Option<Line> {
        let name = find(self.file).filter(|it| it.op() == Some(Op::String))?;
        Some(Line { file: name.string(0).0, line: self.line, column: self.column })
    }
}

/// What is in effect at an instruction (SPIR-V §3.52.3).
#[derive(Clone, Copy, Debug, Default)]
pub struct Lines {
    line: Option<Spot>,
    scope: Option<Spot>,
    /// The block ended with the instruction before.
    ended: bool,
    /// A set of instructions that are not debug information.
    other_set: Option<Id>,
}

impl Lines {
    /// The place of the instruction that [`Lines::go_to`] named last.
    pub fn spot(&self) -> Option<Spot> {
        self.line.or(self.scope)
    }

    /// Goes to the next instruction; `find` gives the instruction that defines an id.
    pub fn go_to<'w>(&mut self, instruction: &Instruction<'w>, find: impl Fn(Id) -> Option<Instruction<'w>>) {
        if std::mem::take(&mut self.ended) {
            self.end_block();
        }
        let operands = instruction.operands();
        match instruction.op() {
            Some(Op::Line) => {
                self.line = match *operands {
                    [file, line, column] if line > 0 => Some(Spot { file, line, column }),
                    _ => None,
                };
            }
            Some(Op::NoLine) => self.line = None,
            Some(Op::FunctionEnd) => self.end_block(),
            Some(Op::ExtInst) => self.debug(operands, find),
            Some(op) => self.ended = ends_block(op),
            None => {}
        }
    }

    fn end_block(&mut self) {
        *self = Lines { other_set: self.other_set, ..Lines::default() };
    }

    fn debug<'w>(&mut self, operands: &[u32], find: impl Fn(Id) -> Option<Instruction<'w>>) {
        let &[set, number, ref operands @ ..] = operands else { return };
        if self.other_set == Some(set) {
            return;
        }
        let Some(import) = find(set).filter(|it| it.op() == Some(Op::ExtInstImport)) else { return };
        let Some(has_constants) = has_constants(&import) else {
            self.other_set = Some(set);
            return;
        };
        match number {
            23 => {
                let scope = operands.first();
                self.scope = scope.and_then(|&scope| place_of_scope(scope, has_constants, &find, 0));
            }
            24 => self.scope = None,
            103 if has_constants => {
                self.line = match *operands {
                    [source, line, _, column, ..] => {
                        let number = |id| literal(id, true, &find);
                        spot(source, number(line), number(column), &find)
                    }
                    _ => None,
                };
            }
            104 if has_constants => self.line = None,
            _ => {}
        }
    }
}

/// Whether the numbers of a set of debug information are constants, not literals; `None` for other sets.
fn has_constants(import: &Instruction<'_>) -> Option<bool> {
    match import.operands() {
        name if holds_string(name, "OpenCL.std") => None,
        name if holds_string(name, "NonSemantic.Shader.DebugInfo.100") => Some(true),
        name if holds_string(name, "OpenCL.DebugInfo.100") => Some(false),
        _ => None,
    }
}

fn literal<'w>(number: u32, is_constant: bool, find: &impl Fn(Id) -> Option<Instruction<'w>>) -> Option<u32> {
    if !is_constant {
        return Some(number);
    }
    let constant = find(number).filter(|it| it.op() == Some(Op::Constant))?;
    wide(constant.operands()).and_then(|value| u32::try_from(value).ok())
}

/// A place in the file of a `DebugSource`.
fn spot<'w>(
    source: Id,
    line: Option<u32>,
    column: Option<u32>,
    find: &impl Fn(Id) -> Option<Instruction<'w>>,
) -> Option<Spot> {
    let source = find(source).filter(|it| it.op() == Some(Op::ExtInst))?;
    let &[_, 35, file, ..] = source.operands() else { return None };
    Some(Spot { file, line: line.filter(|&line| line > 0)?, column: column.unwrap_or(0) })
}

/// Where a block or a function begins.
fn place_of_scope<'w>(
    scope: Id,
    has_constants: bool,
    find: &impl Fn(Id) -> Option<Instruction<'w>>,
    depth: u32,
) -> Option<Spot> {
    let scope = find(scope).filter(|it| it.op() == Some(Op::ExtInst) && depth < MAX_DEPTH)?;
    let number = |at| literal(at, has_constants, find);
    match *scope.operands() {
        // DebugFunction, DebugLexicalBlock and DebugLexicalBlockDiscriminator.
        [_, 20, _, _, source, line, column, ..] | [_, 21, source, line, column, ..] => {
            spot(source, number(line), number(column), find)
        }
        [_, 22, _, _, parent, ..] => place_of_scope(parent, has_constants, find, depth + 1),
        _ => None,
    }
}

fn ends_block(op: Op) -> bool {
    matches!(
        op,
        Op::Branch | Op::BranchConditional | Op::Switch | Op::Return | Op::ReturnValue | Op::Unreachable
    )
}
