//! Finds the loops that all work-items of a group leave in the same iteration: those among them that execute
//! the loop at all. And finds what all of them execute equally often, and what is the same in all launches.
//!
//! What is not known to be the same for all of them counts as varying: whatever is read from memory, say, and
//! whatever a loop carries that they leave in different iterations.

use super::cursor::region_owners;
use clvk_ir::{Constant, EntityId, Function, InputVariable, Inst, InstData, Op, Region, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// The most rounds after which the search gives up.
const MAX_ROUNDS: usize = 8;

/// The loops of a function that all work-items of a group leave in the same iteration.
#[must_use]
pub fn uniform_loops(function: &Function) -> FxHashSet<Inst> {
    let Some(search) = Search::of(function, &function.params, &is_same_for_all) else {
        return FxHashSet::default();
    };
    let mut found = FxHashSet::default();
    function.walk(|inst, data| found.extend(data.op.is_loop().then_some(inst)));
    found.retain(|inst| !search.loops.contains(inst));
    found
}

/// Which of these instructions of a kernel all work-items of a group execute, and equally often. The caller
/// knows further operations whose results are the same for all.
#[must_use]
pub fn met_by_all(kernel: &Function, insts: &[Inst], is_same: &dyn Fn(&InstData) -> bool) -> FxHashSet<Inst> {
    let is_same = |data: &InstData| is_same_for_all(data) || is_same(data);
    let Some(search) = Search::of(kernel, &[], &is_same) else { return FxHashSet::default() };
    let mut parted: FxHashSet<Option<Inst>> = FxHashSet::default();
    kernel.walk(|inst, data| match data.op {
        Op::Exit(target) | Op::Continue(target) if search.is_apart(inst, Some(target)) => {
            parted.insert(Some(target));
        }
        Op::Return if search.is_apart(inst, None) => {
            parted.insert(None);
        }
        _ => {}
    });
    let is_met = |inst: &Inst| {
        let meets = |owner: Inst| !parted.contains(&Some(owner)) && !search.parts(owner);
        !parted.contains(&None) && search.around(*inst).all(meets)
    };
    insts.iter().copied().filter(is_met).collect()
}

/// Which of these values of a function are the same in all launches, once the driver has copied the loops
/// that end after a known number of iterations. The caller knows the operations that read what is the same.
#[must_use]
pub fn same_in_all_launches(
    function: &Function,
    values: &[Value],
    is_same: &dyn Fn(&InstData) -> bool,
) -> FxHashSet<Value> {
    let Some(search) = Search::of(function, &function.params, is_same) else { return FxHashSet::default() };
    values.iter().copied().filter(|&value| !search.varies(value)).collect()
}

/// What varies, as far as it is known. Only ever more does.
struct Search<'f> {
    function: &'f Function,
    regions: FxHashMap<Inst, Region>,
    owners: Vec<Option<Inst>>,
    /// Operations, besides computations, that give all the same.
    is_same: &'f dyn Fn(&InstData) -> bool,
    /// The values.
    varying: Vec<bool>,
    /// The loops that work-items leave in different iterations, or continue from different places.
    loops: FxHashSet<Inst>,
    /// Whether this round found more.
    changed: bool,
}

impl<'f> Search<'f> {
    /// Given values that vary; none if it takes long.
    fn of(
        function: &'f Function,
        varying: &[Value],
        is_same: &'f dyn Fn(&InstData) -> bool,
    ) -> Option<Search<'f>> {
        let mut search = Search {
            function,
            regions: FxHashMap::default(),
            owners: region_owners(function),
            is_same,
            varying: vec![false; function.values.len()],
            loops: FxHashSet::default(),
            changed: true,
        };
        for (region, data) in function.regions.iter() {
            search.regions.extend(data.insts.iter().map(|&inst| (inst, region)));
        }
        let mut insts = Vec::new();
        function.walk(|inst, _| insts.push(inst));
        for &param in varying {
            search.varying[param.index()] = true;
        }
        for _ in 0..MAX_ROUNDS {
            search.changed = false;
            insts.iter().for_each(|&inst| search.inst(inst));
            if !search.changed {
                return Some(search);
            }
        }
        None
    }

    /// The constructs around an instruction, the innermost first.
    fn around(&self, inst: Inst) -> impl Iterator<Item = Inst> {
        let owner = |inst: Inst| self.regions.get(&inst).and_then(|region| self.owners[region.index()]);
        std::iter::successors(owner(inst), move |&inst| owner(inst))
    }

    /// Whether not all work-items that come to a construct execute the same of it, equally often.
    fn parts(&self, construct: Inst) -> bool {
        let data = &self.function.insts[construct];
        match data.op {
            Op::If | Op::Switch(_) => self.varies(data.operands[0]),
            _ => self.loops.contains(&construct),
        }
    }

    /// Whether some of the work-items that come to a construct jump to its end from here, and others do not.
    fn is_apart(&self, jump: Inst, target: Option<Inst>) -> bool {
        self.around(jump).take_while(|&owner| Some(owner) != target).any(|owner| self.parts(owner))
    }

    fn varies(&self, value: Value) -> bool {
        self.varying[value.index()] || self.function.as_constant(value) == Some(&Constant::Undef)
    }

    fn vary(&mut self, value: Value) {
        self.changed |= !std::mem::replace(&mut self.varying[value.index()], true);
    }

    fn vary_loop(&mut self, inst: Inst) {
        self.changed |= self.loops.insert(inst);
    }

    fn inst(&mut self, inst: Inst) {
        let function = self.function;
        let data = &function.insts[inst];
        match data.op {
            Op::Exit(target) => {
                let apart = self.leave(inst, Some(target));
                self.bring(&data.operands, &function.insts[target].results, apart);
            }
            Op::Continue(target) => {
                let apart = self.leave(inst, Some(target));
                let params = &function.regions[function.insts[target].regions[1]].params;
                self.bring(&data.operands, params, apart);
            }
            Op::Return => {
                self.leave(inst, None);
            }
            Op::NextIteration => {
                let around = self.regions.get(&inst).and_then(|region| self.owners[region.index()]);
                if let Some(target) = around {
                    self.bring(
                        &data.operands,
                        &function.regions[function.insts[target].regions[0]].params,
                        false,
                    );
                }
            }
            Op::Loop(_) => {
                let apart = self.loops.contains(&inst);
                let [body, continuing] = data.regions[..] else { return };
                self.bring(&data.operands, &function.regions[body].params, apart);
                if apart {
                    let params = &function.regions[continuing].params;
                    params.iter().chain(&data.results).for_each(|&value| self.vary(value));
                }
            }
            Op::If | Op::Switch(_) | Op::Block | Op::Unreachable => {}
            ref op => {
                let same = op.is_computation() || (self.is_same)(data);
                if !same || data.operands.iter().any(|&operand| self.varies(operand)) {
                    data.results.iter().for_each(|&result| self.vary(result));
                }
            }
        }
    }

    /// Values become others; `apart` if not all work-items bring the same ones.
    fn bring(&mut self, from: &[Value], to: &[Value], apart: bool) {
        for (position, &value) in to.iter().enumerate() {
            if apart || from.get(position).is_none_or(|&from| self.varies(from)) {
                self.vary(value);
            }
        }
    }

    /// A jump to a construct's end or next iteration, or out of the function. Returns whether some work-items
    /// of those that execute the construct may jump there, and others elsewhere or later.
    fn leave(&mut self, jump: Inst, target: Option<Inst>) -> bool {
        let mut apart = false;
        let mut at = jump;
        while let Some(owner) = self.regions.get(&at).and_then(|region| self.owners[region.index()]) {
            let data = &self.function.insts[owner];
            match data.op {
                Op::If | Op::Switch(_) => apart |= self.varies(data.operands[0]),
                Op::Loop(_) if apart => self.vary_loop(owner),
                Op::Loop(_) => apart = self.loops.contains(&owner),
                _ => {}
            }
            if Some(owner) == target {
                return apart;
            }
            at = owner;
        }
        apart
    }
}

/// Whether an operation that reads what the launch provides gives all work-items of a group the same.
fn is_same_for_all(data: &InstData) -> bool {
    match &data.op {
        Op::PushConstant { .. } => true,
        Op::Input(input) => matches!(
            input,
            InputVariable::WorkgroupId
                | InputVariable::NumWorkgroups
                | InputVariable::SubgroupSize
                | InputVariable::NumSubgroups
                | InputVariable::WorkgroupSize
                | InputVariable::EnqueuedWorkgroupSize
                | InputVariable::WorkDim
                | InputVariable::GlobalOffset
                | InputVariable::OffsetMask
        ),
        _ => false,
    }
}
