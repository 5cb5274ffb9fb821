//! Declarations: namespaces, variables, aliases, structured bindings ([dcl.dcl]).

mod binding;
mod function;
mod local;
mod tuple;
mod variable;

use super::Cxx;
use super::initialize::{Init, flattened};
use super::scope::{Entity, ScopeKind};
use super::types::Type;
use crate::Span;
use crate::ast::Name;
use crate::cxx::ast::{Decl, DeclKind, InitDeclarator, QualifiedName, Specifiers, TypeSpecifier};
use crate::hir::{ExprKind as Hir, Initializer as HirInitializer, Place, Statement, StatementKind};
use crate::token::Pragma;
use crate::types::TypeKind;
use std::rc::Rc;

impl Cxx<'_> {
    /// A declaration; in a function, what it does at run time goes to `out`.
    pub(super) fn declaration(&mut self, decl: &Rc<Decl>, mut out: Option<&mut Vec<Statement>>) {
        match &decl.kind {
            DeclKind::Namespace { names, is_inline, decls } => {
                self.namespace(names, *is_inline, decls, decl.span)
            }
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
                if let Some(span) = function.specifiers.is_friend {
                    self.error(span, "'friend' used outside of class");
                }
                if self.frames.is_empty() || function.body.is_none() {
                    self.free_function(function, false);
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
            DeclKind::DeductionGuide { name, suffix, target, is_explicit } => {
                self.deduction_guide(*name, suffix, target, *is_explicit, None)
            }
            DeclKind::Linkage(decls) => self.each_in_linkage(decls),
            DeclKind::Pragma(pragma) => self.pragma(*pragma, decl.span),
            DeclKind::Empty => {}
        }
    }

    fn pragma(&mut self, pragma: Pragma, span: Span) {
        match pragma {
            Pragma::Pack(_) => {}
            Pragma::Extension { name, enable }
                if self.text(name) == crate::preprocess::NON_PORTABLE_PARAMETERS =>
            {
                self.has_free_parameters = enable;
            }
            pragma => self.checker.file_pragma(pragma, span),
        }
    }

    fn namespace(&mut self, names: &[Name], is_inline: bool, decls: &[Rc<Decl>], span: Span) {
        if !self.frames.is_empty() {
            self.error(span, "namespaces can only be defined in global or namespace scope");
            return;
        }
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
        let is_builtin = self.has_builtin(scope, symbol);
        if is_builtin {
            self.scopes[self.scope.0 as usize].builtins.insert(symbol);
        }
        let Some(found) = self.find_in(scope, symbol) else {
            if is_builtin {
                return;
            }
            self.unknown_in(Some(super::lookup::Within::Scope(scope)), at, "a name");
            return;
        };
        if found.class.is_some() {
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
            self.anonymous_union(specifiers, base, span, out);
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
        let in_function = out.is_some();
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
            if crate::parse::is_image_type(self.text(symbol)) {
                let text = self.owned(symbol);
                self.error(name.span, format!("'{text}' is a built-in type and cannot be declared"));
                continue;
            }
            let function = match specifiers.is_typedef {
                true => None,
                false => self.declares_function(specifiers, item, ty),
            };
            if let (Some(span), None) = (specifiers.is_kernel, &function) {
                self.error(span, "'kernel' can only be applied to functions");
            }
            if specifiers.is_typedef {
                if item.initializer.is_some() {
                    self.error(name.span, "illegal initializer (only variables can be initialized)");
                }
                self.check_aligned_typedef(specifiers, item, ty);
                self.declare(at, Entity::Type(ty));
                continue;
            }
            if let Some(function) = function {
                self.free_function(&function, false);
                continue;
            }
            let initializer = item.initializer.as_ref().and_then(|cell| cell.get());
            if in_function {
                self.check_in_block(specifiers, at, initializer.is_some());
            }
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

    /// What a variable of a block may not be declared as.
    fn check_in_block(&mut self, specifiers: &Specifiers, name: Name, is_initialised: bool) {
        let text = self.owned(name.symbol);
        if is_initialised && specifiers.is_extern.is_some() {
            self.error(
                name.span,
                "declaration of block scope identifier with linkage cannot have an initializer",
            );
        }
        if specifiers.is_inline {
            self.error(name.span, format!("inline declaration of '{text}' not allowed in block scope"));
        }
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
                if let Some(zero_rest) = flattened(&self.types, &init, 0, &mut parts) {
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

    /// An expression that has no value, for statements.
    pub(super) fn is_nothing(expr: &crate::hir::Expr) -> bool {
        matches!(expr.kind, Hir::Constant(_))
    }
}
