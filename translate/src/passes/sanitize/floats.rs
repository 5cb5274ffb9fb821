//! Checks where NaNs and infinities come from: operations on finite numbers whose result is not finite.

use super::arithmetic::{any, bits_of};
use super::report::{Details, Reporter};
use super::when;
use crate::passes::cursor::Cursor;
use clvk_interface::sanitize::{Checked, FloatSource};
use clvk_ir::{
    BinaryOp, Constant, ConvertOp, FastMath, Func, Inst, InstData, MathOp, Module, Op, RoundingMode, Scalar,
    Type, UnaryOp, Value,
};
use rustc_hash::FxHashMap;

/// The library functions that compute numbers of numbers, and what they are. Those that exchange numbers
/// between work-items are not among them.
pub fn functions(module: &Module) -> FxHashMap<Func, FloatSource> {
    let functions = module.functions.iter().filter_map(|(func, function)| {
        let stem = function.name.strip_prefix("__clvk_").filter(|_| function.body.is_none())?;
        let source = if stem.starts_with("divide") { FloatSource::Quotient } else { FloatSource::Other };
        (!stem.contains("group")).then_some((func, source))
    });
    functions.collect()
}

/// What an instruction is, if it computes a floating-point number of others.
pub fn source(data: &InstData, functions: &FxHashMap<Func, FloatSource>) -> Option<FloatSource> {
    use MathOp::{
        Dot, Fma, NativeDivide, NativeExp, NativeExp2, NativeLog, NativeLog2, NativeRsqrt, NativeSqrt, Sqrt,
    };
    match &data.op {
        Op::Binary(BinaryOp::FDiv) | Op::Math(NativeDivide) => Some(FloatSource::Quotient),
        Op::Binary(BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul)
        | Op::Math(
            Dot | Fma | NativeExp | NativeExp2 | NativeLog | NativeLog2 | NativeRsqrt | NativeSqrt | Sqrt,
        ) => Some(FloatSource::Other),
        Op::Convert(ConvertOp::Float(_)) => Some(FloatSource::Conversion),
        Op::Call(callee) | Op::CallElementwise(callee) => functions.get(callee).copied(),
        _ => None,
    }
}

/// Checks the result of an instruction that was kept.
pub fn check(cursor: &mut Cursor<'_>, reporter: &mut Reporter<'_>, inst: Inst, source: FloatSource) {
    let operands = cursor.operands(inst);
    let function = &*cursor.function;
    let Some(&result) = function.insts[inst].results.first() else { return };
    let is_number = |&value: &Value| function.ty(value).scalar().is_some();
    let is_float = |value: &Value| function.ty(*value).is_float();
    let numbers: Vec<Value> = operands.iter().copied().filter(is_float).collect();
    if !is_float(&result) || numbers.is_empty() || !operands.iter().all(is_number) {
        return;
    }
    if source == FloatSource::Conversion
        && function.ty(result).access_size() >= function.ty(numbers[0]).access_size()
    {
        return;
    }
    // Nothing may be assumed about the numbers here.
    let fast_math = cursor.set_fast_math(FastMath::empty());
    if let Some(fails) = born(cursor, result, &numbers) {
        let lanes = cursor.function.ty(result).lanes();
        when(cursor, fails, |cursor| {
            let both = [result, numbers[numbers.len() - 1]];
            let is_double = |&number: &Value| cursor.function.ty(number).scalar() == Some(Scalar::F64);
            let single = !both.iter().any(is_double);
            let scalar = if single { Scalar::F32 } else { Scalar::F64 };
            let values = both.map(|number| {
                let number = convert(cursor, number, scalar);
                bits_of(cursor, number)
            });
            let details = Details { object: None, values };
            reporter.report(cursor, Checked::Finite { source, single, lanes }, details);
        });
    }
    cursor.set_fast_math(fast_math);
}

/// Whether a result is not finite though the operands are, in any lane; none if an operand never is.
fn born(cursor: &mut Cursor<'_>, result: Value, operands: &[Value]) -> Option<Value> {
    let mut born = not_finite(cursor, result);
    let mut whole: Vec<Value> = Vec::new();
    for &operand in operands {
        if let Some(constant) = cursor.function.as_constant(operand) {
            if is_finite(cursor.function.ty(operand), constant) { continue } else { return None }
        }
        let given = not_finite(cursor, operand);
        let finite = cursor.value(Op::Unary(UnaryOp::Not), &[given], cursor.function.ty(given));
        if cursor.function.ty(finite) == cursor.function.ty(born) {
            born = cursor.binary(BinaryOp::And, born, finite);
        } else {
            whole.push(given);
        }
    }
    let mut fails = any(cursor, born);
    for given in whole {
        let given = any(cursor, given);
        let finite = cursor.value(Op::Unary(UnaryOp::Not), &[given], Type::BOOL);
        fails = cursor.binary(BinaryOp::And, fails, finite);
    }
    Some(fails)
}

/// Whether all lanes of a constant are finite.
fn is_finite(ty: Type, constant: &Constant) -> bool {
    let exponent = match ty.scalar() {
        Some(Scalar::F16) => 0x7c00,
        Some(Scalar::F32) => 0x7f80_0000,
        _ => 0x7ff0_0000_0000_0000,
    };
    (0..ty.lanes() as usize).all(|lane| constant.lane(lane).is_some_and(|bits| bits & exponent != exponent))
}

fn not_finite(cursor: &mut Cursor<'_>, number: Value) -> Value {
    let ty = cursor.function.ty(number).with_scalar(Scalar::Bool);
    let [nan, infinite] = [MathOp::IsNan, MathOp::IsInf].map(|op| cursor.value(Op::Math(op), &[number], ty));
    cursor.binary(BinaryOp::Or, nan, infinite)
}

/// A number of this type.
fn convert(cursor: &mut Cursor<'_>, number: Value, scalar: Scalar) -> Value {
    let ty = cursor.function.ty(number).with_scalar(scalar);
    cursor.convert(ConvertOp::Float(RoundingMode::NearestEven), number, ty)
}
