//! Makes the words for strings in records of `printf` (OpenCL C §6.15.14). A string whose contents are known
//! goes into [`ModuleInterface::print_strings`](clvk_interface::ModuleInterface) and its word is its position
//! there, so that the kernel copies nothing. The word of any other string is its length.
//!
//! It runs after inlining, which shows what is passed to functions that print: most often literals.

use super::{Context, cursor::Cursor};
use crate::TranslateError;
use clvk_interface::print::{NULL_STRING, STRING_TABLE};
use clvk_ir::{
    AddressSpace, Arena, BinaryOp, CompareOp, Constant, ConvertOp, Function, Global, GlobalData, Initializer,
    Op, Type, UnrollHint, Value, ValueDef,
};
use rustc_hash::FxHashMap;

/// The most nested selections that are followed to find the strings that a pointer may point to.
const MAX_SELECTIONS: u32 = 8;

/// Runs the pass.
///
/// # Errors
/// None.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    let mut strings = Strings { positions: FxHashMap::default(), table: Vec::new() };
    let globals = &context.module.globals;
    for (_, function) in context.module.functions.iter_mut() {
        let asks = |op: &Op| matches!(op, Op::StringWord { .. });
        if function.body.is_none() || !function.insts.iter().any(|(_, inst)| asks(&inst.op)) {
            continue;
        }
        let mut cursor = Cursor::new(function);
        while let Some(inst) = cursor.advance() {
            let Op::StringWord { limit } = cursor.function.insts[inst].op else {
                cursor.keep(inst);
                continue;
            };
            let pointer = cursor.operand(inst, 0);
            let word = match known(cursor.function, globals, pointer, MAX_SELECTIONS) {
                Some(known) => strings.word(&mut cursor, known),
                None => length(&mut cursor, pointer, limit),
            };
            cursor.replace_result(inst, word);
        }
    }
    context.interface.print_strings = strings.table;
    Ok(())
}

/// A string that is known at compile time.
enum Known {
    /// A null pointer.
    Null,
    /// These bytes.
    Text(Vec<u8>),
    /// The first if a condition holds, otherwise the second.
    Either(Value, Box<[Known; 2]>),
}

/// Whether the string that a pointer points to is known.
pub fn is_known(function: &Function, globals: &Arena<Global, GlobalData>, pointer: Value) -> bool {
    known(function, globals, pointer, MAX_SELECTIONS).is_some()
}

/// What a pointer points to, if that is known.
fn known(
    function: &Function,
    globals: &Arena<Global, GlobalData>,
    pointer: Value,
    selections: u32,
) -> Option<Known> {
    let (mut base, mut offset) = (pointer, 0i64);
    loop {
        match function.values[base].def {
            ValueDef::Global(global) => return text(&globals[global], offset).map(Known::Text),
            ValueDef::Constant(Constant::Bits(0)) if offset == 0 => return Some(Known::Null),
            ValueDef::Result(inst, _) => {
                let data = &function.insts[inst];
                match data.op {
                    Op::PointerOffset(bytes) => {
                        (base, offset) = (data.operands[0], offset.checked_add(bytes)?);
                    }
                    Op::Select if offset == 0 => {
                        let selections = selections.checked_sub(1)?;
                        let [first, second] =
                            [1, 2].map(|choice| known(function, globals, data.operands[choice], selections));
                        return Some(Known::Either(data.operands[0], Box::new([first?, second?])));
                    }
                    _ => return None,
                }
            }
            _ => return None,
        }
    }
}

/// The string at a place of a constant variable.
fn text(global: &GlobalData, offset: i64) -> Option<Vec<u8>> {
    let Initializer::Bytes { bytes, relocations } = &global.initializer else { return None };
    if global.space != AddressSpace::Constant || !relocations.is_empty() {
        return None;
    }
    let rest = bytes.get(usize::try_from(offset).ok()?..)?;
    let end = rest.iter().position(|&byte| byte == 0)?;
    Some(rest[..end].to_vec())
}

/// The module's table of strings.
struct Strings {
    positions: FxHashMap<Vec<u8>, u32>,
    table: Vec<Vec<u8>>,
}

impl Strings {
    fn word(&mut self, cursor: &mut Cursor<'_>, known: Known) -> Value {
        match known {
            Known::Null => cursor.int(Type::I32, i64::from(NULL_STRING)),
            Known::Text(text) => {
                let next = self.table.len() as u32;
                let position = *self.positions.entry(text).or_insert_with_key(|text| {
                    self.table.push(text.clone());
                    next
                });
                cursor.int(Type::I32, i64::from(STRING_TABLE + position))
            }
            Known::Either(condition, choices) => {
                let condition = cursor.get(condition);
                let [first, second] = choices.map(|choice| self.word(cursor, choice));
                cursor.select(condition, first, second)
            }
        }
    }
}

/// Searches for the end of a string, in at most `limit` bytes. Nothing after its end is read.
fn length(cursor: &mut Cursor<'_>, pointer: Value, limit: u32) -> Value {
    let ty = cursor.function.ty(pointer);
    let (zero, null) = (cursor.int(Type::I32, 0), cursor.int(ty, 0));
    let (limit, of_null) = (cursor.int(Type::I32, limit.into()), cursor.int(Type::I32, NULL_STRING.into()));
    let is_null = cursor.value(Op::Compare(CompareOp::Eq), &[pointer, null], Type::BOOL);
    let most = cursor.select(is_null, zero, limit);
    let begun = cursor.begin_loop_with(UnrollHint::Kept, &[zero], &[Type::I32]);
    let length = begun.carried[0];
    // With one exit, because drivers' compilers are slow with loops that have several.
    let in_range = cursor.compare(CompareOp::ULt, length, most);
    let regions = [cursor.function.add_region(), cursor.function.add_region()];
    let check = cursor.push(Op::If, &[in_range], &[Type::BOOL], &regions);
    cursor.open(regions[0]);
    let index = cursor.convert(ConvertOp::ZeroExtend, length, Type::I64);
    let address = cursor.value(Op::PointerIndex { stride: 1 }, &[pointer, index], ty);
    let byte = cursor.value(Op::Load { align: 1, volatile: false }, &[address], Type::I8);
    let end = cursor.int(Type::I8, 0);
    let continues = cursor.compare(CompareOp::Ne, byte, end);
    cursor.push(Op::Exit(check), &[continues], &[], &[]);
    cursor.close();
    cursor.open(regions[1]);
    let stops = cursor.int(Type::BOOL, 0);
    cursor.push(Op::Exit(check), &[stops], &[], &[]);
    cursor.close();
    let continues = cursor.result(check);
    cursor.exit_when(continues, false, begun.inst, &[length]);
    let next = cursor.binary_int(BinaryOp::Add, length, 1);
    cursor.end_loop(&begun, &[next]);
    let length = cursor.result(begun.inst);
    cursor.select(is_null, of_null, length)
}
