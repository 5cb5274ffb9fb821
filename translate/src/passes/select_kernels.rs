//! Selects the kernels to translate. The others become plain functions, which a kernel may call (OpenCL C
//! §6.8). Blocks remain kernels if the selected code enqueues them, and so do the kernels that the host
//! launches by itself; what the selected code does not reach becomes a declaration.

use super::Context;
use crate::TranslateError;
use clvk_ir::{Func, Function, Module};
use rustc_hash::FxHashSet;

/// Runs the pass. If all kernels are asked for, the functions that none of them reaches become declarations.
///
/// # Errors
/// A kernel that is asked for does not exist.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    run_for_opencl(context)?;
    if context.options.kernels.is_empty() {
        let reached = context.module.reachable(context.module.kernels());
        drop_others(context.module, &reached);
    }
    Ok(())
}

/// Runs the pass for OpenCL's SPIR-V, in which functions without a kernel stay.
///
/// # Errors
/// A kernel that is asked for does not exist.
pub fn run_for_opencl(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    let exists = |name: &str| {
        context.module.function(name).is_some_and(|func| context.module.functions[func].kernel.is_some())
    };
    let errors: Vec<_> = context
        .options
        .kernels
        .iter()
        .filter(|name| !exists(name))
        .map(|name| unknown(context, name))
        .collect();
    if !errors.is_empty() {
        return Err(errors);
    }
    if !context.options.kernels.is_empty() {
        select(context.module, &context.options.kernels);
    }
    Ok(())
}

fn select(module: &mut Module, kernels: &[String]) {
    let chosen = module.kernels().filter(|&func| {
        let function = &module.functions[func];
        kernels.contains(&function.name) || has_hook(function)
    });
    let reached = module.reachable(chosen);
    drop_others(module, &reached);
    for func in reached {
        let function = &mut module.functions[func];
        let is_block = function.kernel.as_ref().is_some_and(|kernel| kernel.is_block);
        if !is_block && !has_hook(function) && !kernels.contains(&function.name) {
            function.kernel = None;
        }
    }
}

/// Makes declarations of the functions that are not reached.
fn drop_others(module: &mut Module, reached: &FxHashSet<Func>) {
    for (func, function) in module.functions.iter_mut() {
        if !reached.contains(&func) {
            *function = declaration(function);
        }
    }
}

/// Whether the host launches a kernel by itself.
fn has_hook(function: &Function) -> bool {
    function.kernel.as_ref().is_some_and(|kernel| kernel.hook.is_some())
}

/// A function without its body.
fn declaration(function: &Function) -> Function {
    let mut declaration = Function::new(function.name.clone(), function.result());
    for &param in &function.params {
        declaration.add_param(function.ty(param));
    }
    declaration
}

fn unknown(context: &Context<'_, '_>, name: &str) -> TranslateError {
    let known: Vec<_> =
        context.module.kernels().map(|func| context.module.functions[func].name.as_str()).collect();
    TranslateError::of_program(if known.is_empty() {
        format!("has no kernel called `{name}`; it has no kernels at all")
    } else {
        format!("has no kernel called `{name}`; its kernels are {}", known.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clvk_ir::text::parse_module;

    #[test]
    fn blocks_stay_where_a_selected_kernel_enqueues_them() {
        let text = r#"
func @both(%0: i32) {
  %1: i32 = kernel_number @nested
  return
}

kernel @block() block {
  call @both 1:i32
  return
}

kernel @nested() block {
  return
}

kernel @other_block() block {
  return
}

kernel @other() {
  %0: i32 = kernel_number @other_block
  return
}

kernel @chosen() {
  %0: i32 = kernel_number @block
  return
}
"#;
        let mut module = parse_module(text).expect("it is right");
        select(&mut module, &["chosen".to_owned()]);
        let names = |funcs: Vec<Func>| -> Vec<&str> {
            funcs.into_iter().map(|func| module.functions[func].name.as_str()).collect()
        };
        assert_eq!(names(module.kernels().collect()), ["block", "nested", "chosen"]);
        let with_body = module.functions.ids().filter(|&func| module.functions[func].body.is_some());
        assert_eq!(names(with_body.collect()), ["both", "block", "nested", "chosen"]);
        clvk_ir::verify::verify(&module).expect("nothing names what is gone");
    }
}
