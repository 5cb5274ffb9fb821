//! The records of checks.

use super::when;
use crate::passes::cursor::Cursor;
use clvk_interface::ImplicitBuffer;
use clvk_interface::sanitize::{
    Check, Checked, FIRST_OBJECT, Object, POSITION, RECORD, Sanitized, UNKNOWN_OBJECT, record,
};
use clvk_ir::{
    AddressSpace, AtomicOp, CompareOp, ConvertOp, MemoryOrder, Op, Scope, Span, Type, Value, WorkItemQuery,
};

pub const POINTER: Type = Type::Pointer(AddressSpace::Global);

/// What a record says beside the work-item.
#[derive(Clone, Copy, Default)]
pub struct Details {
    /// The number of the object, an `I32`.
    pub object: Option<Value>,
    /// Two values, `I64`.
    pub values: [Option<Value>; 2],
}

/// Adds checks and objects to the module's tables.
pub struct Reporter<'s> {
    sanitized: &'s mut Sanitized,
}

impl<'s> Reporter<'s> {
    pub fn new(sanitized: &'s mut Sanitized) -> Self {
        Reporter { sanitized }
    }

    /// Adds an object; gives its number.
    pub fn object(&mut self, object: Object) -> u32 {
        self.sanitized.objects.push(object);
        FIRST_OBJECT + self.sanitized.objects.len() as u32 - 1
    }

    /// Reports at this place that the check of the current instruction failed.
    pub fn report(&mut self, cursor: &mut Cursor<'_>, checked: Checked, details: Details) {
        self.report_at(cursor, cursor.span(), checked, details);
    }

    /// Reports at this place that the check of another instruction failed.
    pub fn report_at(&mut self, cursor: &mut Cursor<'_>, span: Span, checked: Checked, details: Details) {
        let check = self.check(span, checked);
        self.fail(cursor, check, details);
    }

    /// Adds a check; gives its position.
    pub fn check(&mut self, span: Span, checked: Checked) -> u32 {
        let span = if span == Span::NONE { (0, 0) } else { (span.start, span.end) };
        self.sanitized.checks.push(Check { checked, object: UNKNOWN_OBJECT, span, place: None });
        self.sanitized.checks.len() as u32 - 1
    }

    /// Reports at this place that a check failed. There is one place for each check.
    pub fn fail(&mut self, cursor: &mut Cursor<'_>, check: u32, details: Details) {
        let place = self.sanitized.first_record() + check * RECORD;
        let known = details.object.and_then(|object| cursor.function.as_bits(object));
        if let Some(number) = known {
            self.sanitized.checks[check as usize].object = number as u32;
        }
        let details = Details { object: details.object.filter(|_| known.is_none()), ..details };
        let base = cursor.value(Op::ImplicitBuffer(ImplicitBuffer::Reports), &[], POINTER);
        let record = step(cursor, base, place + record::COUNT);
        let (one, zero) = (cursor.int(Type::I32, 1), cursor.int(Type::I32, 0));
        let count = Op::AtomicRmw { op: AtomicOp::Add, order: MemoryOrder::Relaxed, scope: Scope::Device };
        let before = cursor.value(count, &[record, one], Type::I32);
        let is_first = cursor.compare(CompareOp::Eq, before, zero);
        when(cursor, is_first, |cursor| fill(cursor, record, details));
    }

    /// Byte offset in the reports of an argument's position.
    pub fn position(&self, argument: u32) -> u32 {
        self.sanitized.positions() + argument * POSITION
    }

    /// Byte offset in the reports of the words of the launch.
    pub fn launch(&self) -> u32 {
        self.sanitized.launch()
    }
}

/// A pointer some bytes further.
pub fn step(cursor: &mut Cursor<'_>, pointer: Value, bytes: u32) -> Value {
    let ty = cursor.function.ty(pointer);
    if bytes == 0 { pointer } else { cursor.value(Op::PointerOffset(bytes.into()), &[pointer], ty) }
}

/// Fills in a record, except for the count.
fn fill(cursor: &mut Cursor<'_>, record: Value, details: Details) {
    let id = cursor.value(Op::WorkItem(WorkItemQuery::GlobalLinearId), &[], Type::I64);
    let id = cursor.convert(ConvertOp::Truncate, id, Type::I32);
    store(cursor, record, record::ITEM, id);
    if let Some(object) = details.object {
        store(cursor, record, record::OBJECT, object);
    }
    for (value, place) in details.values.into_iter().zip([record::VALUES, record::VALUES + 8]) {
        if let Some(value) = value {
            store(cursor, record, place, value);
        }
    }
}

pub fn store(cursor: &mut Cursor<'_>, record: Value, place: u32, value: Value) {
    let pointer = step(cursor, record, place);
    let align = if cursor.function.ty(value) == Type::I64 { 8 } else { 4 };
    cursor.push(Op::Store { align, volatile: false }, &[pointer, value], &[], &[]);
}
