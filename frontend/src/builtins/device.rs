//! Work-items, atomics of OpenCL C 1.x, prefetch (OpenCL C §6.15.1, §6.15.8 to §6.15.12).

use super::Lowering::{Special, WorkItem};
use super::lowering::{Lowering, Special as Code};
use super::table::{ALL, Lanes, NONE, Row, Signature, Spaces, Term, WORDS, overloads, signature};
use crate::options::LanguageVersion::{C11, C20};
use crate::types::ScalarKind::{self, Float, Int, Long, UInt, ULong};
use clvk_interface::Feature;
use clvk_ir::{AtomicOp, Scope, WorkItemQuery};

const fn fixed(result: Term, params: &'static [Term]) -> Signature {
    signature(NONE, Lanes::Scalar, result, params)
}

const SIZE: Term = Term::Fixed(ULong, 1);
const UINT: Term = Term::Fixed(UInt, 1);

const WORK_DIM: &[Signature] = &[fixed(UINT, &[])];
const BY_DIMENSION: &[Signature] = &[fixed(SIZE, &[UINT])];
const LINEAR: &[Signature] = &[fixed(SIZE, &[])];
const TWO_WORDS: &[Signature] = &[fixed(Term::Fixed(UInt, 2), &[])];

const POINTER: Term = Term::Pointer(Spaces::Shared);
const READ_MODIFY_WRITE: &[Signature] =
    &[signature(WORDS, Lanes::Scalar, Term::Generic, &[POINTER, Term::Generic])];
const EXCHANGE: &[Signature] =
    &[signature(&[Int, UInt, Float], Lanes::Scalar, Term::Generic, &[POINTER, Term::Generic])];
const ATOMIC_STEP: &[Signature] = &[signature(WORDS, Lanes::Scalar, Term::Generic, &[POINTER])];
const COMPARE_EXCHANGE: &[Signature] =
    &[signature(WORDS, Lanes::Scalar, Term::Generic, &[POINTER, Term::Generic, Term::Generic])];
const LONGS: &[ScalarKind] = &[Long, ULong];
const LONG_READ_MODIFY_WRITE: &[Signature] =
    &[signature(LONGS, Lanes::Scalar, Term::Generic, &[POINTER, Term::Generic])];
const LONG_STEP: &[Signature] = &[signature(LONGS, Lanes::Scalar, Term::Generic, &[POINTER])];
const LONG_COMPARE_EXCHANGE: &[Signature] =
    &[signature(LONGS, Lanes::Scalar, Term::Generic, &[POINTER, Term::Generic, Term::Generic])];
const PREFETCH: &[Signature] =
    &[signature(ALL, Lanes::Any, Term::Void, &[Term::Pointer(Spaces::Global), SIZE])];

const fn work_item(name: &'static str, signatures: &'static [Signature], query: WorkItemQuery) -> Row {
    overloads("6.15.1", name, signatures, WorkItem(query))
}

/// A clock (OpenCL C §6.15.21). The clock of a work-group is that of the device.
const fn clock(name: &'static str, signatures: &'static [Signature], scope: Scope) -> Row {
    overloads("6.15.21", name, signatures, Special(Code::Clock { scope }))
}

const fn by_sign(signed: AtomicOp, unsigned: AtomicOp) -> Lowering {
    Lowering::Atomic { signed, unsigned }
}

const ADD: Lowering = by_sign(AtomicOp::Add, AtomicOp::Add);
const SUB: Lowering = by_sign(AtomicOp::Sub, AtomicOp::Sub);
const XCHG: Lowering = by_sign(AtomicOp::Exchange, AtomicOp::Exchange);
const MIN: Lowering = by_sign(AtomicOp::SMin, AtomicOp::UMin);
const MAX: Lowering = by_sign(AtomicOp::SMax, AtomicOp::UMax);
const AND: Lowering = by_sign(AtomicOp::And, AtomicOp::And);
const OR: Lowering = by_sign(AtomicOp::Or, AtomicOp::Or);
const XOR: Lowering = by_sign(AtomicOp::Xor, AtomicOp::Xor);
const INC: Lowering = Special(Code::AtomicStep { decrement: false });
const DEC: Lowering = Special(Code::AtomicStep { decrement: true });
const CMPXCHG: Lowering = Special(Code::AtomicCompareExchange);

/// The atomic functions by the endings of their names, with their signatures for 32 bits and for 64 bits.
macro_rules! atomics {
    ($($end:literal: $words:ident, $longs:ident, $lowering:ident, $long_feature:ident;)*) => {
        /// `atomic_<end>` and `atom_<end>` of 32 bits (OpenCL C §6.15.12), and `atom_<end>` of 64 bits
        /// (§6.15.12.9).
        pub(super) const ATOMICS: &[Row] = &[
            $(overloads("6.15.12", concat!("atomic_", $end), $words, $lowering),)*
            $(overloads("6.15.12", concat!("atom_", $end), $words, $lowering),)*
            $(overloads("6.15.12.9", concat!("atom_", $end), $longs, $lowering).needs(Feature::$long_feature),)*
        ];
    };
}

atomics! {
    "add": READ_MODIFY_WRITE, LONG_READ_MODIFY_WRITE, ADD, Int64BaseAtomics;
    "sub": READ_MODIFY_WRITE, LONG_READ_MODIFY_WRITE, SUB, Int64BaseAtomics;
    "xchg": EXCHANGE, LONG_READ_MODIFY_WRITE, XCHG, Int64BaseAtomics;
    "inc": ATOMIC_STEP, LONG_STEP, INC, Int64BaseAtomics;
    "dec": ATOMIC_STEP, LONG_STEP, DEC, Int64BaseAtomics;
    "cmpxchg": COMPARE_EXCHANGE, LONG_COMPARE_EXCHANGE, CMPXCHG, Int64BaseAtomics;
    "min": READ_MODIFY_WRITE, LONG_READ_MODIFY_WRITE, MIN, Int64ExtendedAtomics;
    "max": READ_MODIFY_WRITE, LONG_READ_MODIFY_WRITE, MAX, Int64ExtendedAtomics;
    "and": READ_MODIFY_WRITE, LONG_READ_MODIFY_WRITE, AND, Int64ExtendedAtomics;
    "or": READ_MODIFY_WRITE, LONG_READ_MODIFY_WRITE, OR, Int64ExtendedAtomics;
    "xor": READ_MODIFY_WRITE, LONG_READ_MODIFY_WRITE, XOR, Int64ExtendedAtomics;
}

/// The other rows.
pub(super) const ROWS: &[Row] = &[
    work_item("get_work_dim", WORK_DIM, WorkItemQuery::WorkDim),
    work_item("get_global_size", BY_DIMENSION, WorkItemQuery::GlobalSize),
    work_item("get_global_id", BY_DIMENSION, WorkItemQuery::GlobalId),
    work_item("get_local_size", BY_DIMENSION, WorkItemQuery::LocalSize),
    work_item("get_enqueued_local_size", BY_DIMENSION, WorkItemQuery::EnqueuedLocalSize).since(C20),
    work_item("get_local_id", BY_DIMENSION, WorkItemQuery::LocalId),
    work_item("get_num_groups", BY_DIMENSION, WorkItemQuery::NumGroups),
    work_item("get_group_id", BY_DIMENSION, WorkItemQuery::GroupId),
    work_item("get_global_offset", BY_DIMENSION, WorkItemQuery::GlobalOffset).since(C11),
    work_item("get_global_linear_id", LINEAR, WorkItemQuery::GlobalLinearId).since(C20),
    work_item("get_local_linear_id", LINEAR, WorkItemQuery::LocalLinearId).since(C20),
    clock("clock_read_device", LINEAR, Scope::Device).needs(Feature::KernelClockScopeDevice),
    clock("clock_read_work_group", LINEAR, Scope::Device).needs(Feature::KernelClockScopeWorkGroup),
    clock("clock_read_sub_group", LINEAR, Scope::SubGroup).needs(Feature::KernelClockScopeSubGroup),
    clock("clock_read_hilo_device", TWO_WORDS, Scope::Device).needs(Feature::KernelClockScopeDevice),
    clock("clock_read_hilo_work_group", TWO_WORDS, Scope::Device).needs(Feature::KernelClockScopeWorkGroup),
    clock("clock_read_hilo_sub_group", TWO_WORDS, Scope::SubGroup).needs(Feature::KernelClockScopeSubGroup),
    overloads("6.15.11", "prefetch", PREFETCH, Special(Code::Nothing)),
];
