//! The walk that simplifies instructions in order, and control flow along the way.
//!
//! - a construct whose condition is known, and a loop whose body never continues, become a `block`;
//! - a `block` that is left only at its end dissolves into the region around it;
//! - code after an early exit from a block moves into the other side of its `if`; a construct that ends a
//!   block, or that an exit from the block follows, takes over the block's exits, and one that ends the body
//!   of a loop takes over the loop's continues;
//! - code after a construct that is never left is dropped;
//! - an `if` with a few cheap instructions on either side becomes selections; [`super::conditions`] joins
//!   those that stay.

use super::algebra::{self, Rewriter};
use super::cse::Expressions;
use super::pointer;
use crate::passes::rewrite::{Emitter, Substitution};
use crate::passes::structure::{Structure, with_stack};
use clvk_ir::{BinaryOp, Constant, Function, Inst, MathOp, MatrixOp, Op, Region, Type, UnaryOp, Value};
use rustc_hash::FxHashMap;

/// The most instructions that may be executed needlessly when an `if` becomes selections.
const MAX_SPECULATED: usize = 6;

/// The most early exits from a block whose tail is moved: each nests the rest one level deeper.
const MAX_SUNK: usize = 16;

/// The most results of an `if` that becomes selections.
const MAX_SELECTIONS: usize = 4;

/// Walks once; returns how much changed.
pub fn run(function: &mut Function) -> usize {
    let Some(body) = function.body else { return 0 };
    let structure = Structure::of(function);
    let mut walk = Walk {
        function,
        structure,
        substitution: Substitution::default(),
        expressions: Expressions::default(),
        known: FxHashMap::default(),
        changes: 0,
    };
    walk.region(body);
    walk.changes
}

pub(super) struct Walk<'f> {
    pub(super) function: &'f mut Function,
    /// The structure before the walk: exits may have been removed since, but none added.
    pub(super) structure: Structure,
    substitution: Substitution,
    expressions: Expressions,
    /// Conditions whose value follows from the enclosing `if`s.
    known: FxHashMap<Value, bool>,
    pub(super) changes: usize,
}

impl Walk<'_> {
    fn region(&mut self, region: Region) {
        let insts = std::mem::take(&mut self.function.regions[region].insts);
        let mut out = Vec::with_capacity(insts.len());
        for (position, &inst) in insts.iter().enumerate() {
            if self.inst(inst, &mut out) {
                // After a construct that is never left, an `unreachable` replaces what follows.
                let unreachable = |inst: &Inst| self.function.insts[*inst].op == Op::Unreachable;
                self.changes += match &insts[position + 1..] {
                    [] => 0,
                    [only] => usize::from(!unreachable(only) || out.last() == Some(&inst)),
                    rest => rest.len(),
                };
                break;
            }
        }
        self.function.regions[region].insts = out;
    }

    /// Appends the instruction, or what represents it, to `out`; returns whether it ended the region.
    fn inst(&mut self, inst: Inst, out: &mut Vec<Inst>) -> bool {
        for operand in &mut self.function.insts[inst].operands {
            *operand = self.substitution.resolve(*operand);
        }
        let op = &self.function.insts[inst].op;
        if op.has_regions() {
            return self.construct(inst, out);
        }
        if op.is_terminator() {
            out.push(inst);
            return true;
        }
        if op.is_pure() {
            self.pure(inst, out);
        } else if self.stores_nothing(inst) {
            self.changes += 1;
        } else {
            self.access_known_space(inst, out);
            out.push(inst);
        }
        false
    }

    fn pure(&mut self, inst: Inst, out: &mut Vec<Inst>) {
        let data = &self.function.insts[inst];
        let [result] = data.results[..] else {
            out.push(inst);
            return;
        };
        let (op, mut operands, ty) = (data.op.clone(), data.operands.to_vec(), self.function.ty(result));
        if op == Op::Select
            && let Some(&known) = self.known.get(&operands[0])
        {
            operands[0] = self.function.int(Type::BOOL, i64::from(known));
        }
        let mut rewriter = Rewriter::new(self.function, out, inst);
        if let Some(value) = algebra::rewrite(&mut rewriter, &op, &operands, ty) {
            self.substitution.set(result, value);
            self.changes += 1;
            return;
        }
        if let Some(equal) = self.expressions.find_or_add(self.function, inst) {
            let value = self.function.insts[equal].results[0];
            self.substitution.set(result, value);
            self.changes += 1;
            return;
        }
        out.push(inst);
    }

    /// Whether a store can be omitted: storing an undefined value may leave memory unchanged.
    fn stores_nothing(&self, inst: Inst) -> bool {
        let data = &self.function.insts[inst];
        match data.op {
            Op::Store { volatile: false, .. } => {
                self.function.as_constant(data.operands[1]) == Some(&Constant::Undef)
            }
            Op::MemoryCopy { size: 0, .. } | Op::MemoryZero { size: 0, .. } => true,
            _ => false,
        }
    }

    /// An access through a generic pointer made from another pointer uses that pointer.
    fn access_known_space(&mut self, inst: Inst, out: &mut Vec<Inst>) {
        let data = &self.function.insts[inst];
        let pointers = match data.op {
            Op::Load { .. }
            | Op::Store { .. }
            | Op::MemoryZero { .. }
            | Op::Matrix(MatrixOp::Load(_) | MatrixOp::Store(_))
            | Op::AtomicRmw { .. }
            | Op::AtomicCompareExchange { .. }
            | Op::AtomicLoad { .. }
            | Op::AtomicStore { .. } => 1,
            Op::MemoryCopy { .. } => 2,
            _ => return,
        };
        for position in 0..pointers {
            let pointer = self.function.insts[inst].operands[position];
            let rewriter = Rewriter::new(self.function, out, inst);
            if let Some(known) = pointer::known_space(&rewriter, pointer) {
                self.function.insts[inst].operands[position] = known;
                self.changes += 1;
            }
        }
    }

    fn construct(&mut self, inst: Inst, out: &mut Vec<Inst>) -> bool {
        self.decide(inst);
        if self.function.insts[inst].op == Op::Block {
            self.sink_tails(inst);
        }
        let op = self.function.insts[inst].op.clone();
        let condition = self.function.insts[inst].operands.first().copied();
        for (position, region) in self.function.insts[inst].regions.clone().into_iter().enumerate() {
            let scope = self.expressions.enter();
            let fact = condition.filter(|_| op == Op::If);
            let before = fact.map(|condition| self.known.insert(condition, position == 0));
            with_stack(|| self.region(region));
            match (fact, before.flatten()) {
                (Some(condition), Some(value)) => drop(self.known.insert(condition, value)),
                (Some(condition), None) => drop(self.known.remove(&condition)),
                _ => {}
            }
            self.expressions.leave(scope);
        }
        if op.is_loop() {
            let body = self.function.insts[inst].regions[0];
            self.take_exits(inst, body, &Op::Continue(inst));
        } else {
            for region in self.function.insts[inst].regions.clone() {
                self.take_exits(inst, region, &Op::Exit(inst));
            }
        }
        match op {
            Op::Block => self.block(inst, out),
            Op::If if self.select_instead(inst, out) => false,
            Op::If => {
                self.join_conditions(inst, out);
                !self.join_previous(inst, out) && self.keep(inst, out)
            }
            _ => self.keep(inst, out),
        }
    }

    /// Keeps a construct. Code after one that is never left is unreachable.
    fn keep(&mut self, inst: Inst, out: &mut Vec<Inst>) -> bool {
        out.push(inst);
        if !self.structure.exits(inst).is_empty() {
            return false;
        }
        Emitter::like(self.function, out, inst).push(Op::Unreachable, &[], &[]);
        true
    }

    /// Turns a construct whose path is known into a block.
    fn decide(&mut self, inst: Inst) {
        let data = &self.function.insts[inst];
        let bits = |value: Value| match self.known.get(&value) {
            Some(&known) => Some(u64::from(known)),
            None => match self.function.as_constant(value) {
                Some(Constant::Bits(bits)) => Some(*bits),
                // Any path will do.
                Some(Constant::Undef) => Some(0),
                _ => None,
            },
        };
        let taken = match &data.op {
            Op::If => bits(data.operands[0]).map(|bits| usize::from(bits == 0)),
            Op::Switch(labels) => bits(data.operands[0])
                .map(|bits| labels.iter().position(|labels| labels.contains(&bits)).unwrap_or(labels.len())),
            Op::Loop(_) if self.structure.continues(inst).is_empty() => Some(0),
            _ => None,
        };
        let Some(taken) = taken else {
            self.swap_negated(inst);
            return;
        };
        let region = data.regions[taken];
        let operands = std::mem::take(&mut self.function.insts[inst].operands);
        if self.function.insts[inst].op.is_loop() {
            let params = std::mem::take(&mut self.function.regions[region].params);
            for (param, operand) in params.into_iter().zip(operands) {
                self.substitution.set(param, operand);
            }
        }
        let data = &mut self.function.insts[inst];
        data.op = Op::Block;
        data.regions = [region].into_iter().collect();
        self.changes += 1;
    }

    /// `if` of a negation is `if` with its regions exchanged.
    fn swap_negated(&mut self, inst: Inst) {
        let data = &self.function.insts[inst];
        if data.op != Op::If {
            return;
        }
        let Some(definition) = self.function.defining_inst(data.operands[0]) else { return };
        let definition = &self.function.insts[definition];
        if definition.op == Op::Unary(UnaryOp::Not) {
            let inner = definition.operands[0];
            let data = &mut self.function.insts[inst];
            data.operands[0] = inner;
            data.regions.swap(0, 1);
            self.changes += 1;
        }
    }

    /// Dissolves a block that is only left at its end.
    fn block(&mut self, inst: Inst, out: &mut Vec<Inst>) -> bool {
        let region = self.function.insts[inst].regions[0];
        let end = self.function.terminator(region).expect("a region ends with a terminator");
        let exits = self.structure.exits(inst).len();
        let at_end = self.function.insts[end].op == Op::Exit(inst);
        if exits > usize::from(at_end) {
            return self.keep(inst, out);
        }
        self.changes += 1;
        let mut insts = std::mem::take(&mut self.function.regions[region].insts);
        if !at_end {
            out.append(&mut insts);
            return true;
        }
        insts.pop();
        out.append(&mut insts);
        for index in 0..self.function.insts[inst].results.len() {
            let (result, value) =
                (self.function.insts[inst].results[index], self.function.insts[end].operands[index]);
            self.substitution.set(result, value);
        }
        false
    }

    /// Where one side of an `if` leaves the block, moves what follows the `if` into the other side, so that
    /// the block is left only at its end. The flow of a work-item does not change.
    fn sink_tails(&mut self, block: Inst) {
        let mut region = self.function.insts[block].regions[0];
        for _ in 0..MAX_SUNK {
            let insts = &self.function.regions[region].insts;
            let Some((position, side)) = insts
                .iter()
                .enumerate()
                .find_map(|(position, &inst)| Some((position, self.open_side(inst, block)?)))
            else {
                return;
            };
            if position + 2 == insts.len() && self.function.insts[insts[position + 1]].op == Op::Unreachable {
                return;
            }
            let inst = insts[position];
            let tail = self.function.regions[region].insts.split_off(position + 1);
            let end = self.function.make_inst(Op::Unreachable, &[], &[], &[], self.function.insts[inst].span);
            self.function.regions[region].insts.push(end);
            let exit = self.function.regions[side].insts.pop().expect("a region has a terminator");
            self.function.regions[side].insts.extend(tail);
            let results = std::mem::take(&mut self.function.insts[inst].results);
            for (result, value) in results.into_iter().zip(self.function.insts[exit].operands.clone()) {
                self.substitution.set(result, value);
            }
            self.changes += 1;
            region = side;
        }
    }

    /// The side of an `if` that continues after it, if the other side ends by leaving the block and nothing
    /// else leaves the `if`.
    fn open_side(&self, inst: Inst, block: Inst) -> Option<Region> {
        let data = &self.function.insts[inst];
        if data.op != Op::If || self.structure.exits(inst).len() != 1 {
            return None;
        }
        let ends_with = |region: Region, op: &Op| {
            self.function.terminator(region).is_some_and(|end| self.function.insts[end].op == *op)
        };
        let [a, b] = data.regions[..] else { return None };
        let (leave, stay) = (Op::Exit(block), Op::Exit(inst));
        if ends_with(a, &leave) && ends_with(b, &stay) {
            Some(b)
        } else if ends_with(b, &leave) && ends_with(a, &stay) {
            Some(a)
        } else {
            None
        }
    }

    /// Applies where a region ends with a construct and then leaves the region's owner, or with a construct
    /// that is never left. Exits from the owner inside the construct become exits from the construct,
    /// followed by one exit from the owner. The same applies to a loop's continues: `leaving` is what leaves
    /// the region.
    fn take_exits(&mut self, owner: Inst, region: Region, leaving: &Op) {
        let [.., last, end] = self.function.regions[region].insts[..] else { return };
        if !self.function.insts[last].op.has_regions() {
            return;
        }
        let leaves = self.function.insts[end].op == *leaving;
        let never_left =
            self.function.insts[end].op == Op::Unreachable && self.structure.exits(last).is_empty();
        if !leaves && !never_left {
            return;
        }
        let continues = matches!(leaving, Op::Continue(_));
        let exits = if continues { self.structure.continues(owner) } else { self.structure.exits(owner) };
        let exits: Vec<_> = exits.iter().copied().filter(|&exit| self.is_inside(exit, last, owner)).collect();
        if exits.is_empty() {
            return;
        }
        if leaves {
            self.carry_through(last, end);
        } else if continues {
            self.structure.add_continue(end, owner);
        } else {
            self.structure.add_exit(end, owner);
        }
        for &exit in &exits {
            self.function.insts[exit].op = Op::Exit(last);
        }
        if continues {
            self.structure.continues_to_exits(exits, owner, last);
        } else {
            self.structure.move_exits(exits, owner, last);
        }
        self.function.insts[last].results.clear();
        let data = &self.function.insts[owner];
        let given: &[Value] =
            if continues { &self.function.regions[data.regions[1]].params } else { &data.results };
        let types: Vec<_> = given.iter().map(|&value| self.function.ty(value)).collect();
        let values = types.into_iter().map(|ty| self.function.add_result(last, ty)).collect();
        self.function.insts[end].op = leaving.clone();
        self.function.insts[end].operands = values;
        self.changes += 1;
    }

    /// Makes every exit from a construct carry what the exit right after it carries.
    fn carry_through(&mut self, construct: Inst, after: Inst) {
        let results = self.function.insts[construct].results.clone();
        let carried: Vec<(Value, Option<usize>)> = self.function.insts[after]
            .operands
            .iter()
            .map(|&value| (value, results.iter().position(|&result| result == value)))
            .collect();
        for &exit in self.structure.exits(construct) {
            let given = std::mem::take(&mut self.function.insts[exit].operands);
            // An exit that is no longer in the function may have lost its operands.
            let value = |&(value, position): &(Value, Option<usize>)| {
                position.map_or(Some(value), |position| given.get(position).copied())
            };
            self.function.insts[exit].operands = carried.iter().filter_map(value).collect();
        }
    }

    /// Whether an instruction inside `outer` is in a construct within `outer`.
    fn is_inside(&self, inst: Inst, construct: Inst, outer: Inst) -> bool {
        let met = self.structure.owners(inst).find(|owner| [construct, outer].contains(owner));
        met == Some(construct)
    }

    /// Replaces an `if` by its instructions and selections, if that is cheap and changes nothing else.
    fn select_instead(&mut self, inst: Inst, out: &mut Vec<Inst>) -> bool {
        let data = &self.function.insts[inst];
        if self.structure.exits(inst).len() != 2 || data.results.len() > MAX_SELECTIONS {
            return false;
        }
        if data.results.iter().any(|&result| self.function.ty(result).scalar().is_none()) {
            return false;
        }
        let mut count = 0;
        for &region in &data.regions {
            let (&end, insts) =
                self.function.regions[region].insts.split_last().expect("a region has a terminator");
            if self.function.insts[end].op != Op::Exit(inst) {
                return false;
            }
            count += insts.len();
            if count > MAX_SPECULATED || !insts.iter().all(|&inst| is_cheap(&self.function.insts[inst].op)) {
                return false;
            }
        }
        self.changes += 1;
        let (condition, results) = (data.operands[0], data.results.clone());
        let mut ends = [Vec::new(), Vec::new()];
        for (side, region) in data.regions.clone().into_iter().enumerate() {
            let mut insts = std::mem::take(&mut self.function.regions[region].insts);
            let end = insts.pop().expect("a region has a terminator");
            ends[side] = self.function.insts[end].operands.to_vec();
            out.append(&mut insts);
        }
        for (index, result) in results.into_iter().enumerate() {
            let (if_true, if_false) = (ends[0][index], ends[1][index]);
            let value = if if_true == if_false {
                if_true
            } else {
                let ty = self.function.ty(result);
                Emitter::like(self.function, out, inst).value(Op::Select, &[condition, if_true, if_false], ty)
            };
            self.substitution.set(result, value);
        }
        true
    }
}

/// Whether an instruction is cheap enough to be executed needlessly.
pub(super) fn is_cheap(op: &Op) -> bool {
    use BinaryOp::{FDiv, SDiv, SMulHi, SRem, UDiv, UMulHi, URem};
    match op {
        Op::Binary(op) => !matches!(op, SDiv | UDiv | SRem | URem | FDiv | SMulHi | UMulHi),
        Op::Math(op) => {
            use MathOp::{FAbs, FMax, FMin, IsInf, IsNan, NeverPositive};
            matches!(op, FAbs | FMin | FMax | IsNan | IsInf | NeverPositive)
        }
        Op::Unary(_)
        | Op::Compare(_)
        | Op::Convert(_)
        | Op::Select
        | Op::Construct
        | Op::Extract(_)
        | Op::Insert(_)
        | Op::Shuffle(_)
        | Op::PointerOffset(_) => true,
        _ => false,
    }
}
