//! Checks of the events of asynchronous copies (OpenCL C §6.15.11): a wait names events that copies have
//! made, and each copy is waited for before the kernel ends.
//!
//! [`Marks::copy`] and [`expand`] leave calls of functions without a body before the library is linked. When
//! kernels are whole, [`follow`] makes code of them: each work-item numbers its events, and remembers a few
//! that it has not waited for.

use super::divergence::PRIME;
use super::hash::hash;
use super::mark::Mark;
use super::report::{Details, Reporter, store};
use super::{one_end, when};
use crate::passes::cursor::{Cursor, NewLoop};
use clvk_interface::sanitize::{Checked, Kind, Kinds};
use clvk_ir::{
    AddressSpace, BinaryOp, CompareOp, ConvertOp, Func, Function, Inst, Module, Op, Span, Type, UnaryOp,
    Value,
};

/// The event of a copy, given the one that the program names, which may be none.
const EVENT: Mark = Mark { name: "__clvk.event", param: Type::I64, result: Some(Type::I64) };
/// A wait for an event.
const WAIT: Mark = Mark { name: "__clvk.wait", param: Type::I64, result: None };

/// The most events that a work-item remembers because it has not waited for them.
const MOST_OPEN: usize = 8;
/// The most waits for events that need no loop.
const MOST_UNROLLED: u64 = 4;

/// The functions whose calls are marks, as far as there are calls.
#[derive(Clone, Copy)]
pub struct Marks {
    event: Option<Func>,
    wait: Option<Func>,
}

impl Marks {
    pub fn declare(module: &mut Module) -> Marks {
        Marks { event: Some(EVENT.declare(module)), wait: Some(WAIT.declare(module)) }
    }

    /// Those of a module whose kernels are whole.
    pub fn declared(module: &Module) -> Marks {
        Marks { event: EVENT.declared(module), wait: WAIT.declared(module) }
    }

    /// Gives a copy its event.
    pub fn copy(self, cursor: &mut Cursor<'_>, inst: Inst) {
        let Some(function) = self.event else { return };
        let given = *cursor.operands(inst).last().expect("the last argument of a copy is its event");
        let event = cursor.value(Op::Call(function), &[given], Type::I64);
        *cursor.function.insts[inst].operands.last_mut().expect("the same") = event;
    }
}

/// The library functions that name the events of a wait.
pub fn waits(module: &Module) -> impl Iterator<Item = Func> {
    let functions = module.functions.iter();
    functions.filter(|(_, function)| function.name.starts_with("__clvk_events_")).map(|(func, _)| func)
}

/// Marks each event that is waited for, in place of the calls that name them, and that all work-items must
/// wait for the same ones, if there is a mark for that.
pub fn expand(function: &mut Function, waits: &[Func], marks: Marks, agreement: Option<Func>) {
    let mut any = false;
    function.walk(|_, data| any |= matches!(data.op, Op::Call(callee) if waits.contains(&callee)));
    if !any {
        return;
    }
    let mut cursor = Cursor::new(function);
    while let Some(inst) = cursor.advance() {
        match cursor.function.insts[inst].op {
            Op::Call(callee) if waits.contains(&callee) => {
                let mixed = expand_one(&mut cursor, marks, inst);
                if let Some(agreement) = agreement {
                    cursor.push(Op::Call(agreement), &[mixed], &[], &[]);
                }
            }
            _ => cursor.keep(inst),
        }
    }
}

/// Gives a number of all the events.
fn expand_one(cursor: &mut Cursor<'_>, marks: Marks, inst: Inst) -> Value {
    let operands = cursor.operands(inst);
    let (count, events) = (operands[0], operands[1]);
    let zero = cursor.int(Type::I32, 0);
    let known = cursor.function.as_bits(count).filter(|&count| count <= MOST_UNROLLED);
    if let Some(known) = known {
        return (0..known).fold(zero, |mixed, index| {
            let index = cursor.int(Type::I32, index as i64);
            wait(cursor, marks, events, (index, mixed))
        });
    }
    let begun: NewLoop = cursor.begin_loop(&[zero, zero], &[Type::I32]);
    let (index, mixed) = (begun.carried[0], begun.carried[1]);
    let goes_on = cursor.compare(CompareOp::SLt, index, count);
    cursor.exit_when(goes_on, false, begun.inst, &[mixed]);
    let mixed = wait(cursor, marks, events, (index, mixed));
    let next = cursor.binary_int(BinaryOp::Add, index, 1);
    cursor.end_loop(&begun, &[next, mixed]);
    cursor.result(begun.inst)
}

/// Marks the wait for one of the events; gives a number of it and those before.
fn wait(cursor: &mut Cursor<'_>, marks: Marks, events: Value, (index, mixed): (Value, Value)) -> Value {
    let ty = cursor.function.ty(events);
    let index = cursor.convert(ConvertOp::ZeroExtend, index, Type::I64);
    let place = cursor.value(Op::PointerIndex { stride: 8 }, &[events, index], ty);
    let event = cursor.value(Op::Load { align: 8, volatile: false }, &[place], Type::I64);
    if let Some(function) = marks.wait {
        cursor.push(Op::Call(function), &[event], &[], &[]);
    }
    let number = hash(cursor, event);
    let mixed = cursor.binary_int(BinaryOp::Mul, mixed, PRIME);
    cursor.binary(BinaryOp::Xor, mixed, number)
}

/// What a work-item knows of its events.
#[derive(Clone)]
pub struct Events {
    /// Private variables, `I32`: numbers of events that it has not waited for, and zeros.
    pub open: Vec<Value>,
    /// A private variable, `I32`: the number of the event of the last copy.
    pub last: Value,
}

/// Makes code of the marks in a kernel, if there are any.
pub fn follow(
    kernel: &mut Function,
    marks: Marks,
    reporter: &mut Reporter<'_>,
    kinds: Kinds,
) -> Option<Events> {
    let mut copies: Vec<(Inst, Span)> = Vec::new();
    let mut waits = false;
    kernel.walk(|inst, data| match data.op {
        Op::Call(callee) if marks.event == Some(callee) => copies.push((inst, data.span)),
        Op::Call(callee) => waits |= marks.wait == Some(callee),
        _ => {}
    });
    if copies.is_empty() && !waits {
        return None;
    }
    let end = one_end(kernel);
    let mut cursor = Cursor::new(kernel);
    let following = Following::enter(&mut cursor, copies, kinds.has(Kind::Barriers));
    while let Some(inst) = cursor.advance() {
        match cursor.function.insts[inst].op {
            Op::Call(callee) if marks.event == Some(callee) => following.copy(&mut cursor, inst),
            Op::Call(callee) if marks.wait == Some(callee) => following.wait(&mut cursor, reporter, inst),
            _ => {
                if inst == end {
                    following.end(&mut cursor, reporter);
                }
                cursor.keep(inst);
            }
        }
    }
    Some(following.events)
}

struct Following {
    events: Events,
    copies: Vec<(Inst, Span)>,
    /// A private variable, `I32`: the number of events.
    count: Value,
    /// Beside each open event, the copy that made it: a private variable, `I32`.
    makers: Vec<Value>,
    reports: bool,
}

impl Following {
    fn enter(cursor: &mut Cursor<'_>, copies: Vec<(Inst, Span)>, reports: bool) -> Following {
        let zero = cursor.int(Type::I32, 0);
        let private = Type::Pointer(AddressSpace::Private);
        let mut variable = || {
            let variable = cursor.value(Op::Alloca { size: 4, align: 4 }, &[], private);
            store(cursor, variable, 0, zero);
            variable
        };
        let open = (0..MOST_OPEN).map(|_| variable()).collect();
        let makers = (0..MOST_OPEN).map(|_| variable()).collect();
        let (count, last) = (variable(), variable());
        Following { events: Events { open, last }, copies, count, makers, reports }
    }

    /// A copy begins: its event is a new one, unless it has one.
    fn copy(&self, cursor: &mut Cursor<'_>, inst: Inst) {
        let given = cursor.operand(inst, 0);
        let (none, zero) = (cursor.int(Type::I64, 0), cursor.int(Type::I32, 0));
        let is_new = cursor.compare(CompareOp::Eq, given, none);
        let count = load(cursor, self.count);
        let more = cursor.binary_int(BinaryOp::Add, count, 1);
        let new = cursor.select(is_new, more, count);
        store(cursor, self.count, 0, new);
        let old = cursor.convert(ConvertOp::Truncate, given, Type::I32);
        let number = cursor.select(is_new, more, old);
        store(cursor, self.events.last, 0, number);
        let maker = self.copies.iter().position(|&(copy, _)| copy == inst).expect("all were found");
        let maker = cursor.int(Type::I32, maker as i64);
        let mut missing = cursor.int(Type::BOOL, 1);
        for &place in &self.events.open {
            let is_it = holds(cursor, place, number);
            let other = cursor.value(Op::Unary(UnaryOp::Not), &[is_it], Type::BOOL);
            missing = cursor.binary(BinaryOp::And, missing, other);
        }
        for (&place, &of) in self.events.open.iter().zip(&self.makers) {
            let is_free = holds(cursor, place, zero);
            let takes = cursor.binary(BinaryOp::And, missing, is_free);
            change_if(cursor, takes, place, number);
            change_if(cursor, takes, of, maker);
            let is_used = cursor.value(Op::Unary(UnaryOp::Not), &[is_free], Type::BOOL);
            missing = cursor.binary(BinaryOp::And, missing, is_used);
        }
        let event = cursor.convert(ConvertOp::ZeroExtend, number, Type::I64);
        cursor.replace_result(inst, event);
    }

    fn wait(&self, cursor: &mut Cursor<'_>, reporter: &mut Reporter<'_>, inst: Inst) {
        let event = cursor.operand(inst, 0);
        let before = cursor.binary_int(BinaryOp::Sub, event, 1);
        let count = load(cursor, self.count);
        let count = cursor.convert(ConvertOp::ZeroExtend, count, Type::I64);
        let wrong = cursor.compare(CompareOp::UGe, before, count);
        if self.reports {
            let details = Details { object: None, values: [Some(event), None] };
            when(cursor, wrong, |cursor| reporter.report(cursor, Checked::Event, details));
        }
        let (number, zero) =
            (cursor.convert(ConvertOp::Truncate, event, Type::I32), cursor.int(Type::I32, 0));
        for &place in &self.events.open {
            let is_it = holds(cursor, place, number);
            change_if(cursor, is_it, place, zero);
        }
    }

    /// Reports the copies that were not waited for.
    fn end(&self, cursor: &mut Cursor<'_>, reporter: &mut Reporter<'_>) {
        if !self.reports {
            return;
        }
        for (&(_, span), maker) in self.copies.iter().zip(0..) {
            let (maker, zero) = (cursor.int(Type::I32, maker), cursor.int(Type::I32, 0));
            let mut any = cursor.int(Type::BOOL, 0);
            for (&place, &of) in self.events.open.iter().zip(&self.makers) {
                let number = load(cursor, place);
                let is_open = cursor.compare(CompareOp::Ne, number, zero);
                let is_own = holds(cursor, of, maker);
                let both = cursor.binary(BinaryOp::And, is_open, is_own);
                any = cursor.binary(BinaryOp::Or, any, both);
            }
            when(cursor, any, |cursor| {
                reporter.report_at(cursor, span, Checked::Unwaited, Details::default());
            });
        }
    }
}

fn load(cursor: &mut Cursor<'_>, variable: Value) -> Value {
    cursor.value(Op::Load { align: 4, volatile: false }, &[variable], Type::I32)
}

/// Whether a variable has this value.
fn holds(cursor: &mut Cursor<'_>, variable: Value, value: Value) -> Value {
    let held = load(cursor, variable);
    cursor.compare(CompareOp::Eq, held, value)
}

fn change_if(cursor: &mut Cursor<'_>, condition: Value, variable: Value, value: Value) {
    let old = load(cursor, variable);
    let new = cursor.select(condition, value, old);
    store(cursor, variable, 0, new);
}
