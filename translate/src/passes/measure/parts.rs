//! Parts of a function: instructions that run equally often.
//!
//! A region begins a part, except for a block's, which runs as often as what is around it. So does what
//! follows a construct that may be left for somewhere else.

use crate::passes::structure::with_stack;
use clvk_ir::{Function, Inst, Op, Region};
use rustc_hash::FxHashMap;

/// The parts of a function, numbered from 0.
#[derive(Default)]
pub struct Parts {
    of: FxHashMap<Inst, u32>,
    begins: FxHashMap<Inst, u32>,
    count: u32,
}

/// Where a construct may be left for.
#[derive(Default)]
struct Leaves {
    constructs: Vec<Inst>,
    returns: bool,
}

impl Parts {
    /// Finds them.
    pub fn of(function: &Function) -> Parts {
        let mut parts = Parts::default();
        if let Some(body) = function.body {
            parts.region(function, body, None);
        }
        parts
    }

    /// How many there are.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// The part of an instruction.
    pub fn part(&self, inst: Inst) -> Option<u32> {
        self.of.get(&inst).copied()
    }

    /// The part that begins with an instruction.
    pub fn begins(&self, inst: Inst) -> Option<u32> {
        self.begins.get(&inst).copied()
    }

    fn region(&mut self, function: &Function, region: Region, around: Option<u32>) -> Leaves {
        let mut leaves = Leaves::default();
        let mut current = around;
        for &inst in &function.regions[region].insts {
            let part = current.unwrap_or_else(|| {
                self.begins.insert(inst, self.count);
                self.count += 1;
                self.count - 1
            });
            current = Some(part);
            self.of.insert(inst, part);
            let data = &function.insts[inst];
            match data.op {
                Op::Exit(construct) | Op::Continue(construct) => leaves.constructs.push(construct),
                Op::Return => leaves.returns = true,
                _ => {}
            }
            if data.op.has_regions() {
                let around = (data.op == Op::Block).then_some(part);
                let mut inner = Leaves::default();
                for &region in &data.regions {
                    let found = with_stack(|| self.region(function, region, around));
                    inner.constructs.extend(found.constructs);
                    inner.returns |= found.returns;
                }
                inner.constructs.retain(|&construct| construct != inst);
                inner.constructs.sort_unstable();
                inner.constructs.dedup();
                if inner.returns || !inner.constructs.is_empty() {
                    current = None;
                }
                leaves.constructs.extend(inner.constructs);
                leaves.returns |= inner.returns;
            }
        }
        leaves
    }
}
