//! Templates: their declarations, arguments and instances ([temp]).

use super::deduce::Deduced;
use super::expression::{Given, Value};
use super::function::{Function, Owner, Parameter};
use super::scope::{Entity, ScopeId, ScopeKind, Storage};
use super::types::Type;
use super::{Cxx, FnId, TemplateId, VarId};
use crate::Span;
use crate::ast::Name;
use crate::cxx::ast::{
    Access, ClassSpecifier, Decl, DeclKind, Declarator, Derived, Expr as Ast, ExprKind, FunctionDecl,
    FunctionSuffix, Id, Initializer, Lambda, Param, Part, QualifiedName, Qualifiers, Specifiers,
    TemplateArgument, TemplateArgumentKind, TemplateDecl, TemplateParam, TemplateParamKind, TypeName,
    TypeSpecifier,
};
use crate::diagnostic::Diagnostic;
use crate::hir::{Constant, Expr, ExprKind as Hir, GlobalId};
use crate::symbol::Symbol;
use crate::types::{RecordId, TypeId, TypeKind};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A template argument.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Argument {
    Type(Type),
    /// The bits of a value of a type.
    Value(u64, TypeId),
    /// The address of an object of the program.
    Object(GlobalId, TypeId),
    Template(TemplateId),
    Pack(Vec<Argument>),
}

impl Argument {
    /// What the name of a parameter with this argument means.
    pub fn entity(&self) -> Entity {
        match self {
            Argument::Type(ty) => Entity::Type(*ty),
            Argument::Value(bits, ty) => Entity::Constant(Expr {
                kind: Hir::Constant(Constant::Bits(*bits)),
                ty: *ty,
                span: Span::NONE,
            }),
            Argument::Object(global, ty) => Entity::Constant(Expr {
                kind: Hir::AddressOf(crate::hir::Place {
                    kind: crate::hir::PlaceKind::Global(*global),
                    ty: (*ty).into(),
                    space: clvk_ir::AddressSpace::Global,
                    span: Span::NONE,
                }),
                ty: *ty,
                span: Span::NONE,
            }),
            Argument::Template(template) => Entity::Template(*template),
            Argument::Pack(list) => Entity::Pack(list.clone()),
        }
    }
}

/// What a template makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TemplateKind {
    Class,
    Alias,
    Variable,
    Function,
}

/// A partial specialisation.
#[derive(Clone, Debug)]
pub(super) struct Partial {
    pub params: Rc<Vec<TemplateParam>>,
    pub pattern: Vec<TemplateArgument>,
    pub decl: Rc<Decl>,
    pub scope: ScopeId,
}

/// A member of a class template that is defined outside of it.
#[derive(Clone, Debug)]
pub(super) struct Outside {
    pub params: Rc<Vec<TemplateParam>>,
    pub decl: Rc<Decl>,
}

/// The definition of a class that waits for its first use.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    pub template: TemplateId,
    pub arguments: Rc<[Argument]>,
}

/// An instance.
#[derive(Clone, Copy, Debug)]
pub(super) enum Instance {
    Class(RecordId),
    Variable(VarId),
    Function(FnId),
}

/// A template.
#[derive(Debug)]
pub(super) struct Template {
    pub kind: TemplateKind,
    pub name: Name,
    pub params: Rc<Vec<TemplateParam>>,
    pub decl: Rc<Decl>,
    /// Where it is declared.
    pub scope: ScopeId,
    pub owner: Option<Owner>,
    pub instances: FxHashMap<Vec<Argument>, Instance>,
    pub partial: Vec<Partial>,
    pub outside: Vec<Outside>,
    /// Guides for the deduction of a class's arguments, with those of its constructors once they are made.
    pub guides: Vec<FnId>,
    pub has_constructor_guides: bool,
    /// For a function template: the candidate.
    pub function: Option<FnId>,
    /// For a generic lambda: the function without parameters.
    pub lambda: Option<Box<Function>>,
    pub horizon: u32,
    pub is_defined: bool,
}

impl Cxx<'_> {
    pub(super) fn template(&self, id: TemplateId) -> &Template {
        &self.templates[id.0 as usize]
    }

    fn add_template(
        &mut self,
        kind: TemplateKind,
        name: Name,
        params: &Rc<Vec<TemplateParam>>,
        decl: &Rc<Decl>,
        scope: ScopeId,
        owner: Option<Owner>,
    ) -> TemplateId {
        self.order += 1;
        let is_defined = match &decl.kind {
            DeclKind::Simple { specifiers, .. } => {
                !matches!(&specifiers.ty, TypeSpecifier::Class(class) if class.body.is_none())
            }
            _ => true,
        };
        self.templates.push(Template {
            kind,
            name,
            params: params.clone(),
            decl: decl.clone(),
            scope,
            owner,
            instances: FxHashMap::default(),
            partial: Vec::new(),
            outside: Vec::new(),
            guides: Vec::new(),
            has_constructor_guides: false,
            function: None,
            lambda: None,
            // Its own name, and what is declared before.
            horizon: self.order + 1,
            is_defined,
        });
        TemplateId(self.templates.len() as u32 - 1)
    }

    /// The class template that a type is an instance of.
    pub(super) fn template_of_type(&self, ty: Type) -> Option<TemplateId> {
        let record = self.record_of(ty.ty())?;
        self.classes.get(&record)?.instance.as_ref().map(|(template, _)| *template)
    }

    /// Whether a function is an instance of a function template.
    pub(super) fn is_instance_of(&self, function: FnId, template: FnId) -> bool {
        let Some(function) = self.functions.get(function.0 as usize) else { return false };
        match (&function.instance, self.function(template).template) {
            (Some((a, _)), Some(b)) => *a == b,
            _ => false,
        }
    }

    /// `template <…> decl`. Returns the name that it declares.
    pub(super) fn template_declaration(
        &mut self,
        template: &Rc<TemplateDecl>,
        span: Span,
        owner: Option<Owner>,
    ) -> Option<Symbol> {
        let is_function = matches!(
            template.decl.kind,
            DeclKind::Function(_) | DeclKind::DeductionGuide { .. } | DeclKind::Template(_)
        );
        self.is_partial_params = match &template.decl.kind {
            DeclKind::Simple { specifiers, declarators } => match (&specifiers.ty, declarators.first()) {
                (_, Some(item)) => {
                    item.declarator.name.as_ref().is_some_and(|name| name.last().arguments.is_some())
                }
                (TypeSpecifier::Class(class), None) => {
                    class.name.as_ref().is_some_and(|name| name.last().arguments.is_some())
                }
                _ => false,
            },
            _ => false,
        };
        self.check_template_params(&template.params, is_function);
        let first = self.templates.len();
        let symbol = self.declared_template(template, span, owner);
        // A template sees itself and what is declared before it.
        self.order += 1;
        for made in &mut self.templates[first..] {
            made.horizon = self.order + 1;
        }
        symbol
    }

    fn declared_template(
        &mut self,
        template: &Rc<TemplateDecl>,
        span: Span,
        owner: Option<Owner>,
    ) -> Option<Symbol> {
        match &template.decl.kind {
            DeclKind::Alias { name, .. } => {
                let id = self.add_template(
                    TemplateKind::Alias,
                    *name,
                    &template.params,
                    &template.decl,
                    self.scope,
                    owner,
                );
                self.declare(*name, Entity::Template(id));
                Some(name.symbol)
            }
            DeclKind::Simple { specifiers, declarators } => match (&specifiers.ty, declarators.is_empty()) {
                (TypeSpecifier::Class(class), true) => {
                    self.class_template(template, class, specifiers, owner)
                }
                _ => self.variable_template(template, declarators, span, owner),
            },
            DeclKind::Function(function) => self.function_template(template, function, owner),
            // A member template of a class template, defined outside.
            DeclKind::Template(inner) => {
                let DeclKind::Function(function) = &inner.decl.kind else {
                    self.error(span, "this declaration cannot be a template");
                    return None;
                };
                let name = function.declarator.name.clone()?;
                self.outside_member(template, &name, span);
                None
            }
            DeclKind::DeductionGuide { name, suffix, target, .. } => {
                self.deduction_guide(*name, suffix, target, Some(&template.params));
                None
            }
            _ => {
                self.error(span, "this declaration cannot be a template");
                None
            }
        }
    }

    fn check_template_params(&mut self, params: &[TemplateParam], is_function: bool) {
        for (index, param) in params.iter().enumerate() {
            if let Some(name) = param.name
                && let Some(other) = params[..index]
                    .iter()
                    .filter_map(|param| param.name)
                    .find(|other| other.symbol == name.symbol)
            {
                let text = self.owned(name.symbol);
                let diagnostic = Diagnostic::error(name.span, format!("redefinition of '{text}'"));
                self.report(diagnostic.related(other.span, "previous definition is here"));
            }
            let is_last = index + 1 == params.len();
            if param.default.is_none()
                && !is_function
                && !param.is_pack
                && params[..index].iter().any(|param| param.default.is_some())
            {
                self.error(param.span, "template parameter missing a default argument");
            }
            if let TemplateParamKind::Value { specifiers, .. } = &param.kind {
                let is_float = matches!(
                    specifiers.ty,
                    TypeSpecifier::Basic(
                        crate::ast::BasicType::Float
                            | crate::ast::BasicType::Double
                            | crate::ast::BasicType::Half
                    )
                );
                let is_class = matches!(&specifiers.ty, TypeSpecifier::Named(name)
                    if matches!(self.peek_entity(name), Some(Entity::Type(ty)) if self.record_of(ty.ty()).is_some()));
                let is_plain = matches!(&param.kind, TemplateParamKind::Value { declarator, .. } if declarator.derived.is_empty());
                if (is_float || is_class) && is_plain {
                    self.error(
                        param.span,
                        "a non-type template parameter cannot have this type before C++20",
                    );
                }
            }
            let is_class = !is_function
                && matches!(
                    &param.kind,
                    TemplateParamKind::Type | TemplateParamKind::Value { .. } | TemplateParamKind::Template
                );
            if is_class && param.is_pack && !is_last && !self.is_partial_params {
                self.error(param.span, "template parameter pack must be the last template parameter");
            }
            if param.is_pack && param.default.is_some() {
                self.error(param.span, "template parameter pack cannot have a default argument");
            }
        }
    }

    fn class_template(
        &mut self,
        template: &Rc<TemplateDecl>,
        class: &Rc<ClassSpecifier>,
        specifiers: &Specifiers,
        owner: Option<Owner>,
    ) -> Option<Symbol> {
        let name = class.name.as_ref()?;
        let Id::Name(symbol) = name.last().id else { return None };
        let at = Name { symbol, span: name.last().span };
        let scope = match name.is_qualified() {
            true => match self.prefix(name)? {
                super::lookup::Within::Scope(scope) => scope,
                super::lookup::Within::Scalar(_) => return None,
            },
            false if specifiers.is_friend.is_some() => self.enclosing_namespace(self.scope),
            false => self.scope,
        };
        let known = match self.scope_ref(scope).names.get(&symbol).map(|slot| slot.entity.clone()) {
            Some(Entity::Template(id)) => Some(id),
            _ => None,
        };
        if let Some(arguments) = &name.last().arguments {
            let Some(known) = known else {
                let text = self.owned(symbol);
                self.error(at.span, format!("explicit specialization of undeclared template '{text}'"));
                return None;
            };
            self.templates[known.0 as usize].partial.push(Partial {
                params: template.params.clone(),
                pattern: arguments.clone(),
                decl: template.decl.clone(),
                scope: self.scope,
            });
            return None;
        }
        if let Some(known) = known {
            if let (Some(owner), true) = (owner, specifiers.is_friend.is_some()) {
                self.class_mut(owner.record).friend_templates.push(known);
                return None;
            }
            let defined = self.template(known).is_defined;
            if class.body.is_some() && defined {
                let previous = self.template(known).name.span;
                let text = self.owned(symbol);
                let diagnostic = Diagnostic::error(at.span, format!("redefinition of '{text}'"));
                self.report(diagnostic.related(previous, "previous definition is here"));
                return None;
            }
            if class.body.is_some() {
                // Default arguments may be in the first declaration.
                self.order += 1;
                let horizon = self.order + 1;
                let before = self.template(known).params.clone();
                let merged = merged_defaults(&before, &template.params);
                let target = &mut self.templates[known.0 as usize];
                target.params = merged;
                target.decl = template.decl.clone();
                target.is_defined = true;
                target.horizon = horizon;
            }
            return Some(symbol);
        }
        let id = self.add_template(TemplateKind::Class, at, &template.params, &template.decl, scope, owner);
        self.declare_in(scope, at, Entity::Template(id));
        if let (Some(owner), true) = (owner, specifiers.is_friend.is_some()) {
            self.class_mut(owner.record).friend_templates.push(id);
            return None;
        }
        Some(symbol)
    }

    fn variable_template(
        &mut self,
        template: &Rc<TemplateDecl>,
        declarators: &[crate::cxx::ast::InitDeclarator],
        span: Span,
        owner: Option<Owner>,
    ) -> Option<Symbol> {
        let [item] = declarators else {
            self.error(span, "a template declares one name");
            return None;
        };
        let name = item.declarator.name.as_ref()?;
        if name.is_qualified() {
            self.outside_member(template, name, span);
            return None;
        }
        let Id::Name(symbol) = name.last().id else { return None };
        let at = Name { symbol, span: name.last().span };
        if let Some(arguments) = &name.last().arguments {
            let Some(Entity::Template(known)) = self.find(symbol).map(|found| found.entity) else {
                self.error(at.span, "explicit specialization of an undeclared template");
                return None;
            };
            self.templates[known.0 as usize].partial.push(Partial {
                params: template.params.clone(),
                pattern: arguments.clone(),
                decl: template.decl.clone(),
                scope: self.scope,
            });
            return None;
        }
        let id = self.add_template(
            TemplateKind::Variable,
            at,
            &template.params,
            &template.decl,
            self.scope,
            owner,
        );
        self.declare(at, Entity::Template(id));
        Some(symbol)
    }

    fn function_template(
        &mut self,
        template: &Rc<TemplateDecl>,
        function: &Rc<FunctionDecl>,
        owner: Option<Owner>,
    ) -> Option<Symbol> {
        let name = function.declarator.name.clone()?;
        if function.specifiers.is_kernel.is_some() {
            self.error(
                name.span,
                "kernel functions cannot be used in a template declaration, instantiation or specialization",
            );
            return None;
        }
        if let Some(span) = function.specifiers.is_virtual {
            self.error(span, "'virtual' cannot be specified on member function templates");
            return None;
        }
        if name.is_qualified() {
            self.outside_member(template, &name, name.span);
            return None;
        }
        let is_friend = function.specifiers.is_friend.is_some();
        let own = if is_friend { None } else { owner };
        let is_constructor = own.is_some()
            && matches!(function.specifiers.ty, TypeSpecifier::None)
            && matches!(name.last().id, Id::Name(_));
        let symbol = match &name.last().id {
            Id::Conversion(_) => self.names.begin,
            id => self.symbol_of(id)?,
        };
        let at = Name { symbol, span: name.span };
        let scope = self.scope;
        let home = if is_friend { self.enclosing_namespace(scope) } else { scope };
        // A declaration that is defined here, or the other way round.
        let siblings: Vec<FnId> = match (own, is_constructor) {
            (Some(_), true) => Vec::new(),
            _ => match self.scope_ref(home).names.get(&symbol).map(|slot| slot.entity.clone()) {
                Some(Entity::Functions(list)) => list,
                _ => Vec::new(),
            },
        };
        let id = self.add_template(TemplateKind::Function, at, &template.params, &template.decl, scope, own);
        let is_plain = own.is_none();
        for known in siblings {
            let Some(other) = self.function(known).template else { continue };
            if is_plain && self.is_same_template(other, id) {
                let has_body = |cxx: &Self, template: TemplateId| match &cxx.template(template).decl.kind {
                    DeclKind::Function(function) => function.body.is_some(),
                    _ => false,
                };
                if has_body(self, other) && has_body(self, id) {
                    let previous = self.template(other).name.span;
                    let text = self.owned(symbol);
                    let diagnostic = Diagnostic::error(at.span, format!("redefinition of '{text}'"));
                    self.report(diagnostic.related(previous, "previous definition is here"));
                    self.templates.pop();
                    return None;
                }
                if has_body(self, id) {
                    let merged = merged_defaults(&self.template(other).params.clone(), &template.params);
                    let (decl, horizon) = (template.decl.clone(), self.template(id).horizon);
                    let target = &mut self.templates[other.0 as usize];
                    target.decl = decl;
                    target.params = merged;
                    target.horizon = horizon;
                }
                self.templates.pop();
                self.order += 1;
                if let (Some(owner), true) = (owner, is_friend) {
                    self.class_mut(owner.record).friends.push((symbol, known));
                }
                return Some(symbol);
            }
        }
        let candidate = self.template_candidate(id, function, own)?;
        self.templates[id.0 as usize].function = Some(candidate);
        if let (Some(owner), true) = (owner, is_friend) {
            self.class_mut(owner.record).friends.push((symbol, candidate));
            if function.body.is_none() {
                self.function_mut(candidate).order = u32::MAX;
                self.declare_in(home, at, Entity::Functions(vec![candidate]));
            }
            return None;
        }
        match (own, &name.last().id) {
            (Some(owner), _) if is_constructor => {
                self.class_mut(owner.record).constructors.push(candidate);
                None
            }
            (Some(owner), Id::Conversion(_)) => {
                self.class_mut(owner.record).conversions.push(candidate);
                None
            }
            _ => {
                self.declare_in(scope, at, Entity::Functions(vec![candidate]));
                Some(symbol)
            }
        }
    }

    /// The function that stands for a template among overloads.
    fn template_candidate(
        &mut self,
        template: TemplateId,
        decl: &Rc<FunctionDecl>,
        owner: Option<Owner>,
    ) -> Option<FnId> {
        let name = self.template(template).name;
        self.order += 1;
        let is_constructor = owner.is_some() && matches!(decl.specifiers.ty, TypeSpecifier::None);
        let is_conversion =
            matches!(decl.declarator.name.as_ref().map(|name| &name.last().id), Some(Id::Conversion(_)));
        let kind = match (is_constructor, is_conversion) {
            (_, true) => super::function::Kind::Conversion,
            (true, _) => super::function::Kind::Constructor,
            _ => super::function::Kind::Plain,
        };
        let error = self.error_type();
        let mut qualifiers = Type::of(self.types.void());
        qualifiers = self.with_written(qualifiers, &decl.suffix().qualifiers);
        let function = Function {
            symbol: Some(name.symbol),
            kind,
            params: Vec::new(),
            result: error,
            class: owner.map(|owner| owner.record),
            is_static: decl.specifiers.is_static.is_some() && owner.is_some(),
            this_qualifiers: qualifiers.q.qualifiers,
            this_space: qualifiers.space.unwrap_or(clvk_ir::AddressSpace::Generic),
            this_reference: decl.suffix().reference,
            is_explicit: decl.specifiers.is_explicit,
            is_deleted: false,
            is_defaulted: false,
            is_constexpr: false,
            is_kernel: false,
            is_internal: true,
            c_linkage: false,
            access: owner.map_or(Access::Public, |owner| owner.access),
            template: Some(template),
            instance: None,
            suffix: decl.suffix().clone(),
            returns_decltype: false,
            attributes: Rc::from([]),
            scope: self.scope,
            body: None,
            inherits: None,
            closure: None,
            hir: None,
            progress: super::function::Progress::None,
            order: self.order,
            horizon: self.horizon,
            span: name.span,
        };
        Some(self.add_function(function))
    }

    /// A member of a class template that is defined outside of it.
    fn outside_member(&mut self, template: &Rc<TemplateDecl>, name: &QualifiedName, span: Span) {
        let mut scope: Option<ScopeId> = None;
        let (_, prefix) = name.parts.split_last().expect("a qualified name");
        for part in prefix {
            let Id::Name(symbol) = part.id else { return };
            let found = match scope {
                None => self.find(symbol),
                Some(scope) => self.find_in(scope, symbol),
            };
            match found.map(|found| found.entity) {
                Some(Entity::Namespace(inner)) => scope = Some(inner),
                Some(Entity::Template(id)) => {
                    self.templates[id.0 as usize]
                        .outside
                        .push(Outside { params: template.params.clone(), decl: template.decl.clone() });
                    return;
                }
                Some(Entity::Type(ty)) => {
                    // A member template of a class that is no template.
                    let Some(record) = self.record_of(ty.ty()) else { return };
                    if let Some(known) = self.template_of_type(ty) {
                        _ = known;
                    }
                    self.outside_template(record, template, span);
                    return;
                }
                _ => {
                    let text = self.owned(symbol);
                    self.error(part.span, format!("'{text}' is not a class, namespace, or enumeration"));
                    return;
                }
            }
        }
        self.error(span, "out-of-line definition does not match any declaration");
    }

    /// The definition of a member template of a class.
    fn outside_template(&mut self, record: RecordId, template: &Rc<TemplateDecl>, span: Span) {
        let DeclKind::Function(function) = &template.decl.kind else { return };
        let Some(name) = function.declarator.name.clone() else { return };
        let Some(candidate) = self.matching_member_template(record, &name, template) else {
            self.error(span, "out-of-line definition does not match any declaration in the class");
            return;
        };
        let id = self.function(candidate).template.expect("a template");
        self.order += 1;
        let horizon = self.order + 1;
        let target = &mut self.templates[id.0 as usize];
        let merged = merged_defaults(&target.params.clone(), &template.params);
        let target = &mut self.templates[id.0 as usize];
        target.decl = template.decl.clone();
        target.params = merged;
        target.horizon = horizon;
    }

    fn matching_member_template(
        &mut self,
        record: RecordId,
        name: &QualifiedName,
        template: &Rc<TemplateDecl>,
    ) -> Option<FnId> {
        let is_constructor = {
            let DeclKind::Function(function) = &template.decl.kind else { return None };
            matches!(function.specifiers.ty, TypeSpecifier::None)
        };
        let list = match (is_constructor, &name.last().id) {
            (true, _) => self.class(record).constructors.clone(),
            (_, Id::Conversion(_)) => self.class(record).conversions.clone(),
            (_, id) => {
                let symbol = self.symbol_of(id)?;
                let scope = self.class(record).scope;
                match self.scope_ref(scope).names.get(&symbol).map(|slot| slot.entity.clone()) {
                    Some(Entity::Functions(list)) => list,
                    _ => Vec::new(),
                }
            }
        };
        let list: Vec<FnId> = list.into_iter().filter(|id| self.function(*id).template.is_some()).collect();
        if let [only] = list.as_slice() {
            return Some(*only);
        }
        let at = self.templates.len();
        let DeclKind::Function(function) = &template.decl.kind else { return None };
        let access = Access::Public;
        let scope = self.class(record).scope;
        let owner = Some(Owner { record, access });
        let symbol = self.symbol_of(&name.last().id)?;
        let at_name = Name { symbol, span: name.span };
        _ = function;
        let probe = self.add_template(
            TemplateKind::Function,
            at_name,
            &template.params,
            &template.decl,
            scope,
            owner,
        );
        let found = list.into_iter().find(|id| {
            let other = self.function(*id).template.expect("filtered above");
            self.is_same_template(other, probe)
        });
        self.templates.truncate(at);
        found
    }

    /// Whether two function templates declare the same: their instances for the same unique arguments have the same
    /// signature ([temp.over.link]).
    fn is_same_template(&mut self, a: TemplateId, b: TemplateId) -> bool {
        let (a_params, b_params) = (self.template(a).params.clone(), self.template(b).params.clone());
        if a_params.len() != b_params.len() {
            return false;
        }
        let same_kinds = a_params.iter().zip(b_params.iter()).all(|(a, b)| {
            a.is_pack == b.is_pack && std::mem::discriminant(&a.kind) == std::mem::discriminant(&b.kind)
        });
        if !same_kinds {
            return false;
        }
        let arguments = self.unique_arguments(a);
        let first = self.attempt(|cxx| cxx.instance_signature(a, &arguments)).flatten();
        let second = self.attempt(|cxx| cxx.instance_signature(b, &arguments)).flatten();
        match (first, second) {
            (Some(a), Some(b)) => {
                let types = |function: &Function| -> Vec<TypeId> {
                    function.params.iter().map(|param| param.ty.ty()).collect()
                };
                types(&a) == types(&b)
                    && a.result.ty() == b.result.ty()
                    && a.this_qualifiers == b.this_qualifiers
                    && a.this_space == b.this_space
                    && a.this_reference == b.this_reference
            }
            // Dependent types that no unique argument has: the same number of parameters has to do.
            (None, None) => {
                let count = |cxx: &Self, id: TemplateId| match &cxx.template(id).decl.kind {
                    DeclKind::Function(function) => function.suffix().params.len(),
                    _ => 0,
                };
                count(self, a) == count(self, b) && self.same_defaults(a, b)
            }
            _ => false,
        }
    }

    /// Overloads that only substitution tells apart have different default arguments.
    fn same_defaults(&self, a: TemplateId, b: TemplateId) -> bool {
        let has_body = |id: TemplateId| match &self.template(id).decl.kind {
            DeclKind::Function(function) => function.body.is_some(),
            _ => false,
        };
        has_body(a) != has_body(b)
    }

    /// Arguments that are like no others, for comparing templates.
    pub(super) fn unique_arguments(&mut self, template: TemplateId) -> Vec<Argument> {
        let params = self.template(template).params.clone();
        let scope = self.template(template).scope;
        let mut arguments: Vec<Argument> = Vec::new();
        for param in params.iter() {
            let argument = match &param.kind {
                TemplateParamKind::Type => {
                    let record =
                        self.add_class(None, crate::cxx::ast::ClassKey::Struct, ScopeId(0), param.span);
                    self.class_mut(record).is_complete = true;
                    Argument::Type(Type::of(self.class(record).ty))
                }
                TemplateParamKind::Value { specifiers, declarator } => {
                    let inner = self.bound_scope(scope, &params, &arguments);
                    let ty = self
                        .attempt(|cxx| {
                            cxx.in_scope(inner, |cxx| {
                                let base = cxx.specifiers(specifiers);
                                cxx.declarator_type(base, declarator)
                            })
                        })
                        .unwrap_or_else(|| Type::of(self.types.error()));
                    let ty = if self.has_auto(ty.ty()) { self.checker.int() } else { ty.ty() };
                    self.lambdas += 1;
                    Argument::Value(0x4000_0000 + u64::from(self.lambdas), ty)
                }
                TemplateParamKind::Template => Argument::Template(template),
            };
            arguments.push(if param.is_pack { Argument::Pack(vec![argument]) } else { argument });
        }
        arguments
    }

    /// A scope in which parameters mean their arguments.
    pub(super) fn bound_scope(
        &mut self,
        outer: ScopeId,
        params: &[TemplateParam],
        arguments: &[Argument],
    ) -> ScopeId {
        let scope = self.new_scope(outer, ScopeKind::Template);
        for (param, argument) in params.iter().zip(arguments) {
            if let Some(name) = param.name {
                self.bind_in(scope, name, argument.entity());
            }
        }
        scope
    }

    /// A template's arguments as written, one for each parameter. Errors are reported.
    pub(super) fn arguments(
        &mut self,
        template: TemplateId,
        written: &[TemplateArgument],
        span: Span,
    ) -> Option<Vec<Argument>> {
        let params = self.template(template).params.clone();
        let scope = self.template(template).scope;
        let flat = self.written_arguments(written)?;
        self.complete_arguments(template, &params, scope, flat, span)
    }

    /// Arguments for the first parameters of a function template.
    pub(super) fn leading_arguments(
        &mut self,
        template: TemplateId,
        written: &[TemplateArgument],
    ) -> Option<Vec<Argument>> {
        let params = self.template(template).params.clone();
        let scope = self.template(template).scope;
        let mut rest = self.written_arguments(written)?.into_iter();
        let mut arguments: Vec<Argument> = Vec::new();
        for param in params.iter() {
            if param.is_pack {
                let mut list = Vec::new();
                for raw in rest.by_ref() {
                    list.push(self.fitting(param, &params, scope, &arguments, raw)?);
                }
                if !list.is_empty() {
                    arguments.push(Argument::Pack(list));
                }
                break;
            }
            let Some(raw) = rest.next() else { break };
            arguments.push(self.fitting(param, &params, scope, &arguments, raw)?);
        }
        rest.next().is_none().then_some(arguments)
    }

    /// Arguments without the parameters that they are for, packs expanded.
    pub(super) fn flat_arguments(&mut self, written: &[TemplateArgument]) -> Option<Vec<Argument>> {
        let raws = self.written_arguments(written)?;
        let mut list = Vec::new();
        for raw in raws {
            list.push(match raw.argument {
                RawKind::Type(ty, _) => Argument::Type(ty),
                RawKind::Template(id) => Argument::Template(id),
                RawKind::Value(value) => {
                    let ty = Type::of(value.ty);
                    self.value_argument(value, ty, raw.span)?
                }
            });
        }
        Some(list)
    }

    /// What arguments are, before they are matched with parameters.
    fn written_arguments(&mut self, written: &[TemplateArgument]) -> Option<Vec<Raw>> {
        let mut flat = Vec::new();
        for argument in written {
            match &argument.expansion {
                Some(names) => {
                    let each = self.expand(names, argument.span, |cxx| cxx.raw_argument(argument));
                    for raw in each {
                        flat.push(raw?);
                    }
                }
                None => flat.push(self.raw_argument(argument)?),
            }
        }
        Some(flat)
    }

    fn raw_argument(&mut self, argument: &TemplateArgument) -> Option<Raw> {
        let span = argument.span;
        match &argument.kind {
            TemplateArgumentKind::Type(ty) => {
                if ty.declarator.derived.is_empty()
                    && let TypeSpecifier::Named(name) = &ty.specifiers.ty
                    && let Id::Name(_) = name.last().id
                {
                    // The name of a template, of a value that depends on a parameter, or of a type.
                    let found = match name.is_qualified() {
                        true => self.attempt(|cxx| cxx.resolve(name)).flatten(),
                        false => self.resolve(name),
                    };
                    match found.map(|found| found.entity) {
                        Some(Entity::Template(id)) if name.last().arguments.is_none() => {
                            return Some(Raw { argument: RawKind::Template(id), span });
                        }
                        Some(Entity::Constant(expr)) => {
                            return Some(Raw { argument: RawKind::Value(Expr { span, ..expr }), span });
                        }
                        Some(Entity::Variable(_) | Entity::Enumerator(..) | Entity::Field(..)) => {
                            let expr = Ast { kind: ExprKind::Name(name.clone()), span };
                            return self.raw_value(&expr, span);
                        }
                        Some(Entity::Type(own)) if name.last().arguments.is_none() => {
                            // The injected name of a class template is also the template.
                            let ty = self.type_name(ty);
                            let template = self.template_of_type(own);
                            if self.is_error_type(ty) {
                                self.note_error();
                                return None;
                            }
                            return Some(Raw { argument: RawKind::Type(ty, template), span });
                        }
                        _ => {}
                    }
                }
                let ty = self.type_name(ty);
                if self.is_error_type(ty) {
                    self.note_error();
                    return None;
                }
                Some(Raw { argument: RawKind::Type(ty, None), span })
            }
            TemplateArgumentKind::Expr(expr) => {
                if let ExprKind::Name(name) = &expr.kind
                    && let Some(Entity::Template(id)) = self.peek_entity(name)
                    && name.last().arguments.is_none()
                {
                    return Some(Raw { argument: RawKind::Template(id), span });
                }
                if let ExprKind::Name(name) = &expr.kind
                    && let Some(Entity::Type(ty)) = self.peek_entity(name)
                {
                    return Some(Raw { argument: RawKind::Type(ty, None), span });
                }
                self.raw_value(expr, span)
            }
        }
    }

    /// What a name means, without messages.
    pub(super) fn peek_entity(&mut self, name: &QualifiedName) -> Option<Entity> {
        self.attempt(|cxx| cxx.resolve(name)).flatten().map(|found| found.entity)
    }

    fn raw_value(&mut self, expr: &Ast, span: Span) -> Option<Raw> {
        let value = self.in_initializer(|cxx| {
            cxx.full_value(|cxx| {
                let value = cxx.expression(expr);
                cxx.rvalue(value, span)
            })
        });
        if self.types.is_error(value.ty) {
            self.note_error();
            return None;
        }
        Some(Raw { argument: RawKind::Value(value), span })
    }

    /// Arguments for all parameters, with defaults.
    fn complete_arguments(
        &mut self,
        template: TemplateId,
        params: &Rc<Vec<TemplateParam>>,
        scope: ScopeId,
        flat: Vec<Raw>,
        span: Span,
    ) -> Option<Vec<Argument>> {
        let mut rest = flat.into_iter().peekable();
        let mut arguments: Vec<Argument> = Vec::new();
        for param in params.iter() {
            if param.is_pack {
                let mut list = Vec::new();
                for raw in rest.by_ref() {
                    list.push(self.fitting(param, params, scope, &arguments, raw)?);
                }
                arguments.push(Argument::Pack(list));
                continue;
            }
            let argument = match rest.next() {
                Some(raw) => self.fitting(param, params, scope, &arguments, raw)?,
                None => match self.default_template_argument(param, params, scope, &arguments) {
                    Some(argument) => argument,
                    None => {
                        if param.default.is_none() {
                            let text = self.owned(self.template(template).name.symbol);
                            self.error(span, format!("too few template arguments for template '{text}'"));
                        }
                        return None;
                    }
                },
            };
            arguments.push(argument);
        }
        if let Some(extra) = rest.next() {
            let text = self.owned(self.template(template).name.symbol);
            self.error(extra.span, format!("too many template arguments for template '{text}'"));
            return None;
        }
        Some(arguments)
    }

    /// The default argument of a parameter, with the parameters before it bound.
    pub(super) fn default_template_argument(
        &mut self,
        param: &TemplateParam,
        params: &Rc<Vec<TemplateParam>>,
        scope: ScopeId,
        before: &[Argument],
    ) -> Option<Argument> {
        let default = param.default.clone()?;
        let inner = self.bound_scope(scope, params, before);
        let raw = self.in_scope(inner, |cxx| cxx.raw_argument(&default))?;
        self.fitting(param, params, scope, before, raw)
    }

    /// An argument as its parameter takes it.
    fn fitting(
        &mut self,
        param: &TemplateParam,
        params: &Rc<Vec<TemplateParam>>,
        scope: ScopeId,
        before: &[Argument],
        raw: Raw,
    ) -> Option<Argument> {
        let span = raw.span;
        match (&param.kind, raw.argument) {
            (TemplateParamKind::Type, RawKind::Type(ty, _)) => Some(Argument::Type(ty)),
            (TemplateParamKind::Template, RawKind::Template(id) | RawKind::Type(_, Some(id))) => {
                Some(Argument::Template(id))
            }
            (TemplateParamKind::Value { specifiers, declarator }, RawKind::Value(value)) => {
                let inner = self.bound_scope(scope, params, before);
                let ty = self.in_scope(inner, |cxx| {
                    let base = cxx.specifiers(specifiers);
                    cxx.declarator_type(base, declarator)
                });
                self.value_argument(value, ty, span)
            }
            (kind, _) => {
                let what = match kind {
                    TemplateParamKind::Type => "a type",
                    TemplateParamKind::Value { .. } => "an expression",
                    TemplateParamKind::Template => "a class template",
                };
                let name = param.name.map_or(String::new(), |name| format!(" '{}'", self.owned(name.symbol)));
                self.error(span, format!("template argument for parameter{name} must be {what}"));
                None
            }
        }
    }

    fn value_argument(&mut self, value: Expr, ty: Type, span: Span) -> Option<Argument> {
        if self.is_error_type(ty) || self.types.is_error(value.ty) {
            self.note_error();
            return None;
        }
        let target = match self.has_auto(ty.ty()) {
            true => value.ty,
            false => ty.ty(),
        };
        if let Hir::AddressOf(crate::hir::Place { kind: crate::hir::PlaceKind::Global(id), .. }) = &value.kind
        {
            return Some(Argument::Object(*id, target));
        }
        if self.types.as_scalar(target).is_some_and(|kind| kind.is_float()) {
            let text = self.type_text(target);
            self.error(span, format!("a non-type template parameter cannot have type '{text}' before C++20"));
            return None;
        }
        let from = value.ty;
        let bits = match self.evaluated(&value) {
            Ok(bits) => bits,
            Err(reason) => {
                let mut diagnostic =
                    Diagnostic::error(span, "non-type template argument is not a constant expression");
                diagnostic = match reason.span == Span::NONE {
                    true => diagnostic.note(reason.reason),
                    false => diagnostic.related(reason.span, reason.reason),
                };
                self.report(diagnostic);
                return None;
            }
        };
        if from == target {
            return Some(Argument::Value(bits, target));
        }
        let (Some(a), Some(b)) = (self.types.as_scalar(from), self.types.as_scalar(target)) else {
            let is_null = matches!(self.types.kind(from), TypeKind::Nullptr);
            if is_null && self.types.pointee(target).is_some() {
                return Some(Argument::Value(0, target));
            }
            let (a, b) = (self.type_text(from), self.type_text(target));
            self.error(span, format!("value of type '{a}' is not implicitly convertible to '{b}'"));
            return None;
        };
        let enums = matches!(self.types.kind(target), TypeKind::Enum(_)) || self.is_scoped_enum(from);
        if enums || a.is_float() {
            let (a, b) = (self.type_text(from), self.type_text(target));
            self.error(span, format!("value of type '{a}' is not implicitly convertible to '{b}'"));
            return None;
        }
        let converted = super::super::constant::convert(a, b, bits);
        let exact =
            super::super::constant::to_integer(a, bits) == super::super::constant::to_integer(b, converted);
        if !exact {
            let text = self.type_text(target);
            self.error(
                span,
                format!(
                    "non-type template argument evaluates to a value that cannot be narrowed to type '{text}'"
                ),
            );
            return None;
        }
        Some(Argument::Value(converted, target))
    }

    /// Arguments as messages and names show them.
    pub(super) fn arguments_text(&self, arguments: &[Argument]) -> String {
        let mut parts = Vec::new();
        for argument in arguments {
            self.argument_text(argument, &mut parts);
        }
        format!("<{}>", parts.join(", "))
    }

    fn argument_text(&self, argument: &Argument, parts: &mut Vec<String>) {
        match argument {
            Argument::Type(ty) => parts.push(self.text_of(*ty)),
            Argument::Value(bits, ty) => {
                let kind = self.types.as_scalar(*ty);
                parts.push(match kind {
                    Some(crate::types::ScalarKind::Bool) => (*bits != 0).to_string(),
                    Some(kind) => super::super::constant::to_integer(kind, *bits).to_string(),
                    None => "nullptr".to_owned(),
                });
            }
            Argument::Object(global, _) => {
                parts.push(format!("&{}", self.checker.globals[global.0 as usize].name));
            }
            Argument::Template(template) => parts.push(self.owned(self.template(*template).name.symbol)),
            Argument::Pack(list) => {
                for argument in list {
                    self.argument_text(argument, parts);
                }
            }
        }
    }

    /// The type that a template of classes or aliases makes.
    pub(super) fn template_type(
        &mut self,
        template: TemplateId,
        written: &[TemplateArgument],
        span: Span,
    ) -> Option<Type> {
        match self.template(template).kind {
            TemplateKind::Class => self.class_instance(template, written, span),
            TemplateKind::Alias => {
                let arguments = self.arguments(template, written, span)?;
                self.alias_instance(template, &arguments, span)
            }
            _ => {
                let text = self.owned(self.template(template).name.symbol);
                self.error(span, format!("'{text}' does not name a type"));
                None
            }
        }
    }

    pub(super) fn alias_instance(
        &mut self,
        template: TemplateId,
        arguments: &[Argument],
        span: Span,
    ) -> Option<Type> {
        let (params, scope, decl) = {
            let template = self.template(template);
            (template.params.clone(), template.scope, template.decl.clone())
        };
        let DeclKind::Alias { ty, .. } = &decl.kind else { return None };
        let inner = self.bound_scope(scope, &params, arguments);
        let text = self.owned(self.template(template).name.symbol);
        let ty = self.deeper(span, &format!("template alias '{text}'"), |cxx| {
            cxx.in_scope(inner, |cxx| cxx.type_name(ty))
        })?;
        if self.is_error_type(ty) {
            self.note_error();
            return None;
        }
        Some(ty)
    }

    pub(super) fn class_instance(
        &mut self,
        template: TemplateId,
        written: &[TemplateArgument],
        span: Span,
    ) -> Option<Type> {
        let arguments = self.arguments(template, written, span)?;
        Some(self.class_instance_of(template, arguments, span))
    }

    /// The class for some arguments; it is defined when it must be complete.
    pub(super) fn class_instance_of(
        &mut self,
        template: TemplateId,
        arguments: Vec<Argument>,
        span: Span,
    ) -> Type {
        if let Some(Instance::Class(record)) = self.template(template).instances.get(&arguments) {
            return Type::of(self.class(*record).ty);
        }
        let record = self.new_instance(template, &arguments, span);
        let list: Rc<[Argument]> = arguments.clone().into();
        self.class_mut(record).pending = Some(Pending { template, arguments: list });
        Type::of(self.class(record).ty)
    }

    fn new_instance(&mut self, template: TemplateId, arguments: &[Argument], span: Span) -> RecordId {
        let name = self.template(template).name;
        let text = format!("{}{}", self.owned(name.symbol), self.arguments_text(arguments));
        let symbol = self.checker.interner.intern(&text);
        let (params, scope) = (self.template(template).params.clone(), self.template(template).scope);
        let inner = self.bound_scope(scope, &params, arguments);
        let key = crate::cxx::ast::ClassKey::Struct;
        let record = self.add_class(Some(Name { symbol, span: name.span }), key, inner, span);
        let list: Rc<[Argument]> = arguments.into();
        self.class_mut(record).instance = Some((template, list));
        self.templates[template.0 as usize].instances.insert(arguments.to_vec(), Instance::Class(record));
        record
    }

    /// Defines an instance of a class template.
    pub(super) fn instantiate_class(&mut self, record: RecordId, pending: Pending, span: Span) -> bool {
        let Pending { template, arguments } = pending.clone();
        let Some((decl, scope)) = self.chosen_definition(template, &arguments, span) else { return false };
        let DeclKind::Simple { specifiers, .. } = &decl.kind else { return false };
        let TypeSpecifier::Class(specifier) = &specifiers.ty else { return false };
        let Some(body) = &specifier.body else {
            self.class_mut(record).pending = Some(pending);
            return false;
        };
        let class_scope = self.class(record).scope;
        self.scopes[class_scope.0 as usize].parent = Some(scope);
        if specifier.key == crate::cxx::ast::ClassKey::Union {
            self.types.record_mut(record).is_union = true;
        }
        let text = self.type_text(self.class(record).ty);
        let horizon = std::mem::replace(&mut self.horizon, u32::MAX);
        let quiet = std::mem::take(&mut self.quiet);
        self.checker.diagnostics.set_quiet(false);
        let frames = std::mem::take(&mut self.frames);
        let current = self.checker.current.take();
        let done = self.deeper(span, &format!("template class '{text}'"), |cxx| {
            cxx.define_class(record, specifier, body);
        });
        self.checker.current = current;
        self.frames = frames;
        self.quiet = quiet;
        self.checker.diagnostics.set_quiet(quiet > 0);
        self.horizon = horizon;
        done.is_some()
    }

    /// The primary template or the best partial specialisation, and the scope that binds its parameters.
    fn chosen_definition(
        &mut self,
        template: TemplateId,
        arguments: &[Argument],
        span: Span,
    ) -> Option<(Rc<Decl>, ScopeId)> {
        let partial = self.template(template).partial.clone();
        let mut fitting: Vec<(Partial, Vec<Argument>)> = Vec::new();
        for candidate in partial {
            if let Some(bound) = self.deduce_partial(&candidate, arguments) {
                fitting.push((candidate, bound));
            }
        }
        if fitting.is_empty() {
            let (params, scope, decl) = {
                let template = self.template(template);
                (template.params.clone(), template.scope, template.decl.clone())
            };
            let inner = self.bound_scope(scope, &params, arguments);
            return Some((decl, inner));
        }
        let mut best = 0;
        for next in 1..fitting.len() {
            if self.is_more_special_partial(&fitting[next].0.clone(), &fitting[best].0.clone()) {
                best = next;
            }
        }
        let winner = fitting[best].0.clone();
        for (index, (other, _)) in fitting.clone().iter().enumerate() {
            if index != best && !self.is_more_special_partial(&winner, other) {
                let text = self.owned(self.template(template).name.symbol);
                self.error(span, format!("ambiguous partial specializations of '{text}'"));
                return None;
            }
        }
        let (partial, bound) = fitting.swap_remove(best);
        let inner = self.bound_scope(partial.scope, &partial.params, &bound);
        Some((partial.decl, inner))
    }

    /// A variable template with arguments as an expression.
    pub(super) fn template_value(
        &mut self,
        template: TemplateId,
        written: &[TemplateArgument],
        span: Span,
    ) -> Value {
        if self.template(template).kind != TemplateKind::Variable {
            let text = self.owned(self.template(template).name.symbol);
            self.error(span, format!("'{text}' does not name a value"));
            return self.error_value_of(span);
        }
        let Some(arguments) = self.arguments(template, written, span) else {
            self.note_error();
            return self.error_value_of(span);
        };
        match self.variable_instance(template, arguments, span) {
            Some(id) => self.variable_value(id, span),
            None => {
                self.note_error();
                self.error_value_of(span)
            }
        }
    }

    fn variable_instance(
        &mut self,
        template: TemplateId,
        arguments: Vec<Argument>,
        span: Span,
    ) -> Option<VarId> {
        if let Some(Instance::Variable(id)) = self.template(template).instances.get(&arguments) {
            return Some(*id);
        }
        let (decl, scope) = self.chosen_definition(template, &arguments, span)?;
        let DeclKind::Simple { specifiers, declarators } = &decl.kind else { return None };
        let item = declarators.first()?;
        let name = self.template(template).name;
        let text = format!("{}{}", self.owned(name.symbol), self.arguments_text(&arguments));
        let symbol = self.checker.interner.intern(&text);
        let frames = std::mem::take(&mut self.frames);
        let current = self.checker.current.take();
        let horizon = std::mem::replace(&mut self.horizon, u32::MAX);
        let what = format!("variable template '{text}'");
        let id = self.deeper(span, &what, |cxx| {
            cxx.in_scope(scope, |cxx| {
                let base = cxx.specifiers(specifiers);
                let mut ty = cxx.declarator_type(base, &item.declarator);
                if specifiers.is_constexpr.is_some() {
                    ty = cxx.qualified(ty, crate::types::TypeQualifiers::CONST);
                }
                let initializer = item.initializer.as_ref().and_then(|cell| cell.get()).cloned();
                if cxx.has_auto(ty.ty()) {
                    let initializer = initializer.as_ref()?;
                    let (deduced, _) =
                        cxx.in_initializer(|cxx| cxx.deduced_initializer(ty, initializer, name.span))?;
                    let q = cxx
                        .checker
                        .with_qualifiers(deduced.ty(), deduced.q.qualifiers.union(ty.q.qualifiers));
                    ty = Type { q, space: ty.space };
                }
                let plain = Specifiers { is_static: Some(span), ..(**specifiers).clone() };
                let at = Name { symbol, span: name.span };
                cxx.static_variable(at, ty, &plain, initializer.as_ref(), None)
            })
        });
        self.horizon = horizon;
        self.frames = frames;
        self.checker.current = current;
        let id = id.flatten()?;
        self.templates[template.0 as usize].instances.insert(arguments, Instance::Variable(id));
        Some(id)
    }

    /// The signature of an instance of a function template.
    pub(super) fn instance_signature(
        &mut self,
        template: TemplateId,
        arguments: &[Argument],
    ) -> Option<Function> {
        let (params, scope, decl, owner, lambda, horizon) = {
            let template = self.template(template);
            (
                template.params.clone(),
                template.scope,
                template.decl.clone(),
                template.owner,
                template.lambda.clone(),
                template.horizon,
            )
        };
        let inner = self.bound_scope(scope, &params, arguments);
        let outer = std::mem::replace(&mut self.horizon, horizon);
        let function = match lambda {
            Some(prototype) => {
                let block = self.new_scope(inner, ScopeKind::Block);
                let suffix = prototype.suffix.clone();
                let arguments = arguments.to_vec();
                let params = params.clone();
                let (parameters, result) = self.in_scope(block, |cxx| {
                    let types = cxx.lambda_parameters(&suffix, &params, &arguments);
                    cxx.bind_unevaluated(&suffix, &types);
                    let result = suffix.trailing.as_ref().map(|trailing| cxx.type_name(trailing));
                    (types, result)
                });
                let result = result.unwrap_or(prototype.result);
                Some(Function { params: parameters, result, template: None, scope: inner, ..*prototype })
            }
            None => match &decl.kind {
                DeclKind::Function(function) => {
                    self.in_scope(inner, |cxx| cxx.signature(function, owner, inner))
                }
                _ => None,
            },
        };
        self.horizon = outer;
        let mut function = function?;
        function.horizon = horizon;
        function.is_internal = true;
        if self.is_error_type(function.result)
            || function.params.iter().any(|param| self.is_error_type(param.ty))
        {
            self.note_error();
        }
        Some(function)
    }

    /// The instance of a function template for arguments, if substitution succeeds.
    pub(super) fn function_instance(
        &mut self,
        template: TemplateId,
        arguments: Vec<Argument>,
    ) -> Option<FnId> {
        if let Some(Instance::Function(id)) = self.template(template).instances.get(&arguments) {
            return Some(*id);
        }
        if self.depth >= super::INSTANTIATION_DEPTH {
            self.note_error();
            return None;
        }
        self.depth += 1;
        let function = stacker::maybe_grow(512 << 10, 4 << 20, || {
            self.attempt(|cxx| cxx.instance_signature(template, &arguments))
        });
        self.depth -= 1;
        let function = function.flatten()?;
        // Deduced results are needed where the instance is called only.
        let list: Rc<[Argument]> = arguments.clone().into();
        let id = self.add_function(Function { instance: Some((template, list)), ..function });
        self.templates[template.0 as usize].instances.insert(arguments, Instance::Function(id));
        Some(id)
    }

    /// A generic lambda's function template: a parameter for each `auto`.
    pub(super) fn lambda_template(&mut self, lambda: &Rc<Lambda>, function: Function) -> TemplateId {
        let mut params = Vec::new();
        for (index, param) in lambda.suffix.params.iter().enumerate() {
            if !matches!(param.specifiers.ty, TypeSpecifier::Auto) {
                continue;
            }
            let symbol = self.checker.interner.intern(&format!("(auto {index})"));
            params.push(TemplateParam {
                name: Some(Name { symbol, span: param.span }),
                is_pack: param.declarator.pack.is_some(),
                kind: TemplateParamKind::Type,
                default: None,
                span: param.span,
            });
        }
        let decl = Rc::new(Decl { kind: DeclKind::Empty, span: lambda.span });
        let name = Name { symbol: function.symbol.expect("operator()"), span: lambda.span };
        let scope = function.scope;
        let owner = function.class.map(|record| Owner { record, access: Access::Public });
        let id = self.add_template(TemplateKind::Function, name, &Rc::new(params), &decl, scope, owner);
        self.templates[id.0 as usize].lambda = Some(Box::new(function));
        self.templates[id.0 as usize].horizon = self.horizon.max(self.order + 1);
        id
    }

    /// The parameters of a generic lambda for arguments.
    fn lambda_parameters(
        &mut self,
        suffix: &FunctionSuffix,
        params: &[TemplateParam],
        arguments: &[Argument],
    ) -> Vec<Parameter> {
        let mut result = Vec::new();
        let mut next = 0;
        for (index, param) in suffix.params.iter().enumerate() {
            if !matches!(param.specifiers.ty, TypeSpecifier::Auto) {
                match &param.expansion {
                    Some(names) => {
                        let each = self.expand(names, param.span, |cxx| cxx.parameter_type(param));
                        result.extend(each.into_iter().map(|ty| Parameter { ty, index, default: None }));
                    }
                    None => {
                        let ty = self.parameter_type(param);
                        result.push(Parameter { ty, index, default: param.default.clone() });
                    }
                }
                continue;
            }
            let list = match (params.get(next), arguments.get(next)) {
                (Some(_), Some(Argument::Pack(list))) => list.clone(),
                (Some(_), Some(argument)) => vec![argument.clone()],
                _ => Vec::new(),
            };
            next += 1;
            for argument in list {
                let Argument::Type(base) = argument else { continue };
                let base = self.with_written(base, &param.specifiers.qualifiers);
                let ty = self.declarator_type(base, &param.declarator);
                let ty = self.adjusted_parameter(ty, param.span);
                result.push(Parameter { ty, index, default: param.default.clone() });
            }
        }
        result
    }

    /// The body of a method of a class template's instance that is defined outside of the class.
    pub(super) fn find_outside_body(&mut self, id: FnId) {
        let function = self.function(id).clone();
        if function.body.is_some() || function.is_defaulted || function.is_deleted {
            return;
        }
        if let Some((template, arguments)) = &function.instance {
            self.find_template_body(id, *template, arguments);
            return;
        }
        let Some(record) = function.class else { return };
        let Some((template, arguments)) = self.class(record).instance.clone() else { return };
        for outside in self.template(template).outside.clone() {
            let DeclKind::Function(decl) = &outside.decl.kind else { continue };
            let Some(name) = decl.declarator.name.clone() else { continue };
            let class_scope = self.class(record).scope;
            let inner = self.bound_scope(class_scope, &outside.params, &arguments);
            if self.symbol_of(&name.last().id) != function.symbol && function.symbol.is_some() {
                continue;
            }
            let owner = Owner { record, access: function.access };
            let signature = self
                .attempt(|cxx| cxx.in_scope(inner, |cxx| cxx.signature(decl, Some(owner), inner)))
                .flatten();
            let Some(mut signature) = signature else { continue };
            signature.is_static = function.is_static;
            let same = self.matches_signature(&function, &signature);
            if same {
                let target = self.function_mut(id);
                target.body = signature.body;
                target.suffix = signature.suffix;
                target.scope = inner;
                for (param, new) in target.params.iter_mut().zip(signature.params) {
                    param.index = new.index;
                }
                return;
            }
        }
    }

    fn matches_signature(&self, a: &Function, b: &Function) -> bool {
        a.params.len() == b.params.len()
            && a.params.iter().zip(&b.params).all(|(a, b)| a.ty.ty() == b.ty.ty())
            && a.this_qualifiers == b.this_qualifiers
            && a.this_space == b.this_space
            && a.this_reference == b.this_reference
            && a.kind == b.kind
    }

    /// The body of an instance whose template was defined after the instance was declared, or outside.
    fn find_template_body(&mut self, id: FnId, template: TemplateId, arguments: &Rc<[Argument]>) {
        let (params, scope, decl, owner) = {
            let template = self.template(template);
            (template.params.clone(), template.scope, template.decl.clone(), template.owner)
        };
        let body = |decl: &Rc<Decl>| match &decl.kind {
            DeclKind::Function(function) => match &function.body {
                Some(crate::cxx::ast::FunctionBody::Statements(body)) => {
                    Some((body.clone(), function.suffix().clone()))
                }
                _ => None,
            },
            _ => None,
        };
        if let Some((body, suffix)) = body(&decl) {
            let inner = self.bound_scope(scope, &params, arguments);
            let target = self.function_mut(id);
            target.body = Some(body);
            target.suffix = suffix;
            target.scope = inner;
            return;
        }
        // `template <class T> template <class U> void A<T>::f(U) { … }`
        let Some(owner) = owner else { return };
        let Some((class_template, class_arguments)) = self.class(owner.record).instance.clone() else {
            return;
        };
        let symbol = self.function(id).symbol;
        for outside in self.template(class_template).outside.clone() {
            let DeclKind::Template(inner_template) = &outside.decl.kind else { continue };
            let DeclKind::Function(function) = &inner_template.decl.kind else { continue };
            let Some(name) = function.declarator.name.clone() else { continue };
            let own = matches!(function.specifiers.ty, TypeSpecifier::None);
            if !own && self.symbol_of(&name.last().id) != symbol {
                continue;
            }
            if inner_template.params.len() != params.len() {
                continue;
            }
            let class_scope = self.class(owner.record).scope;
            let outer = self.bound_scope(class_scope, &outside.params, &class_arguments);
            let inner = self.bound_scope(outer, &inner_template.params, arguments);
            let signature = self
                .attempt(|cxx| cxx.in_scope(inner, |cxx| cxx.signature(function, Some(owner), inner)))
                .flatten();
            let Some(mut signature) = signature else { continue };
            let known = self.function(id).clone();
            signature.is_static = known.is_static;
            if self.matches_signature(&known, &signature) {
                let target = self.function_mut(id);
                target.body = signature.body;
                target.suffix = signature.suffix;
                target.scope = inner;
                return;
            }
        }
    }

    /// The initialiser of a static member of a class template that is defined outside of it.
    pub(super) fn outside_initializer(&self, record: RecordId, symbol: Symbol) -> Option<Initializer> {
        let (template, _) = self.class(record).instance.as_ref()?;
        self.template(*template).outside.iter().find_map(|outside| {
            let DeclKind::Simple { declarators, .. } = &outside.decl.kind else { return None };
            let item = declarators.first()?;
            match item.declarator.name.as_ref()?.last().id {
                Id::Name(name) if name == symbol => {
                    item.initializer.as_ref().and_then(|cell| cell.get()).cloned()
                }
                _ => None,
            }
        })
    }

    /// `template <> …`.
    pub(super) fn specialization(&mut self, decl: &Rc<Decl>) {
        match &decl.kind {
            DeclKind::Simple { specifiers, declarators } => match &specifiers.ty {
                TypeSpecifier::Class(class) if declarators.is_empty() => self.class_specialization(class),
                _ => self.variable_specialization(decl, specifiers, declarators),
            },
            DeclKind::Function(function) => self.function_specialization(function, decl.span),
            DeclKind::Specialization(inner) => self.specialization(inner),
            _ => self.error(decl.span, "this declaration cannot be specialized"),
        }
    }

    fn class_specialization(&mut self, class: &Rc<ClassSpecifier>) {
        let Some(name) = &class.name else { return };
        let Some(Entity::Template(template)) = self.resolve(name).map(|found| found.entity) else {
            self.error(name.span, "explicit specialization of something that is no template");
            return;
        };
        let Some(written) = &name.last().arguments else {
            self.error(name.span, "an explicit specialization needs template arguments");
            return;
        };
        let Some(arguments) = self.arguments(template, written, name.span) else { return };
        let known = self.template(template).instances.get(&arguments).copied();
        let record = match known {
            Some(Instance::Class(record)) => {
                if self.class(record).is_complete {
                    let text = self.type_text(self.class(record).ty);
                    self.error(
                        name.span,
                        format!("explicit specialization of '{text}' after instantiation, or redefinition"),
                    );
                    return;
                }
                self.class_mut(record).pending = None;
                record
            }
            _ => self.new_instance(template, &arguments, name.span),
        };
        let Some(body) = &class.body else { return };
        // Its own scope is outside of the template's parameters.
        let scope = self.class(record).scope;
        self.scopes[scope.0 as usize].parent = Some(self.scope);
        if class.key == crate::cxx::ast::ClassKey::Union {
            self.types.record_mut(record).is_union = true;
        }
        self.define_class(record, class, body);
    }

    fn variable_specialization(
        &mut self,
        decl: &Rc<Decl>,
        specifiers: &Rc<Specifiers>,
        declarators: &[crate::cxx::ast::InitDeclarator],
    ) {
        let Some(item) = declarators.first() else { return };
        let Some(name) = &item.declarator.name else { return };
        let Some(written) = &name.last().arguments else {
            self.declaration(decl, None);
            return;
        };
        let Some(Entity::Template(template)) = self.resolve(name).map(|found| found.entity) else {
            self.error(name.span, "explicit specialization of something that is no template");
            return;
        };
        let Some(arguments) = self.arguments(template, written, name.span) else { return };
        let base = self.specifiers(specifiers);
        let mut ty = self.declarator_type(base, &item.declarator);
        if specifiers.is_constexpr.is_some() {
            ty = self.qualified(ty, crate::types::TypeQualifiers::CONST);
        }
        let text =
            format!("{}{}", self.owned(self.template(template).name.symbol), self.arguments_text(&arguments));
        let symbol = self.checker.interner.intern(&text);
        let initializer = item.initializer.as_ref().and_then(|cell| cell.get()).cloned();
        let plain = Specifiers { is_static: Some(name.span), ..(**specifiers).clone() };
        let at = Name { symbol, span: name.span };
        if let Some(id) = self.static_variable(at, ty, &plain, initializer.as_ref(), None) {
            self.templates[template.0 as usize].instances.insert(arguments, Instance::Variable(id));
        }
    }

    fn function_specialization(&mut self, decl: &Rc<FunctionDecl>, span: Span) {
        let Some(name) = decl.declarator.name.clone() else { return };
        if decl.specifiers.is_kernel.is_some() {
            self.error(
                name.span,
                "kernel functions cannot be used in a template declaration, instantiation or specialization",
            );
            return;
        }
        let symbol = match self.symbol_of(&name.last().id) {
            Some(symbol) => symbol,
            None => return,
        };
        let (scope, owner) = match name.is_qualified() {
            true => match self.prefix(&name) {
                Some(super::lookup::Within::Scope(scope)) => {
                    let record = match self.scope_ref(scope).kind {
                        ScopeKind::Class(record) => Some(Owner { record, access: Access::Public }),
                        _ => None,
                    };
                    (scope, record)
                }
                _ => return,
            },
            false => (self.scope, None),
        };
        let list = match self.find_in(scope, symbol).map(|found| found.entity) {
            Some(Entity::Functions(list)) => list,
            _ => Vec::new(),
        };
        // A method of an instance of a class template.
        if owner.is_some() && (list.iter().any(|id| self.function(*id).template.is_none()) || list.is_empty())
        {
            if !self.specialize_method(decl, &list, owner) {
                self.free_function(decl, span, false);
            }
            return;
        }
        let Some(signature) = self.in_scope(scope, |cxx| cxx.signature(decl, owner, scope)) else { return };
        for id in list {
            let Some(template) = self.function(id).template else { continue };
            let written = name.last().arguments.clone();
            let types: Vec<Type> = signature.params.iter().map(|param| param.ty).collect();
            let Some(arguments) = self.deduce_from_types(template, &types, written.as_deref()) else {
                continue;
            };
            let Some(known) = self.function_instance(template, arguments.clone()) else { continue };
            if !self.matches_signature(&self.function(known).clone(), &signature) {
                continue;
            }
            if self.function(known).progress != super::function::Progress::None {
                self.error(name.span, "explicit specialization after instantiation");
                return;
            }
            let instance = self.function(known).instance.clone();
            let target = self.function_mut(known);
            target.body = signature.body;
            target.suffix = signature.suffix;
            target.scope = signature.scope;
            target.result = signature.result;
            target.is_deleted = signature.is_deleted;
            target.is_constexpr = signature.is_constexpr;
            target.span = signature.span;
            target.horizon = u32::MAX;
            target.instance = instance;
            if target.body.is_some() {
                self.pending.push(known);
            }
            return;
        }
        let text = self.owned(symbol);
        self.error(
            name.span,
            format!("no function template matches function template specialization '{text}'"),
        );
    }

    /// `template <> void A<int>::f() { … }` in place of the body in the class.
    fn specialize_method(&mut self, decl: &Rc<FunctionDecl>, list: &[FnId], owner: Option<Owner>) -> bool {
        let Some(owner) = owner else { return false };
        let scope = self.class(owner.record).scope;
        let Some(mut signature) = self.in_scope(scope, |cxx| cxx.signature(decl, Some(owner), scope)) else {
            return true;
        };
        for id in list {
            let known = self.function(*id).clone();
            signature.is_static = known.is_static;
            if known.template.is_none()
                && known.progress == super::function::Progress::None
                && self.matches_signature(&known, &signature)
            {
                let target = self.function_mut(*id);
                target.body = signature.body;
                target.suffix = signature.suffix;
                target.span = signature.span;
                self.pending.push(*id);
                return true;
            }
        }
        false
    }

    /// `template class A<int>;`
    pub(super) fn explicit_instantiation(&mut self, decl: &Rc<Decl>, is_extern: bool) {
        match &decl.kind {
            DeclKind::Simple { specifiers, declarators } if declarators.is_empty() => {
                let ty = self.specifiers(specifiers);
                if !is_extern && let Some(record) = self.record_of(ty.ty()) {
                    self.require_complete(record, decl.span);
                    let class = self.class(record);
                    let functions: Vec<FnId> =
                        class.constructors.iter().copied().chain(class.destructor).collect();
                    let scope = class.scope;
                    let methods: Vec<FnId> = self
                        .scope_ref(scope)
                        .names
                        .values()
                        .filter_map(|slot| match &slot.entity {
                            Entity::Functions(list) => Some(list.clone()),
                            _ => None,
                        })
                        .flatten()
                        .collect();
                    for id in functions.into_iter().chain(methods) {
                        if self.function(id).template.is_none() && self.function(id).class == Some(record) {
                            self.find_outside_body(id);
                            self.pending.push(id);
                        }
                    }
                }
            }
            DeclKind::Function(function) => {
                let Some(name) = function.declarator.name.clone() else { return };
                if function.specifiers.is_kernel.is_some() {
                    self.error(name.span, "kernel functions cannot be used in a template declaration, instantiation or specialization");
                    return;
                }
                let Some(symbol) = self.symbol_of(&name.last().id) else { return };
                let found = match name.is_qualified() {
                    true => self.resolve(&name),
                    false => self.find(symbol),
                };
                let Some(Entity::Functions(list)) = found.map(|found| found.entity) else {
                    self.error(name.span, "explicit instantiation of an undeclared template");
                    return;
                };
                let Some(signature) = self.signature(function, None, self.scope) else { return };
                let types: Vec<Type> = signature.params.iter().map(|param| param.ty).collect();
                for id in list {
                    let Some(template) = self.function(id).template else { continue };
                    let written = name.last().arguments.clone();
                    if let Some(arguments) = self.deduce_from_types(template, &types, written.as_deref())
                        && let Some(id) = self.function_instance(template, arguments)
                        && self.function(id).params.len() == types.len()
                    {
                        if !is_extern {
                            self.use_function(id, decl.span);
                        }
                        return;
                    }
                }
                self.error(name.span, "explicit instantiation does not refer to a function template");
            }
            DeclKind::Simple { .. } => {}
            _ => self.error(decl.span, "this declaration cannot be instantiated"),
        }
    }

    /// `A(T) -> A<T>;`
    pub(super) fn deduction_guide(
        &mut self,
        name: Name,
        suffix: &Rc<FunctionSuffix>,
        target: &TypeName,
        params: Option<&Rc<Vec<TemplateParam>>>,
    ) {
        let Some(Entity::Template(template)) = self.find(name.symbol).map(|found| found.entity) else {
            self.error(name.span, "a deduction guide must name a class template");
            return;
        };
        let decl = guide_decl(name, suffix, target.specifiers.ty.clone(), name.span);
        let guide = match params {
            Some(params) => self.guide_template(template, params, decl, self.scope),
            None => {
                let DeclKind::Function(function) = &decl.kind else { return };
                self.signature(function, None, self.scope).map(|function| self.add_function(function))
            }
        };
        if let Some(guide) = guide {
            self.templates[template.0 as usize].guides.insert(0, guide);
        }
    }

    fn guide_template(
        &mut self,
        template: TemplateId,
        params: &Rc<Vec<TemplateParam>>,
        decl: Rc<Decl>,
        scope: ScopeId,
    ) -> Option<FnId> {
        let name = self.template(template).name;
        let id = self.add_template(TemplateKind::Function, name, params, &decl, scope, None);
        let DeclKind::Function(function) = &decl.kind else { return None };
        let candidate = self.template_candidate(id, function, None)?;
        self.templates[id.0 as usize].function = Some(candidate);
        Some(candidate)
    }

    /// Guides from the constructors of a class template ([over.match.class.deduct]).
    fn constructor_guides(&mut self, template: TemplateId) {
        if std::mem::replace(&mut self.templates[template.0 as usize].has_constructor_guides, true) {
            return;
        }
        let (params, decl, scope, name) = {
            let template = self.template(template);
            (template.params.clone(), template.decl.clone(), template.scope, template.name)
        };
        let DeclKind::Simple { specifiers, .. } = &decl.kind else { return };
        let TypeSpecifier::Class(class) = &specifiers.ty else { return };
        let result = own_type(name, &params);
        let mut found = false;
        for (_, member) in class.body.iter().flat_map(|body| &body.members) {
            let (own, function) = match &member.kind {
                DeclKind::Function(function) => (None, function.clone()),
                DeclKind::Template(inner) => match &inner.decl.kind {
                    DeclKind::Function(function) => (Some(inner.params.clone()), function.clone()),
                    _ => continue,
                },
                _ => continue,
            };
            let is_constructor = matches!(function.specifiers.ty, TypeSpecifier::None)
                && matches!(function.declarator.name.as_ref().map(|name| &name.last().id), Some(Id::Name(_)));
            if !is_constructor {
                continue;
            }
            found = true;
            let decl = guide_decl(name, function.suffix(), result.clone(), name.span);
            let all = match own {
                None => params.clone(),
                Some(own) => Rc::new(params.iter().chain(own.iter()).map(copied_param).collect()),
            };
            if let Some(guide) = self.guide_template(template, &all, decl, scope) {
                self.templates[template.0 as usize].guides.push(guide);
            }
        }
        if !found {
            let suffix = Rc::new(empty_suffix(name.span));
            let decl = guide_decl(name, &suffix, result.clone(), name.span);
            if let Some(guide) = self.guide_template(template, &params, decl, scope) {
                self.templates[template.0 as usize].guides.push(guide);
            }
        }
        // The copy deduction candidate.
        let mut suffix = empty_suffix(name.span);
        suffix.params.push(Param {
            specifiers: type_specifiers(result.clone(), name.span),
            declarator: empty_declarator(name.span),
            default: None,
            expansion: None,
            span: name.span,
        });
        let decl = guide_decl(name, &Rc::new(suffix), result, name.span);
        if let Some(guide) = self.guide_template(template, &params, decl, scope) {
            self.templates[template.0 as usize].guides.push(guide);
        }
    }

    /// The class template that a type without arguments names.
    pub(super) fn placeholder_template(&mut self, specifiers: &Specifiers) -> Option<TemplateId> {
        let TypeSpecifier::Named(name) = &specifiers.ty else { return None };
        if name.last().arguments.is_some() {
            return None;
        }
        match self.peek_entity(name) {
            Some(Entity::Template(template)) if self.template(template).kind == TemplateKind::Class => {
                Some(template)
            }
            _ => None,
        }
    }

    /// The class of `A(…)` and `A{…}` where `A` is a class template without arguments.
    pub(super) fn deduced_class(
        &mut self,
        name: &TypeName,
        initializer: &Initializer,
        span: Span,
    ) -> Option<Type> {
        let template = self.placeholder_template(&name.specifiers)?;
        let ty = self.deduced_variable_class(template, Some(initializer), span);
        Some(ty.unwrap_or_else(|| self.error_type()))
    }

    pub(super) fn deduced_variable_class(
        &mut self,
        template: TemplateId,
        initializer: Option<&Initializer>,
        span: Span,
    ) -> Option<Type> {
        self.constructor_guides(template);
        let given = self.in_initializer(|cxx| {
            let before = cxx.begin_full();
            let given = match initializer {
                None => Some(Vec::new()),
                Some(Initializer::Paren(list, _)) => cxx.given(list),
                Some(Initializer::List(list)) => cxx.given(&list.elements),
                Some(Initializer::Copy(clause)) => Some(vec![cxx.given_one(clause)]),
            };
            let frame = cxx.frame();
            frame.temporaries = before.0;
            frame.flags = before.1;
            frame.conditional = before.2;
            given
        })?;
        // A list is given as one argument to `= { … }`.
        let given = match given.as_slice() {
            [Given::List(list)] if matches!(initializer, Some(Initializer::Copy(_))) => {
                let list = list.clone();
                self.given(&list.elements)?
            }
            _ => given,
        };
        let guides = self.template(template).guides.clone();
        let text = self.owned(self.template(template).name.symbol);
        match self.resolve_overload(&guides, None, &given, None) {
            super::overload::Resolved::One(id) => Some(self.function(id).result),
            resolved => {
                let what = match resolved {
                    super::overload::Resolved::Ambiguous(_) => {
                        format!("deduction of template arguments of '{text}'")
                    }
                    _ => format!(
                        "constructor or deduction guide for deduction of template arguments of '{text}'"
                    ),
                };
                self.report_resolution(&what, &resolved, &guides, None, &given, span);
                None
            }
        }
    }

    /// The instance of a conversion function template that gives a type.
    pub(super) fn conversion_candidate(&mut self, id: FnId, to: Type0) -> Option<FnId> {
        let Some(template) = self.function(id).template else { return Some(id) };
        let DeclKind::Function(decl) = &self.template(template).decl.clone().kind else { return None };
        let Some(Id::Conversion(pattern)) = decl.declarator.name.as_ref().map(|name| name.last().id.clone())
        else {
            return None;
        };
        let mut deduced = Deduced::new(self.template(template).params.clone());
        let scope = self.template(template).scope;
        let fits = self.in_scope(scope, |cxx| {
            cxx.deduce_pattern(&mut deduced, &pattern.specifiers, &pattern.declarator.derived, Type::of(to))
        });
        if !fits {
            return None;
        }
        let arguments = self.finished(template, deduced)?;
        self.function_instance(template, arguments)
    }

    /// A variable's storage, for messages.
    pub(super) fn is_global(&self, id: VarId) -> bool {
        matches!(self.variable(id).storage, Storage::Global(_))
    }
}

/// The target of a conversion.
type Type0 = TypeId;

/// A template argument before it is matched with its parameter.
#[derive(Debug)]
struct Raw {
    argument: RawKind,
    span: Span,
}

#[derive(Debug)]
enum RawKind {
    /// A type; its class template, if it is named by the injected name.
    Type(Type, Option<TemplateId>),
    Value(Expr),
    Template(TemplateId),
}

fn copied_param(param: &TemplateParam) -> TemplateParam {
    let kind = match &param.kind {
        TemplateParamKind::Type => TemplateParamKind::Type,
        TemplateParamKind::Template => TemplateParamKind::Template,
        TemplateParamKind::Value { specifiers, declarator } => {
            TemplateParamKind::Value { specifiers: specifiers.clone(), declarator: declarator.clone() }
        }
    };
    TemplateParam {
        name: param.name,
        is_pack: param.is_pack,
        kind,
        default: param.default.clone(),
        span: param.span,
    }
}

/// The parameters of a later declaration, with the default arguments of an earlier one.
fn merged_defaults(
    before: &Rc<Vec<TemplateParam>>,
    after: &Rc<Vec<TemplateParam>>,
) -> Rc<Vec<TemplateParam>> {
    let merged = after.iter().enumerate().map(|(index, param)| {
        let mut param = copied_param(param);
        if param.default.is_none() {
            param.default = before.get(index).and_then(|param| param.default.clone());
        }
        param
    });
    Rc::new(merged.collect())
}

fn empty_declarator(span: Span) -> Declarator {
    Declarator { name: None, pack: None, derived: Vec::new(), attributes: Vec::new(), span }
}

fn empty_suffix(span: Span) -> FunctionSuffix {
    FunctionSuffix {
        params: Vec::new(),
        variadic: None,
        qualifiers: Qualifiers::default(),
        reference: None,
        trailing: None,
        throws: None,
        span,
    }
}

fn type_specifiers(ty: TypeSpecifier, span: Span) -> Specifiers {
    Specifiers {
        is_typedef: false,
        is_static: None,
        is_extern: None,
        is_inline: false,
        is_constexpr: None,
        is_friend: None,
        is_mutable: None,
        is_explicit: false,
        is_virtual: None,
        is_kernel: None,
        qualifiers: Qualifiers::default(),
        attributes: Vec::new(),
        ty,
        ty_span: span,
        span,
    }
}

/// A class template with its own parameters as arguments.
fn own_type(name: Name, params: &[TemplateParam]) -> TypeSpecifier {
    let arguments = params
        .iter()
        .filter_map(|param| {
            let own = param.name?;
            let part = Part { id: Id::Name(own.symbol), arguments: None, span: own.span };
            let qualified = QualifiedName { is_global: false, parts: vec![part], span: own.span };
            let kind = match param.kind {
                TemplateParamKind::Value { .. } => {
                    TemplateArgumentKind::Expr(Ast { kind: ExprKind::Name(qualified), span: own.span })
                }
                _ => TemplateArgumentKind::Type(TypeName {
                    specifiers: Rc::new(type_specifiers(TypeSpecifier::Named(qualified), own.span)),
                    declarator: empty_declarator(own.span),
                    span: own.span,
                }),
            };
            let expansion = param.is_pack.then(|| Rc::from([own.symbol]));
            Some(TemplateArgument { kind, expansion, span: own.span })
        })
        .collect();
    let part = Part { id: Id::Name(name.symbol), arguments: Some(arguments), span: name.span };
    TypeSpecifier::Named(QualifiedName { is_global: false, parts: vec![part], span: name.span })
}

/// A guide as a function that returns the class.
fn guide_decl(name: Name, suffix: &Rc<FunctionSuffix>, result: TypeSpecifier, span: Span) -> Rc<Decl> {
    let part = Part { id: Id::Name(name.symbol), arguments: None, span };
    let declarator = Declarator {
        name: Some(QualifiedName { is_global: false, parts: vec![part], span }),
        derived: vec![Derived::Function(suffix.clone())],
        ..empty_declarator(span)
    };
    let function = FunctionDecl {
        specifiers: Rc::new(type_specifiers(result, span)),
        declarator,
        body: None,
        virtual_specifier: None,
        pure: None,
    };
    Rc::new(Decl { kind: DeclKind::Function(Rc::new(function)), span })
}
