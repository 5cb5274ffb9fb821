//! Types as written ([dcl.type], [dcl.meaning]), and questions about types.

use super::Cxx;
use super::scope::Entity;
use crate::Span;
use crate::ast::{AccessQualifier, AddressSpaceQualifier, BasicType, Name};
use crate::cxx::ast::{
    Attribute, Declarator, Derived, Expr, Id, Param, QualifiedName, Qualifiers, Specifiers, TypeName,
    TypeSpecifier,
};
use crate::symbol::Symbol;
use crate::types::{OpaqueType, QualifiedType, ScalarKind, TypeId, TypeKind, TypeQualifiers};
use clvk_interface::Feature;
use clvk_ir::AddressSpace;

/// A type with its qualifiers and the address space of objects of it, if it names one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Type {
    pub q: QualifiedType,
    pub space: Option<AddressSpace>,
}

impl Type {
    pub fn of(ty: TypeId) -> Type {
        Type { q: ty.into(), space: None }
    }

    pub fn ty(self) -> TypeId {
        self.q.ty
    }

    /// Without qualifiers and address space.
    pub fn plain(self) -> Type {
        Type::of(self.q.ty)
    }
}

/// The parts of a reference type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reference {
    pub target: QualifiedType,
    pub space: AddressSpace,
    pub is_rvalue: bool,
}

impl Cxx<'_> {
    pub(super) fn error_type(&self) -> Type {
        Type::of(self.types.error())
    }

    pub(super) fn is_error_type(&self, ty: Type) -> bool {
        self.types.is_error(ty.ty())
    }

    pub(super) fn scalar_type(&mut self, kind: ScalarKind) -> Type {
        Type::of(self.types.scalar(kind))
    }

    pub(super) fn reference(&self, ty: TypeId) -> Option<Reference> {
        match *self.types.kind(ty) {
            TypeKind::Reference { target, space, is_rvalue } => Some(Reference { target, space, is_rvalue }),
            _ => None,
        }
    }

    pub(super) fn without_reference(&self, ty: Type) -> Type {
        match self.reference(ty.ty()) {
            Some(reference) => {
                let space = Some(reference.space)
                    .filter(|space| !matches!(space, AddressSpace::Generic | AddressSpace::Private));
                Type { q: reference.target, space }
            }
            None => ty,
        }
    }

    /// A reference type; references to references collapse ([dcl.ref]).
    pub(super) fn reference_to(&mut self, ty: Type, is_rvalue: bool) -> Type {
        if self.is_error_type(ty) {
            return ty;
        }
        if let Some(inner) = self.reference(ty.ty()) {
            let is_rvalue = is_rvalue && inner.is_rvalue;
            let kind = TypeKind::Reference { target: inner.target, space: inner.space, is_rvalue };
            return Type::of(self.types.intern(kind));
        }
        let space = ty.space.unwrap_or(AddressSpace::Generic);
        Type::of(self.types.intern(TypeKind::Reference { target: ty.q, space, is_rvalue }))
    }

    pub(super) fn pointer_to_type(&mut self, ty: Type) -> Type {
        let space = ty.space.unwrap_or(AddressSpace::Generic);
        Type::of(self.types.pointer(ty.q, space))
    }

    /// The type in the HIR: references and `nullptr` are pointers, pointers to members are numbers.
    pub(super) fn hir_type(&mut self, ty: TypeId) -> TypeId {
        match *self.types.kind(ty) {
            TypeKind::Reference { target, space, .. } => self.types.pointer(target, space),
            TypeKind::Nullptr => {
                let void = self.types.void();
                self.types.pointer(void.into(), AddressSpace::Generic)
            }
            TypeKind::MemberPointer { .. } => self.types.scalar(ScalarKind::Long),
            _ => ty,
        }
    }

    pub(super) fn record_of(&self, ty: TypeId) -> Option<crate::types::RecordId> {
        match self.types.kind(ty) {
            TypeKind::Record(record) => Some(*record),
            _ => None,
        }
    }

    /// A type with more qualifiers; those of a reference are ignored, those of an array are its elements'.
    pub(super) fn qualified(&mut self, ty: Type, qualifiers: TypeQualifiers) -> Type {
        if self.reference(ty.ty()).is_some() {
            return ty;
        }
        let q = self.checker.with_qualifiers(ty.q.ty, ty.q.qualifiers.union(qualifiers));
        Type { q, space: ty.space }
    }

    /// A type as messages quote it.
    pub(super) fn text_of(&self, ty: Type) -> String {
        let text = self.qualified_text(ty.q);
        match ty.space {
            Some(space) => format!("{} {text}", super::super::spelling::space_text(space)),
            None => text,
        }
    }

    /// The type that specifiers name.
    pub(super) fn specifiers(&mut self, specifiers: &Specifiers) -> Type {
        let ty = self.type_specifier(specifiers);
        let ty = self.with_access(ty, specifiers);
        let ty = self.with_written(ty, &specifiers.qualifiers);
        let ty = self.with_space_attributes(ty, &specifiers.attributes);
        self.with_vector_attributes(ty, &specifiers.attributes)
    }

    /// Adds qualifiers as written.
    pub(super) fn with_written(&mut self, ty: Type, qualifiers: &Qualifiers) -> Type {
        let mut written = TypeQualifiers {
            is_const: qualifiers.is_const,
            is_volatile: qualifiers.is_volatile,
            is_restrict: qualifiers.restrict.is_some(),
        };
        if let Some(span) = qualifiers.restrict {
            let is_pointer = self.types.pointee(ty.ty()).is_some()
                || self.reference(ty.ty()).is_some()
                || matches!(self.types.kind(ty.ty()), TypeKind::Auto)
                || self.is_error_type(ty);
            if !is_pointer {
                let text = self.text_of(ty);
                self.error(span, format!("restrict requires a pointer or reference ('{text}' is invalid)"));
                written.is_restrict = false;
            }
        }
        let mut result = self.qualified(ty, written);
        for (qualifier, span) in &qualifiers.spaces {
            let space = address_space(*qualifier);
            match result.space {
                Some(other) if other != space => {
                    self.error(*span, "multiple address spaces specified for type");
                }
                _ => result.space = Some(space),
            }
        }
        result
    }

    /// Adds address spaces that attributes name: `__attribute__((opencl_global))`, `[[clang::opencl_local]]`.
    fn with_space_attributes(&mut self, ty: Type, attributes: &[Attribute]) -> Type {
        let mut result = ty;
        for attribute in attributes {
            let name = attribute.name.strip_prefix("clang::").unwrap_or(&attribute.name);
            let space = match name {
                "opencl_global" => AddressSpace::Global,
                "opencl_local" => AddressSpace::Local,
                "opencl_constant" => AddressSpace::Constant,
                "opencl_private" => AddressSpace::Private,
                "opencl_generic" => AddressSpace::Generic,
                "address_space" | "opencl_global_device" | "opencl_global_host" => {
                    self.error(attribute.span, format!("the attribute '{name}' is not supported"));
                    continue;
                }
                _ => continue,
            };
            match result.space {
                Some(other) if other != space => {
                    self.error(attribute.span, "multiple address spaces specified for type");
                }
                _ => result.space = Some(space),
            }
        }
        result
    }

    fn with_access(&mut self, ty: Type, specifiers: &Specifiers) -> Type {
        let qualifiers = &specifiers.qualifiers;
        if qualifiers.access.is_empty() {
            return ty;
        }
        // A typedef of an image type has its access already.
        if let TypeSpecifier::Named(name) = &specifiers.ty
            && let Some(plain) = name.plain()
            && self.find(plain.symbol).is_some()
            && let TypeKind::Image(image) = self.types.kind(ty.ty())
        {
            let (access, span) = qualifiers.access[0];
            let wanted = (access != AccessQualifier::WriteOnly, access != AccessQualifier::ReadOnly);
            if wanted != (image.readable, image.writable) {
                self.error(span, "multiple access qualifiers");
                return self.error_type();
            }
        }
        let access: Vec<(AccessQualifier, Span)> = qualifiers.access.clone();
        let qualifiers = crate::ast::Qualifiers { access, ..crate::ast::Qualifiers::default() };
        Type { q: self.checker.access_qualified(ty.ty(), &qualifiers).into(), space: ty.space }
    }

    fn vector_attribute(&mut self, ty: Type, attribute: &Attribute) -> Type {
        let [argument] = attribute.arguments.as_slice() else { return ty };
        let crate::cxx::ast::TemplateArgumentKind::Expr(expr) = &argument.kind else { return ty };
        let Some(count) = self.integer_constant(expr) else { return self.error_type() };
        let kind = self.types.as_scalar(ty.ty()).filter(|kind| *kind != ScalarKind::Bool);
        let Some(kind) = kind else {
            if self.record_of(ty.ty()).is_some() || self.types.as_scalar(ty.ty()).is_some() {
                let text = self.text_of(ty);
                self.error(attribute.span, format!("invalid vector element type '{text}'"));
                return self.error_type();
            }
            return ty;
        };
        let lanes = if attribute.name == "vector_size" { count / i128::from(kind.size()) } else { count };
        if !matches!(lanes, 2 | 3 | 4 | 8 | 16) {
            self.error(argument.span, format!("a vector of {lanes} elements is not supported"));
            return self.error_type();
        }
        Type::of(self.types.vector(kind, lanes as u32))
    }

    fn type_specifier(&mut self, specifiers: &Specifiers) -> Type {
        let span = specifiers.ty_span;
        match &specifiers.ty {
            TypeSpecifier::Basic(BasicType::Void) => Type::of(self.types.void()),
            TypeSpecifier::Basic(basic) => {
                let kind = super::super::specifier::basic_kind(*basic).expect("void was handled");
                Type::of(self.checker.arithmetic_type(kind, 1, span))
            }
            TypeSpecifier::Named(name) => self.named_type(name),
            TypeSpecifier::Class(class) => self.class_specifier(class, specifiers.is_friend.is_some()),
            TypeSpecifier::Enum(specifier) => self.enum_specifier(specifier),
            TypeSpecifier::Auto | TypeSpecifier::DecltypeAuto => Type::of(self.types.intern(TypeKind::Auto)),
            TypeSpecifier::Decltype(expr) => self.decltype(expr),
            TypeSpecifier::Typeof(name) => self.type_name(name),
            TypeSpecifier::Underlying(name) => {
                let ty = self.type_name(name);
                match *self.types.kind(ty.ty()) {
                    TypeKind::Enum(id) => {
                        let kind = self.types.enumeration(id).underlying.unwrap_or(ScalarKind::Int);
                        self.scalar_type(kind)
                    }
                    TypeKind::Error => ty,
                    _ => {
                        self.error(span, "only enumeration types have underlying types");
                        self.error_type()
                    }
                }
            }
            TypeSpecifier::Pipe(packet) if self.options.is_opencl_cxx() => {
                let packet = self.type_name(packet);
                Type::of(self.checker.pipe_of(packet.ty(), span))
            }
            TypeSpecifier::Pipe(_) => {
                self.error(span, "pipes are not supported in C++ for OpenCL (§2.1)");
                self.error_type()
            }
            TypeSpecifier::Known(ty) => Type::of(*ty),
            TypeSpecifier::None => {
                self.error(span, "C++ requires a type specifier for all declarations");
                self.error_type()
            }
        }
    }

    /// The built-in type of a name that the program did not declare.
    pub(super) fn builtin_type_named(&mut self, symbol: Symbol) -> Option<TypeId> {
        let text = self.owned(symbol);
        if crate::builtins::vector_type(&text).is_none()
            && !super::super::specifier::is_builtin_type(&text)
            && !crate::parse::builtin_type_names(self.checker.interner).contains(&symbol)
        {
            return None;
        }
        Some(self.checker.named_type(Name { symbol, span: Span::NONE }).ty.ty)
    }

    /// A type by its name. Errors are reported.
    pub(super) fn named_type(&mut self, name: &QualifiedName) -> Type {
        let part = name.last();
        if let Id::Decltype(expr) = &part.id {
            return self.decltype(expr);
        }
        let Id::Name(symbol) = part.id else {
            self.error(name.span, "expected the name of a type");
            return self.error_type();
        };
        let found = if name.is_qualified() {
            match self.resolve(name) {
                Some(found) => Some(found),
                None => return self.error_type(),
            }
        } else {
            self.find(symbol)
        };
        let Some(found) = found else {
            let at = Name { symbol, span: part.span };
            let text = self.owned(symbol);
            // Only OpenCL C++ has vectors of `bool` (§2.1.2).
            let is_bool = |kind| kind == ScalarKind::Bool && !self.options.is_opencl_cxx();
            let known = crate::builtins::vector_type(&text).is_some_and(|(kind, _)| !is_bool(kind))
                || super::super::specifier::is_builtin_type(&text);
            if !known {
                return self.unknown_type(at);
            }
            let declared = self.checker.named_type(at);
            return Type { q: declared.ty, space: declared.space };
        };
        match found.entity {
            Entity::Type(ty) => {
                self.check_access(&found, symbol, None, part.span);
                if let (Some(arguments), Some(template)) = (&part.arguments, self.template_of_type(ty)) {
                    return self
                        .class_instance(template, arguments, part.span)
                        .unwrap_or_else(|| self.error_type());
                }
                ty
            }
            Entity::Template(template) => match &part.arguments {
                Some(arguments) => {
                    self.template_type(template, arguments, part.span).unwrap_or_else(|| self.error_type())
                }
                None => {
                    let text = self.owned(symbol);
                    let message = format!("use of class template '{text}' requires template arguments");
                    self.error(part.span, message);
                    self.error_type()
                }
            },
            Entity::Error => self.error_type(),
            _ => match found.hidden_type {
                Some(ty) => ty,
                None => {
                    let text = self.owned(symbol);
                    self.error(part.span, format!("'{text}' does not name a type"));
                    self.error_type()
                }
            },
        }
    }

    fn unknown_type(&mut self, name: Name) -> Type {
        if self.is_lost(name.symbol) {
            return self.error_type();
        }
        let text = self.owned(name.symbol);
        self.error(name.span, format!("unknown type name '{text}'"));
        self.error_type()
    }

    /// A type without a name.
    pub(super) fn type_name(&mut self, name: &TypeName) -> Type {
        let base = self.specifiers(&name.specifiers);
        self.declarator_type(base, &name.declarator)
    }

    /// What a declarator makes of a type, without the parameters of the outermost function.
    pub(super) fn declarator_type(&mut self, base: Type, declarator: &Declarator) -> Type {
        let base = self.with_vector_attributes(base, &declarator.attributes);
        let ty = self.derive(base, &declarator.derived, declarator.span);
        self.with_space_attributes(ty, &declarator.attributes)
    }

    /// What `ext_vector_type` and `vector_size` among attributes make of a type, before specifiers and after
    /// declarators alike.
    fn with_vector_attributes(&mut self, ty: Type, attributes: &[Attribute]) -> Type {
        if let Some(attribute) = attributes.iter().find(|attribute| attribute.name == "coop_mat") {
            self.unsupported(attribute.span, format_args!("a cooperative matrix in C++ for OpenCL"));
            return self.error_type();
        }
        let is_vector =
            |attribute: &&Attribute| matches!(attribute.name.as_str(), "ext_vector_type" | "vector_size");
        attributes.iter().filter(is_vector).fold(ty, |ty, attribute| {
            let made = self.vector_attribute(ty, attribute);
            let made = self.qualified(made, ty.q.qualifiers);
            Type { space: ty.space, ..made }
        })
    }

    /// Applies the parts of a declarator, the last one first.
    pub(super) fn derive(&mut self, base: Type, derived: &[Derived], span: Span) -> Type {
        let mut ty = base;
        for (index, part) in derived.iter().enumerate().rev() {
            if self.is_error_type(ty) {
                return ty;
            }
            ty = match part {
                Derived::Pointer(qualifiers, at) => {
                    if self.reference(ty.ty()).is_some() {
                        let text = self.text_of(ty);
                        self.error(*at, format!("a pointer to a reference is not allowed (type '{text}')"));
                        return self.error_type();
                    }
                    if matches!(self.types.kind(ty.ty()), TypeKind::Function { .. }) {
                        self.error(*at, "pointers to functions are not allowed (C++ for OpenCL §2.1)");
                        return self.error_type();
                    }
                    if self.types.is_parameter_only(ty.ty()) {
                        let text = self.text_of(ty);
                        self.error(*at, format!("pointer to type '{text}' is invalid in OpenCL"));
                        return self.error_type();
                    }
                    let pointer = self.pointer_to_type(ty);
                    self.with_written(pointer, qualifiers)
                }
                Derived::Reference { is_rvalue, span: at } => {
                    if matches!(derived.get(index + 1), Some(Derived::Reference { .. })) {
                        self.error(*at, "type name declared as a reference to a reference");
                        return self.error_type();
                    }
                    if matches!(self.types.kind(ty.ty()), TypeKind::Function { .. }) {
                        self.error(*at, "references to functions are not allowed (C++ for OpenCL §2.1)");
                        return self.error_type();
                    }
                    if self.types.is_void(ty.ty()) {
                        self.error(*at, "cannot form a reference to 'void'");
                        return self.error_type();
                    }
                    self.reference_to(ty, *is_rvalue)
                }
                Derived::MemberPointer(name, qualifiers, at) => {
                    let class = self.named_type(name);
                    if matches!(self.types.kind(ty.ty()), TypeKind::Function { .. }) {
                        self.error(*at, "pointers to member functions are not allowed (C++ for OpenCL §2.1)");
                        return self.error_type();
                    }
                    let Some(class) = self.record_of(class.ty()) else {
                        if !self.is_error_type(class) {
                            self.error(*at, "a pointer to a member needs a class before '::*'");
                        }
                        return self.error_type();
                    };
                    let kind = TypeKind::MemberPointer { class, target: ty.q };
                    let pointer = Type::of(self.types.intern(kind));
                    self.with_written(pointer, qualifiers)
                }
                Derived::Array(size, at) => self.array_of_type(ty, size.as_deref(), *at),
                Derived::Function(suffix) => self.function_type(ty, suffix),
            };
            if self.types.nesting(ty.ty()) > super::super::TYPE_NESTING {
                let message =
                    format!("the type is nested more than {} levels deep", super::super::TYPE_NESTING);
                self.error(span, message);
                return self.error_type();
            }
        }
        ty
    }

    fn array_of_type(&mut self, element: Type, size: Option<&Expr>, span: Span) -> Type {
        let refused = match self.types.kind(element.ty()) {
            TypeKind::Reference { .. } => Some("references"),
            TypeKind::Void => Some("'void'"),
            TypeKind::Function { .. } => Some("functions"),
            TypeKind::Array { length: None, .. } => Some("arrays of unknown length"),
            TypeKind::Sampler | TypeKind::Image(_) => Some("samplers and images"),
            _ => None,
        };
        if let Some(what) = refused {
            self.error(span, format!("an array of {what} is not allowed"));
            return self.error_type();
        }
        if let Some(record) = self.record_of(element.ty())
            && !self.require_complete(record, span)
        {
            let text = self.text_of(element);
            self.error(span, format!("array has incomplete element type '{text}'"));
            return self.error_type();
        }
        let length = match size {
            None => None,
            Some(size) => {
                let value = self.constant_of(size, "the size of an array");
                match value {
                    None => return self.error_type(),
                    Some(length) if length < 0 => {
                        self.error(size.span, "an array is declared with a negative size");
                        return self.error_type();
                    }
                    Some(0) => {
                        self.error(size.span, "zero size arrays are not allowed in C++");
                        return self.error_type();
                    }
                    Some(length) => Some(u64::try_from(length).unwrap_or(u64::MAX)),
                }
            }
        };
        let array = self.types.array(element.q, length);
        if length.is_some() && self.types.layout(array).is_none_or(|(size, _)| size > 1 << 47) {
            self.error(span, "the array is too large");
            return self.error_type();
        }
        Type { q: array.into(), space: element.space }
    }

    /// The types of parameters; packs are expanded. The number is that of the parameter in the list.
    pub(super) fn parameter_types(&mut self, params: &[Param]) -> Vec<(Type, usize)> {
        let mut types = Vec::new();
        for (index, param) in params.iter().enumerate() {
            match &param.expansion {
                Some(names) => {
                    let each = self.expand(names, param.span, |cxx| cxx.parameter_type(param));
                    types.extend(each.into_iter().map(|ty| (ty, index)));
                }
                None => types.push((self.parameter_type(param), index)),
            }
        }
        types
    }

    /// A parameter's type: arrays become pointers ([dcl.fct]).
    pub(super) fn parameter_type(&mut self, param: &Param) -> Type {
        let base = self.specifiers(&param.specifiers);
        let ty = self.declarator_type(base, &param.declarator);
        self.adjusted_parameter(ty, param.span)
    }

    pub(super) fn adjusted_parameter(&mut self, ty: Type, span: Span) -> Type {
        match *self.types.kind(ty.ty()) {
            TypeKind::Array { element, .. } => self.pointer_to_type(Type { q: element, space: ty.space }),
            TypeKind::Function { .. } => {
                self.error(span, "pointers to functions are not allowed (C++ for OpenCL §2.1)");
                self.error_type()
            }
            TypeKind::Void => {
                self.error(span, "argument may not have 'void' type");
                self.error_type()
            }
            TypeKind::Scalar(ScalarKind::Half) if !self.has(Feature::Fp16) => {
                self.error(span, "declaring function parameter of type 'half' is not allowed");
                self.error_type()
            }
            _ => ty,
        }
    }

    /// Whether a type is or contains `auto`.
    pub(super) fn has_auto(&self, ty: TypeId) -> bool {
        match self.types.kind(ty) {
            TypeKind::Auto => true,
            TypeKind::Pointer { pointee, .. } => self.has_auto(pointee.ty),
            TypeKind::Reference { target, .. } => self.has_auto(target.ty),
            TypeKind::Array { element, .. } => self.has_auto(element.ty),
            _ => false,
        }
    }

    /// Whether it is a class that wraps a queue or an event (OpenCL C++ §3.13.9).
    pub(super) fn is_enqueue_object(&self, ty: TypeId) -> bool {
        let kind = self.types.wrapped(ty).map(|wrapped| self.types.kind(wrapped));
        matches!(kind, Some(TypeKind::Opaque(OpaqueType::Queue | OpaqueType::ClkEvent)))
    }

    /// Whether it is an enumeration whose values do not become numbers by themselves.
    pub(super) fn is_scoped_enum(&self, ty: TypeId) -> bool {
        matches!(self.types.kind(ty), TypeKind::Enum(id) if self.scoped_enums.contains(id))
    }
}

pub(super) fn address_space(qualifier: AddressSpaceQualifier) -> AddressSpace {
    super::super::specifier::address_space(qualifier)
}
