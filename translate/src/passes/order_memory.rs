//! Reduces memory orders to those of SPIR-V for Vulkan.
//!
//! - Vulkan has no sequential consistency: a sequentially consistent operation becomes one that acquires and
//!   releases, after a fence that orders everything before it with everything after it.
//! - Loads at most acquire, stores at most release, and the order of a compare-exchange that succeeds is at
//!   least that of one that fails.
//! - An atomic operation that orders memory for its own work-item alone is relaxed.
//! - A fence that orders nothing is omitted: a work-item sees its own accesses in order, except those of
//!   images.
//! - A barrier orders at least local memory, for the work-items that wait at it.

use super::{Context, cursor::Cursor};
use crate::TranslateError;
use clvk_ir::{FenceFlags, Function, Inst, MemoryOrder, Op, Scope};

/// See the module.
///
/// # Errors
/// None.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    for function in context.module.kernels_mut() {
        order(function);
    }
    Ok(())
}

fn order(function: &mut Function) {
    let mut found = false;
    function.walk(|_, data| found |= has_order(&data.op));
    if !found {
        return;
    }
    let mut cursor = Cursor::new(function);
    while let Some(inst) = cursor.advance() {
        let op = cursor.function.insts[inst].op.clone();
        match op {
            Op::Fence { order, scope, flags } => {
                if let Some(fence) = fence(order, scope, flags) {
                    keep_as(&mut cursor, inst, fence);
                }
            }
            Op::Barrier { execution, memory, flags } => {
                let memory = if memory == Scope::WorkItem { execution } else { memory };
                let flags = flags | FenceFlags::LOCAL;
                keep_as(&mut cursor, inst, Op::Barrier { execution, memory, flags });
            }
            op if has_order(&op) => {
                if let Some(scope) = sequential(&op)
                    && let Some(fence) =
                        fence(MemoryOrder::AcquireRelease, scope, FenceFlags::LOCAL | FenceFlags::GLOBAL)
                {
                    cursor.push(fence, &[], &[], &[]);
                }
                keep_as(&mut cursor, inst, ordered(op));
            }
            _ => cursor.keep(inst),
        }
    }
}

fn keep_as(cursor: &mut Cursor<'_>, inst: Inst, op: Op) {
    cursor.function.insts[inst].op = op;
    cursor.keep(inst);
}

fn has_order(op: &Op) -> bool {
    matches!(
        op,
        Op::Fence { .. }
            | Op::Barrier { .. }
            | Op::AtomicRmw { .. }
            | Op::AtomicLoad { .. }
            | Op::AtomicStore { .. }
            | Op::AtomicCompareExchange { .. }
    )
}

/// A fence, if it orders anything.
fn fence(order: MemoryOrder, scope: Scope, flags: FenceFlags) -> Option<Op> {
    let alone = scope == Scope::WorkItem && !flags.contains(FenceFlags::IMAGE);
    if order == MemoryOrder::Relaxed || flags.is_empty() || alone {
        return None;
    }
    let scope = if scope == Scope::WorkItem { Scope::WorkGroup } else { scope };
    Some(Op::Fence { order: order_of_both(order), scope, flags })
}

/// The scope of an atomic operation that is sequentially consistent.
fn sequential(op: &Op) -> Option<Scope> {
    match *op {
        Op::AtomicRmw { order, scope, .. }
        | Op::AtomicLoad { order, scope }
        | Op::AtomicStore { order, scope }
        | Op::AtomicCompareExchange { success: order, scope, .. } => {
            (order == MemoryOrder::SequentiallyConsistent).then_some(scope)
        }
        _ => None,
    }
}

/// An atomic operation with orders that SPIR-V allows for it.
fn ordered(op: Op) -> Op {
    use MemoryOrder::Relaxed;
    match op {
        Op::AtomicRmw { op, scope: scope @ Scope::WorkItem, .. } => {
            Op::AtomicRmw { op, order: Relaxed, scope }
        }
        Op::AtomicLoad { scope: scope @ Scope::WorkItem, .. } => Op::AtomicLoad { order: Relaxed, scope },
        Op::AtomicStore { scope: scope @ Scope::WorkItem, .. } => Op::AtomicStore { order: Relaxed, scope },
        Op::AtomicCompareExchange { scope: scope @ Scope::WorkItem, .. } => {
            Op::AtomicCompareExchange { success: Relaxed, failure: Relaxed, scope }
        }
        Op::AtomicRmw { op, order, scope } => Op::AtomicRmw { op, order: order_of_both(order), scope },
        Op::AtomicLoad { order, scope } => Op::AtomicLoad { order: order_of_load(order), scope },
        Op::AtomicStore { order, scope } => Op::AtomicStore { order: order_of_store(order), scope },
        Op::AtomicCompareExchange { success, failure, scope } => {
            let failure = order_of_load(failure);
            let success = no_weaker(order_of_both(success), failure);
            Op::AtomicCompareExchange { success, failure, scope }
        }
        other => other,
    }
}

fn order_of_both(order: MemoryOrder) -> MemoryOrder {
    match order {
        MemoryOrder::SequentiallyConsistent => MemoryOrder::AcquireRelease,
        other => other,
    }
}

fn order_of_load(order: MemoryOrder) -> MemoryOrder {
    match order {
        MemoryOrder::Relaxed | MemoryOrder::Release => MemoryOrder::Relaxed,
        _ => MemoryOrder::Acquire,
    }
}

fn order_of_store(order: MemoryOrder) -> MemoryOrder {
    match order {
        MemoryOrder::Relaxed | MemoryOrder::Acquire => MemoryOrder::Relaxed,
        _ => MemoryOrder::Release,
    }
}

/// The order on success, strengthened to be no weaker than the order on failure.
fn no_weaker(success: MemoryOrder, failure: MemoryOrder) -> MemoryOrder {
    match success {
        MemoryOrder::Relaxed => failure,
        MemoryOrder::Release if failure == MemoryOrder::Acquire => MemoryOrder::AcquireRelease,
        _ => success,
    }
}
