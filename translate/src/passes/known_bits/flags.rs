//! Which numbers that constructs pass on are flags, that is, 0 or 1. C has no other truth values in memory,
//! so compilers extend a comparison in each iteration and compare with zero in the next one.

use crate::passes::structure::Structure;
use clvk_ir::{BinaryOp, Constant, ConvertOp, Function, Op, Scalar, Type, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// The parameters and results that are 0 or 1, whichever way they come from.
///
/// All are taken for flags at first. One that something else flows into is none, nor is what it flows into.
pub fn of(function: &Function, structure: &Structure) -> FxHashSet<Value> {
    let sources = sources(function, structure);
    let mut targets: FxHashMap<Value, Vec<Value>> = FxHashMap::default();
    let mut refuted: Vec<Value> = Vec::new();
    for (&value, from) in &sources {
        for &source in from {
            if sources.contains_key(&source) {
                targets.entry(source).or_default().push(value);
            } else if !is_flag(function, source) {
                refuted.push(value);
            }
        }
    }
    let mut flags: FxHashSet<Value> = sources.into_keys().collect();
    while let Some(value) = refuted.pop() {
        if flags.remove(&value) {
            refuted.extend(targets.remove(&value).unwrap_or_default());
        }
    }
    flags
}

/// The integers that constructs receive, carry and bring, with what flows into them.
fn sources(function: &Function, structure: &Structure) -> FxHashMap<Value, Vec<Value>> {
    let mut sources: FxHashMap<Value, Vec<Value>> = FxHashMap::default();
    let mut note = |values: &[Value], from: &[Value]| {
        for (&value, &source) in values.iter().zip(from) {
            if matches!(
                function.ty(value),
                Type::Scalar(Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64)
            ) {
                sources.entry(value).or_default().push(source);
            }
        }
    };
    function.walk(|inst, data| {
        if !data.op.has_regions() {
            return;
        }
        for &exit in structure.exits(inst) {
            note(&data.results, &function.insts[exit].operands);
        }
        if !data.op.is_loop() {
            return;
        }
        let [body, continuing] = [0, 1].map(|index| &function.regions[data.regions[index]].params);
        note(body, &data.operands);
        for &from in structure.continues(inst) {
            note(continuing, &function.insts[from].operands);
        }
        if let Some(next) = structure.next_iteration(function, inst) {
            note(body, &function.insts[next].operands);
        }
    });
    sources
}

/// Whether a value that no construct passes on is 0 or 1. What is undefined is neither.
fn is_flag(function: &Function, value: Value) -> bool {
    match function.as_constant(value) {
        Some(Constant::Bits(0 | 1)) => return true,
        Some(_) => return false,
        None => {}
    }
    let Some(data) = function.defining_inst(value).map(|inst| &function.insts[inst]) else { return false };
    match data.op {
        Op::Convert(ConvertOp::ZeroExtend) => function.ty(data.operands[0]) == Type::BOOL,
        Op::Binary(BinaryOp::And) => {
            data.operands.iter().any(|&operand| function.as_bits(operand) == Some(1))
        }
        _ => false,
    }
}
