//! Questions about types that compilers answer (`__is_same` and so on), from which `<type_traits>` are made.

use super::Cxx;
use super::expression::{Given, Value};
use super::overload::Resolved;
use super::types::Type;
use crate::Span;
use crate::ast::Name;
use crate::cxx::ast::{ClassKey, TemplateArgument, TemplateArgumentKind};
use crate::hir::{Place, PlaceKind};
use crate::types::{ScalarKind, TypeKind};
use clvk_ir::AddressSpace;

impl Cxx<'_> {
    pub(super) fn type_trait(&mut self, name: Name, types: &[TemplateArgument], span: Span) -> Value {
        let text = self.owned(name.symbol);
        let mut list: Vec<Type> = Vec::new();
        for argument in types {
            let TemplateArgumentKind::Type(ty) = &argument.kind else { continue };
            match &argument.expansion {
                Some(names) => list.extend(self.expand(names, argument.span, |cxx| cxx.type_name(ty))),
                None => list.push(self.type_name(ty)),
            }
        }
        if list.iter().any(|ty| self.is_error_type(*ty)) {
            self.note_error();
            return self.error_value_of(span);
        }
        match self.trait_value(&text, &list, span) {
            Some(value) => Value::Expr(self.truth_value(value, span)),
            None => {
                self.error(span, format!("the type trait '{text}' does not take {} types", list.len()));
                self.error_value_of(span)
            }
        }
    }

    fn trait_value(&mut self, name: &str, list: &[Type], span: Span) -> Option<bool> {
        let first = *list.first()?;
        let ty = first.ty();
        let second = list.get(1).copied();
        for ty in list {
            if let Some(record) = self.record_of(ty.ty()) {
                self.require_complete(record, span);
            }
        }
        let record = self.record_of(ty);
        let scalar = |cxx: &Self| match cxx.types.kind(ty) {
            TypeKind::Scalar(kind) => Some(*kind),
            _ => None,
        };
        Some(match name {
            "__is_same" => first == second?,
            "__builtin_types_compatible_p" => first.ty() == second?.ty(),
            "__is_base_of" => match (record, self.record_of(second?.ty())) {
                (Some(base), Some(derived)) => self.base_offset(derived, base).is_some(),
                _ => false,
            },
            "__is_class" => record.is_some_and(|record| self.class(record).key != ClassKey::Union),
            "__is_union" => record.is_some_and(|record| self.class(record).key == ClassKey::Union),
            "__is_enum" => matches!(self.types.kind(ty), TypeKind::Enum(_)),
            "__is_empty" => record.is_some_and(|record| self.class(record).data_size == 0),
            "__is_pod" | "__is_trivial" => {
                self.is_trivially_copyable(ty)
                    && record.is_none_or(|record| self.class(record).implicit.is_trivially_default)
            }
            "__is_trivially_copyable" => self.is_trivially_copyable(ty),
            "__is_standard_layout" => record.is_none_or(|record| self.is_standard_layout(record)),
            "__is_aggregate" => {
                matches!(self.types.kind(ty), TypeKind::Array { .. })
                    || record.is_some_and(|record| self.is_aggregate(record))
            }
            "__is_literal_type" => self.is_trivially_destructible(ty),
            "__is_polymorphic" | "__is_abstract" | "__is_final" => false,
            "__is_constructible" => self.is_constructible(first, &list[1..], span),
            "__is_trivially_constructible" => {
                self.is_constructible(first, &list[1..], span) && self.is_trivially_copyable(ty)
            }
            "__is_assignable" => self.is_assignable(first, second?, span),
            "__is_trivially_assignable" => {
                let target = self.without_reference(first).ty();
                self.is_assignable(first, second?, span) && self.is_trivially_copyable(target)
            }
            "__is_convertible" | "__is_convertible_to" => self.is_convertible(first, second?, span),
            "__is_trivially_destructible" | "__has_trivial_destructor" => self.is_trivially_destructible(ty),
            "__is_destructible" => record
                .and_then(|record| self.class(record).destructor)
                .is_none_or(|id| !self.function(id).is_deleted),
            "__is_integral" => scalar(self).is_some_and(ScalarKind::is_integer),
            "__is_floating_point" => scalar(self).is_some_and(ScalarKind::is_float),
            "__is_arithmetic" => scalar(self).is_some(),
            "__is_signed" => scalar(self).is_some_and(|kind| kind.is_signed() || kind.is_float()),
            "__is_unsigned" => scalar(self).is_some_and(|kind| kind.is_integer() && !kind.is_signed()),
            "__is_pointer" => self.types.pointee(ty).is_some(),
            "__is_reference" => self.reference(ty).is_some(),
            "__is_lvalue_reference" => self.reference(ty).is_some_and(|reference| !reference.is_rvalue),
            "__is_rvalue_reference" => self.reference(ty).is_some_and(|reference| reference.is_rvalue),
            "__is_array" => matches!(self.types.kind(ty), TypeKind::Array { .. }),
            "__is_function" => matches!(self.types.kind(ty), TypeKind::Function { .. }),
            "__is_void" => self.types.is_void(ty),
            "__is_const" => first.q.qualifiers.is_const,
            "__is_volatile" => first.q.qualifiers.is_volatile,
            _ => return None,
        })
    }

    /// A value of a type as `declval` gives it.
    fn declared_value_of(&mut self, ty: Type, span: Span) -> Value {
        let (q, space, is_lvalue) = match self.reference(ty.ty()) {
            Some(reference) => (reference.target, reference.space, !reference.is_rvalue),
            None => (ty.q, AddressSpace::Private, false),
        };
        let pointer = self.types.pointer(q, space);
        let address = self.constant(0, pointer, span);
        let place = Place { kind: PlaceKind::Deref(Box::new(address)), ty: q, space, span };
        if is_lvalue { Value::Place(place) } else { Value::Moved(place) }
    }

    fn is_constructible(&mut self, ty: Type, from: &[Type], span: Span) -> bool {
        let given: Vec<Given> =
            from.iter().map(|ty| Given::Value(self.declared_value_of(*ty, span))).collect();
        if let Some(record) = self.record_of(ty.ty()) {
            let constructors = self.class(record).constructors.clone();
            return match self.resolve_overload(&constructors, None, &given, None) {
                Resolved::One(id) => {
                    !self.function(id).is_deleted && self.may_access(record, self.function(id).access)
                }
                _ => false,
            };
        }
        match given.as_slice() {
            [] => self.reference(ty.ty()).is_none() && !self.types.is_void(ty.ty()),
            [one] => {
                let one = one.clone();
                self.sequence(&one, ty, true).is_some()
                    || self.attempt(|cxx| match one {
                        Given::Value(value) => cxx.explicit_conversion(value, ty.ty(), span).is_some(),
                        Given::List(_) => false,
                    }) == Some(true)
            }
            _ => false,
        }
    }

    fn is_assignable(&mut self, to: Type, from: Type, span: Span) -> bool {
        let (target, value) = (self.declared_value_of(to, span), self.declared_value_of(from, span));
        self.in_initializer(|cxx| {
            cxx.attempt(|cxx| {
                let result = cxx.assignment_of(None, target, Given::Value(value), span);
                !cxx.is_error(&result)
            }) == Some(true)
        })
    }

    fn is_convertible(&mut self, from: Type, to: Type, span: Span) -> bool {
        if self.types.is_void(to.ty()) {
            return self.types.is_void(from.ty());
        }
        let value = self.declared_value_of(from, span);
        self.sequence(&Given::Value(value), to, true).is_some()
    }
}
