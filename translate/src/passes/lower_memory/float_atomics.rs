//! Atomic operations on floating-point numbers: those of the device where it has them, else tries until
//! nobody came between.
//!
//! What only moves a number (loads, stores, exchanges) moves its bits. An array is of floating-point numbers
//! only if the device does every operation on it; else it is of integers.

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

/// The type that an array must be of for an atomic operation on numbers of this type.
pub fn held(profile: &DeviceProfile, op: &Op, scalar: Scalar) -> Scalar {
    let everywhere =
        |op| [Memory::Buffer, Memory::Local].iter().all(|&memory| is_native(profile, op, scalar, memory));
    let native = match arithmetic(op) {
        Some(op) => everywhere(op),
        // The device moves floats where it adds them.
        None => scalar == Scalar::F32 && everywhere(AtomicOp::FAdd),
    };
    if !scalar.is_float() || native { scalar } else { Scalar::int(scalar.bits()) }
}

impl Lowering<'_, '_> {
    /// An operation on the number that a pointer to the integer of its bits points to; the old number.
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
