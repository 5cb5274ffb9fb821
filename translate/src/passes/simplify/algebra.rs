//! Algebraic rewrites of single instructions.
//!
//! Each is exact: it gives the same bits for every operand, unless the instruction's own fast-math flags
//! allow more. A multiplication and an addition that may be contracted are left alone, because the driver
//! fuses them.

use super::{pointer, select, vector};
use crate::passes::rewrite::Emitter;
use clvk_ir::fold;
use clvk_ir::{
    AccessOp, BinaryOp, CompareOp, Constant, ConvertOp, FastMath, Function, Inst, MathOp, Op, Scalar, Type,
    UnaryOp, Value, ValueDef,
};

/// What a rewrite can see and make.
pub struct Rewriter<'a> {
    emitter: Emitter<'a>,
}

impl<'a> Rewriter<'a> {
    /// New instructions go to `out` and take span and flags from `inst`.
    pub fn new(function: &'a mut Function, out: &'a mut Vec<Inst>, inst: Inst) -> Self {
        Rewriter { emitter: Emitter::like(function, out, inst) }
    }

    /// The function.
    pub fn function(&mut self) -> &mut Function {
        self.emitter.function
    }

    /// The type of a value.
    #[must_use]
    pub fn ty(&self, value: Value) -> Type {
        self.emitter.function.ty(value)
    }

    /// Operation and operands of the instruction that defines a value as its only result.
    #[must_use]
    pub fn definition(&self, value: Value) -> Option<(&Op, &[Value])> {
        let ValueDef::Result(inst, 0) = self.emitter.function.values[value].def else { return None };
        let data = &self.emitter.function.insts[inst];
        (!data.op.has_regions()).then_some((&data.op, data.operands.as_slice()))
    }

    /// The operands of a value's definition, if that is this operation.
    #[must_use]
    pub fn operands_of(&self, value: Value, op: &Op) -> Option<[Value; 2]> {
        let (found, operands) = self.definition(value)?;
        (found == op).then(|| [operands[0], *operands.get(1).unwrap_or(&operands[0])])
    }

    /// The constant that a value is, if it is one.
    #[must_use]
    pub fn constant(&self, value: Value) -> Option<&Constant> {
        self.emitter.function.as_constant(value)
    }

    /// The bits of a scalar constant, or of a vector constant whose lanes are equal.
    #[must_use]
    pub fn bits(&self, value: Value) -> Option<u64> {
        self.emitter.function.as_splat(value)
    }

    /// Whether the instruction being rewritten has a fast-math flag.
    #[must_use]
    pub fn allows(&self, flags: FastMath) -> bool {
        self.emitter.fast_math.contains(flags)
    }

    /// A new instruction.
    pub fn value(&mut self, op: Op, operands: &[Value], ty: Type) -> Value {
        self.emitter.value(op, operands, ty)
    }

    /// A constant that is the same in all lanes.
    pub fn splat(&mut self, ty: Type, bits: u64) -> Value {
        self.emitter.function.constant(ty, Constant::Bits(bits))
    }

    /// The constant result of an operation on constants.
    fn fold(&mut self, op: &Op, operands: &[Value], ty: Type) -> Option<Value> {
        let constants: Vec<_> = operands
            .iter()
            .map(|&value| Some((self.constant(value)?.clone(), self.ty(value))))
            .collect::<Option<_>>()?;
        if constants.is_empty() || !matches!(ty, Type::Scalar(_) | Type::Vector(..)) {
            return None;
        }
        let pairs: Vec<_> = constants.iter().map(|(constant, ty)| (constant, *ty)).collect();
        if matches!(op, Op::Construct) && constants.iter().all(|(constant, _)| *constant == Constant::Undef) {
            return Some(self.function().undef(ty));
        }
        let constant = fold::fold(op, &pairs, ty)?;
        Some(self.function().constant(ty, constant))
    }
}

/// A simpler value for the result of an instruction; it may require new instructions.
pub fn rewrite(rewriter: &mut Rewriter<'_>, op: &Op, operands: &[Value], ty: Type) -> Option<Value> {
    if let Some(constant) = rewriter.fold(op, operands, ty) {
        return Some(constant);
    }
    match op {
        Op::Unary(op) => unary(rewriter, *op, operands[0], ty),
        Op::Binary(op) => binary(rewriter, *op, operands[0], operands[1], ty),
        Op::Compare(op) => compare(rewriter, *op, operands[0], operands[1], ty),
        Op::Convert(op) => convert(rewriter, *op, operands[0], ty),
        Op::Select => select::rewrite(rewriter, operands[0], operands[1], operands[2], ty),
        Op::Within(_) | Op::Apart { .. } | Op::Checked | Op::Access { op: AccessOp::Done, .. } => {
            Some(operands[0])
        }
        Op::PointerOffset(_) | Op::PointerIndex { .. } | Op::PointerSpace => {
            pointer::rewrite(rewriter, op, operands, ty)
        }
        Op::SamplerWord => match rewriter.definition(operands[0]) {
            Some((&Op::ProgramSampler(word), _)) => Some(rewriter.splat(ty, u64::from(word.bits()))),
            _ => None,
        },
        _ => vector::rewrite(rewriter, op, operands, ty),
    }
}

fn unary(rewriter: &mut Rewriter<'_>, op: UnaryOp, a: Value, ty: Type) -> Option<Value> {
    let inner = rewriter.definition(a).map(|(op, operands)| (op.clone(), operands.to_vec()));
    match (op, inner) {
        (UnaryOp::Neg | UnaryOp::Not | UnaryOp::FNeg, Some((Op::Unary(same), operands))) if same == op => {
            Some(operands[0])
        }
        (UnaryOp::Not, Some((Op::Compare(compare), operands))) => {
            Some(rewriter.value(Op::Compare(compare.inverse()), &operands, ty))
        }
        (UnaryOp::Neg, Some((Op::Binary(BinaryOp::Sub), operands))) => {
            Some(rewriter.value(Op::Binary(BinaryOp::Sub), &[operands[1], operands[0]], ty))
        }
        _ => None,
    }
}

/// Whether the operands may change places.
pub(super) fn is_commutative(op: BinaryOp) -> bool {
    use BinaryOp::*;
    matches!(op, Add | Mul | And | Or | Xor | SMin | SMax | UMin | UMax | SMulHi | UMulHi | FAdd | FMul)
}

fn binary(rewriter: &mut Rewriter<'_>, op: BinaryOp, a: Value, b: Value, ty: Type) -> Option<Value> {
    if is_commutative(op) && rewriter.constant(a).is_some() && rewriter.constant(b).is_none() {
        return Some(rewriter.value(Op::Binary(op), &[b, a], ty));
    }
    if let Some(value) = float_binary(rewriter, op, a, b, ty) {
        return Some(value);
    }
    if a == b
        && let Some(value) = equal_operands(rewriter, op, a, ty)
    {
        return Some(value);
    }
    if op == BinaryOp::And
        && let Some(value) = super::bits::and_with_difference(rewriter, a, b, ty)
            .or_else(|| super::bits::and_with_difference(rewriter, b, a, ty))
    {
        return Some(value);
    }
    if matches!(op, BinaryOp::Or | BinaryOp::Xor)
        && let Some(value) = super::bits::majority(rewriter, op, a, b, ty)
    {
        return Some(value);
    }
    if matches!(op, BinaryOp::Or | BinaryOp::Xor | BinaryOp::Add)
        && let Some(value) =
            magnitude_with_sign(rewriter, a, b, ty).or_else(|| magnitude_with_sign(rewriter, b, a, ty))
    {
        return Some(value);
    }
    let bits = rewriter.bits(b)?;
    let scalar = ty.scalar()?;
    neutral(rewriter, op, a, bits, scalar, ty)
        .or_else(|| of_chosen(rewriter, op, a, bits, ty))
        .or_else(|| with_constant(rewriter, op, a, b, bits, ty))
}

/// An integer operation with a constant, applied to a choice of two constants, becomes a choice of two
/// results.
fn of_chosen(rewriter: &mut Rewriter<'_>, op: BinaryOp, a: Value, bits: u64, ty: Type) -> Option<Value> {
    let scalar = ty.scalar().filter(|scalar| !scalar.is_float())?;
    let (condition, if_true, if_false) = chosen_constants(rewriter, a)?;
    let [if_true, if_false] = [if_true, if_false].map(|chosen| fold::binary(op, scalar, chosen, bits));
    let (if_true, if_false) = (rewriter.splat(ty, if_true?), rewriter.splat(ty, if_false?));
    Some(rewriter.value(Op::Select, &[condition, if_true, if_false], ty))
}

/// The condition and both values of a choice of two constants, such as a truth value converted to an integer.
fn chosen_constants(rewriter: &Rewriter<'_>, value: Value) -> Option<(Value, u64, u64)> {
    let scalar = rewriter.ty(value).scalar()?;
    let (definition, operands) = rewriter.definition(value)?;
    let (if_true, if_false) = match definition {
        Op::Convert(ConvertOp::ZeroExtend) if rewriter.ty(operands[0]).is_bool() => (1, 0),
        Op::Convert(ConvertOp::SignExtend) if rewriter.ty(operands[0]).is_bool() => (scalar.mask(), 0),
        Op::Select => (rewriter.bits(operands[1])?, rewriter.bits(operands[2])?),
        _ => return None,
    };
    Some((operands[0], if_true, if_false))
}

fn equal_operands(rewriter: &mut Rewriter<'_>, op: BinaryOp, a: Value, ty: Type) -> Option<Value> {
    use BinaryOp::*;
    match op {
        Sub | Xor => Some(rewriter.splat(ty, 0)),
        And | Or | SMin | SMax | UMin | UMax => Some(a),
        _ => None,
    }
}

/// Constants that leave the other operand unchanged or absorb it.
fn neutral(
    rewriter: &mut Rewriter<'_>,
    op: BinaryOp,
    a: Value,
    bits: u64,
    scalar: Scalar,
    ty: Type,
) -> Option<Value> {
    use BinaryOp::*;
    let mask = scalar.mask();
    let width = u64::from(scalar.bits());
    match (op, bits) {
        (Add | Sub | Or | Xor, 0) | (Mul | SDiv | UDiv, 1) => Some(a),
        (Shl | LShr | AShr, count) if count % width == 0 => Some(a),
        (Mul | And, 0) | (URem, 1) | (UMulHi, 0 | 1) | (UMin, 0) => Some(rewriter.splat(ty, 0)),
        (UMax, 0) => Some(a),
        (And | UMin, all) if all == mask => Some(a),
        (Or | UMax, all) if all == mask => Some(rewriter.splat(ty, all)),
        (Xor, all) if all == mask => Some(rewriter.value(Op::Unary(UnaryOp::Not), &[a], ty)),
        _ => None,
    }
}

/// Combines constants, and replaces divisions by powers of two.
fn with_constant(
    rewriter: &mut Rewriter<'_>,
    op: BinaryOp,
    a: Value,
    b: Value,
    bits: u64,
    ty: Type,
) -> Option<Value> {
    use BinaryOp::*;
    match op {
        Sub => {
            let negated = rewriter.splat(ty, bits.wrapping_neg());
            Some(rewriter.value(Op::Binary(Add), &[a, negated], ty))
        }
        Add | Mul | And | Or | Xor => {
            let [inner, constant] = rewriter.operands_of(a, &Op::Binary(op))?;
            let joined = rewriter.fold(&Op::Binary(op), &[constant, b], ty)?;
            Some(rewriter.value(Op::Binary(op), &[inner, joined], ty))
        }
        Shl | LShr => {
            let [inner, constant] = rewriter.operands_of(a, &Op::Binary(op))?;
            let width = u64::from(ty.scalar()?.bits());
            let count = rewriter.bits(constant)? % width + bits % width;
            let count_value = rewriter.splat(ty, count);
            Some(if count < width {
                rewriter.value(Op::Binary(op), &[inner, count_value], ty)
            } else {
                rewriter.splat(ty, 0)
            })
        }
        UDiv if bits.is_power_of_two() => {
            let count = rewriter.splat(ty, u64::from(bits.trailing_zeros()));
            Some(rewriter.value(Op::Binary(LShr), &[a, count], ty))
        }
        URem if bits.is_power_of_two() => {
            let mask = rewriter.splat(ty, bits - 1);
            Some(rewriter.value(Op::Binary(And), &[a, mask], ty))
        }
        _ => None,
    }
}

fn float_binary(rewriter: &mut Rewriter<'_>, op: BinaryOp, a: Value, b: Value, ty: Type) -> Option<Value> {
    use BinaryOp::*;
    let scalar = ty.scalar().filter(|scalar| scalar.is_float())?;
    let negation = Op::Unary(UnaryOp::FNeg);
    if matches!(op, FAdd | FSub)
        && let Some(lanes) = vector::with_negated_lanes(rewriter, op, [a, b], ty)
    {
        return Some(lanes);
    }
    match op {
        FAdd => {
            if let Some([inner, _]) = rewriter.operands_of(b, &negation) {
                return Some(rewriter.value(Op::Binary(FSub), &[a, inner], ty));
            }
            if let Some([inner, _]) = rewriter.operands_of(a, &negation) {
                return Some(rewriter.value(Op::Binary(FSub), &[b, inner], ty));
            }
        }
        FSub => {
            if let Some([inner, _]) = rewriter.operands_of(b, &negation) {
                return Some(rewriter.value(Op::Binary(FAdd), &[a, inner], ty));
            }
            let negative_zero = 1 << (scalar.bits() - 1);
            let any_zero = rewriter.allows(FastMath::NO_SIGNED_ZERO);
            if rewriter.bits(a).is_some_and(|bits| bits == negative_zero || any_zero && bits == 0) {
                return Some(rewriter.value(negation, &[b], ty));
            }
        }
        _ => {}
    }
    let bits = rewriter.bits(b)?;
    let number = fold::to_f64(scalar, bits);
    let negative_zero = number == 0.0 && number.is_sign_negative();
    let any_zero = rewriter.allows(FastMath::NO_SIGNED_ZERO);
    match op {
        FAdd if number == 0.0 && (negative_zero || any_zero) => Some(a),
        FSub if number == 0.0 && (!negative_zero || any_zero) => Some(a),
        FMul | FDiv if number == 1.0 => Some(a),
        FMul | FDiv if number == -1.0 => Some(rewriter.value(negation, &[a], ty)),
        FMul if number == 0.0 && any_zero && rewriter.allows(FastMath::NO_NAN | FastMath::NO_INF) => {
            Some(rewriter.splat(ty, 0))
        }
        FDiv => {
            let reciprocal = fold::from_f64(scalar, 1.0 / number);
            let value = fold::to_f64(scalar, reciprocal);
            let exact = is_power_of_two(number) && is_power_of_two(value);
            let approximate = rewriter.allows(FastMath::RECIPROCAL) && is_normal(scalar, value);
            if !(exact || approximate) {
                return None;
            }
            let reciprocal = rewriter.splat(ty, reciprocal);
            Some(rewriter.value(Op::Binary(FMul), &[a, reciprocal], ty))
        }
        _ => None,
    }
}

/// A normal single-precision power of two whose reciprocal is one, too.
fn is_power_of_two(number: f64) -> bool {
    let exponent = (number.to_bits() >> 52 & 0x7ff) as i64 - 1023;
    number.to_bits() & ((1 << 52) - 1) == 0 && (-13..=13).contains(&exponent)
}

fn is_normal(scalar: Scalar, value: f64) -> bool {
    match scalar {
        Scalar::F16 => value.abs() >= 6.2e-5 && value.abs() <= 65504.0,
        Scalar::F32 => (value as f32).is_normal(),
        _ => value.is_normal(),
    }
}

fn compare(rewriter: &mut Rewriter<'_>, op: CompareOp, a: Value, b: Value, ty: Type) -> Option<Value> {
    use CompareOp::*;
    if rewriter.constant(a).is_some() && rewriter.constant(b).is_none() {
        return Some(rewriter.value(Op::Compare(op.swapped()), &[b, a], ty));
    }
    if a == b {
        match op {
            Eq | SLe | SGe | ULe | UGe => return Some(rewriter.splat(ty, 1)),
            Ne | SLt | SGt | ULt | UGt | FONe | FOLt | FOGt => return Some(rewriter.splat(ty, 0)),
            _ => {}
        }
    }
    if let Some(result) = compare_extended(rewriter, op, a, b, ty) {
        return Some(result);
    }
    let bits = rewriter.bits(b)?;
    let scalar = rewriter.ty(a).scalar();
    if let Some(known) = scalar.and_then(|scalar| compare_with_extreme(op, bits, scalar)) {
        return Some(rewriter.splat(ty, u64::from(known)));
    }
    match (op, bits) {
        (UGt, 0) => return Some(rewriter.value(Op::Compare(Ne), &[a, b], ty)),
        (ULt, 1) => {
            let zero = rewriter.splat(rewriter.ty(a), 0);
            return Some(rewriter.value(Op::Compare(Eq), &[a, zero], ty));
        }
        _ => {}
    }
    match op {
        Eq | Ne => compare_with_constant(rewriter, op, a, bits, ty),
        _ => None,
    }
}

/// The result of comparing with the smallest or largest integer, if it is the same for every operand.
fn compare_with_extreme(op: CompareOp, bits: u64, scalar: Scalar) -> Option<bool> {
    use CompareOp::*;
    let most = scalar.mask();
    match op {
        ULt | UGe if bits == 0 => Some(op == UGe),
        UGt | ULe if bits == most => Some(op == ULe),
        SLt | SGe if bits == most / 2 + 1 => Some(op == SGe),
        SGt | SLe if bits == most / 2 => Some(op == SLe),
        _ => None,
    }
}

/// Compares an extended integer with a constant, or with another one extended in the same way, before the
/// extension. Extension preserves the order; sign extension preserves the order as unsigned numbers, too.
/// This is cheaper where wide integers are pairs of words, and lavapipe 22.3 compares a sign-extended number
/// with a constant wrongly.
fn compare_extended(
    rewriter: &mut Rewriter<'_>,
    op: CompareOp,
    a: Value,
    b: Value,
    ty: Type,
) -> Option<Value> {
    let extended = |value: Value| match rewriter.definition(value)? {
        (Op::Convert(extension @ (ConvertOp::SignExtend | ConvertOp::ZeroExtend)), operands) => {
            let from = rewriter.ty(operands[0]);
            (!from.is_bool()).then_some((*extension, operands[0], from))
        }
        _ => None,
    };
    let (extension, narrow, from) = extended(a)?;
    let (scalar, wide) = (from.scalar()?, rewriter.ty(a).scalar()?);
    let signed = extension == ConvertOp::SignExtend;
    let narrow_op = if signed { op } else { op.unsigned() };
    if let Some((other_extension, other, other_from)) = extended(b) {
        let alike = other_extension == extension && other_from == from;
        return alike.then(|| rewriter.value(Op::Compare(narrow_op), &[narrow, other], ty));
    }
    let bits = rewriter.bits(b)?;
    let low = bits & scalar.mask();
    let negative = signed && low >> (scalar.bits() - 1) != 0;
    let back = if negative { low | (wide.mask() & !scalar.mask()) } else { low };
    if back == bits {
        let constant = rewriter.splat(from, low);
        return Some(rewriter.value(Op::Compare(narrow_op), &[narrow, constant], ty));
    }
    // A constant outside of the range of all extended numbers. With sign extension, the numbers form two
    // unsigned ranges, with constants between them.
    let between = signed && op == op.unsigned() && !matches!(op, CompareOp::Eq | CompareOp::Ne);
    (!between).then(|| rewriter.splat(ty, u64::from(fold::compare(op, wide, 0, bits))))
}

/// Undoes the conversion of a truth value to an integer before a test.
fn compare_with_constant(
    rewriter: &mut Rewriter<'_>,
    op: CompareOp,
    a: Value,
    bits: u64,
    ty: Type,
) -> Option<Value> {
    let same = |rewriter: &mut Rewriter<'_>, condition: Value, equal: bool| {
        if rewriter.ty(condition) != ty {
            return None;
        }
        Some(if equal { condition } else { rewriter.value(Op::Unary(UnaryOp::Not), &[condition], ty) })
    };
    if rewriter.ty(a).is_bool() {
        return same(rewriter, a, (bits != 0) == (op == CompareOp::Eq));
    }
    let (condition, if_true, if_false) = chosen_constants(rewriter, a)?;
    let (when_true, when_false) = (if_true == bits, if_false == bits);
    match (when_true, when_false) {
        (true, false) => same(rewriter, condition, op == CompareOp::Eq),
        (false, true) => same(rewriter, condition, op != CompareOp::Eq),
        _ => Some(rewriter.splat(ty, u64::from(when_true == (op == CompareOp::Eq)))),
    }
}

fn convert(rewriter: &mut Rewriter<'_>, op: ConvertOp, a: Value, ty: Type) -> Option<Value> {
    use ConvertOp::*;
    let from = rewriter.ty(a);
    if from == ty && matches!(op, Truncate | ZeroExtend | SignExtend | Bitcast | AddressSpace | Float(_)) {
        return Some(a);
    }
    if op == Bitcast
        && let Some(signed) = with_sign(rewriter, a, ty)
    {
        return Some(signed);
    }
    let (definition, operands) = rewriter.definition(a)?;
    let Op::Convert(inner) = *definition else { return None };
    let source = operands[0];
    let source_ty = rewriter.ty(source);
    match (op, inner) {
        (Bitcast, Bitcast) => {
            Some(if source_ty == ty { source } else { rewriter.value(Op::Convert(Bitcast), &[source], ty) })
        }
        (ZeroExtend, ZeroExtend) | (SignExtend, SignExtend) => {
            Some(rewriter.value(Op::Convert(op), &[source], ty))
        }
        // After zero extension the sign is clear.
        (SignExtend, ZeroExtend) => Some(rewriter.value(Op::Convert(ZeroExtend), &[source], ty)),
        (Truncate, Truncate) => Some(rewriter.value(Op::Convert(Truncate), &[source], ty)),
        (Truncate, ZeroExtend | SignExtend) => {
            let (have, want) = (source_ty.scalar()?.bits(), ty.scalar()?.bits());
            Some(match have.cmp(&want) {
                std::cmp::Ordering::Equal => source,
                std::cmp::Ordering::Less => rewriter.value(Op::Convert(inner), &[source], ty),
                std::cmp::Ordering::Greater => rewriter.value(Op::Convert(Truncate), &[source], ty),
            })
        }
        (PointerToInt, IntToPointer) => Some(source),
        (IntToPointer, PointerToInt) if source_ty == ty => Some(source),
        (IntToPointer, PointerToInt)
            if [source_ty, ty].contains(&Type::Pointer(clvk_ir::AddressSpace::Generic)) =>
        {
            Some(rewriter.value(Op::Convert(AddressSpace), &[source], ty))
        }
        (AddressSpace, AddressSpace) if source_ty == ty => Some(source),
        _ => None,
    }
}

/// The number with the magnitude of one number and the sign of another, composed with masks, becomes a
/// copysign; later passes decide how each device computes it.
fn with_sign(rewriter: &mut Rewriter<'_>, bits: Value, ty: Type) -> Option<Value> {
    let scalar = ty.scalar().filter(|scalar| scalar.is_float())?;
    if rewriter.ty(bits).lanes() != ty.lanes() {
        return None;
    }
    let sign = 1 << (scalar.bits() - 1);
    let sides = rewriter.operands_of(bits, &Op::Binary(BinaryOp::Or))?;
    let masked = |side: Value| {
        let [bits, mask] = rewriter.operands_of(side, &Op::Binary(BinaryOp::And))?;
        Some((bits, rewriter.bits(mask)?))
    };
    let [left, right] = [masked(sides[0])?, masked(sides[1])?];
    let (magnitude, signed) = if right.1 == sign { (left, right) } else { (right, left) };
    if (magnitude.1, signed.1) != (scalar.mask() & !sign, sign) {
        return None;
    }
    let operands =
        [magnitude.0, signed.0].map(|bits| rewriter.value(Op::Convert(ConvertOp::Bitcast), &[bits], ty));
    Some(rewriter.value(Op::Math(MathOp::CopySign), &operands, ty))
}

/// As [`with_sign`], for the bits of an absolute value with which a sign is combined. Lavapipe gets that
/// wrong where LLVM makes one instruction of it and of a choice beside one of the two numbers.
fn magnitude_with_sign(
    rewriter: &mut Rewriter<'_>,
    magnitude: Value,
    sign: Value,
    ty: Type,
) -> Option<Value> {
    let [number, _] = rewriter.operands_of(magnitude, &Op::Convert(ConvertOp::Bitcast))?;
    let [number, _] = rewriter.operands_of(number, &Op::Math(MathOp::FAbs))?;
    let floats = rewriter.ty(number);
    let bit = u64::from(ty.scalar()?.bits() - 1);
    let signed = match rewriter.operands_of(sign, &Op::Binary(BinaryOp::And)) {
        Some([signed, mask]) if rewriter.bits(mask) == Some(1 << bit) => signed,
        Some(_) => return None,
        None => {
            let [_, count] = rewriter.operands_of(sign, &Op::Binary(BinaryOp::Shl))?;
            (rewriter.bits(count) == Some(bit)).then_some(sign)?
        }
    };
    if floats.lanes() != ty.lanes() {
        return None;
    }
    let signed = rewriter.value(Op::Convert(ConvertOp::Bitcast), &[signed], floats);
    let number = rewriter.value(Op::Math(MathOp::CopySign), &[number, signed], floats);
    Some(rewriter.value(Op::Convert(ConvertOp::Bitcast), &[number], ty))
}
