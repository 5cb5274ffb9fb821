//! The tracer: the values of one work-item, and the first work-item with a value that meets a condition.

use super::Measuring;
use super::record::{event, query, update, when, word, words};
use crate::passes::cursor::Cursor;
use crate::passes::structure::{enclose, end_after};
use clvk_interface::measure::{Condition, Relation, head};
use clvk_ir::{AtomicOp, CompareOp, Func, Function, Inst, MathOp, Op, Type, Value, WorkItemQuery};
use rustc_hash::FxHashSet;

/// Records the values of one work-item.
pub fn trace(function: &mut Function, measuring: &Measuring, item: u32) {
    replace(function, &measuring.functions, |cursor, id, number, value| {
        let wanted = cursor.int(Type::I32, item.into());
        let is_traced = cursor.compare(CompareOp::Eq, id, wanted);
        when(cursor, is_traced, |cursor| {
            for lane in cursor.lanes(value) {
                let words = words(cursor, lane);
                event(cursor, number, id, words);
            }
        });
    });
}

/// Finds the first work-item in which a value meets a condition.
pub fn search(function: &mut Function, measuring: &Measuring, condition: &Condition) {
    replace(function, &measuring.functions, |cursor, id, _, value| {
        for lane in cursor.lanes(value) {
            let Some(holds) = holds(cursor, lane, condition) else { continue };
            when(cursor, holds, |cursor| {
                let place = word(cursor, head::FOUND);
                update(cursor, AtomicOp::UMin, place, id);
            });
        }
    });
}

/// Puts code in the place of the marks. It gets the work-item's global linear id, the mark's number and the
/// value.
fn replace(
    function: &mut Function,
    marks: &FxHashSet<Func>,
    mut code: impl FnMut(&mut Cursor<'_>, Value, u32, Value),
) {
    let mut any = false;
    function.walk(|_, data| any |= matches!(data.op, Op::Call(callee) if marks.contains(&callee)));
    if !any {
        return;
    }
    let block = enclose(function, &[]);
    let mut cursor = Cursor::new(function);
    // The body is empty: what is added here stands before the block.
    let id = query(&mut cursor, WorkItemQuery::GlobalLinearId, None);
    while cursor.advance().is_some() {}
    end_after(function, block);
    let mut cursor = Cursor::new(function);
    while let Some(inst) = cursor.advance() {
        match number(cursor.function, inst, marks) {
            Some(number) => {
                let value = cursor.operand(inst, 1);
                code(&mut cursor, id, number, value);
            }
            None => cursor.keep(inst),
        }
    }
}

/// The number of a mark.
pub fn number(function: &Function, inst: Inst, marks: &FxHashSet<Func>) -> Option<u32> {
    let data = &function.insts[inst];
    match data.op {
        Op::Call(callee) if marks.contains(&callee) => {
            Some(function.as_bits(data.operands[0]).expect("marks have numbers") as u32)
        }
        _ => None,
    }
}

/// Whether a scalar meets a condition; none if it never does.
fn holds(cursor: &mut Cursor<'_>, value: Value, condition: &Condition) -> Option<Value> {
    use Relation::*;
    let ty = cursor.function.ty(value);
    if ty.is_float() {
        let math = match condition.relation {
            IsNan => MathOp::IsNan,
            IsInfinite => MathOp::IsInf,
            relation => {
                let number = cursor.function.float(ty, f64::from_bits(condition.float));
                let op = match relation {
                    Equal => CompareOp::FOEq,
                    Different => CompareOp::FUNe,
                    Less => CompareOp::FOLt,
                    LessOrEqual => CompareOp::FOLe,
                    Greater => CompareOp::FOGt,
                    _ => CompareOp::FOGe,
                };
                return Some(cursor.compare(op, value, number));
            }
        };
        return Some(cursor.value(Op::Math(math), &[value], Type::BOOL));
    }
    let number = condition.int?;
    // Integers of the IR have no sign; a number that only an unsigned one can have says what is meant.
    let bits = ty.scalar()?.bits();
    let fits_signed = bits == 64 || (-1i64 << (bits - 1)..1i64 << (bits - 1)).contains(&number);
    let op = match condition.relation {
        Equal => CompareOp::Eq,
        Different => CompareOp::Ne,
        Less => CompareOp::SLt,
        LessOrEqual => CompareOp::SLe,
        Greater => CompareOp::SGt,
        GreaterOrEqual => CompareOp::SGe,
        IsNan | IsInfinite => return None,
    };
    let op = if fits_signed { op } else { op.unsigned() };
    if ty.is_bool() {
        return None;
    }
    let number = cursor.int(ty, number);
    Some(cursor.compare(op, value, number))
}
