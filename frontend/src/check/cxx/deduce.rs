//! Deduction of template arguments and partial ordering ([temp.deduct], [temp.func.order]).
//!
//! A pattern is a type as written, with names of parameters in it; it is matched with a type part by part. What a
//! pattern does not decide is decided when the deduced arguments are put in and the result is compared.

use super::expression::{Given, Value};
use super::scope::Entity;
use super::template::{Argument, Partial};
use super::types::Type;
use super::{Cxx, FnId, TemplateId};
use crate::Span;
use crate::cxx::ast::{
    DeclKind, Derived, Expr as Ast, ExprKind, Id, QualifiedName, Qualifiers, Specifiers, TemplateArgument,
    TemplateArgumentKind, TemplateParam, TypeSpecifier,
};
use crate::symbol::Symbol;
use crate::types::{RecordId, ScalarKind, TypeId, TypeKind, TypeQualifiers};
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
}

impl Deduced {
    pub fn new(params: Rc<Vec<TemplateParam>>) -> Deduced {
        let found = vec![None; params.len()];
        let fixed = vec![false; params.len()];
        Deduced { params, found, is_exact: false, fixed }
    }

    fn index(&self, symbol: Symbol) -> Option<usize> {
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
        let mut fixed = vec![false; deduced.params.len()];
        if let Some(written) = explicit {
            self.explicit_arguments(template, written, &mut deduced, &mut fixed)?;
        }
        // Names in the parameters are those of the template's scope.
        let scope = self.template(template).scope;
        let deduced = self.in_scope(scope, |cxx| cxx.deduce_parameters(deduced, &fixed, &suffix, given))?;
        let arguments = self.attempt(|cxx| cxx.finished(template, deduced)).flatten()?;
        self.function_instance(template, arguments)
    }

    fn deduce_parameters(
        &mut self,
        mut deduced: Deduced,
        fixed: &[bool],
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
                    self.deduce_pack(&mut deduced, fixed, &patterns)?;
                    next = given.len();
                }
                continue;
            }
            let Some(given) = given.get(next) else {
                if param.default.is_none() {
                    return None;
                }
                continue;
            };
            next += 1;
            if !self.deduce_call(&mut deduced, &param.specifiers, &param.declarator.derived, given) {
                return None;
            }
        }
        (next >= given.len()).then_some(deduced)
    }

    fn template_suffix(&self, template: TemplateId) -> Option<Rc<crate::cxx::ast::FunctionSuffix>> {
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
    fn deduce_pack(
        &mut self,
        deduced: &mut Deduced,
        fixed: &[bool],
        patterns: &[(&crate::cxx::ast::Param, &Given)],
    ) -> Option<()> {
        _ = fixed;
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
            let is_auto = matches!(param.specifiers.ty, TypeSpecifier::Auto);
            _ = is_auto;
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
            // A list decides nothing.
            Given::List(_) => return true,
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
                *deduced = inner;
                return true;
            }
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

    /// Matches a pattern with a type; false if they cannot be the same.
    pub(super) fn deduce_pattern(
        &mut self,
        deduced: &mut Deduced,
        specifiers: &Specifiers,
        derived: &[Derived],
        from: Type,
    ) -> bool {
        let Some((part, rest)) = derived.split_first() else {
            return self.deduce_base(deduced, specifiers, from);
        };
        match part {
            Derived::Pointer(..) => {
                let Some((target, space)) = self.types.pointee(from.ty()) else { return false };
                let space = Some(space).filter(|space| *space != AddressSpace::Generic);
                self.deduce_pattern(deduced, specifiers, rest, Type { q: target, space })
            }
            Derived::Reference { is_rvalue, .. } => match self.reference(from.ty()) {
                Some(reference) if reference.is_rvalue == *is_rvalue => {
                    let target = self.without_reference(from);
                    self.deduce_pattern(deduced, specifiers, rest, target)
                }
                _ => false,
            },
            Derived::Array(size, _) => {
                let TypeKind::Array { element, length } = *self.types.kind(from.ty()) else { return false };
                match (size, length) {
                    (Some(size), Some(length)) => {
                        let ulong = self.types.scalar(ScalarKind::ULong);
                        if !self.deduce_value(deduced, size, length, ulong) {
                            return false;
                        }
                    }
                    (None, Some(_)) => return false,
                    _ => {}
                }
                self.deduce_pattern(deduced, specifiers, rest, Type { q: element, space: from.space })
            }
            Derived::MemberPointer(name, ..) => {
                let TypeKind::MemberPointer { class, target } = *self.types.kind(from.ty()) else {
                    return false;
                };
                if let Some(index) = name.plain().and_then(|name| deduced.index(name.symbol)) {
                    let class = Type::of(self.class(class).ty);
                    if !deduced.bind(index, Argument::Type(class)) {
                        return false;
                    }
                }
                self.deduce_pattern(deduced, specifiers, rest, Type { q: target, space: None })
            }
            Derived::Function(suffix) => self.deduce_function(deduced, specifiers, rest, suffix, from),
        }
    }

    fn deduce_function(
        &mut self,
        deduced: &mut Deduced,
        specifiers: &Specifiers,
        rest: &[Derived],
        suffix: &crate::cxx::ast::FunctionSuffix,
        from: Type,
    ) -> bool {
        let TypeKind::Function { result, params, .. } = self.types.kind(from.ty()).clone() else {
            return false;
        };
        if !self.deduce_pattern(deduced, specifiers, rest, Type::of(result)) {
            return false;
        }
        let mut next = 0;
        for param in &suffix.params {
            if let Some(names) = &param.expansion {
                let packs = self.packs_among(deduced, names);
                let mut lists: Vec<Vec<Argument>> = vec![Vec::new(); packs.len()];
                for ty in &params[next..] {
                    let mut inner = deduced.clone();
                    for index in &packs {
                        inner.found[*index] = None;
                    }
                    if !self.deduce_pattern(
                        &mut inner,
                        &param.specifiers,
                        &param.declarator.derived,
                        Type::of(*ty),
                    ) {
                        return false;
                    }
                    for (list, index) in lists.iter_mut().zip(&packs) {
                        match inner.found[*index].clone() {
                            Some(argument) => list.push(argument),
                            None => return false,
                        }
                    }
                }
                return packs
                    .into_iter()
                    .zip(lists)
                    .all(|(index, list)| deduced.bind(index, Argument::Pack(list)));
            }
            let Some(ty) = params.get(next).copied() else { return false };
            next += 1;
            if !self.deduce_pattern(deduced, &param.specifiers, &param.declarator.derived, Type::of(ty)) {
                return false;
            }
        }
        next == params.len()
    }

    fn deduce_base(&mut self, deduced: &mut Deduced, specifiers: &Specifiers, from: Type) -> bool {
        let written = &specifiers.qualifiers;
        let lacks = written.is_const && !from.q.qualifiers.is_const
            || written.is_volatile && !from.q.qualifiers.is_volatile;
        if deduced.is_exact && lacks {
            return false;
        }
        let Some(from) = self.without_written(from, written) else { return false };
        if let Some(index) = self.plain_parameter(deduced, specifiers) {
            return deduced.bind(index, Argument::Type(from));
        }
        let TypeSpecifier::Named(name) = &specifiers.ty else {
            return !deduced.is_exact || self.is_written(specifiers, from);
        };
        let Some(written) = &name.last().arguments else {
            let depends = name
                .parts
                .iter()
                .any(|part| matches!(part.id, Id::Name(symbol) if deduced.index(symbol).is_some()));
            return !deduced.is_exact || depends || self.is_written(specifiers, from);
        };
        // `A<T>` from an instance of `A`.
        let TypeKind::Record(record) = *self.types.kind(from.ty()) else {
            return self.is_alias(name);
        };
        let Some((template, arguments)) = self.classes.get(&record).and_then(|class| class.instance.clone())
        else {
            return self.is_alias(name);
        };
        if let Some(index) = name.parts.len().eq(&1).then(|| name.last()).and_then(|part| match part.id {
            Id::Name(symbol) => deduced.index(symbol),
            _ => None,
        }) {
            // A template template parameter.
            return deduced.bind(index, Argument::Template(template))
                && self.deduce_arguments(deduced, written, &arguments);
        }
        let named = self.attempt(|cxx| cxx.resolve(name)).flatten().map(|found| found.entity);
        match named {
            Some(Entity::Template(id)) if id == template => {
                self.deduce_arguments(deduced, written, &arguments)
            }
            Some(Entity::Type(ty)) if self.template_of_type(ty) == Some(template) => {
                self.deduce_arguments(deduced, written, &arguments)
            }
            Some(Entity::Template(id)) => self.template(id).kind == super::template::TemplateKind::Alias,
            // The injected name of another instance or of a base class.
            Some(Entity::Type(ty)) => self.template_of_type(ty).is_none(),
            _ => true,
        }
    }

    /// Whether specifiers without parameters name this type.
    fn is_written(&mut self, specifiers: &Specifiers, from: Type) -> bool {
        self.attempt(|cxx| cxx.specifiers(specifiers)).is_none_or(|written| written.ty() == from.ty())
    }

    /// Whether a name is that of an alias, which is not looked through.
    fn is_alias(&mut self, name: &QualifiedName) -> bool {
        match self.attempt(|cxx| cxx.resolve(name)).flatten().map(|found| found.entity) {
            Some(Entity::Template(id)) => self.template(id).kind == super::template::TemplateKind::Alias,
            Some(Entity::Type(_)) | None => name.is_qualified(),
            _ => false,
        }
    }

    /// A type without the qualifiers and the address space that a pattern names.
    fn without_written(&mut self, from: Type, written: &Qualifiers) -> Option<Type> {
        let mut qualifiers = from.q.qualifiers;
        if written.is_const {
            qualifiers.is_const = false;
        }
        if written.is_volatile {
            qualifiers.is_volatile = false;
        }
        if written.restrict.is_some() {
            qualifiers.is_restrict = false;
        }
        let mut space = from.space;
        if let Some((wanted, _)) = written.spaces.first() {
            let wanted = super::types::address_space(*wanted);
            match space {
                Some(known) if known == wanted => space = None,
                Some(AddressSpace::Private) if wanted == AddressSpace::Generic => space = None,
                None if matches!(wanted, AddressSpace::Generic | AddressSpace::Private) => {}
                _ if wanted == AddressSpace::Generic && space != Some(AddressSpace::Constant) => space = None,
                _ => return None,
            }
        }
        Some(Type { q: crate::types::QualifiedType { ty: from.ty(), qualifiers }, space })
    }

    /// Matches written template arguments with those of an instance.
    pub(super) fn deduce_arguments(
        &mut self,
        deduced: &mut Deduced,
        written: &[TemplateArgument],
        arguments: &[Argument],
    ) -> bool {
        // Packs of the instance are one after the other.
        let mut flat: Vec<Argument> = Vec::new();
        for argument in arguments {
            match argument {
                Argument::Pack(list) => flat.extend(list.iter().cloned()),
                argument => flat.push(argument.clone()),
            }
        }
        let mut next = 0;
        for (position, pattern) in written.iter().enumerate() {
            if let Some(names) = &pattern.expansion {
                if position + 1 != written.len() {
                    return true;
                }
                let rest: Vec<Argument> = flat.get(next..).unwrap_or(&[]).to_vec();
                let packs = self.packs_among(deduced, names);
                let mut lists: Vec<Vec<Argument>> = vec![Vec::new(); packs.len()];
                for argument in rest {
                    let mut inner = deduced.clone();
                    for index in &packs {
                        inner.found[*index] = None;
                    }
                    if !self.deduce_argument(&mut inner, pattern, &argument) {
                        return false;
                    }
                    for (list, index) in lists.iter_mut().zip(&packs) {
                        match inner.found[*index].clone() {
                            Some(argument) => list.push(argument),
                            None => return true,
                        }
                    }
                }
                for (index, list) in packs.into_iter().zip(lists) {
                    if !deduced.bind(index, Argument::Pack(list)) {
                        return false;
                    }
                }
                return true;
            }
            let Some(argument) = flat.get(next) else { return false };
            next += 1;
            let argument = argument.clone();
            if !self.deduce_argument(deduced, pattern, &argument) {
                return false;
            }
        }
        // Arguments that the pattern leaves to defaults.
        true
    }

    fn deduce_argument(
        &mut self,
        deduced: &mut Deduced,
        pattern: &TemplateArgument,
        argument: &Argument,
    ) -> bool {
        match (&pattern.kind, argument) {
            (TemplateArgumentKind::Type(ty), Argument::Type(from)) => {
                // In an argument a reference is part of the type.
                self.deduce_pattern(deduced, &ty.specifiers, &ty.declarator.derived, *from)
                    && self.is_exact(deduced, ty, *from)
            }
            (TemplateArgumentKind::Type(ty), Argument::Template(template)) => {
                match named(ty).and_then(|symbol| deduced.index(symbol)) {
                    Some(index) => deduced.bind(index, Argument::Template(*template)),
                    None => true,
                }
            }
            (TemplateArgumentKind::Type(ty), argument @ Argument::Value(..)) => {
                match named(ty).and_then(|symbol| deduced.index(symbol)) {
                    Some(index) => deduced.bind(index, argument.clone()),
                    None => true,
                }
            }
            (TemplateArgumentKind::Expr(expr), Argument::Value(bits, ty)) => {
                self.deduce_value(deduced, expr, *bits, *ty)
            }
            (TemplateArgumentKind::Expr(expr), argument @ (Argument::Object(..) | Argument::Template(_))) => {
                match expr_name(expr).and_then(|symbol| deduced.index(symbol)) {
                    Some(index) => deduced.bind(index, argument.clone()),
                    None => true,
                }
            }
            _ => false,
        }
    }

    /// Whether a pattern without a parameter at its base is the very type.
    fn is_exact(&mut self, deduced: &Deduced, ty: &crate::cxx::ast::TypeName, from: Type) -> bool {
        let TypeSpecifier::Named(name) = &ty.specifiers.ty else {
            // Keywords: `int *` and the like.
            let written = self.attempt(|cxx| cxx.type_name(ty));
            return written.is_none_or(|written| written == from);
        };
        let mentions = name.parts.iter().any(|part| {
            matches!(part.id, Id::Name(symbol) if deduced.index(symbol).is_some()) || part.arguments.is_some()
        });
        if mentions {
            return true;
        }
        self.attempt(|cxx| cxx.type_name(ty)).is_none_or(|written| written == from)
    }

    fn deduce_value(&mut self, deduced: &mut Deduced, pattern: &Ast, bits: u64, ty: TypeId) -> bool {
        if let Some(index) = expr_name(pattern).and_then(|symbol| deduced.index(symbol)) {
            let ty = self.value_parameter_type(&deduced.params[index]).unwrap_or(ty);
            return deduced.bind(index, Argument::Value(bits, ty));
        }
        // A constant: it must be the same; what depends on parameters decides nothing.
        let depends = super::walk::names_of(pattern).iter().any(|name| deduced.index(*name).is_some());
        if depends {
            return true;
        }
        match self.attempt(|cxx| cxx.constant_of(pattern, "a template argument")).flatten() {
            Some(value) => {
                let kind = self.types.as_scalar(ty).unwrap_or(ScalarKind::Long);
                super::super::constant::to_integer(kind, bits) == value
            }
            None => true,
        }
    }

    fn value_parameter_type(&mut self, param: &TemplateParam) -> Option<TypeId> {
        let crate::cxx::ast::TemplateParamKind::Value { specifiers, declarator } = &param.kind else {
            return None;
        };
        let ty = self.attempt(|cxx| {
            let base = cxx.specifiers(specifiers);
            cxx.declarator_type(base, declarator)
        })?;
        (!self.has_auto(ty.ty())).then_some(ty.ty())
    }

    /// The parameters of a partial specialisation that fits some arguments.
    pub(super) fn deduce_partial(
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
        let same = written.len() <= flat.len()
            && written.iter().zip(&flat).all(|(a, b)| match (a, b) {
                (Argument::Value(a, _), Argument::Value(b, _)) => a == b,
                (a, b) => a == b,
            });
        same.then_some(bound)
    }

    /// Whether a partial specialisation is more special than another one.
    pub(super) fn is_more_special_partial(&mut self, a: &Partial, b: &Partial) -> bool {
        let forward = self.is_as_special(a, b);
        let backward = self.is_as_special(b, a);
        forward && !backward
    }

    fn is_as_special(&mut self, a: &Partial, b: &Partial) -> bool {
        let unique = self.unique_of(&a.params.clone());
        let scope = self.bound_scope(a.scope, &a.params, &unique);
        let pattern = a.pattern.clone();
        let arguments = self.attempt(|cxx| cxx.in_scope(scope, |cxx| cxx.flat_arguments(&pattern))).flatten();
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
                TemplateParamKind::Type | TemplateParamKind::Template => {
                    let scope = super::scope::ScopeId(0);
                    let record = self.add_class(None, crate::cxx::ast::ClassKey::Struct, scope, param.span);
                    self.class_mut(record).is_complete = true;
                    Argument::Type(Type::of(self.class(record).ty))
                }
                TemplateParamKind::Value { .. } => {
                    self.lambdas += 1;
                    let ty = self.value_parameter_type(param).unwrap_or_else(|| self.checker.int());
                    Argument::Value(0x4000_0000 + u64::from(self.lambdas), ty)
                }
            };
            arguments.push(if param.is_pack { Argument::Pack(vec![argument]) } else { argument });
        }
        arguments
    }

    /// Whether a function template is more special than another one for a call ([temp.func.order]).
    pub(super) fn is_more_special(&mut self, a: TemplateId, b: TemplateId, given: usize) -> bool {
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
        let unique = self.unique_arguments(a);
        let Some(function) = self.attempt(|cxx| cxx.instance_signature(a, &unique)).flatten() else {
            return true;
        };
        let types: Vec<Type> = function.params.iter().take(given).map(|param| param.ty).collect();
        let Some(suffix) = self.template_suffix(b) else { return false };
        let mut deduced = Deduced::new(self.template(b).params.clone());
        deduced.is_exact = true;
        let mut next = 0;
        let mut lvalues_lose = false;
        for param in &suffix.params {
            if let Some(names) = &param.expansion {
                let packs = self.packs_among(&deduced, names);
                while let Some(ty) = types.get(next) {
                    let mut inner = deduced.clone();
                    for index in &packs {
                        inner.found[*index] = None;
                    }
                    if !self.deduce_ordered(
                        &mut inner,
                        &param.specifiers,
                        &param.declarator.derived,
                        *ty,
                        &mut lvalues_lose,
                    ) {
                        return false;
                    }
                    next += 1;
                }
                break;
            }
            let Some(ty) = types.get(next) else { break };
            // A pack is never as special as one parameter.
            let own = self.template_suffix(a).and_then(|own| {
                let index = function.params.get(next)?.index;
                Some(own.params.get(index)?.expansion.is_some())
            });
            if own == Some(true) {
                return false;
            }
            next += 1;
            if !self.deduce_ordered(
                &mut deduced,
                &param.specifiers,
                &param.declarator.derived,
                *ty,
                &mut lvalues_lose,
            ) {
                return false;
            }
        }
        next == types.len()
    }

    fn deduce_ordered(
        &mut self,
        deduced: &mut Deduced,
        specifiers: &Specifiers,
        derived: &[Derived],
        from: Type,
        _lvalues_lose: &mut bool,
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

    /// Puts the type that `auto` stands for into a type.
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

/// The plain name of a type.
fn named(ty: &crate::cxx::ast::TypeName) -> Option<Symbol> {
    match (&ty.specifiers.ty, ty.declarator.derived.is_empty()) {
        (TypeSpecifier::Named(name), true) => name.plain().map(|name| name.symbol),
        _ => None,
    }
}

/// The plain name that an expression is.
fn expr_name(expr: &Ast) -> Option<Symbol> {
    match &expr.kind {
        ExprKind::Name(name) => name.plain().map(|name| name.symbol),
        ExprKind::Paren(inner) => expr_name(inner),
        _ => None,
    }
}
