//! Marks around asynchronous copies, which are made before the library is linked: what lies between them is
//! done by the work-group's copies, and not by the work-item that executes it.

use super::mark::Mark;
use crate::passes::cursor::Cursor;
use clvk_ir::{Func, Function, Inst, Op, Type};

/// Calls of this function mark where copies begin and end.
pub const MARK: Mark = Mark::of_number("__clvk.copying");

/// Keeps the call of a function that copies, between marks.
pub fn mark(cursor: &mut Cursor<'_>, copying: Func, inst: Inst) {
    let [begins, ends] = [1, 0].map(|bit| cursor.int(Type::I32, bit));
    cursor.push(Op::Call(copying), &[begins], &[], &[]);
    cursor.keep(inst);
    cursor.push(Op::Call(copying), &[ends], &[], &[]);
}

/// Whether an instruction marks that copies begin, or that they end; none if it is not a mark.
pub fn begins(function: &Function, inst: Inst, copying: Option<Func>) -> Option<bool> {
    let data = &function.insts[inst];
    let is_mark = copying.is_some_and(|copying| data.op == Op::Call(copying));
    is_mark.then(|| function.as_bits(data.operands[0]) == Some(1))
}
