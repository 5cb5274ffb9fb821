//! Keeps compilers from computing with floating-point numbers as if they were real
//! ([`Quirk::ReassociatedFloats`]): a result whose rounding another operation relies on is combined with the
//! word of the push constants that is always 0, so that no compiler sees through it.
//!
//! These are
//! - results without [`FastMath::CONTRACT`], as in the library of built-in functions, which other sums,
//!   products and quotients use: there, every rounding counts;
//! - elsewhere, results that the next operation would cancel (`(a + b) - a`, `(a * b) / a`), sums and
//!   products with two constants, and products with a common factor that are added.
//!
//! SPIR-V says the same with a decoration, which the writer sets, and which these compilers do not have. It
//! runs after `contract`, which fuses what may be fused.

use crate::TranslateError;
use crate::passes::{Context, cursor::Cursor, zero::Zero};
use clvk_interface::Quirk;
use clvk_ir::{
    BinaryOp, ConvertOp, EntityId, FastMath, Function, Inst, InstData, MathOp, Op, RoundingMode, Scalar,
    Type, UnaryOp, Value,
};

/// See the module.
///
/// # Errors
/// None.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    if !context.profile.has(Quirk::ReassociatedFloats) {
        return Ok(());
    }
    for function in context.module.bodies_mut() {
        if let Some(zero) = Zero::of(function, &context.interface) {
            keep(function, zero);
        }
    }
    Ok(())
}

fn keep(function: &mut Function, zero: Zero) {
    let kept = relied_on(function);
    if !kept.contains(&true) {
        return;
    }
    let mut cursor = Cursor::new(function);
    while let Some(inst) = cursor.advance() {
        cursor.keep(inst);
        let Some(&result) = cursor.function.insts[inst].results.first() else { continue };
        if kept.get(result.index()) == Some(&true) {
            let hidden = hidden(&mut cursor, result, zero);
            cursor.replace(result, hidden);
        }
    }
}

/// The number, by way of bits that no compiler knows.
fn hidden(cursor: &mut Cursor<'_>, number: Value, zero: Zero) -> Value {
    let ty = cursor.function.ty(number);
    if ty.scalar() == Some(Scalar::F16) {
        // Single precision holds it, and there may be no integers of its size.
        let widen = ConvertOp::Float(RoundingMode::NearestEven);
        let wide = cursor.convert(widen, number, ty.with_scalar(Scalar::F32));
        let wide = hidden(cursor, wide, zero);
        return cursor.convert(widen, wide, ty);
    }
    let integers = ty.with_scalar(Scalar::I32);
    let zero = zero.read(|op| cursor.value(op, &[], Type::I32));
    let zeros = cursor.construct(&vec![zero; ty.lanes() as usize]);
    let bits = cursor.bitcast(number, integers);
    let bits = cursor.binary(BinaryOp::Or, bits, zeros);
    cursor.bitcast(bits, ty)
}

/// For each value, whether another operation relies on its rounding.
fn relied_on(function: &Function) -> Vec<bool> {
    let mut kept = vec![false; function.values.len()];
    function.walk(|_, user| {
        if !computes(user) || user.fast_math.contains(FastMath::REASSOCIATE) {
            return;
        }
        for (position, &operand) in user.operands.iter().enumerate() {
            let operand = without_sign(function, operand);
            let Some(made) = function.defining_inst(operand).map(|inst| &function.insts[inst]) else {
                continue;
            };
            let hideable = matches!(function.ty(operand).scalar(), Some(Scalar::F16 | Scalar::F32));
            let rounds = computes(made) && hideable;
            if !rounds || made.fast_math.contains(FastMath::REASSOCIATE) {
                continue;
            }
            let exact = !(made.fast_math & user.fast_math).contains(FastMath::CONTRACT);
            kept[operand.index()] |= exact || rewritable(function, made, user, position);
        }
    });
    kept
}

/// Whether it is a sum, product or quotient.
fn computes(data: &InstData) -> bool {
    matches!(
        data.op,
        Op::Binary(BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul | BinaryOp::FDiv) | Op::Math(MathOp::Fma)
    )
}

/// A value without its negations.
fn without_sign(function: &Function, mut value: Value) -> Value {
    while let Some(inst) = function.defining_inst(value)
        && function.insts[inst].op == Op::Unary(UnaryOp::FNeg)
    {
        value = function.insts[inst].operands[0];
    }
    value
}

/// Whether an operation and the one that uses its result as the operand at `position` are equal, for real
/// numbers, to something simpler.
fn rewritable(function: &Function, made: &InstData, user: &InstData, position: usize) -> bool {
    let (Op::Binary(inner), Op::Binary(outer)) = (&made.op, &user.op) else { return false };
    let sums = |op| matches!(op, BinaryOp::FAdd | BinaryOp::FSub);
    let of_one_kind = sums(*inner) == sums(*outer);
    let other = without_sign(function, user.operands[1 - position]);
    let operands: Vec<Value> = made.operands.iter().map(|&operand| without_sign(function, operand)).collect();
    let is_constant = |value: Value| function.as_constant(value).is_some();
    if of_one_kind {
        return operands.contains(&other) || is_constant(other) && operands.iter().any(|&it| is_constant(it));
    }
    // The sum of two products.
    let Some(second) = product(function, other) else { return false };
    *inner == BinaryOp::FMul
        && second.operands.iter().any(|&it| operands.contains(&without_sign(function, it)))
}

/// The instruction that a value is the product of.
fn product(function: &Function, value: Value) -> Option<&InstData> {
    let inst: Inst = function.defining_inst(value)?;
    Some(&function.insts[inst]).filter(|data| data.op == Op::Binary(BinaryOp::FMul))
}
