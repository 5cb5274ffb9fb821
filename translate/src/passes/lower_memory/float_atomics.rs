//! Atomic operations on floating-point numbers: the device's where it has them, otherwise compare-exchange
//! loops.
//!
//! Operations that only move a number (loads, stores, exchanges) move its bits. An array has floating-point
//! elements only if the device has every operation on it; otherwise its elements are integers.

use super::pointers::Lowering;
use clvk_interface::DeviceProfile;
use clvk_ir::{AtomicOp, MemoryOrder, Op, Scalar, Scope, Type, Value};

/// Where an operation is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Memory {
    Buffer,
    Local,
}

/// The operation, if it computes with floating-point numbers.
pub fn arithmetic(op: &Op) -> Option<AtomicOp> {
    match op {
        Op::AtomicRmw { op: op @ (AtomicOp::FAdd | AtomicOp::FMin | AtomicOp::FMax), .. } => Some(*op),
        _ => None,
    }
}

/// Whether the device has an operation on numbers of this type.
pub fn is_native(profile: &DeviceProfile, op: AtomicOp, scalar: Scalar, memory: Memory) -> bool {
    let (in_buffer, in_local) = match (op, scalar) {
        (AtomicOp::FAdd, Scalar::F32) => (profile.buffer_float32_add, profile.shared_float32_add),
        (AtomicOp::FAdd, Scalar::F64) => (profile.buffer_float64_add, profile.shared_float64_add),
        (AtomicOp::FMin | AtomicOp::FMax, Scalar::F32) => {
            (profile.buffer_float32_min_max, profile.shared_float32_min_max)
        }
        _ => (false, false),
    };
    if memory == Memory::Buffer { in_buffer } else { in_local }
}

/// The element type that an array needs for an atomic operation on numbers of this type.
pub fn held(profile: &DeviceProfile, op: &Op, scalar: Scalar) -> Scalar {
    let everywhere =
        |op| [Memory::Buffer, Memory::Local].iter().all(|&memory| is_native(profile, op, scalar, memory));
    let native = match arithmetic(op) {
        Some(op) => everywhere(op),
        // A device that can add floats atomically can move them, too.
        None => scalar == Scalar::F32 && everywhere(AtomicOp::FAdd),
    };
    if !scalar.is_float() || native { scalar } else { Scalar::int(scalar.bits()) }
}

impl Lowering<'_, '_> {
    /// An operation on the number whose bits the pointer's integer holds; returns the old number.
    pub fn float_by_exchange(
        &mut self,
        op: AtomicOp,
        (order, scope): (MemoryOrder, Scope),
        pointer: Value,
        operand: Value,
    ) -> Value {
        let ty = self.cursor.function.ty(operand);
        let bits = Type::Scalar(Scalar::int(ty.access_size() * 8));
        let relaxed = MemoryOrder::Relaxed;
        let first = self.cursor.value(Op::AtomicLoad { order: relaxed, scope }, &[pointer], bits);
        let exchange = Op::AtomicCompareExchange { success: order, failure: relaxed, scope };
        let old = self.exchange_or_repeat(exchange, pointer, first, |this, _, found| {
            let old = this.cursor.bitcast(found, ty);
            let new = this.combined(op, old, operand, ty);
            this.cursor.bitcast(new, bits)
        });
        self.cursor.bitcast(old, ty)
    }
}
