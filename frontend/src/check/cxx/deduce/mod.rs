//! Deduction of template arguments and partial ordering ([temp.deduct], [temp.func.order]).
//!
//! A pattern is a type as written, with names of parameters in it; it is matched with a type part by part.
//! What a pattern does not decide is decided when the deduced arguments are put in and the result is
//! compared.

mod order;
mod pattern;

use super::expression::{Given, Value};
use super::scope::ScopeId;
use super::template::Argument;
use super::types::Type;
use super::{Cxx, FnId, TemplateId, walk};
use crate::Span;
use crate::cxx::ast::{
    DeclKind, Derived, InitList, Param, Specifiers, TemplateArgument, TemplateParam, TypeSpecifier,
};
use crate::symbol::Symbol;
use crate::types::{RecordId, ScalarKind, TypeKind, TypeQualifiers};
use clvk_ir::AddressSpace;
use std::rc::Rc;

/// Arguments that were deduced so far.
#[derive(Clone, Debug)]
pub(super) struct Deduced {
    pub params: Rc<Vec<TemplateParam>>,
    pub found: Vec<Option<Argument>>,
    /// Whether what does not depend on parameters must be the same, as for partial ordering.
    pub is_exact: bool,
    /// Parameters whose arguments are written.
    pub fixed: Vec<bool>,
    /// The scope of the call, in which lists among its arguments are evaluated.
    pub caller: Option<ScopeId>,
}

impl Deduced {
    pub fn new(params: Rc<Vec<TemplateParam>>) -> Deduced {
        let found = vec![None; params.len()];
        let fixed = vec![false; params.len()];
        Deduced { params, found, is_exact: false, fixed, caller: None }
    }

    pub(super) fn index(&self, symbol: Symbol) -> Option<usize> {
        self.params.iter().position(|param| param.name.is_some_and(|name| name.symbol == symbol))
    }

    /// Whether a parameter gets an argument, which must be the one that it has.
    fn bind(&mut self, index: usize, argument: Argument) -> bool {
        if self.fixed[index] {
            return true;
        }
        match &self.found[index] {
            None => {
                self.found[index] = Some(argument);
                true
            }
            Some(Argument::Value(a, _)) => matches!(&argument, Argument::Value(b, _) if a == b),
            Some(known) => *known == argument,
        }
    }
}

/// Whether the type of a parameter names template parameters whose arguments are not written.
fn is_deduced(deduced: &Deduced, param: &Param) -> bool {
    if matches!(param.specifiers.ty, TypeSpecifier::Auto) {
        return true;
    }
    let mut names = walk::Found::default();
    walk::declared(&param.specifiers, &param.declarator, &mut names);
    names.list.iter().filter_map(|name| deduced.index(*name)).any(|index| !deduced.fixed[index])
}

impl Cxx<'_> {
    /// The instance of a function template that a call's arguments give.
    pub(super) fn deduced_instance(
        &mut self,
        template: TemplateId,
        given: &[Given],
        explicit: Option<&[TemplateArgument]>,
    ) -> Option<FnId> {
        let suffix = self.template_suffix(template)?;
        let mut deduced = Deduced::new(self.template(template).params.clone());
        deduced.caller = Some(self.scope);
        let mut fixed = vec![false; deduced.params.len()];
        if let Some(written) = explicit {
            self.explicit_arguments(template, written, &mut deduced, &mut fixed)?;
        }
        // Names in the parameters are those of the template's scope.
        let scope = self.template(template).scope;
        let deduced = self.in_scope(scope, |cxx| cxx.deduce_parameters(template, deduced, &suffix, given))?;
        let arguments = self.attempt(|cxx| cxx.finished(template, deduced)).flatten()?;
        self.function_instance(template, arguments)
    }

    fn deduce_parameters(
        &mut self,
        template: TemplateId,
        mut deduced: Deduced,
        suffix: &crate::cxx::ast::FunctionSuffix,
        given: &[Given],
    ) -> Option<Deduced> {
        let mut next = 0;
        for (index, param) in suffix.params.iter().enumerate() {
            if param.expansion.is_some() {
                // A pack at the end takes the rest.
                if index + 1 == suffix.params.len() {
                    let rest = given.get(next..).unwrap_or(&[]);
                    let patterns: Vec<_> = rest.iter().map(|given| (param, given)).collect();
                    self.deduce_pack(&mut deduced, &patterns)?;
                    next = given.len();
                } else if let Some(names) = &param.expansion
                    && let Some(&pack) = self.packs_among(&deduced, names).first()
                    && let Some(Argument::Pack(written)) = &deduced.found[pack]
                {
                    // Elsewhere it has the elements that are written.
                    next += written.len();
                }
                continue;
            }
            let Some(given) = given.get(next) else {
                if !self.has_default_argument(template, index) {
                    return None;
                }
                continue;
            };
            next += 1;
            // Arguments are converted to a type that takes no part in deduction ([temp.deduct.call]/4).
            if !self.deduce_call(&mut deduced, &param.specifiers, &param.declarator.derived, given)
                && is_deduced(&deduced, param)
            {
                return None;
            }
        }
        (next >= given.len()).then_some(deduced)
    }

    pub(super) fn template_suffix(
        &self,
        template: TemplateId,
    ) -> Option<Rc<crate::cxx::ast::FunctionSuffix>> {
        let template = self.template(template);
        if let Some(lambda) = &template.lambda {
            return Some(lambda.suffix.clone());
        }
        match &template.decl.kind {
            DeclKind::Function(function) => Some(function.suffix().clone()),
            _ => None,
        }
    }

    /// Arguments that are written; they are for the first parameters.
    fn explicit_arguments(
        &mut self,
        template: TemplateId,
        written: &[TemplateArgument],
        deduced: &mut Deduced,
        fixed: &mut [bool],
    ) -> Option<()> {
        let list = self.attempt(|cxx| cxx.leading_arguments(template, written)).flatten()?;
        for (index, argument) in list.into_iter().enumerate() {
            fixed[index] = !matches!(argument, Argument::Pack(_));
            deduced.fixed[index] = fixed[index];
            deduced.found[index] = Some(argument);
        }
        Some(())
    }

    /// The other arguments of a template: defaults, and empty packs.
    pub(super) fn finished(&mut self, template: TemplateId, deduced: Deduced) -> Option<Vec<Argument>> {
        let scope = self.template(template).scope;
        let params = deduced.params.clone();
        let mut arguments = Vec::new();
        for (param, found) in params.iter().zip(deduced.found) {
            let argument = match found {
                Some(argument) => argument,
                None if param.is_pack => Argument::Pack(Vec::new()),
                None => self.default_template_argument(param, &params, scope, &arguments)?,
            };
            arguments.push(argument);
        }
        Some(arguments)
    }

    /// Deduces packs from several patterns with one element each.
    fn deduce_pack(&mut self, deduced: &mut Deduced, patterns: &[(&Param, &Given)]) -> Option<()> {
        let packs: Vec<usize> = match patterns.first() {
            Some((param, _)) => {
                let names = param.expansion.clone().unwrap_or_else(|| Rc::from([]));
                self.packs_among(deduced, &names)
            }
            None => return Some(()),
        };
        let known: Vec<Option<Vec<Argument>>> = packs
            .iter()
            .map(|index| match &deduced.found[*index] {
                Some(Argument::Pack(list)) => Some(list.clone()),
                _ => None,
            })
            .collect();
        let mut lists: Vec<Vec<Argument>> = vec![Vec::new(); packs.len()];
        for (number, (param, given)) in patterns.iter().enumerate() {
            let mut inner = deduced.clone();
            for (index, known) in packs.iter().zip(&known) {
                inner.found[*index] = known.as_ref().and_then(|list| list.get(number)).cloned();
            }
            if !self.deduce_call(&mut inner, &param.specifiers, &param.declarator.derived, given) {
                return None;
            }
            for (list, index) in lists.iter_mut().zip(&packs) {
                list.push(inner.found[*index].clone()?);
            }
        }
        for (index, list) in packs.into_iter().zip(lists) {
            deduced.found[index] = Some(Argument::Pack(list));
        }
        Some(())
    }

    fn packs_among(&self, deduced: &Deduced, names: &[Symbol]) -> Vec<usize> {
        let mut packs: Vec<usize> = names
            .iter()
            .filter_map(|name| deduced.index(*name))
            .filter(|index| deduced.params[*index].is_pack)
            .collect();
        // Of a generic lambda the packs have no names.
        if packs.is_empty() {
            packs = (0..deduced.params.len())
                .filter(|index| {
                    deduced.params[*index].is_pack
                        && deduced.params[*index]
                            .name
                            .is_some_and(|name| self.text(name.symbol).starts_with("(auto"))
                })
                .collect();
        }
        packs.sort_unstable();
        packs.dedup();
        packs
    }

    /// Deduces from an argument of a call ([temp.deduct.call]).
    fn deduce_call(
        &mut self,
        deduced: &mut Deduced,
        specifiers: &Specifiers,
        derived: &[Derived],
        given: &Given,
    ) -> bool {
        let value = match given {
            Given::Value(value) => value,
            Given::List(list) => return self.deduce_list(deduced, specifiers, derived, list),
        };
        if matches!(value, Value::Functions(_)) {
            return true;
        }
        let from = self.type_of_value(value);
        if let Some((Derived::Reference { is_rvalue, .. }, rest)) = derived.split_first() {
            let forwards = *is_rvalue
                && rest.is_empty()
                && self.plain_parameter(deduced, specifiers).is_some()
                && !specifiers.qualifiers.is_const
                && !specifiers.qualifiers.is_volatile
                && specifiers.qualifiers.spaces.is_empty();
            let from = match forwards && matches!(value, Value::Place(_)) {
                true => self.reference_to(from, false),
                false => from,
            };
            return self.deduce_related(deduced, specifiers, rest, from);
        }
        let decayed = self.decayed_type(value);
        let from = Type::of(decayed);
        self.deduce_related(deduced, specifiers, derived, from)
    }

    /// Deduction from a list in braces: for an array of its elements, otherwise it decides nothing.
    fn deduce_list(
        &mut self,
        deduced: &mut Deduced,
        specifiers: &Specifiers,
        derived: &[Derived],
        list: &InitList,
    ) -> bool {
        let derived = match derived.split_first() {
            Some((Derived::Reference { .. }, rest)) => rest,
            _ => derived,
        };
        let Some((Derived::Array(size, _), element)) = derived.split_first() else { return true };
        let caller = deduced.caller.unwrap_or(self.scope);
        let given = self.in_scope(caller, |cxx| cxx.attempt(|cxx| cxx.given(&list.elements)));
        let Some(given) = given.flatten() else { return false };
        if given.iter().any(|given| !self.deduce_call(deduced, specifiers, element, given)) {
            return false;
        }
        let ulong = self.types.scalar(ScalarKind::ULong);
        let count = given.len() as u64;
        size.as_ref().is_none_or(|size| self.deduce_value(deduced, size, count, ulong))
    }

    /// Deduction where the argument's class may be derived from the parameter's.
    fn deduce_related(
        &mut self,
        deduced: &mut Deduced,
        specifiers: &Specifiers,
        derived: &[Derived],
        from: Type,
    ) -> bool {
        let before = deduced.clone();
        if self.deduce_pattern(deduced, specifiers, derived, from) {
            return true;
        }
        // `const T &` from an object that is not constant, and classes derived from an instance.
        *deduced = before.clone();
        let (record, rest, wrap) = match derived.split_first() {
            None => (self.record_of(from.ty()), derived, None),
            Some((Derived::Pointer(..), rest)) if rest.is_empty() => {
                let pointee = self.types.pointee(from.ty());
                (pointee.and_then(|(target, _)| self.record_of(target.ty)), rest, pointee)
            }
            _ => (None, derived, None),
        };
        let Some(record) = record else { return false };
        self.require_complete(record, Span::NONE);
        let bases = self.all_bases(record);
        let mut found = None;
        for base in bases {
            let mut inner = before.clone();
            let ty = Type {
                q: crate::types::QualifiedType {
                    ty: self.class(base).ty,
                    qualifiers: wrap.map_or(from.q.qualifiers, |(target, _)| target.qualifiers),
                },
                space: wrap.map_or(from.space, |(_, space)| {
                    Some(space)
                        .filter(|space| !matches!(space, AddressSpace::Generic | AddressSpace::Private))
                }),
            };
            if self.deduce_pattern(&mut inner, specifiers, rest, ty) {
                // A base must also agree with arguments that are written.
                let mut strict = Deduced { fixed: vec![false; before.fixed.len()], ..before.clone() };
                if self.deduce_pattern(&mut strict, specifiers, rest, ty) {
                    *deduced = inner;
                    return true;
                }
                found.get_or_insert(inner);
            }
        }
        if let Some(found) = found {
            *deduced = found;
            return true;
        }
        false
    }

    fn all_bases(&self, record: RecordId) -> Vec<RecordId> {
        let mut list = Vec::new();
        for base in &self.class(record).bases {
            list.push(base.record);
            list.extend(self.all_bases(base.record));
        }
        list
    }

    /// The parameter that a specifier names alone.
    fn plain_parameter(&self, deduced: &Deduced, specifiers: &Specifiers) -> Option<usize> {
        match &specifiers.ty {
            TypeSpecifier::Named(name) => deduced.index(name.plain()?.symbol),
            // In a generic lambda.
            TypeSpecifier::Auto => deduced.params.iter().position(|param| {
                param.name.is_some_and(|name| {
                    name.span == specifiers.span || name.span.start == specifiers.span.start
                })
            }),
            _ => None,
        }
    }

    /// Arguments of a template from the types of a declared function's parameters.
    pub(super) fn deduce_from_types(
        &mut self,
        template: TemplateId,
        types: &[Type],
        written: Option<&[TemplateArgument]>,
    ) -> Option<Vec<Argument>> {
        let suffix = self.template_suffix(template)?;
        let mut deduced = Deduced::new(self.template(template).params.clone());
        let mut fixed = vec![false; deduced.params.len()];
        if let Some(written) = written {
            self.explicit_arguments(template, written, &mut deduced, &mut fixed)?;
        }
        let scope = self.template(template).scope;
        let deduced = self.in_scope(scope, |cxx| cxx.deduce_declared(deduced, &suffix, types))?;
        self.attempt(|cxx| cxx.finished(template, deduced)).flatten()
    }

    fn deduce_declared(
        &mut self,
        mut deduced: Deduced,
        suffix: &crate::cxx::ast::FunctionSuffix,
        types: &[Type],
    ) -> Option<Deduced> {
        let mut next = 0;
        for param in &suffix.params {
            if let Some(names) = &param.expansion {
                let packs = self.packs_among(&deduced, names);
                let mut lists: Vec<Vec<Argument>> = vec![Vec::new(); packs.len()];
                while let Some(ty) = types.get(next) {
                    let mut inner = deduced.clone();
                    for index in &packs {
                        inner.found[*index] = None;
                    }
                    if !self.deduce_pattern(&mut inner, &param.specifiers, &param.declarator.derived, *ty) {
                        return None;
                    }
                    for (list, index) in lists.iter_mut().zip(&packs) {
                        list.push(inner.found[*index].clone()?);
                    }
                    next += 1;
                }
                for (index, list) in packs.into_iter().zip(lists) {
                    deduced.found[index] = Some(Argument::Pack(list));
                }
                break;
            }
            let ty = types.get(next)?;
            next += 1;
            if !self.deduce_pattern(&mut deduced, &param.specifiers, &param.declarator.derived, *ty) {
                return None;
            }
        }
        (next == types.len()).then_some(deduced)
    }

    /// The type of a variable declared with `auto` ([dcl.type.auto.deduct]).
    pub(super) fn deduce_auto(&mut self, declared: Type, value: &Value, span: Span) -> Option<Type> {
        let from = self.type_of_value(value);
        if let Some(reference) = self.reference(declared.ty()) {
            let inner = Type { q: reference.target, space: None };
            let is_plain = matches!(self.types.kind(inner.ty()), TypeKind::Auto)
                && inner.q.qualifiers == TypeQualifiers::default();
            if reference.is_rvalue && is_plain && matches!(value, Value::Place(_)) {
                return Some(self.reference_to(from, false));
            }
            let mut target = self.replace_auto(inner, from, span)?;
            if reference.space != AddressSpace::Generic {
                target.space = Some(reference.space);
            }
            return Some(self.reference_to(target, reference.is_rvalue));
        }
        let decayed = Type::of(self.decayed_type(value));
        let plain = self.replace_auto(declared, decayed, span)?;
        Some(Type { space: declared.space, ..plain })
    }

    /// Puts the type that `auto` means into a type.
    fn replace_auto(&mut self, pattern: Type, from: Type, span: Span) -> Option<Type> {
        match *self.types.kind(pattern.ty()) {
            TypeKind::Auto => {
                let mut q = from.q;
                q.qualifiers = q.qualifiers.union(pattern.q.qualifiers);
                Some(Type { q, space: from.space.or(pattern.space) })
            }
            TypeKind::Pointer { pointee, space } => {
                let Some((target, from_space)) = self.types.pointee(from.ty()) else {
                    let text = self.text_of(from);
                    self.error(
                        span,
                        format!("variable with type 'auto *' has incompatible initializer of type '{text}'"),
                    );
                    return None;
                };
                let inner = Type { q: pointee, space: None };
                let target = Type { q: target, space: None };
                let replaced = self.replace_auto(inner, target, span)?;
                let space = if space == AddressSpace::Generic { from_space } else { space };
                let pointer = self.types.pointer(replaced.q, space);
                let q = crate::types::QualifiedType { ty: pointer, qualifiers: pattern.q.qualifiers };
                Some(Type { q, space: pattern.space })
            }
            _ => Some(pattern),
        }
    }
}
