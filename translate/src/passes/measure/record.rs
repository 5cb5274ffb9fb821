//! Code that writes the buffer.

use crate::passes::cursor::Cursor;
use clvk_interface::ImplicitBuffer;
use clvk_interface::measure::{EVENT, EVENTS, HEAD, head};
use clvk_ir::{
    AddressSpace, AtomicOp, BinaryOp, CompareOp, ConvertOp, MemoryOrder, Op, Scalar, Scope, Type, Value,
    WorkItemQuery,
};

const POINTER: Type = Type::Pointer(AddressSpace::Global);

/// Executes something if a condition is true.
pub fn when(cursor: &mut Cursor<'_>, condition: Value, then: impl FnOnce(&mut Cursor<'_>)) {
    let regions = [cursor.function.add_region(), cursor.function.add_region()];
    let check = cursor.push(Op::If, &[condition], &[], &regions);
    cursor.open(regions[0]);
    then(cursor);
    cursor.push(Op::Exit(check), &[], &[], &[]);
    cursor.close();
    cursor.open(regions[1]);
    cursor.push(Op::Exit(check), &[], &[], &[]);
    cursor.close();
}

/// The word of the buffer at this position.
pub fn word(cursor: &mut Cursor<'_>, position: u32) -> Value {
    let base = cursor.value(Op::ImplicitBuffer(ImplicitBuffer::Reports), &[], POINTER);
    step(cursor, base, position)
}

fn step(cursor: &mut Cursor<'_>, pointer: Value, words: u32) -> Value {
    match words {
        0 => pointer,
        _ => cursor.value(Op::PointerOffset(i64::from(words) * 4), &[pointer], POINTER),
    }
}

/// Element `index` of an array whose elements have this many words, which begins at this word of the buffer.
pub fn element(cursor: &mut Cursor<'_>, position: u32, index: Value, words: u32) -> Value {
    let base = word(cursor, position);
    cursor.value(Op::PointerIndex { stride: u64::from(words) * 4 }, &[base, index], POINTER)
}

/// Stores a word.
pub fn store(cursor: &mut Cursor<'_>, pointer: Value, words: u32, value: Value) {
    let pointer = step(cursor, pointer, words);
    cursor.push(Op::Store { align: 4, volatile: false }, &[pointer, value], &[], &[]);
}

/// An atomic operation on a word; gives the old value.
pub fn update(cursor: &mut Cursor<'_>, op: AtomicOp, pointer: Value, value: Value) -> Value {
    let op = Op::AtomicRmw { op, order: MemoryOrder::Relaxed, scope: Scope::Device };
    cursor.value(op, &[pointer, value], Type::I32)
}

/// The answer to a query, in 32 bits.
pub fn query(cursor: &mut Cursor<'_>, query: WorkItemQuery, dimension: Option<u32>) -> Value {
    let dimension: Vec<Value> =
        dimension.map(|dimension| cursor.int(Type::I32, dimension.into())).into_iter().collect();
    let wide = cursor.value(Op::WorkItem(query), &dimension, Type::I64);
    cursor.convert(ConvertOp::Truncate, wide, Type::I32)
}

/// The linear id of the work-group.
pub fn group(cursor: &mut Cursor<'_>) -> Value {
    let mut id = query(cursor, WorkItemQuery::GroupId, Some(2));
    for dimension in [1, 0] {
        let groups = query(cursor, WorkItemQuery::NumGroups, Some(dimension));
        let place = query(cursor, WorkItemQuery::GroupId, Some(dimension));
        let product = cursor.binary(BinaryOp::Mul, id, groups);
        id = cursor.binary(BinaryOp::Add, product, place);
    }
    id
}

/// Adds an event, if there is room.
pub fn event(cursor: &mut Cursor<'_>, what: u32, item: Value, words: [Value; 2]) {
    let (place, one) = (word(cursor, head::EVENTS), cursor.int(Type::I32, 1));
    let number = update(cursor, AtomicOp::Add, place, one);
    let room = cursor.int(Type::I32, EVENTS.into());
    let fits = cursor.compare(CompareOp::ULt, number, room);
    when(cursor, fits, |cursor| {
        let record = element(cursor, HEAD, number, EVENT);
        let what = cursor.int(Type::I32, what.into());
        for (position, value) in [what, item, words[0], words[1]].into_iter().enumerate() {
            store(cursor, record, position as u32, value);
        }
    });
}

/// The two words of a scalar.
pub fn words(cursor: &mut Cursor<'_>, value: Value) -> [Value; 2] {
    let scalar = cursor.function.ty(value).scalar().unwrap_or(Scalar::I32);
    let bits = match scalar {
        Scalar::Bool => cursor.convert(ConvertOp::ZeroExtend, value, Type::I32),
        scalar if scalar.is_float() => cursor.bitcast(value, Type::Scalar(Scalar::int(scalar.bits()))),
        _ => value,
    };
    if cursor.function.ty(bits) == Type::I64 {
        let high = cursor.binary_int(BinaryOp::LShr, bits, 32);
        return [bits, high].map(|half| cursor.convert(ConvertOp::Truncate, half, Type::I32));
    }
    [cursor.resize(ConvertOp::ZeroExtend, bits, Type::I32), cursor.int(Type::I32, 0)]
}
