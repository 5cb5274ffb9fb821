//! Lifetimes in an evaluation ([basic.life]): parts of objects whose constructors run, and variables of
//! blocks that were left.

use super::{Evaluated, Flow, Machine, Pointer, stop};
use crate::Span;
use crate::check::cxx::function::Kind;
use crate::check::cxx::{Cxx, FnId};
use crate::hir::{Expr, ExprKind, Place, PlaceKind, Statement, StatementKind};
use crate::types::RecordId;
use std::ops::Range;

/// What a constructor initialises before its body, with the statements that do it: a base or a member.
#[derive(Clone, Debug)]
pub(in crate::check::cxx) struct InitializedPart {
    /// Those of the function's body.
    pub statements: Range<usize>,
    /// The byte behind it.
    pub end: u64,
}

/// The rest of an object whose constructor runs: bytes whose lifetimes have not begun.
#[derive(Clone, Debug)]
pub(super) struct Unborn {
    object: usize,
    bytes: Range<i64>,
    /// Where the object is whose constructor runs. Its own members may be called.
    whole: Option<(i64, RecordId)>,
}

impl Machine<'_, '_> {
    /// Refuses to change what has not begun or has ended.
    pub(super) fn check_alive(&self, object: usize, bytes: &Range<usize>, span: Span) -> Evaluated<()> {
        let (start, end) = (bytes.start as i64, bytes.end as i64);
        let is_in = |it: &Unborn| it.object == object && start < it.bytes.end && it.bytes.start < end;
        if self.unborn.iter().any(is_in) {
            return stop(span, "an object is changed before its lifetime begins");
        }
        if self.objects[object].is_dead {
            return stop(span, "an object is changed after its lifetime has ended");
        }
        Ok(())
    }

    /// Refuses the call of a member of an object that has not begun or has ended.
    pub(super) fn check_member_call(&self, callee: FnId, this: Pointer, span: Span) -> Evaluated<()> {
        let function = self.cxx.function(callee);
        let (Some(record), Some(object)) = (function.class.filter(|_| function.has_this()), this.object)
        else {
            return Ok(());
        };
        if !matches!(function.kind, Kind::Plain | Kind::Conversion) {
            return Ok(());
        }
        if self.objects[object].is_dead {
            return stop(span, "a member of an object is called after its lifetime has ended");
        }
        let class = self.cxx.class(record);
        let size = self.cxx.types.layout(class.ty).map_or(0, |(size, _)| size as i64);
        let is_empty = class.fields.is_empty();
        let is_in = |it: &Unborn| {
            let within = it.bytes.start <= this.offset && this.offset + size <= it.bytes.end;
            // A class without members may share its place with something else, but not with another object
            // of the class.
            let is_it = || match it.whole {
                Some((start, whole)) => self.has_member_at(whole, this.offset - start, record),
                None => false,
            };
            let is_this = !is_empty || is_it();
            it.object == object && within && it.whole != Some((this.offset, record)) && is_this
        };
        if self.unborn.iter().any(is_in) {
            return stop(span, "a member of an object is called before its lifetime begins");
        }
        Ok(())
    }

    /// Whether a member of a class, or of a class that it contains, is an object of a class at a place.
    fn has_member_at(&self, whole: RecordId, offset: i64, class: RecordId) -> bool {
        self.cxx.class(whole).fields.iter().any(|field| {
            let element = self.cxx.element_of(field.ty.ty());
            let size = |ty| self.cxx.types.layout(ty).map_or(0, |(size, _)| size as i64);
            let inside = offset - field.offset as i64;
            let Some(record) = self.cxx.record_of(element) else { return false };
            if !(0..size(field.ty.ty())).contains(&inside) {
                return false;
            }
            let inside = inside % size(element).max(1);
            inside == 0 && record == class || self.has_member_at(record, inside, class)
        })
    }

    /// Evaluates something while some bytes have not begun.
    fn before_birth<T>(
        &mut self,
        this: Pointer,
        bytes: Range<u64>,
        whole: Option<RecordId>,
        work: impl FnOnce(&mut Self) -> Evaluated<T>,
    ) -> Evaluated<T> {
        let Some(object) = this.object else { return work(self) };
        let bytes = this.offset + bytes.start as i64..this.offset + bytes.end as i64;
        let whole = whole.map(|record| (this.offset, record));
        self.unborn.push(Unborn { object, bytes, whole });
        let result = work(self);
        self.unborn.pop();
        result
    }

    /// The bytes of an object of a class.
    fn bytes_of(&self, record: RecordId) -> Range<u64> {
        0..self.cxx.types.layout(self.cxx.class(record).ty).map_or(0, |(size, _)| size)
    }

    /// Evaluates the arguments of a constructor behind the object that it makes.
    pub(super) fn constructor_arguments(
        &mut self,
        record: RecordId,
        this: Pointer,
        arguments: &[Expr],
    ) -> Evaluated<Vec<super::Value>> {
        let bytes = self.bytes_of(record);
        self.before_birth(this, bytes, None, |machine| {
            arguments.iter().map(|argument| machine.value(argument)).collect()
        })
    }

    /// Executes the body of a constructor. Parts begin in order, when their statements are executed.
    pub(super) fn construct(
        &mut self,
        constructor: FnId,
        record: RecordId,
        this: Pointer,
        body: &[Statement],
    ) -> Evaluated<Flow> {
        let parts = self.cxx.initialized_parts.get(&constructor).cloned().unwrap_or_default();
        let end = self.bytes_of(record).end;
        self.release(this, end);
        let mut next = 0;
        for part in parts {
            for statement in &body[part.statements.clone()] {
                self.initialize_part(this, record, &part, end, statement)?;
            }
            next = part.statements.end;
        }
        self.fix_constant_members(record, this);
        self.statements(&body[next..])
    }

    /// Constant members of an object that is made in the place of another have no values yet.
    fn release(&mut self, this: Pointer, size: u64) {
        if let Some(object) = this.object {
            let bytes = this.offset..this.offset + size as i64;
            self.objects[object].fixed.retain(|it| !bytes.contains(&(it.start as i64)));
        }
    }

    /// Constant members have their values once they are initialised. Parts of classes may be `mutable`.
    fn fix_constant_members(&mut self, record: RecordId, this: Pointer) {
        let (cxx, Some(object)) = (self.cxx, this.object) else { return };
        let fields = cxx.class(record).fields.iter().filter(|field| !field.is_injected);
        let numbers = fields.filter(|field| {
            field.ty.q.qualifiers.is_const && cxx.record_of(cxx.element_of(field.ty.ty())).is_none()
        });
        let places = numbers.filter_map(|field| {
            let start = usize::try_from(this.offset).ok()? + field.offset as usize;
            Some(start..start + cxx.types.layout(field.ty.ty())?.0 as usize)
        });
        self.objects[object].fixed.extend(places);
    }

    fn initialize_part(
        &mut self,
        this: Pointer,
        record: RecordId,
        part: &InitializedPart,
        end: u64,
        statement: &Statement,
    ) -> Evaluated<()> {
        if let StatementKind::Expr(expr) = &statement.kind
            && let ExprKind::Assign { target, value } = &expr.kind
            && let Some(offset) = offset_from_object(target)
        {
            self.step(statement.span)?;
            let result =
                self.before_birth(this, offset..end, Some(record), |machine| machine.value(value))?;
            return self.store(target, &result);
        }
        let start = match &statement.kind {
            StatementKind::Expr(expr) => self.end_of_constructed(expr),
            _ => None,
        };
        let rest = start.unwrap_or(part.end)..end;
        self.before_birth(this, rest, Some(record), |machine| machine.statement(statement)).map(|_| ())
    }

    /// The byte behind what a call of a constructor makes.
    fn end_of_constructed(&self, call: &Expr) -> Option<u64> {
        let ExprKind::Call { function, arguments } = &call.kind else { return None };
        let record = self.cxx.constructed_class(*self.cxx.of_hir.get(function)?)?;
        let mut address = arguments.first()?;
        while let ExprKind::Convert { operand, .. } = &address.kind {
            address = operand;
        }
        let ExprKind::AddressOf(place) = &address.kind else { return None };
        Some(offset_from_object(place)? + self.bytes_of(record).end)
    }

    /// Executes the statements of a block, whose variables end with it.
    pub(super) fn block(&mut self, list: &[Statement]) -> Evaluated<Flow> {
        let flow = self.statements(list)?;
        for statement in list {
            if let StatementKind::Declare { local, .. } = &statement.kind
                && let Some(object) = self.calls.last().and_then(|call| call.locals.get(local))
            {
                self.objects[*object].is_dead = true;
            }
        }
        Ok(flow)
    }
}

impl Cxx<'_> {
    /// The class of a constructor.
    pub(super) fn constructed_class(&self, id: FnId) -> Option<RecordId> {
        let function = self.function(id);
        function.class.filter(|_| function.kind == Kind::Constructor)
    }
}

/// The byte in an object at which a part of it begins, if only members lead to it.
pub(in crate::check::cxx) fn offset_from_object(place: &Place) -> Option<u64> {
    match &place.kind {
        PlaceKind::Member(base, offset) => Some(offset_from_object(base)? + offset),
        PlaceKind::Deref(_) => Some(0),
        _ => None,
    }
}
