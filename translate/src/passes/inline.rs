//! Inlines every call, callees first, and drops all functions except the kernels and undefined functions,
//! whose calls remain.
//!
//! A callee whose only return ends its body is spliced in place of the call; otherwise its body becomes a
//! `block` and its returns become exits from it. The size of each function after inlining is known before
//! anything is copied, so a program that doubles at every call is refused instead of filling memory.
//! Recursion is refused (OpenCL C §6.11).

use super::Context;
use super::call_sites::CallSites;
use super::rewrite::Substitution;
use super::structure::with_stack;
use crate::TranslateError;
use clvk_ir::{
    Arena, EntityId, Func, Function, Global, Inst, Module, Op, Region, Span, Type, Value, ValueDef,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// The most instructions that a kernel may have after inlining.
pub const MAX_INSTRUCTIONS: u64 = 1 << 20;

/// Depth of nested regions that a kernel may have after inlining; SPIR-V consumers must accept 1023.
pub const MAX_NESTING: u32 = 1000;

/// Runs the pass.
///
/// # Errors
/// Recursion, and kernels that become too large or too deeply nested.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    let order = callees_first(context.module).map_err(|error| vec![error])?;
    check_sizes(context.module, &order)?;
    for &func in &order {
        let mut function = std::mem::take(&mut context.module.functions[func]);
        inline_calls(&mut function, &context.module.functions, &mut context.call_sites);
        context.module.functions[func] = function;
    }
    keep_kernels(context.module);
    Ok(())
}

/// The calls of a function with their positions; a callee is listed as often as it is called.
fn calls(function: &Function) -> Vec<(Func, Span)> {
    let mut calls = Vec::new();
    function.walk(|_, data| {
        if let Op::Call(callee) = data.op {
            calls.push((callee, data.span));
        }
    });
    calls
}

/// The functions that the kernels reach, callees before callers.
fn callees_first(module: &Module) -> Result<Vec<Func>, TranslateError> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done,
    }
    let mut state = vec![State::New; module.functions.len()];
    let mut order = Vec::new();
    for kernel in module.kernels() {
        if state[kernel.index()] != State::New {
            continue;
        }
        state[kernel.index()] = State::Open;
        let mut stack = vec![(kernel, calls(&module.functions[kernel]))];
        while let Some((func, callees)) = stack.last_mut() {
            let func = *func;
            match callees.pop() {
                None => {
                    state[func.index()] = State::Done;
                    order.push(func);
                    stack.pop();
                }
                Some((callee, span)) => match state[callee.index()] {
                    State::Done => {}
                    State::Open => {
                        let path: Vec<_> = stack.iter().map(|(func, _)| *func).collect();
                        return Err(recursion(module, &path, callee, span));
                    }
                    State::New => {
                        state[callee.index()] = State::Open;
                        stack.push((callee, calls(&module.functions[callee])));
                    }
                },
            }
        }
    }
    Ok(order)
}

fn recursion(module: &Module, path: &[Func], callee: Func, span: Span) -> TranslateError {
    let name = |func: &Func| module.functions[*func].name.clone();
    let start = path.iter().position(|func| *func == callee).expect("an open function is on the path");
    let mut cycle: Vec<_> = path[start..].iter().map(name).collect();
    if cycle.len() > 8 {
        let omitted = cycle.len() - 8;
        cycle.splice(4..4 + omitted, [format!("({omitted} more)")]);
    }
    cycle.push(name(&callee));
    let problem = format!("calls functions recursively (OpenCL C §6.11): {}", cycle.join(" calls "));
    TranslateError::of_program(problem)
        .at(span)
        .remedy("use a loop, with an array as its stack if it needs one")
}

/// Refuses kernels that would become too large.
fn check_sizes(module: &Module, order: &[Func]) -> Result<(), Vec<TranslateError>> {
    let mut sizes: FxHashMap<Func, (u64, u32)> = FxHashMap::default();
    for &func in order {
        let function = &module.functions[func];
        let (size, depth) = measure(function, &sizes);
        sizes.insert(func, (size, depth));
        let reason = if size > MAX_INSTRUCTIONS {
            format!("has more than {MAX_INSTRUCTIONS} instructions after its calls are inlined")
        } else if depth > MAX_NESTING {
            format!("nests more than {MAX_NESTING} control structures after its calls are inlined")
        } else {
            continue;
        };
        let error = match function.kernel {
            Some(_) => TranslateError::of_kernel(function, format!("is too large: it {reason}")),
            None => {
                let problem = format!("calls `{}`, which is too large: it {reason}", function.name);
                TranslateError::of_program(problem).at(function.span)
            }
        };
        return Err(vec![error.remedy("split it into smaller kernels")]);
    }
    Ok(())
}

/// Instructions and nesting of a function once its calls are inlined.
fn measure(function: &Function, sizes: &FxHashMap<Func, (u64, u32)>) -> (u64, u32) {
    let (mut size, mut deepest) = (0u64, 0u32);
    let mut regions: Vec<(Region, u32)> = function.body.map(|body| (body, 1)).into_iter().collect();
    while let Some((region, depth)) = regions.pop() {
        deepest = deepest.max(depth);
        for &inst in &function.regions[region].insts {
            let data = &function.insts[inst];
            size = size.saturating_add(1);
            if let Op::Call(callee) = data.op {
                let (callee_size, callee_depth) = sizes[&callee];
                size = size.saturating_add(callee_size);
                deepest = deepest.max(depth.saturating_add(callee_depth));
            }
            regions.extend(data.regions.iter().map(|&nested| (nested, depth + 1)));
        }
    }
    (size, deepest)
}

/// Inlines the calls of one function; the callees no longer contain calls.
fn inline_calls(function: &mut Function, functions: &Arena<Func, Function>, sites: &mut CallSites) {
    let mut substitution = Substitution::default();
    let mut regions: Vec<_> = function.body.into_iter().collect();
    while let Some(region) = regions.pop() {
        let insts = std::mem::take(&mut function.regions[region].insts);
        let mut out = Vec::with_capacity(insts.len());
        for inst in insts {
            regions.extend(function.insts[inst].regions.iter().copied());
            let Op::Call(callee) = function.insts[inst].op else {
                out.push(inst);
                continue;
            };
            if functions[callee].body.is_none() {
                out.push(inst);
                continue;
            }
            let (callee, substituted) = (&functions[callee], &mut substitution);
            let value = inline_call(function, inst, callee, substituted, sites, &mut out);
            if let (Some(&result), Some(value)) = (function.insts[inst].results.first(), value) {
                substitution.set(result, value);
            }
        }
        function.regions[region].insts = out;
    }
    substitution.apply(function);
}

/// Copies the callee to the end of `out`; returns its result.
fn inline_call(
    function: &mut Function,
    call: Inst,
    callee: &Function,
    substitution: &mut Substitution,
    sites: &mut CallSites,
    out: &mut Vec<Inst>,
) -> Option<Value> {
    let body = callee.body.expect("a declaration is not inlined");
    let span = function.insts[call].span;
    let mut values: Vec<Option<Value>> = vec![None; callee.values.len()];
    for (&param, &argument) in callee.params.iter().zip(&function.insts[call].operands) {
        values[param.index()] = Some(substitution.get(argument));
    }
    let mut returns = 0;
    callee.walk(|_, data| returns += u32::from(data.op == Op::Return));
    let end = callee.terminator(body).expect("a region ends with a terminator");
    let constructs = FxHashMap::default();
    let mut copier = Copier { function, callee, span, sites, values, constructs, exit: None };
    if returns == 1 && callee.insts[end].op == Op::Return {
        for &inst in &callee.regions[body].insts[..callee.regions[body].insts.len() - 1] {
            let copy = copier.inst(inst);
            out.push(copy);
        }
        return callee.insts[end].operands.first().map(|&value| copier.value(value));
    }
    let region = copier.function.add_region();
    let types: Vec<Type> = callee.result.filter(|ty| *ty != Type::Void).into_iter().collect();
    let block = copier.function.make_inst(Op::Block, &[], &types, &[region], span);
    copier.exit = Some(block);
    copier.region(body, region);
    out.push(block);
    function.insts[block].results.first().copied()
}

/// Copies a function's code into another function.
struct Copier<'a> {
    function: &'a mut Function,
    callee: &'a Function,
    /// The span for instructions without one: those of the library.
    span: Span,
    sites: &'a mut CallSites,
    values: Vec<Option<Value>>,
    constructs: FxHashMap<Inst, Inst>,
    /// The construct that a return leaves.
    exit: Option<Inst>,
}

impl Copier<'_> {
    fn value(&mut self, value: Value) -> Value {
        if let Some(copy) = self.values[value.index()] {
            return copy;
        }
        let data = &self.callee.values[value];
        let copy = match &data.def {
            ValueDef::Constant(constant) => self.function.constant(data.ty, constant.clone()),
            ValueDef::Global(global) => self.function.global(data.ty, *global),
            other => {
                unreachable!("a value of {:?} is used before its definition: {other:?}", self.callee.name)
            }
        };
        self.values[value.index()] = Some(copy);
        copy
    }

    fn region(&mut self, from: Region, to: Region) {
        for &param in &self.callee.regions[from].params {
            let copy = self.function.add_region_param(to, self.callee.ty(param));
            self.values[param.index()] = Some(copy);
        }
        for &inst in &self.callee.regions[from].insts {
            let copy = self.inst(inst);
            self.function.regions[to].insts.push(copy);
        }
    }

    fn inst(&mut self, inst: Inst) -> Inst {
        let callee = self.callee;
        let data = &callee.insts[inst];
        let operands: Vec<_> = data.operands.iter().map(|&operand| self.value(operand)).collect();
        let types: Vec<_> = data.results.iter().map(|&result| callee.ty(result)).collect();
        let regions: Vec<_> = data.regions.iter().map(|_| self.function.add_region()).collect();
        let op = match &data.op {
            Op::Return => Op::Exit(self.exit.expect("a body with several returns becomes a block")),
            Op::Exit(target) => Op::Exit(self.constructs[target]),
            Op::Continue(target) => Op::Continue(self.constructs[target]),
            other => other.clone(),
        };
        let span = match data.span {
            Span::NONE => self.span,
            own => self.sites.through(own, self.span),
        };
        let copy = self.function.make_inst(op, &operands, &types, &regions, span);
        self.function.insts[copy].fast_math = data.fast_math;
        if !regions.is_empty() {
            self.constructs.insert(inst, copy);
        }
        for (&from, &to) in data.regions.iter().zip(&regions) {
            with_stack(|| self.region(from, to));
        }
        for (index, &result) in data.results.iter().enumerate() {
            self.values[result.index()] = Some(self.function.insts[copy].results[index]);
        }
        copy
    }
}

/// Drops all functions except the kernels and the declarations that they call, which come after the kernels,
/// and the module-scope variables that they do not use.
fn keep_kernels(module: &mut Module) {
    let mut functions = std::mem::take(&mut module.functions);
    let kernels: Vec<Func> = functions.ids().filter(|&func| functions[func].kernel.is_some()).collect();
    for &kernel in &kernels {
        module.functions.push(std::mem::take(&mut functions[kernel]));
    }
    let mut declarations: FxHashMap<Func, Func> = FxHashMap::default();
    for kernel in module.kernels().collect::<Vec<_>>() {
        let called = calls(&module.functions[kernel]);
        for (callee, _) in called {
            let declare = || module.functions.push(std::mem::take(&mut functions[callee]));
            declarations.entry(callee).or_insert_with(declare);
        }
        for (_, data) in module.functions[kernel].insts.iter_mut() {
            if let Op::Call(callee) = &mut data.op
                && let Some(&declaration) = declarations.get(callee)
            {
                *callee = declaration;
            }
        }
    }
    let mut used: FxHashSet<Global> = FxHashSet::default();
    let mut queue: Vec<Global> = Vec::new();
    for (_, function) in module.functions.iter() {
        function.walk(|_, data| {
            queue.extend(data.operands.iter().filter_map(|&operand| match function.values[operand].def {
                ValueDef::Global(global) => Some(global),
                _ => None,
            }));
        });
    }
    while let Some(global) = queue.pop() {
        if used.insert(global)
            && let clvk_ir::Initializer::Bytes { relocations, .. } = &module.globals[global].initializer
        {
            queue.extend(relocations.iter().map(|relocation| relocation.target));
        }
    }
    // Indices must remain valid, so an unused variable remains as an empty one.
    for (global, data) in module.globals.iter_mut() {
        if !used.contains(&global) {
            data.size = 0;
            data.initializer = clvk_ir::Initializer::None;
        }
    }
}
