//! Variables of type `sampler_t` (OpenCL C §6.13.14.1).

use super::scope::Entity;
use super::{Cxx, VarId};
use crate::ast::Name;
use crate::cxx::ast::Initializer;
use crate::hir::{Constant, ExprKind};
use crate::types::TypeKind;

impl Cxx<'_> {
    /// A sampler that the program declares: its name is its value.
    pub(super) fn sampler_variable(
        &mut self,
        name: Name,
        initializer: Option<&Initializer>,
    ) -> Option<VarId> {
        let span = name.span;
        let ty = self.types.intern(TypeKind::Sampler);
        let Some(expr) = initializer.and_then(super::initialize::single) else {
            self.error(span, "a sampler variable must be initialized with one integer");
            self.declare(name, Entity::Error);
            return None;
        };
        let value = self.in_initializer(|cxx| cxx.value(expr));
        if matches!(self.types.kind(value.ty), TypeKind::Sampler) {
            if let ExprKind::Constant(Constant::Bits(word)) = value.kind {
                self.declare(name, Entity::Sampler(word as u32, ty));
                return None;
            }
            self.error(span, "a sampler must be initialized with a compile-time constant");
            self.declare(name, Entity::Error);
            return None;
        }
        let Some(word) = self.constant_of(expr, "a sampler's value") else {
            self.declare(name, Entity::Error);
            return None;
        };
        let int = self.checker.int();
        let word = self.constant(word as u64, int, span);
        let sampler = self.checker.sampler_of_integer(&word);
        match sampler.kind {
            ExprKind::Constant(Constant::Bits(word)) if !self.types.is_error(sampler.ty) => {
                self.declare(name, Entity::Sampler(word as u32, ty));
            }
            _ => self.declare(name, Entity::Error),
        }
        None
    }
}
