//! Work-items, atomics of OpenCL C 1.x, prefetch and images (OpenCL C §6.15.1, §6.15.8 to §6.15.15).

use super::Lowering::{Image, Special, WorkItem};
use super::lowering::{Lowering, Special as Code};
use super::table::{ALL, ImageUse, Lanes, NONE, Row, Signature, Spaces, Term, WORDS, row, signature};
use crate::options::LanguageVersion::{C11, C12, C20};
use crate::types::ScalarKind::{self, Float, Int, Long, UInt, ULong};
use clvk_interface::Feature;
use clvk_ir::{AtomicOp, ImageDimension, ImageOp, WorkItemQuery};

const fn fixed(result: Term, params: &'static [Term]) -> Signature {
    signature(NONE, Lanes::Scalar, result, params)
}

const SIZE: Term = Term::Fixed(ULong, 1);
const UINT: Term = Term::Fixed(UInt, 1);
const INT: Term = Term::Fixed(Int, 1);

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

/// The rows that are no images'.
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

use ImageDimension::{D1, D1Array, D1Buffer, D2, D2Array, D3};

const fn coordinates(kind: ScalarKind, dimension: ImageDimension) -> Term {
    Term::Coordinates(kind, dimension)
}

macro_rules! sampled {
    ($kind:expr; $($dimension:expr),*) => {
        &[$(
            fixed(Term::Fixed($kind, 4),
                &[Term::Image($dimension, ImageUse::Sample), Term::Sampler, coordinates(Int, $dimension)]),
            fixed(Term::Fixed($kind, 4),
                &[Term::Image($dimension, ImageUse::Sample), Term::Sampler, coordinates(Float, $dimension)]),
        )*]
    };
}

macro_rules! plain {
    ($kind:expr; $($dimension:expr),*) => {
        &[$(fixed(Term::Fixed($kind, 4), &[Term::Image($dimension, ImageUse::Read), coordinates(Int, $dimension)])),*]
    };
}

macro_rules! written {
    ($kind:expr; $($dimension:expr),*) => {
        &[$(fixed(Term::Void,
            &[Term::Image($dimension, ImageUse::Write), coordinates(Int, $dimension), Term::Fixed($kind, 4)])),*]
    };
}

macro_rules! queried {
    ($result:expr; $($dimension:expr),*) => {
        &[$(fixed($result, &[Term::Image($dimension, ImageUse::Query)])),*]
    };
}

const fn image(name: &'static str, signatures: &'static [Signature], lowering: Lowering) -> Row {
    row("6.15.15", name, signatures, lowering).needs(Feature::Images)
}

const fn write(name: &'static str, signatures: &'static [Signature], signed: bool) -> Row {
    image(name, signatures, Image(ImageOp::Write { signed }))
}

/// The rows of images.
pub(super) const IMAGES: &[Row] = &[
    image(
        "read_imagef",
        sampled!(Float; D1, D1Array, D2, D2Array, D3),
        Image(ImageOp::SampledRead { signed: false }),
    ),
    image(
        "read_imagei",
        sampled!(Int; D1, D1Array, D2, D2Array, D3),
        Image(ImageOp::SampledRead { signed: true }),
    ),
    image(
        "read_imageui",
        sampled!(UInt; D1, D1Array, D2, D2Array, D3),
        Image(ImageOp::SampledRead { signed: false }),
    ),
    image(
        "read_imagef",
        plain!(Float; D1, D1Array, D1Buffer, D2, D2Array, D3),
        Image(ImageOp::Read { signed: false }),
    )
    .since(C12),
    image(
        "read_imagei",
        plain!(Int; D1, D1Array, D1Buffer, D2, D2Array, D3),
        Image(ImageOp::Read { signed: true }),
    )
    .since(C12),
    image(
        "read_imageui",
        plain!(UInt; D1, D1Array, D1Buffer, D2, D2Array, D3),
        Image(ImageOp::Read { signed: false }),
    )
    .since(C12),
    write("write_imagef", written!(Float; D1, D1Array, D1Buffer, D2, D2Array), false),
    write("write_imagei", written!(Int; D1, D1Array, D1Buffer, D2, D2Array), true),
    write("write_imageui", written!(UInt; D1, D1Array, D1Buffer, D2, D2Array), false),
    write("write_imagef", written!(Float; D3), false).needs(Feature::Image3dWrites),
    write("write_imagei", written!(Int; D3), true).needs(Feature::Image3dWrites),
    write("write_imageui", written!(UInt; D3), false).needs(Feature::Image3dWrites),
    image("get_image_width", queried!(INT; D1, D1Array, D1Buffer, D2, D2Array, D3), Image(ImageOp::Width)),
    image("get_image_height", queried!(INT; D2, D2Array, D3), Image(ImageOp::Height)),
    image("get_image_depth", queried!(INT; D3), Image(ImageOp::Depth)),
    image("get_image_dim", queried!(Term::Fixed(Int, 2); D2, D2Array), Special(Code::ImageDim2)),
    // The result is a size_t, to which the checker widens the operation's.
    image("get_image_array_size", queried!(INT; D1Array, D2Array), Image(ImageOp::ArraySize)).since(C12),
];
