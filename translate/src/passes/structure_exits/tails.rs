//! Continues a loop where blocks are left that end its iteration.
//!
//! A `Continue` may leave all that is in between, while an exit from the block would need a number, a test,
//! and results for whatever each way brings. What is computed between the block and the `Continue` is
//! computed before the block if it does not depend on it, and else before each `Continue`, if it is little.

use super::Structuring;
use clvk_ir::{Inst, Op, Value, ValueDef};
use rustc_hash::FxHashMap;

/// The most computations between a block and the `Continue`.
const MOST_BETWEEN: usize = 4;
/// The most copies of them.
const MOST_COPIES: usize = 16;

/// Continues loops from the exits of blocks. Outer blocks first, because what they end with may end the
/// iteration from then on.
pub(super) fn continue_from_blocks(pass: &mut Structuring<'_>) {
    let all = pass.all();
    let mut exits = pass.exits_of(&all);
    for block in all {
        if pass.is(block, |op| *op == Op::Block)
            && let Some(exits) = exits.remove(&block)
            && let Some(tail) = Tail::of(pass, block, exits.len())
        {
            tail.move_to(pass, block, &exits);
        }
    }
}

/// What follows a block that ends an iteration.
struct Tail {
    /// Computations that need nothing of the block.
    apart: Vec<Inst>,
    /// Those that need its results.
    dependent: Vec<Inst>,
    /// The `Continue`.
    end: Inst,
}

impl Tail {
    /// `None` if the block does not end an iteration, or too much follows it.
    fn of(pass: &Structuring<'_>, block: Inst, exits: usize) -> Option<Tail> {
        let region = pass.tree.region(block)?;
        let function = &*pass.function;
        let (&end, others) = function.regions[region].insts.split_last()?;
        if !matches!(function.insts[end].op, Op::Continue(_)) {
            return None;
        }
        let from = others.len().saturating_sub(MOST_BETWEEN + 1);
        let position = from + others[from..].iter().position(|&inst| inst == block)?;
        let between = &others[position + 1..];
        if !between.iter().all(|&inst| function.insts[inst].op.is_movable()) {
            return None;
        }
        let (mut apart, mut dependent) = (Vec::new(), Vec::new());
        for &inst in between {
            let needs = |&value: &Value| match function.values[pass.representative(value)].def {
                ValueDef::Result(inst, _) => inst == block || dependent.contains(&inst),
                _ => false,
            };
            let list =
                if function.insts[inst].operands.iter().any(needs) { &mut dependent } else { &mut apart };
            list.push(inst);
        }
        (dependent.len() * exits <= MOST_COPIES).then_some(Tail { apart, dependent, end })
    }

    /// Replaces the block by its contents, whose exits compute what follows and continue.
    fn move_to(&self, pass: &mut Structuring<'_>, block: Inst, exits: &[Inst]) {
        for &exit in exits {
            self.copy_to(pass, block, exit);
        }
        let inner = pass.function.insts[block].regions[0];
        let region = pass.tree.region(block).expect("the block is in the function");
        let position = pass.position(region, block);
        let mut insts = pass.function.regions[region].insts[..position].to_vec();
        insts.extend(&self.apart);
        insts.append(&mut pass.function.regions[inner].insts);
        pass.set_insts(region, insts);
    }

    /// Makes an exit from the block compute what follows and continue.
    fn copy_to(&self, pass: &mut Structuring<'_>, block: Inst, exit: Inst) {
        let brought = std::mem::take(&mut pass.function.insts[exit].operands);
        let results = pass.function.insts[block].results.iter().copied();
        let mut known: FxHashMap<Value, Value> = results.zip(brought).collect();
        let map = |pass: &Structuring<'_>, inst: Inst, known: &FxHashMap<Value, Value>| -> Vec<Value> {
            let operands = pass.function.insts[inst].operands.iter();
            let operands = operands.map(|&value| pass.representative(value));
            operands.map(|value| known.get(&value).copied().unwrap_or(value)).collect()
        };
        let region = pass.tree.region(exit).expect("the exit is in the function");
        let mut copies = Vec::new();
        for &inst in &self.dependent {
            let (operands, data) = (map(pass, inst, &known), &pass.function.insts[inst]);
            let (op, span, fast_math, old) =
                (data.op.clone(), data.span, data.fast_math, data.results.clone());
            let types: Vec<_> = old.iter().map(|&result| pass.function.ty(result)).collect();
            let copy = pass.make(op, &operands, &types, &[], span);
            pass.function.insts[copy].fast_math = fast_math;
            known.extend(old.iter().copied().zip(pass.function.insts[copy].results.iter().copied()));
            pass.tree.place(copy, region);
            copies.push(copy);
        }
        let operands = map(pass, self.end, &known);
        let continues = pass.function.insts[self.end].op.clone();
        let data = &mut pass.function.insts[exit];
        (data.op, data.operands) = (continues, operands.into_iter().collect());
        let at = pass.position(region, exit);
        pass.function.regions[region].insts.splice(at..at, copies);
    }
}
