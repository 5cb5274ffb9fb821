//! Carries 64-bit integers round loops as two words each, for a driver whose compiler crashes where the next
//! value is a sum or a difference ([`Quirk::CarriedSums`]).
//!
//! It runs after the last simplification, and after the last pass that changes which values regions pass on.

use crate::TranslateError;
use crate::passes::Context;
use crate::passes::cursor::{Cursor, region_owners};
use clvk_interface::Quirk;
use clvk_ir::{BinaryOp, EntityId, Function, Inst, Op, Scalar, Type, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// The words of a 64-bit integer.
const WORDS: Type = Type::Vector(Scalar::I32, 2);

/// See the module.
///
/// # Errors
/// None.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    if context.profile.has(Quirk::CarriedSums) {
        for function in context.module.bodies_mut() {
            let owners = region_owners(function);
            let loops = loops_with_sums(function, &owners);
            if !loops.is_empty() {
                Splitting { loops, owners, words: FxHashMap::default(), cursor: Cursor::new(function) }.run();
            }
        }
    }
    Ok(())
}

/// The loop whose next iteration, or whose results, the operands of a terminator in this region become.
fn target(op: &Op, owner: Option<Inst>) -> Option<Inst> {
    match op {
        Op::Continue(target) | Op::Exit(target) => Some(*target),
        Op::NextIteration => owner,
        _ => None,
    }
}

/// The loops that carry 64-bit sums.
fn loops_with_sums(function: &Function, owners: &[Option<Inst>]) -> FxHashSet<Inst> {
    let is_sum = |value: &Value| {
        let maker = function.defining_inst(*value).map(|inst| &function.insts[inst].op);
        is_wide(function.ty(*value)) && matches!(maker, Some(Op::Binary(BinaryOp::Add | BinaryOp::Sub)))
    };
    let mut loops = FxHashSet::default();
    for (region, data) in function.regions.iter() {
        let Some(&last) = data.insts.last() else { continue };
        let data = &function.insts[last];
        let carries = matches!(data.op, Op::Continue(_) | Op::NextIteration);
        if carries && data.operands.iter().any(is_sum) {
            loops.extend(target(&data.op, owners[region.index()]));
        }
    }
    loops
}

fn is_wide(ty: Type) -> bool {
    ty.scalar() == Some(Scalar::I64)
}

struct Splitting<'f> {
    loops: FxHashSet<Inst>,
    owners: Vec<Option<Inst>>,
    /// What loops carry now instead of a value.
    words: FxHashMap<Value, Vec<Value>>,
    cursor: Cursor<'f>,
}

impl Splitting<'_> {
    fn run(mut self) {
        while let Some(inst) = self.cursor.advance() {
            let op = self.cursor.function.insts[inst].op.clone();
            let owner = self.owners.get(self.cursor.region().index()).copied().flatten();
            if op.is_loop() && self.loops.contains(&inst) {
                let operands = self.split_operands(inst);
                let split = |ty: Type| is_wide(ty).then(|| (ty.lanes(), WORDS));
                self.words.extend(self.cursor.keep_split(inst, &operands, split));
            } else if target(&op, owner).is_some_and(|target| self.loops.contains(&target)) {
                let operands = self.split_operands(inst);
                self.cursor.keep_with(inst, &operands);
            } else {
                let operands = self.whole_operands(inst);
                self.cursor.keep_with(inst, &operands);
            }
        }
    }

    /// The operands, 64-bit integers as words.
    fn split_operands(&mut self, inst: Inst) -> Vec<Value> {
        let mut operands = Vec::new();
        for value in self.cursor.operands(inst) {
            if let Some(words) = self.words.get(&value) {
                operands.extend_from_slice(words);
            } else if is_wide(self.cursor.function.ty(value)) {
                let lanes = self.cursor.lanes(value);
                operands.extend(lanes.into_iter().map(|lane| self.cursor.bitcast(lane, WORDS)));
            } else {
                operands.push(value);
            }
        }
        operands
    }

    /// The operands as they were.
    fn whole_operands(&mut self, inst: Inst) -> Vec<Value> {
        let operands = self.cursor.operands(inst);
        operands.into_iter().map(|value| self.whole(value)).collect()
    }

    fn whole(&mut self, value: Value) -> Value {
        let Some(words) = self.words.get(&value).cloned() else { return value };
        let lanes: Vec<Value> =
            words.into_iter().map(|words| self.cursor.bitcast(words, Type::Scalar(Scalar::I64))).collect();
        self.cursor.construct(&lanes)
    }
}
