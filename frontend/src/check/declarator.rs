//! Derived types: pointers, arrays, functions (C99 §6.7.5), and type names.

use super::{Checker, TYPE_NESTING};
use crate::Span;
use crate::ast::{self, Declarator, Derived, Parameters, TypeName};
use crate::types::{MethodQualifiers, QualifiedType, TypeId, TypeKind};
use clvk_ir::AddressSpace;

/// A type with the declared address space.
#[derive(Clone, Copy, Debug)]
pub(super) struct Declared {
    /// Type.
    pub ty: QualifiedType,
    /// Address space of the object, if written.
    pub space: Option<AddressSpace>,
    /// Least alignment of objects, if a `typedef` raises it; 1 otherwise.
    pub align: u32,
}

impl Declared {
    pub(super) fn of(ty: TypeId) -> Self {
        Declared { ty: ty.into(), space: None, align: 1 }
    }
}

impl Checker<'_> {
    /// The type that a declarator derives from a base type.
    pub(super) fn declarator_type(&mut self, base: Declared, declarator: &Declarator) -> Declared {
        self.derive(base, &declarator.derived, declarator.span)
    }

    /// Applies the parts of a declarator, beginning with the last.
    pub(super) fn derive(&mut self, base: Declared, derived: &[Derived], span: Span) -> Declared {
        let mut declared = base;
        for part in derived.iter().rev() {
            declared = match part {
                Derived::Pointer(qualifiers, at) => {
                    let pointer = self.pointer_to(declared, *at);
                    self.qualify(Declared::of(pointer), qualifiers)
                }
                Derived::BlockPointer(_, at) => {
                    let block = self.block_type(declared.ty.ty, *at);
                    Declared::of(block)
                }
                Derived::Array { size, span: at, .. } => {
                    let length = match size {
                        Some(size) => match self.array_length(size) {
                            Some(length) => Some(length),
                            None => return Declared::of(self.types.error()),
                        },
                        None => None,
                    };
                    Declared { ty: self.array_of(declared.ty, length, *at), ..declared }
                }
                Derived::Function(parameters) => self.function_type(declared, parameters),
            };
            if self.types.nesting(declared.ty.ty) > TYPE_NESTING {
                self.error(span, format!("the type is nested more than {TYPE_NESTING} levels deep"));
                return Declared::of(self.types.error());
            }
        }
        declared
    }

    fn pointer_to(&mut self, target: Declared, span: Span) -> TypeId {
        match self.types.kind(target.ty.ty) {
            TypeKind::Error => return self.types.error(),
            TypeKind::Function { .. } => {
                self.error(span, "pointers to functions are not allowed");
                return self.types.error();
            }
            _ if self.types.is_parameter_only(target.ty.ty)
                || self.types.holds_matrices(target.ty.ty)
                || self.is_block(target.ty.ty) =>
            {
                let text = self.type_text(target.ty.ty);
                self.error(span, format!("pointer to type '{text}' is invalid in OpenCL"));
                return self.types.error();
            }
            _ => {}
        }
        let default = if self.has_generic() { AddressSpace::Generic } else { AddressSpace::Private };
        let space = target.space.unwrap_or(default);
        self.types.pointer(target.ty, space)
    }

    /// The length that an array declarator gives.
    fn array_length(&mut self, size: &ast::Expr) -> Option<u64> {
        let value = self.value(size);
        if self.types.is_error(value.ty) {
            return None;
        }
        match self.integer_of(&value) {
            Some(length) if length < 0 => {
                self.error(size.span, "an array is declared with a negative size");
                None
            }
            Some(length) => Some(u64::try_from(length).unwrap_or(u64::MAX)),
            None if self.types.as_scalar(value.ty).is_some_and(|kind| kind.is_integer()) => {
                self.error(size.span, "variable length arrays are not supported in OpenCL");
                None
            }
            None => {
                let ty = self.type_text(value.ty);
                self.error(size.span, format!("size of array has non-integer type '{ty}'"));
                None
            }
        }
    }

    fn array_of(&mut self, element: QualifiedType, length: Option<u64>, span: Span) -> QualifiedType {
        let text = self.type_text(element.ty);
        let refused = match self.types.kind(element.ty) {
            TypeKind::Error => return self.types.error().into(),
            TypeKind::Void | TypeKind::Function { .. } | TypeKind::Array { length: None, .. } => {
                Some(format!("array has incomplete or invalid element type '{text}'"))
            }
            _ if self.types.is_parameter_only(element.ty) || self.is_block(element.ty) => {
                Some(format!("array of '{text}' type is invalid in OpenCL"))
            }
            _ if self.types.layout(element.ty).is_none() => {
                Some(format!("array has incomplete element type '{text}'"))
            }
            _ => None,
        };
        if let Some(message) = refused {
            self.error(span, message);
            return self.types.error().into();
        }
        let array = self.types.array(element, length);
        if length.is_some() && self.types.layout(array).is_none_or(|(size, _)| size > i64::MAX as u64) {
            self.error(span, "array is too large");
            return self.types.error().into();
        }
        array.into()
    }

    fn function_type(&mut self, result: Declared, parameters: &Parameters) -> Declared {
        if let Some(span) = parameters.variadic {
            self.error(span, "invalid prototype, variadic arguments are not allowed in OpenCL");
        }
        self.enter_scope();
        let params = parameters.params.iter().map(|param| self.parameter_type(param).ty.ty).collect();
        self.leave_scope();
        if matches!(self.types.kind(result.ty.ty), TypeKind::Array { .. } | TypeKind::Function { .. }) {
            let text = self.type_text(result.ty.ty);
            self.error(parameters.span, format!("function cannot return array or function type '{text}'"));
            return Declared::of(self.types.error());
        }
        let method = MethodQualifiers::default();
        let function = TypeKind::Function { result: result.ty.ty, params, variadic: false, method };
        Declared::of(self.types.intern(function))
    }

    /// The type of a parameter: arrays are pointers (C99 §6.7.5.3).
    pub(super) fn parameter_type(&mut self, param: &ast::Parameter) -> Declared {
        for (_, span) in &param.specifiers.storage {
            self.error(*span, "a parameter cannot have a storage class");
        }
        if let Some(span) = param.specifiers.is_kernel {
            self.error(span, "'__kernel' can only be applied to functions");
        }
        self.refuse_attributes_of_types(&param.specifiers.attributes);
        self.refuse_attributes_of_types(&param.declarator.attributes);
        let base = self.specifiers(&param.specifiers);
        let declared = match param.declarator.derived.split_first() {
            Some((Derived::Array { qualifiers, size, .. }, rest)) => {
                let element = self.derive(base, rest, param.span);
                if let Some(size) = size {
                    self.array_length(size);
                }
                if matches!(self.types.kind(element.ty.ty), TypeKind::Array { length: None, .. }) {
                    let text = self.type_text(element.ty.ty);
                    self.error(param.span, format!("array has incomplete element type '{text}'"));
                    return Declared::of(self.types.error());
                }
                let pointer = self.pointer_to(element, param.span);
                self.qualify(Declared::of(pointer), qualifiers)
            }
            _ => self.declarator_type(base, &param.declarator),
        };
        self.decayed_parameter(declared, param.span)
    }

    fn decayed_parameter(&mut self, declared: Declared, span: Span) -> Declared {
        match *self.types.kind(declared.ty.ty) {
            // An array through a typedef.
            TypeKind::Array { element, .. } => {
                let pointer = self.pointer_to(Declared { ty: element, ..declared }, span);
                Declared::of(pointer)
            }
            TypeKind::Function { .. } => {
                self.error(span, "pointers to functions are not allowed");
                Declared::of(self.types.error())
            }
            TypeKind::Void => {
                self.error(span, "argument may not have 'void' type");
                Declared::of(self.types.error())
            }
            TypeKind::Error => declared,
            TypeKind::Block { .. } => {
                let text = self.type_text(declared.ty.ty);
                let message = format!("declaring function parameter of type '{text}' is not allowed");
                let note = "a block cannot be a parameter of a function (OpenCL C §6.14.5)";
                self.report(crate::diagnostic::Diagnostic::error(span, message).note(note));
                Declared::of(self.types.error())
            }
            _ => {
                if let Some(space) = declared.space.filter(|space| *space != AddressSpace::Private) {
                    let space = super::spelling::space_text(space);
                    self.error(
                        span,
                        format!("parameter may not be qualified with an address space ('{space}')"),
                    );
                }
                self.refuse_storage_only_half(declared.ty.ty, span, "parameter");
                Declared { space: None, ..declared }
            }
        }
    }

    /// Reports `half` where only pointers to it are allowed.
    pub(super) fn refuse_storage_only_half(&mut self, ty: TypeId, span: Span, what: &str) -> bool {
        let refused = self.is_storage_only_half(ty);
        if refused {
            let text = self.type_text(ty);
            self.error(span, format!("declaring {what} of type '{text}' is not allowed without cl_khr_fp16"));
        }
        refused
    }

    /// Reports a type that variables, members and parameters of defined functions must not have.
    pub(super) fn check_object_type(&mut self, ty: TypeId, span: Span, what: &str) -> bool {
        !self.types.is_error(ty)
            && !self.refuse_storage_only_half(ty, span, what)
            && self.check_complete(ty, span, what)
    }

    /// Reports an incomplete type.
    pub(super) fn check_complete(&mut self, ty: TypeId, span: Span, what: &str) -> bool {
        let text = self.type_text(ty);
        if self.types.layout(ty).is_none() {
            let mut diagnostic =
                crate::diagnostic::Diagnostic::error(span, format!("{what} has incomplete type '{text}'"));
            if let Some(declared) = self.forward_declaration(ty) {
                diagnostic = diagnostic.related(declared, format!("forward declaration of '{text}'"));
            }
            self.report(diagnostic);
            return false;
        }
        true
    }

    /// Where an incomplete structure was declared, if it was declared before.
    pub(super) fn forward_declaration(&self, ty: TypeId) -> Option<Span> {
        let TypeKind::Record(id) = self.types.kind(ty) else { return None };
        let tag = self.types.record(*id).tag?;
        let known = self.scopes.iter().rev().find_map(|scope| scope.tags.get(&tag));
        known.map(|(_, declared)| *declared)
    }

    /// Whether it is `half` on a device that only allows pointers to it (OpenCL C §6.11).
    pub(super) fn is_storage_only_half(&self, ty: TypeId) -> bool {
        use crate::types::ScalarKind::Half;
        self.types.as_arithmetic(ty).is_some_and(|(kind, _)| kind == Half)
            && !self.has(clvk_interface::Feature::Fp16)
    }

    /// The type that a type name means.
    pub(super) fn type_name(&mut self, name: &TypeName) -> Declared {
        self.refuse_attributes_of_types(&name.specifiers.attributes);
        let base = self.specifiers(&name.specifiers);
        self.declarator_type(base, &name.declarator)
    }
}
