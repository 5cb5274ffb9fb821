//! Kernels that the host launches by itself do their work once, however often they are launched.
//!
//! Compilers of C++ for OpenCL give applications such kernels by name, to be launched by hand. One that does
//! so must not initialise twice what the host has initialised. The kernel becomes a function, which a new
//! kernel calls when a variable in global memory says that it was not called before. The host launches it
//! before every kernel that could race with it.

use super::Context;
use crate::TranslateError;
use clvk_interface::ProgramHook;
use clvk_ir::{
    AddressSpace, Builder, CompareOp, Func, Function, GlobalData, Initializer, Module, Op, Scalar, Type,
};

/// Runs the pass.
///
/// # Errors
/// None.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    for hook in [ProgramHook::Initializer, ProgramHook::Finalizer] {
        let kernels: Vec<Func> = context.module.hooks(hook).collect();
        for kernel in kernels {
            guard(context.module, kernel);
        }
    }
    Ok(())
}

/// Moves a kernel's work to a function that is called once.
fn guard(module: &mut Module, kernel: Func) {
    let flag_name = format!("{}.done", module.functions[kernel].name);
    // A module that was SPIR-V for OpenCL, made by us, has this code.
    if module.globals.iter().any(|(_, global)| global.name == flag_name) {
        return;
    }
    let function = &mut module.functions[kernel];
    let mut guarded = Function::new(function.name.clone(), None);
    guarded.kernel = function.kernel.take();
    guarded.span = function.span;
    let name = function.name.clone();
    function.name = format!("{name}.work");
    let flag = module.globals.push(GlobalData {
        name: flag_name.clone(),
        space: AddressSpace::Global,
        size: 4,
        align: 4,
        is_read_only: false,
        initializer: Initializer::Zero,
    });
    module.linkage.internal_globals.insert(flag_name);
    module.linkage.internal_functions.insert(format!("{name}.work"));
    let [body, then, otherwise] = [(); 3].map(|()| guarded.add_region());
    guarded.body = Some(body);
    let (int, span) = (Type::Scalar(Scalar::I32), guarded.span);
    let mut builder = Builder::new(&mut guarded, body);
    builder.set_span(span);
    let flag = builder.function.global(Type::Pointer(AddressSpace::Global), flag);
    let done = builder.load(flag, int, 4, false);
    let (zero, one) = (builder.function.int(int, 0), builder.function.int(int, 1));
    let is_first = builder.compare(CompareOp::Eq, done, zero);
    let choice = builder.push_with_regions(Op::If, &[is_first], &[], &[then, otherwise]);
    builder.push(Op::Return, &[], &[]);
    builder.switch_to(then);
    builder.store(flag, one, 4, false);
    builder.push(Op::Call(kernel), &[], &[]);
    builder.push(Op::Exit(choice), &[], &[]);
    builder.switch_to(otherwise);
    builder.push(Op::Exit(choice), &[], &[]);
    module.functions.push(guarded);
}
