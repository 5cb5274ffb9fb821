//! Variables: of namespaces, functions and classes.

use crate::Span;
use crate::ast::Name;
use crate::check::cxx::global::Object;
use crate::check::cxx::initialize::Init;
use crate::check::cxx::scope::{Entity, Storage};
use crate::check::cxx::types::Type;
use crate::check::cxx::walk;
use crate::check::cxx::{Cxx, VarId};
use crate::cxx::ast::{Id, InitDeclarator, Initializer, QualifiedName, Specifiers, TypeSpecifier};
use crate::diagnostic::Diagnostic;
use crate::hir::{ConstantData, Initializer as HirInitializer, LocalId, Place, Statement, StatementKind};
use crate::types::{QualifiedType, TypeId, TypeKind};
use clvk_ir::AddressSpace;

impl Cxx<'_> {
    /// `T A::x = e;`
    pub(super) fn outside_variable(
        &mut self,
        specifiers: &Specifiers,
        item: &InitDeclarator,
        name: &QualifiedName,
        ty: Type,
    ) {
        let Some(crate::check::cxx::lookup::Within::Scope(scope)) = self.prefix(name) else { return };
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
                let Storage::Global(global) = known.storage else { return };
                let is_first = self.undefined_globals.remove(&id);
                // An explicit specialisation replaces what the template gave the instance.
                let replaces =
                    !is_first && initializer.is_some() && self.in_scope(scope, |cxx| cxx.in_instance());
                if replaces {
                    self.checker.globals[global.0 as usize].initializer = None;
                    self.variables[id.0 as usize].constant = None;
                } else if !is_first && initializer.is_some() {
                    let text = self.owned(symbol);
                    let diagnostic = Diagnostic::error(at.span, format!("redefinition of '{text}'"));
                    self.report(diagnostic.related(known.span, "previous definition is here"));
                }
                if is_first || replaces {
                    self.in_scope(scope, |cxx| {
                        let is_constexpr = specifiers.is_constexpr.is_some();
                        let (ty, span) = (known.ty, at.span);
                        cxx.define_later(&Object { id, global, ty, is_constexpr, span }, initializer);
                    });
                }
            }
            _ => self.unknown_in(Some(crate::check::cxx::lookup::Within::Scope(scope)), at, "a variable"),
        }
    }

    /// A variable. Returns its type, if it was deduced.
    pub(super) fn variable_declaration(
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
        self.check_spec_constant(specifiers, ty, span);
        let is_static = specifiers.is_static.is_some() || specifiers.is_extern.is_some();
        let in_function = out.is_some();
        let is_auto = self.has_auto(ty.ty());
        let in_memory =
            matches!(ty.space, Some(AddressSpace::Global | AddressSpace::Constant | AddressSpace::Local));
        if !in_function || is_static || in_memory && self.reference(ty.ty()).is_none() {
            if in_function && specifiers.is_extern.is_none() && specifiers.is_constexpr.is_none() {
                self.not_in_constexpr(span, "a static variable cannot be defined in a constexpr function");
            }
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
                    cxx.restore_full(before);
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
            if ty.space == Some(AddressSpace::Local)
                && in_function
                && is_static
                && !self.options.is_opencl_cxx()
            {
                let kind = if specifiers.is_extern.is_some() { "extern" } else { "static local" };
                let message = format!("{kind} variable must reside in global or constant address space");
                self.error(span, message);
            } else if ty.space == Some(AddressSpace::Local) && in_function {
                let is_kernel = self.checker.current.as_ref().is_some_and(|current| current.is_kernel);
                let function = self.frame().function;
                let is_outermost = self.scope_ref(self.scope).parent == Some(self.function(function).scope);
                if !is_kernel || !is_outermost {
                    self.error(span, "variables in the local address space can only be declared in the outermost scope of a kernel function");
                }
            }
            if ty.space == Some(AddressSpace::Local)
                && self.options.is_opencl_cxx()
                && let Some(out) = out
            {
                return self.local_variable(specifiers, name, ty, initializer, out);
            }
            self.static_variable(name, ty, specifiers, initializer, None, out);
            return Some(ty);
        }
        let out = out.expect("in a function");
        self.automatic(specifiers, item, name, ty, initializer, out)
    }

    /// What a constexpr function cannot contain ([dcl.constexpr]/3). Instances of templates and lambda
    /// expressions that contain it are not constexpr, which is not an error where they do not say so.
    pub(in crate::check::cxx) fn not_in_constexpr(&mut self, span: Span, message: &str) {
        let id = self.frame().function;
        if id == crate::check::cxx::global::START || !self.function(id).is_constexpr {
            return;
        }
        let is_implicit = self.function(id).closure.as_ref().is_some_and(|closure| !closure.is_constexpr);
        if is_implicit {
            self.function_mut(id).is_constexpr = false;
        } else if !self.in_instance() {
            self.error(span, message);
        }
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
        let Some(expr) = crate::check::cxx::initialize::single(initializer) else {
            self.error(span, "'decltype(auto)' needs an expression");
            return None;
        };
        let ty = self.decltype(expr);
        (!self.is_error_type(ty)).then_some(ty)
    }

    /// A variable of a function.
    pub(super) fn automatic(
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
        let is_known = initializer.is_some() && !is_constexpr && self.is_known_in_initializer(ty, span);
        let known = if is_known { self.add_automatic(specifiers, item, name, ty) } else { None };
        let made = self.automatic_value(specifiers, name, ty, initializer);
        let made = made.or_else(|| self.without_value(name, ty, is_constexpr, known.is_some()));
        let Some((ty, init)) = made else {
            _ = self.end_full(before, span);
            if !self.scope_ref(self.scope).names.contains_key(&name.symbol) {
                self.declare(name, Entity::Error);
            }
            return None;
        };
        // Objects in other places than private memory were handled before.
        if ty.space.is_some_and(|space| space == AddressSpace::Generic) {
            self.error(span, "automatic variable qualified with an invalid address space");
        }
        if !self.is_trivially_destructible(ty.ty()) {
            let text = self.text_of(ty);
            let message =
                format!("variable of non-literal type '{text}' cannot be defined in a constexpr function");
            self.not_in_constexpr(span, &message);
        }
        let Some((local, id)) = known.or_else(|| self.add_automatic(specifiers, item, name, ty)) else {
            let text = self.text_of(ty);
            self.error(span, format!("variable has incomplete type '{text}'"));
            _ = self.end_full(before, span);
            self.declare(name, Entity::Error);
            return None;
        };
        let hir = self.hir_type(ty.ty());
        let place = self.local_place(local, hir, span);
        if !matches!(init, Init::None) {
            self.frame().bypass.initialised(span);
        } else if let Some(record) = self.record_of(self.element_of(ty.ty()))
            && self.class(record).implicit.is_trivially_default
            && self.leaves_unset(record)
        {
            let function = self.checker.current.as_ref().expect("in a function").id;
            self.unset_locals.insert((function, local));
        }
        let extended = self.extend_temporaries(ty, &init);
        let start = out.len();
        let mut stores = Vec::new();
        self.declare_with(local, &place, ty, init, span, &mut stores);
        let (first, last) = self.end_full(before, span);
        out.extend(first);
        out.extend(stores);
        out.extend(last);
        self.frame().cleanups.last_mut().expect("a scope").extend(extended);
        let is_usable = is_constexpr
            || ty.q.qualifiers.is_const
                && !ty.q.qualifiers.is_volatile
                && self.types.as_scalar(ty.ty()).is_some_and(|kind| kind.is_integer());
        if is_usable && initializer.is_some() || is_constexpr {
            let function = self.checker.current.as_ref().expect("in a function").id;
            let run = out[start..].to_vec();
            match self.run_local(local, hir, &run, is_constexpr, span) {
                Ok(data) => {
                    self.replace_calls(local, hir, &data, out, start);
                    self.local_constants.insert((function, local), data.clone());
                    self.variables[id.0 as usize].constant = Some(data);
                }
                Err(reason) if is_constexpr && self.quiet == 0 => {
                    let text = self.owned(name.symbol);
                    let message =
                        format!("constexpr variable '{text}' must be initialized by a constant expression");
                    let mut diagnostic = Diagnostic::error(span, message);
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

    /// Whether the name of a variable is in scope in its own initialiser ([basic.scope.pdecl]). It is not
    /// where the initialiser decides the type. The names of references are left out: what they would mean
    /// there is undefined.
    fn is_known_in_initializer(&mut self, ty: Type, span: Span) -> bool {
        if self.has_auto(ty.ty()) || self.is_error_type(ty) {
            return false;
        }
        match self.types.kind(ty.ty()) {
            TypeKind::Pointer { .. } | TypeKind::Vector(..) => true,
            TypeKind::Array { length: Some(_), .. } | TypeKind::Record(_) => {
                let element = self.element_of(ty.ty());
                self.record_of(element).is_none_or(|record| self.require_complete(record, span))
            }
            _ => self.types.as_arithmetic(ty.ty()).is_some(),
        }
    }

    /// Adds a variable of a function, and declares its name; `None` if its type is incomplete.
    fn add_automatic(
        &mut self,
        specifiers: &Specifiers,
        item: &InitDeclarator,
        name: Name,
        ty: Type,
    ) -> Option<(LocalId, VarId)> {
        let hir = self.hir_type(ty.ty());
        let (_, natural) = self.types.layout(hir)?;
        let attributes: Vec<_> =
            specifiers.attributes.iter().chain(&item.declarator.attributes).cloned().collect();
        self.check_alignas(&attributes, natural, ty.ty());
        let (least, _) = self.layout_attributes(&attributes);
        let local = self.checker.add_local(crate::hir::Local {
            name: self.owned(name.symbol),
            ty: QualifiedType { ty: hir, qualifiers: ty.q.qualifiers },
            align: natural.max(least),
            span: name.span,
        });
        Some((local, self.declare_local(name, ty, local, specifiers.is_constexpr.is_some())))
    }

    /// A variable whose initialiser is wrong still has its type, so that its uses are checked. What depends
    /// on its value is not.
    fn without_value(
        &mut self,
        name: Name,
        ty: Type,
        is_constexpr: bool,
        is_declared: bool,
    ) -> Option<(Type, Init)> {
        let is_usable = !self.has_auto(ty.ty())
            && !is_constexpr
            && !ty.q.qualifiers.is_const
            && !self.is_error_type(ty)
            && self.reference(ty.ty()).is_none()
            && !self.types.is_parameter_only(ty.ty())
            && (is_declared || !self.scope_ref(self.scope).names.contains_key(&name.symbol))
            && self.types.layout(ty.ty()).is_some();
        is_usable.then_some((ty, Init::None))
    }

    /// Puts the value of a constant in the place of the calls that compute it, which may recurse.
    fn replace_calls(
        &mut self,
        local: LocalId,
        ty: TypeId,
        data: &ConstantData,
        out: &mut Vec<Statement>,
        start: usize,
    ) {
        let mut calls = walk::Calls::default();
        walk::calls(&out[start..], &mut calls);
        let mut parts = Vec::new();
        let span = out[start].span;
        if calls.functions.is_empty() || self.constant_parts(ty, 0, data, &mut parts, span).is_none() {
            return;
        }
        let initializer = Some(HirInitializer::Parts { parts, zero_rest: true });
        out.truncate(start);
        out.push(Statement { kind: StatementKind::Declare { local, initializer }, span });
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
        let target = self.without_reference(ty).ty();
        if self.types.is_parameter_only(target) && !matches!(self.types.kind(ty.ty()), TypeKind::Sampler) {
            let text = self.text_of(ty);
            self.error(span, format!("the type '{text}' cannot be used to declare a local variable"));
            return None;
        }
        if matches!(self.types.kind(ty.ty()), TypeKind::Sampler) {
            self.static_variable(name, ty, specifiers, initializer, None, None);
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
            let is_unset = matches!(init, Init::None);
            return match init {
                Init::Error => None,
                _ if is_unset && ty.q.qualifiers.is_const && self.has_fields(element) => {
                    let text = self.text_of(ty);
                    let message = format!(
                        "default initialization of an object of const type '{text}' without a user-provided default constructor"
                    );
                    self.error(span, message);
                    None
                }
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

    fn has_fields(&self, ty: TypeId) -> bool {
        self.record_of(ty).is_some_and(|record| !self.class(record).fields.is_empty())
    }

    /// A static member of a class.
    pub(in crate::check::cxx) fn static_member(
        &mut self,
        record: crate::types::RecordId,
        specifiers: &Specifiers,
        item: &InitDeclarator,
        ty: Type,
        name: Name,
    ) {
        let written = item.initializer.as_ref().and_then(|cell| cell.get()).cloned();
        let is_outside = written.is_none();
        if is_outside && specifiers.is_constexpr.is_some() {
            let text = self.owned(name.symbol);
            let message =
                format!("declaration of constexpr static data member '{text}' requires an initializer");
            self.error(name.span, message);
            return;
        }
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
        if ty.space == Some(AddressSpace::Local) {
            self.local_members.push((ty, name.span));
        }
        if initializer.is_none() && !specifiers.is_inline {
            // Declared here, defined outside.
            let declared = Specifiers { is_extern: Some(name.span), ..specifiers.clone() };
            self.static_variable(name, ty, &declared, None, Some(record), None);
            return;
        }
        self.static_variable(name, ty, specifiers, initializer.as_ref(), Some(record), None);
    }
}
