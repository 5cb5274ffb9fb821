//! Checks that all work-items of a sub-group call its functions together, with the same index (OpenCL C
//! §6.15.20), and reach its barriers.

use super::report::{Details, Reporter};
use super::when;
use crate::passes::cursor::Cursor;
use clvk_interface::sanitize::Checked;
use clvk_ir::{
    BinaryOp, CompareOp, ConvertOp, Func, GroupArithmetic, Inst, Module, Op, SubGroupOp, Type, Value,
    WorkItemQuery,
};

/// The library function that the front end calls where all must be together.
pub fn meeting(module: &Module) -> Option<Func> {
    module.function("__clvk_sub_group_meeting")
}

/// Checks that all are here, with the same index, in place of the call of that function.
pub fn function(cursor: &mut Cursor<'_>, reporter: &mut Reporter<'_>, inst: Inst) {
    let index = cursor.operand(inst, 0);
    let all = check(cursor, reporter);
    if cursor.function.as_bits(index).is_some() {
        return;
    }
    let first = cursor.value(Op::SubGroup(SubGroupOp::BroadcastFirst), &[index], Type::I32);
    let other = cursor.compare(CompareOp::Ne, index, first);
    let fails = cursor.binary(BinaryOp::And, all, other);
    when(cursor, fails, |cursor| {
        let values =
            [index, first].map(|index| Some(cursor.convert(ConvertOp::ZeroExtend, index, Type::I64)));
        reporter.report(cursor, Checked::SubGroupIndex, Details { object: None, values });
    });
}

/// Checks that all are at a barrier.
pub fn barrier(cursor: &mut Cursor<'_>, reporter: &mut Reporter<'_>) {
    check(cursor, reporter);
}

/// Gives whether all are here.
fn check(cursor: &mut Cursor<'_>, reporter: &mut Reporter<'_>) -> Value {
    let one = cursor.int(Type::I32, 1);
    let sum = Op::SubGroup(SubGroupOp::Reduce(GroupArithmetic::Add));
    let here = cursor.value(sum, &[one], Type::I32);
    let size = cursor.value(Op::WorkItem(WorkItemQuery::SubGroupSize), &[], Type::I32);
    let fails = cursor.compare(CompareOp::Ne, here, size);
    when(cursor, fails, |cursor| {
        let values = [here, size].map(|count| Some(cursor.convert(ConvertOp::ZeroExtend, count, Type::I64)));
        reporter.report(cursor, Checked::SubGroup, Details { object: None, values });
    });
    cursor.compare(CompareOp::Eq, here, size)
}
