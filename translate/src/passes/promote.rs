//! Promotes private variables to values.
//!
//! A variable is promoted if it is only loaded, stored and cleared as a whole, always with the same number of
//! bytes. Where a construct (`if`, `loop`, `switch`, `block`) stores to the variable, its value becomes a
//! result of the construct, and for a loop also a parameter; variables that are not stored to inside are not
//! carried. A variable lives in the region of its `Alloca` and may hold any value each time that instruction
//! is executed (OpenCL C §6.7.2: automatic storage).
//!
//! Redundant parameters and results are pruned at the end ([`super::simplify::prune`]). Splitting structures
//! and arrays is another pass ([`super::split_aggregates`]).

use super::Context;
use super::rewrite::{Emitter, Substitution};
use super::simplify::{dce, prune};
use super::structure::{Structure, with_stack};
use crate::TranslateError;
use clvk_ir::{Constant, Function, Inst, Op, Region, Type, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// Runs the pass.
///
/// # Errors
/// None.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    for (_, function) in context.module.functions.iter_mut() {
        promote_and_prune(function);
    }
    Ok(())
}

/// Promotes the variables of a function, and drops what that makes needless. Variables that promoted ones
/// pointed to are accessed directly then, and may be promoted in turn.
pub fn promote_and_prune(function: &mut Function) {
    loop {
        let promoted = promote(function);
        if promoted != Promoted::Nothing {
            prune::run(function);
            dce::run(function);
        }
        if promoted != Promoted::Pointers {
            return;
        }
    }
}

/// The kind of variables that were promoted.
#[derive(PartialEq)]
enum Promoted {
    Nothing,
    Numbers,
    /// Some held pointers.
    Pointers,
}

/// Promotes the variables of a function that are only accessed as a whole.
fn promote(function: &mut Function) -> Promoted {
    let Some(body) = function.body else { return Promoted::Nothing };
    let variables = Variables::find(function);
    if variables.types.is_empty() {
        return Promoted::Nothing;
    }
    let pointers = variables.types.iter().any(|ty| ty.is_pointer());
    let structure = Structure::of(function);
    let carried = carried_variables(function, &structure, &variables);
    let current = vec![None; variables.types.len()];
    let mut promoter =
        Promoter { function, variables, carried, current, substitution: Substitution::default() };
    promoter.region(body);
    if pointers { Promoted::Pointers } else { Promoted::Numbers }
}

/// The variables to promote.
struct Variables {
    /// Position of the variable that an `Alloca`'s result is the address of.
    index: FxHashMap<Value, usize>,
    types: Vec<Type>,
}

impl Variables {
    /// Finds those that are only accessed as a whole.
    fn find(function: &Function) -> Self {
        let mut allocas: Vec<Value> = Vec::new();
        let mut types: FxHashMap<Value, Option<Type>> = FxHashMap::default();
        let mut rejected: FxHashSet<Value> = FxHashSet::default();
        function.walk(|_, data| {
            if let Op::Alloca { .. } = data.op {
                allocas.push(data.results[0]);
                types.insert(data.results[0], None);
                return;
            }
            for (position, operand) in data.operands.iter().enumerate() {
                let Some(known) = types.get(operand).copied() else { continue };
                let ty = match data.op {
                    Op::Load { volatile: false, .. } => function.ty(data.results[0]),
                    Op::Store { volatile: false, .. } if position == 0 => function.ty(data.operands[1]),
                    Op::MemoryZero { .. } => continue,
                    _ => {
                        rejected.insert(*operand);
                        continue;
                    }
                };
                match known {
                    None => drop(types.insert(*operand, Some(ty))),
                    Some(first) if first.access_size() != ty.access_size() => drop(rejected.insert(*operand)),
                    Some(_) => {}
                }
            }
        });
        // Clearing some of the bytes is rare, so such a variable stays in memory.
        function.walk(|_, data| {
            if let Op::MemoryZero { size, .. } = data.op {
                let accessed = types.get(&data.operands[0]).copied().flatten().map_or(0, Type::access_size);
                if size < u64::from(accessed) {
                    rejected.insert(data.operands[0]);
                }
            }
        });
        let mut variables = Variables { index: FxHashMap::default(), types: Vec::new() };
        for alloca in allocas {
            if !rejected.contains(&alloca) {
                variables.index.insert(alloca, variables.types.len());
                variables.types.push(types[&alloca].unwrap_or(Type::I8));
            }
        }
        variables
    }
}

/// For each construct, the outer variables that it stores to, in order.
fn carried_variables(
    function: &Function,
    structure: &Structure,
    variables: &Variables,
) -> FxHashMap<Inst, Vec<usize>> {
    let mut seen: FxHashSet<(Inst, usize)> = FxHashSet::default();
    let mut carried: FxHashMap<Inst, Vec<usize>> = FxHashMap::default();
    function.walk(|inst, data| {
        if !matches!(data.op, Op::Store { .. } | Op::MemoryZero { .. }) {
            return;
        }
        let Some(&variable) = variables.index.get(&data.operands[0]) else { return };
        let alloca =
            function.defining_inst(data.operands[0]).expect("an alloca's result is an instruction's");
        let home = structure.parent(alloca);
        let mut region = structure.parent(inst);
        while region != home {
            let at = region.expect("a store lies in the region of its variable");
            let owner = structure.owner(at).expect("only the body has no owner");
            if !seen.insert((owner, variable)) {
                break;
            }
            carried.entry(owner).or_default().push(variable);
            region = structure.parent(owner);
        }
    });
    carried
}

struct Promoter<'f> {
    function: &'f mut Function,
    variables: Variables,
    carried: FxHashMap<Inst, Vec<usize>>,
    /// What each variable holds at this point; `None` before its `Alloca`.
    current: Vec<Option<Value>>,
    substitution: Substitution,
}

impl Promoter<'_> {
    fn region(&mut self, region: Region) {
        let insts = std::mem::take(&mut self.function.regions[region].insts);
        let mut out = Vec::with_capacity(insts.len());
        for inst in insts {
            self.inst(inst, &mut out);
        }
        self.function.regions[region].insts = out;
    }

    fn inst(&mut self, inst: Inst, out: &mut Vec<Inst>) {
        let data = &mut self.function.insts[inst];
        for operand in &mut data.operands {
            *operand = self.substitution.resolve(*operand);
        }
        let op = data.op.clone();
        match op {
            Op::Alloca { .. } => {
                let address = self.function.insts[inst].results[0];
                match self.variables.index.get(&address) {
                    Some(&variable) => {
                        self.current[variable] = Some(self.function.undef(self.variables.types[variable]));
                    }
                    None => out.push(inst),
                }
            }
            Op::Load { .. } | Op::Store { .. } | Op::MemoryZero { .. } => self.access(inst, &op, out),
            Op::If | Op::Switch(_) | Op::Block | Op::Loop(_) => {
                self.construct(inst, &op);
                out.push(inst);
            }
            Op::Exit(target) | Op::Continue(target) => {
                self.append_current(inst, target);
                out.push(inst);
            }
            _ => out.push(inst),
        }
    }

    /// A load gives the current value; a store sets it.
    fn access(&mut self, inst: Inst, op: &Op, out: &mut Vec<Inst>) {
        let address = self.function.insts[inst].operands[0];
        let Some(&variable) = self.variables.index.get(&address) else {
            out.push(inst);
            return;
        };
        let ty = self.variables.types[variable];
        let current = self.current[variable].expect("a use of a variable is after its alloca");
        match op {
            Op::Load { .. } => {
                let result = self.function.insts[inst].results[0];
                let to = self.function.ty(result);
                let value = Emitter::like(self.function, out, inst).reinterpret(current, to);
                self.substitution.set(result, value);
            }
            Op::Store { .. } => {
                let value = self.function.insts[inst].operands[1];
                let value = Emitter::like(self.function, out, inst).reinterpret(value, ty);
                self.current[variable] = Some(value);
            }
            _ => self.current[variable] = Some(self.function.constant(ty, Constant::Bits(0))),
        }
    }

    fn append_current(&mut self, inst: Inst, construct: Inst) {
        if let Some(carried) = self.carried.get(&construct) {
            let values = carried.iter().map(|&variable| {
                self.current[variable].expect("a carried variable is declared before its construct")
            });
            self.function.insts[inst].operands.extend(values);
        }
    }

    fn construct(&mut self, inst: Inst, op: &Op) {
        let carried = self.carried.get(&inst).cloned().unwrap_or_default();
        if op.is_loop() {
            self.append_current(inst, inst);
        }
        let before: Vec<_> = carried.iter().map(|&variable| self.current[variable]).collect();
        for region in self.function.insts[inst].regions.clone() {
            for (&variable, &value) in carried.iter().zip(&before) {
                self.current[variable] = match op {
                    Op::Loop(_) => {
                        Some(self.function.add_region_param(region, self.variables.types[variable]))
                    }
                    _ => value,
                };
            }
            with_stack(|| self.region(region));
            let end = self.function.terminator(region).expect("a region ends with a terminator");
            if self.function.insts[end].op == Op::NextIteration {
                self.append_current(end, inst);
            }
        }
        for &variable in &carried {
            self.current[variable] = Some(self.function.add_result(inst, self.variables.types[variable]));
        }
    }
}
