//! Refuses calls of functions that nothing defines, where a kernel may reach them.
//!
//! Programs declare functions of other variants of themselves and call them in branches that constants rule
//! out. Such calls are gone here: conditions that are known were decided after inlining. Drops the
//! declarations.

use super::Context;
use crate::TranslateError;
use clvk_ir::{Func, Op};
use rustc_hash::FxHashSet;

/// Runs the pass.
///
/// # Errors
/// A function is called and not defined.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    let module = &mut *context.module;
    if module.functions.iter().all(|(_, function)| function.kernel.is_some()) {
        return Ok(());
    }
    let mut errors = Vec::new();
    let mut reported: FxHashSet<Func> = FxHashSet::default();
    for kernel in module.kernels() {
        let function = &module.functions[kernel];
        function.walk(|_, data| {
            if let Op::Call(callee) = data.op
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
    for (_, function) in functions.iter().filter(|(_, function)| function.kernel.is_some()) {
        module.functions.push(function.clone());
    }
    Ok(())
}
