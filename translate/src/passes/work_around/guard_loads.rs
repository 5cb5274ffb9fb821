//! Prevents drivers from executing loads in conditional code where no work-item executes them
//! ([`Quirk::UnguardedLoads`]).
//!
//! The driver reads an address that is the same for all work-items once, without checking whether any of them
//! reads it. So the pass adds a zero to each address: a bit that is clear in every work-item's number, which
//! the driver cannot know to be the same for all. The number is that in the sub-group, or that in the
//! work-group for a device whose sub-groups cannot be used.

use crate::TranslateError;
use crate::passes::{Context, cursor::Cursor, simplify::dce};
use clvk_interface::Quirk;
use clvk_ir::{AddressSpace, BinaryOp, ConvertOp, Function, InputVariable, Inst, Op, Type, Value};

/// The bit of a work-item's number that is always zero, because groups are smaller.
const CLEAR_BIT: i64 = 31;

/// See the module.
///
/// # Errors
/// None.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    if !context.profile.has(Quirk::UnguardedLoads) {
        return Ok(());
    }
    let number = match context.profile.has_sub_groups() {
        true => InputVariable::SubgroupLocalInvocationId,
        false => InputVariable::LocalInvocationIndex,
    };
    for function in context.module.bodies_mut() {
        guard(function, number);
    }
    Ok(())
}

fn guard(function: &mut Function, number: InputVariable) {
    let Some(body) = function.body else { return };
    let mut cursor = Cursor::new(function);
    let item = cursor.value(Op::Input(number), &[], Type::I32);
    let zero = cursor.binary_int(BinaryOp::LShr, item, CLEAR_BIT);
    let zero = cursor.convert(ConvertOp::ZeroExtend, zero, Type::I64);
    while let Some(inst) = cursor.advance() {
        let address = if cursor.region() == body { None } else { loaded_address(cursor.function, inst) };
        let Some((address, space)) = address else {
            cursor.keep(inst);
            continue;
        };
        let address = cursor.get(address);
        let address = cursor.binary(BinaryOp::Add, address, zero);
        let ty = Type::Pointer(space);
        let pointer = cursor.value(Op::PhysicalPointer(space), &[address], ty);
        cursor.keep_with(inst, &[pointer]);
    }
    // The previous pointers, and the zero if it was not added to anything.
    dce::run(function);
}

/// The address that an instruction loads from.
fn loaded_address(function: &Function, inst: Inst) -> Option<(Value, AddressSpace)> {
    let data = &function.insts[inst];
    if !matches!(data.op, Op::Load { .. } | Op::AtomicLoad { .. }) {
        return None;
    }
    let pointer = &function.insts[function.defining_inst(data.operands[0])?];
    match pointer.op {
        Op::PhysicalPointer(space) => Some((pointer.operands[0], space)),
        _ => None,
    }
}
