//! Instances of templates ([temp.inst]): classes, variables, signatures, and the templates of generic
//! lambdas.

use super::{Argument, Instance, Partial, Pending, TemplateKind};
use crate::Span;
use crate::ast::Name;
use crate::check::cxx::expression::Value;
use crate::check::cxx::function::{DefaultArgument, Function, Owner, Parameter};
use crate::check::cxx::scope::{ScopeId, ScopeKind};
use crate::check::cxx::types::Type;
use crate::check::cxx::{Cxx, FnId, TemplateId, VarId};
use crate::cxx::ast::{
    Access, ClassBody, ClassSpecifier, Decl, DeclKind, FunctionSuffix, Lambda, Specifiers, TemplateArgument,
    TemplateParam, TemplateParamKind, TypeSpecifier,
};
use crate::types::RecordId;
use std::rc::Rc;

impl Cxx<'_> {
    /// The type that a template of classes or aliases makes.
    pub(in crate::check::cxx) fn template_type(
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

    pub(in crate::check::cxx) fn class_instance(
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

    pub(super) fn new_instance(
        &mut self,
        template: TemplateId,
        arguments: &[Argument],
        span: Span,
    ) -> RecordId {
        let name = self.template(template).name;
        let text = format!("{}{}", self.owned(name.symbol), self.arguments_text(arguments));
        let symbol = self.checker.interner.intern(&text);
        let (params, scope) = (self.template(template).params.clone(), self.template(template).scope);
        let inner = self.bound_scope(scope, &params, arguments);
        let key = crate::cxx::ast::ClassKey::Struct;
        let record = self.add_class(Some(Name { symbol, span: name.span }), key, inner, span);
        let list: Rc<[Argument]> = arguments.into();
        let is_placeholder = self.mention_placeholder(arguments);
        let class = self.class_mut(record);
        (class.instance, class.is_placeholder) = (Some((template, list)), is_placeholder);
        self.templates[template.0 as usize].instances.insert(arguments.to_vec(), Instance::Class(record));
        record
    }

    /// Defines an instance of a class template.
    pub(in crate::check::cxx) fn instantiate_class(
        &mut self,
        record: RecordId,
        pending: Pending,
        span: Span,
    ) -> bool {
        let Pending { template, arguments } = pending.clone();
        let Some((decl, scope)) = self.chosen_definition(template, &arguments, span) else { return false };
        let DeclKind::Simple { specifiers, .. } = &decl.kind else { return false };
        let TypeSpecifier::Class(specifier) = &specifiers.ty else { return false };
        let Some(body) = &specifier.body else {
            self.class_mut(record).pending = Some(pending);
            return false;
        };
        self.define_instance(record, specifier, body, scope, span)
    }

    /// Defines a class of an instance, in the scope that binds the parameters.
    pub(super) fn define_instance(
        &mut self,
        record: RecordId,
        specifier: &ClassSpecifier,
        body: &ClassBody,
        scope: ScopeId,
        span: Span,
    ) -> bool {
        let class_scope = self.class(record).scope;
        self.scopes[class_scope.0 as usize].parent = Some(scope);
        if specifier.key == crate::cxx::ast::ClassKey::Union {
            self.types.record_mut(record).is_union = true;
        }
        let text = self.type_text(self.class(record).ty);
        let horizon = std::mem::replace(&mut self.horizon, u32::MAX);
        let is_trial = self.is_trial || self.class(record).is_placeholder;
        let outer_trial = std::mem::replace(&mut self.is_trial, is_trial);
        let quiet = self.quiet;
        self.quiet = if is_trial { quiet.max(1) } else { 0 };
        self.checker.diagnostics.set_quiet(is_trial);
        let frames = std::mem::take(&mut self.frames);
        let current = self.checker.current.take();
        let done = self.deeper(span, &format!("template class '{text}'"), |cxx| {
            cxx.define_class(record, specifier, body);
        });
        self.checker.current = current;
        self.frames = frames;
        self.is_trial = outer_trial;
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
            if self.is_more_special_partial(template, &fitting[next].0.clone(), &fitting[best].0.clone()) {
                best = next;
            }
        }
        let winner = fitting[best].0.clone();
        for (index, (other, _)) in fitting.clone().iter().enumerate() {
            if index != best && !self.is_more_special_partial(template, &winner, other) {
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
    pub(in crate::check::cxx) fn template_value(
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
                cxx.static_variable(at, ty, &plain, initializer.as_ref(), None, None)
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
    pub(in crate::check::cxx) fn instance_signature(
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
                    let types = cxx.lambda_parameters(&suffix, &params, &arguments, inner);
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
        self.add_first_defaults(template, arguments, &mut function);
        function.horizon = horizon;
        function.is_internal = true;
        if self.is_error_type(function.result)
            || function.params.iter().any(|param| self.is_error_type(param.ty))
        {
            self.note_error();
        }
        Some(function)
    }

    /// Default arguments that only the first declaration of a function template has ([dcl.fct.default]/4).
    fn add_first_defaults(&mut self, template: TemplateId, arguments: &[Argument], function: &mut Function) {
        let Some(first) = self.template(template).first.clone() else { return };
        let Some(suffix) = first.suffix() else { return };
        let scope = self.bound_scope(self.template(template).scope, &first.params, arguments);
        for param in &mut function.params {
            if let (None, Some(written)) = (&param.default, suffix.params.get(param.index)) {
                param.default = DefaultArgument::of(written, scope);
            }
        }
    }

    /// The instance of a function template for arguments, if substitution succeeds.
    pub(in crate::check::cxx) fn function_instance(
        &mut self,
        template: TemplateId,
        arguments: Vec<Argument>,
    ) -> Option<FnId> {
        if let Some(Instance::Function(id)) = self.template(template).instances.get(&arguments) {
            return Some(*id);
        }
        if self.depth >= crate::check::cxx::INSTANTIATION_DEPTH {
            self.note_error();
            return None;
        }
        self.depth += 1;
        let function = stacker::maybe_grow(512 << 10, 4 << 20, || {
            self.attempt(|cxx| cxx.instance_signature(template, &arguments))
        });
        self.depth -= 1;
        let function = function.flatten().filter(|function| !self.copies_by_value(function))?;
        // Deduced results are needed where the instance is called only.
        let list: Rc<[Argument]> = arguments.clone().into();
        let id = self.add_function(Function { instance: Some((template, list)), ..function });
        self.templates[template.0 as usize].instances.insert(arguments, Instance::Function(id));
        Some(id)
    }

    /// A generic lambda's function template: a parameter for each `auto`.
    pub(in crate::check::cxx) fn lambda_template(
        &mut self,
        lambda: &Rc<Lambda>,
        function: Function,
    ) -> TemplateId {
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
                named_in: None,
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
        scope: ScopeId,
    ) -> Vec<Parameter> {
        let mut result = Vec::new();
        let mut next = 0;
        for (index, param) in suffix.params.iter().enumerate() {
            if !matches!(param.specifiers.ty, TypeSpecifier::Auto) {
                match &param.expansion {
                    Some(names) => {
                        let each = self.expand(names, param.span, |cxx| cxx.parameter_type(param));
                        result.extend(each.into_iter().map(|ty| Parameter::new(ty, index, None)));
                    }
                    None => {
                        let ty = self.parameter_type(param);
                        let default = DefaultArgument::of(param, scope);
                        result.push(Parameter::new(ty, index, default));
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
                let default = DefaultArgument::of(param, scope);
                result.push(Parameter::new(ty, index, default));
            }
        }
        result
    }
}
