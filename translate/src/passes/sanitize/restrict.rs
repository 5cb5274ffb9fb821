//! Checks that memory which is written is reached through one argument alone, if an argument is `restrict`.
//!
//! The cell of each granule has a bit for each argument through which it was read, and through which it was
//! written ([`mod@super::cells`]). The first [`MOST`] pointers among a kernel's parameters have bits.

use super::cells::atomic;
use super::report::{Details, Reporter, step};
use super::shadow::Shadow;
use super::when;
use crate::passes::cursor::Cursor;
use clvk_interface::sanitize::{Access, Checked, cell, forbidden};
use clvk_ir::{AtomicOp, BinaryOp, CompareOp, ConvertOp, Function, KernelParamKind, Type, Value};

/// The most arguments that are told apart.
const MOST: u32 = 16;

/// The arguments of a kernel that has some that are `restrict`.
#[derive(Clone, Copy)]
pub struct Promises {
    /// The number of the first argument's object; those of the others follow it.
    pub first: u32,
    /// Bits of those that are `restrict`.
    restrict: u32,
}

/// An access through an argument.
#[derive(Clone, Copy)]
pub struct Through {
    /// The bit of the argument, `I32`; zero if it is through none.
    own: Value,
    /// The bits of the others that it must not meet.
    others: Value,
    writes: bool,
}

impl Promises {
    /// Those of a kernel, the object of whose first pointer will have this number; none if there are none.
    pub fn of(function: &Function, first: u32) -> Option<Promises> {
        let params = &function.kernel.as_ref()?.params;
        let pointers =
            params.iter().zip(&function.params).filter(|&(_, &value)| function.ty(value).is_pointer());
        let is_restrict = |kind: &KernelParamKind| {
            matches!(
                kind,
                KernelParamKind::Buffer { restrict: true, .. }
                    | KernelParamKind::Local { restrict: true, .. }
            )
        };
        let bits = pointers.take(MOST as usize).zip(0..);
        let restrict: u32 = bits.map(|((param, _), bit)| u32::from(is_restrict(&param.kind)) << bit).sum();
        (restrict != 0).then_some(Promises { first, restrict })
    }

    /// An access through a pointer.
    pub fn through(self, cursor: &mut Cursor<'_>, shadow: &Shadow, writes: bool) -> Through {
        let number = cursor.binary_int(BinaryOp::And, shadow.object, i64::from(!forbidden::ALL));
        let index = cursor.binary_int(BinaryOp::Sub, number, self.first.into());
        let most = cursor.int(Type::I32, MOST.into());
        let has_bit = cursor.compare(CompareOp::ULt, index, most);
        let (one, zero) = (cursor.int(Type::I32, 1), cursor.int(Type::I32, 0));
        let bit = cursor.binary(BinaryOp::Shl, one, index);
        let own = cursor.select(has_bit, bit, zero);
        let mine = cursor.binary_int(BinaryOp::And, own, self.restrict.into());
        let is_restrict = cursor.compare(CompareOp::Ne, mine, zero);
        let (all, some) = (cursor.int(Type::I32, 0xffff), cursor.int(Type::I32, self.restrict.into()));
        let others = cursor.select(is_restrict, all, some);
        let any = cursor.select(has_bit, others, zero);
        let not_own = cursor.binary_int(BinaryOp::Xor, own, 0xffff);
        Through { own, others: cursor.binary(BinaryOp::And, any, not_own), writes }
    }
}

impl Through {
    /// Notes the access in a cell; gives the bits of the arguments that it must not have met, and did.
    pub fn meet(self, cursor: &mut Cursor<'_>, cell: Value) -> Value {
        let place = step(cursor, cell, cell::ARGUMENTS);
        let bit = if self.writes { cursor.binary_int(BinaryOp::Shl, self.own, 16) } else { self.own };
        let before = atomic(cursor, AtomicOp::Or, place, bit);
        let writers = cursor.binary_int(BinaryOp::LShr, before, 16);
        let met = if self.writes { cursor.binary(BinaryOp::Or, before, writers) } else { writers };
        cursor.binary(BinaryOp::And, met, self.others)
    }
}

/// Reports the arguments that an access has met.
pub fn report(
    cursor: &mut Cursor<'_>,
    reporter: &mut Reporter<'_>,
    shadow: Shadow,
    (access, bytes): (Access, u64),
    (first, met): (u32, Value),
) {
    let zero = cursor.int(Type::I32, 0);
    let any = cursor.compare(CompareOp::Ne, met, zero);
    when(cursor, any, |cursor| {
        let met = cursor.convert(ConvertOp::ZeroExtend, met, Type::I64);
        let details = Details { object: Some(shadow.object), values: [Some(shadow.offset), Some(met)] };
        reporter.report(cursor, Checked::Unaliased { access, bytes, first }, details);
    });
}
