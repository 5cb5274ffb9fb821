//! Patterns that types and values are matched with ([temp.deduct.type]).

use super::Deduced;
use crate::check::cxx::scope::Entity;
use crate::check::cxx::template::Argument;
use crate::check::cxx::types::Type;
use crate::check::cxx::{Cxx, TemplateId};
use crate::cxx::ast::{
    DeclKind, Derived, Expr as Ast, ExprKind, Id, QualifiedName, Qualifiers, Specifiers, TemplateArgument,
    TemplateArgumentKind, TemplateParam, TypeSpecifier,
};
use crate::symbol::Symbol;
use crate::types::{ScalarKind, TypeId, TypeKind};
use clvk_ir::AddressSpace;

impl Cxx<'_> {
    /// Matches a pattern with a type; false if they cannot be the same.
    pub(in crate::check::cxx) fn deduce_pattern(
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
        if let Some(Entity::Template(id)) =
            self.attempt(|cxx| cxx.resolve(name)).flatten().map(|it| it.entity)
            && self.template(id).kind == crate::check::cxx::template::TemplateKind::Alias
        {
            return self.deduce_alias(deduced, id, written, from);
        }
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
            Some(Entity::Template(_)) => false,
            // The injected name of another instance or of a base class.
            Some(Entity::Type(ty)) => self.template_of_type(ty).is_none(),
            _ => true,
        }
    }

    /// Matches an alias: the type that it names gives its arguments, with which those that are written are
    /// matched (\[temp.alias\]). What does not give them decides nothing.
    fn deduce_alias(
        &mut self,
        deduced: &mut Deduced,
        alias: TemplateId,
        written: &[TemplateArgument],
        from: Type,
    ) -> bool {
        let (params, scope, decl) = {
            let template = self.template(alias);
            (template.params.clone(), template.scope, template.decl.clone())
        };
        let DeclKind::Alias { ty, .. } = &decl.kind else { return true };
        let mut inner = Deduced::new(params);
        let fits = self.in_scope(scope, |cxx| {
            cxx.deduce_pattern(&mut inner, &ty.specifiers, &ty.declarator.derived, from)
        });
        if !fits {
            return false;
        }
        match inner.found.into_iter().collect::<Option<Vec<Argument>>>() {
            Some(arguments) => self.deduce_arguments(deduced, written, &arguments),
            None => true,
        }
    }

    /// Whether specifiers without parameters name this type.
    fn is_written(&mut self, specifiers: &Specifiers, from: Type) -> bool {
        self.attempt(|cxx| cxx.specifiers(specifiers)).is_none_or(|written| written.ty() == from.ty())
    }

    /// Whether a name is that of an alias, which is not looked through.
    fn is_alias(&mut self, name: &QualifiedName) -> bool {
        match self.attempt(|cxx| cxx.resolve(name)).flatten().map(|found| found.entity) {
            Some(Entity::Template(id)) => {
                self.template(id).kind == crate::check::cxx::template::TemplateKind::Alias
            }
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
            let wanted = crate::check::cxx::types::address_space(*wanted);
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
        for (position, pattern) in written.iter().enumerate() {
            if let Some(names) = &pattern.expansion {
                if position + 1 != written.len() {
                    return true;
                }
                let rest: Vec<Argument> = flat.get(position..).unwrap_or(&[]).to_vec();
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
            let Some(argument) = flat.get(position) else { return false };
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
            (TemplateArgumentKind::Type(ty), argument @ (Argument::Value(..) | Argument::Lanes(..))) => {
                match named(ty).and_then(|symbol| deduced.index(symbol)) {
                    Some(index) => deduced.bind(index, argument.clone()),
                    None => true,
                }
            }
            (TemplateArgumentKind::Expr(expr), Argument::Value(bits, ty)) => {
                self.deduce_value(deduced, expr, *bits, *ty)
            }
            (
                TemplateArgumentKind::Expr(expr),
                argument @ (Argument::Lanes(..) | Argument::Object(..) | Argument::Template(_)),
            ) => match expr_name(expr).and_then(|symbol| deduced.index(symbol)) {
                Some(index) => deduced.bind(index, argument.clone()),
                None => true,
            },
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

    pub(super) fn deduce_value(
        &mut self,
        deduced: &mut Deduced,
        pattern: &Ast,
        bits: u64,
        ty: TypeId,
    ) -> bool {
        if let Some(index) = expr_name(pattern).and_then(|symbol| deduced.index(symbol)) {
            let ty = self.value_parameter_type(&deduced.params[index]).unwrap_or(ty);
            return deduced.bind(index, Argument::Value(bits, ty));
        }
        // A constant: it must be the same; what depends on parameters decides nothing.
        let depends =
            crate::check::cxx::walk::names_of(pattern).iter().any(|name| deduced.index(*name).is_some());
        if depends {
            return true;
        }
        match self.attempt(|cxx| cxx.constant_of(pattern, "a template argument")).flatten() {
            Some(value) => {
                let kind = self.types.as_scalar(ty).unwrap_or(ScalarKind::Long);
                crate::check::constant::to_integer(kind, bits) == value
            }
            None => true,
        }
    }

    pub(super) fn value_parameter_type(&mut self, param: &TemplateParam) -> Option<TypeId> {
        let crate::cxx::ast::TemplateParamKind::Value { specifiers, declarator, .. } = &param.kind else {
            return None;
        };
        let ty = self.attempt(|cxx| {
            let base = cxx.specifiers(specifiers);
            cxx.declarator_type(base, declarator)
        })?;
        (!self.has_auto(ty.ty())).then_some(ty.ty())
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
