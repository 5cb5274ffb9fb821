//! The records of checks.
//!
//! Checks of operations are made before functions are inlined. They leave marks, calls of a function without
//! a body, and [`finish`] puts the code that reports in their place when kernels are whole. So each place in
//! a kernel has a record of its own, which knows the calls that lead there.

use super::shadow::positions;
use super::{Sanitizing, when};
use crate::passes::call_sites::CallSites;
use crate::passes::cursor::Cursor;
use clvk_interface::ImplicitBuffer;
use clvk_interface::sanitize::{
    CallSite, Check, Checked, FIRST_OBJECT, Object, POSITION, RECORD, Sanitized, UNKNOWN_OBJECT, forbidden,
    record,
};
use clvk_ir::{
    AddressSpace, AtomicOp, CompareOp, ConvertOp, Func, Function, MemoryOrder, Module, Op, Scope, Span, Type,
    Value, WorkItemQuery,
};
use rustc_hash::FxHashSet;

pub const POINTER: Type = Type::Pointer(AddressSpace::Global);

/// What a record says beside the work-item.
#[derive(Clone, Copy, Default)]
pub struct Details {
    /// The number of the object, an `I32`.
    pub object: Option<Value>,
    /// Two values, `I64`.
    pub values: [Option<Value>; 2],
}

/// The name of the function whose calls are marks. No source can name it.
const MARK: &str = "__clvk.report";

/// Declares the function whose calls are marks: of the number of what was checked, and of the [`Details`].
pub fn declare(module: &mut Module) -> Func {
    let mut function = Function::new(MARK.to_owned(), None);
    for ty in [Type::I32, Type::I32, Type::I64, Type::I64] {
        function.add_param(ty);
    }
    module.functions.push(function)
}

/// Adds checks and objects to the module's tables.
pub struct Reporter<'s> {
    sanitized: &'s mut Sanitized,
    sites: &'s CallSites,
    /// As long as functions are not inlined: the function whose calls are marks, and what was checked.
    marks: Option<(Func, &'s mut Vec<Checked>)>,
}

impl<'s> Reporter<'s> {
    /// For kernels that are whole.
    pub fn new(sanitized: &'s mut Sanitized, sites: &'s CallSites) -> Self {
        Reporter { sanitized, sites, marks: None }
    }

    /// For functions that are not inlined yet.
    pub fn marking(
        sanitized: &'s mut Sanitized,
        sites: &'s CallSites,
        marks: Func,
        shared: &'s mut Sanitizing,
    ) -> Self {
        Reporter { sanitized, sites, marks: Some((marks, &mut shared.marked)) }
    }

    /// Adds an object; gives its number.
    pub fn object(&mut self, object: Object) -> u32 {
        let (start, end) = object.span;
        let span = positions(self.sites.resolve(Span { start, end }).0);
        let number = self.next_object();
        self.sanitized.objects.push(Object { span, ..object });
        number
    }

    /// The number of the next object.
    pub fn next_object(&self) -> u32 {
        FIRST_OBJECT + self.sanitized.objects.len() as u32
    }

    /// Reports at this place that the check of the current instruction failed.
    pub fn report(&mut self, cursor: &mut Cursor<'_>, checked: Checked, details: Details) {
        self.report_at(cursor, cursor.span(), checked, details);
    }

    /// Reports at this place that the check of another instruction failed.
    pub fn report_at(&mut self, cursor: &mut Cursor<'_>, span: Span, checked: Checked, details: Details) {
        if let Some((function, marked)) = &mut self.marks {
            marked.push(checked);
            let number = marked.len() as i64 - 1;
            return mark(cursor, *function, span, number, details);
        }
        let check = self.check(span, checked);
        self.fail(cursor, check, details);
    }

    /// Adds a check; gives its position.
    pub fn check(&mut self, span: Span, checked: Checked) -> u32 {
        let (span, calls) = self.sites.resolve(span);
        let calls = calls.into_iter().map(|call| CallSite { span: positions(call), place: None }).collect();
        let (object, span) = (UNKNOWN_OBJECT, positions(span));
        self.sanitized.checks.push(Check { checked, object, span, place: None, calls });
        self.sanitized.checks.len() as u32 - 1
    }

    /// Reports at this place that a check failed. There is one place for each check.
    pub fn fail(&mut self, cursor: &mut Cursor<'_>, check: u32, details: Details) {
        let place = self.sanitized.first_record() + check * RECORD;
        let known = details.object.and_then(|object| cursor.function.as_bits(object));
        if let Some(number) = known {
            self.sanitized.checks[check as usize].object = number as u32 & !forbidden::ALL;
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

/// Leaves a mark where a check failed.
fn mark(cursor: &mut Cursor<'_>, function: Func, span: Span, number: i64, details: Details) {
    let Details { object, values } = details;
    let number = cursor.int(Type::I32, number);
    let object = object.unwrap_or_else(|| cursor.int(Type::I32, UNKNOWN_OBJECT.into()));
    let [first, second] = values.map(|value| value.unwrap_or_else(|| cursor.int(Type::I64, 0)));
    let operands = [number, object, first, second];
    let call = cursor.function.make_inst(Op::Call(function), &operands, &[], &[], span);
    cursor.append(call);
}

/// Puts code in the place of the marks of kernels that are whole.
pub fn finish(module: &mut Module, sanitized: &mut Sanitized, sites: &CallSites, marked: &[Checked]) {
    // Inlining numbers functions anew.
    let functions = module.functions.iter().filter(|(_, function)| function.name == MARK);
    let marks: FxHashSet<Func> = functions.map(|(func, _)| func).collect();
    if marks.is_empty() {
        return;
    }
    let mut reporter = Reporter::new(sanitized, sites);
    for function in module.kernels_mut() {
        let mut cursor = Cursor::new(function);
        while let Some(inst) = cursor.advance() {
            let is_mark = matches!(&cursor.function.insts[inst].op, Op::Call(func) if marks.contains(func));
            if !is_mark {
                cursor.keep(inst);
                continue;
            }
            let operands = cursor.operands(inst);
            let bits = |value: Value| cursor.function.as_bits(value);
            let number = bits(operands[0]).expect("the number of a mark is a constant");
            // Records hold zeros from the start.
            let given = |value: Value| Some(value).filter(|&value| bits(value) != Some(0));
            let [object, values @ ..] = [1, 2, 3].map(|position| given(operands[position]));
            let checked = marked[number as usize].clone();
            reporter.report(&mut cursor, checked, Details { object, values });
        }
    }
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
