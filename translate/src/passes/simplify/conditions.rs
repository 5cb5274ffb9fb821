//! Joins `if`s, as a part of the walk of [`super::control`]:
//!
//! - an `if` within an `if` becomes one with both conditions, where it makes no difference which of them does
//!   not hold;
//! - two with the same condition, one behind the other, become one.

use super::control::{Walk, is_cheap};
use crate::passes::rewrite::Emitter;
use clvk_ir::{BinaryOp, Inst, Op, Region, Type, UnaryOp, Value};

/// The most instructions that may be executed needlessly when two conditions become one.
const MAX_JOINED: usize = 8;

/// An `if` at the end of a side of another one, whose one side gives what the other's other side does.
struct Nested {
    /// The side of the outer `if` that it is in.
    side: usize,
    inst: Inst,
    /// The side that differs.
    inner_side: usize,
    /// What that gives, as results of the outer `if`.
    gives: Vec<Value>,
}

impl Walk<'_> {
    /// `if a { if b { x } else { y } } else { y }` becomes `if a && b { x } else { y }`.
    pub(super) fn join_conditions(&mut self, inst: Inst, out: &mut Vec<Inst>) {
        let Some(nested) = self.nested(inst) else { return };
        let (outer, inner) = (self.function.insts[inst].clone(), self.function.insts[nested.inst].clone());
        let mut insts = std::mem::take(&mut self.function.regions[outer.regions[nested.side]].insts);
        insts.truncate(insts.len() - 2);
        out.append(&mut insts);

        // The side that differs is taken if both are true, or else if neither is.
        let both = nested.side == 0;
        let mut emitter = Emitter::like(self.function, out, inst);
        let mut condition = inner.operands[0];
        if nested.inner_side != nested.side {
            condition = emitter.value(Op::Unary(UnaryOp::Not), &[condition], Type::BOOL);
        }
        let op = if both { BinaryOp::And } else { BinaryOp::Or };
        let condition = emitter.value(Op::Binary(op), &[outer.operands[0], condition], Type::BOOL);

        let region = inner.regions[nested.inner_side];
        let end = self.function.terminator(region).expect("a region ends with a terminator");
        self.function.insts[end].op = Op::Exit(inst);
        self.function.insts[end].operands = nested.gives.into_iter().collect();
        self.structure.move_exits(vec![end], nested.inst, inst);
        self.function.insts[inst].operands[0] = condition;
        self.function.insts[inst].regions[nested.side] = region;
        self.changes += 1;
    }

    /// `if a { x } if a { y }` becomes `if a { x y }`. What is computed in between moves before both.
    pub(super) fn join_previous(&mut self, inst: Inst, out: &mut Vec<Inst>) -> bool {
        let is_pure = |&inst: &Inst| self.function.insts[inst].op.is_pure();
        let between = out.iter().rev().take_while(|inst| is_pure(inst)).count();
        let Some(place) = out.len().checked_sub(between + 1) else { return false };
        let previous = out[place];
        let [first, second] = [previous, inst].map(|inst| &self.function.insts[inst]);
        if first.op != Op::If
            || first.operands != second.operands
            || [previous, inst].iter().any(|&inst| !self.ends_only(inst))
        {
            return false;
        }
        let regions = [first, second].map(|data| [data.regions[0], data.regions[1]]);
        for side in 0..2 {
            let [into, from] = regions.map(|regions| regions[side]);
            let mut insts = std::mem::take(&mut self.function.regions[from].insts);
            let end = *insts.last().expect("a region has a terminator");
            self.function.insts[end].op = Op::Exit(previous);
            self.structure.move_exits(vec![end], inst, previous);
            self.function.regions[into].insts.pop();
            self.function.regions[into].insts.append(&mut insts);
        }
        out.remove(place);
        out.push(previous);
        self.changes += 1;
        true
    }

    /// Whether an `if` without results is left only at the ends of its sides.
    fn ends_only(&self, inst: Inst) -> bool {
        let data = &self.function.insts[inst];
        let ends = |region: &Region| {
            self.function.terminator(*region).is_some_and(|end| self.function.insts[end].op == Op::Exit(inst))
        };
        data.results.is_empty() && self.structure.exits(inst).len() == 2 && data.regions.iter().all(ends)
    }

    fn nested(&self, inst: Inst) -> Option<Nested> {
        let function = &*self.function;
        let data = &function.insts[inst];
        let given = |region: Region, target: Inst| {
            let end = function.terminator(region)?;
            (function.insts[end].op == Op::Exit(target)).then(|| &function.insts[end].operands[..])
        };
        (0..2).find_map(|side| {
            let [region, other] = [side, 1 - side].map(|side| data.regions[side]);
            let [before @ .., nested, _] = &function.regions[region].insts[..] else { return None };
            let inner = &function.insts[*nested];
            let cheap =
                before.len() <= MAX_JOINED && before.iter().all(|&inst| is_cheap(&function.insts[inst].op));
            if inner.op != Op::If || !cheap || self.structure.exits(*nested).len() != 2 {
                return None;
            }
            let (passed, same) = (given(region, inst)?, given(other, inst)?);
            let through = |values: &[Value]| -> Vec<Value> {
                let result = |value: &Value| inner.results.iter().position(|result| result == value);
                passed.iter().map(|value| result(value).map_or(*value, |index| values[index])).collect()
            };
            let is_alone = |region: Region| function.regions[region].insts.len() == 1;
            let inner_side = (0..2).find(|&side| {
                let rest = inner.regions[1 - side];
                is_alone(rest)
                    && is_alone(other)
                    && given(rest, *nested).is_some_and(|values| through(values) == same)
            })?;
            let gives = through(given(inner.regions[inner_side], *nested)?);
            Some(Nested { side, inst: *nested, inner_side, gives })
        })
    }
}
