//! Objects and vectors that are made explicitly ([expr.type.conv]), and compound literals.

use crate::Span;
use crate::check::cxx::Cxx;
use crate::check::cxx::expression::{Given, Value};
use crate::check::cxx::initialize::Init;
use crate::check::cxx::types::Type;
use crate::cxx::ast::{InitClause, InitList, Initializer, TypeName};
use crate::hir::{Conversion, Expr};
use crate::types::{ScalarKind, TypeId, TypeKind};

impl Cxx<'_> {
    /// `T(a, b)` and `T{a, b}` ([expr.type.conv]).
    pub(in crate::check::cxx) fn construct(
        &mut self,
        name: &TypeName,
        initializer: &Initializer,
        span: Span,
    ) -> Value {
        let ty = match self.deduced_class(name, initializer, span) {
            Some(ty) => ty,
            None => self.type_name(name),
        };
        if self.is_error_type(ty) {
            self.note_error();
            return self.error_value_of(span);
        }
        match initializer {
            Initializer::Paren(arguments, _) => {
                let Some(given) = self.given(arguments) else { return self.error_value_of(span) };
                self.construct_of(ty, given, span)
            }
            Initializer::List(list) => self.construct_list(ty, list, span),
            Initializer::Copy(_) => self.error_value_of(span),
        }
    }

    pub(in crate::check::cxx) fn construct_of(
        &mut self,
        ty: Type,
        mut given: Vec<Given>,
        span: Span,
    ) -> Value {
        if matches!(self.types.kind(ty.ty()), TypeKind::Auto) {
            self.error(span, "'auto' in a functional cast needs C++23");
            return self.error_value_of(span);
        }
        if given.len() == 1 {
            let one = given.pop().expect("one");
            return match one {
                Given::Value(value) => self.explicit_cast(value, ty, span),
                Given::List(list) => {
                    let init = self.list_initialize(ty.plain(), &list, false);
                    self.value_of_initializer(ty.ty(), init, span)
                }
            };
        }
        if given.is_empty() {
            return self.value_initialized(ty, span);
        }
        if let Some((kind, lanes)) = self.types.as_vector(ty.ty())
            && self.options.is_opencl_cxx()
        {
            return self.vector_of_given(kind, lanes, given, span);
        }
        if self.types.as_vector(ty.ty()).is_some() {
            let text = self.text_of(ty);
            let message = format!("a vector of several values is written '({text})(…)' in C++ for OpenCL");
            self.error(span, message);
            return self.error_value_of(span);
        }
        if self.record_of(ty.ty()).is_none() {
            let text = self.text_of(ty);
            self.error(span, format!("excess elements in initialization of scalar type '{text}'"));
            return self.error_value_of(span);
        }
        let init = self.direct_initialize(ty.plain(), given, span);
        self.value_of_initializer(ty.ty(), init, span)
    }

    fn construct_list(&mut self, ty: Type, list: &InitList, span: Span) -> Value {
        if let Some(reference) = self.reference(ty.ty()) {
            let address = self.bind_reference(Given::List(list.clone()), reference, span, "cast");
            return self.place_at(address, reference, span);
        }
        let init = self.list_initialize(ty.plain(), list, false);
        self.value_of_initializer(ty.ty(), init, span)
    }

    /// `T()`: zero, or what the default constructor makes.
    pub(super) fn value_initialized(&mut self, ty: Type, span: Span) -> Value {
        if self.types.is_void(ty.ty()) {
            let int = self.checker.int();
            let zero = self.constant(0, int, span);
            return Value::Expr(self.checker.convert(zero, Conversion::Discard, ty.ty()));
        }
        if self.reference(ty.ty()).is_some() || matches!(self.types.kind(ty.ty()), TypeKind::Array { .. }) {
            let text = self.text_of(ty);
            self.error(span, format!("a value of type '{text}' needs an initializer"));
            return self.error_value_of(span);
        }
        let init = self.value_initialize(ty.plain(), span);
        self.value_of_initializer(ty.ty(), init, span)
    }

    /// What an initialiser gives as an expression.
    pub(super) fn value_of_initializer(&mut self, ty: TypeId, init: Init, span: Span) -> Value {
        match init {
            Init::Class(prvalue) => Value::Class(Box::new(prvalue)),
            Init::Error | Init::None => {
                self.note_error();
                self.error_value_of(span)
            }
            Init::Value(expr) => Value::Expr(Expr { span, ..expr }),
            init => {
                if self.types.as_arithmetic(ty).is_some() && matches!(init, Init::Zero) {
                    return Value::Expr(self.checker.zero(ty, span));
                }
                if matches!(init, Init::Zero)
                    && self.record_of(ty).is_none()
                    && !matches!(self.types.kind(ty), TypeKind::Array { .. })
                {
                    let bits = if matches!(self.types.kind(ty), TypeKind::MemberPointer { .. }) {
                        u64::MAX
                    } else {
                        0
                    };
                    return Value::Expr(self.constant(bits, ty, span));
                }
                let place = self.temporary_of(ty, init, span);
                Value::Moved(place)
            }
        }
    }

    /// `(float4)(a, b)`, or a cast of a comma expression.
    pub(in crate::check::cxx) fn vector_literal(
        &mut self,
        name: &TypeName,
        elements: &[InitClause],
        span: Span,
    ) -> Value {
        let ty = self.type_name(name);
        if self.is_error_type(ty) {
            self.note_error();
            return self.error_value_of(span);
        }
        let Some(given) = self.given(elements) else { return self.error_value_of(span) };
        if let Some((kind, lanes)) = self.types.as_vector(ty.ty()) {
            if let [Given::Value(only)] = given.as_slice() {
                return self.explicit_cast(only.clone(), ty, span);
            }
            return self.vector_of_given(kind, lanes, given, span);
        }
        // The value of a comma expression.
        let mut list = given.into_iter();
        let Some(Given::Value(mut result)) = list.next() else {
            self.error(span, "expected expression");
            return self.error_value_of(span);
        };
        for next in list {
            let Given::Value(next) = next else {
                self.error(span, "expected expression");
                return self.error_value_of(span);
            };
            let first = self.discarded(result, span);
            result = self.sequence_value(first, next, span);
        }
        self.explicit_cast(result, ty, span)
    }

    /// A vector of parts.
    pub(in crate::check::cxx) fn vector_of_given(
        &mut self,
        kind: ScalarKind,
        lanes: u32,
        given: Vec<Given>,
        span: Span,
    ) -> Value {
        let mut values = Vec::new();
        for given in given {
            let value = match given {
                Given::Value(value) => value,
                Given::List(list) => {
                    let element = self.scalar_type(kind);
                    let init = self.list_initialize(element, &list, true);
                    self.value_of_initializer(element.ty(), init, list.span)
                }
            };
            let at = value.span();
            let value = match self.record_of(value.ty()) {
                Some(_) => {
                    let element = self.types.scalar(kind);
                    Value::Expr(self.implicit(value, element, at, "element of type"))
                }
                None => value,
            };
            let expr = self.rvalue(value, at);
            if self.types.is_error(expr.ty) {
                self.note_error();
                return self.error_value_of(span);
            }
            values.push(expr);
        }
        // One value is that of all lanes (OpenCL C++ §2.1.2).
        if let [only] = values.as_slice()
            && self.options.is_opencl_cxx()
            && self.types.as_scalar(only.ty).is_some()
        {
            let vector = self.types.vector(kind, lanes);
            return self.explicit_cast(Value::Expr(only.clone()), Type::of(vector), span);
        }
        Value::Expr(self.checker.vector_of(kind, lanes, values, span))
    }

    /// `(T){ … }`: an object.
    pub(in crate::check::cxx) fn compound_literal(
        &mut self,
        name: &TypeName,
        list: &InitList,
        span: Span,
    ) -> Value {
        let ty = self.type_name(name);
        if self.is_error_type(ty) {
            self.note_error();
            return self.error_value_of(span);
        }
        if self.types.as_vector(ty.ty()).is_some() {
            let init = self.list_initialize(ty.plain(), list, false);
            return self.value_of_initializer(ty.ty(), init, span);
        }
        let (ty, init) = self.list_of_array(ty, list);
        match init {
            Init::Class(prvalue) => Value::Class(Box::new(prvalue)),
            Init::Error => {
                self.note_error();
                self.error_value_of(span)
            }
            init => {
                let place = self.temporary_of(ty.ty(), init, span);
                Value::Place(place)
            }
        }
    }
}
