//! Attributes (OpenCL C §6.9.2, §6.13).

use super::Checker;
use crate::ast::{Attribute, AttributeArgument};
use crate::diagnostic::Diagnostic;
use crate::hir::Kernel;
use crate::options::LanguageVersion;
use crate::types::{ScalarKind, TypeId, TypeKind};
use clvk_ir::UnrollHint;

/// Attributes without effect here.
const HARMLESS: &[&str] = &[
    "alloc_size",
    "always_inline",
    "artificial",
    "assume_aligned",
    "cold",
    "const",
    "convergent",
    "deprecated",
    "endian",
    "fallthrough",
    "flatten",
    "format",
    "gnu_inline",
    "hot",
    "inline",
    "internal_linkage",
    "leaf",
    "malloc",
    "may_alias",
    "minsize",
    "no_instrument_function",
    "nodebug",
    "noduplicate",
    "noinline",
    "nonnull",
    "noreturn",
    "nosvm",
    "nothrow",
    "optnone",
    "pure",
    "returns_nonnull",
    "returns_twice",
    "unavailable",
    "unused",
    "used",
    "vec_type_hint",
    "visibility",
    "warn_unused_result",
];

/// Attributes that change what a program means and are not supported.
const REFUSED: &[&str] = &["address_space", "alias", "cleanup", "mode", "section", "weak"];

/// Attributes that are handled where they have a meaning.
const MEANT: &[&str] = &[
    "aligned",
    "coop_mat",
    "ext_vector_type",
    "opencl_unroll_hint",
    "overloadable",
    "packed",
    "intel_reqd_sub_group_size",
    "reqd_work_group_size",
    "vector_size",
    "work_group_size_hint",
];

/// Whether an attribute has a meaning or is known to have no effect (`__has_attribute`).
pub(crate) fn is_known_attribute(name: &str) -> bool {
    let name = plain(name);
    HARMLESS.contains(&name) || MEANT.contains(&name)
}

/// The name of an attribute without the optional underscores around it.
fn plain(name: &str) -> &str {
    name.strip_prefix("__").and_then(|name| name.strip_suffix("__")).unwrap_or(name)
}

impl Checker<'_> {
    /// The plain name of an attribute.
    pub(super) fn attribute_name(&self, attribute: &Attribute) -> String {
        plain(self.text(attribute.name.symbol)).to_owned()
    }

    /// Reports unsupported attributes at places where other attributes have no effect.
    pub(super) fn refuse_attributes_of_types(&mut self, attributes: &[Attribute]) {
        for attribute in attributes {
            let name = self.attribute_name(attribute);
            if REFUSED.contains(&name.as_str()) {
                self.unsupported(attribute.span, format_args!("the attribute '{name}'"));
            } else if name == "coop_mat" {
                self.error(attribute.span, "'coop_mat' attribute only applies to typedefs and variables");
            }
        }
    }

    /// Whether `aligned` is among attributes.
    pub(super) fn has_alignment<'b>(&self, mut attributes: impl Iterator<Item = &'b Attribute>) -> bool {
        attributes.any(|attribute| self.attribute_name(attribute) == "aligned")
    }

    /// `aligned` and `packed`: the least alignment, and whether members have none of their own.
    pub(super) fn layout_attributes<'b>(
        &mut self,
        attributes: impl Iterator<Item = &'b Attribute>,
    ) -> (u32, bool) {
        let (mut align, mut packed) = (1, false);
        for attribute in attributes {
            match self.attribute_name(attribute).as_str() {
                "aligned" => align = align.max(self.alignment(attribute)),
                "packed" => {
                    packed = true;
                    if !attribute.arguments.is_empty() {
                        self.error(attribute.span, "'packed' attribute takes no arguments");
                    }
                }
                name @ ("reqd_work_group_size" | "work_group_size_hint" | "vec_type_hint") => {
                    self.error(
                        attribute.span,
                        format!("'{name}' attribute only applies to kernel functions"),
                    );
                }
                name => self.other_attribute(name, attribute),
            }
        }
        (align, packed)
    }

    fn other_attribute(&mut self, name: &str, attribute: &Attribute) {
        if REFUSED.contains(&name) {
            self.unsupported(attribute.span, format_args!("the attribute '{name}'"));
            return;
        }
        if name == "intel_reqd_sub_group_size" {
            return self.required_sub_group_size(attribute);
        }
        if name == "nosvm" {
            self.demand_version(attribute.span, "'nosvm' attribute", LanguageVersion::C20);
            return;
        }
        if name == "coop_mat" && self.options.cxx.is_some() {
            self.unsupported(attribute.span, format_args!("a cooperative matrix in C++ for OpenCL"));
            return;
        }
        if let "overloadable" | "ext_vector_type" | "vector_size" | "coop_mat" = name {
            let what = match name {
                "overloadable" => "functions",
                "vector_size" | "coop_mat" => "typedefs and variables",
                _ => "typedefs",
            };
            self.error(attribute.span, format!("'{name}' attribute only applies to {what}"));
            return;
        }
        if !HARMLESS.contains(&name) && !MEANT.contains(&name) {
            let mut diagnostic =
                Diagnostic::warning(attribute.name.span, format!("unknown attribute '{name}' ignored"));
            let all = HARMLESS.iter().chain(REFUSED).chain(MEANT).copied();
            if let Some(best) = crate::suggest::nearest(name, all) {
                diagnostic = diagnostic.suggest(best);
            }
            self.report(diagnostic);
        }
    }

    /// `intel_reqd_sub_group_size` (cl_intel_required_subgroup_size): sub-groups have the device's size, so
    /// that no other can be demanded.
    fn required_sub_group_size(&mut self, attribute: &Attribute) {
        let [AttributeArgument::Expr(expr)] = attribute.arguments.as_slice() else {
            let name = self.attribute_name(attribute);
            self.error(attribute.span, format!("'{name}' attribute takes one argument"));
            return;
        };
        let (wanted, known) = (self.integer_constant(expr), self.options.sub_group_size);
        if let (Some(wanted), Some(known)) = (wanted, known)
            && u32::try_from(wanted) != Ok(known)
        {
            let message = format!("sub-groups of {wanted} work-items are not supported");
            let note = match known {
                0 => "the size of the device's sub-groups is not known".to_owned(),
                _ => format!("the device's sub-groups have {known} work-items"),
            };
            self.report(Diagnostic::error(expr.span, message).note(note));
        }
    }

    fn alignment(&mut self, attribute: &Attribute) -> u32 {
        match attribute.arguments.as_slice() {
            // The largest alignment of any type.
            [] => 128,
            [AttributeArgument::Expr(expr)] => {
                let value = self.integer_constant(expr);
                match value.and_then(|value| u32::try_from(value).ok()) {
                    Some(align) if align.is_power_of_two() && align <= 1 << 16 => align,
                    _ => {
                        if value.is_some() {
                            self.error(expr.span, "requested alignment is not a power of 2 up to 65536");
                        }
                        1
                    }
                }
            }
            _ => {
                self.error(attribute.span, "'aligned' attribute takes no more than 1 argument");
                1
            }
        }
    }

    /// Whether `overloadable` is among a function's attributes.
    pub(super) fn is_overloadable<'b>(
        &mut self,
        mut attributes: impl Iterator<Item = &'b Attribute>,
    ) -> bool {
        let found = attributes.find(|attribute| self.attribute_name(attribute) == "overloadable");
        if let Some(attribute) = found
            && !attribute.arguments.is_empty()
        {
            self.error(attribute.span, "'overloadable' attribute takes no arguments");
        }
        found.is_some()
    }

    /// Whether an attribute turns the declared type into a vector or matrix type.
    pub(super) fn makes_vector(&self, attribute: &Attribute, is_typedef: bool) -> bool {
        match self.attribute_name(attribute).as_str() {
            "ext_vector_type" => is_typedef,
            "vector_size" | "coop_mat" => true,
            _ => false,
        }
    }

    /// The vector type that `ext_vector_type(lanes)` or `vector_size(bytes)` makes from a type. GNU C's
    /// vectors are treated as OpenCL's. Or the type that `coop_mat` makes.
    pub(super) fn vector_type_of(&mut self, ty: TypeId, attribute: &Attribute) -> TypeId {
        let name = self.attribute_name(attribute);
        if name == "coop_mat" {
            return self.matrix_type_of(ty, attribute);
        }
        let [AttributeArgument::Expr(argument)] = attribute.arguments.as_slice() else {
            self.error(attribute.span, format!("'{name}' attribute takes one argument"));
            return self.types.error();
        };
        let element = match *self.types.kind(ty) {
            TypeKind::Scalar(kind) if kind != ScalarKind::Bool => kind,
            TypeKind::Error => return ty,
            _ => {
                let text = self.type_text(ty);
                self.error(attribute.span, format!("invalid vector element type '{text}'"));
                return self.types.error();
            }
        };
        let Some(count) = self.integer_constant(argument) else { return self.types.error() };
        let size = i128::from(element.size());
        let lanes = match name.as_str() {
            "vector_size" if count % size != 0 => {
                self.error(argument.span, "vector size not an integral multiple of component size");
                return self.types.error();
            }
            "vector_size" => count / size,
            _ => count,
        };
        if !matches!(lanes, 2 | 3 | 4 | 8 | 16) {
            self.unsupported(argument.span, format_args!("a vector of {lanes} elements"));
            return self.types.error();
        }
        self.types.vector(element, lanes as u32)
    }

    /// Attributes of a function.
    pub(super) fn function_attributes<'b>(
        &mut self,
        attributes: impl Iterator<Item = &'b Attribute>,
        is_kernel: bool,
    ) -> Kernel {
        let mut kernel = Kernel::default();
        for attribute in attributes {
            let name = self.attribute_name(attribute);
            let target = match name.as_str() {
                "reqd_work_group_size" => &mut kernel.required_work_group_size,
                "work_group_size_hint" => &mut kernel.work_group_size_hint,
                "vec_type_hint" => {
                    kernel.vec_type_hint = self.vec_type_hint(attribute, is_kernel);
                    continue;
                }
                // Handled by `is_overloadable`.
                "overloadable" => continue,
                // `packed` and `aligned` belong to types and variables.
                "packed" | "aligned" => {
                    self.warn(
                        attribute.span,
                        format!("'{name}' attribute ignored: it applies to types and variables"),
                    );
                    continue;
                }
                _ => {
                    self.other_attribute(&name, attribute);
                    continue;
                }
            };
            if !is_kernel {
                self.error(
                    attribute.span,
                    format!("attribute '{name}' can only be applied to an OpenCL kernel function"),
                );
                continue;
            }
            let size = self.work_group_size(&name, attribute);
            if target.is_some() && size.is_some() && *target != size {
                self.warn(
                    attribute.span,
                    format!("attribute '{name}' is already applied with different arguments"),
                );
            }
            *target = size;
        }
        kernel
    }

    /// `vec_type_hint(type)`, which has no effect but must name a scalar or vector type (OpenCL C §6.9.2);
    /// returns the type's name.
    fn vec_type_hint(&mut self, attribute: &Attribute, is_kernel: bool) -> Option<String> {
        if !is_kernel {
            let message = "attribute 'vec_type_hint' can only be applied to an OpenCL kernel function";
            self.error(attribute.span, message);
            return None;
        }
        let [AttributeArgument::Type(name)] = attribute.arguments.as_slice() else {
            self.error(attribute.span, "'vec_type_hint' attribute requires a type as its argument");
            return None;
        };
        let ty = self.type_name(name).ty.ty;
        let valid = match self.types.kind(ty) {
            TypeKind::Error => true,
            TypeKind::Scalar(kind) | TypeKind::Vector(kind, _) => *kind != ScalarKind::Bool,
            _ => false,
        };
        let text = self.type_text(ty);
        if !valid {
            let message = format!("invalid attribute argument '{text}': expected a vector or a scalar type");
            self.error(name.span, message);
            return None;
        }
        Some(text)
    }

    fn work_group_size(&mut self, name: &str, attribute: &Attribute) -> Option<[u32; 3]> {
        let mut size = [0; 3];
        if attribute.arguments.len() != 3 {
            self.error(attribute.span, format!("'{name}' attribute requires exactly 3 arguments"));
            return None;
        }
        for (place, argument) in size.iter_mut().zip(&attribute.arguments) {
            let AttributeArgument::Expr(expr) = argument else {
                self.error(attribute.span, format!("'{name}' attribute requires integer constants"));
                return None;
            };
            match self.integer_constant(expr)? {
                value @ 1..=0xFFFF_FFFF => *place = value as u32,
                _ => {
                    self.error(expr.span, format!("'{name}' attribute must be greater than 0"));
                    return None;
                }
            }
        }
        Some(size)
    }

    /// `opencl_unroll_hint` before a loop (OpenCL C §6.13.5).
    pub(super) fn unroll_attribute(&mut self, attributes: &[Attribute], is_loop: bool) -> UnrollHint {
        let mut hint = UnrollHint::None;
        for attribute in attributes {
            let name = self.attribute_name(attribute);
            if name != "opencl_unroll_hint" {
                self.other_attribute(&name, attribute);
                continue;
            }
            if !is_loop {
                let message =
                    "'opencl_unroll_hint' attribute only applies to 'for', 'while' and 'do' statements";
                self.error(attribute.span, message);
                continue;
            }
            hint = match attribute.arguments.as_slice() {
                [] => UnrollHint::Full,
                [AttributeArgument::Expr(expr)] => match self.integer_constant(expr) {
                    Some(value @ 1..=0xFFFF_FFFF) => UnrollHint::By(value as u32),
                    Some(_) => {
                        self.error(
                            expr.span,
                            "'opencl_unroll_hint' attribute requires a positive integer constant",
                        );
                        UnrollHint::None
                    }
                    None => UnrollHint::None,
                },
                _ => {
                    self.error(
                        attribute.span,
                        "'opencl_unroll_hint' attribute takes no more than 1 argument",
                    );
                    UnrollHint::None
                }
            };
        }
        hint
    }
}
