//! The numbers of values and labels in the text of a function.

use crate::{EntityId, Function, Inst, Op, Region, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// The numbers that values and labels have in the text of a function.
pub(crate) struct Numbering {
    pub(super) values: Vec<Option<u32>>,
    pub(super) labels: FxHashMap<Inst, u32>,
    /// The exits and continues that need their target's label.
    pub(super) labelled: FxHashSet<Inst>,
}

impl Numbering {
    /// Numbers a function whose regions are a tree.
    pub(crate) fn new(function: &Function) -> Self {
        let mut numbering = Numbering {
            values: vec![None; function.values.len()],
            labels: FxHashMap::default(),
            labelled: FxHashSet::default(),
        };
        let mut next = 0;
        let mut targets: FxHashSet<Inst> = FxHashSet::default();
        let mut constructs: Vec<Inst> = Vec::new();
        numbering.number(&function.params, &mut next);
        // Each entry: a region, the position in it, and the instruction that owns it.
        let mut stack: Vec<(Region, usize, Option<Inst>)> =
            function.body.map(|body| (body, 0, None)).into_iter().collect();
        let mut owners: Vec<Inst> = Vec::new();
        while let Some((region, position, owner)) = stack.pop() {
            if position == 0 {
                numbering.number(&function.regions[region].params, &mut next);
                owners.extend(owner);
            }
            let Some(&inst) = function.regions[region].insts.get(position) else {
                if owner.is_some() {
                    owners.pop();
                }
                continue;
            };
            stack.push((region, position + 1, owner));
            let data = &function.insts[inst];
            numbering.number(&data.results, &mut next);
            let (target, implied) = match data.op {
                Op::Exit(target) => (target, owners.last().copied()),
                Op::Continue(target) => (target, innermost_loop(function, &owners)),
                _ => {
                    if data.op.has_regions() {
                        constructs.push(inst);
                    }
                    stack.extend(data.regions.iter().rev().map(|&nested| (nested, 0, Some(inst))));
                    continue;
                }
            };
            if implied != Some(target) {
                numbering.labelled.insert(inst);
                targets.insert(target);
            }
        }
        constructs.retain(|construct| targets.contains(construct));
        numbering.labels = constructs.into_iter().zip(0..).collect();
        numbering
    }

    fn number(&mut self, values: &[Value], next: &mut u32) {
        for value in values {
            if let Some(number) = self.values.get_mut(value.index()) {
                *number = Some(*next);
                *next += 1;
            }
        }
    }
}

fn innermost_loop(function: &Function, owners: &[Inst]) -> Option<Inst> {
    owners.iter().rev().copied().find(|&owner| function.insts[owner].op.is_loop())
}
