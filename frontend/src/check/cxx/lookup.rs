//! Name lookup ([basic.lookup]): unqualified, qualified and argument-dependent.

use super::class::BaseClass;
use super::expression::name::is_builtin;
use super::scope::{Entity, ScopeId, ScopeKind, Slot};
use super::template::Argument;
use super::types::Type;
use super::{Cxx, FnId};
use crate::Span;
use crate::ast::Name;
use crate::cxx::ast::{Id, Part, QualifiedName};
use crate::diagnostic::Diagnostic;
use crate::symbol::Symbol;
use crate::types::{RecordId, TypeId, TypeKind};

/// What was found for a name.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub entity: Entity,
    /// The class in which a member was found.
    pub class: Option<RecordId>,
    /// The class in which it was looked up: that one or a derived one.
    pub naming: Option<RecordId>,
    /// Whether several bases, or namespaces of equal rank, have different members of that name.
    pub is_ambiguous: bool,
    /// A class or enumeration that the entity hides.
    pub hidden_type: Option<Type>,
}

/// Where a qualified name is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Within {
    Scope(ScopeId),
    /// A type without members, such as `int`: only `~T` is found there.
    Scalar(TypeId),
}

impl Cxx<'_> {
    /// A name in one scope, with inline namespaces in it; what using directives name follows, nearest first
    /// ([namespace.qual]). In a class, its bases follow.
    pub(super) fn find_in(&self, scope: ScopeId, symbol: Symbol) -> Option<Found> {
        if let ScopeKind::Class(record) = self.scope_ref(scope).kind {
            return self.find_member(record, symbol);
        }
        let mut level = self.with_inline(scope);
        let mut seen = level.clone();
        loop {
            let found = self.find_among(&level, symbol);
            if found.is_some() {
                return found;
            }
            let mut next = Vec::new();
            for namespace in level.iter().flat_map(|scope| &self.scope_ref(*scope).also) {
                if !seen.contains(namespace) {
                    let more = self.with_inline(*namespace);
                    seen.extend(&more);
                    next.extend(more);
                }
            }
            if next.is_empty() {
                return None;
            }
            level = next;
        }
    }

    /// A scope and the inline and unnamed namespaces in it, whose names are its own.
    fn with_inline(&self, scope: ScopeId) -> Vec<ScopeId> {
        let mut list = vec![scope];
        let mut next = 0;
        while let Some(&scope) = list.get(next) {
            for also in &self.scope_ref(scope).also {
                if self.scope_ref(*also).parent == Some(scope) && !list.contains(also) {
                    list.push(*also);
                }
            }
            next += 1;
        }
        list
    }

    /// A name in scopes of equal rank: their functions are joined, and anything else is in one of them.
    fn find_among(&self, scopes: &[ScopeId], symbol: Symbol) -> Option<Found> {
        let mut found: Option<Slot> = None;
        let mut is_ambiguous = false;
        for scope in scopes {
            let scope = self.scope_ref(*scope);
            let Some(slot) = scope.names.get(&symbol) else { continue };
            if slot.order >= self.horizon && scope.kind == ScopeKind::Namespace {
                continue;
            }
            let mut slot = slot.clone();
            if let Entity::Functions(list) = &mut slot.entity {
                list.retain(|id| self.functions[id.0 as usize].order < self.horizon);
                if list.is_empty() {
                    continue;
                }
            }
            let Some(known) = &mut found else {
                found = Some(slot);
                continue;
            };
            match (&mut known.entity, slot.entity) {
                (Entity::Functions(known), Entity::Functions(more)) => {
                    let new: Vec<FnId> = more.into_iter().filter(|id| !known.contains(id)).collect();
                    known.extend(new);
                }
                (known, other) => is_ambiguous |= !known.is_same(&other),
            }
        }
        let Slot { entity, hidden_type, .. } = found?;
        Some(Found { entity, class: None, naming: None, is_ambiguous, hidden_type })
    }

    /// Adds the namespaces that using directives of a scope name, each with the scope whose names theirs are
    /// like: the nearest namespace that contains both ([namespace.udir]/2).
    fn add_directives(&self, origin: ScopeId, named: &mut Vec<(ScopeId, ScopeId)>) {
        let mut waiting = self.with_inline(origin);
        while let Some(scope) = waiting.pop() {
            for &namespace in &self.scope_ref(scope).also {
                let is_inline = self.scope_ref(namespace).parent == Some(scope);
                if is_inline || named.iter().any(|(_, known)| *known == namespace) {
                    continue;
                }
                let mut around = Some(origin);
                while let Some(at) = around.filter(|at| !self.is_namespace_around(*at, namespace)) {
                    around = self.scope_ref(at).parent;
                }
                named.push((around.unwrap_or(ScopeId(0)), namespace));
                waiting.extend(self.with_inline(namespace));
            }
        }
    }

    /// Whether a scope is a namespace, and this one or around it.
    fn is_namespace_around(&self, outer: ScopeId, inner: ScopeId) -> bool {
        let mut at = Some(inner);
        while let Some(scope) = at {
            if scope == outer {
                return self.scope_ref(outer).kind == ScopeKind::Namespace;
            }
            at = self.scope_ref(scope).parent;
        }
        false
    }

    /// Whether a name is that of a built-in function, which the program does not declare in the global
    /// namespace.
    pub(super) fn is_own_builtin(&self, scope: ScopeId, symbol: Symbol) -> bool {
        let scope = self.scope_ref(scope);
        scope.parent.is_none() && !scope.names.contains_key(&symbol) && is_builtin(self.text(symbol))
    }

    /// The built-in type of a name, which the program does not declare in the global namespace.
    fn own_builtin_type(&mut self, scope: ScopeId, symbol: Symbol) -> Option<Entity> {
        let own = self.scope_ref(scope);
        if own.parent.is_some() || own.names.contains_key(&symbol) {
            return None;
        }
        Some(Entity::Type(Type::of(self.builtin_type_named(symbol)?)))
    }

    /// Whether a built-in function is a member of a namespace: of the global one all are, of others those of
    /// using declarations.
    pub(super) fn has_builtin(&self, scope: ScopeId, symbol: Symbol) -> bool {
        let mut seen = vec![scope];
        let mut next = 0;
        while next < seen.len() {
            let scope = self.scope_ref(seen[next]);
            let is_member = scope.parent.is_none() && is_builtin(self.text(symbol));
            if is_member || scope.builtins.contains(&symbol) {
                return true;
            }
            for also in &scope.also {
                if !seen.contains(also) {
                    seen.push(*also);
                }
            }
            next += 1;
        }
        false
    }

    /// A member of a class or, if it has none of that name, of its bases ([class.member.lookup]).
    pub(super) fn find_member(&self, record: RecordId, symbol: Symbol) -> Option<Found> {
        self.find_member_among(record, symbol, |_| true)
    }

    /// A member of a class or of those of its direct bases that are examined.
    fn find_member_among(
        &self,
        record: RecordId,
        symbol: Symbol,
        is_examined: impl Fn(&BaseClass) -> bool,
    ) -> Option<Found> {
        let class = self.classes.get(&record)?;
        if let Some(slot) = self.scope_ref(class.scope).names.get(&symbol) {
            return Some(Found {
                entity: slot.entity.clone(),
                class: Some(record),
                naming: Some(record),
                is_ambiguous: false,
                hidden_type: slot.hidden_type,
            });
        }
        let mut found: Option<Found> = None;
        for base in class.bases.iter().filter(|base| is_examined(base)) {
            let Some(next) = self.find_member(base.record, symbol) else { continue };
            match &mut found {
                Some(found) => {
                    found.is_ambiguous |= next.is_ambiguous || !found.entity.is_same(&next.entity);
                }
                None => found = Some(Found { naming: Some(record), ..next }),
            }
        }
        found
    }

    /// Reports a name that means different members of several bases, or of several namespaces.
    pub(super) fn check_unambiguous(&mut self, found: &Found, name: Name) {
        if found.is_ambiguous {
            let text = self.owned(name.symbol);
            self.error(
                name.span,
                match found.class {
                    Some(_) => format!("member '{text}' found in multiple base classes of different types"),
                    None => format!("reference to '{text}' is ambiguous: several namespaces have it"),
                },
            );
        }
    }

    /// A name, from the current scope outward. Bases that depend on template parameters are not examined
    /// ([temp.dep]/3), except in an explicit specialisation of a member.
    pub(super) fn find(&self, symbol: Symbol) -> Option<Found> {
        self.find_from(self.scope, symbol)
    }

    /// A name, from a scope outward.
    pub(super) fn find_from(&self, start: ScopeId, symbol: Symbol) -> Option<Found> {
        self.find_outward(start, symbol, true, |_| true)
    }

    /// The first acceptable meaning of a name, from a scope outward.
    fn find_outward(
        &self,
        start: ScopeId,
        symbol: Symbol,
        sees_specialized: bool,
        is_accepted: impl Fn(&Found) -> bool,
    ) -> Option<Found> {
        let mut named = Vec::new();
        let mut sees_all = false;
        let mut at = Some(start);
        while let Some(scope) = at {
            sees_all |= sees_specialized && self.scope_ref(scope).is_specialization;
            let found = if let ScopeKind::Class(record) = self.scope_ref(scope).kind {
                self.find_member_among(record, symbol, |base| sees_all || !base.is_dependent)
            } else {
                let mut scopes = self.with_inline(scope);
                self.add_directives(scope, &mut named);
                for (around, namespace) in &named {
                    if *around == scope && !scopes.contains(namespace) {
                        scopes.extend(self.with_inline(*namespace));
                    }
                }
                self.find_among(&scopes, symbol)
            };
            if let Some(found) = found.filter(&is_accepted) {
                return Some(found);
            }
            at = self.scope_ref(scope).parent;
        }
        None
    }

    /// Whether a name is that of a parameter of a template around.
    pub(super) fn is_template_parameter(&self, symbol: Symbol) -> bool {
        let mut at = Some(self.scope);
        while let Some(scope) = at {
            let scope = self.scope_ref(scope);
            if scope.names.contains_key(&symbol) {
                return scope.kind == ScopeKind::Template;
            }
            at = scope.parent;
        }
        false
    }

    /// A namespace, type or template, from the current scope outward.
    fn find_container(&self, symbol: Symbol) -> Option<Found> {
        self.find_outward(self.scope, symbol, false, |found| {
            let is_container =
                matches!(found.entity, Entity::Namespace(_) | Entity::Type(_) | Entity::Template(_));
            is_container || found.hidden_type.is_some()
        })
    }

    /// The scope that stands before the last `::` of a name. Errors are reported.
    pub(super) fn prefix(&mut self, name: &QualifiedName) -> Option<Within> {
        let (_, prefix) = name.parts.split_last()?;
        let mut within = name.is_global.then_some(Within::Scope(ScopeId(0)));
        for part in prefix {
            within = Some(self.step(within, part)?);
        }
        within
    }

    /// The scope of a part of a name.
    fn step(&mut self, within: Option<Within>, part: &Part) -> Option<Within> {
        if let Id::Decltype(expr) = &part.id {
            let ty = self.decltype(expr);
            return self.within_type(ty, part.span);
        }
        let Id::Name(symbol) = part.id else {
            self.error(part.span, "expected a class or namespace");
            return None;
        };
        // Only namespaces, types and templates are considered ([basic.lookup.qual]/1).
        let found = match within {
            None => self.find_container(symbol),
            Some(Within::Scope(scope)) => self.find_in(scope, symbol),
            Some(Within::Scalar(_)) => None,
        };
        let name = Name { symbol, span: part.span };
        let Some(found) = found else {
            if let (None, Some(ty)) = (within, self.builtin_type_named(symbol)) {
                return Some(Within::Scalar(ty));
            }
            self.unknown_in(within, name, "a class or namespace");
            return None;
        };
        match found.entity {
            Entity::Namespace(scope) => Some(Within::Scope(scope)),
            Entity::Type(ty) => {
                // Within a template's own class, `A<U>` names another instance.
                if let (Some(arguments), Some(template)) = (&part.arguments, self.template_of_type(ty)) {
                    let ty = self.class_instance(template, arguments, part.span)?;
                    return self.within_type(ty, part.span);
                }
                self.within_type(ty, part.span)
            }
            Entity::Template(template) => {
                let arguments = part.arguments.as_deref().unwrap_or(&[]);
                let ty = self.template_type(template, arguments, part.span)?;
                self.within_type(ty, part.span)
            }
            _ => match found.hidden_type {
                Some(ty) => self.within_type(ty, part.span),
                None => {
                    let text = self.owned(symbol);
                    self.error(part.span, format!("'{text}' is not a class, namespace, or enumeration"));
                    None
                }
            },
        }
    }

    /// The members of a type.
    pub(super) fn within_type(&mut self, ty: Type, span: Span) -> Option<Within> {
        let id = self.without_reference(ty).ty();
        match *self.types.kind(id) {
            TypeKind::Record(record) => {
                self.require_complete(record, span);
                Some(Within::Scope(self.classes.get(&record)?.scope))
            }
            TypeKind::Enum(id) => self.enum_scopes.get(&id).map(|scope| Within::Scope(*scope)),
            TypeKind::Error => {
                self.note_error();
                None
            }
            _ => Some(Within::Scalar(id)),
        }
    }

    /// What a name means, with its qualifiers but without template arguments. Errors are reported.
    pub(super) fn resolve(&mut self, name: &QualifiedName) -> Option<Found> {
        let part = name.last();
        let Id::Name(symbol) = part.id else { return None };
        let at = Name { symbol, span: part.span };
        if !name.is_qualified() {
            return self.find(symbol);
        }
        let within = self.prefix(name)?;
        let found = match within {
            Within::Scope(scope) => match self.own_builtin_type(scope, symbol) {
                Some(entity) => {
                    let (class, naming, hidden_type) = (None, None, None);
                    Some(Found { entity, class, naming, is_ambiguous: false, hidden_type })
                }
                None => self.find_in(scope, symbol),
            },
            Within::Scalar(_) => None,
        };
        if found.is_none() {
            self.unknown_in(Some(within), at, "a name");
        }
        found
    }

    /// Reports a name that is not in a scope.
    pub(super) fn unknown_in(&mut self, within: Option<Within>, name: Name, what: &str) {
        if self.is_lost(name.symbol) {
            return;
        }
        let text = self.owned(name.symbol);
        let message = match within {
            None => format!("use of undeclared identifier '{text}': expected {what}"),
            Some(Within::Scalar(ty)) => {
                format!(
                    "type '{}' cannot be used prior to '::' because it has no members",
                    self.type_text(ty)
                )
            }
            Some(Within::Scope(scope)) => {
                let place = self.scope_text(scope);
                match (self.scope_ref(scope).kind, place.strip_suffix("::")) {
                    (_, None) => format!("no member named '{text}' in the global namespace"),
                    (ScopeKind::Namespace, Some(place)) => {
                        format!("no member named '{text}' in namespace '{place}'")
                    }
                    (_, Some(place)) => format!("no member named '{text}' in '{place}'"),
                }
            }
        };
        let best = match within {
            Some(Within::Scope(scope)) => {
                let names = self.scope_ref(scope).names.keys().map(|symbol| self.text(*symbol));
                crate::suggest::nearest(&text, names).map(str::to_owned)
            }
            _ => None,
        };
        let mut diagnostic = Diagnostic::error(name.span, message);
        if let Some(best) = best {
            diagnostic = diagnostic.suggest(&best);
        }
        self.report(diagnostic);
    }

    /// Functions that arguments bring in: those of the namespaces of their types ([basic.lookup.argdep]), and
    /// friends that only their classes declare.
    pub(super) fn argument_dependent(&self, symbol: Symbol, types: &[TypeId]) -> Vec<FnId> {
        let mut records = Vec::new();
        let mut enums = Vec::new();
        for ty in types {
            self.associated(*ty, &mut records, &mut enums, 0);
        }
        let mut scopes: Vec<ScopeId> = Vec::new();
        let mut functions = Vec::new();
        for record in &records {
            let Some(class) = self.classes.get(record) else { continue };
            let namespace = self.enclosing_namespace(class.scope);
            if !scopes.contains(&namespace) {
                scopes.push(namespace);
            }
            for (name, id) in &class.friends {
                if *name == symbol && !functions.contains(id) {
                    functions.push(*id);
                }
            }
        }
        for id in enums {
            if let Some(scope) = self.enum_scopes.get(&id) {
                let namespace = self.enclosing_namespace(*scope);
                if !scopes.contains(&namespace) {
                    scopes.push(namespace);
                }
            }
        }
        let mut next = 0;
        while next < scopes.len() {
            let scope = self.scope_ref(scopes[next]);
            if let Some(Slot { entity: Entity::Functions(list), .. }) = scope.names.get(&symbol) {
                functions
                    .extend(list.iter().copied().filter(|id| !functions.contains(id)).collect::<Vec<_>>());
            }
            // Inline namespaces.
            for also in &scope.also {
                if self.scope_ref(*also).parent == Some(scopes[next]) && !scopes.contains(also) {
                    scopes.push(*also);
                }
            }
            next += 1;
        }
        functions
    }

    fn associated(
        &self,
        ty: TypeId,
        records: &mut Vec<RecordId>,
        enums: &mut Vec<crate::types::EnumId>,
        depth: usize,
    ) {
        if depth > 16 {
            return;
        }
        match self.types.kind(ty) {
            TypeKind::Pointer { pointee, .. } => self.associated(pointee.ty, records, enums, depth + 1),
            TypeKind::Reference { target, .. } => self.associated(target.ty, records, enums, depth + 1),
            TypeKind::Array { element, .. } => self.associated(element.ty, records, enums, depth + 1),
            TypeKind::Enum(id) => enums.push(*id),
            TypeKind::Record(record) if !records.contains(record) => {
                records.push(*record);
                let Some(class) = self.classes.get(record) else { return };
                for base in &class.bases {
                    let ty = self.record_types(base.record);
                    if let Some(ty) = ty {
                        self.associated(ty, records, enums, depth + 1);
                    }
                }
                if let Some((_, arguments)) = &class.instance {
                    for argument in arguments.iter() {
                        if let Argument::Type(ty) = argument {
                            self.associated(ty.ty(), records, enums, depth + 1);
                        }
                    }
                }
                if let Some(outer) = self
                    .scope_ref(class.scope)
                    .parent
                    .and_then(|parent| self.enclosing_class(parent))
                    .and_then(|outer| self.record_types(outer))
                    && depth < 4
                {
                    self.associated(outer, records, enums, depth + 8);
                }
            }
            _ => {}
        }
    }

    /// The type of a class that was interned.
    pub(super) fn record_types(&self, record: RecordId) -> Option<TypeId> {
        self.classes.get(&record).map(|class| class.ty)
    }
}
