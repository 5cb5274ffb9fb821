//! Which parts of a kernel a trial executes.

use crate::passes::sanitize::phases::orders_local;
use crate::passes::structure::with_stack;
use clvk_ir::{Function, Inst, Op, Region, Value, ValueDef};
use rustc_hash::{FxHashMap, FxHashSet};

/// Where a jump leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// Behind a construct.
    Exit(Inst),
    /// To the continuing region of a loop.
    Continue(Inst),
    /// To a loop's next iteration.
    Next(Inst),
    /// To the kernel's end.
    End,
}

impl Target {
    fn construct(self) -> Option<Inst> {
        match self {
            Target::Exit(inst) | Target::Continue(inst) | Target::Next(inst) => Some(inst),
            Target::End => None,
        }
    }
}

/// What is known of constructs, and which values are computed.
#[derive(Default)]
pub struct Needed {
    values: FxHashSet<Value>,
    /// Constructs that hold accesses or barriers, or whose results are needed.
    constructs: FxHashSet<Inst>,
    /// Constructs with a barrier.
    meets: FxHashSet<Inst>,
    /// Where jumps in a construct lead that leave it.
    leaves: FxHashMap<Inst, Vec<Target>>,
    jumps: FxHashMap<Target, Vec<Inst>>,
    loops: FxHashMap<Region, Inst>,
}

impl Needed {
    /// Given the accesses that matter, with the values that say where they are.
    pub fn of(kernel: &Function, accesses: &FxHashMap<Inst, Vec<Value>>) -> Needed {
        let mut needed = Needed::default();
        let mut pending: Vec<Value> = accesses.values().flatten().copied().collect();
        if let Some(body) = kernel.body {
            needed.region(kernel, body, &mut Vec::new(), accesses);
        }
        let decided = needed.constructs.iter().chain(needed.leaves.keys());
        pending.extend(decided.filter_map(|&inst| condition(kernel, inst)));
        while let Some(value) = pending.pop() {
            if needed.values.insert(value) {
                needed.follow(kernel, value, &mut pending);
            }
        }
        needed
    }

    /// Whether a value is computed.
    pub fn has(&self, value: Value) -> bool {
        self.values.contains(&value)
    }

    /// Whether a construct is executed.
    pub fn executes(&self, inst: Inst) -> bool {
        self.constructs.contains(&inst) || self.leaves.contains_key(&inst)
    }

    /// Whether a construct has a barrier, so that all work-items come to it together.
    pub fn meets(&self, inst: Inst) -> bool {
        self.meets.contains(&inst)
    }

    /// Where jumps in a construct lead that leave it.
    pub fn leaves(&self, inst: Inst) -> &[Target] {
        self.leaves.get(&inst).map_or(&[], Vec::as_slice)
    }

    fn region(
        &mut self,
        kernel: &Function,
        region: Region,
        around: &mut Vec<(Inst, Region)>,
        accesses: &FxHashMap<Inst, Vec<Value>>,
    ) {
        for &inst in &kernel.regions[region].insts {
            let data = &kernel.insts[inst];
            let meets = orders_local(&data.op);
            if meets || accesses.contains_key(&inst) {
                self.constructs.extend(around.iter().map(|(construct, _)| construct));
            }
            if meets {
                self.meets.extend(around.iter().map(|(construct, _)| construct));
            }
            if let Some(target) = target(kernel, inst, around) {
                self.jumps.entry(target).or_default().push(inst);
                let left = around.iter().rev().take_while(|(inst, _)| Some(*inst) != target.construct());
                for &(construct, _) in left {
                    self.leaves.entry(construct).or_default().push(target);
                }
            }
            for (&nested, index) in data.regions.iter().zip(0..) {
                if data.op.is_loop() && index < 2 {
                    self.loops.insert(nested, inst);
                }
                around.push((inst, nested));
                with_stack(|| self.region(kernel, nested, around, accesses));
                around.pop();
            }
        }
    }

    /// Needs what a value is computed from.
    fn follow(&mut self, kernel: &Function, value: Value, pending: &mut Vec<Value>) {
        let mut of_jumps = |target: Target, index: usize| {
            let jumps = self.jumps.get(&target).into_iter().flatten();
            pending.extend(jumps.filter_map(|&jump| kernel.insts[jump].operands.get(index)));
        };
        match kernel.values[value].def {
            ValueDef::Result(inst, index) => {
                let data = &kernel.insts[inst];
                if data.op.has_regions() {
                    of_jumps(Target::Exit(inst), index as usize);
                    self.constructs.insert(inst);
                    pending.extend(condition(kernel, inst));
                } else if data.op.is_computation() {
                    pending.extend(&data.operands);
                }
            }
            ValueDef::RegionParam(region, index) => {
                let Some(&inst) = self.loops.get(&region) else { return };
                let data = &kernel.insts[inst];
                if data.regions[0] == region {
                    of_jumps(Target::Next(inst), index as usize);
                    pending.extend(data.operands.get(index as usize));
                } else {
                    of_jumps(Target::Continue(inst), index as usize);
                }
            }
            _ => {}
        }
    }
}

/// Where an instruction in these constructs jumps, if it does.
pub fn target(kernel: &Function, inst: Inst, around: &[(Inst, Region)]) -> Option<Target> {
    match kernel.insts[inst].op {
        Op::Exit(construct) => Some(Target::Exit(construct)),
        Op::Continue(construct) => Some(Target::Continue(construct)),
        Op::NextIteration => {
            let is_it = |&&(construct, region): &&(Inst, Region)| {
                let data = &kernel.insts[construct];
                data.op.is_loop() && data.regions[1] == region
            };
            around.iter().rev().find(is_it).map(|&(construct, _)| Target::Next(construct))
        }
        Op::Return => Some(Target::End),
        _ => None,
    }
}

/// What decides about the regions of a construct.
fn condition(kernel: &Function, inst: Inst) -> Option<Value> {
    let data = &kernel.insts[inst];
    matches!(data.op, Op::If | Op::Switch(_)).then(|| data.operands[0])
}
