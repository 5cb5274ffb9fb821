//! `new` and `delete` ([expr.new], [expr.delete]) by functions of the program: C++ for OpenCL has no memory
//! of its own to give (§2.1).

mod array;

use super::class::access::Naming;
use super::cleanup::Cleanup;
use super::expression::{Given, Value};
use super::function::Parameter;
use super::initialize::{Init, sequenced};
use super::operator::Membership;
use super::overload::Resolved;
use super::scope::{Entity, ScopeId};
use super::types::Type;
use super::{Cxx, FnId};
use crate::Span;
use crate::cxx::ast::{Expr as Ast, Initializer, New, Operator};
use crate::hir::{Conversion, Expr, ExprKind as Hir, Place, PlaceKind};
use crate::types::{RecordId, TypeId, TypeKind};
use array::Length;
use clvk_ir::AddressSpace;

impl Cxx<'_> {
    /// The rules for `operator new` and `operator delete` ([basic.stc.dynamic]).
    pub(super) fn check_allocation(
        &mut self,
        operator: Operator,
        params: &[Parameter],
        result: Type,
        member: Membership,
        span: Span,
    ) {
        let text = super::function::operator_text(operator);
        if member == Membership::Free && self.scope != ScopeId(0) {
            self.error(span, format!("'operator{text}' cannot be declared inside a namespace"));
            return;
        }
        let is_new = matches!(operator, Operator::New { .. });
        let first = params.first().map(|param| param.ty.ty());
        let is_void_pointer = |cxx: &Self, ty: TypeId| {
            cxx.types.pointee(ty).is_some_and(|(target, _)| cxx.types.is_void(target.ty))
        };
        let takes = match is_new {
            true => first == Some(self.checker.size_type()),
            false => first.is_some_and(|ty| is_void_pointer(self, ty)),
        };
        if !takes {
            let wanted = if is_new { "size_t" } else { "void *" };
            self.error(span, format!("'operator{text}' takes a first parameter of type '{wanted}'"));
        }
        let gives = match is_new {
            true => is_void_pointer(self, result.ty()),
            false => self.types.is_void(result.ty()),
        };
        if !gives && !self.is_error_type(result) {
            let wanted = if is_new { "void *" } else { "void" };
            self.error(span, format!("'operator{text}' must return type '{wanted}'"));
        }
    }

    /// The functions of a class that allocate or release. If it has none, the program's may allocate, but
    /// memory that belongs to no class is not released.
    fn allocators(&mut self, record: Option<RecordId>, operator: Operator) -> Vec<FnId> {
        let symbol = self.operator_symbol(operator);
        let member = record.and_then(|record| self.find_member(record, symbol));
        let is_new = matches!(operator, Operator::New { .. });
        let found = member.or_else(|| self.find_in(ScopeId(0), symbol).filter(|_| is_new));
        match found.map(|found| found.entity) {
            Some(Entity::Functions(list)) => list,
            _ => Vec::new(),
        }
    }

    /// What allocates and releases memory is not constant ([expr.const]/2.15).
    fn refuse_in_constexpr(&mut self, word: &str, span: Span) {
        let Some(frame) = self.frames.last() else { return };
        // Initialisers outside of functions have a frame, but no function.
        let Some(function) = self.functions.get(frame.function.0 as usize) else { return };
        let is_written = function.body.is_some() && function.closure.is_none();
        if function.is_constexpr && is_written && !self.in_instance() {
            self.error(span, format!("a constexpr function cannot have a {word} expression"));
        }
    }

    pub(super) fn new_expression(&mut self, new: &New, span: Span) -> Value {
        self.refuse_in_constexpr("new", span);
        let ty = self.allocated_type(new, span);
        let Some(placement) = self.given(&new.placement) else { return self.error_value_of(span) };
        let length = new.length.as_ref().map(|length| self.length_of(length));
        let is_wrong = length.as_ref().is_some_and(|length| self.types.is_error(length.value.ty))
            || placement.iter().any(|given| matches!(given, Given::Value(value) if self.is_error(value)));
        if self.is_error_type(ty) || is_wrong || !self.can_allocate(ty, span) {
            self.note_error();
            return self.error_value_of(span);
        }
        let Some((memory, before)) = self.allocated(new, ty, length.as_ref(), placement, span) else {
            return self.error_value_of(span);
        };
        let (_, space) = self.types.pointee(memory.ty).expect("what 'operator new' gives");
        let pointer_type = self.types.pointer(ty.q, space);
        let pointer = self.checker.convert(memory, Conversion::Pointer, pointer_type);
        if self.frames.is_empty() {
            // Not evaluated.
            return Value::Expr(pointer);
        }
        let made = self.unless_null(pointer, pointer_type, |cxx, kept| {
            let mut stores = Vec::new();
            let object = match &length {
                Some(length) => cxx.make_array(new, ty, kept, (length, before), &mut stores),
                None => {
                    let kind = PlaceKind::Deref(Box::new(kept.clone()));
                    let place = Place { kind, ty: ty.ty().into(), space, span };
                    let init = cxx.conditionally(|cxx| cxx.initial_value(new, ty, space, span));
                    cxx.emit(&place, ty.plain(), init, &mut stores);
                    kept
                }
            };
            stores.push(object);
            sequenced(stores).expect("the pointer")
        });
        let keep = length.and_then(|length| length.keep);
        Value::Expr(sequenced(keep.into_iter().chain([made]).collect()).expect("the pointer"))
    }

    /// The type that `new` makes, which its initialiser may tell.
    fn allocated_type(&mut self, new: &New, span: Span) -> Type {
        let Some(initializer) = new.initializer.as_ref().filter(|_| new.length.is_none()) else {
            return self.type_name(&new.ty);
        };
        if let Some(ty) = self.deduced_class(&new.ty, initializer, span) {
            return ty;
        }
        let ty = self.type_name(&new.ty);
        match self.has_auto(ty.ty()) {
            true => {
                let deduced = self.attempt(|cxx| cxx.deduced_initializer(ty, initializer, span)).flatten();
                deduced.map_or(ty, |(ty, _)| ty)
            }
            false => ty,
        }
    }

    fn can_allocate(&mut self, ty: Type, span: Span) -> bool {
        let text = self.text_of(ty);
        if self.has_auto(ty.ty()) {
            self.error(span, "'auto' in a new expression needs one value from which it is deduced");
            return false;
        }
        let is_object = self.reference(ty.ty()).is_none()
            && !self.types.is_void(ty.ty())
            && !self.types.is_parameter_only(ty.ty())
            && !matches!(self.types.kind(ty.ty()), TypeKind::Function { .. });
        if !is_object {
            self.error(span, format!("cannot allocate an object of type '{text}' with new"));
            return false;
        }
        if let Some(space) = ty.space.filter(|space| *space != AddressSpace::Generic) {
            let space = super::super::spelling::space_text(space);
            self.error(span, format!("'new' cannot allocate an object in address space '{space}'"));
            return false;
        }
        self.complete(ty.ty(), span, "allocated object")
    }

    /// The memory for an object or an array, by the class's `operator new` or the program's, and the bytes
    /// in it before an array.
    fn allocated(
        &mut self,
        new: &New,
        ty: Type,
        length: Option<&Length>,
        placement: Vec<Given>,
        span: Span,
    ) -> Option<(Expr, u64)> {
        let operator = Operator::New { is_array: new.length.is_some() };
        let element = self.element_of(ty.ty());
        let record = self.record_of(element).filter(|_| !new.is_global);
        let functions = self.allocators(record, operator);
        let text = super::function::operator_text(operator);
        if functions.is_empty() {
            let message = match placement.is_empty() {
                true => format!("'default{text}' is not supported in C++ for OpenCL (§2.1)"),
                false => "placement new needs a declaration of its 'operator new'".to_owned(),
            };
            let note = format!("declare 'operator{text}', as a member of the class or of the program");
            self.report(crate::diagnostic::Diagnostic::error(span, message).note(note));
            return None;
        }
        let size_type = self.checker.size_type();
        let one = self.constant(1, size_type, span);
        let bytes = self.bytes_of(one.clone(), ty.ty(), 0, span);
        let mut given: Vec<Given> =
            std::iter::once(Given::Value(Value::Expr(bytes))).chain(placement).collect();
        let resolved = self.resolve_overload(&functions, None, &given, None);
        let Resolved::One(id) = resolved else {
            let what = format!("function for call to 'operator{text}'");
            self.report_resolution(&what, &resolved, &functions, None, &given, span);
            self.note_error();
            return None;
        };
        self.check_call_access(id, record.map(Naming::of_object), span);
        let before = match length {
            Some(_) if !self.is_plain_placement(id) => self.bytes_before(ty.ty(), new.is_global),
            _ => 0,
        };
        if let Some(length) = length {
            let bytes = self.bytes_of(length.value.clone(), ty.ty(), before, span);
            given[0] = Given::Value(Value::Expr(bytes));
        }
        let value = self.call_function(id, None, given, span);
        let memory = self.rvalue(value, span);
        self.types.pointee(memory.ty).is_some().then_some((memory, before))
    }

    /// Whether a function is the placement form of the standard library, `operator new[](size_t, void *)`,
    /// which keeps no number of elements.
    fn is_plain_placement(&self, id: FnId) -> bool {
        let function = self.function(id);
        match function.params.as_slice() {
            [_, at] if function.class.is_none() => {
                self.types.pointee(at.ty.ty()).is_some_and(|(target, _)| self.types.is_void(target.ty))
            }
            _ => false,
        }
    }

    fn initial_value(&mut self, new: &New, ty: Type, space: AddressSpace, span: Span) -> Init {
        let outer = std::mem::replace(&mut self.target_space, space);
        let init = match &new.initializer {
            None => self.default_initialize(ty.plain(), span),
            Some(Initializer::Paren(arguments, _)) if arguments.is_empty() => {
                self.value_initialize(ty.plain(), span)
            }
            Some(initializer) => self.initialize(ty.plain(), initializer, span),
        };
        self.target_space = outer;
        init
    }

    pub(super) fn delete_expression(
        &mut self,
        is_global: bool,
        is_array: bool,
        operand: &Ast,
        span: Span,
    ) -> Value {
        self.refuse_in_constexpr("delete", span);
        let pointer = self.value(operand);
        if self.types.is_error(pointer.ty) {
            self.note_error();
            return self.error_value_of(span);
        }
        let target = self.types.pointee(pointer.ty).filter(|(target, _)| {
            !self.types.is_void(target.ty) && !matches!(self.types.kind(target.ty), TypeKind::Function { .. })
        });
        let Some((target, space)) = target else {
            let text = self.type_text(pointer.ty);
            self.error(span, format!("cannot delete expression of type '{text}'"));
            return self.error_value_of(span);
        };
        if !self.complete(target.ty, span, "deleted object") {
            return self.error_value_of(span);
        }
        let record = self.record_of(self.element_of(target.ty));
        let destructor = record.and_then(|record| self.destructor_of(record, span));
        let Some(release) = self.releaser(record.filter(|_| !is_global), is_array, span) else {
            return self.error_value_of(span);
        };
        if self.frames.is_empty() {
            // Not evaluated.
            return Value::Expr(self.nothing(span));
        }
        let (keep, kept) = self.kept(pointer);
        let mut calls = Vec::new();
        if is_array {
            self.delete_array(kept.clone(), target, (destructor, release), is_global, &mut calls);
        } else {
            if let Some(destructor) = destructor {
                let kind = PlaceKind::Deref(Box::new(kept.clone()));
                let place = Place { kind, ty: target.ty.into(), space, span };
                calls.extend(self.destruction(&Cleanup { place, destructor, span }));
            }
            let size_type = self.checker.size_type();
            let one = self.constant(1, size_type, span);
            let bytes = self.bytes_of(one, target.ty, 0, span);
            calls.push(self.release_call(release, kept.clone(), bytes, span));
        }
        let (bool, void) = (self.checker.bool(), self.types.void());
        let condition = Box::new(self.checker.convert(kept, Conversion::PointerToBool, bool));
        let then = Box::new(sequenced(calls).expect("a call"));
        let otherwise = Box::new(self.nothing(span));
        let choice = Expr { kind: Hir::Conditional { condition, then, otherwise }, ty: void, span };
        Value::Expr(Expr { kind: Hir::Comma(Box::new(keep), Box::new(choice)), ty: void, span })
    }

    /// The function that releases memory: one that takes a pointer alone, or else its size, too.
    fn usual_release(&mut self, record: Option<RecordId>, is_array: bool) -> Option<FnId> {
        let functions = self.allocators(record, Operator::Delete { is_array });
        let size_type = self.checker.size_type();
        let takes = |cxx: &Self, id: FnId, count: usize| {
            let params = &cxx.function(id).params;
            params.len() == count && params[1..].iter().all(|param| param.ty.ty() == size_type)
        };
        [1, 2].into_iter().find_map(|count| functions.iter().copied().find(|id| takes(self, *id, count)))
    }

    fn releaser(&mut self, record: Option<RecordId>, is_array: bool, span: Span) -> Option<FnId> {
        if let Some(id) = self.usual_release(record, is_array) {
            self.check_call_access(id, record.map(Naming::of_object), span);
            return Some(id);
        }
        let operator = Operator::Delete { is_array };
        let text = super::function::operator_text(operator);
        let message = match self.allocators(record, operator).is_empty() {
            true => format!("'default{text}' is not supported in C++ for OpenCL (§2.1)"),
            false => format!("no matching function for call to 'operator{text}'"),
        };
        self.error(span, message);
        None
    }

    fn release_call(&mut self, id: FnId, pointer: Expr, bytes: Expr, span: Span) -> Expr {
        let mut given = vec![Given::Value(Value::Expr(pointer))];
        if self.function(id).params.len() == 2 {
            given.push(Given::Value(Value::Expr(bytes)));
        }
        let value = self.call_function(id, None, given, span);
        self.discarded(value, span)
    }
}
