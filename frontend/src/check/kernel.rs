//! The rules for kernels: their results and parameters (OpenCL C §6.9.1, §6.11).

use super::Checker;
use super::declarator::Declared;
use crate::Span;
use crate::ast::{self, Name, Parameters, TypeSpecifier};
use crate::diagnostic::Diagnostic;
use crate::options::LanguageVersion;
use crate::types::{OpaqueType, ScalarKind, TypeId, TypeKind};
use clvk_ir::AddressSpace;
use rustc_hash::FxHashSet;

impl Checker<'_> {
    pub(super) fn check_kernel(
        &mut self,
        name: Name,
        result: TypeId,
        parameters: &Parameters,
        types: &[Declared],
    ) {
        if !self.types.is_void(result) && !self.types.is_error(result) {
            self.error(name.span, "kernel must have void return type");
        }
        for (param, declared) in parameters.params.iter().zip(types) {
            let span = param.declarator.name.map_or(param.span, |name| name.span);
            self.check_kernel_parameter(param, declared.ty.ty, span);
        }
    }

    fn check_kernel_parameter(&mut self, param: &ast::Parameter, ty: TypeId, span: Span) {
        if let Some((target, space)) = self.types.pointee(ty) {
            if !matches!(space, AddressSpace::Global | AddressSpace::Constant | AddressSpace::Local) {
                self.error(
                    span,
                    "pointer arguments to kernel functions must reside in '__global', '__constant' or '__local' \
                     address space",
                );
            } else if self.types.pointee(target.ty).is_some() && self.options.version < LanguageVersion::C20 {
                self.error(span, "kernel parameter cannot be declared as a pointer to a pointer");
            }
            return;
        }
        // The size of these differs between host and device (OpenCL C §6.11).
        if let (TypeSpecifier::Named(name), true) =
            (&param.specifiers.ty, param.declarator.derived.is_empty())
        {
            let spelled = self.owned(name.symbol);
            if matches!(spelled.as_str(), "size_t" | "ptrdiff_t" | "intptr_t" | "uintptr_t") {
                self.error(span, format!("'{spelled}' cannot be used as the type of a kernel parameter"));
                return;
            }
        }
        self.check_kernel_type(ty, span);
    }

    /// A kernel parameter that is not a pointer.
    pub(super) fn check_kernel_type(&mut self, ty: TypeId, span: Span) {
        let text = self.type_text(ty);
        match self.types.kind(ty) {
            TypeKind::Scalar(ScalarKind::Bool)
            | TypeKind::Vector(ScalarKind::Bool, _)
            | TypeKind::Event
            | TypeKind::Matrix(_)
            | TypeKind::BFloat16
            | TypeKind::Atomic(_)
            | TypeKind::Opaque(OpaqueType::ClkEvent | OpaqueType::NdRange | OpaqueType::ReserveId) => {
                self.error(span, format!("'{text}' cannot be used as the type of a kernel parameter"));
            }
            TypeKind::Record(_) if self.holds(ty, |checker, part| checker.is_host_sized(part)) => {
                let message = format!(
                    "'{text}' cannot be used as the type of a kernel parameter: it holds a 'size_t', 'ptrdiff_t', 'intptr_t' or 'uintptr_t'"
                );
                self.error(span, message);
            }
            TypeKind::Record(_) if self.types.layout(ty).is_some_and(|(size, _)| size == 0) => {
                self.unsupported(
                    span,
                    format_args!("a kernel parameter of type '{text}', which has no size,"),
                );
            }
            TypeKind::Record(_) => {
                if let Some((path, part)) = self.refused_member(ty) {
                    let member = self.type_text(part);
                    let message = format!(
                        "'{text}' cannot be used as the type of a kernel parameter: its member '{path}' is of type '{member}'"
                    );
                    let mut diagnostic = Diagnostic::error(span, message);
                    if let Some((_, space)) = self.types.pointee(part) {
                        diagnostic = diagnostic.note(if is_shared(space) {
                            "OpenCL C 2.0 allows pointers to memory shared by host and device: choose it with -cl-std=CL2.0"
                        } else {
                            "a host can only pass pointers to 'global' and 'constant' memory"
                        });
                    }
                    self.report(diagnostic);
                }
            }
            _ => {}
        }
    }

    /// A member of a structure, or of one nested in it, that kernel parameters must not contain: a `bool` or
    /// a pointer. From OpenCL C 2.0 on, pointers to memory that the host can share are allowed (OpenCL C
    /// §6.11).
    fn refused_member(&self, ty: TypeId) -> Option<(String, TypeId)> {
        let mut seen = FxHashSet::default();
        let mut waiting = vec![(String::new(), ty)];
        while let Some((path, ty)) = waiting.pop() {
            let mut inner = ty;
            while let TypeKind::Array { element, .. } = self.types.kind(inner) {
                inner = element.ty;
            }
            match self.types.kind(inner) {
                TypeKind::Pointer { space, .. }
                    if is_shared(*space) && self.options.version >= LanguageVersion::C20 => {}
                TypeKind::Scalar(ScalarKind::Bool)
                | TypeKind::Vector(ScalarKind::Bool, _)
                | TypeKind::Pointer { .. } => return Some((path, inner)),
                TypeKind::Record(id) if seen.insert(*id) => {
                    for member in self.types.record(*id).members.iter().flatten().rev() {
                        let name = member.name.map_or("", |name| self.text(name));
                        let dot = if path.is_empty() || name.is_empty() { "" } else { "." };
                        waiting.push((format!("{path}{dot}{name}"), member.ty.ty));
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// Whether a structure has a member declared as `size_t` or a similar type.
    fn is_host_sized(&self, ty: TypeId) -> bool {
        matches!(self.types.kind(ty), TypeKind::Record(id) if self.host_sized_records.contains(id))
    }

    /// Whether `wanted` holds for a type or for anything stored inside it.
    fn holds(&self, ty: TypeId, wanted: impl Fn(&Self, TypeId) -> bool) -> bool {
        let mut seen = FxHashSet::default();
        let mut waiting = vec![ty];
        while let Some(ty) = waiting.pop() {
            if !seen.insert(ty) {
                continue;
            }
            if wanted(self, ty) {
                return true;
            }
            match self.types.kind(ty) {
                TypeKind::Array { element, .. } => waiting.push(element.ty),
                TypeKind::Record(id) => {
                    waiting
                        .extend(self.types.record(*id).members.iter().flatten().map(|member| member.ty.ty));
                }
                _ => {}
            }
        }
        false
    }
}

/// Whether a host can have pointers to this memory.
fn is_shared(space: AddressSpace) -> bool {
    matches!(space, AddressSpace::Global | AddressSpace::Constant)
}
