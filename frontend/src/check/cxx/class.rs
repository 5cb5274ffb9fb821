//! Classes and enumerations: members, bases, layout, access ([class], [dcl.enum]).

use super::function::Owner;
use super::scope::{Entity, ScopeId, ScopeKind};
use super::template::{Argument, Pending};
use super::types::Type;
use super::{Cxx, FnId, TemplateId};
use crate::Span;
use crate::ast::Name;
use crate::cxx::ast::{
    Access, Base, ClassBody, ClassKey, ClassSpecifier, Decl, DeclKind, EnumSpecifier, Id, InitDeclarator,
    Initializer, QualifiedName, Specifiers,
};
use crate::diagnostic::Diagnostic;
use crate::symbol::Symbol;
use crate::types::{Member, QualifiedType, RecordId, ScalarKind, TypeId, TypeKind};
use rustc_hash::FxHashMap;
use std::cell::OnceCell;
use std::rc::Rc;

/// A base class.
#[derive(Clone, Copy, Debug)]
pub(super) struct BaseClass {
    pub record: RecordId,
    pub offset: u64,
    pub access: Access,
}

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
    pub span: Span,
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
    /// Has members or bases that are not public.
    pub has_hidden_parts: bool,
    /// Bytes without the padding at the end, which a derived class may use.
    pub data_size: u64,
    pub instance: Option<(TemplateId, Rc<[Argument]>)>,
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
                has_hidden_parts: false,
                data_size: 0,
                instance: None,
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
            None => false,
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
        if let Some(symbol) = self.class(record).name {
            // The injected class name.
            let ty = Type::of(self.class(record).ty);
            let name = Name { symbol, span: specifier.span };
            let plain = self.plain_class_name(record);
            self.bind_in(scope, Name { symbol: plain.unwrap_or(name.symbol), ..name }, Entity::Type(ty));
        }
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
        let class = self.class_mut(record);
        class.is_complete = true;
        class.is_being_defined = false;
        self.declare_implicit(record);
    }

    /// The name by which a class names itself: for an instance, the template's.
    fn plain_class_name(&self, record: RecordId) -> Option<Symbol> {
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
        let class = self.class_mut(record);
        class.has_hidden_parts |= access != Access::Public;
        class.bases.push(BaseClass { record: parent, offset: 0, access });
    }

    fn set_access(&mut self, record: RecordId, symbol: Symbol, access: Access) {
        self.class_mut(record).access.insert(symbol, access);
    }

    /// A member declaration.
    pub(super) fn member(&mut self, record: RecordId, access: Access, decl: &Rc<Decl>) {
        match &decl.kind {
            DeclKind::Simple { specifiers, declarators } => {
                self.member_objects(record, access, specifiers, declarators, decl.span);
            }
            DeclKind::Function(function) => {
                let owner = Owner { record, access };
                if let Some(id) = self.method(function, decl.span, owner) {
                    self.note_member_access(record, id, access);
                }
            }
            DeclKind::Template(template) => {
                if let Some(symbol) =
                    self.template_declaration(template, decl.span, Some(Owner { record, access }))
                {
                    self.set_access(record, symbol, access);
                }
            }
            DeclKind::Using(list) => {
                for (name, expansion) in list {
                    match expansion {
                        Some(names) => {
                            let class = self.scope;
                            self.expand(names, name.span, |cxx| {
                                cxx.member_using(record, access, name, class)
                            });
                        }
                        None => self.member_using(record, access, name, self.scope),
                    }
                }
            }
            DeclKind::Alias { name, ty } => {
                let ty = self.type_name(ty);
                self.declare(*name, Entity::Type(ty));
                self.set_access(record, name.symbol, access);
            }
            _ => {
                let before: Vec<Symbol> = self.scope_ref(self.scope).names.keys().copied().collect();
                self.declaration(decl, None);
                let after: Vec<Symbol> = self.scope_ref(self.scope).names.keys().copied().collect();
                for symbol in after.into_iter().filter(|symbol| !before.contains(symbol)) {
                    self.set_access(record, symbol, access);
                }
            }
        }
    }

    fn note_member_access(&mut self, record: RecordId, id: FnId, access: Access) {
        if let Some(symbol) = self.functions[id.0 as usize].symbol {
            // Overloads may differ; the most open one decides for the name, and each function has its own.
            let known = self.class(record).access.get(&symbol).copied();
            let access = known.map_or(access, |known| known.min(access));
            self.set_access(record, symbol, access);
        }
    }

    /// `using Base::member;`
    fn member_using(&mut self, record: RecordId, access: Access, name: &QualifiedName, class: ScopeId) {
        let Some(super::lookup::Within::Scope(scope)) = self.prefix(name) else {
            self.error(name.span, "a using declaration in a class must name a member of a base class");
            return;
        };
        let Id::Name(symbol) = name.last().id else {
            if let Id::Operator(operator) = name.last().id {
                let symbol = self.operator_symbol(operator);
                self.in_scope(class, |cxx| {
                    cxx.use_member(record, access, scope, Name { symbol, span: name.span })
                });
            }
            return;
        };
        let base = self.enclosing_class(scope);
        // Inheriting constructors ([namespace.udecl]).
        if let Some(base) = base
            && self.plain_class_name(base) == Some(symbol)
        {
            let inherited: Vec<FnId> = self.class(base).constructors.clone();
            for id in inherited {
                self.inherit_constructor(record, id, access);
            }
            return;
        }
        self.in_scope(class, |cxx| cxx.use_member(record, access, scope, Name { symbol, span: name.span }));
    }

    fn use_member(&mut self, record: RecordId, access: Access, scope: ScopeId, name: Name) {
        match self.find_in(scope, name.symbol) {
            Some(found) => {
                // What the class declares itself hides what it takes over with the same parameters.
                let own = self.scope_ref(self.scope).names.get(&name.symbol).map(|slot| slot.entity.clone());
                match (own, found.entity) {
                    (Some(Entity::Functions(own)), Entity::Functions(mut more)) => {
                        more.retain(|id| {
                            !own.iter().any(|known| known == id || self.same_parameters(*known, *id))
                        });
                        let all = own.into_iter().chain(more).collect();
                        self.bind(name, Entity::Functions(all));
                    }
                    (_, entity) => self.bind(name, entity),
                }
                self.set_access(record, name.symbol, access);
            }
            None => self.unknown_in(Some(super::lookup::Within::Scope(scope)), name, "a member"),
        }
    }

    fn member_objects(
        &mut self,
        record: RecordId,
        access: Access,
        specifiers: &Rc<Specifiers>,
        declarators: &[InitDeclarator],
        span: Span,
    ) {
        if specifiers.is_friend.is_some() {
            let ty = self.specifiers(specifiers);
            if let Some(template) = self.template_of_type(ty) {
                self.class_mut(record).friend_templates.push(template);
            }
            self.class_mut(record).friend_classes.push(ty.ty());
            return;
        }
        let before: Vec<Symbol> = self.scope_ref(self.scope).names.keys().copied().collect();
        let base = self.specifiers(specifiers);
        let after: Vec<Symbol> = self.scope_ref(self.scope).names.keys().copied().collect();
        for symbol in after.into_iter().filter(|symbol| !before.contains(symbol)) {
            self.set_access(record, symbol, access);
        }
        if declarators.is_empty() {
            let anonymous = matches!(&specifiers.ty, crate::cxx::ast::TypeSpecifier::Class(class)
                if class.name.is_none() && class.body.is_some());
            if anonymous && let Some(inner) = self.record_of(base.ty()) {
                self.anonymous_member(record, access, inner, base, span);
            }
            return;
        }
        for item in declarators {
            let ty = self.declarator_type(base, &item.declarator);
            let Some(name) = item.declarator.name.as_ref().and_then(|name| name.plain()) else {
                self.error(item.declarator.span, "a member needs a plain name");
                continue;
            };
            if let Some(span) = item.bit_field {
                self.error(span, "bit-fields are not supported in OpenCL (OpenCL C §6.9 c)");
                continue;
            }
            self.set_access(record, name.symbol, access);
            if specifiers.is_typedef {
                self.declare(name, Entity::Type(ty));
                continue;
            }
            if specifiers.is_static.is_some() {
                self.static_member(record, specifiers, item, ty, name);
                continue;
            }
            if let Some(span) = specifiers.is_constexpr {
                self.error(
                    span,
                    "non-static data member cannot be constexpr; did you intend to make it static?",
                );
                continue;
            }
            self.field(record, access, specifiers, item, ty, name);
        }
    }

    fn field(
        &mut self,
        record: RecordId,
        access: Access,
        specifiers: &Specifiers,
        item: &InitDeclarator,
        ty: Type,
        name: Name,
    ) {
        let span = name.span;
        if self.has_auto(ty.ty()) {
            self.error(span, "'auto' not allowed in non-static class member");
            return;
        }
        if self.is_error_type(ty) {
            self.declare(name, Entity::Error);
            return;
        }
        if ty.space.is_some() {
            self.error(span, "field may not be qualified with an address space");
        }
        if self.types.is_parameter_only(ty.ty()) || matches!(self.types.kind(ty.ty()), TypeKind::Event) {
            let text = self.text_of(ty);
            self.error(
                span,
                format!("the type '{text}' cannot be used to declare a structure or union field"),
            );
            self.declare(name, Entity::Error);
            return;
        }
        if matches!(self.types.kind(ty.ty()), TypeKind::Function { .. } | TypeKind::Void)
            || !self.complete(ty.ty(), span, "field")
            || matches!(self.types.kind(ty.ty()), TypeKind::Array { length: None, .. })
        {
            let text = self.text_of(ty);
            self.error(span, format!("field has incomplete type '{text}'"));
            self.declare(name, Entity::Error);
            return;
        }
        let field = Field {
            name: Some(name.symbol),
            ty,
            offset: 0,
            default: item.initializer.clone(),
            is_mutable: specifiers.is_mutable.is_some(),
            is_injected: false,
            span,
        };
        let class = self.class_mut(record);
        class.has_hidden_parts |= access != Access::Public;
        class.fields.push(field);
        let index = class.fields.len() - 1;
        let mut least = 1;
        for attribute in specifiers.attributes.iter().chain(&item.declarator.attributes) {
            if matches!(attribute.name.as_str(), "aligned" | "alignas") {
                let attributes = [attribute.clone()];
                least = least.max(self.layout_attributes(&attributes).0);
            }
        }
        self.class_mut(record).implicit.field_aligns.push(least);
        self.declare(name, Entity::Field(record, index));
    }

    /// The members of an anonymous union are members of the class around it.
    fn anonymous_member(&mut self, record: RecordId, access: Access, inner: RecordId, ty: Type, span: Span) {
        let field =
            Field { name: None, ty, offset: 0, default: None, is_mutable: false, is_injected: false, span };
        self.class_mut(record).fields.push(field);
        self.class_mut(record).implicit.field_aligns.push(1);
        let parts = self.class(inner).fields.clone();
        for (number, part) in parts.into_iter().enumerate() {
            let Some(symbol) = part.name else { continue };
            let injected = Field { is_injected: true, default: None, ..part };
            let class = self.class_mut(record);
            class.fields.push(injected);
            class.implicit.field_aligns.push(1);
            class.implicit.injected.push((class.fields.len() - 1, inner, number, span));
            let index = class.fields.len() - 1;
            self.set_access(record, symbol, access);
            self.declare(Name { symbol, span }, Entity::Field(record, index));
        }
    }

    /// Offsets, size and alignment, as the Itanium C++ ABI has them (§2.4 there), which clang follows.
    pub(super) fn lay_out(&mut self, record: RecordId, least: u32, pack: Option<u32>) {
        let is_union = self.types.record(record).is_union;
        let (mut end, mut align) = (0u64, 1u32);
        let mut members = Vec::new();
        let mut bases = self.class(record).bases.clone();
        let mut is_empty = true;
        for base in &mut bases {
            let (ty, data) = (self.class(base.record).ty, self.class(base.record).data_size);
            let (_, base_align) = self.types.layout(ty).unwrap_or((1, 1));
            let base_align = pack.map_or(base_align, |pack| base_align.min(pack));
            align = align.max(base_align);
            if data == 0 {
                base.offset = 0;
            } else {
                base.offset = end.next_multiple_of(u64::from(base_align));
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
            let natural = pack.map_or(natural, |pack| natural.min(pack)).max(aligns[index]);
            align = align.max(natural);
            is_empty = false;
            if is_union {
                field.offset = 0;
                end = end.max(size);
            } else {
                field.offset = end.next_multiple_of(u64::from(natural));
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
        let size = end.next_multiple_of(u64::from(align)).max(u64::from(align));
        let is_pod = self.class(record).bases.is_empty()
            && !self.class(record).has_hidden_parts
            && self.class(record).constructors.is_empty()
            && self.class(record).destructor.is_none();
        let class = self.class_mut(record);
        class.data_size = if is_empty {
            0
        } else if is_pod {
            size
        } else {
            end
        };
        class.bases = bases;
        class.fields = fields;
        let definition = self.types.record_mut(record);
        definition.members = Some(members);
        definition.size = size;
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
            cxx.classes
                .get(&derived)
                .map_or(0, |class| class.bases.iter().map(|parent| count(cxx, parent.record, base)).sum())
        }
        count(self, derived, base) > 1
    }

    /// Whether code at the current place may use a member; an error if not ([class.access]).
    pub(super) fn check_access(&mut self, record: RecordId, symbol: Symbol, span: Span) -> bool {
        let access = self.class(record).access.get(&symbol).copied().unwrap_or(Access::Public);
        if self.may_access(record, access) {
            return true;
        }
        let (text, class) = (self.owned(symbol), self.type_text(self.class(record).ty));
        let word = if access == Access::Private { "private" } else { "protected" };
        self.error(span, format!("'{text}' is a {word} member of '{class}'"));
        false
    }

    pub(super) fn may_access(&self, record: RecordId, access: Access) -> bool {
        if access == Access::Public {
            return true;
        }
        let mut at = Some(self.scope);
        while let Some(scope) = at {
            let it = self.scope_ref(scope);
            if let ScopeKind::Class(inside) = it.kind {
                if inside == record
                    || access == Access::Protected && self.base_offset(inside, record).is_some()
                    || self.is_friend_class(record, inside)
                {
                    return true;
                }
            }
            at = it.parent;
        }
        self.frames.iter().any(|frame| {
            let friends = &self.class(record).friends;
            friends.iter().any(|(_, id)| *id == frame.function || self.is_instance_of(frame.function, *id))
        })
    }

    fn is_friend_class(&self, record: RecordId, other: RecordId) -> bool {
        let class = self.class(record);
        let ty = self.class(other).ty;
        class.friend_classes.contains(&ty)
            || self
                .class(other)
                .instance
                .as_ref()
                .is_some_and(|(template, _)| class.friend_templates.contains(template))
    }

    /// `enum`.
    pub(super) fn enum_specifier(&mut self, specifier: &EnumSpecifier) -> Type {
        let underlying = specifier.underlying.as_ref().map(|ty| {
            let span = ty.span;
            let ty = self.type_name(ty);
            let kind = self.types.as_scalar(ty.ty()).filter(|kind| kind.is_integer());
            if kind.is_none() && !self.is_error_type(ty) {
                let text = self.text_of(ty);
                self.error(span, format!("non-integral type '{text}' is an invalid underlying type"));
            }
            kind.unwrap_or(ScalarKind::Int)
        });
        let name = specifier.name.as_ref().and_then(|name| name.plain());
        let known = match &specifier.name {
            Some(name) if name.is_qualified() => match self.resolve(name).map(|found| found.entity) {
                Some(Entity::Type(ty)) => Some(ty),
                _ => return self.error_type(),
            },
            _ => name.and_then(|name| {
                let slot = self.scope_ref(self.scope).names.get(&name.symbol)?;
                match (&slot.entity, slot.hidden_type) {
                    (Entity::Type(ty), _) => Some(*ty),
                    (_, hidden) => hidden,
                }
            }),
        };
        let id = match known.map(|ty| self.types.kind(ty.ty()).clone()) {
            Some(TypeKind::Enum(id)) => id,
            _ if specifier.enumerators.is_none() && underlying.is_none() && !specifier.is_scoped => {
                // `enum x` names one that exists.
                return match &specifier.name {
                    Some(name) => self.named_type(name),
                    None => self.error_type(),
                };
            }
            _ => {
                let id = self.types.add_enum(name.map(|name| name.symbol));
                let ty = Type::of(self.types.intern(TypeKind::Enum(id)));
                let scope = self.new_scope(self.scope, ScopeKind::Enum);
                self.scopes[scope.0 as usize].name = name.map(|name| name.symbol);
                self.enum_scopes.insert(id, scope);
                if specifier.is_scoped {
                    self.scoped_enums.insert(id);
                }
                if let Some(name) = name {
                    self.declare(name, Entity::Type(ty));
                }
                id
            }
        };
        let ty = self.types.intern(TypeKind::Enum(id));
        let default = if specifier.is_scoped { Some(ScalarKind::Int) } else { None };
        if let Some(kind) = underlying.or(default) {
            self.types.enumeration_mut(id).underlying = Some(kind);
        }
        if let Some(list) = &specifier.enumerators {
            self.enumerators(id, ty, specifier, list, underlying.or(default));
        }
        Type::of(ty)
    }

    fn enumerators(
        &mut self,
        id: crate::types::EnumId,
        ty: TypeId,
        specifier: &EnumSpecifier,
        list: &[(Name, Option<crate::cxx::ast::Expr>)],
        fixed: Option<ScalarKind>,
    ) {
        let scope = self.enum_scopes[&id];
        let mut next = 0i128;
        let (mut low, mut high) = (0i128, 0i128);
        // While the enumeration is being defined, its values have the underlying type.
        let kind = fixed.unwrap_or(ScalarKind::Long);
        let before = self.types.enumeration(id).underlying;
        self.types.enumeration_mut(id).underlying = Some(kind);
        let value_type = if fixed.is_some() { ty } else { self.types.scalar(ScalarKind::Long) };
        let mut declared = Vec::new();
        for (name, value) in list {
            if let Some(value) = value
                && let Some(value) =
                    self.in_scope(scope, |cxx| cxx.constant_of(value, "the value of an enumerator"))
            {
                next = value;
            }
            if let Some(kind) = fixed {
                let fits = super::super::constant::to_integer(kind, next as u64) == next;
                if !fits {
                    let text = kind.name();
                    let message = format!(
                        "enumerator value {next} is not representable in the underlying type '{text}'"
                    );
                    self.error(name.span, message);
                }
            }
            low = low.min(next);
            high = high.max(next);
            let entity = Entity::Enumerator(next, value_type);
            self.declare_in(scope, *name, entity.clone());
            if !specifier.is_scoped {
                self.declare(*name, entity);
            }
            declared.push((*name, next));
            next += 1;
        }
        if fixed.is_some() {
            return;
        }
        let kind = if low >= i128::from(i32::MIN) && high <= i128::from(i32::MAX) {
            ScalarKind::Int
        } else if low >= 0 && high <= i128::from(u32::MAX) {
            ScalarKind::UInt
        } else if high <= i128::from(i64::MAX) {
            ScalarKind::Long
        } else {
            ScalarKind::ULong
        };
        self.types.enumeration_mut(id).underlying = Some(before.unwrap_or(kind));
        for (name, value) in declared {
            let entity = Entity::Enumerator(value, ty);
            self.bind_in(scope, name, entity.clone());
            if !specifier.is_scoped {
                self.bind(name, entity);
            }
        }
    }
}
