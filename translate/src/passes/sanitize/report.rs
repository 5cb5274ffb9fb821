//! The checks, and the marks that are left where one fails: calls of functions without a body.
//!
//! Checks of operations are made before functions are inlined. They get their numbers when kernels are whole,
//! so each place in a kernel has a record of its own, which knows the calls that lead there. [`super::log`]
//! puts code in the place of the marks.

use super::Sanitizing;
use super::shadow::positions;
use crate::passes::call_sites::CallSites;
use crate::passes::cursor::Cursor;
use clvk_interface::sanitize::{
    CallSite, Check, Checked, FIRST_OBJECT, KernelHabits, Object, POSITION, RECORD, Sanitized,
    UNKNOWN_OBJECT, Way,
};
use clvk_ir::{AddressSpace, Func, Function, Module, Op, Span, Type, Value};
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

/// The names of the functions whose calls are marks. No source can name them.
const MARK: &str = "__clvk.report";
const FAILURE: &str = "__clvk.failure";

/// What a mark represents.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum MarkKind {
    /// A check that gets its number when kernels are whole. Operands: the position of what was checked among
    /// those that were marked, then as for the other.
    New,
    /// A check that has its number. Operands: the number, and the [`Details`].
    Numbered,
}

impl MarkKind {
    pub fn is_new(self) -> bool {
        self == MarkKind::New
    }
}

/// Declares the function whose calls are marks of new checks.
pub fn declare(module: &mut Module) -> Func {
    declare_as(module, MARK)
}

fn declare_as(module: &mut Module, name: &str) -> Func {
    let mut function = Function::new(name.to_owned(), None);
    for ty in [Type::I32, Type::I32, Type::I64, Type::I64] {
        function.add_param(ty);
    }
    module.functions.push(function)
}

/// The functions whose calls are marks, in a module whose kernels are whole.
pub struct Marks {
    new: FxHashSet<Func>,
    pub numbered: Func,
}

impl Marks {
    /// Finds and declares them.
    pub fn of(module: &mut Module) -> Marks {
        // Inlining numbers functions anew.
        let functions = module.functions.iter().filter(|(_, function)| function.name == MARK);
        let new = functions.map(|(func, _)| func).collect();
        Marks { new, numbered: declare_as(module, FAILURE) }
    }

    /// What an operation marks.
    pub fn kind(&self, op: &Op) -> Option<MarkKind> {
        match op {
            Op::Call(func) if self.new.contains(func) => Some(MarkKind::New),
            Op::Call(func) if *func == self.numbered => Some(MarkKind::Numbered),
            _ => None,
        }
    }
}

/// Adds checks and objects to the module's tables.
pub struct Reporter<'s> {
    sanitized: &'s mut Sanitized,
    sites: &'s CallSites,
    /// As long as functions are not inlined: the function whose calls are marks, and what was checked.
    marks: Option<(Func, &'s mut Vec<Checked>)>,
    /// When kernels are whole: the function whose calls are marks of checks that have numbers.
    failure: Option<Func>,
}

impl<'s> Reporter<'s> {
    /// For kernels that are whole. Checks that fail leave marks, calls of this function.
    pub fn new(sanitized: &'s mut Sanitized, sites: &'s CallSites, failure: Func) -> Self {
        Reporter { sanitized, sites, marks: None, failure: Some(failure) }
    }

    /// For functions that are not inlined yet.
    pub fn marking(
        sanitized: &'s mut Sanitized,
        sites: &'s CallSites,
        marks: Func,
        shared: &'s mut Sanitizing,
    ) -> Self {
        Reporter { sanitized, sites, marks: Some((marks, &mut shared.marked)), failure: None }
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

    /// Says what a kernel does through its arguments.
    pub fn set_habits(&mut self, kernel: String, habits: KernelHabits) {
        let is_any = habits.arguments.iter().all(|habit| habit.way == Way::Any);
        if !is_any || !habits.settled.is_empty() || !habits.confined.is_empty() {
            self.sanitized.habits.insert(kernel, habits);
        }
    }

    /// The number of the next check.
    pub fn next_check(&self) -> u32 {
        self.sanitized.checks.len() as u32
    }

    /// Says that a check is always of this object.
    pub fn set_object(&mut self, check: u32, object: u32) {
        self.sanitized.checks[check as usize].object = object;
    }

    /// Byte offset in the reports of a check's record.
    pub fn place(&self, check: u32) -> u32 {
        self.sanitized.first_record() + check * RECORD
    }

    /// Reports at this place that a check failed. There is one place for each check.
    pub fn fail(&mut self, cursor: &mut Cursor<'_>, check: u32, details: Details) {
        let function = self.failure.expect("kernels are whole");
        mark(cursor, function, cursor.span(), check.into(), details);
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

pub fn store(cursor: &mut Cursor<'_>, record: Value, place: u32, value: Value) {
    let pointer = step(cursor, record, place);
    let align = if cursor.function.ty(value) == Type::I64 { 8 } else { 4 };
    cursor.push(Op::Store { align, volatile: false }, &[pointer, value], &[], &[]);
}
