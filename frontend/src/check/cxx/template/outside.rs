//! Members of templates that are defined outside their class ([temp.mem], [temp.class]).

use super::{Argument, Declaration, TemplateKind};
use crate::Span;
use crate::ast::Name;
use crate::check::cxx::function::{Function, Owner};
use crate::check::cxx::scope::{Entity, ScopeId, ScopeKind};
use crate::check::cxx::{Cxx, FnId, TemplateId};
use crate::cxx::ast::{
    Access, Decl, DeclKind, Id, Initializer, QualifiedName, TemplateDecl, TemplateParam, TemplateParamKind,
    TypeSpecifier,
};
use crate::symbol::Symbol;
use crate::types::{RecordId, TypeId};
use std::rc::Rc;

impl Cxx<'_> {
    /// A member of a class template that is defined outside of it.
    pub(super) fn outside_member(&mut self, template: &Rc<TemplateDecl>, name: &QualifiedName, span: Span) {
        let mut scope: Option<ScopeId> = None;
        let (_, prefix) = name.parts.split_last().expect("a qualified name");
        for (index, part) in prefix.iter().enumerate() {
            let Id::Name(symbol) = part.id else { return };
            let found = match scope {
                None => self.find(symbol),
                Some(scope) => self.find_in(scope, symbol),
            };
            match found.map(|found| found.entity) {
                Some(Entity::Namespace(inner)) => scope = Some(inner),
                Some(Entity::Template(id)) => {
                    if index + 1 == prefix.len() {
                        self.check_outside_function(id, &template.params, part, &template.decl.kind);
                    }
                    self.templates[id.0 as usize]
                        .outside
                        .push(Declaration { params: template.params.clone(), decl: template.decl.clone() });
                    return;
                }
                Some(Entity::Type(ty)) => {
                    // A member template of a class that is not a template.
                    let Some(record) = self.record_of(ty.ty()) else { return };
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
        self.define_function_template(id, template, horizon);
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
        let DeclKind::Function(_) = &template.decl.kind else { return None };
        let access = Access::Public;
        let scope = self.class(record).scope;
        let owner = Some(Owner { record, access });
        let symbol = self.symbol_of(&name.last().id)?;
        let at_name = Name { symbol, span: name.span };
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

    /// Whether two function templates declare the same: their instances for the same unique arguments have
    /// the same signature ([temp.over.link]).
    pub(super) fn is_same_template(&mut self, a: TemplateId, b: TemplateId) -> bool {
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
        if self.nondeduced_params(a) != self.nondeduced_params(b) {
            return false;
        }
        let arguments = self.unique_arguments(a);
        if !self.same_value_params(&a_params, &b_params, &arguments, b) {
            return false;
        }
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

    /// Whether parameters that take values have equivalent types ([temp.over.link]/6): as they are written,
    /// or as they are if they do not depend on other parameters.
    fn same_value_params(
        &mut self,
        a: &[TemplateParam],
        b: &[TemplateParam],
        arguments: &[Argument],
        other: TemplateId,
    ) -> bool {
        let mut types: Option<Vec<Argument>> = None;
        for (index, (a, b)) in a.iter().zip(b).enumerate() {
            let (TemplateParamKind::Value { spelling: x, .. }, TemplateParamKind::Value { spelling: y, .. }) =
                (&a.kind, &b.kind)
            else {
                continue;
            };
            if x == y {
                continue;
            }
            let others = types.get_or_insert_with(|| self.unique_arguments(other));
            let same = match (value_type(&arguments[index]), value_type(&others[index])) {
                (Some(x), Some(y)) => x == y && !self.types.is_error(x),
                _ => false,
            };
            if x.contains('#') || y.contains('#') || !same {
                return false;
            }
        }
        true
    }

    /// Overloads that only substitution tells apart have different default arguments.
    fn same_defaults(&self, a: TemplateId, b: TemplateId) -> bool {
        let has_body = |id: TemplateId| match &self.template(id).decl.kind {
            DeclKind::Function(function) => function.body.is_some(),
            _ => false,
        };
        has_body(a) != has_body(b)
    }

    /// The class template that a class is an instance of, or a member of an instance of: with the arguments,
    /// and the names of the classes from that instance on to the class.
    fn enclosing_template(&self, record: RecordId) -> Option<(TemplateId, Rc<[Argument]>, Vec<Symbol>)> {
        let mut path = Vec::new();
        let mut class = self.class(record);
        loop {
            if let Some((template, arguments)) = &class.instance {
                path.reverse();
                return Some((*template, arguments.clone(), path));
            }
            path.push(class.name?);
            let mut outer = self.scope_ref(self.scope_ref(class.scope).parent?);
            while outer.kind == ScopeKind::Template {
                outer = self.scope_ref(outer.parent?);
            }
            let ScopeKind::Class(next) = outer.kind else { return None };
            class = self.classes.get(&next)?;
        }
    }

    /// Defines a class in an instance of a class template whose definition is outside of the template.
    pub(in crate::check::cxx) fn define_outside(&mut self, record: RecordId, span: Span) -> bool {
        let Some((template, arguments, mut path)) = self.enclosing_template(record) else { return false };
        let Some(own) = path.pop() else { return false };
        for outside in self.template(template).outside.clone() {
            let DeclKind::Simple { specifiers, .. } = &outside.decl.kind else { continue };
            let TypeSpecifier::Class(specifier) = &specifiers.ty else { continue };
            let (Some(body), Some(name)) = (&specifier.body, &specifier.name) else { continue };
            if !names(&name.last().id, own) || !is_in_path(name, &path) {
                continue;
            }
            let Some(around) = self.scope_ref(self.class(record).scope).parent else { return false };
            let scope = self.bound_scope(around, &outside.params, &arguments);
            return self.define_instance(record, specifier, body, scope, span);
        }
        false
    }

    /// The body of a method of a class template's instance that is defined outside of the class.
    pub(in crate::check::cxx) fn find_outside_body(&mut self, id: FnId) {
        let function = self.function(id).clone();
        if function.body.is_some() || function.is_defaulted || function.is_deleted {
            return;
        }
        if let Some((template, arguments)) = &function.instance {
            self.find_template_body(id, *template, arguments);
            return;
        }
        let Some(record) = function.class else { return };
        let Some((template, arguments, path)) = self.enclosing_template(record) else { return };
        for outside in self.template(template).outside.clone() {
            let DeclKind::Function(decl) = &outside.decl.kind else { continue };
            let Some(name) = decl.declarator.name.clone() else { continue };
            if !is_in_path(&name, &path) {
                continue;
            }
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

    pub(super) fn matches_signature(&self, a: &Function, b: &Function) -> bool {
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
        let Some((class_template, class_arguments, path)) = self.enclosing_template(owner.record) else {
            return;
        };
        let symbol = self.function(id).symbol;
        for outside in self.template(class_template).outside.clone() {
            let DeclKind::Template(inner_template) = &outside.decl.kind else { continue };
            let DeclKind::Function(function) = &inner_template.decl.kind else { continue };
            let Some(name) = function.declarator.name.clone() else { continue };
            if !is_in_path(&name, &path) {
                continue;
            }
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
    pub(in crate::check::cxx) fn outside_initializer(
        &self,
        record: RecordId,
        symbol: Symbol,
    ) -> Option<Initializer> {
        let (template, _, path) = self.enclosing_template(record)?;
        self.template(template).outside.iter().find_map(|outside| {
            let DeclKind::Simple { declarators, .. } = &outside.decl.kind else { return None };
            let item = declarators.first()?;
            let written = item.declarator.name.as_ref()?;
            match written.last().id {
                Id::Name(name) if name == symbol && is_in_path(written, &path) => {
                    item.initializer.as_ref().and_then(|cell| cell.get()).cloned()
                }
                _ => None,
            }
        })
    }
}

fn names(id: &Id, symbol: Symbol) -> bool {
    matches!(id, Id::Name(name) if *name == symbol)
}

/// Whether a name is written as that of a member of a class template, or of a class in one: `A<T>::b::name`
/// with the path `b`.
fn is_in_path(name: &QualifiedName, path: &[Symbol]) -> bool {
    let Some((_, prefix)) = name.parts.split_last() else { return false };
    let Some(inner) = prefix.len().checked_sub(path.len()).filter(|at| *at > 0) else { return false };
    prefix[inner - 1].arguments.is_some()
        && prefix[inner..].iter().zip(path).all(|(part, symbol)| names(&part.id, *symbol))
}

/// The type of an argument that is a value.
fn value_type(argument: &Argument) -> Option<TypeId> {
    match argument {
        Argument::Value(_, ty) | Argument::Lanes(_, ty) => Some(*ty),
        Argument::Pack(list) => list.first().and_then(value_type),
        _ => None,
    }
}
