//! Explicit specialisations and instantiations ([temp.expl.spec], [temp.explicit]).

use super::Instance;
use crate::Span;
use crate::ast::Name;
use crate::check::cxx::function::{Function, Owner};
use crate::check::cxx::lookup::Found;
use crate::check::cxx::scope::{Entity, ScopeKind};
use crate::check::cxx::types::Type;
use crate::check::cxx::{Cxx, FnId};
use crate::cxx::ast::{
    Access, ClassSpecifier, Decl, DeclKind, FunctionDecl, Specifiers, TemplateArgument, TypeSpecifier,
};
use std::rc::Rc;

impl Cxx<'_> {
    /// `template <> …`.
    pub(in crate::check::cxx) fn specialization(&mut self, decl: &Rc<Decl>) {
        match &decl.kind {
            DeclKind::Simple { specifiers, declarators } => match &specifiers.ty {
                TypeSpecifier::Class(class) if declarators.is_empty() => self.class_specialization(class),
                _ => self.variable_specialization(decl, specifiers, declarators),
            },
            DeclKind::Function(function) => self.function_specialization(function),
            DeclKind::Specialization(inner) => self.specialization(inner),
            _ => self.error(decl.span, "this declaration cannot be specialized"),
        }
    }

    fn class_specialization(&mut self, class: &Rc<ClassSpecifier>) {
        let Some(name) = &class.name else { return };
        let Some(Entity::Template(template)) = self.resolve(name).map(|found| found.entity) else {
            self.error(name.span, "explicit specialization of something that is not a template");
            return;
        };
        let home = self.template(template).scope;
        if !self.check_specialization_scope(home, name.span) {
            return;
        }
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
            self.error(name.span, "explicit specialization of something that is not a template");
            return;
        };
        let home = self.template(template).scope;
        if !self.check_specialization_scope(home, name.span) {
            return;
        }
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
        if let Some(id) = self.static_variable(at, ty, &plain, initializer.as_ref(), None, None) {
            self.templates[template.0 as usize].instances.insert(arguments, Instance::Variable(id));
        }
    }

    fn function_specialization(&mut self, decl: &Rc<FunctionDecl>) {
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
                Some(crate::check::cxx::lookup::Within::Scope(scope)) => {
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
        if !self.check_specialization_scope(scope, name.span) {
            return;
        }
        // A method of an instance of a class template.
        if owner.is_some() && (list.iter().any(|id| self.function(*id).template.is_none()) || list.is_empty())
        {
            if !self.specialize_method(decl, &list, owner)
                && let Some(id) = self.free_function(decl, false)
            {
                self.enter_specialization(id);
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
            if self.function(known).progress != crate::check::cxx::function::Progress::None {
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

    /// In an explicit specialisation of a member nothing depends on template parameters.
    fn enter_specialization(&mut self, id: FnId) {
        let scope = self.new_scope(self.function(id).scope, ScopeKind::Block);
        self.scopes[scope.0 as usize].is_specialization = true;
        self.function_mut(id).scope = scope;
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
                && known.progress == crate::check::cxx::function::Progress::None
                && self.matches_signature(&known, &signature)
            {
                let target = self.function_mut(*id);
                target.body = signature.body;
                target.suffix = signature.suffix;
                target.span = signature.span;
                self.enter_specialization(*id);
                self.pending.push(*id);
                return true;
            }
        }
        false
    }

    /// A program instantiates something explicitly once at most ([temp.spec]/5).
    fn note_instantiation(&mut self, instance: Instance, span: Span) {
        if self.instantiated.contains(&instance) {
            let text = match instance {
                Instance::Class(record) => self.type_text(self.class(record).ty),
                Instance::Function(id) => self.function_text(id),
                Instance::Variable(_) => "this variable".to_owned(),
            };
            self.error(span, format!("duplicate explicit instantiation of '{text}'"));
        }
        self.instantiated.push(instance);
    }

    /// Whether a function has a result type, or one that is still to be deduced.
    fn is_declared_result(&self, id: FnId, result: Type) -> bool {
        let own = self.function(id).result;
        own.ty() == result.ty() || self.has_auto(own.ty()) || self.has_auto(result.ty())
    }

    /// `template class A<int>;`
    pub(in crate::check::cxx) fn explicit_instantiation(&mut self, decl: &Rc<Decl>, is_extern: bool) {
        match &decl.kind {
            DeclKind::Simple { specifiers, declarators } if declarators.is_empty() => {
                let ty = self.specifiers(specifiers);
                if let Some(record) = self.record_of(ty.ty())
                    && self.class(record).instance.is_none()
                    && !self.is_in_instance(self.class(record).scope)
                {
                    let text = self.type_text(ty.ty());
                    self.error(decl.span, format!("explicit instantiation of non-templated type '{text}'"));
                    return;
                }
                if !is_extern && let Some(record) = self.record_of(ty.ty()) {
                    self.note_instantiation(Instance::Class(record), decl.span);
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
            DeclKind::Function(function) => self.function_instantiation(function, decl.span, is_extern),
            DeclKind::Simple { .. } => {}
            _ => self.error(decl.span, "this declaration cannot be instantiated"),
        }
    }

    /// `template int f<int>(int);`
    fn function_instantiation(&mut self, decl: &Rc<FunctionDecl>, span: Span, is_extern: bool) {
        let Some(name) = decl.declarator.name.clone() else { return };
        if decl.specifiers.is_kernel.is_some() {
            self.error(
                name.span,
                "kernel functions cannot be used in a template declaration, instantiation or specialization",
            );
            return;
        }
        let Some(symbol) = self.symbol_of(&name.last().id) else { return };
        let found = match name.is_qualified() {
            true => self.resolve(&name),
            false => self.find(symbol),
        };
        let Some(Found { entity: Entity::Functions(list), class, .. }) = found else {
            self.error(name.span, "explicit instantiation of an undeclared template");
            return;
        };
        let owner = class.map(|record| Owner { record, access: Access::Public });
        let scope = class.map_or(self.scope, |record| self.class(record).scope);
        let Some(signature) = self.in_scope(scope, |cxx| cxx.signature(decl, owner, scope)) else { return };
        let written = name.last().arguments.as_deref();
        let instance = list.into_iter().find_map(|id| self.instance_with(id, &signature, written));
        match instance {
            Some(id) if !is_extern => {
                self.note_instantiation(Instance::Function(id), span);
                self.find_outside_body(id);
                self.use_function(id, span);
                self.pending.push(id);
            }
            Some(_) => {}
            None => self.error(name.span, "explicit instantiation does not refer to a function template"),
        }
    }

    /// The instance of a function template, or the method of an instance of a class template, that has a
    /// signature.
    fn instance_with(
        &mut self,
        id: FnId,
        signature: &Function,
        written: Option<&[TemplateArgument]>,
    ) -> Option<FnId> {
        let types: Vec<Type> = signature.params.iter().map(|param| param.ty).collect();
        let id = match self.function(id).template {
            Some(template) => {
                let arguments = self.deduce_from_types(template, &types, written)?;
                self.function_instance(template, arguments)?
            }
            None => {
                let class = self.function(id).class?;
                self.class(class).instance.as_ref()?;
                id
            }
        };
        let function = self.function(id);
        let same = function.params.len() == types.len()
            && function.params.iter().zip(&types).all(|(a, b)| a.ty.ty() == b.ty())
            && (function.is_static || function.this_qualifiers == signature.this_qualifiers);
        (same && self.is_declared_result(id, signature.result)).then_some(id)
    }
}
