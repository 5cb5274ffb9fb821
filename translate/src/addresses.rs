//! Which kernels may run in two forms: with buffers reached through descriptors, and through addresses.
//!
//! On a device with addresses, a kernel may reach buffers through descriptors where that is faster
//! ([`Preference::Descriptors`](clvk_interface::Preference)). Launches of one program then take turns between
//! the forms, which are modules of their own. So kernels must not keep anything in a module; those that show
//! addresses are refused while they are translated
//! ([`TranslateOptions::as_with_addresses`](crate::TranslateOptions::as_with_addresses)).

use clvk_ir::{AddressSpace, Func, Global, Initializer, Module, Op, Type, Value, ValueDef};
use rustc_hash::FxHashSet;

/// The names of the kernels, in order, that keep nothing in their module:
///
/// - They do not reach variables in global memory, which keep their contents from launch to launch.
/// - They do not enqueue blocks, which are kernels of the same module.
/// - The host does not launch kernels of the module by itself, once for each form.
#[must_use]
pub fn kernels_without_state(module: &Module) -> Vec<&str> {
    let hooks = |func: Func| module.functions[func].kernel.as_ref().is_some_and(|it| it.hook.is_some());
    if module.kernels().any(hooks) {
        return Vec::new();
    }
    let free = module.kernels().filter(|&kernel| !has_state(module, kernel));
    free.map(|kernel| module.functions[kernel].name.as_str()).collect()
}

fn has_state(module: &Module, kernel: Func) -> bool {
    let reached = module.reachable([kernel]);
    let is_block = |func: &Func| module.functions[*func].kernel.as_ref().is_some_and(|it| it.is_block);
    reached.iter().any(is_block) || reached.iter().any(|&func| reaches_variables(module, func))
}

/// Whether a function names a variable in global memory, or a constant that leads to one.
fn reaches_variables(module: &Module, func: Func) -> bool {
    let named = |def: &ValueDef| if let ValueDef::Global(global) = def { Some(*global) } else { None };
    let mut waiting: Vec<Global> =
        module.functions[func].values.iter().filter_map(|(_, value)| named(&value.def)).collect();
    let mut known: FxHashSet<Global> = waiting.iter().copied().collect();
    while let Some(global) = waiting.pop() {
        let data = &module.globals[global];
        if data.space == AddressSpace::Global {
            return true;
        }
        if let Initializer::Bytes { relocations, .. } = &data.initializer {
            let targets = relocations.iter().map(|relocation| relocation.target);
            waiting.extend(targets.filter(|&target| known.insert(target)));
        }
    }
    false
}

/// The names of the kernels, in order, that may access vectors in buffers. The others gain nothing where
/// descriptors are faster for vectors alone.
#[must_use]
pub fn kernels_with_vectors(module: &Module) -> Vec<&str> {
    let reached = |kernel: Func| module.reachable([kernel]);
    let some =
        module.kernels().filter(|&kernel| reached(kernel).into_iter().any(|it| has_vectors(module, it)));
    some.map(|kernel| module.functions[kernel].name.as_str()).collect()
}

/// The names of the kernels, in order, that may read constant memory. The others gain nothing where
/// descriptors are faster for fixed places alone: constants are what is mostly read at such places, and to
/// translate all kernels twice takes time.
#[must_use]
pub fn kernels_with_constants(module: &Module) -> Vec<&str> {
    let is_constant = |func: Func| {
        let function = &module.functions[func];
        let mut found = false;
        function.walk(|_, data| {
            let mut operands = data.operands.iter();
            found |= operands.any(|&value| function.ty(value) == Type::Pointer(AddressSpace::Constant));
        });
        found
    };
    let some = module.kernels().filter(|&kernel| module.reachable([kernel]).into_iter().any(is_constant));
    some.map(|kernel| module.functions[kernel].name.as_str()).collect()
}

fn has_vectors(module: &Module, func: Func) -> bool {
    let function = &module.functions[func];
    let is_shared = |value: &Value| function.ty(*value).may_point_into_buffer();
    let is_vector = |value: &Value| function.ty(*value).lanes() > 1;
    let mut found = false;
    function.walk(|_, data| {
        found |= match data.op {
            Op::Load { .. } => is_vector(&data.results[0]) && is_shared(&data.operands[0]),
            Op::Store { .. } => is_vector(&data.operands[1]) && is_shared(&data.operands[0]),
            // Of the library, such as `vload4`.
            Op::Call(callee) if module.functions[callee].body.is_none() => {
                data.operands.iter().any(is_shared)
            }
            Op::MemoryCopy { .. } => data.operands.iter().any(is_shared),
            _ => false,
        };
    });
    found
}
