//! Selects the kernels to translate: the others stay as plain functions, which a kernel may call (OpenCL C §6.8). Blocks that
//! are enqueued always stay.

use super::Context;
use crate::TranslateError;
use clvk_ir::Span;

/// Runs the pass.
///
/// # Errors
/// A kernel that is asked for does not exist.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    let exists = |name: &str| {
        context.module.function(name).is_some_and(|func| context.module.functions[func].kernel.is_some())
    };
    let errors: Vec<_> =
        context.kernels.iter().filter(|name| !exists(name)).map(|name| unknown(context, name)).collect();
    if !errors.is_empty() {
        return Err(errors);
    }
    if !context.kernels.is_empty() {
        for (_, function) in context.module.functions.iter_mut() {
            let is_block = function.kernel.as_ref().is_some_and(|kernel| kernel.is_block);
            if !is_block && !context.kernels.contains(&function.name) {
                function.kernel = None;
            }
        }
    }
    Ok(())
}

fn unknown(context: &Context<'_, '_>, name: &str) -> TranslateError {
    let known: Vec<_> =
        context.module.kernels().map(|func| context.module.functions[func].name.as_str()).collect();
    let message = if known.is_empty() {
        format!("there is no kernel called `{name}`: the program has no kernels")
    } else {
        format!("there is no kernel called `{name}`; the program has {}", known.join(", "))
    };
    TranslateError { kernel: Some(name.to_owned()), message, span: Span::NONE }
}
