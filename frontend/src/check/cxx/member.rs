//! Member access ([expr.ref]), also through an implied `this`, and pointers to data members
//! ([expr.mptr.oper]).

use super::class::access::Naming;
use super::expression::{Set, Value};
use super::lookup::Within;
use super::scope::Entity;
use super::{Cxx, FnId};
use crate::Span;
use crate::ast::Name;
use crate::cxx::ast::{Expr as Ast, Id, Operator, QualifiedName};
use crate::hir::{Constant, Conversion, Expr, ExprKind as Hir, Place, PlaceKind};
use crate::types::{QualifiedType, RecordId, ScalarKind, TypeKind};

impl Cxx<'_> {
    /// `base.name` and `base->name`.
    pub(super) fn member_expression(
        &mut self,
        base: &Ast,
        arrow: bool,
        name: &QualifiedName,
        span: Span,
    ) -> Value {
        let object = self.expression(base);
        if self.is_error(&object) {
            self.note_error();
            return self.error_value_of(span);
        }
        let object = if arrow { self.arrow(object, base.span) } else { object };
        if self.is_error(&object) {
            return self.error_value_of(span);
        }
        self.member_of(object, name, span)
    }

    /// What `->` applies to: `operator->` as long as there is one, then a pointer.
    fn arrow(&mut self, mut object: Value, span: Span) -> Value {
        for _ in 0..64 {
            if self.record_of(object.ty()).is_none() {
                let pointer = self.rvalue(object, span);
                if self.types.pointee(pointer.ty).is_none() && !self.types.is_error(pointer.ty) {
                    let text = self.type_text(pointer.ty);
                    self.error(
                        span,
                        format!("member reference type '{text}' is not a pointer; did you mean to use '.'?"),
                    );
                    return self.error_value_of(span);
                }
                return Value::from(self.checker.dereference(pointer, span));
            }
            let symbol = self.operator_symbol(Operator::Arrow);
            let record = self.record_of(object.ty()).expect("a class");
            self.require_complete(record, span);
            if self.find_member(record, symbol).is_none() {
                let text = self.text_of(self.type_of_value(&object));
                self.error(
                    span,
                    format!("member reference type '{text}' is not a pointer; did you mean to use '.'?"),
                );
                return self.error_value_of(span);
            }
            object = self.call_member(object, symbol, Vec::new(), span);
            if self.is_error(&object) {
                return object;
            }
        }
        self.error(span, "too many levels of 'operator->'");
        self.error_value_of(span)
    }

    pub(super) fn member_of(&mut self, object: Value, name: &QualifiedName, span: Span) -> Value {
        let ty = object.ty();
        let part = name.last();
        if self.types.as_vector(ty).is_some() {
            let Id::Name(symbol) = part.id else { return self.error_value_of(span) };
            let (_, lanes) = self.types.as_vector(ty).expect("a vector");
            let at = Name { symbol, span: part.span };
            return self.components(object, lanes, at, span);
        }
        let Some(record) = self.record_of(ty) else {
            if self.types.pointee(ty).is_some() {
                let text = self.text_of(self.type_of_value(&object));
                self.error(
                    span,
                    format!("member reference type '{text}' is a pointer; did you mean to use '->'?"),
                );
            } else {
                let text = self.text_of(self.type_of_value(&object));
                self.error(span, format!("member reference base type '{text}' is not a structure or union"));
            }
            return self.error_value_of(span);
        };
        // A result type may name members that the class has so far ([expr.prim.this]/2).
        let is_own = self.other_this.is_some() && self.class(record).is_being_defined;
        if !is_own && !self.require_complete(record, span) {
            let text = self.type_text(ty);
            self.error(span, format!("member access into incomplete type '{text}'"));
            return self.error_value_of(span);
        }
        // `x.Base::f()`
        let mut start = record;
        if name.is_qualified() {
            let class_scope = self.class(record).scope;
            let within = self.in_scope(class_scope, |cxx| cxx.prefix(name));
            let within = match within {
                Some(within) => Some(within),
                None => self.prefix(name),
            };
            match within {
                Some(Within::Scope(scope)) => match self.enclosing_class(scope) {
                    Some(base) if self.base_offset(record, base).is_some() => start = base,
                    _ => {
                        self.error(name.span, "the name before '::' is not a base class of the object");
                        return self.error_value_of(span);
                    }
                },
                _ => return self.error_value_of(span),
            }
        }
        let Some(symbol) = self.symbol_of(&part.id) else { return self.error_value_of(span) };
        if let Id::Conversion(ty) = &part.id {
            let ty = self.type_name(ty);
            return self.conversion_member(object, start, ty, span);
        }
        let Some(found) = self.find_member(start, symbol) else {
            return self.no_member(record, Name { symbol, span: part.span }, span);
        };
        self.check_unambiguous(&found, Name { symbol, span: part.span });
        let object = self.as_named_base(object, start, name.span);
        let object_class = self.is_member_of_object(&found.entity).then_some(record);
        self.check_access(&found, symbol, object_class, part.span);
        match found.entity {
            Entity::Field(owner, index) => self.field_of(object, owner, index, span),
            Entity::Functions(functions) => Value::Functions(Box::new(Set {
                name: Name { symbol, span: part.span },
                functions,
                object: Some(object),
                naming: Some(Naming { class: start, object: Some(record) }),
                explicit: part.arguments.clone(),
                is_open: false,
                is_qualified: false,
            })),
            Entity::Variable(id) => {
                let value = self.variable_value(id, span);
                match object.place() {
                    Some(place) if super::operator::is_stable(place) => value,
                    _ => {
                        let first = self.discarded(object, span);
                        self.sequence_value(first, value, span)
                    }
                }
            }
            Entity::Enumerator(value, ty) => Value::Expr(self.enumerator(value, ty, span)),
            Entity::Constant(expr) => Value::Expr(Expr { span, ..expr }),
            Entity::Type(_) => {
                let text = self.owned(symbol);
                self.error(part.span, format!("cannot refer to type member '{text}' with '.'"));
                self.error_value_of(span)
            }
            _ => {
                self.note_error();
                self.error_value_of(span)
            }
        }
    }

    /// The object as one of the class in which a member is looked up, if that is a base ([expr.ref]/4).
    fn as_named_base(&mut self, object: Value, naming: RecordId, span: Span) -> Value {
        let Some(record) = self.record_of(object.ty()) else { return object };
        if record == naming || self.base_offset(record, naming).is_none() {
            return object;
        }
        self.check_base_access(record, naming, false, span);
        let (is_lvalue, at) = (matches!(object, Value::Place(_)), object.span());
        let place = self.object(object, at);
        let part = self.base_place(place, naming);
        if is_lvalue { Value::Place(part) } else { Value::Moved(part) }
    }

    /// Whether a member needs an object; of methods, all must.
    fn is_member_of_object(&self, entity: &Entity) -> bool {
        match entity {
            Entity::Field(..) => true,
            Entity::Functions(list) => list.iter().all(|id| self.function(*id).has_this()),
            _ => false,
        }
    }

    fn conversion_member(
        &mut self,
        object: Value,
        record: RecordId,
        ty: super::types::Type,
        span: Span,
    ) -> Value {
        let found: Vec<FnId> = self
            .conversions_of(record)
            .into_iter()
            .filter(|id| self.function(*id).result.ty() == ty.ty())
            .collect();
        if found.is_empty() {
            let text = self.text_of(ty);
            self.error(span, format!("there is no conversion function to '{text}'"));
            return self.error_value_of(span);
        }
        let symbol = self.names.begin;
        Value::Functions(Box::new(Set {
            name: Name { symbol, span },
            functions: found,
            object: Some(object),
            naming: Some(Naming::of_object(record)),
            explicit: None,
            is_open: false,
            is_qualified: false,
        }))
    }

    fn no_member(&mut self, record: RecordId, name: Name, span: Span) -> Value {
        if self.quiet > 0 || self.is_lost(name.symbol) {
            self.note_error();
            return self.error_value_of(span);
        }
        let text = self.owned(name.symbol);
        let class = self.type_text(self.class(record).ty);
        let scope = self.class(record).scope;
        let names = self.scope_ref(scope).names.keys().map(|symbol| self.text(*symbol));
        let best = crate::suggest::nearest(&text, names).map(str::to_owned);
        let message = format!("no member named '{text}' in '{class}'");
        let mut diagnostic = crate::diagnostic::Diagnostic::error(name.span, message);
        if let Some(best) = best {
            diagnostic = diagnostic.suggest(&best);
        }
        self.report(diagnostic);
        self.error_value_of(span)
    }

    fn components(&mut self, object: Value, lanes: u32, name: Name, span: Span) -> Value {
        let moved = matches!(object, Value::Moved(_));
        let operand = match object {
            Value::Place(place) | Value::Moved(place) => super::super::expression::Operand::Place(place),
            value => super::super::expression::Operand::Value(self.rvalue(value, span)),
        };
        match Value::from(self.checker.components(operand, lanes, name, span)) {
            Value::Place(place) if moved => Value::Moved(place),
            value => value,
        }
    }

    /// A member of an object that is not static.
    pub(super) fn field_of(&mut self, object: Value, owner: RecordId, index: usize, span: Span) -> Value {
        let field = self.class(owner).fields[index].clone();
        let is_value = !matches!(object, Value::Place(_));
        let at = object.span();
        let place = self.object(object, at);
        let place = self.base_place(place, owner);
        let (place, offset) = self.anonymous_place(place, owner, index);
        let mut qualifiers = field.ty.q.qualifiers.union(place.ty.qualifiers);
        if field.is_mutable {
            qualifiers.is_const = field.ty.q.qualifiers.is_const;
        }
        qualifiers.is_restrict = field.ty.q.qualifiers.is_restrict;
        let space = place.space;
        if let Some(reference) = self.reference(field.ty.ty()) {
            let pointer = self.hir_type(field.ty.ty());
            let kind = PlaceKind::Member(Box::new(place), offset);
            let holder = Place { kind, ty: pointer.into(), space, span };
            let address = Expr { kind: Hir::Load(holder), ty: pointer, span };
            let kind = PlaceKind::Deref(Box::new(address));
            return Value::Place(Place { kind, ty: reference.target, space: reference.space, span });
        }
        // The elements of a constant array are constant.
        let ty = self.checker.with_qualifiers(field.ty.ty(), qualifiers);
        let ty = QualifiedType { ty: ty.ty, qualifiers: ty.qualifiers };
        let place = Place { kind: PlaceKind::Member(Box::new(place), offset), ty, space, span };
        if is_value { Value::Moved(place) } else { Value::Place(place) }
    }

    /// The object that has a field, and where in it: a field of an anonymous union belongs to the union.
    pub(super) fn anonymous_place(
        &mut self,
        place: Place,
        mut owner: RecordId,
        mut index: usize,
    ) -> (Place, u64) {
        let mut place = place;
        loop {
            let class = self.class(owner);
            let injected = class.implicit.injected.iter().find(|(at, ..)| *at == index);
            let Some(&(_, inner, number, _)) = injected else { return (place, class.fields[index].offset) };
            let outer = class.fields[..index].iter().rev().find(|field| !field.is_injected);
            let offset = outer.map_or(0, |field| field.offset);
            let ty = QualifiedType { ty: self.class(inner).ty, qualifiers: place.ty.qualifiers };
            let (space, span) = (place.space, place.span);
            place = Place { kind: PlaceKind::Member(Box::new(place), offset), ty, space, span };
            (owner, index) = (inner, number);
        }
    }

    /// A member named alone: of `*this`.
    pub(super) fn implicit_field(
        &mut self,
        record: RecordId,
        index: usize,
        naming: Option<RecordId>,
        name: Name,
        span: Span,
    ) -> Value {
        let Some(this) = self.this_expr(span).filter(|this| {
            self.types
                .pointee(this.ty)
                .and_then(|(target, _)| self.record_of(target.ty))
                .is_some_and(|class| self.base_offset(class, record).is_some())
        }) else {
            // `sizeof(A::member)` and the like need no object.
            if self.frames.is_empty() || self.quiet > 0 || self.unevaluated > 0 {
                let ty = self.class(record).ty;
                let pointer = self.types.pointer(ty.into(), clvk_ir::AddressSpace::Generic);
                let null = self.constant(0, pointer, span);
                let object = Value::from(self.checker.dereference(null, span));
                return self.field_of(object, record, index, span);
            }
            let text = self.owned(name.symbol);
            self.error(span, format!("invalid use of non-static data member '{text}'"));
            return self.error_value_of(span);
        };
        let object = Value::from(self.checker.dereference(this, span));
        let object = self.as_named_base(object, naming.unwrap_or(record), span);
        self.field_of(object, record, index, span)
    }

    /// The object of a method that is named alone.
    pub(super) fn implicit_object(
        &mut self,
        functions: &[FnId],
        naming: Option<RecordId>,
        span: Span,
    ) -> Option<Value> {
        let record = functions.iter().find_map(|id| self.function(*id).class)?;
        let this = self.this_expr(span)?;
        let class = self.types.pointee(this.ty).and_then(|(target, _)| self.record_of(target.ty))?;
        self.base_offset(class, record)?;
        let object = Value::from(self.checker.dereference(this, span));
        Some(self.as_named_base(object, naming.unwrap_or(record), span))
    }

    /// `a.*p` and `a->*p`.
    pub(super) fn member_pointer_access(
        &mut self,
        base: &Ast,
        arrow: bool,
        member: &Ast,
        span: Span,
    ) -> Value {
        let object = self.expression(base);
        let right = self.expression(member);
        if arrow
            && let Some(value) = self.overloaded(Operator::ArrowStar, &[object.clone(), right.clone()], span)
        {
            return value;
        }
        let pointer = self.rvalue(right, member.span);
        if self.is_error(&object) || self.types.is_error(pointer.ty) {
            self.note_error();
            return self.error_value_of(span);
        }
        let object = if arrow { self.arrow(object, base.span) } else { object };
        let TypeKind::MemberPointer { class, target } = *self.types.kind(pointer.ty) else {
            let text = self.type_text(pointer.ty);
            self.error(span, format!("right hand operand to '.*' has non-pointer-to-member type '{text}'"));
            return self.error_value_of(span);
        };
        let is_derived =
            self.record_of(object.ty()).is_some_and(|record| self.base_offset(record, class).is_some());
        if !is_derived {
            let text = self.text_of(self.type_of_value(&object));
            self.error(
                span,
                format!("left hand operand to '.*' must be the class of the member, not '{text}'"),
            );
            return self.error_value_of(span);
        }
        if let Some(record) = self.record_of(object.ty()) {
            self.check_base_access(record, class, false, span);
        }
        let place = self.object(object, span);
        let place = self.base_place(place, class);
        let (space, qualifiers) = (place.space, place.ty.qualifiers.union(target.qualifiers));
        let address = self.checker.address(place);
        let char = self.types.scalar(ScalarKind::Char);
        let bytes = self.types.pointer(QualifiedType { ty: char, qualifiers }, space);
        let address = self.checker.convert(address, Conversion::Pointer, bytes);
        let long = self.types.scalar(ScalarKind::Long);
        let index = Box::new(Expr { ty: long, ..pointer });
        let kind = Hir::PointerAdd { pointer: Box::new(address), index, subtract: false };
        let sum = Expr { kind, ty: bytes, span };
        let q = QualifiedType { ty: target.ty, qualifiers };
        let to = self.types.pointer(q, space);
        let typed = self.checker.convert(sum, Conversion::Pointer, to);
        Value::Place(Place { kind: PlaceKind::Deref(Box::new(typed)), ty: q, space, span })
    }

    /// `&A::member`, if an operand of `&` is that.
    pub(super) fn address_of_member(&mut self, name: &QualifiedName, span: Span) -> Option<Value> {
        if !name.is_qualified() {
            return None;
        }
        let Id::Name(symbol) = name.last().id else { return None };
        let within = self.prefix(name)?;
        let Within::Scope(scope) = within else { return None };
        let found = self.find_in(scope, symbol)?;
        let class = self.enclosing_class(scope)?;
        match found.entity.clone() {
            Entity::Field(owner, index) => {
                self.check_unambiguous(&found, Name { symbol, span });
                self.check_access(&found, symbol, Some(class), span);
                let field = self.class(owner).fields[index].clone();
                self.base_offset(class, owner)?;
                if self.reference(field.ty.ty()).is_some() {
                    self.error(span, "cannot form a pointer-to-member to a member of reference type");
                    return Some(self.error_value_of(span));
                }
                let kind = TypeKind::MemberPointer { class: owner, target: field.ty.q };
                let ty = self.types.intern(kind);
                let kind = Hir::Constant(Constant::Bits(field.offset));
                Some(Value::Expr(Expr { kind, ty, span }))
            }
            Entity::Functions(functions) => {
                let is_method = functions.iter().any(|id| self.function(*id).has_this());
                let message = if is_method {
                    "pointers to member functions are not allowed (C++ for OpenCL §2.1)"
                } else {
                    "pointers to functions are not allowed (C++ for OpenCL §2.1)"
                };
                self.error(span, message);
                Some(self.error_value_of(span))
            }
            _ => None,
        }
    }
}
