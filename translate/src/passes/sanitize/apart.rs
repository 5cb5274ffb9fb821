//! Compares two accesses of one expression that nothing orders: they must not reach the same bytes, because
//! one of them changes what it reaches.

use super::report::{Details, Reporter};
use super::shadow::{Shadow, Shadows};
use super::when;
use crate::passes::cursor::Cursor;
use clvk_interface::sanitize::{Checked, UNKNOWN_OBJECT, forbidden};
use clvk_ir::{BinaryOp, CompareOp, ConvertOp, Inst, Op, Type, Value};

/// Reports an [`Op::Apart`] whose pointers reach the same bytes. Nothing is reported if it is not known of
/// which objects they are.
pub fn check(
    cursor: &mut Cursor<'_>,
    shadows: &mut Shadows<'_>,
    reporter: &mut Reporter<'_>,
    inst: Inst,
    [own, other]: [[u32; 2]; 2],
    twice: bool,
) {
    let pointers = [0, 1].map(|operand| cursor.operand(inst, operand));
    let [first, second] = pointers.map(|pointer| from_base(cursor, pointer));
    let mut same = None;
    let mut distances = [first.1, second.1];
    if first.0 != second.0 {
        // Not of the pointers themselves: parts of an object are objects of their own.
        let [one, two] = [first.0, second.0].map(|base| shadows.of(cursor, reporter, base));
        let Some(equal) = of_one_object(cursor, one, two) else { return };
        same = equal;
        for (distance, shadow) in distances.iter_mut().zip([one, two]) {
            *distance = cursor.binary(BinaryOp::Add, *distance, shadow.offset);
        }
    }
    // They meet if each begins before the other one ends.
    let ahead = cursor.binary(BinaryOp::Sub, distances[0], distances[1]);
    let room = i64::from(own[1]) - 1 - i64::from(other[0]);
    let ahead = cursor.binary_int(BinaryOp::Add, ahead, room);
    let all = i64::from(own[1] - own[0]) + i64::from(other[1] - other[0]) - 1;
    if let Some(ahead) = cursor.function.as_bits(ahead)
        && ahead >= all as u64
    {
        return;
    }
    let all = cursor.int(Type::I64, all);
    let mut meet = cursor.compare(CompareOp::ULt, ahead, all);
    if let Some(same) = same {
        meet = cursor.binary(BinaryOp::And, meet, same);
    }
    let shadow = shadows.of(cursor, reporter, pointers[0]);
    let offset = cursor.binary_int(BinaryOp::Add, shadow.offset, own[0].into());
    when(cursor, meet, |cursor| {
        let details = Details { object: Some(shadow.object), values: [Some(offset), None] };
        reporter.report(cursor, Checked::Sequenced { twice }, details);
    });
}

/// Whether two pointers are into the same object, if that is not known; none if they never are.
fn of_one_object(cursor: &mut Cursor<'_>, one: Shadow, two: Shadow) -> Option<Option<Value>> {
    let known = [one, two].map(|shadow| cursor.function.as_bits(shadow.object));
    let number = |bits: u64| bits as u32 & !forbidden::ALL;
    if known.iter().flatten().any(|&bits| number(bits) == UNKNOWN_OBJECT) {
        return None;
    }
    if let [Some(one), Some(two)] = known {
        return (number(one) == number(two)).then_some(None);
    }
    let [first, second] =
        [one, two].map(|shadow| cursor.binary_int(BinaryOp::And, shadow.object, i64::from(!forbidden::ALL)));
    let equal = cursor.compare(CompareOp::Eq, first, second);
    let unknown = cursor.int(Type::I32, UNKNOWN_OBJECT.into());
    let is_known = cursor.compare(CompareOp::Ne, first, unknown);
    Some(Some(cursor.binary(BinaryOp::And, equal, is_known)))
}

/// The pointer that another one is made of, and the distance in bytes, `I64`.
fn from_base(cursor: &mut Cursor<'_>, mut pointer: Value) -> (Value, Value) {
    let (mut bytes, mut indices) = (0i64, Vec::new());
    while let Some(inst) = cursor.function.defining_inst(pointer) {
        let data = &cursor.function.insts[inst];
        match data.op {
            Op::PointerOffset(offset) => bytes = bytes.wrapping_add(offset),
            Op::PointerIndex { stride } => indices.push((data.operands[1], stride)),
            Op::Convert(ConvertOp::AddressSpace) => {}
            _ => break,
        }
        pointer = data.operands[0];
    }
    let mut distance = cursor.int(Type::I64, bytes);
    for (index, stride) in indices {
        let index = cursor.resize(ConvertOp::SignExtend, index, Type::I64);
        let step = cursor.binary_int(BinaryOp::Mul, index, stride as i64);
        distance = cursor.binary(BinaryOp::Add, distance, step);
    }
    (pointer, distance)
}
