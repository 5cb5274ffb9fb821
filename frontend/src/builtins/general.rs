//! Integer, common, geometric and relational functions (OpenCL C §6.15.3 to §6.15.6).

use super::Lowering::{Binary, Library, Math, OfWords, Special, Unary};
use super::lowering::{Lowering, Special as Code};
use super::table::{
    ALL, FLOAT, FLOATS, INTEGERS, Lanes, NARROW, NONE, Precision, Row, SIGNED, Signature, Term, WORDS,
    overloads, signature,
};
use crate::options::LanguageVersion::{C11, C12, C20};
use crate::types::ScalarKind::{self, Char, Int, UChar, UInt};
use clvk_interface::Feature;
use clvk_ir::{BinaryOp, CompareOp, MathOp, PackedDot, UnaryOp};

const G: Term = Term::Generic;
const E: Term = Term::Element;
const INT: Term = Term::Fixed(Int, 1);
const UINT: Term = Term::Fixed(UInt, 1);

/// Dot products of four bytes: parameters and result.
const fn bytes(a: ScalarKind, b: ScalarKind) -> [Term; 3] {
    let accumulated = if matches!((a, b), (UChar, UChar)) { UINT } else { INT };
    [Term::Fixed(a, 4), Term::Fixed(b, 4), accumulated]
}

const fn dot_of(result: Term, params: &'static [Term]) -> Signature {
    signature(NONE, Lanes::Scalar, result, params)
}

const UU: &[Term] = &bytes(UChar, UChar);
const SS: &[Term] = &bytes(Char, Char);
const US: &[Term] = &bytes(UChar, Char);
const SU: &[Term] = &bytes(Char, UChar);
const DOT_UU: &[Signature] = &[dot_of(UINT, UU.split_at(2).0)];
const DOT_SS: &[Signature] = &[dot_of(INT, SS.split_at(2).0)];
const DOT_US: &[Signature] = &[dot_of(INT, US.split_at(2).0)];
const DOT_SU: &[Signature] = &[dot_of(INT, SU.split_at(2).0)];
const DOT_ACC_UU: &[Signature] = &[dot_of(UINT, UU)];
const DOT_ACC_SS: &[Signature] = &[dot_of(INT, SS)];
const DOT_ACC_US: &[Signature] = &[dot_of(INT, US)];
const DOT_ACC_SU: &[Signature] = &[dot_of(INT, SU)];
const DOT_PACKED_UNSIGNED: &[Signature] = &[dot_of(UINT, &[UINT, UINT])];
const DOT_PACKED_SIGNED: &[Signature] = &[dot_of(INT, &[UINT, UINT])];
const DOT_ACC_PACKED_UNSIGNED: &[Signature] = &[dot_of(UINT, &[UINT, UINT, UINT])];
const DOT_ACC_PACKED_SIGNED: &[Signature] = &[dot_of(INT, &[UINT, UINT, INT])];

const I_UNARY: &[Signature] = &[signature(INTEGERS, Lanes::Any, G, &[G])];
const I_BINARY: &[Signature] = &[signature(INTEGERS, Lanes::Any, G, &[G, G])];
const I_TERNARY: &[Signature] = &[signature(INTEGERS, Lanes::Any, G, &[G, G, G])];
const I_BINARY_OR_SCALAR: &[Signature] =
    &[signature(INTEGERS, Lanes::Any, G, &[G, G]), signature(INTEGERS, Lanes::Vector, G, &[G, E])];
const I_CLAMP: &[Signature] =
    &[signature(INTEGERS, Lanes::Any, G, &[G, G, G]), signature(INTEGERS, Lanes::Vector, G, &[G, E, E])];
const ABS: &[Signature] = &[signature(INTEGERS, Lanes::Any, Term::Unsigned, &[G])];
const ABS_DIFF: &[Signature] = &[signature(INTEGERS, Lanes::Any, Term::Unsigned, &[G, G])];
const UPSAMPLE: &[Signature] = &[signature(NARROW, Lanes::Any, Term::Wide, &[G, Term::Unsigned])];
const BIT_FIELD: &[Term] = &[G, UINT, UINT];
const BITFIELD_INSERT: &[Signature] = &[signature(INTEGERS, Lanes::Any, G, &[G, G, UINT, UINT])];
const BITFIELD_SIGNED: &[Signature] = &[signature(INTEGERS, Lanes::Any, Term::Signed, BIT_FIELD)];
const BITFIELD_UNSIGNED: &[Signature] = &[signature(INTEGERS, Lanes::Any, Term::Unsigned, BIT_FIELD)];
const MUL24: &[Signature] = &[signature(WORDS, Lanes::Any, G, &[G, G])];
const MAD24: &[Signature] = &[signature(WORDS, Lanes::Any, G, &[G, G, G])];

const F_UNARY: &[Signature] = &[signature(FLOATS, Lanes::Any, G, &[G])];
const F_BINARY_OR_SCALAR: &[Signature] =
    &[signature(FLOATS, Lanes::Any, G, &[G, G]), signature(FLOATS, Lanes::Vector, G, &[G, E])];
const F_CLAMP: &[Signature] =
    &[signature(FLOATS, Lanes::Any, G, &[G, G, G]), signature(FLOATS, Lanes::Vector, G, &[G, E, E])];
const MIX: &[Signature] =
    &[signature(FLOATS, Lanes::Any, G, &[G, G, G]), signature(FLOATS, Lanes::Vector, G, &[G, G, E])];
const STEP: &[Signature] =
    &[signature(FLOATS, Lanes::Any, G, &[G, G]), signature(FLOATS, Lanes::Vector, G, &[E, G])];
const SMOOTHSTEP: &[Signature] =
    &[signature(FLOATS, Lanes::Any, G, &[G, G, G]), signature(FLOATS, Lanes::Vector, G, &[E, E, G])];

const CROSS: &[Signature] = &[signature(FLOATS, Lanes::Cross, G, &[G, G])];
const DOT: &[Signature] = &[signature(FLOATS, Lanes::Geometric, Term::ElementResult, &[G, G])];
const DOT_SCALAR: &[Signature] = &[signature(FLOATS, Lanes::Scalar, G, &[G, G])];
const DISTANCE: &[Signature] = &[
    signature(FLOATS, Lanes::Geometric, Term::ElementResult, &[G, G]),
    signature(FLOATS, Lanes::Scalar, G, &[G, G]),
];
const LENGTH: &[Signature] = &[
    signature(FLOATS, Lanes::Geometric, Term::ElementResult, &[G]),
    signature(FLOATS, Lanes::Scalar, G, &[G]),
];
const NORMALIZE: &[Signature] =
    &[signature(FLOATS, Lanes::Geometric, G, &[G]), signature(FLOATS, Lanes::Scalar, G, &[G])];
const FAST_DISTANCE: &[Signature] = &[
    signature(FLOAT, Lanes::Geometric, Term::ElementResult, &[G, G]),
    signature(FLOAT, Lanes::Scalar, G, &[G, G]),
];
const FAST_LENGTH: &[Signature] = &[
    signature(FLOAT, Lanes::Geometric, Term::ElementResult, &[G]),
    signature(FLOAT, Lanes::Scalar, G, &[G]),
];
const FAST_NORMALIZE: &[Signature] =
    &[signature(FLOAT, Lanes::Geometric, G, &[G]), signature(FLOAT, Lanes::Scalar, G, &[G])];

const TEST: &[Signature] = &[signature(FLOATS, Lanes::Any, Term::Truth, &[G])];
const RELATION: &[Signature] = &[signature(FLOATS, Lanes::Any, Term::Truth, &[G, G])];
const ANY_ALL: &[Signature] = &[signature(SIGNED, Lanes::Any, INT, &[G])];
const ANY_ALL_OF_BOOL: &[Signature] =
    &[signature(&[ScalarKind::Bool], Lanes::Any, Term::Fixed(ScalarKind::Bool, 1), &[G])];
const SELECT_BY_BOOL: &[Signature] = &[signature(ALL, Lanes::Any, G, &[G, G, Term::Lanes(ScalarKind::Bool)])];
const BITSELECT: &[Signature] = &[signature(ALL, Lanes::Any, G, &[G, G, G])];
const SELECT: &[Signature] = &[
    signature(ALL, Lanes::Any, G, &[G, G, Term::Signed]),
    signature(ALL, Lanes::Any, G, &[G, G, Term::Unsigned]),
];

const MIN: Lowering = Binary { signed: Some(BinaryOp::SMin), unsigned: Some(BinaryOp::UMin), float: None };
const MAX: Lowering = Binary { signed: Some(BinaryOp::SMax), unsigned: Some(BinaryOp::UMax), float: None };
const MUL_HI: Lowering =
    Binary { signed: Some(BinaryOp::SMulHi), unsigned: Some(BinaryOp::UMulHi), float: None };
const MULTIPLY: Lowering = Binary { signed: None, unsigned: None, float: Some(BinaryOp::FMul) };

const fn integer(name: &'static str, signatures: &'static [Signature], lowering: Lowering) -> Row {
    overloads("6.15.3", name, signatures, lowering)
}

const fn common(name: &'static str, signatures: &'static [Signature], lowering: Lowering) -> Row {
    overloads("6.15.4", name, signatures, lowering)
}

const fn geometric(name: &'static str, signatures: &'static [Signature], lowering: Lowering) -> Row {
    overloads("6.15.5", name, signatures, lowering)
}

const fn relation(name: &'static str, op: CompareOp) -> Row {
    overloads("6.15.6", name, RELATION, Special(Code::Compare(op)))
}

const fn relational(name: &'static str, signatures: &'static [Signature], lowering: Lowering) -> Row {
    overloads("6.15.6", name, signatures, lowering)
}

const DOT_OF_UU: Lowering = Special(Code::PackedDot { signs: PackedDot::Unsigned, exchanged: false });
const DOT_OF_SS: Lowering = Special(Code::PackedDot { signs: PackedDot::Signed, exchanged: false });
const DOT_OF_SU: Lowering = Special(Code::PackedDot { signs: PackedDot::Mixed, exchanged: false });
const DOT_OF_US: Lowering = Special(Code::PackedDot { signs: PackedDot::Mixed, exchanged: true });

const fn dot(name: &'static str, signatures: &'static [Signature], lowering: Lowering) -> Row {
    integer(name, signatures, lowering).needs(Feature::IntegerDotProduct4x8Bit)
}

const fn packed_dot(name: &'static str, signatures: &'static [Signature], lowering: Lowering) -> Row {
    integer(name, signatures, lowering).needs(Feature::IntegerDotProduct4x8BitPacked)
}

const fn bit_operation(name: &'static str, signatures: &'static [Signature], stem: &'static str) -> Row {
    overloads("6.15.3.1", name, signatures, Library(stem)).needs(Feature::ExtendedBitOps)
}

/// The rows.
pub(super) const ROWS: &[Row] = &[
    integer("abs", ABS, Special(Code::Abs)),
    integer("abs_diff", ABS_DIFF, Special(Code::AbsDiff)),
    integer("add_sat", I_BINARY, Special(Code::AddSat)),
    integer("hadd", I_BINARY, Special(Code::HAdd)),
    integer("rhadd", I_BINARY, Special(Code::RHAdd)),
    integer("clamp", I_CLAMP, Special(Code::Clamp)).since(C11),
    integer("clz", I_UNARY, Unary(UnaryOp::CountLeadingZeros)),
    integer("ctz", I_UNARY, Unary(UnaryOp::CountTrailingZeros)).since(C20),
    integer("mad_hi", I_TERNARY, Special(Code::MadHi)),
    integer("mad_sat", I_TERNARY, Library("mad_sat")),
    integer("max", I_BINARY_OR_SCALAR, MAX),
    integer("min", I_BINARY_OR_SCALAR, MIN),
    integer("mul_hi", I_BINARY, MUL_HI),
    integer("rotate", I_BINARY, Special(Code::Rotate)),
    integer("sub_sat", I_BINARY, Special(Code::SubSat)),
    integer("upsample", UPSAMPLE, Special(Code::Upsample)),
    integer("popcount", I_UNARY, Unary(UnaryOp::PopCount)).since(C12),
    integer("mad24", MAD24, Special(Code::Mad24)),
    integer("mul24", MUL24, Special(Code::Mul24)),
    bit_operation("bitfield_insert", BITFIELD_INSERT, "bitfield_insert"),
    bit_operation("bitfield_extract_signed", BITFIELD_SIGNED, "bitfield_extract_signed"),
    bit_operation("bitfield_extract_unsigned", BITFIELD_UNSIGNED, "bitfield_extract_unsigned"),
    bit_operation("bit_reverse", I_UNARY, "bit_reverse"),
    dot("dot", DOT_UU, DOT_OF_UU),
    dot("dot", DOT_SS, DOT_OF_SS),
    dot("dot", DOT_US, DOT_OF_US),
    dot("dot", DOT_SU, DOT_OF_SU),
    dot("dot_acc_sat", DOT_ACC_UU, OfWords("dot_acc_sat_4x8packed_uu")),
    dot("dot_acc_sat", DOT_ACC_SS, OfWords("dot_acc_sat_4x8packed_ss")),
    dot("dot_acc_sat", DOT_ACC_US, OfWords("dot_acc_sat_4x8packed_us")),
    dot("dot_acc_sat", DOT_ACC_SU, OfWords("dot_acc_sat_4x8packed_su")),
    packed_dot("dot_4x8packed_uu_uint", DOT_PACKED_UNSIGNED, DOT_OF_UU),
    packed_dot("dot_4x8packed_ss_int", DOT_PACKED_SIGNED, DOT_OF_SS),
    packed_dot("dot_4x8packed_us_int", DOT_PACKED_SIGNED, DOT_OF_US),
    packed_dot("dot_4x8packed_su_int", DOT_PACKED_SIGNED, DOT_OF_SU),
    packed_dot("dot_acc_sat_4x8packed_uu_uint", DOT_ACC_PACKED_UNSIGNED, OfWords("dot_acc_sat_4x8packed_uu")),
    packed_dot("dot_acc_sat_4x8packed_ss_int", DOT_ACC_PACKED_SIGNED, OfWords("dot_acc_sat_4x8packed_ss")),
    packed_dot("dot_acc_sat_4x8packed_us_int", DOT_ACC_PACKED_SIGNED, OfWords("dot_acc_sat_4x8packed_us")),
    packed_dot("dot_acc_sat_4x8packed_su_int", DOT_ACC_PACKED_SIGNED, OfWords("dot_acc_sat_4x8packed_su")),
    common("clamp", F_CLAMP, Special(Code::Clamp)),
    common("degrees", F_UNARY, Special(Code::Degrees)).ulp(2.0),
    common("max", F_BINARY_OR_SCALAR, Math(MathOp::FMax)),
    common("min", F_BINARY_OR_SCALAR, Math(MathOp::FMin)),
    common("mix", MIX, Special(Code::Mix))
        .precision(Precision::Absolute(1e-3))
        .double(Precision::Free)
        .half(Precision::Free),
    common("radians", F_UNARY, Special(Code::Radians)).ulp(2.0),
    common("step", STEP, Special(Code::Step)),
    common("smoothstep", SMOOTHSTEP, Library("smoothstep"))
        .precision(Precision::Absolute(1e-5))
        .double(Precision::Free)
        .half(Precision::Free),
    common("sign", F_UNARY, Special(Code::Sign)),
    geometric("cross", CROSS, Special(Code::Cross)).precision(Precision::Relative),
    geometric("dot", DOT, Math(MathOp::Dot)).precision(Precision::Relative),
    geometric("dot", DOT_SCALAR, MULTIPLY),
    geometric("distance", DISTANCE, Special(Code::Distance))
        .precision(Precision::UlpByLanes(2.5, 2.0))
        .double(Precision::UlpByLanes(5.5, 2.0))
        .half(Precision::UlpByLanes(0.0, 2.0)),
    geometric("length", LENGTH, Special(Code::Length))
        .precision(Precision::UlpByLanes(2.75, 0.5))
        .double(Precision::UlpByLanes(5.5, 1.0))
        .half(Precision::UlpByLanes(0.25, 0.5)),
    geometric("normalize", NORMALIZE, Special(Code::Normalize))
        .precision(Precision::UlpByLanes(2.0, 1.0))
        .double(Precision::UlpByLanes(4.5, 1.0))
        .half(Precision::UlpByLanes(1.0, 1.0)),
    geometric("fast_distance", FAST_DISTANCE, Special(Code::FastDistance))
        .precision(Precision::UlpByLanes(8191.5, 2.0)),
    geometric("fast_length", FAST_LENGTH, Special(Code::FastLength))
        .precision(Precision::UlpByLanes(8191.5, 1.0)),
    geometric("fast_normalize", FAST_NORMALIZE, Special(Code::FastNormalize))
        .precision(Precision::UlpByLanes(8192.0, 1.0)),
    relation("isequal", CompareOp::FOEq),
    relation("isnotequal", CompareOp::FUNe),
    relation("isgreater", CompareOp::FOGt),
    relation("isgreaterequal", CompareOp::FOGe),
    relation("isless", CompareOp::FOLt),
    relation("islessequal", CompareOp::FOLe),
    relation("islessgreater", CompareOp::FONe),
    relation("isordered", CompareOp::FOrd),
    relation("isunordered", CompareOp::FUno),
    relational("isfinite", TEST, Special(Code::IsFinite)),
    relational("isinf", TEST, Special(Code::Classify(MathOp::IsInf))),
    relational("isnan", TEST, Special(Code::Classify(MathOp::IsNan))),
    relational("isnormal", TEST, Special(Code::IsNormal)),
    relational("signbit", TEST, Special(Code::SignBit)),
    relational("any", ANY_ALL, Special(Code::Any)),
    relational("all", ANY_ALL, Special(Code::All)),
    relational("any", ANY_ALL_OF_BOOL, Special(Code::Any)).of_opencl_cxx(),
    relational("all", ANY_ALL_OF_BOOL, Special(Code::All)).of_opencl_cxx(),
    relational("bitselect", BITSELECT, Special(Code::BitSelect)),
    relational("select", SELECT, Special(Code::Select)),
    relational("select", SELECT_BY_BOOL, Special(Code::Select)).of_opencl_cxx(),
];
