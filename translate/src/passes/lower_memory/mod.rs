//! Pointers become typed: arrays with indices, or addresses.
//!
//! After this pass the only pointers are results of [`Op::ElementPointer`](clvk_ir::Op::ElementPointer) and [`Op::PhysicalPointer`](clvk_ir::Op::PhysicalPointer), made
//! where they are used, and no instruction makes, copies, clears or moves untyped memory. Pointer values that flow
//! through regions and memory are integers: 64-bit addresses, or 32-bit offsets into the one array that stands for all that the
//! pointer may point into.
//!
//! - [`objects`]: which variables a pointer may point into;
//! - [`views`]: the array that stands for them, recovered from the accesses;
//! - [`tables`]: the contents of constant arrays;
//! - [`pointers`]: the walk, and the arithmetic of pointers;
//! - [`access`]: loads, stores, copies;
//! - [`words`]: values that are only parts of the 32-bit words that memory consists of.

mod access;
mod objects;
mod pointers;
mod tables;
mod views;
mod words;

use super::Context;
use crate::TranslateError;
use clvk_interface::{ArgumentKind, KernelInterface};
use clvk_ir::{ElementCount, Func, Function, VariableSpace};
use objects::Objects;

/// Lowers the memory of every kernel.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    let kernels: Vec<Func> = context.module.kernels().collect();
    let mut errors = Vec::new();
    for kernel in kernels {
        let mut function = std::mem::take(&mut context.module.functions[kernel]);
        let mut objects = Objects::find(context.module, &function);
        objects.spread_addresses();
        let lowered = views::recover(context.module, &mut function, &objects, context.profile)
            .and_then(|views| pointers::lower(&mut function, &objects, &views, context.profile));
        if let Err(found) = lowered {
            errors.extend(found);
        }
        let interface = context.interface.kernels.iter_mut().find(|kernel| kernel.name == function.name);
        if let Some(interface) = interface {
            describe_local_memory(&function, interface);
        }
        context.module.functions[kernel] = function;
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// Tells the host the element sizes of `__local` arguments and how much local memory there is.
fn describe_local_memory(function: &Function, interface: &mut KernelInterface) {
    for (_, variable) in function.variables.iter() {
        if variable.space != VariableSpace::Local {
            continue;
        }
        let lanes = variable.element.lanes().next_power_of_two();
        let size = variable.element.scalar().map_or(1, clvk_ir::Scalar::size) * lanes;
        match variable.count {
            ElementCount::Fixed(count) => interface.static_local_memory += count * size,
            ElementCount::Specialised { spec_id } => {
                for argument in &mut interface.arguments {
                    if let ArgumentKind::Local { spec_id: id, element_size } = &mut argument.kind
                        && *id == spec_id
                    {
                        *element_size = size;
                    }
                }
            }
            ElementCount::Runtime => {}
        }
    }
}
