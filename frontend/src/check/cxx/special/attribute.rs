//! Attributes of classes and kernels.

use crate::check::cxx::types::Type;
use crate::check::cxx::{Cxx, FnId};
use crate::cxx::ast::{Attribute, InitDeclarator, Specifiers, TemplateArgumentKind};
use crate::hir::{self};
use crate::types::{ScalarKind, TypeId, TypeKind};

impl Cxx<'_> {
    /// `aligned`, `alignas` and `packed`.
    pub(in crate::check::cxx) fn layout_attributes(&mut self, attributes: &[Attribute]) -> (u32, bool) {
        let (mut align, mut packed) = (1, false);
        for attribute in attributes {
            match attribute.name.as_str() {
                "packed" => packed = true,
                "aligned" if attribute.arguments.is_empty() => align = align.max(128),
                "aligned" | "alignas" => {
                    let value = match attribute.arguments.first().map(|argument| &argument.kind) {
                        Some(TemplateArgumentKind::Type(ty)) => {
                            let ty = self.type_name(ty);
                            self.types.layout(ty.ty()).map(|(_, align)| i128::from(align))
                        }
                        Some(TemplateArgumentKind::Expr(expr)) => self.constant_of(expr, "an alignment"),
                        None => None,
                    };
                    match value.and_then(|value| u32::try_from(value).ok()) {
                        Some(0) => {}
                        Some(value) if value.is_power_of_two() && value <= 1 << 16 => {
                            align = align.max(value)
                        }
                        Some(_) => self.error(attribute.span, "requested alignment is not a power of 2"),
                        None => self.note_error(),
                    }
                }
                _ => {}
            }
        }
        (align, packed)
    }

    /// Reports a typedef with another alignment than its type's: types have only one alignment here.
    pub(in crate::check::cxx) fn check_aligned_typedef(
        &mut self,
        specifiers: &Specifiers,
        item: &InitDeclarator,
        ty: Type,
    ) {
        let written = specifiers.attributes.iter().chain(&item.declarator.attributes);
        let written: Vec<Attribute> = written.filter(|it| it.name == "aligned").cloned().collect();
        let Some(first) = written.first() else { return };
        let (align, _) = self.layout_attributes(&written);
        let hir = self.hir_type(ty.ty());
        if self.types.layout(hir).is_some_and(|(_, natural)| natural != align) {
            self.checker.unsupported(first.span, "a typedef with another alignment than its type's");
        }
    }

    /// Reports an `alignas` that asks for less than the type needs ([dcl.align]/5).
    pub(in crate::check::cxx) fn check_alignas(
        &mut self,
        attributes: &[Attribute],
        natural: u32,
        ty: TypeId,
    ) {
        let (written, others): (Vec<_>, Vec<_>) =
            attributes.iter().cloned().partition(|attribute| attribute.name == "alignas");
        let Some(first) = written.first() else { return };
        let (least, _) = self.layout_attributes(&written);
        let is_packed = others.iter().any(|attribute| attribute.name == "packed");
        if least < natural && !is_packed {
            let text = self.type_text(ty);
            let message =
                format!("requested alignment is less than minimum alignment of {natural} for type '{text}'");
            self.error(first.span, message);
        }
    }

    /// The attributes of a kernel.
    pub(in crate::check::cxx) fn kernel_attributes(&mut self, id: FnId) -> hir::Kernel {
        let function = self.function(id).clone();
        let mut kernel = hir::Kernel::default();
        for attribute in function.attributes.iter() {
            match attribute.name.as_str() {
                "reqd_work_group_size"
                | "cl::reqd_work_group_size"
                | "work_group_size_hint"
                | "cl::work_group_size_hint" => {}
                "vec_type_hint" => {
                    if let Some(TemplateArgumentKind::Type(ty)) =
                        attribute.arguments.first().map(|argument| &argument.kind)
                    {
                        let ty = self.type_name(ty);
                        kernel.vec_type_hint = Some(self.type_text(ty.ty()));
                    }
                    continue;
                }
                "required_num_sub_groups" => {
                    let count = self.positive_arguments::<1>(attribute, "a number of sub-groups");
                    kernel.required_sub_groups = count.map(|[count]| count);
                    continue;
                }
                _ => continue,
            }
            let Some(sizes) = self.positive_arguments::<3>(attribute, "a work-group size") else { continue };
            match attribute.name.contains("reqd") {
                true => kernel.required_work_group_size = Some(sizes),
                false => kernel.work_group_size_hint = Some(sizes),
            }
        }
        kernel.param_type_names =
            function.params.iter().map(|param| self.spelled_parameter(param.ty)).collect();
        if function.params.iter().any(|param| param.max_size.is_some()) {
            kernel.max_sizes = function.params.iter().map(|param| param.max_size).collect();
        }
        kernel
    }

    /// The arguments of an attribute that are positive numbers; errors are reported.
    fn positive_arguments<const COUNT: usize>(
        &mut self,
        attribute: &Attribute,
        what: &str,
    ) -> Option<[u32; COUNT]> {
        if attribute.arguments.len() != COUNT {
            let plural = if COUNT == 1 { "" } else { "s" };
            let message = format!("'{}' attribute requires exactly {COUNT} argument{plural}", attribute.name);
            self.error(attribute.span, message);
            return None;
        }
        let mut numbers = [0; COUNT];
        for (number, argument) in numbers.iter_mut().zip(&attribute.arguments) {
            let value = match &argument.kind {
                TemplateArgumentKind::Expr(expr) => self.constant_of(expr, what),
                TemplateArgumentKind::Type(_) => None,
            };
            match value.and_then(|value| u32::try_from(value).ok()).filter(|value| *value > 0) {
                Some(value) => *number = value,
                None => {
                    let message = format!("'{}' attribute must be greater than 0", attribute.name);
                    self.error(argument.span, message);
                }
            }
        }
        (!numbers.contains(&0)).then_some(numbers)
    }

    /// A parameter's type as `clGetKernelArgInfo` gives it.
    fn spelled_parameter(&mut self, ty: Type) -> String {
        let ty = self.types.wrapped(ty.ty()).map_or(ty, Type::of);
        let (target, star) = match (self.reference(ty.ty()), self.types.pointee(ty.ty())) {
            (Some(reference), _) => (reference.target.ty, "&"),
            (_, Some((target, _))) => (target.ty, "*"),
            _ => (ty.ty(), ""),
        };
        let text = match self.types.kind(target) {
            TypeKind::Image(image) => image.dimension.type_name().to_owned(),
            TypeKind::Scalar(ScalarKind::Bool) => "bool".to_owned(),
            _ => self.type_text(target),
        };
        format!("{text}{star}")
    }
}
