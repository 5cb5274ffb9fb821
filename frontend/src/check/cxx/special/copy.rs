//! What the compiler makes of copies, assignments and destructors.

use crate::Span;
use crate::check::cxx::class::Field;
use crate::check::cxx::expression::{Given, Value};
use crate::check::cxx::function::Kind;
use crate::check::cxx::initialize::Init;
use crate::check::cxx::overload::Resolved;
use crate::check::cxx::scope::Entity;
use crate::check::cxx::types::Type;
use crate::check::cxx::{Cxx, FnId};
use crate::cxx::ast::{ClassKey, Operator};
use crate::hir::{self, Expr, Place, Statement, StatementKind};
use crate::types::{RecordId, TypeKind};

/// Elements of an array that are assigned without a loop.
const FEW: u64 = 16;

impl Cxx<'_> {
    /// A copy or move constructor that the compiler makes.
    pub(super) fn copy_members(&mut self, id: FnId, record: RecordId, out: &mut Vec<Statement>) {
        let function = self.function(id).clone();
        let span = function.span;
        let local = hir::LocalId(1);
        let other = self.parameter_object(local, function.params[0].ty, span);
        let is_move = matches!(other, Value::Moved(_));
        let Some(place) = other.place().cloned() else { return };
        let ty = self.class(record).ty;
        if self.class(record).implicit.is_trivially_copyable || self.class(record).key == ClassKey::Union {
            let value = self.checker.load(place);
            if let Some(this) = self.this_place(span) {
                let this = Place { ty: ty.into(), ..this };
                let store = self.store(this, value, span);
                out.push(Statement { kind: StatementKind::Expr(store), span });
            }
            return;
        }
        let before = std::mem::replace(&mut self.copies_arrays, true);
        for part in self.parts_of(record) {
            let from = self.part_of(&place, &part, is_move, span);
            let ty = part.ty;
            self.part_statements(part.offset, ty, span, out, |cxx| match cxx.reference(ty.ty()) {
                Some(reference) => {
                    Init::Value(cxx.bind_reference(Given::Value(from), reference, span, "member"))
                }
                None => cxx.copy_initialize(ty.plain(), from, span),
            });
        }
        self.copies_arrays = before;
    }

    fn part_of(&mut self, place: &Place, part: &Field, is_move: bool, span: Span) -> Value {
        if let Some(reference) = self.reference(part.ty.ty()) {
            let pointer = self.hir_type(part.ty.ty());
            let kind = hir::PlaceKind::Member(Box::new(place.clone()), part.offset);
            let holder = Place { kind, ty: pointer.into(), space: place.space, span };
            let address = Expr { kind: hir::ExprKind::Load(holder), ty: pointer, span };
            let kind = hir::PlaceKind::Deref(Box::new(address));
            return Value::Place(Place { kind, ty: reference.target, space: reference.space, span });
        }
        let mut q = part.ty.q;
        q.qualifiers.is_const |= place.ty.qualifiers.is_const;
        let kind = hir::PlaceKind::Member(Box::new(place.clone()), part.offset);
        let place = Place { kind, ty: q, space: place.space, span };
        if is_move { Value::Moved(place) } else { Value::Place(place) }
    }

    /// The body of an assignment or destructor that the compiler makes.
    pub(in crate::check::cxx) fn defaulted_body(&mut self, id: FnId, out: &mut Vec<Statement>) {
        let function = self.function(id).clone();
        let (Some(record), Kind::Plain) = (function.class, function.kind) else { return };
        let span = function.span;
        if function.params.len() != 1 {
            self.error(span, "only special member functions may be defaulted");
            return;
        }
        let other = self.parameter_object(hir::LocalId(1), function.params[0].ty, span);
        let is_move = matches!(other, Value::Moved(_));
        let (Some(place), Some(this)) = (other.place().cloned(), self.this_place(span)) else { return };
        let ty = self.class(record).ty;
        if self.class(record).implicit.is_trivially_copyable || self.class(record).key == ClassKey::Union {
            let value = self.checker.load(place);
            let target = Place { ty: ty.into(), ..this.clone() };
            let store = self.store(target, value, span);
            out.push(Statement { kind: StatementKind::Expr(store), span });
        } else {
            for part in self.parts_of(record) {
                let from = self.part_of(&place, &part, is_move, span);
                let to = self.part_of(&this, &part, false, span);
                self.assign_part(part.ty, to, from, span, out);
            }
        }
        let address = self.checker.address(this);
        let result = self.hir_type(function.result.ty());
        let address = self.checker.convert_pointer(address, result);
        out.push(Statement { kind: StatementKind::Return(Some(address)), span });
    }

    fn assign_part(&mut self, ty: Type, to: Value, from: Value, span: Span, out: &mut Vec<Statement>) {
        if let TypeKind::Array { element, length: Some(count) } = *self.types.kind(ty.ty()) {
            let (size, _) = self.types.layout(element.ty).unwrap_or((1, 1));
            let (Some(to), Some(from_place)) = (to.place().cloned(), from.place().cloned()) else { return };
            if count > FEW {
                let each = Type { q: element, space: None };
                let is_moved = matches!(from, Value::Moved(_));
                let each = self.for_elements(&to, (0, count), each, false, |cxx, part, index| {
                    let source = Place { ty: element, ..cxx.element_at(&from_place, each, index.clone()) };
                    let source = if is_moved { Value::Moved(source) } else { Value::Place(source) };
                    let target = Value::Place(Place { ty: element, ..part.clone() });
                    let mut statements = Vec::new();
                    cxx.assign_part(each, target, source, span, &mut statements);
                    let ty = cxx.types.void();
                    vec![Expr { kind: hir::ExprKind::Statements { statements, value: None }, ty, span }]
                });
                out.push(Statement { kind: StatementKind::Expr(each), span });
                return;
            }
            for index in 0..count {
                let part = |place: &Place| {
                    let kind = hir::PlaceKind::Member(Box::new(place.clone()), index * size);
                    Place { kind, ty: element, space: place.space, span }
                };
                let element = Type { q: element, space: None };
                let source = part(&from_place);
                let source =
                    if matches!(from, Value::Moved(_)) { Value::Moved(source) } else { Value::Place(source) };
                self.assign_part(element, Value::Place(part(&to)), source, span, out);
            }
            return;
        }
        let before = self.begin_full();
        let value = self.assignment_of(None, to, Given::Value(from), span);
        let expr = self.discarded(value, span);
        let (first, last) = self.end_full(before, span);
        out.extend(first);
        out.push(Statement { kind: StatementKind::Expr(expr), span });
        out.extend(last);
    }

    /// What a destructor does after its body: members, then bases, in the reverse order.
    pub(in crate::check::cxx) fn destructor_epilogue(&mut self, id: FnId, out: &mut Vec<Statement>) {
        let function = self.function(id).clone();
        let Some(record) = function.class else { return };
        let span = function.span;
        if self.class(record).key == ClassKey::Union || !self.checker.falls_through(out) {
            return;
        }
        for part in self.parts_of(record).into_iter().rev() {
            let Some(this) = self.this_place(span) else { return };
            if self.reference(part.ty.ty()).is_some()
                || self.is_trivially_destructible(part.ty.ty())
                || self.is_anonymous_union(&part)
            {
                continue;
            }
            let kind = hir::PlaceKind::Member(Box::new(this.clone()), part.offset);
            let place = Place { kind, ty: part.ty.q, space: this.space, span };
            if let Some(cleanup) = self.cleanup_of(&place, span) {
                for call in self.destruction(&cleanup) {
                    out.push(Statement { kind: StatementKind::Expr(call), span });
                }
            }
        }
    }

    /// `a = b` of classes.
    pub(in crate::check::cxx) fn class_assignment(
        &mut self,
        target: Value,
        record: RecordId,
        given: Given,
        span: Span,
    ) -> Value {
        self.require_complete(record, span);
        let discards = std::mem::take(&mut self.discards);
        let symbol = self.operator_symbol(Operator::Assign(None));
        let Some(Entity::Functions(list)) = self.find_member(record, symbol).map(|found| found.entity) else {
            let text = self.type_text(self.class(record).ty);
            self.error(span, format!("no viable overloaded '=' for '{text}'"));
            return self.error_value_of(span);
        };
        let given_list = vec![given.clone()];
        match self.resolve_overload(&list, Some(&target), &given_list, None) {
            Resolved::One(id) => {
                let function = self.function(id).clone();
                let ty = self.class(record).ty;
                let plain = function.is_defaulted && !function.is_deleted && self.is_trivially_copyable(ty);
                let same = matches!(&given, Given::Value(value)
                    if self.related(value.ty(), ty).is_some() && !matches!(value, Value::Functions(_)));
                if let (true, true, Value::Place(place), Given::Value(value)) = (plain, same, &target, given)
                {
                    // Bytes are copied.
                    self.check_base_of(value.ty(), ty, span);
                    let source = match value {
                        Value::Place(place) | Value::Moved(place) => {
                            let place = self.base_place(place, record);
                            self.checker.load(place)
                        }
                        value => self.rvalue(value, span),
                    };
                    let target = Place { ty: ty.into(), ..place.clone() };
                    if discards {
                        return Value::Expr(self.store(target, source, span));
                    }
                    let (prelude, target) = self.stable(target);
                    let (prelude, source) = self.before_designation(prelude, source);
                    let mut store = self.store(target.clone(), source, span);
                    if let Some(prelude) = prelude {
                        let ty = store.ty;
                        store =
                            Expr { kind: hir::ExprKind::Comma(Box::new(prelude), Box::new(store)), ty, span };
                    }
                    return Value::Place(self.after(store, target));
                }
                if !self.may_access(record, function.access) {
                    let text = self.function_text(id);
                    self.error(span, format!("'{text}' is not accessible here"));
                }
                self.is_right_first = true;
                self.call_function(id, Some(target), given_list, span)
            }
            resolved => {
                let what = match resolved {
                    Resolved::Ambiguous(_) => "'operator='".to_owned(),
                    _ => "viable overloaded '='".to_owned(),
                };
                self.report_resolution(&what, &resolved, &list, Some(&target), &given_list, span);
                self.error_value_of(span)
            }
        }
    }
}
