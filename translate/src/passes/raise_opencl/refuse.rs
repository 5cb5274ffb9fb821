//! What modules for OpenCL cannot express.

use crate::TranslateError;
use clvk_ir::{
    AddressSpace, EntityId, Func, Function, Initializer, InstData, KernelParamKind, Module, Op, Span, Type,
};
use rustc_hash::FxHashSet;

/// The problems of all functions that the roots reach, each once.
pub fn find(module: &Module, roots: &[Func]) -> Vec<TranslateError> {
    let mut errors = Vec::new();
    let mut seen: FxHashSet<(Span, &str)> = FxHashSet::default();
    for &root in roots {
        let named = &module.functions[root];
        if let Some(problem) = of_parameters(named) {
            errors.push(TranslateError::of_kernel(named, problem));
        }
        let mut reached: Vec<Func> = module.reachable([root]).into_iter().collect();
        reached.sort_unstable();
        for func in reached {
            module.functions[func].walk(|_, data| {
                let Some(problem) = of_operation(&data.op).or_else(|| of_print(module, data)) else { return };
                if seen.insert((data.span, problem)) {
                    errors.push(TranslateError::of_kernel(named, problem).at(data.span));
                }
            });
        }
    }
    errors.extend(circle(module));
    errors
}

/// The problem that variables point to each other in a circle: SPIR-V declares each before its address is
/// used.
fn circle(module: &Module) -> Option<TranslateError> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done,
    }
    let mut states = vec![State::New; module.globals.len()];
    for start in module.globals.ids() {
        let mut path = vec![(start, 0)];
        while let Some((global, position)) = path.pop() {
            let data = &module.globals[global];
            let targets = match &data.initializer {
                Initializer::Bytes { relocations, .. } => relocations.as_slice(),
                _ => &[],
            };
            let state = &mut states[global.index()];
            if *state == State::Done {
                continue;
            }
            *state = State::Open;
            match targets.get(position).map(|it| it.target) {
                None => *state = State::Done,
                Some(target) => {
                    path.push((global, position + 1));
                    if states[target.index()] == State::Open {
                        let name = &data.name;
                        return Some(TranslateError::of_program(format!(
                            "has the variable `{name}`, whose initialiser points in a circle; SPIR-V cannot say that"
                        )));
                    }
                    path.push((target, 0));
                }
            }
        }
    }
    None
}

fn of_parameters(function: &Function) -> Option<&'static str> {
    let params = &function.kernel.as_ref()?.params;
    params.iter().find_map(|param| match param.kind {
        KernelParamKind::Pipe { .. } => Some("takes a pipe, which cannot be written as SPIR-V for OpenCL"),
        KernelParamKind::Queue => Some("takes a queue, which cannot be written as SPIR-V for OpenCL"),
        _ => None,
    })
}

/// A format of `printf` in SPIR-V is a constant, or at least in constant memory.
fn of_print(module: &Module, data: &InstData) -> Option<&'static str> {
    let Op::Call(callee) = data.op else { return None };
    let format = module.printed_format(callee)?;
    let is_passed = module.print_formats[format as usize].text.is_none();
    let function = &module.functions[callee];
    let in_constants = || function.ty(function.params[0]) == Type::Pointer(AddressSpace::Constant);
    (is_passed && !in_constants()).then_some(
        "calls `printf` with a format that is not in constant memory, as SPIR-V for OpenCL demands",
    )
}

fn of_operation(op: &Op) -> Option<&'static str> {
    match op {
        Op::ImplicitBuffer(_) | Op::KernelNumber(_) | Op::HandleNumber => {
            Some("enqueues blocks, which cannot be written as SPIR-V for OpenCL")
        }
        _ => None,
    }
}
