//! Rewrites of selections.

use super::algebra::Rewriter;
use clvk_ir::{BinaryOp, Constant, ConvertOp, Op, Type, UnaryOp, Value};

/// A simpler value for a selection.
pub(super) fn rewrite(
    rewriter: &mut Rewriter<'_>,
    condition: Value,
    if_true: Value,
    if_false: Value,
    ty: Type,
) -> Option<Value> {
    if if_true == if_false || rewriter.constant(if_false) == Some(&Constant::Undef) {
        return Some(if_true);
    }
    if rewriter.constant(if_true) == Some(&Constant::Undef) {
        return Some(if_false);
    }
    if let Some(bits) = rewriter.bits(condition) {
        return Some(if bits != 0 { if_true } else { if_false });
    }
    if let Some([inner, _]) = rewriter.operands_of(condition, &Op::Unary(UnaryOp::Not)) {
        return Some(rewriter.value(Op::Select, &[inner, if_false, if_true], ty));
    }
    if !ty.is_bool() {
        return select_extended(rewriter, condition, if_true, if_false, ty);
    }
    if rewriter.ty(condition) != ty {
        return None;
    }
    match (rewriter.bits(if_true), rewriter.bits(if_false)) {
        (Some(1), Some(0)) => Some(condition),
        (Some(0), Some(1)) => Some(rewriter.value(Op::Unary(UnaryOp::Not), &[condition], ty)),
        (Some(1), None) => Some(rewriter.value(Op::Binary(BinaryOp::Or), &[condition, if_false], ty)),
        (None, Some(0)) => Some(rewriter.value(Op::Binary(BinaryOp::And), &[condition, if_true], ty)),
        // Only where that takes no complement of its own.
        (Some(0), None) if matches!(rewriter.definition(condition), Some((Op::Compare(_), _))) => {
            let not = rewriter.value(Op::Unary(UnaryOp::Not), &[condition], ty);
            Some(rewriter.value(Op::Binary(BinaryOp::And), &[not, if_false], ty))
        }
        (None, Some(1)) if matches!(rewriter.definition(condition), Some((Op::Compare(_), _))) => {
            let not = rewriter.value(Op::Unary(UnaryOp::Not), &[condition], ty);
            Some(rewriter.value(Op::Binary(BinaryOp::Or), &[not, if_true], ty))
        }
        _ => None,
    }
}

/// A truth value as an integer, or zero: LLVM stores truth values so.
fn select_extended(
    rewriter: &mut Rewriter<'_>,
    condition: Value,
    if_true: Value,
    if_false: Value,
    ty: Type,
) -> Option<Value> {
    let zero = |value: Value| {
        rewriter.bits(value) == Some(0) && ty.scalar().is_some_and(|scalar| !scalar.is_float())
    };
    let (other, chosen_if) = match (zero(if_true), zero(if_false)) {
        (false, true) => (if_true, true),
        (true, false) => (if_false, false),
        _ => return None,
    };
    let (extension, truth) = match rewriter.definition(other)? {
        (Op::Convert(extension @ (ConvertOp::ZeroExtend | ConvertOp::SignExtend)), &[truth]) => {
            (*extension, truth)
        }
        _ => return None,
    };
    let bool_ty = rewriter.ty(truth);
    if !bool_ty.is_bool() || rewriter.ty(condition) != bool_ty {
        return None;
    }
    let chosen = match chosen_if {
        true => condition,
        false => rewriter.value(Op::Unary(UnaryOp::Not), &[condition], bool_ty),
    };
    let both = rewriter.value(Op::Binary(BinaryOp::And), &[chosen, truth], bool_ty);
    Some(rewriter.value(Op::Convert(extension), &[both], ty))
}
