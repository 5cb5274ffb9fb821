//! The spelling of types in messages.

use super::Checker;
use crate::types::{BFLOAT16, OpaqueType, QualifiedType, ScalarKind, TypeId, TypeKind, TypeQualifiers};
use clvk_ir::{AddressSpace, MatrixUse};

/// The spelling of an address space.
pub(super) fn space_text(space: AddressSpace) -> &'static str {
    match space {
        AddressSpace::Private => "__private",
        AddressSpace::Local => "__local",
        AddressSpace::Global => "__global",
        AddressSpace::Constant => "__constant",
        AddressSpace::Generic => "__generic",
    }
}

fn qualifier_text(qualifiers: TypeQualifiers) -> String {
    let mut text = String::new();
    for (is_set, word) in [(qualifiers.is_const, "const "), (qualifiers.is_volatile, "volatile ")] {
        if is_set {
            text.push_str(word);
        }
    }
    text
}

impl Checker<'_> {
    /// A type, as messages quote it. Recursion is bounded by the nesting of types.
    pub(super) fn type_text(&self, ty: TypeId) -> String {
        match self.types.kind(ty) {
            TypeKind::Error => "<error>".to_owned(),
            TypeKind::Void => "void".to_owned(),
            TypeKind::Scalar(kind) => kind.name().to_owned(),
            TypeKind::Vector(kind, lanes) => format!("{}{lanes}", kind.name()),
            TypeKind::Pointer { pointee, space } => {
                let star =
                    if matches!(self.types.kind(pointee.ty), TypeKind::Pointer { .. }) { "*" } else { " *" };
                format!("{} {}{star}", space_text(*space), self.qualified_text(*pointee))
            }
            TypeKind::Array { .. } => self.array_text(ty),
            TypeKind::Record(id) => {
                let record = self.types.record(*id);
                let keyword = if record.is_union { "union" } else { "struct" };
                if let (true, Some(tag)) = (self.options.cxx.is_some(), record.tag) {
                    return self.owned(tag);
                }
                match (record.tag, self.record_names.get(id)) {
                    (Some(tag), _) => format!("{keyword} {}", self.text(tag)),
                    (None, Some(name)) => self.owned(*name),
                    (None, None) => format!("(unnamed {keyword})"),
                }
            }
            TypeKind::Enum(id) => match self.types.enumeration(*id).tag {
                Some(tag) if self.options.cxx.is_some() => self.owned(tag),
                Some(tag) => format!("enum {}", self.text(tag)),
                None => "(unnamed enum)".to_owned(),
            },
            TypeKind::Function { result, params, .. } => {
                let params: Vec<String> = params.iter().map(|param| self.type_text(*param)).collect();
                let params = if params.is_empty() { "void".to_owned() } else { params.join(", ") };
                format!("{} ({params})", self.type_text(*result))
            }
            TypeKind::Block { result, params } => {
                let params: Vec<String> = params.iter().map(|param| self.type_text(*param)).collect();
                let params = if params.is_empty() { "void".to_owned() } else { params.join(", ") };
                format!("{} (^)({params})", self.type_text(*result))
            }
            TypeKind::Image(image) => {
                let access = match (image.readable, image.writable) {
                    (true, true) => "read_write",
                    (false, true) => "write_only",
                    _ => "read_only",
                };
                format!("{access} {}", image.dimension.type_name())
            }
            TypeKind::Sampler => "sampler_t".to_owned(),
            TypeKind::Matrix(matrix) => {
                let usage = match matrix.usage {
                    MatrixUse::A => "A",
                    MatrixUse::B => "B",
                    MatrixUse::Accumulator => "accumulator",
                };
                let (kind, rows, columns) = (matrix.element.name(), matrix.rows, matrix.columns);
                format!("{kind} coop_mat({rows}, {columns}, {usage})")
            }
            TypeKind::BFloat16 => BFLOAT16.to_owned(),
            TypeKind::AnyMatrix => "cooperative matrix".to_owned(),
            TypeKind::Event => "event_t".to_owned(),
            TypeKind::Atomic(ScalarKind::Bool) => "atomic_flag".to_owned(),
            TypeKind::Atomic(kind) => format!("atomic_{}", kind.name()),
            TypeKind::Opaque(opaque) => self.opaque_text(*opaque),
            TypeKind::Reference { target, space, is_rvalue } => {
                let sign = if *is_rvalue { "&&" } else { "&" };
                let space = match space {
                    AddressSpace::Generic => String::new(),
                    space => format!("{} ", space_text(*space)),
                };
                format!("{space}{} {sign}", self.qualified_text(*target))
            }
            TypeKind::MemberPointer { class, target } => {
                let class = self.types.record(*class).tag.map_or("", |tag| self.text(tag));
                format!("{} {class}::*", self.qualified_text(*target))
            }
            TypeKind::Nullptr => "nullptr_t".to_owned(),
            TypeKind::Auto => "auto".to_owned(),
        }
    }

    fn array_text(&self, ty: TypeId) -> String {
        let mut lengths = String::new();
        let mut inner = QualifiedType::from(ty);
        while let TypeKind::Array { element, length } = self.types.kind(inner.ty) {
            match length {
                Some(length) => lengths.push_str(&format!("[{length}]")),
                None => lengths.push_str("[]"),
            }
            inner = *element;
        }
        format!("{}{lengths}", self.qualified_text(inner))
    }

    /// A type with its qualifiers, as messages quote it.
    pub(super) fn qualified_text(&self, ty: QualifiedType) -> String {
        let text = self.type_text(ty.ty);
        if matches!(self.types.kind(ty.ty), TypeKind::Pointer { .. }) {
            let qualifiers = qualifier_text(ty.qualifiers);
            return format!("{text}{}", qualifiers.trim_end());
        }
        format!("{}{text}", qualifier_text(ty.qualifiers))
    }

    fn opaque_text(&self, opaque: OpaqueType) -> String {
        match opaque {
            OpaqueType::Queue | OpaqueType::NdRange | OpaqueType::ClkEvent | OpaqueType::ReserveId => {
                opaque.name().to_owned()
            }
            OpaqueType::Pipe { packet, writable } => {
                let access = if writable { "write_only" } else { "read_only" };
                format!("{access} pipe {}", self.type_text(packet))
            }
        }
    }
}
