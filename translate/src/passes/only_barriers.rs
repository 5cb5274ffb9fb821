//! Refuses what WGSL's memory model cannot order, and removes what orders nothing.
//!
//! In WGSL, atomic operations are relaxed, and only barriers that a whole work-group executes order other
//! accesses. So atomic operations and fences with another order, and barriers that order memory beyond the
//! work-group, have no translation, and neither have barriers of sub-groups. A fence that orders nothing is
//! omitted: a work-item sees its own accesses in order.

use super::{Context, cursor::Cursor};
use crate::TranslateError;
use clvk_ir::{FenceFlags, Function, Inst, MemoryOrder, Op, Scope};

/// See the module.
///
/// # Errors
/// The operations that have no translation.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    let mut errors = Vec::new();
    let has_sub_groups = context.profile.has_sub_groups();
    for function in context.module.kernels_mut() {
        let mut cursor = Cursor::new(function);
        while let Some(inst) = cursor.advance() {
            if orders_nothing(&cursor.function.insts[inst].op, has_sub_groups) {
                continue;
            }
            errors.extend(refusal(cursor.function, inst));
            cursor.keep(inst);
        }
    }
    // One message for each place and problem, however often the place was inlined.
    errors.dedup();
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

fn orders_nothing(op: &Op, has_sub_groups: bool) -> bool {
    let Op::Fence { order, scope, flags } = *op else { return false };
    // Without sub-groups, each work-item is one of its own.
    let alone = match scope {
        Scope::WorkItem => true,
        Scope::SubGroup => !has_sub_groups,
        _ => false,
    };
    let alone = alone && !flags.contains(FenceFlags::IMAGE);
    order == MemoryOrder::Relaxed || flags.is_empty() || alone
}

fn refusal(function: &Function, inst: Inst) -> Option<TranslateError> {
    let data = &function.insts[inst];
    let relaxed = |order| order == MemoryOrder::Relaxed;
    let wide = |scope| matches!(scope, Scope::Device | Scope::AllDevices);
    let (problem, remedy) = match data.op {
        Op::Fence { .. } => (
            "orders memory by a fence, and WGSL has only barriers",
            "use a barrier that the whole work-group executes",
        ),
        Op::Barrier { execution: Scope::SubGroup, .. } => (
            "has a barrier of sub-groups, and WGSL has only those of work-groups",
            "use a barrier that the whole work-group executes, or compile without the feature `subgroups`",
        ),
        Op::Barrier { memory, .. } if wide(memory) => (
            "orders memory beyond the work-group by a barrier, which WGSL cannot",
            "use `memory_scope_work_group`, or several launches",
        ),
        Op::AtomicRmw { order, .. } | Op::AtomicLoad { order, .. } | Op::AtomicStore { order, .. }
            if !relaxed(order) =>
        {
            ("has an atomic operation that orders other memory, and WGSL's are relaxed", RELAX)
        }
        Op::AtomicCompareExchange { success, failure, .. } if !(relaxed(success) && relaxed(failure)) => {
            ("has an atomic operation that orders other memory, and WGSL's are relaxed", RELAX)
        }
        _ => return None,
    };
    Some(TranslateError::of_kernel(function, problem).at(data.span).remedy(remedy))
}

const RELAX: &str = "where the order does not matter, use `memory_order_relaxed`";
