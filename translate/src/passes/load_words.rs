//! Loads vectors of small integers as one word where only their bits count: `as_uint(p[i].wzyx)` of a pointer
//! to `uchar4` needs no bytes, and drivers that load bytes extend, mask and combine each of them. clang makes
//! such loads of casts of words, so they are frequent in kernels that arrive as SPIR-V.
//!
//! The vector has 32 bits and at least their alignment, and all its uses are bit casts to a word, directly or
//! after a shuffle. Memory that others reach is loaded so; private and local memory has types that are
//! recovered from its uses, which one more type would make worse.

use super::Context;
use super::cursor::{Cursor, replace_where};
use crate::TranslateError;
use clvk_ir::{AddressSpace, ConvertOp, Function, Inst, InstData, Op, Scalar, Type, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// See the module.
///
/// # Errors
/// None.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    for function in context.module.kernels_mut() {
        let loads = only_reinterpreted(function);
        if !loads.is_empty() {
            replace_where(function, |cursor, inst| loads.contains(&inst).then(|| word(cursor, inst)));
        }
    }
    Ok(())
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
    let space = function.ty(data.operands[0]).address_space();
    align >= 4
        && matches!(space, Some(AddressSpace::Global | AddressSpace::Constant))
        && is_word(function.ty(data.results[0]))
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
