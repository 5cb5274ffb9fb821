//! Destructors: at the exits of scopes, and of temporary objects at the end of a full expression
//! ([class.temporary]).

use super::initialize::{Init, Prvalue, PrvalueKind};
use super::types::Type;
use super::{Cxx, FnId};
use crate::Span;
use crate::hir::{
    Constant, Expr, ExprKind, Initializer, Local, LocalId, Place, PlaceKind, Statement, StatementKind,
};
use crate::types::{QualifiedType, TypeId};
use clvk_ir::AddressSpace;
use rustc_hash::FxHashMap;

/// Elements of an array that are destroyed without a loop.
const FEW: u64 = 8;

/// An object that a scope destroys.
#[derive(Clone, Debug)]
pub(super) struct Cleanup {
    pub place: Place,
    /// Its destructor; an array's elements have it, last first.
    pub destructor: FnId,
    pub span: Span,
}

/// A temporary object that the end of the full expression destroys.
#[derive(Clone, Debug)]
pub(super) struct Temporary {
    pub cleanup: Cleanup,
    /// Tells whether it was made, if that depends on a condition.
    pub flag: Option<LocalId>,
    /// When it is made: what is made last is destroyed first.
    order: u32,
}

/// The order in which temporary objects are made. They get numbers when their expressions are checked;
/// those of conversions follow when all arguments of a call are known, but are made with their arguments.
#[derive(Debug, Default)]
pub(super) struct Making {
    /// Numbers in the order in which their objects are made.
    sequence: Vec<u32>,
    /// The next object is made after this one; after all if there is none.
    after: Option<u32>,
    /// The last object that is made when the expression at a place has its value.
    ends: FxHashMap<Span, u32>,
    /// The last objects of conversions that were put behind others: the next conversion follows them.
    followed: FxHashMap<u32, u32>,
}

impl Making {
    /// The next number, made at the current point.
    fn next(&mut self) -> u32 {
        let number = self.sequence.len() as u32 + 1;
        match self.after.and_then(|after| self.position(after)) {
            Some(at) => {
                self.sequence.insert(at + 1, number);
                self.after = Some(number);
            }
            None => self.sequence.push(number),
        }
        number
    }

    fn position(&self, number: u32) -> Option<usize> {
        self.sequence.iter().rposition(|known| *known == number)
    }
}

impl Cxx<'_> {
    /// A new variable of the current function.
    pub(super) fn new_local(&mut self, ty: TypeId, span: Span) -> LocalId {
        let align = self.types.layout(ty).map_or(1, |(_, align)| align);
        self.checker.add_local(Local { name: String::new(), ty: ty.into(), align, span })
    }

    pub(super) fn local_place(&self, local: LocalId, ty: TypeId, span: Span) -> Place {
        Place { kind: PlaceKind::Local(local), ty: ty.into(), space: AddressSpace::Private, span }
    }

    /// Has the current scope destroy an object.
    pub(super) fn destroy_at_exit(&mut self, place: &Place, span: Span) {
        if let Some(cleanup) = self.cleanup_of(place, span) {
            self.frame().cleanups.last_mut().expect("a scope").push(cleanup);
        }
    }

    /// What must be done to destroy an object, if anything.
    pub(super) fn cleanup_of(&mut self, place: &Place, span: Span) -> Option<Cleanup> {
        let element = self.element_of(place.ty.ty);
        let record = self.record_of(element)?;
        let destructor = self.destructor_of(record, span)?;
        Some(Cleanup { place: place.clone(), destructor, span })
    }

    /// Calls of destructors for an object or an array.
    pub(super) fn destruction(&mut self, cleanup: &Cleanup) -> Vec<Expr> {
        let mut calls = Vec::new();
        self.destruction_of(&cleanup.place, cleanup.destructor, cleanup.span, &mut calls);
        calls
    }

    fn destruction_of(&mut self, place: &Place, destructor: FnId, span: Span, calls: &mut Vec<Expr>) {
        if let crate::types::TypeKind::Array { element, length: Some(length) } = *self.types.kind(place.ty.ty)
        {
            let element_type = Type { q: element, space: None };
            if length > FEW {
                let each = self.for_elements(place, (0, length), element_type, true, |cxx, part, _| {
                    let mut calls = Vec::new();
                    cxx.destruction_of(part, destructor, span, &mut calls);
                    calls
                });
                calls.push(each);
                return;
            }
            let (size, _) = self.types.layout(element.ty).unwrap_or((1, 1));
            for index in (0..length).rev() {
                let kind = PlaceKind::Member(Box::new(place.clone()), index * size);
                let part = Place { kind, ty: element, space: place.space, span };
                self.destruction_of(&part, destructor, span, calls);
            }
            return;
        }
        let hir = self.use_function(destructor, span);
        // A destructor may change an object that was declared constant.
        let ty = QualifiedType::from(place.ty.ty);
        let place = Place { ty, ..place.clone() };
        let this = self.this_argument(place, destructor, span);
        let void = self.types.void();
        calls.push(Expr { kind: ExprKind::Call { function: hir, arguments: vec![this] }, ty: void, span });
    }

    /// Destroys the objects of the innermost scopes, down to a number of scopes that stay.
    pub(super) fn unwind(&mut self, scopes: usize, out: &mut Vec<Statement>) {
        let cleanups: Vec<Cleanup> = self.frame().cleanups[scopes..].iter().flatten().cloned().collect();
        for cleanup in cleanups.iter().rev() {
            for call in self.destruction(cleanup) {
                out.push(Statement { span: call.span, kind: StatementKind::Expr(call) });
            }
        }
    }

    pub(super) fn enter_cleanups(&mut self) {
        self.frame().cleanups.push(Vec::new());
    }

    /// Ends a scope: destroys its objects, if its end can be reached.
    pub(super) fn leave_cleanups(&mut self, out: &mut Vec<Statement>) {
        let depth = self.frame().cleanups.len() - 1;
        let has_any = !self.frame().cleanups[depth].is_empty();
        if has_any && self.checker.falls_through(out) {
            self.unwind(depth, out);
        }
        self.frame().cleanups.pop();
    }

    /// The next number in the order of temporary objects.
    pub(super) fn next_temporary(&mut self) -> u32 {
        self.making.next()
    }

    /// Notes that an expression has its value when all temporary objects so far are made.
    pub(super) fn note_end(&mut self, span: Span) {
        if let Some(last) = self.making.after.or(self.making.sequence.last().copied()) {
            self.making.ends.insert(span, last);
        }
    }

    /// Converts an argument: temporary objects are made right after those of its expression.
    pub(super) fn with_argument<T>(&mut self, span: Span, work: impl FnOnce(&mut Self) -> T) -> T {
        let Some(mut end) = self.making.ends.get(&span).copied() else { return work(self) };
        while let Some(last) = self.making.followed.get(&end) {
            end = *last;
        }
        let outer = self.making.after.replace(end);
        let result = work(self);
        let last = std::mem::replace(&mut self.making.after, outer);
        if outer == Some(end) {
            self.making.after = last;
        }
        if let Some(last) = last.filter(|last| *last != end) {
            self.making.followed.insert(end, last);
        }
        result
    }

    /// Registers a temporary object, which is made at this point of the order, or now if it is zero. Those
    /// registered since there were `before` of them are parts of its making. Returns what marks it as made,
    /// if its making depends on a condition.
    pub(super) fn add_temporary(
        &mut self,
        place: &Place,
        span: Span,
        order: u32,
        before: usize,
    ) -> Option<Expr> {
        self.note_destruction(place.ty.ty, span);
        if self.frames.is_empty() {
            return None;
        }
        let order = if order == 0 { self.next_temporary() } else { order };
        let whole = self.making.position(order);
        for index in before..self.frame().temporaries.len() {
            let part = self.frame().temporaries[index].order;
            if self.making.position(part) > whole {
                self.frame().temporaries[index].order = order;
            }
        }
        let cleanup = self.cleanup_of(place, span)?;
        let flag = (self.frame().conditional > 0).then(|| {
            let bool = self.checker.bool();
            self.new_local(bool, span)
        });
        self.frame().temporaries.push(Temporary { cleanup, flag, order });
        let flag = flag?;
        self.frame().flags.push(flag);
        Some(self.set_flag(flag, 1, span))
    }

    fn set_flag(&mut self, flag: LocalId, value: u64, span: Span) -> Expr {
        let bool = self.checker.bool();
        let target = self.local_place(flag, bool, span);
        let value = Box::new(Expr { kind: ExprKind::Constant(Constant::Bits(value)), ty: bool, span });
        Expr { kind: ExprKind::Assign { target, value }, ty: bool, span }
    }

    /// Takes the temporary objects that live as long as an object that is declared: those to which it binds
    /// references ([class.temporary]/6).
    pub(super) fn extend_temporaries(&mut self, ty: Type, init: &Init) -> Vec<Cleanup> {
        let mut bound = Vec::new();
        self.bound_objects(ty, init, &mut bound);
        let mut extended = Vec::new();
        self.frame().temporaries.retain(|temporary| {
            let is_bound = temporary.flag.is_none()
                && root(&temporary.cleanup.place).is_some_and(|local| bound.contains(&local));
            if is_bound {
                extended.push(temporary.cleanup.clone());
            }
            !is_bound
        });
        extended
    }

    /// The variables that references in an object are bound to.
    fn bound_objects(&self, ty: Type, init: &Init, bound: &mut Vec<LocalId>) {
        match init {
            Init::Value(address) if self.reference(ty.ty()).is_some() => targets(address, bound),
            Init::Class(Prvalue { kind: PrvalueKind::Parts { parts, .. }, .. }) | Init::Parts { parts } => {
                parts.iter().for_each(|(_, ty, init)| self.bound_objects(*ty, init, bound));
            }
            _ => {}
        }
    }

    /// How many temporary objects, and flags of them, the full expression has so far.
    pub(super) fn temporaries(&self) -> (usize, usize) {
        self.frames.last().map_or((0, 0), |frame| (frame.temporaries.len(), frame.flags.len()))
    }

    /// Forgets what was added since [`Cxx::temporaries`] said so, by something that was only tried.
    pub(super) fn forget_temporaries(&mut self, before: (usize, usize)) {
        if let Some(frame) = self.frames.last_mut() {
            frame.temporaries.truncate(before.0);
            frame.flags.truncate(before.1);
        }
    }

    /// Starts a full expression: returns the temporaries of the one around it.
    pub(super) fn begin_full(&mut self) -> (Vec<Temporary>, Vec<LocalId>, usize) {
        if self.frames.is_empty() {
            return (Vec::new(), Vec::new(), 0);
        }
        let frame = self.frame();
        (
            std::mem::take(&mut frame.temporaries),
            std::mem::take(&mut frame.flags),
            std::mem::take(&mut frame.conditional),
        )
    }

    /// Ends a full expression that is not evaluated.
    pub(super) fn restore_full(&mut self, before: (Vec<Temporary>, Vec<LocalId>, usize)) {
        if let Some(frame) = self.frames.last_mut() {
            (frame.temporaries, frame.flags, frame.conditional) = before;
        }
    }

    /// Ends a full expression: what must happen before it and after it.
    pub(super) fn end_full(
        &mut self,
        before: (Vec<Temporary>, Vec<LocalId>, usize),
        span: Span,
    ) -> (Vec<Statement>, Vec<Statement>) {
        if self.frames.is_empty() {
            return (Vec::new(), Vec::new());
        }
        let frame = self.frame();
        let mut temporaries = std::mem::replace(&mut frame.temporaries, before.0);
        let flags = std::mem::replace(&mut frame.flags, before.1);
        frame.conditional = before.2;
        temporaries.sort_by_key(|temporary| self.making.position(temporary.order));
        let first = flags
            .into_iter()
            .map(|flag| Statement { kind: StatementKind::Expr(self.set_flag(flag, 0, span)), span })
            .collect();
        let mut last = Vec::new();
        for temporary in temporaries.iter().rev() {
            let calls = self.destruction(&temporary.cleanup);
            let calls =
                calls.into_iter().map(|call| Statement { span: call.span, kind: StatementKind::Expr(call) });
            match temporary.flag {
                None => last.extend(calls),
                Some(flag) => {
                    let bool = self.checker.bool();
                    let place = self.local_place(flag, bool, span);
                    let condition = Expr { kind: ExprKind::Load(place), ty: bool, span };
                    let then = Box::new(Statement { kind: StatementKind::Block(calls.collect()), span });
                    last.push(Statement {
                        kind: StatementKind::If { condition, then, otherwise: None },
                        span,
                    });
                }
            }
        }
        (first, last)
    }

    /// A full expression as one value, with the destruction of its temporaries.
    pub(super) fn full_value(&mut self, work: impl FnOnce(&mut Self) -> Expr) -> Expr {
        let before = self.begin_full();
        let value = work(self);
        let span = value.span;
        let (mut first, last) = self.end_full(before, span);
        if first.is_empty() && last.is_empty() {
            return value;
        }
        let ty = value.ty;
        if self.types.is_void(ty) {
            first.push(Statement { kind: StatementKind::Expr(value), span });
            first.extend(last);
            return Expr { kind: ExprKind::Statements { statements: first, value: None }, ty, span };
        }
        let local = self.new_local(ty, span);
        let initializer = Some(Initializer::Value(value));
        first.push(Statement { kind: StatementKind::Declare { local, initializer }, span });
        first.extend(last);
        let place = self.local_place(local, ty, span);
        let value = Some(Box::new(Expr { kind: ExprKind::Load(place), ty, span }));
        Expr { kind: ExprKind::Statements { statements: first, value }, ty, span }
    }

    /// Does something that may not happen at run time: the arm of a condition.
    pub(super) fn conditionally<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        if self.frames.is_empty() {
            return work(self);
        }
        self.frame().conditional += 1;
        let result = work(self);
        self.frame().conditional -= 1;
        result
    }
}

/// The variable that a place is, or is a part of.
fn root(place: &Place) -> Option<LocalId> {
    let mut found = Vec::new();
    designated(place, &mut found);
    found.first().copied()
}

/// The variables in whose objects an address may lie.
fn targets(address: &Expr, found: &mut Vec<LocalId>) {
    match &address.kind {
        ExprKind::AddressOf(place) => designated(place, found),
        ExprKind::Comma(_, last) => targets(last, found),
        ExprKind::Convert { operand, .. } => targets(operand, found),
        ExprKind::PointerAdd { pointer, .. } => targets(pointer, found),
        ExprKind::Conditional { then, otherwise, .. } => {
            targets(then, found);
            targets(otherwise, found);
        }
        _ => {}
    }
}

fn designated(place: &Place, found: &mut Vec<LocalId>) {
    match &place.kind {
        PlaceKind::Local(local) => found.push(*local),
        PlaceKind::Member(inner, _) | PlaceKind::Swizzle(inner, _) | PlaceKind::MatrixElement(inner, _) => {
            designated(inner, found)
        }
        PlaceKind::Deref(address) => targets(address, found),
        PlaceKind::Global(_) | PlaceKind::CompoundLiteral(..) => {}
    }
}
