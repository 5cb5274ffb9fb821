//! Inlines calls, callees first, and drops all functions except the kernels, undefined functions, whose calls
//! remain, and the large functions of large kernels that only compute ([`super::keep_calls`]).
//!
//! A callee whose only return ends its body is spliced in place of the call; otherwise its body becomes a
//! `block` and its returns become exits from it. The size of each function after inlining is known before
//! anything is copied, so a program that doubles at every call is refused instead of filling memory.
//! Recursion is refused (OpenCL C §6.11).

use super::Context;
use super::call_sites::CallSites;
use super::keep_calls::{self, Keeping, Kept};
use super::rewrite::replace_results;
use super::structure::{only_return, with_stack};
use crate::{Calls, TranslateError};
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
    let kept = keep_calls::choose(context.module, &order, context.calls);
    if kept.is_empty() {
        check_sizes(context.module, &order)?;
        for &func in &order {
            let mut function = std::mem::take(&mut context.module.functions[func]);
            let sites = &mut context.call_sites;
            inline_calls(&mut function, &context.module.functions, sites, |_| true);
            context.module.functions[func] = function;
        }
        keep_kernels(context.module, &kept);
        return Ok(());
    }
    let mut keeping = Keeping::new(kept, context.module, &order, context.profile);
    let mut sizes = Sizes::default();
    for &func in &order {
        let mut function = std::mem::take(&mut context.module.functions[func]);
        let inlined = inline_some(context.module, func, &mut function, &mut keeping, &mut sizes);
        context.module.functions[func] = function;
        inlined?;
    }
    if context.calls == Calls::Chosen {
        inline_lone_calls(context.module, &order, &mut keeping.kept);
    }
    keeping.pass_by_value(context.module, &order);
    keep_kernels(context.module, &keeping.kept);
    Ok(())
}

/// Instructions and nesting of functions once their calls are inlined.
type Sizes = FxHashMap<Func, (u64, u32)>;

/// Inlines the calls in one function, which is taken out of the module, except those that stay.
fn inline_some(
    module: &Module,
    func: Func,
    function: &mut Function,
    keeping: &mut Keeping,
    sizes: &mut Sizes,
) -> Result<(), Vec<TranslateError>> {
    let mut inlined = calls_where(function, |callee| !keeping.kept.stays(func, callee), module);
    while !inlined.is_empty() {
        check_size(function, &inlined, sizes)?;
        inline_calls(function, &module.functions, &mut CallSites::default(), |inst| inlined.contains(&inst));
        // What was inlined may call what stays elsewhere.
        inlined = calls_where(function, |callee| !keeping.kept.stays(func, callee), module);
    }
    let stays = keeping.kept.contains(func);
    if stays || !calls_where(function, |_| true, module).is_empty() {
        keep_calls::clean(function, &module.globals);
    }
    loop {
        let inlined = keeping.inexact_calls(module, func, function);
        if inlined.is_empty() {
            break;
        }
        check_size(function, &inlined, sizes)?;
        inline_calls(function, &module.functions, &mut CallSites::default(), |inst| inlined.contains(&inst));
        keep_calls::clean(function, &module.globals);
    }
    if stays {
        keeping.settle(func, function);
    }
    sizes.insert(func, measure(function, |_, _| (0, 0)));
    Ok(())
}

/// Inlines the functions that stayed in vain, because only one call of each is left.
fn inline_lone_calls(module: &mut Module, order: &[Func], kept: &mut Kept) {
    let mut counts: FxHashMap<Func, usize> = FxHashMap::default();
    let callers: Vec<Func> =
        order.iter().copied().filter(|&func| kept.contains(func) || is_kernel(module, func)).collect();
    for &func in &callers {
        for (callee, _) in calls(&module.functions[func]) {
            *counts.entry(callee).or_default() += 1;
        }
    }
    let lone: FxHashSet<Func> = callers.iter().copied().filter(|func| counts.get(func) == Some(&1)).collect();
    for &func in &callers {
        let mut function = std::mem::take(&mut module.functions[func]);
        let inlined = calls_where(&function, |callee| lone.contains(&callee), module);
        if !inlined.is_empty() {
            inline_calls(&mut function, &module.functions, &mut CallSites::default(), |inst| {
                inlined.contains(&inst)
            });
        }
        module.functions[func] = function;
    }
    for func in lone {
        kept.remove(func);
    }
}

fn is_kernel(module: &Module, func: Func) -> bool {
    module.functions[func].kernel.is_some()
}

/// The calls of defined functions for which a condition holds.
fn calls_where(function: &Function, holds: impl Fn(Func) -> bool, module: &Module) -> FxHashSet<Inst> {
    let mut found = FxHashSet::default();
    function.walk(|inst, data| {
        if let Op::Call(callee) = data.op
            && module.functions[callee].body.is_some()
            && holds(callee)
        {
            found.insert(inst);
        }
    });
    found
}

/// Refuses a function that would become too large by inlining these calls.
fn check_size(
    function: &Function,
    inlined: &FxHashSet<Inst>,
    sizes: &Sizes,
) -> Result<(), Vec<TranslateError>> {
    let size_of = |inst: Inst, callee: Func| if inlined.contains(&inst) { sizes[&callee] } else { (0, 0) };
    refuse_large(function, measure(function, size_of))
}

/// The calls of a function with their positions; a callee is listed as often as it is called.
pub(super) fn calls(function: &Function) -> Vec<(Func, Span)> {
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
    let sizes = sizes(module, order);
    order.iter().try_for_each(|func| refuse_large(&module.functions[*func], sizes[func]))
}

/// The sizes of functions, given with callees before callers.
fn sizes(module: &Module, order: &[Func]) -> Sizes {
    let mut sizes = Sizes::default();
    for &func in order {
        let size = measure(&module.functions[func], |_, callee| sizes[&callee]);
        sizes.insert(func, size);
    }
    sizes
}

/// The kernels with the most constructs inside each other, in them and in what they call.
pub(super) fn nesting(module: &Module) -> Result<Vec<(Func, u32)>, TranslateError> {
    let sizes = sizes(module, &callees_first(module)?);
    // The body is not inside of a construct.
    Ok(module.kernels().map(|kernel| (kernel, sizes[&kernel].1.saturating_sub(1))).collect())
}

/// Refuses a function of this size and nesting if it is too large.
fn refuse_large(function: &Function, (size, depth): (u64, u32)) -> Result<(), Vec<TranslateError>> {
    let reason = if size > MAX_INSTRUCTIONS {
        format!("has more than {MAX_INSTRUCTIONS} instructions after its calls are inlined")
    } else if depth > MAX_NESTING {
        format!("nests more than {MAX_NESTING} control structures after its calls are inlined")
    } else {
        return Ok(());
    };
    let error = match function.kernel {
        Some(_) => TranslateError::of_kernel(function, format!("is too large: it {reason}")),
        None => {
            let problem = format!("calls `{}`, which is too large: it {reason}", function.name);
            TranslateError::of_program(problem).at(function.span)
        }
    };
    Err(vec![error.remedy("split it into smaller kernels")])
}

/// Instructions and nesting of a function once its calls are inlined, which are those that `size_of` says of
/// the called function.
fn measure(function: &Function, size_of: impl Fn(Inst, Func) -> (u64, u32)) -> (u64, u32) {
    let (mut size, mut deepest) = (0u64, 0u32);
    let mut regions: Vec<(Region, u32)> = function.body.map(|body| (body, 1)).into_iter().collect();
    while let Some((region, depth)) = regions.pop() {
        deepest = deepest.max(depth);
        for &inst in &function.regions[region].insts {
            let data = &function.insts[inst];
            size = size.saturating_add(1);
            if let Op::Call(callee) = data.op {
                let (callee_size, callee_depth) = size_of(inst, callee);
                size = size.saturating_add(callee_size);
                deepest = deepest.max(depth.saturating_add(callee_depth));
            }
            regions.extend(data.regions.iter().map(|&nested| (nested, depth + 1)));
        }
    }
    (size, deepest)
}

/// Inlines the chosen calls of one function. Calls in what is inlined remain.
fn inline_calls(
    function: &mut Function,
    functions: &Arena<Func, Function>,
    sites: &mut CallSites,
    is_chosen: impl Fn(Inst) -> bool,
) {
    replace_results(function, |function, inst, out| {
        let Op::Call(callee) = function.insts[inst].op else { return None };
        let stays = functions[callee].body.is_none() || !is_chosen(inst);
        (!stays).then(|| inline_call(function, inst, &functions[callee], sites, out))
    });
}

/// Copies the callee to the end of `out`; returns its result.
fn inline_call(
    function: &mut Function,
    call: Inst,
    callee: &Function,
    sites: &mut CallSites,
    out: &mut Vec<Inst>,
) -> Option<Value> {
    let body = callee.body.expect("a declaration is not inlined");
    let span = function.insts[call].span;
    let mut values: Vec<Option<Value>> = vec![None; callee.values.len()];
    for (&param, &argument) in callee.params.iter().zip(&function.insts[call].operands) {
        values[param.index()] = Some(argument);
    }
    let constructs = FxHashMap::default();
    let mut copier = Copier { function, callee, span, sites, values, constructs, exit: None };
    if let Some(end) = only_return(callee) {
        for &inst in &callee.regions[body].insts[..callee.regions[body].insts.len() - 1] {
            let copy = copier.inst(inst);
            out.push(copy);
        }
        return callee.insts[end].operands.first().map(|&value| copier.value(value));
    }
    let region = copier.function.add_region();
    let types: Vec<Type> = callee.result().filter(|ty| *ty != Type::Void).into_iter().collect();
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

/// Drops all functions except the kernels, those that stay, and the declarations that they call, in this
/// order, and the module-scope variables that they do not use.
fn keep_kernels(module: &mut Module, kept: &Kept) {
    let kernels: Vec<Func> = module.kernels().collect();
    let reached = module.reachable(kernels.iter().copied());
    let mut functions = std::mem::take(&mut module.functions);
    let (mut with_body, mut declared) = (Vec::new(), Vec::new());
    for func in functions.ids().filter(|func| reached.contains(func)) {
        let function = &functions[func];
        if function.kernel.is_none() {
            if kept.contains(func) { with_body.push(func) } else { declared.push(func) }
        }
    }
    let mut numbers: FxHashMap<Func, Func> = FxHashMap::default();
    for func in kernels.into_iter().chain(with_body).chain(declared) {
        numbers.insert(func, module.functions.push(std::mem::take(&mut functions[func])));
    }
    for (_, function) in module.functions.iter_mut() {
        for (_, data) in function.insts.iter_mut() {
            if let Op::Call(callee) = &mut data.op
                && let Some(&number) = numbers.get(callee)
            {
                *callee = number;
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
