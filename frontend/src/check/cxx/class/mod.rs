//! Classes and enumerations: members, bases, layout, access (\[class\], [dcl.enum]).

pub(super) mod access;
mod empty;
mod enumeration;
mod member_declaration;

use super::scope::{Entity, ScopeId, ScopeKind};
use super::template::{Argument, Pending};
use super::types::Type;
use super::{Cxx, FnId, TemplateId};
use crate::Span;
use crate::ast::Name;
use crate::cxx::ast::{
    Access, Attribute, Base, ClassBody, ClassKey, ClassSpecifier, Id, Initializer, QualifiedName,
};
use crate::diagnostic::Diagnostic;
use crate::symbol::Symbol;
use crate::types::{Member, QualifiedType, RecordId, TypeId, TypeKind};
use rustc_hash::FxHashMap;
use std::cell::OnceCell;
use std::rc::Rc;

/// In the least alignment of a member: it has no natural one.
const PACKED: u32 = 1 << 31;

/// A base class.
#[derive(Clone, Copy, Debug)]
pub(super) struct BaseClass {
    pub record: RecordId,
    pub offset: u64,
    pub access: Access,
    /// Whether its type depends on template parameters: unqualified names are not looked up in it.
    pub is_dependent: bool,
    /// `virtual`, which was refused.
    pub is_virtual: bool,
}

/// Classes that a class may consist of: what is inherited several times counts as often, and is looked
/// through as often.
const BASES: usize = 1000;

/// A member that is not static.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub name: Option<Symbol>,
    pub ty: Type,
    pub offset: u64,
    pub default: Option<Rc<OnceCell<Initializer>>>,
    pub is_mutable: bool,
    /// A member of an anonymous union or structure: a name for a part of another field.
    pub is_injected: bool,
}

/// A class.
#[derive(Debug)]
pub(super) struct Class {
    pub ty: TypeId,
    pub key: ClassKey,
    pub name: Option<Symbol>,
    /// The scope of its members.
    pub scope: ScopeId,
    pub bases: Vec<BaseClass>,
    pub fields: Vec<Field>,
    pub constructors: Vec<FnId>,
    pub destructor: Option<FnId>,
    pub conversions: Vec<FnId>,
    pub friends: Vec<(Symbol, FnId)>,
    pub friend_classes: Vec<TypeId>,
    pub friend_templates: Vec<TemplateId>,
    pub access: FxHashMap<Symbol, Access>,
    pub is_complete: bool,
    pub is_being_defined: bool,
    pub is_final: bool,
    /// The library's class of specialisation constants.
    pub is_spec_constant: bool,
    /// Has members or bases that are not public.
    pub has_hidden_parts: bool,
    /// Bytes without the padding at the end, which a derived class may use.
    pub data_size: u64,
    /// Whether it or a part of it is an object of an empty class.
    pub has_empty_parts: bool,
    pub instance: Option<(TemplateId, Rc<[Argument]>)>,
    /// Whether it represents a template parameter, or is an instance for such a class.
    pub is_placeholder: bool,
    /// The definition, if it is instantiated when it is needed.
    pub pending: Option<Pending>,
    /// For a closure: its function.
    pub closure: Option<FnId>,
    /// Constructors that are made if a program does not declare them.
    pub implicit: super::special::Implicit,
    pub span: Span,
}

impl Cxx<'_> {
    /// Adds a class that is not yet complete.
    pub(super) fn add_class(
        &mut self,
        name: Option<Name>,
        key: ClassKey,
        outer: ScopeId,
        span: Span,
    ) -> RecordId {
        let record = self.types.add_record(name.map(|name| name.symbol), key == ClassKey::Union);
        let ty = self.types.intern(TypeKind::Record(record));
        let scope = self.new_scope(outer, ScopeKind::Class(record));
        self.scopes[scope.0 as usize].name = name.map(|name| name.symbol);
        self.classes.insert(
            record,
            Class {
                ty,
                key,
                name: name.map(|name| name.symbol),
                scope,
                bases: Vec::new(),
                fields: Vec::new(),
                constructors: Vec::new(),
                destructor: None,
                conversions: Vec::new(),
                friends: Vec::new(),
                friend_classes: Vec::new(),
                friend_templates: Vec::new(),
                access: FxHashMap::default(),
                is_complete: false,
                is_being_defined: false,
                is_final: false,
                is_spec_constant: false,
                has_hidden_parts: false,
                data_size: 0,
                has_empty_parts: false,
                instance: None,
                is_placeholder: false,
                pending: None,
                closure: None,
                implicit: super::special::Implicit::default(),
                span,
            },
        );
        record
    }

    pub(super) fn class(&self, record: RecordId) -> &Class {
        &self.classes[&record]
    }

    pub(super) fn class_mut(&mut self, record: RecordId) -> &mut Class {
        self.classes.get_mut(&record).expect("every record of C++ is a class")
    }

    /// `class x`, with its definition if it has one.
    pub(super) fn class_specifier(&mut self, specifier: &Rc<ClassSpecifier>, is_friend: bool) -> Type {
        let Some(body) = &specifier.body else {
            return self.elaborated_class(specifier, is_friend);
        };
        if let Some(name) = &specifier.name
            && name.last().arguments.is_some()
        {
            // An explicit specialisation was made by `template <>`.
            return self.named_type(name);
        }
        let record = match &specifier.name {
            Some(name) => match self.class_to_define(specifier, name) {
                Some(record) => record,
                None => return self.error_type(),
            },
            None => self.add_class(None, specifier.key, self.scope, specifier.span),
        };
        self.define_class(record, specifier, body);
        Type::of(self.class(record).ty)
    }

    /// The class that a definition defines: one that was declared before, or a new one.
    fn class_to_define(&mut self, specifier: &ClassSpecifier, name: &QualifiedName) -> Option<RecordId> {
        let Id::Name(symbol) = name.last().id else { return None };
        let at = Name { symbol, span: name.last().span };
        let scope = if name.is_qualified() {
            match self.prefix(name)? {
                super::lookup::Within::Scope(scope) => scope,
                super::lookup::Within::Scalar(_) => return None,
            }
        } else {
            self.scope
        };
        let known = self.scope_ref(scope).names.get(&symbol).cloned();
        if let Some(slot) = &known
            && let Some(ty) = match (&slot.entity, slot.hidden_type) {
                (Entity::Type(ty), _) => Some(*ty),
                (_, hidden) => hidden,
            }
            && let Some(record) = self.record_of(ty.ty())
            && self.classes.contains_key(&record)
        {
            let class = self.class(record);
            if class.is_complete || class.is_being_defined {
                let diagnostic =
                    Diagnostic::error(at.span, format!("redefinition of '{}'", self.owned(symbol)));
                let previous = slot.span;
                self.report(diagnostic.related(previous, "previous definition is here"));
                return None;
            }
            self.class_mut(record).span = at.span;
            return Some(record);
        }
        if name.is_qualified() {
            self.unknown_in(Some(super::lookup::Within::Scope(scope)), at, "a class");
            return None;
        }
        let record = self.add_class(Some(at), specifier.key, scope, at.span);
        let ty = Type::of(self.class(record).ty);
        self.declare_in(scope, at, Entity::Type(ty));
        Some(record)
    }

    fn elaborated_class(&mut self, specifier: &ClassSpecifier, is_friend: bool) -> Type {
        let Some(name) = &specifier.name else { return self.error_type() };
        if name.is_qualified() || name.last().arguments.is_some() {
            return self.named_type(name);
        }
        let Id::Name(symbol) = name.last().id else { return self.error_type() };
        if let Some(found) = self.find(symbol) {
            match (found.entity, found.hidden_type) {
                (Entity::Type(ty), _) | (_, Some(ty)) => {
                    if let Some(record) = self.record_of(ty.ty())
                        && self.types.record(record).is_union != (specifier.key == ClassKey::Union)
                    {
                        let text = self.owned(symbol);
                        self.error(
                            name.span,
                            format!("use of '{text}' with tag type that does not match previous declaration"),
                        );
                    }
                    return ty;
                }
                (Entity::Template(_), _) => return self.named_type(name),
                _ => {}
            }
        }
        let at = Name { symbol, span: name.last().span };
        let scope = if is_friend { self.enclosing_namespace(self.scope) } else { self.scope };
        let record = self.add_class(Some(at), specifier.key, scope, at.span);
        let ty = Type::of(self.class(record).ty);
        self.declare_in(scope, at, Entity::Type(ty));
        ty
    }

    /// Whether a class is complete; instances of templates are made so.
    pub(super) fn require_complete(&mut self, record: RecordId, span: Span) -> bool {
        let Some(class) = self.classes.get_mut(&record) else { return true };
        if class.is_complete {
            return true;
        }
        if class.is_being_defined {
            return false;
        }
        match class.pending.take() {
            Some(pending) => self.instantiate_class(record, pending, span),
            None => self.define_outside(record, span),
        }
    }

    /// Whether objects of a type can exist; an error if not.
    pub(super) fn complete(&mut self, ty: TypeId, span: Span, what: &str) -> bool {
        let inner = self.element_of(ty);
        if let Some(record) = self.record_of(inner)
            && !self.require_complete(record, span)
        {
            let text = self.type_text(ty);
            let declared = self.class(record).span;
            let diagnostic = Diagnostic::error(span, format!("{what} has incomplete type '{text}'"));
            self.report(diagnostic.related(declared, format!("'{text}' is declared here")));
            return false;
        }
        true
    }

    /// The type that an array of any dimensions has in the end.
    pub(super) fn element_of(&self, ty: TypeId) -> TypeId {
        let mut inner = ty;
        while let TypeKind::Array { element, .. } = self.types.kind(inner) {
            inner = element.ty;
        }
        inner
    }

    /// Bases, members and layout.
    pub(super) fn define_class(&mut self, record: RecordId, specifier: &ClassSpecifier, body: &ClassBody) {
        let scope = self.class(record).scope;
        self.class_mut(record).is_being_defined = true;
        self.class_mut(record).key = specifier.key;
        self.class_mut(record).is_final = specifier.is_final;
        if let Some(symbol) = self.class(record).name {
            // The injected class name.
            let ty = Type::of(self.class(record).ty);
            let name = Name { symbol, span: specifier.span };
            let plain = self.plain_class_name(record);
            self.bind_in(scope, Name { symbol: plain.unwrap_or(name.symbol), ..name }, Entity::Type(ty));
        }
        let has = |name| specifier.attributes.iter().any(|attribute| attribute.name == name);
        self.types.record_mut(record).is_wrapper = has("clvk_wrapper");
        self.class_mut(record).is_spec_constant = has("clvk_spec_constant");
        self.in_scope(scope, |cxx| {
            for base in &body.bases {
                match &base.expansion {
                    Some(names) => {
                        cxx.expand(names, base.span, |cxx| cxx.base_class(record, specifier.key, base));
                    }
                    None => cxx.base_class(record, specifier.key, base),
                }
            }
            for (access, member) in &body.members {
                cxx.member(record, *access, member);
            }
        });
        let attributes = specifier.attributes.clone();
        let (least, packed) = self.in_scope(scope, |cxx| cxx.layout_attributes(&attributes));
        let pack = if packed { Some(1) } else { specifier.pack };
        self.lay_out(record, least, pack);
        self.in_scope(scope, |cxx| cxx.check_class_alignas(record, &attributes));
        let class = self.class_mut(record);
        class.is_complete = true;
        class.is_being_defined = false;
        self.declare_implicit(record);
    }

    /// Checks the `alignas` of a class against what its parts need.
    fn check_class_alignas(&mut self, record: RecordId, attributes: &[Attribute]) {
        let class = self.class(record);
        let ty = class.ty;
        let parts: Vec<TypeId> = class.fields.iter().map(|field| field.ty.ty()).collect();
        let bases: Vec<TypeId> = class.bases.iter().map(|base| self.class(base.record).ty).collect();
        let aligns = class.implicit.field_aligns.iter().copied().max();
        let of = |cxx: &mut Self, ty: TypeId| {
            let ty = cxx.hir_type(ty);
            cxx.types.layout(ty).map_or(1, |(_, align)| align)
        };
        let natural = parts.into_iter().chain(bases).map(|ty| of(self, ty)).max();
        self.check_alignas(attributes, natural.max(aligns).unwrap_or(1), ty);
    }

    /// The name by which a class names itself: for an instance, the template's.
    pub(in crate::check::cxx) fn plain_class_name(&self, record: RecordId) -> Option<Symbol> {
        let class = self.class(record);
        match &class.instance {
            Some((template, _)) => Some(self.templates[template.0 as usize].name.symbol),
            None => class.name,
        }
    }

    fn base_class(&mut self, record: RecordId, key: ClassKey, base: &Base) {
        if let Some(span) = base.is_virtual {
            self.error(span, "virtual base classes are not supported in C++ for OpenCL (§2.1)");
        }
        let ty = self.named_type(&base.ty);
        if self.is_error_type(ty) {
            return;
        }
        let Some(parent) = self.record_of(ty.ty()) else {
            let text = self.text_of(ty);
            self.error(base.span, format!("base specifier must name a class, not '{text}'"));
            return;
        };
        if !self.complete(ty.ty(), base.span, "base class") {
            return;
        }
        if self.types.record(parent).is_union || key == ClassKey::Union {
            self.error(base.span, "unions cannot be or have base classes");
            return;
        }
        if self.class(parent).is_final {
            let text = self.text_of(ty);
            self.error(base.span, format!("base '{text}' is marked 'final'"));
        }
        if self.class(record).bases.iter().any(|known| known.record == parent) {
            let text = self.text_of(ty);
            self.error(
                base.span,
                format!("base class '{text}' specified more than once as a direct base class"),
            );
            return;
        }
        let default = if key == ClassKey::Class { Access::Private } else { Access::Public };
        let access = base.access.unwrap_or(default);
        let is_dependent = base.names.iter().any(|name| self.is_template_parameter(*name));
        let is_virtual = base.is_virtual.is_some();
        let (own, inherited) = (self.count_bases(record), self.count_bases(parent));
        if own.saturating_add(inherited) > BASES {
            self.error(base.span, format!("a class has more than {BASES} base classes, directly or not"));
            return;
        }
        let class = self.class_mut(record);
        class.has_hidden_parts |= access != Access::Public;
        class.bases.push(BaseClass { record: parent, offset: 0, access, is_dependent, is_virtual });
    }

    /// The number of classes that a class consists of, itself included.
    fn count_bases(&self, record: RecordId) -> usize {
        let class = self.classes.get(&record);
        1 + class
            .map_or(0, |class| class.bases.iter().map(|base| self.count_bases(base.record)).sum::<usize>())
    }

    fn set_access(&mut self, record: RecordId, symbol: Symbol, access: Access) {
        self.class_mut(record).access.insert(symbol, access);
    }

    /// Offsets, size and alignment, as the Itanium C++ ABI has them (§2.4 there), which clang follows.
    pub(super) fn lay_out(&mut self, record: RecordId, least: u32, pack: Option<u32>) {
        let is_union = self.types.record(record).is_union;
        let (mut end, mut align) = (0u64, 1u32);
        let mut members = Vec::new();
        let mut bases = self.class(record).bases.clone();
        let mut is_empty = true;
        let mut parts = empty::EmptyParts::default();
        // What empty bases need beyond the end of the data.
        let mut least_size = 0;
        for base in &mut bases {
            let (ty, data) = (self.class(base.record).ty, self.class(base.record).data_size);
            let (_, base_align) = self.types.layout(ty).unwrap_or((1, 1));
            let base_align = pack.map_or(base_align, |pack| base_align.min(pack));
            align = align.max(base_align);
            let step = u64::from(base_align);
            if data == 0 {
                base.offset = self.place_empty_base(ty, end, step, &mut parts);
                least_size = least_size.max(base.offset + self.types.layout(ty).map_or(1, |(size, _)| size));
            } else {
                base.offset = self.place_apart(ty, end.next_multiple_of(step), step, &mut parts);
                end = base.offset + data;
                is_empty = false;
            }
            members.push(Member { name: None, ty: QualifiedType::from(ty), offset: base.offset });
        }
        let mut fields = self.class(record).fields.clone();
        let aligns = self.class(record).implicit.field_aligns.clone();
        for (index, field) in fields.iter_mut().enumerate() {
            if field.is_injected {
                continue;
            }
            let hir = self.hir_type(field.ty.ty());
            let (size, natural) = self.types.layout(hir).unwrap_or((1, 1));
            let pack = if aligns[index] & PACKED != 0 { Some(1) } else { pack };
            let natural = pack.map_or(natural, |pack| natural.min(pack)).max(aligns[index] & !PACKED);
            align = align.max(natural);
            is_empty = false;
            if is_union {
                field.offset = 0;
                end = end.max(size);
            } else {
                let step = u64::from(natural);
                field.offset = self.place_apart(hir, end.next_multiple_of(step), step, &mut parts);
                end = field.offset.saturating_add(size);
            }
            let q = QualifiedType { ty: hir, qualifiers: field.ty.q.qualifiers };
            members.push(Member { name: field.name, ty: q, offset: field.offset });
        }
        let injected = self.class(record).implicit.injected.clone();
        for (index, inner, number, _) in injected {
            let outer =
                fields[..index].iter().rev().find(|field| !field.is_injected).map_or(0, |field| field.offset);
            fields[index].offset = outer + self.class(inner).fields[number].offset;
        }
        let align = align.max(least);
        let size = end.max(least_size).next_multiple_of(u64::from(align)).max(u64::from(align));
        let is_pod = self.class(record).bases.is_empty()
            && !self.class(record).has_hidden_parts
            && self.class(record).constructors.is_empty()
            && self.class(record).destructor.is_none();
        let data_size = match is_empty {
            true => 0,
            false if is_pod => size,
            false => end,
        };
        let has_empty_parts = is_empty || !parts.is_empty();
        let class = self.class_mut(record);
        class.has_empty_parts = has_empty_parts;
        class.data_size = data_size;
        class.bases = bases;
        class.fields = fields;
        let definition = self.types.record_mut(record);
        definition.members = Some(members);
        definition.size = size;
        definition.padding = size - data_size;
        definition.align = align;
    }

    /// Whether a class is another one, or derived from it: the offset of that base and the number of steps.
    pub(super) fn base_offset(&self, derived: RecordId, base: RecordId) -> Option<(u64, u32)> {
        if derived == base {
            return Some((0, 0));
        }
        self.classes.get(&derived)?.bases.iter().find_map(|parent| {
            let (offset, steps) = self.base_offset(parent.record, base)?;
            Some((offset + parent.offset, steps + 1))
        })
    }

    /// Whether a class has several bases of one class.
    pub(super) fn is_ambiguous_base(&self, derived: RecordId, base: RecordId) -> bool {
        fn count(cxx: &Cxx, derived: RecordId, base: RecordId) -> usize {
            if derived == base {
                return 1;
            }
            cxx.classes.get(&derived).map_or(0, |class| {
                let bases = class.bases.iter().filter(|parent| !parent.is_virtual);
                bases.map(|parent| count(cxx, parent.record, base)).sum()
            })
        }
        count(self, derived, base) > 1
    }
}
