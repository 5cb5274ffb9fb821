//! Structures, unions and enumerations: their members and layout (C99 §6.7.2, OpenCL C §6.3.5).

use super::scope::{Entity, Tag};
use super::{Checker, TYPE_NESTING};
use crate::Span;
use crate::ast::{Derived, EnumSpecifier, MemberDeclaration, Name, RecordSpecifier, TypeSpecifier};
use crate::diagnostic::Diagnostic;
use crate::hir::{Constant, Expr, ExprKind};
use crate::symbol::Symbol;
use crate::types::{EnumId, Member, QualifiedType, RecordId, ScalarKind, TypeId, TypeKind};

/// A member as declared.
struct Declared {
    name: Option<Name>,
    ty: QualifiedType,
    align: u32,
    packed: bool,
    span: Span,
}

impl Checker<'_> {
    /// The type of a `struct` or `union` specifier.
    pub(super) fn record_specifier(&mut self, specifier: &RecordSpecifier) -> TypeId {
        let Some(members) = &specifier.members else {
            let Some(tag) = specifier.tag else { return self.types.error() };
            return self.named_record(tag, specifier.is_union, false);
        };
        let ty = match specifier.tag {
            Some(tag) => self.named_record(tag, specifier.is_union, true),
            None => {
                let id = self.types.add_record(None, specifier.is_union);
                self.types.intern(TypeKind::Record(id))
            }
        };
        let TypeKind::Record(id) = *self.types.kind(ty) else { return ty };
        if self.types.record(id).members.is_some() {
            let text = self.type_text(ty);
            let place = specifier.tag.map_or(specifier.span, |tag| tag.span);
            let mut diagnostic = Diagnostic::error(place, format!("redefinition of '{text}'"));
            let previous = specifier.tag.and_then(|tag| self.find_tag_here(tag.symbol));
            if let Some((_, previous)) = previous {
                diagnostic = diagnostic.related(previous, "previous definition is here");
            }
            self.report(diagnostic);
            return self.types.error();
        }
        let declared: Vec<Declared> =
            members.iter().flat_map(|member| self.member_declaration(member)).collect();
        if members.iter().any(|member| declares_host_sized(self, member)) {
            self.host_sized_records.insert(id);
        }
        if specifier.is_broken {
            self.broken_records.insert(id);
        }
        if declared.is_empty() && (!members.is_empty() || specifier.is_broken) {
            // Every member had an error.
            self.types.record_mut(id).members = Some(Vec::new());
            return self.types.error();
        }
        self.lay_out(id, &declared, specifier);
        ty
    }

    /// The structure that a tag names; `define` creates one in this scope.
    fn named_record(&mut self, tag: Name, is_union: bool, define: bool) -> TypeId {
        let known = if define {
            self.find_tag_here(tag.symbol).map(|(tag, _)| tag)
        } else {
            self.find_tag(tag.symbol)
        };
        match known {
            Some(Tag::Record(id)) if self.types.record(id).is_union == is_union => {
                self.types.intern(TypeKind::Record(id))
            }
            Some(_) => {
                let text = self.owned(tag.symbol);
                self.error(
                    tag.span,
                    format!("use of '{text}' with tag type that does not match previous declaration"),
                );
                self.types.error()
            }
            None => {
                let id = self.types.add_record(Some(tag.symbol), is_union);
                self.declare_tag(tag.symbol, Tag::Record(id), tag.span);
                self.types.intern(TypeKind::Record(id))
            }
        }
    }

    fn member_declaration(&mut self, member: &MemberDeclaration) -> Vec<Declared> {
        for (_, span) in &member.specifiers.storage {
            self.error(*span, "a member cannot have a storage class");
        }
        if let Some(span) = member.specifiers.is_kernel {
            self.error(span, "'__kernel' can only be applied to functions");
        }
        let base = self.specifiers(&member.specifiers);
        if member.declarators.is_empty() {
            return self.anonymous_member(base.ty, member);
        }
        let mut result = Vec::new();
        for (declarator, width) in &member.declarators {
            if width.is_some() {
                self.error(member.span, "bit-fields are not supported in OpenCL");
                continue;
            }
            let Some(declarator) = declarator else { continue };
            let declared = self.declarator_type(base, declarator);
            let span = declarator.name.map_or(declarator.span, |name| name.span);
            if declared.space.is_some_and(|space| space != clvk_ir::AddressSpace::Private) {
                self.error(span, "field may not be qualified with an address space");
                continue;
            }
            if !self.check_member_type(declared.ty.ty, span) {
                continue;
            }
            let attributes = member.specifiers.attributes.iter().chain(&declarator.attributes);
            let (align, packed) = self.layout_attributes(attributes);
            let align = align.max(declared.align);
            result.push(Declared { name: declarator.name, ty: declared.ty, align, packed, span });
        }
        result
    }

    fn anonymous_member(&mut self, ty: QualifiedType, member: &MemberDeclaration) -> Vec<Declared> {
        match self.types.kind(ty.ty) {
            TypeKind::Error => Vec::new(),
            TypeKind::Record(id) if self.types.record(*id).tag.is_none() => {
                let (align, packed) = self.layout_attributes(member.specifiers.attributes.iter());
                vec![Declared { name: None, ty, align, packed, span: member.span }]
            }
            _ => {
                self.warn(member.span, "declaration does not declare anything");
                Vec::new()
            }
        }
    }

    fn check_member_type(&mut self, ty: TypeId, span: Span) -> bool {
        let text = self.type_text(ty);
        match self.types.kind(ty) {
            TypeKind::Error => return false,
            TypeKind::Function { .. } => {
                self.error(span, "field is declared as a function");
                return false;
            }
            TypeKind::Array { length: None, .. } => {
                self.error(span, "flexible array members are not supported in OpenCL");
                return false;
            }
            _ if self.types.is_parameter_only(ty)
                || self.types.holds_matrices(ty)
                || matches!(self.types.kind(ty), TypeKind::Event | TypeKind::Block { .. }) =>
            {
                let message =
                    format!("the '{text}' type cannot be used to declare a structure or union field");
                self.error(span, message);
                return false;
            }
            _ => {}
        }
        // A `half` in memory is only bytes; using it as a value needs cl_khr_fp16.
        if self.types.layout(ty).is_none() {
            self.error(span, format!("field has incomplete type '{text}'"));
            return false;
        }
        if self.record_nesting(ty) >= TYPE_NESTING {
            self.error(span, format!("structures are nested more than {TYPE_NESTING} levels deep"));
            return false;
        }
        true
    }

    /// The nesting depth of structures in this type.
    fn record_nesting(&self, ty: TypeId) -> usize {
        let mut inner = ty;
        while let TypeKind::Array { element, .. } = self.types.kind(inner) {
            inner = element.ty;
        }
        let TypeKind::Record(id) = self.types.kind(inner) else { return 0 };
        self.record_depths.get(id).copied().unwrap_or(0)
    }

    /// Determines offsets, size and alignment. `#pragma pack` bounds the alignment of members, whatever its
    /// source.
    fn lay_out(&mut self, id: RecordId, declared: &[Declared], specifier: &RecordSpecifier) {
        let (min_align, packed) = self.layout_attributes(specifier.attributes.iter());
        let is_union = self.types.record(id).is_union;
        let mut names: Vec<(Symbol, Span)> = Vec::new();
        let mut members = Vec::new();
        let (mut size, mut align) = (0u64, min_align);
        for member in declared {
            self.check_unique(member, &mut names);
            let Some((member_size, natural)) = self.types.layout(member.ty.ty) else { continue };
            let natural = if packed || member.packed { 1 } else { natural };
            let member_align = natural.max(member.align).min(specifier.pack.unwrap_or(u32::MAX));
            align = align.max(member_align);
            let offset = if is_union { 0 } else { size.next_multiple_of(u64::from(member_align)) };
            let end = offset.saturating_add(member_size);
            size = size.max(end);
            if size > i64::MAX as u64 / 2 {
                self.error(member.span, "the structure is too large");
                size = 0;
            }
            members.push(Member { name: member.name.map(|name| name.symbol), ty: member.ty, offset });
        }
        let depth = members.iter().map(|member| self.record_nesting(member.ty.ty)).max().unwrap_or(0);
        self.record_depths.insert(id, depth + 1);
        let record = self.types.record_mut(id);
        record.members = Some(members);
        record.size = size.next_multiple_of(u64::from(align));
        record.align = align;
    }

    /// Reports a duplicate member name, also in anonymous members.
    fn check_unique(&mut self, member: &Declared, names: &mut Vec<(Symbol, Span)>) {
        let mut own = Vec::new();
        match member.name {
            Some(name) => own.push(name.symbol),
            None => self.anonymous_names(member.ty.ty, &mut own),
        }
        for symbol in own {
            if let Some((_, previous)) = names.iter().find(|(other, _)| *other == symbol) {
                let previous = *previous;
                let message = format!("duplicate member '{}'", self.text(symbol));
                let diagnostic = Diagnostic::error(member.span, message);
                self.report(diagnostic.related(previous, "previous declaration is here"));
            } else {
                names.push((symbol, member.span));
            }
        }
    }

    fn anonymous_names(&self, ty: TypeId, names: &mut Vec<Symbol>) {
        let TypeKind::Record(id) = self.types.kind(ty) else { return };
        for member in self.types.record(*id).members.iter().flatten() {
            match member.name {
                Some(name) => names.push(name),
                None => self.anonymous_names(member.ty.ty, names),
            }
        }
    }

    /// The type of an `enum` specifier.
    pub(super) fn enum_specifier(&mut self, specifier: &EnumSpecifier) -> TypeId {
        let Some(enumerators) = &specifier.enumerators else {
            let Some(tag) = specifier.tag else { return self.types.error() };
            return match self.find_tag(tag.symbol) {
                Some(Tag::Enum(id)) => self.types.intern(TypeKind::Enum(id)),
                Some(Tag::Record(_)) => {
                    let text = self.owned(tag.symbol);
                    let message =
                        format!("use of '{text}' with tag type that does not match previous declaration");
                    self.error(tag.span, message);
                    self.types.error()
                }
                None => {
                    let text = self.owned(tag.symbol);
                    self.error(tag.span, format!("'enum {text}' is not defined"));
                    self.types.error()
                }
            };
        };
        let id = self.types.add_enum(specifier.tag.map(|tag| tag.symbol));
        if let Some(tag) = specifier.tag {
            if let Some((_, previous)) = self.find_tag_here(tag.symbol) {
                let message = format!("redefinition of '{}'", self.text(tag.symbol));
                let diagnostic = Diagnostic::error(tag.span, message);
                self.report(diagnostic.related(previous, "previous definition is here"));
            } else {
                self.declare_tag(tag.symbol, Tag::Enum(id), tag.span);
            }
        }
        let is_packed = specifier.attributes.iter().any(|it| self.attribute_name(it) == "packed");
        self.enumerators(id, enumerators, is_packed);
        self.types.intern(TypeKind::Enum(id))
    }

    fn enumerators(&mut self, id: EnumId, enumerators: &[(Name, Option<crate::ast::Expr>)], is_packed: bool) {
        let mut next = 0i128;
        let (mut low, mut high) = (0i128, 0i128);
        for (name, value) in enumerators {
            if let Some(value) = value {
                next = self.integer_constant(value).unwrap_or(next);
            }
            let kind = integer_kind(next, next);
            let ty = self.types.scalar(kind);
            self.declare(*name, Entity::Enumerator(next, ty));
            (low, high) = (low.min(next), high.max(next));
            next += 1;
        }
        self.types.enumeration_mut(id).underlying = Some(enumeration_kind(low, high, is_packed));
    }

    /// A constant of an integer type.
    pub(super) fn integer_literal(&mut self, value: i128, ty: TypeId, span: Span) -> Expr {
        let kind = self.types.as_scalar(ty).expect("an integer type");
        let bits = value as u64 & super::constant::mask(kind);
        Expr { kind: ExprKind::Constant(Constant::Bits(bits)), ty, span }
    }
}

/// Whether a member is declared with a type whose size differs between host and device (OpenCL C §6.11).
fn declares_host_sized(checker: &Checker, member: &MemberDeclaration) -> bool {
    let TypeSpecifier::Named(name) = &member.specifiers.ty else { return false };
    matches!(checker.text(name.symbol), "size_t" | "ptrdiff_t" | "intptr_t" | "uintptr_t")
        && member
            .declarators
            .iter()
            .flat_map(|(declarator, _)| declarator)
            .any(|declarator| declarator.derived.iter().all(|part| matches!(part, Derived::Array { .. })))
}

/// The type of an enumeration with these least and greatest values; with `packed` the smallest one.
pub(super) fn enumeration_kind(low: i128, high: i128, is_packed: bool) -> ScalarKind {
    let small = [ScalarKind::UChar, ScalarKind::Char, ScalarKind::UShort, ScalarKind::Short];
    let fits = |kind: &ScalarKind| {
        let bits = kind.scalar().bits() - u32::from(kind.is_signed());
        (low >= 0 || kind.is_signed() && low >= -(1 << bits)) && high < 1 << bits
    };
    small.into_iter().filter(|_| is_packed).find(fits).unwrap_or_else(|| integer_kind(low, high))
}

/// The first of `int`, `uint`, `long` and `ulong` that holds these values.
fn integer_kind(low: i128, high: i128) -> ScalarKind {
    if low >= i128::from(i32::MIN) && high <= i128::from(i32::MAX) {
        ScalarKind::Int
    } else if low >= 0 && high <= i128::from(u32::MAX) {
        ScalarKind::UInt
    } else if low >= i128::from(i64::MIN) && high <= i128::from(i64::MAX) {
        ScalarKind::Long
    } else {
        ScalarKind::ULong
    }
}
