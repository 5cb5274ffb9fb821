//! Moves private memory that is too much for the device to a buffer, in which each work-item has its part.
//!
//! The largest variables move first, until the rest is small enough ([`DeviceProfile::private_memory`]).
//! Pointers to them remain private pointers in the terms of the language, with one exception: the address
//! space of a generic pointer is read from the pointer. Kernels that ask for it keep their variables up to
//! the device's limit ([`DeviceProfile::private_memory_limit`]), and beyond it they are refused.

use crate::TranslateError;
use crate::passes::rewrite::{Emitter, replace_insts};
use clvk_interface::{DeviceProfile, ImplicitBuffer};
use clvk_ir::{AddressSpace, Function, Inst, Op, Type, Value, WorkItemQuery};
use rustc_hash::FxHashMap;

/// Parts begin at multiples of this, as buffers do, which suits every type.
const ALIGNMENT: u64 = 128;

/// Moves variables to the buffer; returns the bytes that each work-item needs there.
pub(super) fn spill(function: &mut Function, profile: &DeviceProfile) -> Result<u64, Vec<TranslateError>> {
    let chosen = choose(function, u64::from(profile.private_memory()));
    if chosen.is_empty() {
        return Ok(0);
    }
    let mut asks = false;
    function.walk(|_, data| asks |= matches!(data.op, Op::PointerSpace));
    if asks {
        if choose(function, u64::from(profile.private_memory_limit())).is_empty() {
            return Ok(0);
        }
        let problem = format!(
            "has more private memory than the device's limit of {} bytes, and asks for the address space of a generic \
             pointer, which is supported only below that limit",
            profile.private_memory_limit()
        );
        let remedy = "make its arrays smaller or pass them as buffers";
        return Err(vec![TranslateError::of_kernel(function, problem).remedy(remedy)]);
    }
    let mut offsets = FxHashMap::default();
    let mut end = 0u64;
    for (inst, size) in chosen {
        offsets.insert(inst, end);
        end = end.saturating_add(size).next_multiple_of(ALIGNMENT);
    }
    replace_insts(function, |function, inst, out| {
        offsets.get(&inst).map(|&offset| place(Emitter::like(function, out, inst), offset, end))
    });
    Ok(end)
}

/// The variables that move, with their sizes.
fn choose(function: &Function, limit: u64) -> Vec<(Inst, u64)> {
    let mut variables = Vec::new();
    function.walk(|inst, data| {
        if let Op::Alloca { size, .. } = data.op {
            variables.push((inst, size));
        }
    });
    let mut total = variables.iter().fold(0u64, |total, (_, size)| total.saturating_add(*size));
    variables.sort_by_key(|&(inst, size)| (std::cmp::Reverse(size), inst));
    let leaving = variables.iter().take_while(|(_, size)| {
        let leaves = total > limit;
        total = total.saturating_sub(*size);
        leaves
    });
    leaving.copied().collect()
}

/// The pointer to a variable in this work-item's part.
fn place(mut emitter: Emitter<'_>, offset: u64, stride: u64) -> Value {
    let pointer = Type::Pointer(AddressSpace::Private);
    let start = emitter.value(Op::ImplicitBuffer(ImplicitBuffer::PrivateMemory), &[], pointer);
    let item = emitter.value(Op::WorkItem(WorkItemQuery::DispatchLinearId), &[], Type::I64);
    let part = emitter.value(Op::PointerIndex { stride }, &[start, item], pointer);
    emitter.pointer_offset(part, i64::try_from(offset).unwrap_or(i64::MAX))
}
