//! Loads vectors of small integers as one word where only their bits count: `as_uint(p[i].wzyx)` of a pointer
//! to `uchar4` needs no bytes, and drivers that load bytes extend, mask and combine each of them. clang makes
//! such loads of casts of words, so they are frequent in kernels that arrive as SPIR-V.
//!
//! On devices that access each lane of a vector on its own ([`Quirk::SplitAccesses`]) every load and store of
//! such a vector is that of a word.
//!
//! The vector has 32 bits and at least their alignment. Elsewhere all uses of a load must be bit casts to a
//! word, directly or after a shuffle. Memory that others reach is accessed so; private and local memory has
//! types that are recovered from its uses, which one more type would make worse.

use super::Context;
use super::cursor::{Cursor, replace_where};
use crate::TranslateError;
use clvk_interface::Quirk;
use clvk_ir::{AddressSpace, ConvertOp, Function, Inst, InstData, Op, Scalar, Type, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// See the module.
///
/// # Errors
/// None.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    if context.profile.has(Quirk::SplitAccesses) {
        context.module.bodies_mut().for_each(access_words);
        return Ok(());
    }
    for function in context.module.bodies_mut() {
        let loads = only_reinterpreted(function);
        if !loads.is_empty() {
            replace_where(function, |cursor, inst| loads.contains(&inst).then(|| word(cursor, inst)));
        }
    }
    Ok(())
}

/// Makes all that can be accesses of words.
fn access_words(function: &mut Function) {
    if !function.values.iter().any(|(_, data)| is_word(data.ty)) {
        return;
    }
    let mut cursor = Cursor::new(function);
    while let Some(inst) = cursor.advance() {
        let data = &cursor.function.insts[inst];
        if is_candidate(cursor.function, data) {
            let vector = word(&mut cursor, inst);
            cursor.replace_result(inst, vector);
        } else if is_store_candidate(cursor.function, data) {
            let op = data.op.clone();
            let (pointer, vector) = (cursor.operand(inst, 0), cursor.operand(inst, 1));
            let word = cursor.bitcast(vector, Type::I32);
            cursor.push(op, &[pointer, word], &[], &[]);
        } else {
            cursor.keep(inst);
        }
    }
}

/// The loads whose bits alone count.
fn only_reinterpreted(function: &Function) -> FxHashSet<Inst> {
    // Each vector that may do without its lanes, and the load that it comes from.
    let mut origins: FxHashMap<Value, Inst> = FxHashMap::default();
    let mut loads = FxHashSet::default();
    function.walk(|inst, data| {
        if is_candidate(function, data) {
            loads.insert(inst);
            origins.insert(data.results[0], inst);
            return;
        }
        let is_cast = data.op == Op::Convert(ConvertOp::Bitcast) && function.ty(data.results[0]) == Type::I32;
        let is_shuffle = matches!(data.op, Op::Shuffle(_)) && is_word(function.ty(data.results[0]));
        let from: FxHashSet<Inst> = data.operands.iter().filter_map(|it| origins.get(it)).copied().collect();
        match (from.len(), data.results.first()) {
            (0, _) => {}
            (1, _) if is_cast => {}
            (1, Some(&shuffled)) if is_shuffle => {
                origins.extend(from.iter().map(|&load| (shuffled, load)));
            }
            _ => {
                for load in &from {
                    loads.remove(load);
                }
            }
        }
    });
    loads
}

fn is_candidate(function: &Function, data: &InstData) -> bool {
    let Op::Load { align, volatile: false } = data.op else { return false };
    align >= 4 && is_outside(function, data.operands[0]) && is_word(function.ty(data.results[0]))
}

fn is_store_candidate(function: &Function, data: &InstData) -> bool {
    let Op::Store { align, volatile: false } = data.op else { return false };
    align >= 4 && is_outside(function, data.operands[0]) && is_word(function.ty(data.operands[1]))
}

/// Whether a pointer is to memory that others reach.
fn is_outside(function: &Function, pointer: Value) -> bool {
    let space = function.ty(pointer).address_space();
    matches!(space, Some(AddressSpace::Global | AddressSpace::Constant))
}

/// Whether it is a vector of small integers with 32 bits in all.
fn is_word(ty: Type) -> bool {
    matches!(ty, Type::Vector(Scalar::I8, 4) | Type::Vector(Scalar::I16, 2))
}

/// The vector, loaded as a word.
fn word(cursor: &mut Cursor<'_>, load: Inst) -> Value {
    let (op, pointer) = (cursor.function.insts[load].op.clone(), cursor.operand(load, 0));
    let vector = cursor.function.ty(cursor.result(load));
    let word = cursor.value(op, &[pointer], Type::I32);
    cursor.bitcast(word, vector)
}
