//! Types from declaration specifiers (C99 §6.7.2, OpenCL C §6.3).

use super::Checker;
use super::declarator::Declared;
use super::scope::{Entity, Tag};
use crate::Span;
use crate::ast::{
    AccessQualifier, AddressSpaceQualifier, BasicType, Name, Qualifiers, Specifiers, TypeName, TypeSpecifier,
};
use crate::builtins::vector_type;
use crate::diagnostic::Diagnostic;
use crate::options::LanguageVersion;
use crate::suggest::nearest;
use crate::types::{BFLOAT16, OpaqueType, ScalarKind, TypeId, TypeKind, TypeQualifiers};
use clvk_interface::Feature;
use clvk_ir::{AddressSpace, ImageDimension, ImageType, SampledType};

/// What a built-in type name that is not a vector means.
enum BuiltinType {
    Scalar(ScalarKind),
    Image(ImageDimension),
    Sampler,
    Event,
    BFloat16,
    Atomic(ScalarKind),
    Opaque(OpaqueType),
    /// A depth or multi-sample image.
    MultiSampleImage,
}

/// Whether a name is that of a built-in type that is not a vector.
pub(super) fn is_builtin_type(name: &str) -> bool {
    builtin_type(name).is_some()
}

fn builtin_type(name: &str) -> Option<BuiltinType> {
    use BuiltinType::{Atomic, BFloat16, Event, Image, MultiSampleImage, Opaque, Sampler, Scalar};
    Some(match name {
        "size_t" | "uintptr_t" => Scalar(ScalarKind::ULong),
        "ptrdiff_t" | "intptr_t" => Scalar(ScalarKind::Long),
        "cl_mem_fence_flags" => Scalar(ScalarKind::UInt),
        "sampler_t" => Sampler,
        "event_t" => Event,
        BFLOAT16 => BFloat16,
        "image2d_msaa_t" | "image2d_array_msaa_t" | "image2d_msaa_depth_t" | "image2d_array_msaa_depth_t" => {
            MultiSampleImage
        }
        "queue_t" => Opaque(OpaqueType::Queue),
        "ndrange_t" => Opaque(OpaqueType::NdRange),
        "clk_event_t" => Opaque(OpaqueType::ClkEvent),
        "reserve_id_t" => Opaque(OpaqueType::ReserveId),
        "coop_matrix_scope_t" | "coop_matrix_use_t" | "coop_matrix_layout_t" | "coop_matrix_operands_t" => {
            Scalar(ScalarKind::UInt)
        }
        "memory_order" | "memory_scope" | "kernel_enqueue_flags_t" | "clk_profiling_info" => {
            Scalar(ScalarKind::Int)
        }
        "atomic_int" => Atomic(ScalarKind::Int),
        "atomic_uint" => Atomic(ScalarKind::UInt),
        "atomic_long" | "atomic_intptr_t" | "atomic_ptrdiff_t" => Atomic(ScalarKind::Long),
        "atomic_ulong" | "atomic_uintptr_t" | "atomic_size_t" => Atomic(ScalarKind::ULong),
        "atomic_half" => Atomic(ScalarKind::Half),
        "atomic_float" => Atomic(ScalarKind::Float),
        "atomic_double" => Atomic(ScalarKind::Double),
        "atomic_flag" => Atomic(ScalarKind::Bool),
        _ => Image(ImageDimension::from_type_name(name)?),
    })
}

pub(super) fn basic_kind(basic: BasicType) -> Option<ScalarKind> {
    Some(match basic {
        BasicType::Void => return None,
        BasicType::Bool => ScalarKind::Bool,
        BasicType::Char => ScalarKind::Char,
        BasicType::UChar => ScalarKind::UChar,
        BasicType::Short => ScalarKind::Short,
        BasicType::UShort => ScalarKind::UShort,
        BasicType::Int => ScalarKind::Int,
        BasicType::UInt => ScalarKind::UInt,
        BasicType::Long => ScalarKind::Long,
        BasicType::ULong => ScalarKind::ULong,
        BasicType::Half => ScalarKind::Half,
        BasicType::Float => ScalarKind::Float,
        BasicType::Double => ScalarKind::Double,
    })
}

pub(super) fn address_space(qualifier: AddressSpaceQualifier) -> AddressSpace {
    match qualifier {
        AddressSpaceQualifier::Private => AddressSpace::Private,
        AddressSpaceQualifier::Local => AddressSpace::Local,
        AddressSpaceQualifier::Global => AddressSpace::Global,
        AddressSpaceQualifier::Constant => AddressSpace::Constant,
        AddressSpaceQualifier::Generic => AddressSpace::Generic,
    }
}

impl Checker<'_> {
    /// The type that specifiers name, with its qualifiers.
    pub(super) fn specifiers(&mut self, specifiers: &Specifiers) -> Declared {
        let mut declared = self.type_specifier(specifiers);
        declared.ty.ty = self.access_qualified(declared.ty.ty, &specifiers.qualifiers);
        self.qualify(declared, &specifiers.qualifiers)
    }

    /// Adds qualifiers as written to a type.
    pub(super) fn qualify(&mut self, declared: Declared, qualifiers: &Qualifiers) -> Declared {
        let mut written = TypeQualifiers {
            is_const: qualifiers.is_const.is_some(),
            is_volatile: qualifiers.is_volatile.is_some(),
            is_restrict: qualifiers.is_restrict.is_some(),
        };
        if let (Some(span), false) = (qualifiers.is_restrict, self.is_pointer_or_error(declared.ty.ty)) {
            let ty = self.type_text(declared.ty.ty);
            self.error(span, format!("restrict requires a pointer or reference ('{ty}' is invalid)"));
            written.is_restrict = false;
        }
        let mut result = declared;
        // The qualifiers of an array are those of its elements (C99 §6.7.3).
        result.ty = self.with_qualifiers(declared.ty.ty, declared.ty.qualifiers.union(written));
        for (qualifier, span) in &qualifiers.address_spaces {
            let space = address_space(*qualifier);
            if *qualifier == AddressSpaceQualifier::Generic {
                self.demand_version(*span, "the generic address space", LanguageVersion::C20);
            }
            match result.space {
                Some(other) if other != space => {
                    self.error(*span, "multiple address spaces specified for type")
                }
                _ => result.space = Some(space),
            }
        }
        result
    }

    fn is_pointer_or_error(&self, ty: TypeId) -> bool {
        self.types.is_error(ty) || self.types.pointee(ty).is_some()
    }

    /// Adds qualifiers to a type; for an array, its elements get them.
    pub(super) fn with_qualifiers(
        &mut self,
        ty: TypeId,
        qualifiers: TypeQualifiers,
    ) -> crate::types::QualifiedType {
        if let TypeKind::Array { element, length } = *self.types.kind(ty) {
            let inner = self.with_qualifiers(element.ty, element.qualifiers.union(qualifiers));
            return self.types.array(inner, length).into();
        }
        crate::types::QualifiedType { ty, qualifiers }
    }

    fn type_specifier(&mut self, specifiers: &Specifiers) -> Declared {
        let span = specifiers.ty_span;
        match &specifiers.ty {
            TypeSpecifier::Basic(BasicType::Void) => Declared::of(self.types.void()),
            TypeSpecifier::Basic(basic) => {
                let kind = basic_kind(*basic).expect("void was handled");
                Declared::of(self.arithmetic_type(kind, 1, span))
            }
            TypeSpecifier::Named(name) => self.named_type(*name),
            TypeSpecifier::Record(record) => Declared::of(self.record_specifier(record)),
            TypeSpecifier::Enum(specifier) => Declared::of(self.enum_specifier(specifier)),
            TypeSpecifier::TypeofExpr(expr) => {
                // Its qualifiers belong to the type (GNU C); an address space belongs to the object.
                match self.operand(expr) {
                    super::expression::Operand::Place(place) => {
                        Declared { ty: place.ty, ..Declared::of(place.ty.ty) }
                    }
                    super::expression::Operand::Value(value) => Declared::of(value.ty),
                }
            }
            TypeSpecifier::TypeofType(name) => self.type_name(name),
            TypeSpecifier::Pipe(_) if !self.demand_version(span, "the type 'pipe'", LanguageVersion::C20) => {
                Declared::of(self.types.error())
            }
            TypeSpecifier::Pipe(packet) => Declared::of(self.pipe_type(packet, span)),
            TypeSpecifier::Unsupported(text) => {
                self.error(span, format!("'{text}' is not a type of OpenCL C"));
                Declared::of(self.types.error())
            }
            // The parser has reported it.
            TypeSpecifier::Missing => Declared::of(self.types.error()),
        }
    }

    /// Where doubles are judged later, the use of a name for them is a use of them.
    fn defer_double_of(&mut self, ty: TypeId, name: Name) {
        let is_double = matches!(self.types.as_arithmetic(ty), Some((ScalarKind::Double, _)));
        if is_double && self.defers(Feature::Fp64) {
            let what = format!("the type '{}'", self.text(name.symbol));
            self.diagnostics.defer(Feature::Fp64, &what, name.span);
        }
    }

    pub(super) fn named_type(&mut self, name: Name) -> Declared {
        match self.find(name.symbol) {
            Some((Entity::Typedef(declared), _)) => {
                let declared = *declared;
                self.defer_double_of(declared.ty.ty, name);
                return declared;
            }
            Some((Entity::Error, _)) => return Declared::of(self.types.error()),
            Some(_) => {
                let text = self.owned(name.symbol);
                self.error(name.span, format!("'{text}' does not name a type"));
                return Declared::of(self.types.error());
            }
            None => {}
        }
        let text = self.owned(name.symbol);
        if let Some((kind, lanes)) = vector_type(&text) {
            return Declared::of(self.arithmetic_type(kind, lanes, name.span));
        }
        Declared::of(match builtin_type(&text) {
            Some(BuiltinType::Scalar(kind)) => self.types.scalar(kind),
            Some(BuiltinType::Image(dimension)) => self.image_type(dimension, name),
            Some(BuiltinType::Sampler) => self.types.intern(TypeKind::Sampler),
            Some(BuiltinType::Event) => self.types.intern(TypeKind::Event),
            Some(BuiltinType::BFloat16) => self.types.intern(TypeKind::BFloat16),
            Some(BuiltinType::Atomic(kind)) => self.newer_type(TypeKind::Atomic(kind), name),
            Some(BuiltinType::Opaque(opaque)) => self.newer_type(TypeKind::Opaque(opaque), name),
            Some(BuiltinType::MultiSampleImage) => self.multi_sample_image(name, &text),
            None => self.unknown_type(name, &text),
        })
    }

    /// A type that OpenCL C 2.0 introduced.
    fn newer_type(&mut self, kind: TypeKind, name: Name) -> TypeId {
        let what = format!("use of type '{}'", self.text(name.symbol));
        if !self.demand_version(name.span, &what, LanguageVersion::C20) {
            return self.types.error();
        }
        self.types.intern(kind)
    }

    /// Refuses multi-sample images: only OpenGL has them, and nothing is shared with it.
    fn multi_sample_image(&mut self, name: Name, text: &str) -> TypeId {
        let feature = Feature::GlMsaaSharing;
        let message = format!("use of type '{text}' requires {} support", feature.name());
        self.report(
            Diagnostic::error(name.span, message)
                .note("no device offers it: such images exist only in OpenGL, with which nothing is shared")
                .note(feature.instead()),
        );
        self.types.error()
    }

    fn unknown_type(&mut self, name: Name, text: &str) -> TypeId {
        let typedefs = self.scopes.iter().flat_map(|scope| &scope.names);
        let typedefs = typedefs
            .filter(|(_, (entity, _))| matches!(entity, Entity::Typedef(_)))
            .map(|(symbol, _)| self.text(*symbol));
        let builtin = ["float4", "uint", "uchar", "ushort", "ulong", "size_t", "image2d_t", "sampler_t"];
        let best = nearest(text, typedefs.chain(builtin)).map(str::to_owned);
        let mut diagnostic = Diagnostic::error(name.span, format!("unknown type name '{text}'"));
        if let Some(tag) = self.find_tag(name.symbol) {
            let keyword = match tag {
                Tag::Enum(_) => "enum",
                Tag::Record(id) if self.types.record(id).is_union => "union",
                Tag::Record(_) => "struct",
            };
            let message = format!("must use '{keyword}' tag to refer to type '{text}'");
            diagnostic = Diagnostic::error(name.span, message);
        } else if let Some(best) = best {
            diagnostic = diagnostic.suggest(&best);
        }
        self.report(diagnostic);
        self.redeclare(name, Entity::Error);
        self.types.error()
    }

    /// A pipe: read-only unless an access qualifier says otherwise (OpenCL C §6.8).
    fn pipe_type(&mut self, packet: &TypeName, span: Span) -> TypeId {
        let packet = self.type_name(packet).ty.ty;
        self.pipe_of(packet, span)
    }

    /// A pipe of packets of a type.
    pub(super) fn pipe_of(&mut self, packet: TypeId, span: Span) -> TypeId {
        if self.types.is_error(packet) {
            return packet;
        }
        let is_pointer = self.types.pointee(packet).is_some();
        let is_nothing = self.types.layout(packet).is_none_or(|(size, _)| size == 0);
        if is_pointer || self.types.is_parameter_only(packet) || is_nothing {
            let text = self.type_text(packet);
            self.error(span, format!("a pipe of packets of type '{text}' is not allowed"));
            return self.types.error();
        }
        self.types.intern(TypeKind::Opaque(OpaqueType::Pipe { packet, writable: false }))
    }

    fn image_type(&mut self, dimension: ImageDimension, name: Name) -> TypeId {
        if !self.has(Feature::Images) {
            let text = self.owned(name.symbol);
            let message =
                format!("use of type '{text}' requires image support, which the device does not offer");
            self.error(name.span, message);
            return self.types.error();
        }
        // Read-only is the default (OpenCL C §6.8).
        let image = ImageType { dimension, readable: true, writable: false, sampled: SampledType::Unknown };
        self.types.intern(TypeKind::Image(image))
    }

    /// A scalar or vector type; the error type if the device does not support such numbers.
    pub(super) fn arithmetic_type(&mut self, kind: ScalarKind, lanes: u32, span: Span) -> TypeId {
        // A scalar `half` is always a type, because pointers to it are always allowed (OpenCL C §6.11).
        let missing = match kind {
            ScalarKind::Half if lanes > 1 && !self.has(Feature::Fp16) => Some(Feature::Fp16),
            ScalarKind::Double if !self.has(Feature::Fp64) => Some(Feature::Fp64),
            _ => None,
        };
        let ty = self.types.vector(kind, lanes);
        if let Some(feature) = missing {
            let (text, extension) = (self.type_text(ty), feature.name());
            let deferred = self.lack(
                feature,
                &format!("the type '{text}'"),
                Diagnostic::error(span, format!("use of type '{text}' requires {extension} support"))
                    .note("the target device does not offer it"),
            );
            return if deferred { ty } else { self.types.error() };
        }
        ty
    }

    pub(super) fn access_qualified(&mut self, ty: TypeId, qualifiers: &Qualifiers) -> TypeId {
        let Some((access, span)) = qualifiers.access.first().copied() else { return ty };
        if let Some((_, second)) = qualifiers.access.iter().find(|(other, _)| *other != access) {
            self.error(*second, "multiple access qualifiers");
        }
        if self.types.is_error(ty) {
            return ty;
        }
        let kind = self.types.kind(ty).clone();
        if !matches!(kind, TypeKind::Image(_) | TypeKind::Opaque(OpaqueType::Pipe { .. })) {
            self.error(span, "access qualifier can only be used for pipe and image type");
            return ty;
        }
        if access == AccessQualifier::ReadWrite && matches!(kind, TypeKind::Opaque(OpaqueType::Pipe { .. })) {
            self.error(span, "access qualifier 'read_write' can not be used for a pipe");
            return ty;
        }
        if access == AccessQualifier::ReadWrite {
            let (what, feature) = ("the access qualifier 'read_write'", Feature::ReadWriteImages);
            if self.demand_version(span, what, LanguageVersion::C20) && !self.has_since_three(feature) {
                let _ = self.report_lacking_of(span, what, feature);
            }
        }
        let readable = access != AccessQualifier::WriteOnly;
        let writable = access != AccessQualifier::ReadOnly;
        let qualified = match kind {
            TypeKind::Image(image) => TypeKind::Image(ImageType { readable, writable, ..image }),
            TypeKind::Opaque(OpaqueType::Pipe { packet, .. }) => {
                TypeKind::Opaque(OpaqueType::Pipe { packet, writable })
            }
            other => other,
        };
        self.types.intern(qualified)
    }
}
