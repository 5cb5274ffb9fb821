//! Begins loads before the barriers that stand in front of them.
//!
//! A load behind a barrier waits for memory after all work-items have arrived; one in front of it waits at
//! the same time as they do. A driver may not move it, because it does not know what others change before
//! the barrier. Nothing changes what a kernel reads through an argument that is `const` and `restrict`
//! ([`unchanging`]), so such a load moves up to where its address is known, if it is executed there, too:
//! not out of branches, and not over a construct that may leave the region. It does not move over loops
//! either, in which its register may be wanted. Nothing moves within loops, where other work-items'
//! iterations fill the time, and loads that stand together behind a barrier are better begun together.

use super::Context;
use super::hoist_invariants::register_words;
use super::simplify::dce::root_pointer;
use super::structure::Structure;
use super::unroll::streams::unchanging;
use crate::TranslateError;
use clvk_ir::{Function, Inst, Op, Region, Value, ValueDef};
use rustc_hash::{FxHashMap, FxHashSet};

/// The most 32-bit words that are loaded early in a region.
const MAX_WORDS: u32 = 8;

/// See the module.
///
/// # Errors
/// None.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    for function in context.module.kernels_mut() {
        let mut waits = false;
        function.walk(|_, data| waits |= matches!(data.op, Op::Barrier { .. }));
        if !waits {
            continue;
        }
        let unchanging = unchanging(function);
        if !unchanging.is_empty() {
            move_loads(function, &unchanging);
        }
    }
    Ok(())
}

fn move_loads(function: &mut Function, unchanging: &FxHashSet<Value>) {
    let structure = Structure::of(function);
    let leaving = leaving(function, &structure);
    let mut regions: Vec<Region> = function.body.into_iter().collect();
    while let Some(region) = regions.pop() {
        let insts = &function.regions[region].insts;
        let nested = insts.iter().map(|&inst| &function.insts[inst]).filter(|data| !data.op.is_loop());
        regions.extend(nested.flat_map(|data| data.regions.iter().copied()));
        if insts.iter().any(|&inst| matches!(function.insts[inst].op, Op::Barrier { .. })) {
            let plan = Plan::of(function, insts, unchanging, &leaving);
            function.regions[region].insts = plan.apply(insts);
        }
    }
}

/// The constructs behind which their region may not go on: something in them leaves a construct around them.
fn leaving(function: &Function, structure: &Structure) -> FxHashSet<Inst> {
    let mut leaving = FxHashSet::default();
    function.walk(|inst, data| {
        let target = match data.op {
            Op::Exit(target) | Op::Continue(target) => Some(target),
            Op::Return => None,
            _ => return,
        };
        leaving.extend(structure.owners(inst).take_while(|&construct| Some(construct) != target));
    });
    leaving
}

/// Where the instructions of a region go.
#[derive(Default)]
struct Plan {
    /// The positions of instructions.
    positions: FxHashMap<Inst, usize>,
    /// The first position before which a result of the region could be computed.
    ready: FxHashMap<Value, usize>,
    /// The positions before which instructions move.
    moves: FxHashMap<Inst, usize>,
}

impl Plan {
    fn of(
        function: &Function,
        insts: &[Inst],
        unchanging: &FxHashSet<Value>,
        leaving: &FxHashSet<Inst>,
    ) -> Self {
        let mut plan = Plan::default();
        plan.positions.extend(insts.iter().enumerate().map(|(position, &inst)| (inst, position)));
        let (mut floor, mut barrier, mut words) = (0, None, 0);
        for (position, &inst) in insts.iter().enumerate() {
            let data = &function.insts[inst];
            let operands = data.operands.iter().filter_map(|operand| plan.ready.get(operand).copied());
            let ready = operands.fold(floor, usize::max);
            let loads = matches!(data.op, Op::Load { volatile: false, .. })
                && unchanging.contains(&root_pointer(function, data.operands[0]));
            let available = if loads && barrier >= Some(ready) {
                let more = register_words(function.ty(data.results[0]));
                let fits = words + more <= MAX_WORDS;
                if fits {
                    words += more;
                    plan.place(function, inst, ready);
                }
                if fits { ready } else { position + 1 }
            } else if data.op.is_movable() {
                ready
            } else {
                position + 1
            };
            plan.ready.extend(data.results.iter().map(|&result| (result, available)));
            if matches!(data.op, Op::Barrier { .. }) {
                barrier = Some(position);
            }
            if data.op.is_loop() || leaving.contains(&inst) {
                floor = position + 1;
            }
        }
        plan
    }

    /// Moves an instruction, and those that compute its operands, to before a position.
    fn place(&mut self, function: &Function, inst: Inst, target: usize) {
        let mut pending = vec![inst];
        while let Some(inst) = pending.pop() {
            let stays = self.positions.get(&inst).is_none_or(|&position| position < target);
            if stays || self.moves.get(&inst).is_some_and(|&place| place <= target) {
                continue;
            }
            self.moves.insert(inst, target);
            pending.extend(function.insts[inst].operands.iter().filter_map(|&operand| {
                let ValueDef::Result(inst, _) = function.values[operand].def else { return None };
                Some(inst)
            }));
        }
    }

    /// The region's instructions in their new order.
    fn apply(&self, insts: &[Inst]) -> Vec<Inst> {
        let mut order: Vec<(usize, usize, Inst)> = insts
            .iter()
            .enumerate()
            .map(|(position, &inst)| match self.moves.get(&inst) {
                Some(&target) => (target, position, inst),
                None => (position, insts.len(), inst),
            })
            .collect();
        order.sort_unstable_by_key(|&(target, position, _)| (target, position));
        order.into_iter().map(|(_, _, inst)| inst).collect()
    }
}
