//! Whether the kernels of a module tell addresses from descriptors.
//!
//! On a device with addresses, a program may reach buffers through descriptors where that is faster
//! ([`Preference::Descriptors`](clvk_interface::Preference)). Then a pointer is the number of a buffer and an
//! offset. Kernels that need more are refused when they are translated; [`needs_addresses`] finds those that
//! would be translated, and compute something else.

use clvk_interface::ImplicitBuffer;
use clvk_ir::{
    AddressSpace, BinaryOp, CompareOp, Constant, ConvertOp, Function, InstData, Module, Op, Type, Value,
};
use rustc_hash::FxHashSet;

/// The alignment of a buffer's first byte that is the same in both forms.
const SURE_ALIGNMENT: u64 = 16;

/// Whether the kernels of a module must reach buffers by addresses on a device that has them, because a host
/// could tell the difference:
///
/// - They show addresses: a pointer becomes an integer that may be stored, or two pointers are compared for
///   equality, which may be of one buffer that is two arguments.
/// - They have variables in global memory, which keep their contents from launch to launch in whichever form.
/// - They enqueue kernels, or the host launches some of them by itself, once for each form.
#[must_use]
pub fn needs_addresses(module: &Module) -> bool {
    module.globals.iter().any(|(_, global)| global.space == AddressSpace::Global)
        || module.functions.iter().any(|(_, function)| {
            function.kernel.as_ref().is_some_and(|kernel| kernel.is_block || kernel.hook.is_some())
                || shows_addresses(function)
        })
}

fn shows_addresses(function: &Function) -> bool {
    let mut numbers: FxHashSet<Value> = FxHashSet::default();
    function.walk(|_, data| {
        if data.op == Op::Convert(ConvertOp::PointerToInt) && is_global(function, data.operands[0]) {
            numbers.extend(&data.results);
        }
    });
    let mut shows = false;
    function.walk(|_, data| shows |= shows_address(function, data, &numbers));
    shows
}

/// Whether an instruction shows an address; `numbers` are the addresses that became integers.
fn shows_address(function: &Function, data: &InstData, numbers: &FxHashSet<Value>) -> bool {
    let is_number = |value: &Value| numbers.contains(value);
    let is_null = |value: &Value| function.as_constant(*value).is_some_and(Constant::is_zero);
    let mut operands = data.operands.iter();
    match data.op {
        Op::ImplicitBuffer(ImplicitBuffer::DeviceQueue) => true,
        // Whether it is null is known in both forms.
        Op::Compare(CompareOp::Eq | CompareOp::Ne) => {
            let is_address = |value: &Value| is_number(value) || is_global(function, *value);
            data.operands.iter().any(is_address) && !operands.any(is_null)
        }
        // Order and distance, which only pointers into one buffer have.
        Op::Compare(_) | Op::Binary(BinaryOp::Sub) => {
            data.operands.iter().any(is_number) && !operands.all(is_number)
        }
        // The alignment.
        Op::Binary(BinaryOp::And) if data.operands.iter().any(is_number) => {
            let is_small = |bits: u64| bits < SURE_ALIGNMENT;
            !operands
                .any(|value| function.as_constant(*value).and_then(|it| it.lane(0)).is_some_and(is_small))
        }
        _ => operands.any(is_number),
    }
}

/// Whether a value is a pointer that may point to global memory.
fn is_global(function: &Function, value: Value) -> bool {
    let shared = [AddressSpace::Global, AddressSpace::Constant, AddressSpace::Generic];
    shared.into_iter().any(|space| function.ty(value) == Type::Pointer(space))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a kernel with two buffers and this body needs addresses.
    fn needs(body: &str) -> bool {
        let text = format!(
            "kernel @k(\n  %0: ptr.global \"a\" \"int*\" buffer element i32 signed,\n  \
             %1: ptr.global \"b\" \"int*\" buffer element i32 signed,\n) {{\n{body}\n  return\n}}\n"
        );
        needs_addresses(&clvk_ir::text::parse_module(&text).unwrap())
    }

    #[test]
    fn what_shows_no_address_needs_none() {
        assert!(!needs("  %2: i32 = load %0 align 4\n  store %1, %2 align 4"));
        // Null, order, distance and alignment.
        assert!(!needs("  %2: i64 = ptrtoint %0\n  %3: bool = eq %2, 0:i64"));
        assert!(!needs(
            "  %2: i64 = ptrtoint %0\n  %3: i64 = ptrtoint %1\n  %4: bool = ult %2, %3\n  %5: i64 = sub %3, %2"
        ));
        assert!(!needs("  %2: i64 = ptrtoint %0\n  %3: i64 = and %2, 15:i64"));
    }

    #[test]
    fn addresses_that_leave_the_kernel_are_needed() {
        // Stored, by way of arithmetic or not.
        assert!(needs("  %2: i64 = ptrtoint %0\n  store %1, %2 align 8"));
        assert!(needs("  %2: i64 = ptrtoint %0\n  %3: i64 = and %2, 4095:i64\n  store %1, %3 align 8"));
        assert!(needs("  %2: i64 = ptrtoint %0\n  %3: i64 = sub %2, 1:i64\n  store %1, %3 align 8"));
        // One buffer may be both arguments.
        assert!(needs("  %2: i64 = ptrtoint %0\n  %3: i64 = ptrtoint %1\n  %4: bool = eq %2, %3"));
        // An integer from elsewhere.
        assert!(needs("  %2: i64 = ptrtoint %0\n  %3: i64 = load %1 align 8\n  %4: bool = ult %2, %3"));
    }
}
