//! Sampler variables (OpenCL C §6.15.15.1).
//!
//! A sampler that the program declares is a constant: every use of its name is replaced by its properties,
//! and nothing is stored. A sampler variable in a function may also be an alias of a parameter.

use super::Checker;
use super::conversion::Purpose;
use super::declaration::Target;
use super::scope::{Entity, Storage, Variable};
use crate::ast;
use crate::hir::{Constant, Expr, ExprKind, PlaceKind};
use crate::types::TypeKind;
use clvk_ir::{AddressSpace, SamplerWord};

impl Checker<'_> {
    /// The meaning of the name of a sampler variable; errors are reported.
    pub(super) fn sampler_variable(&mut self, target: &Target) -> Entity {
        let span = target.name.span;
        let declared = target.declared;
        // After an error any sampler does.
        let wrong = Entity::Sampler(0, declared.ty.ty);
        if !matches!(declared.space, None | Some(AddressSpace::Constant | AddressSpace::Private)) {
            self.error(span, "a sampler cannot be declared in the global, local or generic address space");
            return wrong;
        }
        let is_constant = declared.space == Some(AddressSpace::Constant) || declared.ty.qualifiers.is_const;
        if self.at_file_scope() && !is_constant {
            self.error(span, "a sampler at program scope must be declared 'const' or '__constant'");
            return wrong;
        }
        let Some(initializer) = target.initializer else {
            self.error(span, "a sampler variable must be initialized");
            return wrong;
        };
        let Some(expr) = single_expression(initializer) else {
            self.initializer_for_errors(Some(initializer));
            self.error(span, "a sampler must be initialized with one integer");
            return wrong;
        };
        let value = self.value(expr);
        self.sampler_entity(value, target)
    }

    fn sampler_entity(&mut self, value: Expr, target: &Target) -> Entity {
        let ty = target.declared.ty;
        if self.types.is_error(value.ty) {
            return Entity::Sampler(0, ty.ty);
        }
        if let (TypeKind::Sampler, ExprKind::Load(place)) = (self.types.kind(value.ty), &value.kind)
            && let PlaceKind::Local(id) = place.kind
        {
            return Entity::Variable(Variable {
                storage: Storage::Local(id, self.outer.len()),
                ty,
                space: AddressSpace::Private,
            });
        }
        let sampler = self.assign_to(value, ty.ty, Purpose::Initializing);
        match sampler.kind {
            ExprKind::Constant(Constant::Bits(word)) if !self.types.is_error(sampler.ty) => {
                Entity::Sampler(word as u32, ty.ty)
            }
            _ => Entity::Sampler(0, ty.ty),
        }
    }

    /// An integer as a sampler: its properties, which must be constant.
    pub(super) fn sampler_of_integer(&mut self, value: &Expr) -> Expr {
        let span = value.span;
        let Some(word) = self.integer_of(value) else {
            self.error(span, "a sampler must be initialized with a compile-time constant");
            return self.error_value(span);
        };
        let Some(sampler) = u32::try_from(word).ok().and_then(SamplerWord::new) else {
            self.error(span, format!("{word:#x} is not a valid combination of sampler properties"));
            return self.error_value(span);
        };
        let kind = ExprKind::Constant(Constant::Bits(u64::from(sampler.bits())));
        Expr { kind, ty: self.types.intern(TypeKind::Sampler), span }
    }
}

/// The expression that an initialiser consists of, in braces or not.
fn single_expression(initializer: &ast::Initializer) -> Option<&ast::Expr> {
    match initializer {
        ast::Initializer::Expr(expr) => Some(expr),
        ast::Initializer::List(_) => None,
    }
}
