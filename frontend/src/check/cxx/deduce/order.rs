//! Partial ordering of templates and of partial specialisations ([temp.func.order], [temp.class.order]).

use super::Deduced;
use crate::check::cxx::function::Parameter;
use crate::check::cxx::scope::Entity;
use crate::check::cxx::template::{Argument, Partial};
use crate::check::cxx::types::Type;
use crate::check::cxx::walk::{Found, declared, names_of_parts};
use crate::check::cxx::{Cxx, TemplateId};
use crate::cxx::ast::{DeclKind, Derived, Id, Param, Specifiers, TemplateParam, TypeSpecifier};
use crate::types::TypeQualifiers;
use std::rc::Rc;

impl Cxx<'_> {
    /// The parameters of a partial specialisation that fits some arguments.
    pub(in crate::check::cxx) fn deduce_partial(
        &mut self,
        partial: &Partial,
        arguments: &[Argument],
    ) -> Option<Vec<Argument>> {
        let mut deduced = Deduced::new(partial.params.clone());
        let outer = std::mem::replace(&mut self.scope, partial.scope);
        let fits = self.deduce_arguments(&mut deduced, &partial.pattern, arguments);
        self.scope = outer;
        if !fits {
            return None;
        }
        let mut bound = Vec::new();
        for (param, found) in partial.params.iter().zip(deduced.found) {
            bound.push(match found {
                Some(argument) => argument,
                None if param.is_pack => Argument::Pack(Vec::new()),
                None => return None,
            });
        }
        // With them, the pattern must be these arguments (SFINAE happens here).
        let scope = self.bound_scope(partial.scope, &partial.params, &bound);
        let pattern = partial.pattern.clone();
        let written =
            self.attempt(|cxx| cxx.in_scope(scope, |cxx| cxx.flat_arguments(&pattern))).flatten()?;
        let mut flat: Vec<Argument> = Vec::new();
        for argument in arguments {
            match argument {
                Argument::Pack(list) => flat.extend(list.iter().cloned()),
                argument => flat.push(argument.clone()),
            }
        }
        // Of a pack of the primary template, nothing is left to defaults.
        let has_pack = arguments.iter().any(|argument| matches!(argument, Argument::Pack(_)));
        let same = written.len() <= flat.len()
            && !(has_pack && written.len() < flat.len())
            && written.iter().zip(&flat).all(|(a, b)| match (a, b) {
                (Argument::Value(a, _), Argument::Value(b, _)) => a == b,
                (a, b) => a == b,
            });
        same.then_some(bound)
    }

    /// Whether a partial specialisation is more special than another one.
    pub(in crate::check::cxx) fn is_more_special_partial(
        &mut self,
        template: TemplateId,
        a: &Partial,
        b: &Partial,
    ) -> bool {
        let forward = self.is_as_special(template, a, b);
        let backward = self.is_as_special(template, b, a);
        forward && !backward
    }

    fn is_as_special(&mut self, template: TemplateId, a: &Partial, b: &Partial) -> bool {
        let unique = self.unique_of(&a.params.clone());
        let scope = self.bound_scope(a.scope, &a.params, &unique);
        let pattern = a.pattern.clone();
        let span = self.template(template).name.span;
        let arguments =
            self.attempt(|cxx| cxx.in_scope(scope, |cxx| cxx.arguments(template, &pattern, span))).flatten();
        match arguments {
            Some(arguments) => self.deduce_partial(b, &arguments).is_some(),
            None => true,
        }
    }

    fn unique_of(&mut self, params: &Rc<Vec<TemplateParam>>) -> Vec<Argument> {
        use crate::cxx::ast::TemplateParamKind;
        let mut arguments = Vec::new();
        for param in params.iter() {
            let argument = match &param.kind {
                TemplateParamKind::Type | TemplateParamKind::Template(_) => {
                    Argument::Type(self.placeholder(param.span))
                }
                TemplateParamKind::Value { .. } => {
                    let ty = self.value_parameter_type(param).unwrap_or_else(|| self.checker.int());
                    self.unique_value(0x4000_0000, ty)
                }
            };
            arguments.push(if param.is_pack { Argument::Pack(vec![argument]) } else { argument });
        }
        arguments
    }

    /// Whether a function template is more special than another one for a call ([temp.func.order]).
    pub(in crate::check::cxx) fn is_more_special(
        &mut self,
        a: TemplateId,
        b: TemplateId,
        given: usize,
    ) -> bool {
        let forward = self.is_function_as_special(a, b, given);
        let backward = self.is_function_as_special(b, a, given);
        if forward && backward {
            // One without a pack is more special.
            let has_pack = |cxx: &Self, id: TemplateId| {
                cxx.template_suffix(id)
                    .is_some_and(|suffix| suffix.params.iter().any(|param| param.expansion.is_some()))
            };
            return !has_pack(self, a) && has_pack(self, b);
        }
        forward && !backward
    }

    fn is_function_as_special(&mut self, a: TemplateId, b: TemplateId, given: usize) -> bool {
        let scope = self.template(b).scope;
        self.in_scope(scope, |cxx| cxx.is_as_special_here(a, b, given))
    }

    fn is_as_special_here(&mut self, a: TemplateId, b: TemplateId, given: usize) -> bool {
        if self.names_any_template(a, b) {
            return false;
        }
        let unique = self.unique_arguments(a);
        let Some(params) = self.ordered_parameters(a, &unique) else { return true };
        let types: Vec<Type> = params.iter().take(given).map(|param| self.ordered_type(a, param)).collect();
        let Some(suffix) = self.template_suffix(b) else { return false };
        let mut deduced = Deduced::new(self.template(b).params.clone());
        deduced.is_exact = true;
        let mut next = 0;
        for param in &suffix.params {
            if let Some(names) = &param.expansion {
                let packs = self.packs_among(&deduced, names);
                while let Some(ty) = types.get(next) {
                    let mut inner = deduced.clone();
                    for index in &packs {
                        inner.found[*index] = None;
                    }
                    if !self.deduce_ordered(&mut inner, &param.specifiers, &param.declarator.derived, *ty) {
                        return false;
                    }
                    next += 1;
                }
                break;
            }
            let Some(ty) = types.get(next) else { break };
            // A pack is never as special as one parameter.
            let own = self.template_suffix(a).and_then(|own| {
                let index = params.get(next)?.index;
                Some(own.params.get(index)?.expansion.is_some())
            });
            if own == Some(true) {
                return false;
            }
            next += 1;
            if !self.deduce_ordered(&mut deduced, &param.specifiers, &param.declarator.derived, *ty) {
                return false;
            }
        }
        next == types.len() && self.has_used(&deduced, &suffix.params[..next.min(suffix.params.len())])
    }

    /// Whether the parameters of a template that parameters of the function use have values, also where
    /// they cannot be deduced ([temp.deduct.partial]/12).
    fn has_used(&self, deduced: &Deduced, params: &[Param]) -> bool {
        let mut names = Found::default();
        params.iter().for_each(|param| declared(&param.specifiers, &param.declarator, &mut names));
        let has_value = |name| {
            let index = deduced.index(name);
            index.is_none_or(|index| deduced.params[index].is_pack || deduced.found[index].is_some())
        };
        names.list.into_iter().all(has_value)
    }

    /// The type of a parameter. What no argument follows from, like `typename A<T>::type`, is a type that
    /// nothing else is ([temp.deduct.type]/5).
    fn ordered_type(&mut self, template: TemplateId, param: &Parameter) -> Type {
        let params = self.template(template).params.clone();
        let Some(suffix) = self.template_suffix(template) else { return param.ty };
        let Some(written) = suffix.params.get(param.index) else { return param.ty };
        if !self.is_member_of_dependent(&params, &written.specifiers) {
            return param.ty;
        }
        let base = self.placeholder(written.span);
        let base = self.with_written(base, &written.specifiers.qualifiers);
        self.attempt(|cxx| cxx.derive(base, &written.declarator.derived, written.span)).unwrap_or(param.ty)
    }

    /// Which parameters of a function template have types that are members of dependent classes.
    pub(in crate::check::cxx) fn nondeduced_params(&mut self, template: TemplateId) -> Vec<bool> {
        let params = self.template(template).params.clone();
        let Some(suffix) = self.template_suffix(template) else { return Vec::new() };
        suffix.params.iter().map(|param| self.is_member_of_dependent(&params, &param.specifiers)).collect()
    }

    /// Whether a type is a member of a class that depends on template parameters.
    fn is_member_of_dependent(&mut self, params: &[TemplateParam], specifiers: &Specifiers) -> bool {
        let TypeSpecifier::Named(name) = &specifiers.ty else { return false };
        if let Some((_, prefix)) = name.parts.split_last()
            && !prefix.is_empty()
        {
            let names = names_of_parts(prefix);
            return params.iter().any(|param| param.name.is_some_and(|it| names.contains(&it.symbol)));
        }
        if name.last().arguments.is_none() {
            return false;
        }
        let Some(Entity::Template(alias)) =
            self.attempt(|cxx| cxx.resolve(name)).flatten().map(|found| found.entity)
        else {
            return false;
        };
        let (params, decl) = (self.template(alias).params.clone(), self.template(alias).decl.clone());
        match &decl.kind {
            DeclKind::Alias { ty, .. } => self.is_member_of_dependent(&params, &ty.specifiers),
            _ => false,
        }
    }

    /// Whether `a` takes an instance of any template where `b` takes one of a certain template.
    fn names_any_template(&self, a: TemplateId, b: TemplateId) -> bool {
        let (Some(own), Some(other)) = (self.template_suffix(a), self.template_suffix(b)) else {
            return false;
        };
        let is_any = |template: TemplateId, param: &Param| {
            let TypeSpecifier::Named(name) = &param.specifiers.ty else { return None };
            let Id::Name(symbol) = name.last().id else { return None };
            let is_parameter =
                self.template(template).params.iter().any(|it| it.name.is_some_and(|it| it.symbol == symbol));
            name.last().arguments.as_ref().map(|_| name.parts.len() == 1 && is_parameter)
        };
        let mut pairs = own.params.iter().zip(&other.params);
        pairs.any(|(own, other)| is_any(a, own) == Some(true) && is_any(b, other) == Some(false))
    }

    /// The parameters of a function template with these arguments. The result does not count for the order
    /// ([temp.func.order]/3); with arguments about which nothing is known it may have no meaning.
    fn ordered_parameters(&mut self, template: TemplateId, arguments: &[Argument]) -> Option<Vec<Parameter>> {
        let function = self.attempt(|cxx| cxx.instance_signature(template, arguments)).flatten();
        if let Some(function) = function {
            return Some(function.params);
        }
        let suffix = self.template_suffix(template)?;
        let (params, outer) = (self.template(template).params.clone(), self.template(template).scope);
        let scope = self.bound_scope(outer, &params, arguments);
        self.attempt(|cxx| cxx.in_scope(scope, |cxx| cxx.declared_parameters(&suffix, scope)))
    }

    fn deduce_ordered(
        &mut self,
        deduced: &mut Deduced,
        specifiers: &Specifiers,
        derived: &[Derived],
        from: Type,
    ) -> bool {
        let (is_reference, rest) = match derived.split_first() {
            Some((Derived::Reference { is_rvalue, .. }, rest)) => (Some(*is_rvalue), rest),
            _ => (None, derived),
        };
        // `T &` is more special than `T &&`.
        if let (Some(true), Some(reference)) = (is_reference, self.reference(from.ty()))
            && !reference.is_rvalue
        {
            // Deduces well; the reverse does not.
        } else if let (Some(false), Some(reference)) = (is_reference, self.reference(from.ty()))
            && reference.is_rvalue
        {
            return false;
        }
        let mut from = self.without_reference(from);
        if is_reference.is_none() {
            from.q.qualifiers = TypeQualifiers::default();
        }
        self.deduce_pattern(deduced, specifiers, rest, from)
    }
}
