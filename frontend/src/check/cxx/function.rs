//! Functions and methods: declarations, signatures, bodies ([dcl.fct], [class.mfct]).

use super::lambda::{Frame, Home};
use super::scope::{Entity, ScopeId, ScopeKind, Storage, Variable};
use super::template::Argument;
use super::types::Type;
use super::{Cxx, FnId, TemplateId};
use crate::Span;
use crate::ast::Name;
use crate::cxx::ast::{
    Access, Body, FunctionBody, FunctionDecl, FunctionSuffix, Id, Initializer, Operator, QualifiedName,
    TypeSpecifier,
};
use crate::diagnostic::Diagnostic;
use crate::hir::{self, FunctionId, Local, LocalId, Statement};
use crate::symbol::Symbol;
use crate::types::{QualifiedType, RecordId, TypeId, TypeKind, TypeQualifiers};
use clvk_interface::Feature;
use clvk_ir::AddressSpace;
use std::cell::OnceCell;
use std::rc::Rc;

/// The class of a method, and its access.
#[derive(Clone, Copy, Debug)]
pub(super) struct Owner {
    pub record: RecordId,
    pub access: Access,
}

/// What a function is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Plain,
    Constructor,
    Destructor,
    Conversion,
}

/// A parameter.
#[derive(Clone, Debug)]
pub(super) struct Parameter {
    pub ty: Type,
    /// Its place in the written list, which is the same for all parameters of a pack.
    pub index: usize,
    pub default: Option<Rc<OnceCell<Initializer>>>,
}

/// The progress of a function's body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// Not checked, or there is none.
    None,
    Checking,
    Done,
}

/// A function, method or function template.
#[derive(Clone, Debug)]
pub(super) struct Function {
    /// Its name for lookup: an identifier, or `operator+`.
    pub symbol: Option<Symbol>,
    pub kind: Kind,
    pub params: Vec<Parameter>,
    /// `auto` until the body is checked.
    pub result: Type,
    pub class: Option<RecordId>,
    /// Without `this`.
    pub is_static: bool,
    pub this_qualifiers: TypeQualifiers,
    pub this_space: AddressSpace,
    /// `&` (false) or `&&` (true) after the parameters.
    pub this_reference: Option<bool>,
    pub is_explicit: bool,
    pub is_deleted: bool,
    /// A special member whose body the compiler makes.
    pub is_defaulted: bool,
    pub is_constexpr: bool,
    pub is_kernel: bool,
    pub is_internal: bool,
    pub c_linkage: bool,
    pub access: Access,
    /// For a template: which.
    pub template: Option<TemplateId>,
    /// The template and arguments that it is an instance of.
    pub instance: Option<(TemplateId, Rc<[Argument]>)>,
    pub suffix: Rc<FunctionSuffix>,
    /// `decltype(auto)`.
    pub returns_decltype: bool,
    pub attributes: Rc<[crate::cxx::ast::Attribute]>,
    /// Where its default arguments and its body are resolved.
    pub scope: ScopeId,
    pub body: Option<Rc<OnceCell<Body>>>,
    /// The constructor of a base that an inherited constructor calls.
    pub inherits: Option<FnId>,
    /// For the function of a closure: its captures' enclosing frame.
    pub closure: Option<Rc<super::lambda::Closure>>,
    pub hir: Option<FunctionId>,
    pub progress: Progress,
    pub order: u32,
    pub horizon: u32,
    pub span: Span,
}

impl Function {
    /// Whether it is called on an object.
    pub fn has_this(&self) -> bool {
        self.class.is_some() && !self.is_static
    }
}

impl Cxx<'_> {
    pub(super) fn function(&self, id: FnId) -> &Function {
        &self.functions[id.0 as usize]
    }

    pub(super) fn function_mut(&mut self, id: FnId) -> &mut Function {
        &mut self.functions[id.0 as usize]
    }

    pub(super) fn add_function(&mut self, function: Function) -> FnId {
        self.functions.push(function);
        FnId(self.functions.len() as u32 - 1)
    }

    /// The name under which an operator's functions are found.
    pub(super) fn operator_symbol(&mut self, operator: Operator) -> Symbol {
        let text = format!("operator{}", operator_text(operator));
        self.checker.interner.intern(&text)
    }

    /// The symbol of a declared name.
    pub(super) fn symbol_of(&mut self, id: &Id) -> Option<Symbol> {
        match id {
            Id::Name(symbol) => Some(*symbol),
            Id::Operator(operator) => Some(self.operator_symbol(*operator)),
            Id::Literal(symbol) => {
                let text = format!("operator\"\"{}", self.owned(*symbol));
                Some(self.checker.interner.intern(&text))
            }
            Id::Conversion(_) => Some(self.checker.interner.intern("operator type")),
            Id::Destructor(_) | Id::Decltype(_) => None,
        }
    }

    /// A function that is not a member, or a member defined outside its class.
    pub(super) fn free_function(
        &mut self,
        decl: &Rc<FunctionDecl>,
        span: Span,
        c_linkage: bool,
    ) -> Option<FnId> {
        let name = decl.declarator.name.clone()?;
        self.refuse_specifiers(decl, None);
        if name.is_qualified() {
            return self.outside_definition(decl, &name, span);
        }
        if let Some(arguments) = &name.last().arguments {
            _ = arguments;
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
        let id = self.add_function(function);
        self.declare_in(scope, name, Entity::Functions(vec![id]));
        self.order += 1;
        self.function_mut(id).order = self.order;
        if !defines && is_namespace {
            // It may be defined later, or by another program.
        }
        Some(id)
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
        let had_body = before.body.is_some() || before.is_deleted || before.is_defaulted;
        if decl.body.is_some() && had_body {
            let diagnostic = Diagnostic::error(name.span, format!("redefinition of '{text}'"));
            self.report(diagnostic.related(before.span, "previous definition is here"));
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

    /// Default arguments stand at the end, and are checked later.
    fn check_defaults(&mut self, id: FnId) {
        let function = self.function(id);
        let first = function.params.iter().position(|param| param.default.is_some());
        let missing =
            first.is_some_and(|first| function.params[first..].iter().any(|param| param.default.is_none()));
        let span = function.span;
        if missing {
            self.error(span, "missing default argument on parameter");
        } else if first.is_some() {
            self.with_defaults.push(id);
        }
    }

    /// Checks default arguments without using them.
    pub(super) fn check_default_arguments(&mut self) {
        for id in std::mem::take(&mut self.with_defaults) {
            let function = self.function(id).clone();
            for (index, param) in function.params.iter().enumerate() {
                if param.default.is_some() {
                    self.in_initializer(|cxx| {
                        let before = cxx.begin_full();
                        cxx.default_argument(id, index, function.span);
                        let frame = cxx.frame();
                        frame.temporaries = before.0;
                        frame.flags = before.1;
                        frame.conditional = before.2;
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

    pub(super) fn same_parameters(&self, a: FnId, b: FnId) -> bool {
        let function = self.function(b).clone();
        self.same_signature(a, &function)
    }

    /// A method declared in its class.
    pub(super) fn method(&mut self, decl: &Rc<FunctionDecl>, span: Span, owner: Owner) -> Option<FnId> {
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
    fn outside_definition(
        &mut self,
        decl: &Rc<FunctionDecl>,
        name: &QualifiedName,
        span: Span,
    ) -> Option<FnId> {
        let id = self.outside_declaration(decl, name)?;
        _ = span;
        self.pending.push(id);
        Some(id)
    }

    fn outside_declaration(&mut self, decl: &Rc<FunctionDecl>, name: &QualifiedName) -> Option<FnId> {
        let super::lookup::Within::Scope(scope) = self.prefix(name)? else {
            self.error(name.span, "a scalar type has no members");
            return None;
        };
        let record = match self.scope_ref(scope).kind {
            ScopeKind::Class(record) => Some(record),
            _ => None,
        };
        let owner = record.map(|record| Owner { record, access: Access::Public });
        let mut function = self.in_scope(scope, |cxx| cxx.signature(decl, owner, scope))?;
        let candidates = match (record, function.kind) {
            (Some(record), Kind::Constructor) => self.class(record).constructors.clone(),
            (Some(record), Kind::Destructor) => self.class(record).destructor.into_iter().collect(),
            (Some(record), Kind::Conversion) => self.class(record).conversions.clone(),
            _ => match function.symbol.and_then(|symbol| self.scope_ref(scope).names.get(&symbol)) {
                Some(super::scope::Slot { entity: Entity::Functions(list), .. }) => list.clone(),
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

    fn refuse_specifiers(&mut self, decl: &FunctionDecl, class: Option<RecordId>) {
        if let Some(span) = decl.specifiers.is_virtual {
            self.error(span, "virtual functions are not supported in C++ for OpenCL (§2.1)");
        }
        if let Some(span) = decl.virtual_specifier {
            self.error(
                span,
                "virtual functions are not supported in C++ for OpenCL (§2.1): this overrides none",
            );
        }
        if let Some(span) = decl.pure {
            self.error(span, "virtual functions are not supported in C++ for OpenCL (§2.1)");
        }
        if let Some(span) = decl.specifiers.is_mutable {
            self.error(span, "'mutable' cannot be applied to functions");
        }
        if class.is_none() && decl.specifiers.is_explicit {
            self.error(
                decl.specifiers.span,
                "'explicit' can only be applied to a constructor or conversion function",
            );
        }
        let suffix = decl.suffix();
        if let Some(span) = suffix.throws {
            self.error(span, "exceptions are not supported in C++ for OpenCL (§2.1)");
        }
        if let Some(span) = suffix.variadic {
            self.error(span, "invalid prototype, variadic arguments are not allowed in OpenCL");
        }
    }

    /// Parameters, result and kind of a declared function.
    pub(super) fn signature(
        &mut self,
        decl: &Rc<FunctionDecl>,
        owner: Option<Owner>,
        scope: ScopeId,
    ) -> Option<Function> {
        let name = decl.declarator.name.as_ref()?;
        let suffix = decl.suffix().clone();
        let kind = match (&name.last().id, owner, &decl.specifiers.ty) {
            (Id::Destructor(_), Some(_), _) => Kind::Destructor,
            (Id::Conversion(_), Some(_), _) => Kind::Conversion,
            (Id::Conversion(_) | Id::Destructor(_), None, _) => {
                self.error(name.span, "conversion functions and destructors must be members of a class");
                return None;
            }
            (Id::Name(symbol), Some(owner), TypeSpecifier::None) => {
                let class = self.class(owner.record);
                let own = class.name == Some(*symbol)
                    || class.instance.as_ref().is_some_and(|(template, _)| {
                        self.templates[template.0 as usize].name.symbol == *symbol
                    });
                if !own {
                    self.error(name.span, "C++ requires a type specifier for all declarations");
                    return None;
                }
                Kind::Constructor
            }
            (_, _, TypeSpecifier::None) => {
                self.error(name.span, "C++ requires a type specifier for all declarations");
                return None;
            }
            _ => Kind::Plain,
        };
        let base = match (&name.last().id, kind) {
            (Id::Conversion(ty), _) => self.type_name(ty),
            (_, Kind::Constructor | Kind::Destructor) => Type::of(self.types.void()),
            _ => self.specifiers(&decl.specifiers),
        };
        let mut result = self.derive(base, &decl.declarator.derived[1..], decl.declarator.span);
        // The trailing result may name the parameters.
        let params_scope = self.new_scope(self.scope, ScopeKind::Block);
        let params = self.in_scope(params_scope, |cxx| cxx.declared_parameters(&suffix));
        if let Some(trailing) = &suffix.trailing {
            result = self.in_scope(params_scope, |cxx| {
                cxx.bind_unevaluated(&suffix, &params);
                cxx.type_name(trailing)
            });
        }
        if self.in_instance() {
            // A deduced type may name the address space of the object that it was deduced from.
            result.space = None;
        }
        self.check_result(result, name.span);
        let mut written = Type::of(self.types.void());
        written = self.with_written(written, &suffix.qualifiers);
        let is_static = decl.specifiers.is_static.is_some();
        let has_qualifiers = written.q.qualifiers != TypeQualifiers::default()
            || written.space.is_some()
            || suffix.reference.is_some();
        if has_qualifiers && (owner.is_none() || is_static || matches!(kind, Kind::Constructor)) {
            let is_space_of_constructor =
                kind == Kind::Constructor && written.q.qualifiers == TypeQualifiers::default();
            if !is_space_of_constructor {
                self.error(name.span, "only non-static member functions can have qualifiers");
            }
        }
        let operator = match name.last().id {
            Id::Operator(operator) => Some(operator),
            _ => None,
        };
        let is_static = is_static && owner.is_some();
        if let Some(operator) = operator {
            self.check_operator(operator, &params, owner.is_some() && !is_static, name.span);
        }
        let symbol = match kind {
            Kind::Constructor | Kind::Destructor => None,
            _ => self.symbol_of(&name.last().id),
        };
        if let Some(symbol) = symbol
            && self.text(symbol) == "main"
            && owner.is_none()
        {
            self.error(name.span, "a function cannot be called 'main' in OpenCL");
        }
        let is_kernel = decl.specifiers.is_kernel.is_some();
        let (body, is_defaulted, is_deleted) = match &decl.body {
            Some(FunctionBody::Statements(body)) => (Some(body.clone()), false, false),
            Some(FunctionBody::Default) => (None, true, false),
            Some(FunctionBody::Delete) => (None, false, true),
            None => (None, false, false),
        };
        let attributes: Vec<_> =
            decl.specifiers.attributes.iter().chain(&decl.declarator.attributes).cloned().collect();
        self.refuse_function_attributes(&attributes);
        if is_kernel {
            self.check_kernel_signature(&params, result, name.span);
        }
        Some(Function {
            symbol,
            kind,
            params,
            result,
            class: owner.map(|owner| owner.record),
            is_static,
            this_qualifiers: written.q.qualifiers,
            this_space: written.space.unwrap_or(AddressSpace::Generic),
            this_reference: suffix.reference,
            is_explicit: decl.specifiers.is_explicit,
            is_deleted,
            is_defaulted,
            is_constexpr: decl.specifiers.is_constexpr.is_some(),
            is_kernel,
            is_internal: decl.specifiers.is_static.is_some() || decl.specifiers.is_inline,
            c_linkage: false,
            access: owner.map_or(Access::Public, |owner| owner.access),
            template: None,
            instance: None,
            suffix,
            returns_decltype: matches!(decl.specifiers.ty, TypeSpecifier::DecltypeAuto),
            attributes: attributes.into(),
            scope,
            body,
            inherits: None,
            closure: None,
            hir: None,
            progress: Progress::None,
            order: self.order,
            horizon: self.horizon,
            span: name.span,
        })
    }

    fn refuse_function_attributes(&mut self, attributes: &[crate::cxx::ast::Attribute]) {
        for attribute in attributes {
            if matches!(attribute.name.as_str(), "constructor" | "destructor" | "alias" | "weak" | "ifunc") {
                let message = format!("the attribute '{}' is not supported", attribute.name);
                self.error(attribute.span, message);
            }
        }
    }

    fn check_result(&mut self, result: Type, span: Span) {
        let text = self.text_of(result);
        match self.types.kind(result.ty()) {
            TypeKind::Array { .. } | TypeKind::Function { .. } => {
                self.error(span, format!("function cannot return array or function type '{text}'"));
            }
            _ if self.types.is_parameter_only(result.ty()) => {
                self.error(span, format!("declaring function return value of type '{text}' is not allowed"));
            }
            _ if result.space.is_some() && !self.is_error_type(result) => {
                self.error(span, format!("return type cannot be qualified with address space '{text}'"));
            }
            TypeKind::Scalar(crate::types::ScalarKind::Half) if !self.has(Feature::Fp16) => {
                self.error(span, "declaring function return value of type 'half' is not allowed");
            }
            _ => {}
        }
    }

    fn declared_parameters(&mut self, suffix: &Rc<FunctionSuffix>) -> Vec<Parameter> {
        let types = self.parameter_types(&suffix.params);
        let mut result = Vec::new();
        for (ty, index) in types {
            let param = &suffix.params[index];
            if ty.space.is_some_and(|space| space != AddressSpace::Private) {
                self.error(param.span, "parameter may not be qualified with an address space");
            }
            result.push(Parameter { ty: Type { space: None, ..ty }, index, default: param.default.clone() });
        }
        result
    }

    /// Makes parameters known by their types, where they are not evaluated.
    pub(super) fn bind_unevaluated(&mut self, suffix: &FunctionSuffix, params: &[Parameter]) {
        for (index, param) in suffix.params.iter().enumerate() {
            let Some(name) = param.declarator.name.as_ref().and_then(|name| name.plain()) else { continue };
            let of_param: Vec<_> = params.iter().filter(|known| known.index == index).map(|p| p.ty).collect();
            let ids: Vec<_> = of_param
                .into_iter()
                .map(|ty| {
                    self.add_variable(Variable {
                        name: name.symbol,
                        ty,
                        space: AddressSpace::Private,
                        storage: Storage::None,
                        constant: None,
                        target: None,
                        is_constexpr: false,
                        span: name.span,
                    })
                })
                .collect();
            let entity = match (param.expansion.is_some(), ids.first()) {
                (false, Some(id)) => Entity::Variable(*id),
                _ => Entity::Variables(ids),
            };
            self.bind(name, entity);
        }
    }

    fn check_kernel_signature(&mut self, params: &[Parameter], result: Type, span: Span) {
        if !self.types.is_void(result.ty()) && !self.is_error_type(result) {
            self.error(span, "kernel must have void return type");
        }
        if self.enclosing_class(self.scope).is_some() {
            self.error(span, "kernel functions cannot be class members (C++ for OpenCL §2.4)");
        }
        for param in params {
            let at = span;
            let ty = param.ty;
            if param.default.is_some() {
                self.error(at, "a kernel's parameter cannot have a default argument");
            }
            let target = match self.reference(ty.ty()) {
                Some(reference) => Some((reference.target, reference.space)),
                None => self.types.pointee(ty.ty()),
            };
            if let Some((target, space)) = target {
                if !matches!(space, AddressSpace::Global | AddressSpace::Constant | AddressSpace::Local) {
                    self.error(
                        at,
                        "pointer arguments to kernel functions must reside in '__global', '__constant' or '__local' address space",
                    );
                }
                if let Some(record) = self.record_of(target.ty)
                    && self.require_complete(record, at)
                    && !self.is_standard_layout(record)
                {
                    let text = self.type_text(target.ty);
                    self.error(at, format!("'{text}' cannot be used as the type of a kernel parameter: it has no standard layout"));
                }
                continue;
            }
            if let Some(record) = self.record_of(ty.ty()) {
                self.complete(ty.ty(), at, "parameter");
                if !self.is_trivially_copyable(ty.ty()) || !self.is_standard_layout(record) {
                    let text = self.text_of(ty);
                    self.error(at, format!("'{text}' cannot be used as the type of a kernel parameter: it must be a plain class (C++ for OpenCL §2.4)"));
                    continue;
                }
            }
            if matches!(self.types.kind(ty.ty()), TypeKind::MemberPointer { .. } | TypeKind::Nullptr) {
                let text = self.text_of(ty);
                self.error(at, format!("'{text}' cannot be used as the type of a kernel parameter"));
                continue;
            }
            self.checker.check_kernel_type(ty.ty(), at);
        }
    }

    /// Whether objects of a type that is not trivially copyable are passed and returned in memory.
    pub(super) fn is_passed_in_memory(&mut self, ty: TypeId) -> bool {
        self.record_of(ty).is_some() && !self.is_trivially_copyable(ty)
    }

    /// The type of a parameter or result in the HIR.
    fn passed_type(&mut self, ty: TypeId) -> TypeId {
        if self.is_passed_in_memory(ty) {
            return self.types.pointer(ty.into(), AddressSpace::Private);
        }
        self.hir_type(ty)
    }

    /// The type of `this`.
    pub(super) fn this_type(&mut self, id: FnId) -> Option<TypeId> {
        let function = self.function(id);
        let record = function.class.filter(|_| function.has_this())?;
        let target = QualifiedType { ty: self.class(record).ty, qualifiers: function.this_qualifiers };
        let space = function.this_space;
        Some(self.types.pointer(target, space))
    }

    /// The function in the HIR, declared when it is first needed.
    pub(super) fn hir_function(&mut self, id: FnId) -> FunctionId {
        if let Some(hir) = self.function(id).hir {
            return hir;
        }
        let hir = FunctionId(self.checker.functions.len() as u32);
        self.function_mut(id).hir = Some(hir);
        self.of_hir.insert(hir, id);
        let function = self.function(id).clone();
        let mut locals = Vec::new();
        let mut add = |cxx: &mut Self, name: String, ty: TypeId| {
            let align = cxx.types.layout(ty).map_or(1, |(_, align)| align);
            locals.push(Local { name, ty: ty.into(), align, span: function.span });
        };
        let by_memory = self.is_passed_in_memory(function.result.ty());
        if by_memory {
            let ty = self.passed_type(function.result.ty());
            add(self, String::new(), ty);
        }
        if let Some(this) = self.this_type(id) {
            add(self, "this".to_owned(), this);
        }
        for param in &function.params {
            let name =
                function.suffix.params.get(param.index).and_then(|param| param.declarator.name.as_ref());
            let name =
                name.and_then(|name| name.plain()).map_or(String::new(), |name| self.owned(name.symbol));
            let ty = self.passed_type(param.ty.ty());
            add(self, name, ty);
        }
        let result = if by_memory { self.types.void() } else { self.hir_type(function.result.ty()) };
        let name = self.function_text(id);
        let params: Vec<TypeId> = locals.iter().map(|local| local.ty.ty).collect();
        let is_external = function.class.is_none()
            && function.instance.is_none()
            && !function.is_internal
            && !function.is_constexpr
            && function.closure.is_none();
        let plain = function.symbol.map_or(String::new(), |symbol| self.owned(symbol));
        let link_name = if function.is_kernel || function.c_linkage {
            plain.clone()
        } else {
            let full = self.checker.mangled_name(&name, &params);
            self.checker.unique_name(full)
        };
        let kernel = function.is_kernel.then(|| self.kernel_attributes(id));
        self.checker.function_infos.push(super::super::function::FunctionInfo {
            params: params.clone(),
            result,
            span: function.span,
            defined: function.body.is_some(),
            is_kernel: function.is_kernel,
            is_static: function.is_internal,
            is_overloadable: false,
        });
        let contract = self.checker.contract;
        self.checker.functions.push(hir::Function {
            name: if function.is_kernel || function.c_linkage { plain } else { name },
            link_name,
            result,
            param_count: params.len(),
            captures: Vec::new(),
            locals,
            kernel,
            contract,
            is_internal: !function.is_kernel && !is_external,
            body: None,
            span: function.span,
        });
        hir
    }

    /// A function as messages name it.
    pub(super) fn function_text(&self, id: FnId) -> String {
        let function = self.function(id);
        let owner = match function.class {
            Some(record) => {
                let text = self.type_text(self.class(record).ty);
                format!("{text}::")
            }
            None => self.scope_text(self.enclosing_namespace(function.scope)),
        };
        let name = match (function.kind, function.class, function.symbol) {
            (Kind::Constructor, Some(record), _) => self.type_text(self.class(record).ty),
            (Kind::Destructor, Some(record), _) => format!("~{}", self.type_text(self.class(record).ty)),
            (Kind::Conversion, ..) => format!("operator {}", self.text_of(function.result)),
            (_, _, Some(symbol)) => self.owned(symbol),
            _ => String::new(),
        };
        let arguments = match &function.instance {
            Some((_, arguments)) => self.arguments_text(arguments),
            None => String::new(),
        };
        format!("{owner}{name}{arguments}")
    }

    /// Checks a function's body, if it has one and that was not done.
    pub(super) fn body(&mut self, id: FnId) {
        let function = self.function(id);
        if function.progress != Progress::None || function.template.is_some() {
            return;
        }
        let has_body = function.body.as_ref().is_some_and(|body| body.get().is_some());
        if !has_body && !function.is_defaulted && function.inherits.is_none() {
            return;
        }
        self.function_mut(id).progress = Progress::Checking;
        let hir = self.hir_function(id);
        let text = self.function_text(id);
        let span = self.function(id).span;
        let is_instance = self.function(id).instance.is_some();
        let work = |cxx: &mut Self| cxx.body_of(id, hir);
        // Errors in a body are errors, even where something is only tried ([temp.deduct]/8).
        let quiet = std::mem::take(&mut self.quiet);
        self.checker.diagnostics.set_quiet(false);
        if is_instance {
            self.deeper(span, &format!("'{text}'"), work);
        } else {
            let chain = std::mem::take(&mut self.chain);
            stacker::maybe_grow(512 << 10, 4 << 20, || work(self));
            self.chain = chain;
        }
        self.quiet = quiet;
        self.checker.diagnostics.set_quiet(quiet > 0);
        self.function_mut(id).progress = Progress::Done;
    }

    fn body_of(&mut self, id: FnId, hir: FunctionId) {
        let function = self.function(id).clone();
        let outer = (self.scope, self.horizon, self.checker.current.take(), self.checker.contract);
        self.horizon = function.horizon;
        let scope = self.new_scope(function.scope, ScopeKind::Block);
        self.scope = scope;
        let mut state = super::super::function::FunctionState::new(
            hir,
            self.function_text(id),
            super::super::function::Returns::Declared(function.result.ty()),
            self.checker.contract,
        );
        state.is_kernel = function.is_kernel;
        state.locals = self.checker.functions[hir.0 as usize].locals.clone();
        self.checker.current = Some(state);
        let by_memory = self.is_passed_in_memory(function.result.ty());
        let mut frame = Frame::new(id, Home::of(by_memory, function.has_this()));
        frame.result = function.result;
        self.frames.push(frame);
        self.bind_parameters(&function, by_memory);
        let mut statements: Vec<Statement> = Vec::new();
        if let Some(closure) = &function.closure {
            self.bind_captures(closure);
        }
        let body = function.body.as_ref().and_then(|body| body.get());
        let span = body.map_or(function.span, |body| body.span);
        if function.kind == Kind::Constructor {
            self.constructor_prologue(id, body, &mut statements);
        }
        if function.is_defaulted && function.kind != Kind::Constructor {
            self.defaulted_body(id, &mut statements);
        }
        if let Some(body) = body {
            self.block_in_scope(&body.block, &mut statements);
        }
        if function.kind == Kind::Destructor {
            self.destructor_epilogue(id, &mut statements);
        }
        let restart = self.frames.last().and_then(|frame| frame.restart);
        if restart.is_none() {
            self.finish_body(id, hir, statements, span);
        }
        self.frames.pop();
        let state = self.checker.current.take().expect("the function's state");
        let target = &mut self.checker.functions[hir.0 as usize];
        target.locals = state.locals;
        target.contract = state.contract;
        (self.scope, self.horizon, self.checker.current, self.checker.contract) = outer;
        if let Some(result) = restart {
            let again = self.function_mut(id);
            again.result = result;
            again.hir = None;
            let hir = self.hir_function(id);
            self.body_of(id, hir);
        }
    }

    fn bind_parameters(&mut self, function: &Function, by_memory: bool) {
        let mut next = u32::from(by_memory) + u32::from(function.has_this());
        let home = self.frames.last().expect("a frame").function;
        let mut packs: Vec<(Name, Vec<super::VarId>)> = Vec::new();
        for param in &function.suffix.params {
            if let (Some(name), Some(_)) =
                (param.declarator.name.as_ref().and_then(|name| name.plain()), &param.expansion)
            {
                packs.push((name, Vec::new()));
            }
        }
        for param in &function.params {
            let local = LocalId(next);
            next += 1;
            let Some(written) = function.suffix.params.get(param.index) else { continue };
            let Some(name) = written.declarator.name.as_ref().and_then(|name| name.plain()) else { continue };
            let by_address = self.is_passed_in_memory(param.ty.ty());
            if by_address {
                self.frames.last_mut().expect("a frame").indirect.insert(local);
            }
            let id = self.add_variable(Variable {
                name: name.symbol,
                ty: param.ty,
                space: AddressSpace::Private,
                storage: Storage::Local(local, home),
                constant: None,
                target: None,
                is_constexpr: false,
                span: name.span,
            });
            match packs.iter_mut().find(|(pack, _)| pack.symbol == name.symbol) {
                Some((_, list)) if written.expansion.is_some() => list.push(id),
                _ => self.declare(name, Entity::Variable(id)),
            }
        }
        for (name, list) in packs {
            self.declare(name, Entity::Variables(list));
        }
    }

    /// Stores the statements, and completes a result type that was `auto`.
    fn finish_body(&mut self, id: FnId, hir: FunctionId, statements: Vec<Statement>, span: Span) {
        self.checker.check_labels();
        if self.has_auto(self.function(id).result.ty()) {
            let void = Type::of(self.types.void());
            let result = self.frames.last().and_then(|frame| frame.deduced).unwrap_or(void);
            self.function_mut(id).result = result;
            let hir_type = self.hir_type(result.ty());
            self.checker.functions[hir.0 as usize].result = hir_type;
            self.checker.function_infos[hir.0 as usize].result = hir_type;
        }
        let result = self.checker.functions[hir.0 as usize].result;
        let kind = self.function(id).kind;
        let needs = !self.types.is_void(result) && !self.types.is_error(result) && kind == Kind::Plain;
        if needs && !self.checker.diagnostics.has_errors() && self.checker.falls_through(&statements) {
            self.checker.warn_of_missing_return(&statements, span);
        }
        self.checker.functions[hir.0 as usize].body = Some(statements);
        self.checker.function_infos[hir.0 as usize].defined = true;
    }

    /// Makes a function ready to be called: declared, its result known, its body checked some time.
    pub(super) fn use_function(&mut self, id: FnId, span: Span) -> FunctionId {
        if self.function(id).is_deleted {
            let text = self.function_text(id);
            let declared = self.function(id).span;
            let diagnostic = Diagnostic::error(span, format!("call to deleted function '{text}'"));
            self.report(
                diagnostic.related(declared, format!("'{text}' has been explicitly marked deleted here")),
            );
        }
        self.find_outside_body(id);
        let function = self.function(id);
        if self.has_auto(function.result.ty()) {
            self.body(id);
            if self.has_auto(self.function(id).result.ty()) {
                let text = self.function_text(id);
                self.error(
                    span,
                    format!("function '{text}' with deduced return type cannot be used before it is defined"),
                );
                let error = self.error_type();
                self.function_mut(id).result = error;
            }
        } else if function.is_constexpr || function.is_defaulted || function.closure.is_some() {
            self.body(id);
        } else if function.progress == Progress::None {
            self.pending.push(id);
        }
        self.hir_function(id)
    }
}

/// The spelling of an operator.
pub(super) fn operator_text(operator: Operator) -> String {
    use crate::ast::{BinaryOp, PrefixOp};
    let binary = |op: BinaryOp| match op {
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Rem => "%",
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
        BinaryOp::Less => "<",
        BinaryOp::Greater => ">",
        BinaryOp::LessEqual => "<=",
        BinaryOp::GreaterEqual => ">=",
        BinaryOp::Equal => "==",
        BinaryOp::NotEqual => "!=",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitXor => "^",
        BinaryOp::BitOr => "|",
        BinaryOp::LogicalAnd => "&&",
        BinaryOp::LogicalOr => "||",
    };
    match operator {
        Operator::Prefix(PrefixOp::BitNot) => "~".to_owned(),
        Operator::Prefix(PrefixOp::LogicalNot) => "!".to_owned(),
        Operator::Prefix(PrefixOp::Plus) => "+".to_owned(),
        Operator::Prefix(PrefixOp::Minus) => "-".to_owned(),
        Operator::Prefix(PrefixOp::Dereference) => "*".to_owned(),
        Operator::Prefix(PrefixOp::AddressOf) => "&".to_owned(),
        Operator::Prefix(PrefixOp::Increment) | Operator::Increment => "++".to_owned(),
        Operator::Prefix(PrefixOp::Decrement) | Operator::Decrement => "--".to_owned(),
        Operator::Binary(op) => binary(op).to_owned(),
        Operator::Assign(op) => format!("{}=", op.map_or("", binary)),
        Operator::Call => "()".to_owned(),
        Operator::Index => "[]".to_owned(),
        Operator::Arrow => "->".to_owned(),
        Operator::ArrowStar => "->*".to_owned(),
        Operator::Comma => ",".to_owned(),
        Operator::Allocation => " new".to_owned(),
    }
}
