//! Replaces untyped pointers by typed access: arrays with indices, or addresses.
//!
//! After this pass the only pointers are results of [`Op::ElementPointer`](clvk_ir::Op::ElementPointer) and
//! [`Op::PhysicalPointer`](clvk_ir::Op::PhysicalPointer), made where they are used, and no instruction makes,
//! copies, clears or moves untyped memory. Pointer values that flow through regions are integers: 64-bit
//! addresses, or 32-bit offsets into the one array that represents everything that the pointer may point
//! into. If there are several such arrays, the integer is a tag that names one and an offset into it. In
//! memory, and where the source converts pointers to integers, all pointers have 64 bits: an address, or a
//! tag and an offset; null is zero.
//!
//! - [`objects`]: which variables a pointer may point into;
//! - [`views`]: the arrays that represent them, recovered from the accesses;
//! - [`device`]: what devices can hold in these arrays;
//! - [`shared`]: the arrays of local memory that several functions use;
//! - [`alignments`]: the known alignment of pointers;
//! - [`reach`]: which of these arrays each value can actually point into;
//! - [`shown`]: kernels that would compute something else with addresses;
//! - [`tables`]: the contents of constant arrays;
//! - [`pointers`]: the walk, and the arithmetic of pointers;
//! - [`targets`]: accesses through pointers into several memories;
//! - [`access`]: loads and stores;
//! - [`bulk`]: copies and fills;
//! - [`wide`]: numbers in arrays of vectors;
//! - [`float_atomics`] and [`narrow_atomics`]: atomic operations on floating-point numbers and on numbers of
//!   16 bits;
//! - [`matrices`]: loads and stores of cooperative matrices;
//! - [`exchange`]: the compare-exchange loops for these, and for stores to parts of words;
//! - [`vectors`]: whether descriptors are faster for a kernel;
//! - [`words`]: values that are only parts of the 32-bit words that memory consists of.

mod access;
mod alignments;
mod bulk;
mod device;
mod exchange;
mod float_atomics;
mod matrices;
mod narrow_atomics;
mod objects;
mod pointers;
mod reach;
mod shared;
mod shown;
mod tables;
mod targets;
mod vectors;
mod views;
mod wide;
mod words;

pub(super) use vectors::runs;

use super::Context;
use crate::TranslateError;
use clvk_interface::{
    AddressingMode, ArgumentKind, BufferLocation, DeviceProfile, ImplicitBuffer, KernelInterface, Preference,
};
use clvk_ir::{ElementCount, Func, Function, Module, Variable, VariableSpace};
use objects::Objects;
use rustc_hash::{FxHashMap, FxHashSet};
use shared::Shared;

/// Lowers the memory of every kernel and of the functions that they call.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    let bodies = context.module.functions.iter().filter(|(_, function)| function.body.is_some());
    let bodies: Vec<Func> = bodies.map(|(func, _)| func).collect();
    let physical = context.profile.addressing() == AddressingMode::Physical;
    let as_with_addresses = context.options.as_with_addresses && !physical;
    let wide = context.makes_wide_local_arrays();
    let mut errors = Vec::new();
    let shared = Shared::find(context, &bodies);
    for func in bodies {
        let mut function = std::mem::take(&mut context.module.functions[func]);
        let interface = context.interface.kernel(&function.name);
        let buffers = Buffers::of(&function, interface);
        let objects = Objects::find(context.module, &function, physical, buffers.holder);
        if let Err(found) = matrices::check(&function) {
            errors.push(found);
            context.module.functions[func] = function;
            continue;
        }
        let profile = context.profile;
        let lowered =
            views::recover(context.module, &mut function, &objects, profile, &buffers, &shared, wide)
                .and_then(|views| {
                    pointers::lower(&mut function, &objects, &views, profile, &buffers, as_with_addresses)
                });
        if let Err(found) = lowered {
            errors.extend(found);
        } else if let Some(interface) = interface.filter(|_| as_with_addresses) {
            errors.extend(why_addresses(&function, interface, context.profile));
        }
        context.module.functions[func] = function;
    }
    for kernel in context.module.kernels() {
        let name = &context.module.functions[kernel].name;
        if let Some(interface) = context.interface.kernels.iter_mut().find(|it| it.name == *name) {
            describe_local_memory(context.module, kernel, interface);
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// Why a kernel that does not show addresses should have them nevertheless.
fn why_addresses(
    kernel: &Function,
    interface: &KernelInterface,
    profile: &DeviceProfile,
) -> Option<TranslateError> {
    if interface.implicit_buffer(ImplicitBuffer::DeviceQueue).is_some() {
        return Some(TranslateError::of_kernel(
            kernel,
            "uses the device's queue, which both forms would share",
        ));
    }
    let is_faster = profile.prefers(Preference::Descriptors)
        || profile.prefers(Preference::VectorDescriptors) && vectors::mostly_vectors(kernel)
        || profile.prefers(Preference::FixedDescriptors) && vectors::mostly_fixed(kernel, interface);
    (!is_faster).then(|| TranslateError::of_kernel(kernel, "is not faster with descriptors"))
}

/// What the launch determines about the storage buffers.
#[derive(Default)]
pub struct Buffers {
    /// The one with the program's variables.
    holder: Option<Variable>,
    /// The one with private memory.
    private: Option<Variable>,
    /// The alignment of what the host passes, as log2 in bytes.
    alignments: FxHashMap<Variable, u32>,
}

impl Buffers {
    fn of(function: &Function, interface: Option<&KernelInterface>) -> Buffers {
        let mut buffers = Buffers::default();
        let Some(interface) = interface else { return buffers };
        for (variable, data) in function.variables.iter() {
            let VariableSpace::StorageBuffer { binding, .. } = data.space else { continue };
            if interface.implicit_buffer(ImplicitBuffer::ProgramVariables)
                == Some(BufferLocation::Descriptor { binding })
            {
                buffers.holder = Some(variable);
            }
            if interface.implicit_buffer(ImplicitBuffer::PrivateMemory)
                == Some(BufferLocation::Descriptor { binding })
            {
                buffers.private = Some(variable);
            }
            let argument = interface.arguments.iter().find(|argument| {
                matches!(argument.kind, ArgumentKind::StorageBuffer { binding: of, .. } if of == binding)
            });
            if let Some((argument, size)) =
                argument.and_then(|argument| Some((argument, argument.element.size()?)))
            {
                buffers.alignments.insert(variable, (size * argument.lanes.next_power_of_two()).ilog2());
            }
        }
        buffers
    }
}

/// Tells the host the element sizes of `__local` arguments and how much local memory there is.
fn describe_local_memory(module: &Module, kernel: Func, interface: &mut KernelInterface) {
    let reached = module.reachable([kernel]);
    let functions = module.functions.iter().filter(|(func, _)| reached.contains(func));
    let mut counted: FxHashSet<&str> = FxHashSet::default();
    for (_, variable) in functions.flat_map(|(_, function)| function.variables.iter()) {
        if variable.space != VariableSpace::Local || variable.shared && !counted.insert(&variable.name) {
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
