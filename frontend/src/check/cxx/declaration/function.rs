//! Types of functions, and functions that are declared by the name of such a type ([dcl.fct]).

use crate::check::cxx::Cxx;
use crate::check::cxx::scope::{Entity, ScopeKind};
use crate::check::cxx::types::Type;
use crate::cxx::ast::{
    Declarator, Derived, FunctionDecl, FunctionSuffix, InitDeclarator, Param, Qualifiers, Specifiers,
    TypeSpecifier,
};
use crate::types::{MethodQualifiers, TypeId, TypeKind};
use std::rc::Rc;

impl Cxx<'_> {
    pub(in crate::check::cxx) fn function_type(&mut self, result: Type, suffix: &FunctionSuffix) -> Type {
        let result = match &suffix.trailing {
            Some(trailing) => self.type_name(trailing),
            None => result,
        };
        let scope = self.new_scope(self.scope, ScopeKind::Block);
        let params = self.in_scope(scope, |cxx| {
            let types = cxx.parameter_types(&suffix.params);
            types.into_iter().map(|(ty, _)| ty.ty()).collect()
        });
        let method = MethodQualifiers {
            is_const: suffix.qualifiers.is_const,
            is_volatile: suffix.qualifiers.is_volatile,
            space: suffix.qualifiers.spaces.last().map(|(space, _)| *space),
            reference: suffix.reference,
        };
        let variadic = suffix.variadic.is_some();
        Type::of(self.types.intern(TypeKind::Function { result: result.ty(), params, variadic, method }))
    }

    /// The declaration of a function as it is written without a name for its type. `None` if a declarator
    /// declares something else.
    pub(in crate::check::cxx) fn declares_function(
        &mut self,
        specifiers: &Specifiers,
        item: &InitDeclarator,
        ty: Type,
    ) -> Option<Rc<FunctionDecl>> {
        let TypeKind::Function { result, params, variadic, method } = self.types.kind(ty.ty()).clone() else {
            return None;
        };
        let span = item.declarator.span;
        if self.is_dependent_alias(specifiers, ty) {
            self.error(span, "declared with a function type that depends on a template parameter");
        }
        if item.initializer.is_some() {
            self.error(span, "illegal initializer (only variables can be initialized)");
        }
        let known = |ty: TypeId| Specifiers::of(TypeSpecifier::Known(ty), specifiers.ty_span);
        let declarator =
            Declarator { name: None, pack: None, derived: Vec::new(), attributes: Vec::new(), span };
        let param = |ty: TypeId| Param {
            specifiers: known(ty),
            declarator: declarator.clone(),
            default: None,
            expansion: None,
            span,
        };
        let suffix = FunctionSuffix {
            params: params.into_iter().map(param).collect(),
            variadic: variadic.then_some(span),
            qualifiers: Qualifiers {
                is_const: method.is_const,
                is_volatile: method.is_volatile,
                spaces: method.space.map(|space| (space, span)).into_iter().collect(),
                ..Qualifiers::default()
            },
            reference: method.reference,
            trailing: None,
            throws: None,
            noexcept: None,
        };
        let written = Specifiers {
            ty: TypeSpecifier::Known(result),
            qualifiers: Qualifiers::default(),
            ..specifiers.clone()
        };
        Some(Rc::new(FunctionDecl {
            specifiers: Rc::new(written),
            declarator: Declarator {
                derived: vec![Derived::Function(Rc::new(suffix))],
                ..item.declarator.clone()
            },
            body: None,
            virtual_specifier: None,
            pure: None,
        }))
    }

    /// Whether a type comes by a name from the arguments of a template ([temp.arg.type]/3).
    fn is_dependent_alias(&mut self, specifiers: &Specifiers, ty: Type) -> bool {
        let TypeSpecifier::Named(name) = &specifiers.ty else { return false };
        let Some(plain) = name.plain().filter(|_| self.in_instance()) else { return false };
        let around = self.enclosing_namespace(self.scope);
        let found = self.in_scope(around, |cxx| cxx.find(plain.symbol));
        !found.is_some_and(|found| matches!(found.entity, Entity::Type(it) if it.ty() == ty.ty()))
    }
}
