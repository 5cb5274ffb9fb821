//! Computes what a loop only leaves behind after the loop.
//!
//! A value that each iteration computes anew and none reads, such as the last error of an iteration, costs as
//! much as if every one of them were wanted. The loop carries instead what the value is computed from, if
//! that is computed anyway, and the last one is computed behind the loop. A loop that did not go round leaves
//! the initial value, which a flag tells.

use super::Context;
use super::rewrite::{Cloner, Emitter, Substitution};
use super::structure::Structure;
use crate::TranslateError;
use clvk_ir::{Constant, FastMath, Function, Inst, Op, Region, Type, Value, ValueDef};
use rustc_hash::{FxHashMap, FxHashSet};

/// See the module.
///
/// # Errors
/// None.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    for function in context.module.bodies_mut() {
        let mut loops = Vec::new();
        function.walk(|inst, data| loops.extend(data.op.is_loop().then_some(inst)));
        if loops.is_empty() {
            continue;
        }
        let structure = Structure::of(function);
        let uses = uses(function);
        let plans: Vec<Plan> =
            loops.iter().filter_map(|&inst| Plan::of(function, &structure, &uses, inst)).collect();
        sink(function, &structure, &plans);
    }
    Ok(())
}

/// The instructions that use each value, once for each operand.
fn uses(function: &Function) -> FxHashMap<Value, Vec<Inst>> {
    let mut uses: FxHashMap<Value, Vec<Inst>> = FxHashMap::default();
    function.walk(|inst, data| {
        for &operand in &data.operands {
            uses.entry(operand).or_default().push(inst);
        }
    });
    uses
}

/// A result of a loop that is computed behind it.
struct Sunk {
    /// The result.
    result: Value,
    /// What it is if the loop did not go round.
    initial: Value,
    /// What it is otherwise: computed by these, in order.
    value: Value,
    insts: Vec<Inst>,
}

/// What sinks out of a loop.
struct Plan {
    inst: Inst,
    /// Its only `Continue`, which ends its body.
    next: Inst,
    /// Its `NextIteration`.
    last: Inst,
    sunk: Vec<Sunk>,
    /// The values of an iteration that the sunk ones are computed from.
    leaves: Vec<Value>,
}

impl Plan {
    fn of(
        function: &Function,
        structure: &Structure,
        uses: &FxHashMap<Value, Vec<Inst>>,
        inst: Inst,
    ) -> Option<Self> {
        let &[next] = structure.continues(inst) else { return None };
        let last = structure.next_iteration(function, inst)?;
        let body = function.insts[inst].regions[0];
        if function.terminator(body) != Some(next) {
            return None;
        }
        let survey = Survey { function, structure, uses, body };
        let mut plan = Plan { inst, next, last, sunk: Vec::new(), leaves: Vec::new() };
        for (position, &param) in function.regions[body].params.iter().enumerate() {
            let Some(result) = survey.only_leaves(inst, param) else { continue };
            let Some(value) = survey.passed_on(&plan, function.insts[last].operands[position]) else {
                continue;
            };
            let (insts, mut leaves) = survey.tree(value);
            leaves.retain(|leaf| !plan.leaves.contains(leaf));
            if insts.len() > leaves.len() {
                plan.leaves.append(&mut leaves);
                let initial = function.insts[inst].operands[position];
                plan.sunk.push(Sunk { result, initial, value, insts });
            }
        }
        (!plan.sunk.is_empty()).then_some(plan)
    }

    /// Makes the loop carry the leaves and whether it went round, and computes the results from them.
    /// Returns what goes behind the loop.
    fn apply(&self, function: &mut Function, structure: &Structure, results: &mut Substitution) -> Vec<Inst> {
        let yes = function.constant(Type::BOOL, Constant::Bits(1));
        let no = function.constant(Type::BOOL, Constant::Bits(0));
        let ran = self.carry(function, structure, no, yes);
        let mut last = Vec::new();
        for &leaf in &self.leaves {
            let zero = function.zero(function.ty(leaf));
            let continuing = function.insts[self.inst].regions[1];
            let passed = function.add_region_param(continuing, function.ty(leaf));
            function.insts[self.next].operands.push(leaf);
            last.push((leaf, self.carry(function, structure, zero, passed)));
        }
        let mut out = Vec::new();
        for sunk in &self.sunk {
            let mut cloner = Cloner::new(function);
            cloner.represent(&last);
            out.extend(sunk.insts.iter().map(|&inst| cloner.inst(inst)));
            let value = cloner.value(sunk.value);
            let ty = function.ty(sunk.result);
            let mut emitter = Emitter::like(function, &mut out, self.inst);
            emitter.fast_math = FastMath::empty();
            let value = emitter.value(Op::Select, &[ran, value, sunk.initial], ty);
            results.set(sunk.result, value);
        }
        out
    }

    /// Carries one more value round the loop; returns the loop's result that it leaves.
    fn carry(&self, function: &mut Function, structure: &Structure, initial: Value, next: Value) -> Value {
        let ty = function.ty(initial);
        let param = function.add_region_param(function.insts[self.inst].regions[0], ty);
        function.insts[self.inst].operands.push(initial);
        function.insts[self.last].operands.push(next);
        for &exit in structure.exits(self.inst) {
            function.insts[exit].operands.push(param);
        }
        function.add_result(self.inst, ty)
    }
}

/// A loop, looked at.
struct Survey<'a> {
    function: &'a Function,
    structure: &'a Structure,
    uses: &'a FxHashMap<Value, Vec<Inst>>,
    body: Region,
}

impl Survey<'_> {
    fn uses(&self, value: Value) -> &[Inst] {
        self.uses.get(&value).map_or(&[], Vec::as_slice)
    }

    /// The result that a carried value becomes, if all exits make it that one and nothing else uses it.
    fn only_leaves(&self, inst: Inst, param: Value) -> Option<Value> {
        let exits = self.structure.exits(inst);
        let (uses, function) = (self.uses(param), self.function);
        if exits.is_empty() || uses.len() != exits.len() || !uses.iter().all(|exit| exits.contains(exit)) {
            return None;
        }
        let position = function.insts[exits[0]].operands.iter().position(|&operand| operand == param)?;
        let agree = exits.iter().all(|&exit| function.insts[exit].operands[position] == param);
        agree.then(|| function.insts[inst].results[position])
    }

    /// The value of the body that comes to the end of an iteration as this one, if nothing else uses it on
    /// its way.
    fn passed_on(&self, plan: &Plan, value: Value) -> Option<Value> {
        let ValueDef::RegionParam(region, position) = self.function.values[value].def else {
            return (self.uses(value) == [plan.last]).then_some(value);
        };
        let passes = region == self.function.insts[plan.inst].regions[1] && self.uses(value) == [plan.last];
        let passed = *self.function.insts[plan.next].operands.get(position as usize)?;
        (passes && self.uses(passed) == [plan.next]).then_some(passed)
    }

    /// The computations of the body that lead to a value and to nothing else, and what of the loop they are
    /// made from.
    fn tree(&self, value: Value) -> (Vec<Inst>, Vec<Value>) {
        let mut insts = Vec::new();
        let mut inside: FxHashSet<Inst> = FxHashSet::default();
        for &inst in self.function.regions[self.body].insts.iter().rev() {
            let data = &self.function.insts[inst];
            let [result] = data.results[..] else { continue };
            let leads = result == value
                || !self.uses(result).is_empty()
                    && self.uses(result).iter().all(|user| inside.contains(user));
            if leads && data.op.is_computation() {
                inside.insert(inst);
                insts.push(inst);
            }
        }
        insts.reverse();
        let mut leaves = Vec::new();
        for &operand in insts.iter().flat_map(|&inst| &self.function.insts[inst].operands) {
            let is_leaf = match self.function.values[operand].def {
                ValueDef::Result(inst, _) => {
                    self.structure.parent(inst) == Some(self.body) && !inside.contains(&inst)
                }
                ValueDef::RegionParam(region, _) => region == self.body,
                _ => false,
            };
            if is_leaf && !leaves.contains(&operand) {
                leaves.push(operand);
            }
        }
        (insts, leaves)
    }
}

fn sink(function: &mut Function, structure: &Structure, plans: &[Plan]) {
    let mut results = Substitution::default();
    for plan in plans {
        let behind = plan.apply(function, structure, &mut results);
        let region = structure.parent(plan.inst).expect("the loop is in the function");
        let insts = &mut function.regions[region].insts;
        let at = insts.iter().position(|&inst| inst == plan.inst).expect("it is in its region") + 1;
        insts.splice(at..at, behind);
    }
    results.apply(function);
}
