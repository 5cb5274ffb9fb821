//! Declarations of functions, methods and friends, also of those that were declared before.

use super::{Function, Kind, Owner};
use crate::Span;
use crate::ast::Name;
use crate::check::cxx::scope::{Entity, ScopeId, ScopeKind};
use crate::check::cxx::{Cxx, FnId};
use crate::cxx::ast::{Access, FunctionBody, FunctionDecl, QualifiedName};
use crate::diagnostic::Diagnostic;
use crate::symbol::Symbol;
use crate::types::RecordId;
use std::rc::Rc;

impl Cxx<'_> {
    /// A function that is not a member, or a member defined outside its class.
    pub(in crate::check::cxx) fn free_function(
        &mut self,
        decl: &Rc<FunctionDecl>,
        c_linkage: bool,
    ) -> Option<FnId> {
        let name = decl.declarator.name.clone()?;
        self.refuse_specifiers(decl, None);
        if self.declares_printf(decl) {
            return None;
        }
        if name.is_qualified() {
            return self.outside_definition(decl, &name);
        }
        if name.last().arguments.is_some() {
            self.error(name.span, "an explicit specialization needs 'template <>' before it");
            return None;
        }
        let mut function = self.signature(decl, None, self.scope)?;
        function.c_linkage = c_linkage;
        let symbol = function.symbol?;
        if !function.is_kernel
            && let Some(attribute) = function.attributes.iter().find(|attribute| {
                matches!(
                    attribute.name.as_str(),
                    "reqd_work_group_size" | "work_group_size_hint" | "vec_type_hint"
                )
            })
        {
            let message =
                format!("attribute '{}' can only be applied to an OpenCL kernel function", attribute.name);
            let span = attribute.span;
            self.error(span, message);
        }
        let at = Name { symbol, span: name.span };
        let scope = match self.scope_ref(self.scope).kind {
            // A function declared in a block belongs to the namespace around.
            ScopeKind::Block => self.enclosing_namespace(self.scope),
            _ => self.scope,
        };
        function.scope = scope;
        let id = self.declare_function(scope, at, function, decl)?;
        self.check_defaults(id);
        if scope != self.scope {
            self.bind(at, Entity::Functions(vec![id]));
        }
        if decl.body.is_some() && self.frames.is_empty() {
            self.body(id);
        }
        Some(id)
    }

    /// Adds a function to a scope, or finds the one that it declares again.
    pub(super) fn declare_function(
        &mut self,
        scope: ScopeId,
        name: Name,
        function: Function,
        decl: &FunctionDecl,
    ) -> Option<FnId> {
        let slot = self.scope_ref(scope).names.get(&name.symbol).cloned();
        if let Some(slot) = &slot
            && let Entity::Functions(list) = &slot.entity
        {
            for known in list.clone() {
                if self.function(known).template.is_some() || !self.same_signature(known, &function) {
                    continue;
                }
                // What a class declares hides what it took over before ([namespace.udecl]/15).
                if function.class.is_some() && self.function(known).class != function.class {
                    self.forget_function(scope, name.symbol, known);
                    continue;
                }
                return self.declare_again(known, function, name, decl);
            }
            let known = list.iter().find(|id| {
                let known = self.function(**id);
                (known.is_kernel || known.c_linkage) && (function.is_kernel || function.c_linkage)
            });
            if let Some(known) = known {
                let previous = self.function(*known).span;
                let text = self.owned(name.symbol);
                let diagnostic = Diagnostic::error(name.span, format!("conflicting types for '{text}'"));
                self.report(diagnostic.related(previous, "previous declaration is here"));
            }
        }
        let defines = decl.body.is_some();
        let is_namespace = matches!(self.scope_ref(scope).kind, ScopeKind::Namespace);
        let is_kernel = function.is_kernel;
        let id = self.add_function(function);
        if is_kernel {
            self.check_kernel_name(id, name, scope);
        }
        self.declare_in(scope, name, Entity::Functions(vec![id]));
        self.order += 1;
        self.function_mut(id).order = self.order;
        if !defines && is_namespace {
            // It may be defined later, or by another program.
        }
        Some(id)
    }

    /// The host knows kernels by their names alone, whatever namespaces they are in.
    fn check_kernel_name(&mut self, id: FnId, name: Name, scope: ScopeId) {
        let first = *self.kernels.entry(name.symbol).or_insert(id);
        let other = self.function(first);
        if first != id && other.scope != scope {
            let (text, span) = (self.owned(name.symbol), other.span);
            let message = format!("a kernel '{text}' is already declared in another namespace");
            self.report(Diagnostic::error(name.span, message).related(span, "it is here"));
        }
    }

    fn forget_function(&mut self, scope: ScopeId, symbol: Symbol, id: FnId) {
        if let Some(slot) = self.scopes[scope.0 as usize].names.get_mut(&symbol)
            && let Entity::Functions(list) = &mut slot.entity
        {
            list.retain(|known| *known != id);
        }
    }

    /// A second declaration of a function.
    fn declare_again(
        &mut self,
        known: FnId,
        function: Function,
        name: Name,
        decl: &FunctionDecl,
    ) -> Option<FnId> {
        let before = self.function(known).clone();
        let text = self.owned(name.symbol);
        if before.result != function.result {
            let diagnostic = Diagnostic::error(
                name.span,
                "functions that differ only in their return type cannot be overloaded",
            );
            self.report(diagnostic.related(before.span, "previous declaration is here"));
            return None;
        }
        if let (Some(span), false, None) = (decl.specifiers.is_static, before.is_internal, before.class) {
            let message = format!("static declaration of '{text}' follows non-static declaration");
            let diagnostic = Diagnostic::error(span, message);
            self.report(diagnostic.related(before.span, "previous declaration is here"));
            return None;
        }
        let had_body = before.body.is_some() || before.is_deleted || before.is_defaulted;
        if decl.body.is_some() && had_body {
            let diagnostic = Diagnostic::error(name.span, format!("redefinition of '{text}'"));
            self.report(diagnostic.related(before.span, "previous definition is here"));
            return None;
        }
        // An explicit specialisation of a member of an instance may be deleted.
        let is_of_instance = self.in_scope(before.scope, |cxx| cxx.in_instance());
        if matches!(decl.body, Some(FunctionBody::Delete)) && !is_of_instance {
            let diagnostic = Diagnostic::error(name.span, "deleted definition must be first declaration");
            self.report(diagnostic.related(before.span, "previous declaration is here"));
            return None;
        }
        if before.class.is_some() && decl.body.is_none() {
            let diagnostic = Diagnostic::error(name.span, "class member cannot be redeclared");
            self.report(diagnostic.related(before.span, "previous declaration is here"));
            return None;
        }
        for (index, param) in function.params.iter().enumerate() {
            if let (Some(_), Some(_), false) = (
                &param.default,
                &before.params[index].default,
                matches!(self.scope_ref(self.scope).kind, ScopeKind::Block),
            ) {
                self.error(name.span, "redefinition of default argument");
                return None;
            }
        }
        self.check_promises(known, &function);
        let target = self.function_mut(known);
        for (param, new) in target.params.iter_mut().zip(&function.params) {
            if new.default.is_some() {
                param.default = new.default.clone();
            }
            param.index = new.index;
        }
        if target.order == u32::MAX {
            // A friend that is now declared in its namespace, too.
            target.order = function.order;
        }
        target.is_kernel |= function.is_kernel;
        target.is_internal |= function.is_internal;
        target.is_constexpr |= function.is_constexpr;
        if decl.body.is_some() {
            target.body = function.body;
            target.is_deleted = function.is_deleted;
            target.suffix = function.suffix;
            target.scope = function.scope;
            target.span = function.span;
        }
        if !function.attributes.is_empty() {
            target.attributes = function.attributes;
        }
        Some(known)
    }

    /// Default arguments stand at the end, and are checked later, as is what the function promises.
    fn check_defaults(&mut self, id: FnId) {
        let function = self.function(id);
        let first = function.params.iter().position(|param| param.default.is_some());
        let missing =
            first.is_some_and(|first| function.params[first..].iter().any(|param| param.default.is_none()));
        let has_condition =
            function.suffix.noexcept.as_ref().is_some_and(|noexcept| noexcept.condition.is_some());
        let span = function.span;
        if missing {
            self.error(span, "missing default argument on parameter");
        } else if first.is_some() || has_condition {
            self.with_defaults.push(id);
        }
    }

    /// Checks default arguments without using them.
    pub(in crate::check::cxx) fn check_default_arguments(&mut self) {
        for id in std::mem::take(&mut self.with_defaults) {
            let function = self.function(id).clone();
            if function.suffix.noexcept.is_some() {
                self.call_may_throw(id);
            }
            for (index, param) in function.params.iter().enumerate() {
                if param.default.is_some() {
                    self.in_initializer(|cxx| {
                        let before = cxx.begin_full();
                        cxx.default_argument(id, index, function.span);
                        cxx.restore_full(before);
                    });
                }
            }
        }
    }

    /// Whether two functions have the same parameters and qualifiers of `this`.
    fn same_signature(&self, known: FnId, function: &Function) -> bool {
        let before = self.function(known);
        before.params.len() == function.params.len()
            && before.params.iter().zip(&function.params).all(|(a, b)| a.ty.ty() == b.ty.ty())
            && before.this_qualifiers.is_const == function.this_qualifiers.is_const
            && before.this_qualifiers.is_volatile == function.this_qualifiers.is_volatile
            && before.this_space == function.this_space
            && before.this_reference == function.this_reference
            && before.kind == function.kind
            && (before.kind != Kind::Conversion || before.result.ty() == function.result.ty())
    }

    pub(in crate::check::cxx) fn same_parameters(&self, a: FnId, b: FnId) -> bool {
        let function = self.function(b).clone();
        self.same_signature(a, &function)
    }

    /// A method declared in its class.
    pub(in crate::check::cxx) fn method(
        &mut self,
        decl: &Rc<FunctionDecl>,
        span: Span,
        owner: Owner,
    ) -> Option<FnId> {
        let name = decl.declarator.name.clone()?;
        self.refuse_specifiers(decl, Some(owner.record));
        if decl.specifiers.is_friend.is_some() {
            return self.friend_function(decl, &name, owner.record, span);
        }
        if name.is_qualified() {
            self.error(name.span, "extra qualification on a member");
            return None;
        }
        if decl.specifiers.is_kernel.is_some() {
            self.error(name.span, "kernel functions cannot be class members (C++ for OpenCL §2.4)");
            return None;
        }
        let function = self.signature(decl, Some(owner), self.scope)?;
        if !self.check_special(decl, &function, owner.record) {
            return None;
        }
        let id = self.declare_method(owner.record, &name, function, decl)?;
        if !self.in_instance() {
            self.check_defaults(id);
            if matches!(decl.body, Some(FunctionBody::Statements(_))) {
                self.pending.push(id);
            }
        }
        Some(id)
    }

    pub(super) fn declare_method(
        &mut self,
        record: RecordId,
        name: &QualifiedName,
        function: Function,
        decl: &FunctionDecl,
    ) -> Option<FnId> {
        let list = match function.kind {
            Kind::Constructor => self.class(record).constructors.clone(),
            Kind::Destructor => self.class(record).destructor.into_iter().collect(),
            Kind::Conversion => self.class(record).conversions.clone(),
            Kind::Plain => {
                let at = Name { symbol: function.symbol?, span: name.span };
                let scope = self.class(record).scope;
                return self.declare_function(scope, at, function, decl);
            }
        };
        for known in list {
            if self.function(known).template.is_none() && self.same_signature(known, &function) {
                if self.function(known).inherits.is_some() {
                    self.class_mut(record).constructors.retain(|id| *id != known);
                    continue;
                }
                let at =
                    Name { symbol: self.class(record).name.unwrap_or(self.names.begin), span: name.span };
                return self.declare_again(known, function, at, decl);
            }
        }
        let kind = function.kind;
        self.order += 1;
        let id = self.add_function(Function { order: self.order, ..function });
        let class = self.class_mut(record);
        match kind {
            Kind::Constructor => class.constructors.push(id),
            Kind::Destructor => class.destructor = Some(id),
            Kind::Conversion => class.conversions.push(id),
            Kind::Plain => {}
        }
        Some(id)
    }

    /// A function that a class declares as its friend; it belongs to the namespace around.
    fn friend_function(
        &mut self,
        decl: &Rc<FunctionDecl>,
        name: &QualifiedName,
        record: RecordId,
        span: Span,
    ) -> Option<FnId> {
        let namespace = self.enclosing_namespace(self.class(record).scope);
        if name.last().arguments.is_some() && decl.body.is_some() {
            self.error(name.span, "friend function specialization cannot be defined");
            return None;
        }
        if name.is_qualified() {
            let id = self.outside_declaration(decl, name)?;
            let symbol = self.function(id).symbol.unwrap_or(self.names.begin);
            self.class_mut(record).friends.push((symbol, id));
            return None;
        }
        let mut function = self.signature(decl, None, self.scope)?;
        let symbol = function.symbol?;
        function.span = span;
        // One that is declared in the namespace is the same function.
        if let Some(Entity::Functions(list)) =
            self.scope_ref(namespace).names.get(&symbol).map(|slot| slot.entity.clone())
        {
            for known in list {
                if self.function(known).template.is_none() && self.same_signature(known, &function) {
                    self.class_mut(record).friends.push((symbol, known));
                    if decl.body.is_some() {
                        let at = Name { symbol, span: name.span };
                        self.declare_again(known, function, at, decl)?;
                        self.pending.push(known);
                    }
                    return None;
                }
            }
        }
        // A friend of several classes, which none but them has declared.
        let known = self
            .classes
            .values()
            .flat_map(|class| class.friends.iter())
            .filter(|(name, _)| *name == symbol)
            .map(|(_, id)| *id)
            .find(|id| self.function(*id).template.is_none() && self.same_signature(*id, &function));
        let is_instance = self.class(record).instance.is_some();
        let id = match known {
            Some(known) if decl.body.is_none() || !is_instance => {
                if decl.body.is_some() {
                    let at = Name { symbol, span: name.span };
                    self.declare_again(known, function, at, decl)?;
                }
                known
            }
            _ => self.add_function(function),
        };
        self.class_mut(record).friends.push((symbol, id));
        if decl.body.is_none() {
            // So that a later definition in the namespace is the same function.
            self.order += 1;
            let order = u32::MAX;
            self.function_mut(id).order = order;
            self.hidden_friend(namespace, Name { symbol, span: name.span }, id);
        } else if !is_instance {
            self.pending.push(id);
        }
        None
    }

    /// Makes a friend known in its namespace, but only to later declarations.
    fn hidden_friend(&mut self, namespace: ScopeId, name: Name, id: FnId) {
        self.declare_in(namespace, name, Entity::Functions(vec![id]));
    }

    /// `void A::f() { … }`.
    fn outside_definition(&mut self, decl: &Rc<FunctionDecl>, name: &QualifiedName) -> Option<FnId> {
        let id = self.outside_declaration(decl, name)?;
        self.pending.push(id);
        Some(id)
    }

    /// A member is defined in its own namespace or in one around it ([namespace.memdef]/2).
    fn check_enclosed(&mut self, scope: ScopeId, span: Span) {
        let mut at = Some(self.enclosing_namespace(scope));
        let here = self.enclosing_namespace(self.scope);
        while let Some(id) = at {
            if id == here {
                return;
            }
            at = self.scope_ref(id).parent;
        }
        self.error(span, "this namespace does not enclose the one that is named");
    }

    fn outside_declaration(&mut self, decl: &Rc<FunctionDecl>, name: &QualifiedName) -> Option<FnId> {
        let crate::check::cxx::lookup::Within::Scope(scope) = self.prefix(name)? else {
            self.error(name.span, "a scalar type has no members");
            return None;
        };
        self.check_enclosed(scope, name.span);
        let record = match self.scope_ref(scope).kind {
            ScopeKind::Class(record) => Some(record),
            _ => None,
        };
        let owner = record.map(|record| Owner { record, access: Access::Public });
        let mut function = self.in_scope(scope, |cxx| cxx.signature(decl, owner, scope))?;
        if record.is_some_and(|record| !self.check_special(decl, &function, record)) {
            return None;
        }
        let candidates = match (record, function.kind) {
            (Some(record), Kind::Constructor) => self.class(record).constructors.clone(),
            (Some(record), Kind::Destructor) => self.class(record).destructor.into_iter().collect(),
            (Some(record), Kind::Conversion) => self.class(record).conversions.clone(),
            _ => match function.symbol.and_then(|symbol| self.scope_ref(scope).names.get(&symbol)) {
                Some(crate::check::cxx::scope::Slot { entity: Entity::Functions(list), .. }) => list.clone(),
                _ => Vec::new(),
            },
        };
        for known in candidates {
            let before = self.function(known);
            if before.template.is_some() {
                continue;
            }
            // `static` and `explicit` stand only in the class.
            function.is_static = before.is_static;
            if self.same_signature(known, &function) {
                let at = Name { symbol: function.symbol.unwrap_or(self.names.begin), span: name.span };
                if decl.body.is_none() {
                    return Some(known);
                }
                let before_scope = self.function(known).scope;
                let result = self.declare_again(known, function, at, decl);
                self.function_mut(known).scope = before_scope;
                return result;
            }
        }
        let text = self.scope_text(scope);
        let what = text.strip_suffix("::").unwrap_or("the global namespace").to_owned();
        self.error(name.span, format!("out-of-line definition does not match any declaration in '{what}'"));
        None
    }
}
