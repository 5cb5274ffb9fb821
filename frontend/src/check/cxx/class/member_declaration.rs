//! Declarations of members ([class.mem]).

use super::{Field, PACKED};
use crate::Span;
use crate::ast::Name;
use crate::check::cxx::function::Owner;
use crate::check::cxx::scope::{Entity, ScopeId, ScopeKind};
use crate::check::cxx::types::Type;
use crate::check::cxx::{Cxx, FnId};
use crate::cxx::ast::{
    Access, ClassKey, Decl, DeclKind, FunctionDecl, Id, InitDeclarator, QualifiedName, Specifiers,
};
use crate::symbol::Symbol;
use crate::types::{RecordId, TypeKind};
use std::rc::Rc;

impl Cxx<'_> {
    /// A member declaration.
    pub(in crate::check::cxx) fn member(&mut self, record: RecordId, access: Access, decl: &Rc<Decl>) {
        match &decl.kind {
            DeclKind::Simple { specifiers, declarators } => {
                self.member_objects(record, access, specifiers, declarators, decl.span);
            }
            DeclKind::Function(function) => self.member_function(record, access, function, decl.span),
            DeclKind::Template(_) if !self.frames.is_empty() => {
                self.error(decl.span, "templates cannot be declared inside of a local class");
            }
            DeclKind::Template(template) => {
                if self.is_local_class(record) {
                    self.error(decl.span, "templates cannot be declared inside of a local class");
                    return;
                }
                if let Some(symbol) =
                    self.template_declaration(template, decl.span, Some(Owner { record, access }))
                {
                    self.open_access(record, symbol, access);
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

    fn member_function(&mut self, record: RecordId, access: Access, decl: &Rc<FunctionDecl>, span: Span) {
        if let Some(id) = self.method(decl, span, Owner { record, access }) {
            self.note_member_access(record, id, access);
        }
    }

    fn note_member_access(&mut self, record: RecordId, id: FnId, access: Access) {
        if let Some(symbol) = self.functions[id.0 as usize].symbol {
            self.open_access(record, symbol, access);
        }
    }

    /// Overloads may differ; the most open one decides for the name, and each function has its own.
    fn open_access(&mut self, record: RecordId, symbol: Symbol, access: Access) {
        let known = self.class(record).access.get(&symbol).copied();
        let access = known.map_or(access, |known| known.min(access));
        self.set_access(record, symbol, access);
    }

    /// `using Base::member;`
    fn member_using(&mut self, record: RecordId, access: Access, name: &QualifiedName, class: ScopeId) {
        let Some(crate::check::cxx::lookup::Within::Scope(scope)) = self.prefix(name) else {
            self.error(name.span, "a using declaration in a class must name a member of a base class");
            return;
        };
        if let ScopeKind::Class(base) = self.scope_ref(scope).kind
            && (base == record || self.base_offset(record, base).is_none())
        {
            let (text, class) = (self.type_text(self.class(base).ty), self.type_text(self.class(record).ty));
            let message =
                format!("using declaration refers into '{text}::', which is not a base class of '{class}'");
            self.error(name.span, message);
            return;
        }
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
        // Inheriting constructors ([namespace.udecl]): `using A::A`, also if `A` is another name of the base.
        let before = name.parts.len().checked_sub(2).map(|index| &name.parts[index].id);
        let is_repeated = matches!(before, Some(Id::Name(before)) if *before == symbol);
        if let Some(base) = base
            && (is_repeated || self.plain_class_name(base) == Some(symbol))
        {
            if !self.class(record).bases.iter().any(|direct| direct.record == base) {
                let (a, b) = (self.type_text(self.class(base).ty), self.type_text(self.class(record).ty));
                let message = format!("'{a}' is not a direct base of '{b}', cannot inherit constructors");
                self.error(name.span, message);
                return;
            }
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
                self.check_unambiguous(&found, name);
                if !self.check_access(&found, name.symbol, None, name.span) {
                    return;
                }
                let is_functions = matches!(found.entity, Entity::Functions(_));
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
                match is_functions {
                    true => self.open_access(record, name.symbol, access),
                    false => self.set_access(record, name.symbol, access),
                }
            }
            None => self.unknown_in(Some(crate::check::cxx::lookup::Within::Scope(scope)), name, "a member"),
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
        if specifiers.is_friend.is_some() && declarators.is_empty() {
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
            if !specifiers.is_typedef
                && let Some(function) = self.declares_function(specifiers, item, ty)
            {
                self.member_function(record, access, &function, span);
                continue;
            }
            if let Some(span) = specifiers.is_friend {
                self.error(span, "friends can only be classes or functions");
                continue;
            }
            self.set_access(record, name.symbol, access);
            if let Some(span) = specifiers.is_mutable
                && let Some(message) = self.fault_of_mutable(specifiers, ty)
            {
                self.error(span, message);
                continue;
            }
            if specifiers.is_typedef {
                self.check_aligned_typedef(specifiers, item, ty);
                self.declare(name, Entity::Type(ty));
                continue;
            }
            if let Some(span) = specifiers.is_static {
                if self.is_local_class(record) {
                    let (text, class) = (self.owned(name.symbol), self.type_text(self.class(record).ty));
                    let message = format!("static data member '{text}' not allowed in local class '{class}'");
                    self.error(span, message);
                    continue;
                }
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

    /// Why a member cannot be `mutable` ([dcl.stc]/9), if it cannot.
    fn fault_of_mutable(&self, specifiers: &Specifiers, ty: Type) -> Option<&'static str> {
        if specifiers.is_typedef || specifiers.is_static.is_some() {
            return Some("'mutable' can only be applied to non-static data members");
        }
        if self.reference(ty.ty()).is_some() {
            return Some("'mutable' cannot be applied to references");
        }
        ty.q.qualifiers.is_const.then_some("'mutable' and 'const' cannot be mixed")
    }

    /// Whether a class is defined in a function, or in a class that is ([class.local]).
    fn is_local_class(&self, record: RecordId) -> bool {
        let mut at = self.scope_ref(self.class(record).scope).parent;
        while let Some(scope) = at {
            let scope = self.scope_ref(scope);
            if scope.kind == ScopeKind::Block {
                return true;
            }
            at = scope.parent;
        }
        false
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
        if self.class(record).key == ClassKey::Union && self.reference(ty.ty()).is_some() {
            let (name, text) = (self.owned(name.symbol), self.text_of(ty));
            self.error(span, format!("union member '{name}' has reference type '{text}'"));
        }
        let mut ty = ty;
        if ty.space.is_some() {
            self.error(span, "field may not be qualified with an address space");
            ty = ty.plain();
        }
        let target = self.without_reference(ty).ty();
        if let Some(inner) = self.record_of(target) {
            self.require_complete(inner, span);
        }
        let is_wrapped = self.types.record(record).is_wrapper;
        if (self.types.is_parameter_only(target) || self.is_enqueue_object(target)) && !is_wrapped
            || matches!(self.types.kind(ty.ty()), TypeKind::Event)
        {
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
        };
        let class = self.class_mut(record);
        let has_default = class.fields.iter().any(|field| field.default.is_some());
        if class.key == ClassKey::Union && field.default.is_some() && has_default {
            self.error(span, "initializing multiple members of union");
            return;
        }
        let class = self.class_mut(record);
        class.has_hidden_parts |= access != Access::Public;
        class.fields.push(field);
        let index = class.fields.len() - 1;
        let attributes: Vec<_> =
            specifiers.attributes.iter().chain(&item.declarator.attributes).cloned().collect();
        let stored = self.hir_type(ty.ty());
        let natural = self.types.layout(stored).map_or(1, |(_, align)| align);
        self.check_alignas(&attributes, natural, ty.ty());
        let (mut least, mut is_packed) = (1, false);
        for attribute in &attributes {
            if matches!(attribute.name.as_str(), "aligned" | "alignas") {
                let attributes = [attribute.clone()];
                least = least.max(self.layout_attributes(&attributes).0);
            }
            is_packed |= attribute.name == "packed";
        }
        if is_packed {
            least |= PACKED;
        }
        self.class_mut(record).implicit.field_aligns.push(least);
        self.declare(name, Entity::Field(record, index));
    }

    /// The members of an anonymous union are members of the class around it.
    fn anonymous_member(&mut self, record: RecordId, access: Access, inner: RecordId, ty: Type, span: Span) {
        let field = Field { name: None, ty, offset: 0, default: None, is_mutable: false, is_injected: false };
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
}
