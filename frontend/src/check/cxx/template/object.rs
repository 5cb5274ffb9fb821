//! Arguments for parameters that are references ([temp.arg.nontype]): objects of the program.

use super::Argument;
use crate::Span;
use crate::ast::Name;
use crate::check::cxx::Cxx;
use crate::check::cxx::expression::Value;
use crate::check::cxx::scope::{Entity, Storage, Variable};
use crate::check::cxx::types::Type;
use crate::cxx::ast::{Declarator, Derived, Expr as Ast, ExprKind, Specifiers, TypeSpecifier};
use crate::hir::{Expr, GlobalId, Place, PlaceKind};
use crate::types::{TypeId, TypeKind};
use clvk_ir::AddressSpace;

/// What an argument designates, if it is an object.
#[derive(Debug)]
pub(super) struct Designated {
    place: Place,
    is_in_parentheses: bool,
}

impl Designated {
    pub fn of(expr: &Ast, value: &Value) -> Option<Designated> {
        let Value::Place(place) = value else { return None };
        let is_in_parentheses = matches!(expr.kind, ExprKind::Paren(_));
        Some(Designated { place: place.clone(), is_in_parentheses })
    }
}

impl Cxx<'_> {
    /// The type of a parameter that is a reference, as written; `decltype(auto)` is one for an object in
    /// parentheses.
    pub(super) fn reference_type(
        &mut self,
        specifiers: &Specifiers,
        ty: Type,
        designated: Option<&Designated>,
    ) -> Option<Type> {
        match (&specifiers.ty, designated) {
            (TypeSpecifier::DecltypeAuto, Some(object)) if object.is_in_parentheses => {
                let auto = Type::of(self.types.intern(TypeKind::Auto));
                Some(self.reference_to(auto, false))
            }
            _ => self.reference(ty.ty()).map(|_| ty),
        }
    }

    /// Parameters refer to lvalues, and never to functions.
    pub(super) fn check_reference_parameter(&mut self, declarator: &Declarator, span: Span) {
        let message = match declarator.derived.as_slice() {
            [Derived::Reference { .. }, Derived::Function(_), ..] => {
                "references to functions are not allowed (C++ for OpenCL §2.1)"
            }
            [Derived::Reference { is_rvalue: true, .. }, ..] => {
                "a non-type template parameter cannot be an rvalue reference"
            }
            _ => return,
        };
        self.error(span, message);
    }

    /// An object of the program as the argument of a parameter of a reference type.
    pub(super) fn object_argument(
        &mut self,
        ty: Type,
        designated: Option<Designated>,
        span: Span,
    ) -> Option<Argument> {
        let place = designated.map(|designated| designated.place);
        let Some(Place { kind: PlaceKind::Global(global), .. }) = place else {
            let message = "non-type template argument does not refer to an object of the program";
            self.error(span, message);
            return None;
        };
        let place = place?;
        let ty = match self.has_auto(ty.ty()) {
            true => self.deduce_auto(ty, &Value::Place(place.clone()), span)?,
            false => ty,
        };
        let reference = self.reference(ty.ty())?;
        let space_fits = reference.space == place.space
            || reference.space == AddressSpace::Generic && place.space != AddressSpace::Constant;
        if reference.target.ty != place.ty.ty
            || !place.ty.qualifiers.fits_in(reference.target.qualifiers)
            || !space_fits
        {
            let from = self.text_of(Type { q: place.ty, space: Some(place.space) });
            let to = self.text_of(ty);
            let message =
                format!("template argument of type '{from}' does not bind to a parameter of type '{to}'");
            self.error(span, message);
            return None;
        }
        Some(Argument::Object(global, ty.ty(), place.space))
    }

    /// The address of an object of the program. Only qualifiers may be added to what it points to.
    pub(super) fn address_argument(
        &mut self,
        (global, space): (GlobalId, AddressSpace),
        value: &Expr,
        target: TypeId,
        span: Span,
    ) -> Option<Argument> {
        let fits = match (self.types.pointee(value.ty), self.types.pointee(target)) {
            (Some((from, _)), Some((to, to_space))) => {
                from.ty == to.ty && from.qualifiers.fits_in(to.qualifiers) && to_space == space
            }
            _ => false,
        };
        if !fits {
            let (from, to) = (self.type_text(value.ty), self.type_text(target));
            let message = format!("value of type '{from}' is not implicitly convertible to '{to}'");
            self.error(span, message);
            return None;
        }
        Some(Argument::Object(global, target, space))
    }

    /// What the name of a parameter with this argument means.
    pub(in crate::check::cxx) fn argument_entity(&mut self, argument: &Argument, name: Name) -> Entity {
        match *argument {
            Argument::Object(global, ty, space) if self.reference(ty).is_some() => {
                self.checker.used_globals.insert(global);
                self.reference_variable(name, ty, Some((PlaceKind::Global(global), space)))
            }
            // Represents one where templates are compared.
            Argument::Value(_, ty) if self.reference(ty).is_some() => self.reference_variable(name, ty, None),
            _ => argument.entity(),
        }
    }

    fn reference_variable(
        &mut self,
        name: Name,
        ty: TypeId,
        object: Option<(PlaceKind, AddressSpace)>,
    ) -> Entity {
        let referred = self.reference(ty).expect("a reference").target;
        let target = object.map(|(kind, space)| Place { kind, ty: referred, space, span: name.span });
        let variable = Variable {
            name: name.symbol,
            ty: Type::of(ty),
            space: AddressSpace::Private,
            storage: Storage::None,
            constant: None,
            target,
            is_constexpr: false,
            span: name.span,
        };
        Entity::Variable(self.add_variable(variable))
    }
}
