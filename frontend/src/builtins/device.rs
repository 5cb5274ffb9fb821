//! Work-items, atomics of OpenCL C 1.x, prefetch (OpenCL C §6.15.1, §6.15.8 to §6.15.12).

use super::Lowering::{Special, WorkItem};
use super::lowering::{Lowering, Special as Code};
use super::table::{ALL, Lanes, NONE, Row, Signature, Spaces, Term, WORDS, row, signature};
use crate::options::LanguageVersion::{C11, C20};
use crate::types::ScalarKind::{self, Float, Int, Long, UInt, ULong};
use clvk_interface::Feature;
use clvk_ir::{AtomicOp, WorkItemQuery};

const fn fixed(result: Term, params: &'static [Term]) -> Signature {
    signature(NONE, Lanes::Scalar, result, params)
}

const SIZE: Term = Term::Fixed(ULong, 1);
const UINT: Term = Term::Fixed(UInt, 1);

const WORK_DIM: &[Signature] = &[fixed(UINT, &[])];
const BY_DIMENSION: &[Signature] = &[fixed(SIZE, &[UINT])];
const LINEAR: &[Signature] = &[fixed(SIZE, &[])];

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
    row("6.15.1", name, signatures, WorkItem(query))
}

const fn atomic(name: &'static str, signed: AtomicOp, unsigned: AtomicOp) -> Row {
    row("6.15.12", name, READ_MODIFY_WRITE, Lowering::Atomic { signed, unsigned })
}

const fn atomic_as(name: &'static str, signatures: &'static [Signature], lowering: Lowering) -> Row {
    row("6.15.12", name, signatures, lowering)
}

/// The operations of 64 bits (OpenCL C §6.15.12.9).
const fn long_base(name: &'static str, signatures: &'static [Signature], lowering: Lowering) -> Row {
    row("6.15.12.9", name, signatures, lowering).needs(Feature::Int64BaseAtomics)
}

const fn long_extended(name: &'static str, signed: AtomicOp, unsigned: AtomicOp) -> Row {
    row("6.15.12.9", name, LONG_READ_MODIFY_WRITE, Lowering::Atomic { signed, unsigned })
        .needs(Feature::Int64ExtendedAtomics)
}

const ADD: Lowering = Lowering::Atomic { signed: AtomicOp::Add, unsigned: AtomicOp::Add };
const SUB: Lowering = Lowering::Atomic { signed: AtomicOp::Sub, unsigned: AtomicOp::Sub };
const XCHG: Lowering = Lowering::Atomic { signed: AtomicOp::Exchange, unsigned: AtomicOp::Exchange };
const INC: Lowering = Special(Code::AtomicStep { decrement: false });
const DEC: Lowering = Special(Code::AtomicStep { decrement: true });
const CMPXCHG: Lowering = Special(Code::AtomicCompareExchange);

/// The rows.
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
    row("6.15.11", "prefetch", PREFETCH, Special(Code::Nothing)),
    atomic("atomic_add", AtomicOp::Add, AtomicOp::Add),
    atomic("atomic_sub", AtomicOp::Sub, AtomicOp::Sub),
    atomic("atomic_min", AtomicOp::SMin, AtomicOp::UMin),
    atomic("atomic_max", AtomicOp::SMax, AtomicOp::UMax),
    atomic("atomic_and", AtomicOp::And, AtomicOp::And),
    atomic("atomic_or", AtomicOp::Or, AtomicOp::Or),
    atomic("atomic_xor", AtomicOp::Xor, AtomicOp::Xor),
    atomic_as("atomic_xchg", EXCHANGE, XCHG),
    atomic_as("atomic_inc", ATOMIC_STEP, INC),
    atomic_as("atomic_dec", ATOMIC_STEP, DEC),
    atomic_as("atomic_cmpxchg", COMPARE_EXCHANGE, CMPXCHG),
    atomic("atom_add", AtomicOp::Add, AtomicOp::Add),
    atomic("atom_sub", AtomicOp::Sub, AtomicOp::Sub),
    atomic("atom_min", AtomicOp::SMin, AtomicOp::UMin),
    atomic("atom_max", AtomicOp::SMax, AtomicOp::UMax),
    atomic("atom_and", AtomicOp::And, AtomicOp::And),
    atomic("atom_or", AtomicOp::Or, AtomicOp::Or),
    atomic("atom_xor", AtomicOp::Xor, AtomicOp::Xor),
    atomic_as("atom_xchg", READ_MODIFY_WRITE, XCHG),
    atomic_as("atom_inc", ATOMIC_STEP, INC),
    atomic_as("atom_dec", ATOMIC_STEP, DEC),
    atomic_as("atom_cmpxchg", COMPARE_EXCHANGE, CMPXCHG),
    long_base("atom_add", LONG_READ_MODIFY_WRITE, ADD),
    long_base("atom_sub", LONG_READ_MODIFY_WRITE, SUB),
    long_base("atom_xchg", LONG_READ_MODIFY_WRITE, XCHG),
    long_base("atom_inc", LONG_STEP, INC),
    long_base("atom_dec", LONG_STEP, DEC),
    long_base("atom_cmpxchg", LONG_COMPARE_EXCHANGE, CMPXCHG),
    long_extended("atom_min", AtomicOp::SMin, AtomicOp::UMin),
    long_extended("atom_max", AtomicOp::SMax, AtomicOp::UMax),
    long_extended("atom_and", AtomicOp::And, AtomicOp::And),
    long_extended("atom_or", AtomicOp::Or, AtomicOp::Or),
    long_extended("atom_xor", AtomicOp::Xor, AtomicOp::Xor),
];
