//! Rewrites of addresses. Constants are moved outermost, `offset(index(base, i), c)`, so that equal parts are
//! shared and the constant can become an immediate. Conversions to the generic address space move outwards,
//! so that accesses see the known address space.

use super::algebra::Rewriter;
use clvk_ir::{AddressSpace, BinaryOp, ConvertOp, Op, Type, Value};

/// A simpler address.
pub fn rewrite(rewriter: &mut Rewriter<'_>, op: &Op, operands: &[Value], ty: Type) -> Option<Value> {
    if *op == Op::PointerSpace {
        let space =
            known_space(rewriter, operands[0]).and_then(|known| rewriter.ty(known).address_space())?;
        return Some(rewriter.function().int(ty, space_number(space)));
    }
    if let Some(known) = known_space(rewriter, operands[0]) {
        let mut inner = operands.to_vec();
        inner[0] = known;
        let known_ty = rewriter.ty(known);
        let moved = rewriter.value(op.clone(), &inner, known_ty);
        return Some(rewriter.value(Op::Convert(ConvertOp::AddressSpace), &[moved], ty));
    }
    match *op {
        Op::PointerOffset(0) => Some(operands[0]),
        Op::PointerOffset(offset) => {
            let (base, inner) = offset_of(rewriter, operands[0])?;
            Some(offset_by(rewriter, base, inner.checked_add(offset)?, ty))
        }
        Op::PointerIndex { stride } => index(rewriter, operands[0], operands[1], stride, ty),
        _ => None,
    }
}

/// The result of [`Op::PointerSpace`] for a pointer to an address space.
#[must_use]
pub fn space_number(space: AddressSpace) -> i64 {
    match space {
        AddressSpace::Local => 1,
        AddressSpace::Global => 2,
        AddressSpace::Private | AddressSpace::Constant | AddressSpace::Generic => 0,
    }
}

/// The pointer of a known address space from which a generic one was made.
#[must_use]
pub fn known_space(rewriter: &Rewriter<'_>, pointer: Value) -> Option<Value> {
    if rewriter.ty(pointer) != Type::Pointer(AddressSpace::Generic) {
        return None;
    }
    let [inner, _] = rewriter.operands_of(pointer, &Op::Convert(ConvertOp::AddressSpace))?;
    Some(inner)
}

fn offset_of(rewriter: &Rewriter<'_>, pointer: Value) -> Option<(Value, i64)> {
    match rewriter.definition(pointer)? {
        (Op::PointerOffset(offset), operands) => Some((operands[0], *offset)),
        _ => None,
    }
}

fn offset_by(rewriter: &mut Rewriter<'_>, base: Value, offset: i64, ty: Type) -> Value {
    if offset == 0 { base } else { rewriter.value(Op::PointerOffset(offset), &[base], ty) }
}

fn index(rewriter: &mut Rewriter<'_>, base: Value, index: Value, stride: u64, ty: Type) -> Option<Value> {
    let index_ty = rewriter.ty(index);
    if stride == 0 {
        return Some(base);
    }
    if let Some(bits) = rewriter.bits(index) {
        let count = index_ty.scalar()?.sign_extend(bits);
        let offset = count.checked_mul(i64::try_from(stride).ok()?)?;
        return Some(offset_by(rewriter, base, offset, ty));
    }
    if let Some((inner, offset)) = offset_of(rewriter, base) {
        let indexed = rewriter.value(Op::PointerIndex { stride }, &[inner, index], ty);
        return Some(offset_by(rewriter, indexed, offset, ty));
    }
    // The index is sign-extended anyway.
    if let Some([narrow, _]) = rewriter.operands_of(index, &Op::Convert(ConvertOp::SignExtend))
        && !rewriter.ty(narrow).is_bool()
    {
        return Some(rewriter.value(Op::PointerIndex { stride }, &[base, narrow], ty));
    }
    // Addresses have 64 bits: only at that width can a sum be distributed even if it wraps.
    if index_ty == Type::I64
        && let Some([variable, constant]) = rewriter.operands_of(index, &Op::Binary(BinaryOp::Add))
        && let Some(bits) = rewriter.bits(constant)
    {
        let offset = (bits as i64).checked_mul(i64::try_from(stride).ok()?)?;
        let indexed = rewriter.value(Op::PointerIndex { stride }, &[base, variable], ty);
        return Some(offset_by(rewriter, indexed, offset, ty));
    }
    None
}
