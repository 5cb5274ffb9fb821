//! Where a work-item notes which of its checks failed, until the end of its kernel.
//!
//! Drivers for processors execute the code for failed checks masked even where nothing fails, and atomic
//! operations and stores to buffers take long there. So a check that fails changes private memory alone: a
//! bit says that it failed, and arrays hold how often it did, and what it found first. At the end of the
//! kernel a loop over the bits writes the records.

use super::report::{Details, Marks, POINTER, Reporter, step, store};
use super::{either, one_end, when};
use crate::passes::cursor::Cursor;
use clvk_interface::ImplicitBuffer;
use clvk_interface::sanitize::{Checked, RECORD, forbidden, record};
use clvk_ir::{
    AddressSpace, AtomicOp, BinaryOp, CompareOp, ConvertOp, Function, MemoryOrder, Op, Scope, Type, UnaryOp,
    UnrollHint, Value, WorkItemQuery,
};

const PRIVATE: Type = Type::Pointer(AddressSpace::Private);
/// Bits of a word.
const WORD: u32 = 32;

/// Puts code in the place of the marks of a kernel, the first of whose checks has this number. It notes
/// failures in variables or in arrays.
pub fn write(
    function: &mut Function,
    reporter: &mut Reporter<'_>,
    marks: &Marks,
    marked: &[Checked],
    (first, separate): (u32, bool),
) {
    let mut shape = Shape { first, checks: reporter.next_check() - first, ..Shape::default() };
    let mut any = false;
    function.walk(|_, data| {
        if let Some(kind) = marks.kind(&data.op) {
            any = true;
            shape.checks += u32::from(kind.is_new());
            let given = |operand: usize| function.as_bits(data.operands[operand]) != Some(0);
            shape.objects |= function.as_bits(data.operands[1]).is_none();
            shape.values[0] |= given(2);
            shape.values[1] |= given(3);
        }
    });
    if !any {
        return;
    }
    let end = one_end(function);
    let mut cursor = Cursor::new(function);
    let log = Log::enter(&mut cursor, shape, separate);
    while let Some(inst) = cursor.advance() {
        if let Some(kind) = marks.kind(&cursor.function.insts[inst].op) {
            let operands = cursor.operands(inst);
            let number = cursor.function.as_bits(operands[0]).expect("the number of a mark is a constant");
            let check = match kind.is_new() {
                true => reporter.check(cursor.span(), marked[number as usize].clone()),
                false => number as u32,
            };
            let details = details(&cursor, &operands);
            log.note(&mut cursor, reporter, check, details);
            continue;
        }
        if inst == end {
            log.flush(&mut cursor, reporter);
        }
        cursor.keep(inst);
    }
}

/// What a mark says. Records hold zeros from the start.
fn details(cursor: &Cursor<'_>, operands: &[Value]) -> Details {
    let given = |value: Value| Some(value).filter(|&value| cursor.function.as_bits(value) != Some(0));
    Details { object: given(operands[1]), values: [given(operands[2]), given(operands[3])] }
}

/// What the checks of a kernel need.
#[derive(Clone, Copy, Default)]
struct Shape {
    /// The number of the first check.
    first: u32,
    checks: u32,
    /// Whether one finds out its object.
    objects: bool,
    /// Whether one has these values.
    values: [bool; 2],
}

/// What is noted of each check, and what it takes up.
#[derive(Clone, Copy)]
enum Field {
    Count,
    Object,
    Value(usize),
}

const FIELDS: [Field; 4] = [Field::Count, Field::Object, Field::Value(0), Field::Value(1)];

impl Field {
    fn ty(self) -> Type {
        if matches!(self, Field::Value(_)) { Type::I64 } else { Type::I32 }
    }

    fn bytes(self) -> u32 {
        if self.ty() == Type::I64 { 8 } else { 4 }
    }
}

/// The private memory of a field.
enum Place {
    /// No check has the field.
    Nowhere,
    Array(Value),
    /// A variable for each check.
    Variables(Vec<Value>),
}

/// The private memory of the log.
struct Log {
    shape: Shape,
    /// Words of bits, if the counts are not zero from the start.
    bits: Vec<Value>,
    /// One for each of [`FIELDS`].
    places: [Place; 4],
}

impl Log {
    /// Makes it, at the kernel's entry.
    fn enter(cursor: &mut Cursor<'_>, shape: Shape, separate: bool) -> Log {
        let zero = cursor.int(Type::I32, 0);
        let words = if separate { 0 } else { shape.checks.div_ceil(WORD) };
        let bits = (0..words).map(|_| variable(cursor, 4, zero)).collect();
        let places = FIELDS.map(|field| {
            let exists = match field {
                Field::Count => true,
                Field::Object => shape.objects,
                Field::Value(which) => shape.values[which],
            };
            let bytes = field.bytes();
            if !exists {
                return Place::Nowhere;
            }
            if separate {
                let first = cursor.function.zero(field.ty());
                return Place::Variables((0..shape.checks).map(|_| variable(cursor, bytes, first)).collect());
            }
            let op = Op::Alloca { size: u64::from(bytes * shape.checks), align: bytes };
            Place::Array(cursor.value(op, &[], PRIVATE))
        });
        Log { shape, bits, places }
    }

    /// Where a check has a field.
    fn at(&self, cursor: &mut Cursor<'_>, field: usize, number: u32) -> Option<Value> {
        match &self.places[field] {
            Place::Nowhere => None,
            Place::Array(array) => Some(step(cursor, *array, number * FIELDS[field].bytes())),
            Place::Variables(variables) => Some(variables[number as usize]),
        }
    }

    /// What a check, whose number is computed, has noted in a field.
    fn read(&self, cursor: &mut Cursor<'_>, field: usize, number: Value) -> Option<Value> {
        let ty = FIELDS[field].ty();
        match &self.places[field] {
            Place::Nowhere => None,
            Place::Array(array) => {
                let index = Op::PointerIndex { stride: FIELDS[field].bytes().into() };
                let place = cursor.value(index, &[*array, number], PRIVATE);
                Some(load(cursor, place, ty))
            }
            Place::Variables(variables) => {
                let mut found = cursor.function.zero(ty);
                for (&variable, other) in variables.iter().zip(0..) {
                    let other = cursor.int(Type::I32, other);
                    let is_it = cursor.compare(CompareOp::Eq, number, other);
                    let value = load(cursor, variable, ty);
                    found = cursor.select(is_it, value, found);
                }
                Some(found)
            }
        }
    }

    /// Notes at this place that a check failed.
    fn note(&self, cursor: &mut Cursor<'_>, reporter: &mut Reporter<'_>, check: u32, details: Details) {
        let number = check - self.shape.first;
        let known = details.object.and_then(|object| cursor.function.as_bits(object));
        if let Some(object) = known {
            reporter.set_object(check, object as u32 & !forbidden::ALL);
        }
        let is_first = self.mark(cursor, number);
        let values = [
            Some(cursor.int(Type::I32, 1)),
            details.object.filter(|_| known.is_none()),
            details.values[0],
            details.values[1],
        ];
        let first = |cursor: &mut Cursor<'_>| {
            for (field, value) in values.into_iter().enumerate() {
                // Elements of arrays hold anything, variables zero.
                let none = || matches!(self.places[field], Place::Array(_));
                let value = value.or_else(|| none().then(|| cursor.function.zero(FIELDS[field].ty())));
                if let (Some(value), Some(place)) = (value, self.at(cursor, field, number)) {
                    store(cursor, place, 0, value);
                }
            }
        };
        either(cursor, is_first, first, |cursor| {
            if let Some(place) = self.at(cursor, 0, number) {
                let count = load(cursor, place, Type::I32);
                let count = cursor.binary_int(BinaryOp::Add, count, 1);
                store(cursor, place, 0, count);
            }
        });
    }

    /// Whether a check fails for the first time; it has failed from here on.
    fn mark(&self, cursor: &mut Cursor<'_>, number: u32) -> Value {
        let zero = cursor.int(Type::I32, 0);
        let Some(&word) = self.bits.get((number / WORD) as usize) else {
            let place = self.at(cursor, 0, number).expect("checks have counts");
            let count = load(cursor, place, Type::I32);
            return cursor.compare(CompareOp::Eq, count, zero);
        };
        let bit = cursor.int(Type::I32, 1 << (number % WORD));
        let before = load(cursor, word, Type::I32);
        let own = cursor.binary(BinaryOp::And, before, bit);
        let all = cursor.binary(BinaryOp::Or, before, bit);
        store(cursor, word, 0, all);
        cursor.compare(CompareOp::Eq, own, zero)
    }

    /// Words with a bit for each check that failed.
    fn failed(&self, cursor: &mut Cursor<'_>) -> Vec<Value> {
        let Place::Variables(counts) = &self.places[0] else {
            return self.bits.iter().map(|&word| load(cursor, word, Type::I32)).collect();
        };
        let zero = cursor.int(Type::I32, 0);
        let mut words = Vec::new();
        for counts in counts.chunks(WORD as usize) {
            let mut word = zero;
            for (&count, bit) in counts.iter().zip(0..) {
                let count = load(cursor, count, Type::I32);
                let fails = cursor.compare(CompareOp::Ne, count, zero);
                let bit = cursor.int(Type::I32, 1 << bit);
                let bit = cursor.select(fails, bit, zero);
                word = cursor.binary(BinaryOp::Or, word, bit);
            }
            words.push(word);
        }
        words
    }

    /// Writes the records, if there are any. Where no check is left in a launch, drivers remove an `if`,
    /// because they know its condition to be false, but not a loop that is left at once.
    fn flush(&self, cursor: &mut Cursor<'_>, reporter: &Reporter<'_>) {
        let bits = self.failed(cursor);
        let zero = cursor.int(Type::I32, 0);
        let any = bits.iter().copied().reduce(|all, word| cursor.binary(BinaryOp::Or, all, word));
        let any = cursor.compare(CompareOp::Ne, any.unwrap_or(zero), zero);
        when(cursor, any, |cursor| self.write_records(cursor, reporter, &bits));
    }

    /// Writes the records of the checks with these bits.
    fn write_records(&self, cursor: &mut Cursor<'_>, reporter: &Reporter<'_>, bits: &[Value]) {
        let zero = cursor.int(Type::I32, 0);
        let begun = cursor.begin_loop_with(UnrollHint::By(1), bits, &[]);
        let starts: Vec<Value> =
            (0..bits.len()).map(|word| cursor.int(Type::I32, word as i64 * i64::from(WORD))).collect();
        let (mut word, mut base) = (zero, zero);
        for (&bits, &start) in begun.carried.iter().zip(&starts).rev() {
            let any = cursor.compare(CompareOp::Ne, bits, zero);
            word = cursor.select(any, bits, word);
            base = cursor.select(any, start, base);
        }
        let none = cursor.compare(CompareOp::Eq, word, zero);
        cursor.exit_when(none, true, begun.inst, &[]);
        let lowest = cursor.value(Op::Unary(UnaryOp::CountTrailingZeros), &[word], Type::I32);
        let number = cursor.binary(BinaryOp::Add, base, lowest);
        self.record(cursor, reporter, number);
        let less = cursor.binary_int(BinaryOp::Sub, word, 1);
        let rest = cursor.binary(BinaryOp::And, word, less);
        let mut next = Vec::new();
        for (&bits, &start) in begun.carried.iter().zip(&starts) {
            let is_own = cursor.compare(CompareOp::Eq, base, start);
            next.push(cursor.select(is_own, rest, bits));
        }
        cursor.end_loop(&begun, &next);
    }

    /// Writes the record of a check.
    fn record(&self, cursor: &mut Cursor<'_>, reporter: &Reporter<'_>, number: Value) {
        let reports = cursor.value(Op::ImplicitBuffer(ImplicitBuffer::Reports), &[], POINTER);
        let first = step(cursor, reports, reporter.place(self.shape.first));
        let index = Op::PointerIndex { stride: RECORD.into() };
        let record = cursor.value(index, &[first, number], POINTER);
        let count = self.read(cursor, 0, number).expect("checks have counts");
        let add = Op::AtomicRmw { op: AtomicOp::Add, order: MemoryOrder::Relaxed, scope: Scope::Device };
        let before = cursor.value(add, &[record, count], Type::I32);
        let zero = cursor.int(Type::I32, 0);
        let is_first = cursor.compare(CompareOp::Eq, before, zero);
        when(cursor, is_first, |cursor| {
            let id = cursor.value(Op::WorkItem(WorkItemQuery::GlobalLinearId), &[], Type::I64);
            let id = cursor.convert(ConvertOp::Truncate, id, Type::I32);
            store(cursor, record, record::ITEM, id);
            let places = [record::OBJECT, record::VALUES, record::VALUES + 8];
            for (field, place) in (1..).zip(places) {
                if let Some(value) = self.read(cursor, field, number) {
                    store(cursor, record, place, value);
                }
            }
        });
    }
}

fn load(cursor: &mut Cursor<'_>, pointer: Value, ty: Type) -> Value {
    let align = if ty == Type::I64 { 8 } else { 4 };
    cursor.value(Op::Load { align, volatile: false }, &[pointer], ty)
}

/// A private variable.
fn variable(cursor: &mut Cursor<'_>, bytes: u32, first: Value) -> Value {
    let variable = cursor.value(Op::Alloca { size: bytes.into(), align: bytes }, &[], PRIVATE);
    store(cursor, variable, 0, first);
    variable
}
