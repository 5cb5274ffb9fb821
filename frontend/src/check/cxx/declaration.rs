//! Declarations: namespaces, variables, aliases, structured bindings ([dcl.dcl]).

use super::Cxx;
use super::expression::Value;
use super::initialize::{Init, flattened};
use super::scope::{Entity, ScopeKind, Storage, Variable};
use super::types::Type;
use crate::Span;
use crate::ast::Name;
use crate::cxx::ast::{
    Decl, DeclKind, Id, InitDeclarator, Initializer, QualifiedName, Specifiers, TypeSpecifier,
};
use crate::hir::{
    ExprKind as Hir, Initializer as HirInitializer, Place, PlaceKind, Statement, StatementKind,
};
use crate::token::Pragma;
use crate::types::{QualifiedType, TypeKind};
use clvk_ir::AddressSpace;
use std::rc::Rc;

impl Cxx<'_> {
    /// A declaration; in a function, what it does at run time goes to `out`.
    pub(super) fn declaration(&mut self, decl: &Rc<Decl>, mut out: Option<&mut Vec<Statement>>) {
        match &decl.kind {
            DeclKind::Namespace { names, is_inline, decls } => self.namespace(names, *is_inline, decls),
            DeclKind::NamespaceAlias { name, target } => match self.resolve(target).map(|found| found.entity)
            {
                Some(Entity::Namespace(scope)) => self.declare(*name, Entity::Namespace(scope)),
                _ => self.error(target.span, "expected the name of a namespace"),
            },
            DeclKind::UsingNamespace(name) => match self.resolve(name).map(|found| found.entity) {
                Some(Entity::Namespace(scope)) => {
                    let current = self.scope.0 as usize;
                    if self.scope != scope && !self.scopes[current].also.contains(&scope) {
                        self.scopes[current].also.push(scope);
                    }
                }
                _ => self.error(name.span, "expected the name of a namespace"),
            },
            DeclKind::Using(list) => {
                for (name, _) in list {
                    self.using(name);
                }
            }
            DeclKind::Alias { name, ty } => {
                let ty = self.type_name(ty);
                self.declare(*name, Entity::Type(ty));
            }
            DeclKind::StaticAssert { condition, message } => {
                self.static_assertion(condition, message.as_deref())
            }
            DeclKind::Simple { specifiers, declarators } => {
                self.simple(specifiers, declarators, decl.span, out.as_deref_mut());
            }
            DeclKind::Bindings { specifiers, reference, names, initializer } => {
                self.bindings(specifiers, *reference, names, initializer, decl.span, out);
            }
            DeclKind::Function(function) => {
                if self.frames.is_empty() || function.body.is_none() {
                    self.free_function(function, decl.span, false);
                } else {
                    self.error(decl.span, "function definition is not allowed here");
                }
            }
            DeclKind::Template(template) => {
                if !self.frames.is_empty() {
                    self.error(decl.span, "templates cannot be declared inside of a function");
                    return;
                }
                self.template_declaration(template, decl.span, None);
            }
            DeclKind::Specialization(inner) => self.specialization(inner),
            DeclKind::Instantiation { is_extern, decl } => self.explicit_instantiation(decl, *is_extern),
            DeclKind::DeductionGuide { name, suffix, target, .. } => {
                self.deduction_guide(*name, suffix, target, None)
            }
            DeclKind::Linkage(decls) => self.each_in_linkage(decls),
            DeclKind::Pragma(pragma) => self.pragma(*pragma, decl.span),
            DeclKind::Empty => {}
        }
    }

    fn pragma(&mut self, pragma: Pragma, span: Span) {
        match pragma {
            Pragma::Pack(_) => {}
            pragma => self.checker.file_pragma(pragma, span),
        }
    }

    fn namespace(&mut self, names: &[Name], is_inline: bool, decls: &[Rc<Decl>]) {
        let outer = self.scope;
        if names.is_empty() {
            let inner = self.new_scope(outer, ScopeKind::Namespace);
            self.scopes[outer.0 as usize].also.push(inner);
            self.scope = inner;
        }
        for name in names {
            let known = self.scope_ref(self.scope).names.get(&name.symbol).map(|slot| slot.entity.clone());
            let inner = match known {
                Some(Entity::Namespace(scope)) => scope,
                _ => {
                    let inner = self.new_scope(self.scope, ScopeKind::Namespace);
                    self.scopes[inner.0 as usize].name = Some(name.symbol);
                    self.declare(*name, Entity::Namespace(inner));
                    if is_inline {
                        let current = self.scope.0 as usize;
                        self.scopes[current].also.push(inner);
                    }
                    inner
                }
            };
            self.scope = inner;
        }
        for decl in decls {
            self.declaration(decl, None);
            self.check_pending();
        }
        self.scope = outer;
    }

    fn using(&mut self, name: &QualifiedName) {
        let Some(symbol) = self.symbol_of(&name.last().id) else { return };
        let at = Name { symbol, span: name.last().span };
        let Some(super::lookup::Within::Scope(scope)) = self.prefix(name) else {
            self.error(name.span, "using declaration requires a qualified name");
            return;
        };
        let Some(found) = self.find_in(scope, symbol) else {
            self.unknown_in(Some(super::lookup::Within::Scope(scope)), at, "a name");
            return;
        };
        if found.class.is_some() && !matches!(found.entity, Entity::Enumerator(..)) {
            self.error(name.span, "using declaration cannot refer to a class member outside of a class");
            return;
        }
        self.order += 1;
        match (self.scope_ref(self.scope).names.get(&symbol).map(|slot| slot.entity.clone()), &found.entity) {
            (Some(Entity::Functions(known)), Entity::Functions(more)) => {
                let more: Vec<_> = more.iter().copied().filter(|id| !known.contains(id)).collect();
                self.bind(at, Entity::Functions(known.into_iter().chain(more).collect()));
            }
            (Some(Entity::Error) | None, _) => {
                self.bind(at, found.entity);
                if let Some(ty) = found.hidden_type {
                    let slot = self.scopes[self.scope.0 as usize].names.get_mut(&symbol).expect("just bound");
                    slot.hidden_type = Some(ty);
                }
            }
            (Some(Entity::Type(a)), Entity::Type(b)) if a == *b => {}
            (Some(Entity::Variable(a)), Entity::Variable(b)) if a == *b => {}
            (Some(Entity::Template(a)), Entity::Template(b)) if a == *b => {}
            _ => {
                let text = self.owned(symbol);
                self.error(
                    at.span,
                    format!("target of using declaration conflicts with declaration of '{text}'"),
                );
            }
        }
    }

    fn static_assertion(&mut self, condition: &crate::cxx::ast::Expr, message: Option<&str>) {
        let span = condition.span;
        let value = self.in_initializer(|cxx| cxx.full_value(|cxx| cxx.condition(condition)));
        if self.types.is_error(value.ty) {
            self.note_error();
            return;
        }
        match self.known_truth(&value) {
            Ok(true) => {}
            Ok(false) => {
                let text = match message {
                    Some(message) => format!("static assertion failed: {message}"),
                    None => "static assertion failed".to_owned(),
                };
                self.error(span, text);
            }
            Err(reason) => {
                let mut diagnostic = crate::diagnostic::Diagnostic::error(
                    span,
                    "static assertion expression is not an integral constant expression",
                );
                diagnostic = match reason.span == Span::NONE {
                    true => diagnostic.note(reason.reason),
                    false => diagnostic.related(reason.span, reason.reason),
                };
                self.report(diagnostic);
            }
        }
    }

    /// Variables, functions without bodies, and types.
    fn simple(
        &mut self,
        specifiers: &Rc<Specifiers>,
        declarators: &[InitDeclarator],
        span: Span,
        mut out: Option<&mut Vec<Statement>>,
    ) {
        let base = match declarators.is_empty() || self.placeholder_template(specifiers).is_none() {
            true => self.specifiers(specifiers),
            false => {
                let auto = Type::of(self.types.intern(TypeKind::Auto));
                self.with_written(auto, &specifiers.qualifiers)
            }
        };
        if declarators.is_empty() {
            self.anonymous_union(specifiers, base, span);
            return;
        }
        if let Some(span) = specifiers.is_friend {
            self.error(span, "'friend' used outside of class");
        }
        if let Some(span) = specifiers.is_virtual {
            self.error(span, "'virtual' can only appear on non-static member functions");
        }
        if let Some(span) = specifiers.is_mutable {
            self.error(span, "'mutable' can only be applied to member variables");
        }
        if let Some(span) = specifiers.is_kernel {
            self.error(span, "'kernel' can only be applied to functions");
        }
        let mut deduced: Option<Type> = None;
        for item in declarators {
            let ty = self.declarator_type(base, &item.declarator);
            let Some(name) = &item.declarator.name else { continue };
            if name.is_qualified() {
                self.outside_variable(specifiers, item, name, ty);
                continue;
            }
            let Some(symbol) = self.symbol_of(&name.last().id) else {
                self.error(name.span, "expected a name");
                continue;
            };
            let at = Name { symbol, span: name.span };
            if specifiers.is_typedef {
                if item.initializer.is_some() {
                    self.error(name.span, "illegal initializer (only variables can be initialized)");
                }
                self.declare(at, Entity::Type(ty));
                continue;
            }
            if matches!(self.types.kind(ty.ty()), TypeKind::Function { .. }) {
                self.error(name.span, "a function's type cannot be given by a typedef here");
                continue;
            }
            let initializer = item.initializer.as_ref().and_then(|cell| cell.get());
            let before = out.as_deref().map(Vec::len);
            _ = before;
            let found = self.variable_declaration(specifiers, item, at, ty, initializer, out.as_deref_mut());
            // All variables of one declaration deduce the same type.
            if matches!(specifiers.ty, TypeSpecifier::Auto)
                && item.declarator.derived.is_empty()
                && let Some(found) = found
            {
                match deduced {
                    Some(known) if known.ty() != found.ty() => {
                        let (a, b) = (self.text_of(known), self.text_of(found));
                        self.error(
                            name.span,
                            format!("'auto' deduced as '{a}' in one declarator and '{b}' in another"),
                        );
                    }
                    _ => deduced = Some(found),
                }
            }
        }
    }

    /// Members of an anonymous union at namespace or block scope.
    fn anonymous_union(&mut self, specifiers: &Specifiers, base: Type, span: Span) {
        let TypeSpecifier::Class(class) = &specifiers.ty else { return };
        if class.name.is_none() && class.body.is_some() && self.record_of(base.ty()).is_some() {
            self.error(span, "a class without a name declares nothing here");
        }
    }

    /// `T A::x = e;`
    fn outside_variable(
        &mut self,
        specifiers: &Specifiers,
        item: &InitDeclarator,
        name: &QualifiedName,
        ty: Type,
    ) {
        let Some(super::lookup::Within::Scope(scope)) = self.prefix(name) else { return };
        let Id::Name(symbol) = name.last().id else { return };
        let at = Name { symbol, span: name.last().span };
        let initializer = item.initializer.as_ref().and_then(|cell| cell.get());
        match self.scope_ref(scope).names.get(&symbol).map(|slot| slot.entity.clone()) {
            Some(Entity::Variable(id)) => {
                let known = self.variable(id).clone();
                if known.ty.ty() != ty.ty() && !self.is_error_type(ty) && !self.has_auto(ty.ty()) {
                    let text = self.owned(symbol);
                    self.error(at.span, format!("redefinition of '{text}' with a different type"));
                    return;
                }
                if let Storage::Global(global) = known.storage
                    && self.undefined_globals.remove(&id)
                {
                    self.in_scope(scope, |cxx| {
                        cxx.define_later(
                            id,
                            global,
                            known.ty,
                            initializer,
                            specifiers.is_constexpr.is_some(),
                            at.span,
                        );
                    });
                }
            }
            _ => self.unknown_in(Some(super::lookup::Within::Scope(scope)), at, "a variable"),
        }
    }

    /// A variable. Returns its type, if it was deduced.
    fn variable_declaration(
        &mut self,
        specifiers: &Specifiers,
        item: &InitDeclarator,
        name: Name,
        ty: Type,
        initializer: Option<&Initializer>,
        out: Option<&mut Vec<Statement>>,
    ) -> Option<Type> {
        let span = name.span;
        let mut ty = ty;
        if specifiers.is_constexpr.is_some() && self.reference(ty.ty()).is_none() {
            ty = self.qualified(ty, crate::types::TypeQualifiers::CONST);
        }
        // `A x(…)` with a class template without arguments.
        if let Some(template) = self.placeholder_template(specifiers) {
            match self.deduced_variable_class(template, initializer, span) {
                Some(class) => {
                    let q = self.checker.with_qualifiers(class.ty(), ty.q.qualifiers);
                    ty = Type { q, space: ty.space };
                }
                None => {
                    self.declare(name, Entity::Error);
                    return None;
                }
            }
        }
        let is_static = specifiers.is_static.is_some() || specifiers.is_extern.is_some();
        let in_function = out.is_some();
        let is_auto = self.has_auto(ty.ty());
        let in_memory =
            matches!(ty.space, Some(AddressSpace::Global | AddressSpace::Constant | AddressSpace::Local));
        if !in_function || is_static || in_memory && self.reference(ty.ty()).is_none() {
            if is_auto {
                let Some(initializer) = initializer else {
                    self.auto_needs_initializer(name, specifiers);
                    return None;
                };
                let decltype = matches!(specifiers.ty, TypeSpecifier::DecltypeAuto);
                let deduced = self.in_initializer(|cxx| {
                    let before = cxx.begin_full();
                    let result = match decltype {
                        true => cxx.decltype_auto(initializer, span).map(|ty| (ty, Init::None)),
                        false => cxx.deduced_initializer(ty, initializer, span),
                    };
                    let frame = cxx.frame();
                    frame.temporaries = before.0;
                    frame.flags = before.1;
                    frame.conditional = before.2;
                    result
                });
                match deduced {
                    Some((deduced, _)) => {
                        let q = self
                            .checker
                            .with_qualifiers(deduced.ty(), deduced.q.qualifiers.union(ty.q.qualifiers));
                        ty = Type { q, space: ty.space };
                    }
                    None => {
                        self.declare(name, Entity::Error);
                        return None;
                    }
                }
            }
            if in_function && !is_static && ty.space == Some(AddressSpace::Global) {
                self.error(
                    span,
                    "function scope variable cannot be declared in the global address space without 'static'",
                );
            }
            if ty.space == Some(AddressSpace::Local) && in_function {
                let is_kernel = self.checker.current.as_ref().is_some_and(|current| current.is_kernel);
                if !is_kernel {
                    self.error(span, "variables in the local address space can only be declared in the outermost scope of a kernel function");
                }
            }
            self.static_variable(name, ty, specifiers, initializer, None);
            return Some(ty);
        }
        let out = out.expect("in a function");
        self.automatic(specifiers, item, name, ty, initializer, out)
    }

    fn auto_needs_initializer(&mut self, name: Name, specifiers: &Specifiers) {
        let text = self.owned(name.symbol);
        let what =
            if matches!(specifiers.ty, TypeSpecifier::DecltypeAuto) { "decltype(auto)" } else { "auto" };
        self.error(
            name.span,
            format!("declaration of variable '{text}' with deduced type '{what}' requires an initializer"),
        );
        self.declare(name, Entity::Error);
    }

    fn decltype_auto(&mut self, initializer: &Initializer, span: Span) -> Option<Type> {
        let Some(expr) = super::initialize::single(initializer) else {
            self.error(span, "'decltype(auto)' needs an expression");
            return None;
        };
        let ty = self.decltype(expr);
        (!self.is_error_type(ty)).then_some(ty)
    }

    /// A variable of a function.
    fn automatic(
        &mut self,
        specifiers: &Specifiers,
        item: &InitDeclarator,
        name: Name,
        ty: Type,
        initializer: Option<&Initializer>,
        out: &mut Vec<Statement>,
    ) -> Option<Type> {
        let span = name.span;
        let is_constexpr = specifiers.is_constexpr.is_some();
        let before = self.begin_full();
        let made = self.automatic_value(specifiers, name, ty, initializer);
        let Some((ty, init)) = made else {
            _ = self.end_full(before, span);
            if self.scope_ref(self.scope).names.get(&name.symbol).is_none() {
                self.declare(name, Entity::Error);
            }
            return None;
        };
        // Objects in other places than private memory were handled before.
        if ty.space.is_some_and(|space| space == AddressSpace::Generic) {
            self.error(span, "automatic variable qualified with an invalid address space");
        }
        let hir = self.hir_type(ty.ty());
        let Some((_, natural)) = self.types.layout(hir) else {
            let text = self.text_of(ty);
            self.error(span, format!("variable has incomplete type '{text}'"));
            _ = self.end_full(before, span);
            self.declare(name, Entity::Error);
            return None;
        };
        let attributes: Vec<_> =
            specifiers.attributes.iter().chain(&item.declarator.attributes).cloned().collect();
        let (least, _) = self.layout_attributes(&attributes);
        let text = self.owned(name.symbol);
        let local = self.checker.add_local(crate::hir::Local {
            name: text,
            ty: QualifiedType { ty: hir, qualifiers: ty.q.qualifiers },
            align: natural.max(least),
            span,
        });
        let home = self.frame().function;
        let id = self.add_variable(Variable {
            name: name.symbol,
            ty,
            space: AddressSpace::Private,
            storage: Storage::Local(local, home),
            constant: None,
            target: None,
            is_constexpr,
            span,
        });
        self.declare(name, Entity::Variable(id));
        let place = self.local_place(local, hir, span);
        let extended = self.extend_temporary(ty);
        let start = out.len();
        let mut stores = Vec::new();
        self.declare_with(local, &place, ty, init, span, &mut stores);
        let (first, last) = self.end_full(before, span);
        out.extend(first);
        let mut run = stores.clone();
        out.extend(stores);
        out.extend(last);
        if let Some(extended) = extended {
            self.frame().cleanups.last_mut().expect("a scope").push(extended);
        }
        let is_usable = is_constexpr
            || ty.q.qualifiers.is_const
                && !ty.q.qualifiers.is_volatile
                && self.types.as_scalar(ty.ty()).is_some_and(|kind| kind.is_integer());
        if is_usable && initializer.is_some() || is_constexpr {
            let function = self.checker.current.as_ref().expect("in a function").id;
            run = out[start..].to_vec();
            match self.run_local(local, hir, &run, span) {
                Ok(data) => {
                    self.local_constants.insert((function, local), data.clone());
                    self.variables[id.0 as usize].constant = Some(data);
                }
                Err(reason) if is_constexpr && self.quiet == 0 => {
                    let text = self.owned(name.symbol);
                    let message =
                        format!("constexpr variable '{text}' must be initialized by a constant expression");
                    let mut diagnostic = crate::diagnostic::Diagnostic::error(span, message);
                    diagnostic = match reason.span == Span::NONE {
                        true => diagnostic.note(reason.reason),
                        false => diagnostic.related(reason.span, reason.reason),
                    };
                    self.report(diagnostic);
                }
                Err(_) => {}
            }
        }
        if self.reference(ty.ty()).is_none() {
            let place = Place { ty: ty.q, ..place };
            self.destroy_at_exit(&place, span);
        }
        Some(ty)
    }

    /// The type and initialiser of an automatic variable.
    fn automatic_value(
        &mut self,
        specifiers: &Specifiers,
        name: Name,
        ty: Type,
        initializer: Option<&Initializer>,
    ) -> Option<(Type, Init)> {
        let span = name.span;
        if self.is_error_type(ty) {
            self.note_error();
            return None;
        }
        if self.has_auto(ty.ty()) {
            let Some(initializer) = initializer else {
                self.auto_needs_initializer(name, specifiers);
                return None;
            };
            if matches!(specifiers.ty, TypeSpecifier::DecltypeAuto) {
                let deduced = self.decltype_auto(initializer, span)?;
                return Some((deduced, self.initialize(deduced, initializer, span)));
            }
            // The variable's own name is not yet known.
            let (deduced, init) = self.deduced_initializer(ty, initializer, span)?;
            let is_reference = self.reference(deduced.ty()).is_some();
            let q = match is_reference {
                true => deduced.q,
                false => {
                    self.checker.with_qualifiers(deduced.ty(), deduced.q.qualifiers.union(ty.q.qualifiers))
                }
            };
            return Some((Type { q, space: ty.space }, init));
        }
        if self.types.is_parameter_only(ty.ty()) && !matches!(self.types.kind(ty.ty()), TypeKind::Sampler) {
            let text = self.text_of(ty);
            self.error(span, format!("the type '{text}' cannot be used to declare a local variable"));
            return None;
        }
        if matches!(self.types.kind(ty.ty()), TypeKind::Sampler) {
            self.static_variable(name, ty, specifiers, initializer, None);
            return None;
        }
        if self.types.is_void(ty.ty()) {
            self.error(span, "variable has incomplete type 'void'");
            return None;
        }
        let ty = self.with_length(ty, initializer, span)?;
        if !self.complete(ty.ty(), span, "variable") {
            return None;
        }
        // A name is in scope in its own initialiser; what it would mean there is an error anyway.
        let Some(initializer) = initializer else {
            if self.reference(ty.ty()).is_some() {
                let text = self.owned(name.symbol);
                self.error(
                    span,
                    format!("declaration of reference variable '{text}' requires an initializer"),
                );
                return None;
            }
            let element = self.element_of(ty.ty());
            if ty.q.qualifiers.is_const && self.record_of(element).is_none() {
                let text = self.text_of(ty);
                self.error(span, format!("default initialization of an object of const type '{text}'"));
                return None;
            }
            let init = self.default_initialize(ty.plain(), span);
            return match init {
                Init::Error => None,
                init => Some((ty, init)),
            };
        };
        let init = self.initialize(ty, initializer, span);
        match init {
            Init::Error => {
                self.note_error();
                None
            }
            init => Some((ty, init)),
        }
    }

    /// The last temporary object of an initialiser lives as long as a reference that is bound to it.
    fn extend_temporary(&mut self, ty: Type) -> Option<super::cleanup::Cleanup> {
        self.reference(ty.ty())?;
        let frame = self.frame();
        let index = frame.temporaries.iter().rposition(|temporary| temporary.flag.is_none())?;
        // Only if it is what the reference is bound to: the last one that was made.
        if index + 1 != frame.temporaries.len() {
            return None;
        }
        Some(frame.temporaries.remove(index).cleanup)
    }

    /// The statements that declare a variable with its first value.
    pub(super) fn declare_with(
        &mut self,
        local: crate::hir::LocalId,
        place: &Place,
        ty: Type,
        init: Init,
        span: Span,
        out: &mut Vec<Statement>,
    ) {
        let declare = |initializer| Statement { kind: StatementKind::Declare { local, initializer }, span };
        let hir = place.ty.ty;
        match init {
            Init::Error | Init::None => out.push(declare(None)),
            Init::Value(value) => {
                let value = crate::hir::Expr { ty: hir, ..value };
                out.push(declare(Some(HirInitializer::Value(value))));
            }
            Init::Class(super::initialize::Prvalue {
                kind: super::initialize::PrvalueKind::Bits(value),
                ..
            }) => {
                out.push(declare(Some(HirInitializer::Value(value))));
            }
            init => {
                let mut parts = Vec::new();
                if let Some(zero_rest) = flattened(&init, 0, &mut parts) {
                    for part in &mut parts {
                        let ty = self.hir_type(part.value.ty);
                        part.value.ty = ty;
                    }
                    let is_complete = !zero_rest;
                    let initializer = HirInitializer::Parts { parts, zero_rest: !is_complete };
                    out.push(declare(Some(initializer)));
                    return;
                }
                out.push(declare(None));
                let mut stores = Vec::new();
                self.emit(place, ty, init, &mut stores);
                out.extend(
                    stores
                        .into_iter()
                        .map(|expr| Statement { span: expr.span, kind: StatementKind::Expr(expr) }),
                );
            }
        }
    }

    /// `auto [a, b] = e;` ([dcl.struct.bind])
    fn bindings(
        &mut self,
        specifiers: &Rc<Specifiers>,
        reference: Option<bool>,
        names: &[Name],
        initializer: &Initializer,
        span: Span,
        out: Option<&mut Vec<Statement>>,
    ) {
        let Some(out) = out else {
            self.error(span, "a structured binding is only possible in a function");
            return;
        };
        let hidden = self.checker.interner.intern(&format!("(bound {})", self.variables.len()));
        let name = Name { symbol: hidden, span };
        let mut ty = self.specifiers(specifiers);
        if let Some(is_rvalue) = reference {
            ty = self.reference_to(ty, is_rvalue);
        }
        let item = InitDeclarator {
            declarator: crate::cxx::ast::Declarator {
                name: None,
                pack: None,
                derived: Vec::new(),
                attributes: Vec::new(),
                span,
            },
            initializer: None,
            bit_field: None,
        };
        // An array is copied element by element.
        let copies = std::mem::replace(&mut self.copies_arrays, true);
        let declared = match (reference, super::initialize::single(initializer)) {
            (None, Some(expr)) => {
                let of = self.unevaluated(expr);
                match matches!(self.types.kind(of.ty()), TypeKind::Array { .. }) {
                    true => {
                        let q = self.checker.with_qualifiers(of.ty(), ty.q.qualifiers);
                        Type { q, space: None }
                    }
                    false => ty,
                }
            }
            _ => ty,
        };
        self.automatic(specifiers, &item, name, declared, Some(initializer), out);
        self.copies_arrays = copies;
        let Some(Entity::Variable(id)) =
            self.scope_ref(self.scope).names.get(&hidden).map(|slot| slot.entity.clone())
        else {
            for name in names {
                self.declare(*name, Entity::Error);
            }
            return;
        };
        let Value::Place(object) = self.variable_value(id, span) else { return };
        self.bind_parts(object, names, span);
    }

    pub(super) fn bind_parts(&mut self, object: Place, names: &[Name], span: Span) {
        let ty = object.ty.ty;
        let wrong = |cxx: &mut Self, count: usize| {
            let text = cxx.type_text(ty);
            cxx.error(
                span,
                format!(
                    "type '{text}' decomposes into {count} elements, but {} names were provided",
                    names.len()
                ),
            );
            for name in names {
                cxx.declare(*name, Entity::Error);
            }
        };
        let number = self.variables.len() << 8;
        match *self.types.kind(ty) {
            TypeKind::Array { element, length: Some(count) } => {
                if count != names.len() as u64 {
                    return wrong(self, count as usize);
                }
                let (size, _) = self.types.layout(element.ty).unwrap_or((1, 1));
                for (index, name) in names.iter().enumerate() {
                    let mut q = element;
                    q.qualifiers.is_const |= object.ty.qualifiers.is_const;
                    let kind = PlaceKind::Member(Box::new(object.clone()), index as u64 * size);
                    let part = Place { kind, ty: q, space: object.space, span: name.span };
                    self.declare(*name, Entity::Binding(part, number + index));
                }
            }
            TypeKind::Vector(_, lanes) => {
                // As clang has it: the components of a vector.
                if usize::from(lanes) != names.len() {
                    return wrong(self, usize::from(lanes));
                }
                for (index, name) in names.iter().enumerate() {
                    let operand = super::super::expression::Operand::Place(object.clone());
                    if let super::super::expression::Operand::Place(part) =
                        self.checker.swizzle(operand, &[index as u8], name.span)
                    {
                        self.declare(*name, Entity::Binding(part, number + index));
                    }
                }
            }
            TypeKind::Record(record) => {
                self.require_complete(record, span);
                // The members are all of the class or all of one base.
                let mut owner = record;
                while self.class(owner).fields.is_empty() && self.class(owner).bases.len() == 1 {
                    owner = self.class(owner).bases[0].record;
                }
                let fields: Vec<usize> = (0..self.class(owner).fields.len())
                    .filter(|index| !self.class(owner).fields[*index].is_injected)
                    .collect();
                if fields.len() != names.len() {
                    return wrong(self, fields.len());
                }
                for (position, (index, name)) in fields.into_iter().zip(names).enumerate() {
                    if let Some(symbol) = self.class(owner).fields[index].name {
                        self.check_access(owner, symbol, name.span);
                    }
                    let value = self.field_of(Value::Place(object.clone()), owner, index, name.span);
                    if let Value::Place(part) = value {
                        self.declare(*name, Entity::Binding(part, number + position));
                    }
                }
            }
            _ => {
                let text = self.type_text(ty);
                self.error(span, format!("cannot decompose non-class, non-array type '{text}'"));
                for name in names {
                    self.declare(*name, Entity::Error);
                }
            }
        }
    }

    /// A static member of a class.
    pub(super) fn static_member(
        &mut self,
        record: crate::types::RecordId,
        specifiers: &Specifiers,
        item: &InitDeclarator,
        ty: Type,
        name: Name,
    ) {
        let written = item.initializer.as_ref().and_then(|cell| cell.get()).cloned();
        let is_outside = written.is_none();
        let initializer = written.or_else(|| self.outside_initializer(record, name.symbol));
        let mut ty = ty;
        if specifiers.is_constexpr.is_some() {
            ty = self.qualified(ty, crate::types::TypeQualifiers::CONST);
        }
        if self.has_auto(ty.ty()) {
            let Some(initializer) = &initializer else {
                self.auto_needs_initializer(name, specifiers);
                return;
            };
            let deduced = self.in_initializer(|cxx| cxx.deduced_initializer(ty, initializer, name.span));
            match deduced {
                Some((deduced, _)) => {
                    let q = self
                        .checker
                        .with_qualifiers(deduced.ty(), deduced.q.qualifiers.union(ty.q.qualifiers));
                    ty = Type { q, space: ty.space };
                }
                None => return,
            }
        }
        let is_const_integer =
            ty.q.qualifiers.is_const && self.types.as_scalar(ty.ty()).is_some_and(|kind| kind.is_integer());
        let may_initialize = specifiers.is_constexpr.is_some() || specifiers.is_inline || is_const_integer;
        if initializer.is_some() && !may_initialize && !is_outside {
            let what = if ty.q.qualifiers.is_const { "of this type" } else { "that is not const" };
            self.error(
                name.span,
                format!(
                    "in-class initializer for static data member {what} is not allowed: declare it 'inline'"
                ),
            );
            return;
        }
        if initializer.is_none() && !specifiers.is_inline {
            // Declared here, defined outside.
            let declared = Specifiers { is_extern: Some(name.span), ..specifiers.clone() };
            self.static_variable(name, ty, &declared, None, Some(record));
            return;
        }
        self.static_variable(name, ty, specifiers, initializer.as_ref(), Some(record));
    }

    /// An expression that has no value, for statements.
    pub(super) fn is_nothing(expr: &crate::hir::Expr) -> bool {
        matches!(expr.kind, Hir::Constant(_))
    }
}
