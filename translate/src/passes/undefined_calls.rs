//! Refuses calls of undefined functions, where a kernel may reach them.
//!
//! Some programs declare functions that only other variants of them define, and call them in branches that
//! constants rule out. Such calls are gone by now, because known conditions were decided after inlining. The
//! pass also drops the declarations.

use super::Context;
use crate::TranslateError;
use clvk_ir::{Func, Op};
use rustc_hash::FxHashSet;

/// Runs the pass.
///
/// # Errors
/// A kernel may call a function that is not defined.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    let module = &mut *context.module;
    if module.functions.iter().all(|(_, function)| function.body.is_some()) {
        return Ok(());
    }
    let mut errors = Vec::new();
    let mut reported: FxHashSet<Func> = FxHashSet::default();
    for kernel in module.kernels() {
        let function = &module.functions[kernel];
        function.walk(|_, data| {
            if let Op::Call(callee) = data.op
                && module.functions[callee].body.is_none()
                && reported.insert(callee)
            {
                let problem =
                    format!("calls `{}`, which is declared but never defined", module.functions[callee].name);
                let error = TranslateError::of_kernel(function, problem).at(data.span);
                errors.push(error.remedy("define it or remove the call"));
            }
        });
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let functions = std::mem::take(&mut module.functions);
    // The declarations come last, so the others keep their numbers.
    for (_, function) in functions.iter().filter(|(_, function)| function.body.is_some()) {
        module.functions.push(function.clone());
    }
    Ok(())
}
