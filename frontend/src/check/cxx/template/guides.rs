//! Deduction of the arguments of class templates ([temp.deduct.guide]), and templates of conversions.

use super::{TemplateKind, copied_param};
use crate::Span;
use crate::ast::Name;
use crate::check::cxx::deduce::Deduced;
use crate::check::cxx::expression::Given;
use crate::check::cxx::overload::Resolved;
use crate::check::cxx::scope::{Entity, ScopeId};
use crate::check::cxx::types::Type;
use crate::check::cxx::{Cxx, FnId, TemplateId};
use crate::cxx::ast::{
    Decl, DeclKind, Declarator, Derived, Expr as Ast, ExprKind, FunctionDecl, FunctionSuffix, Id,
    Initializer, Param, Part, QualifiedName, Qualifiers, Specifiers, TemplateArgument, TemplateArgumentKind,
    TemplateParam, TemplateParamKind, TypeName, TypeSpecifier,
};
use crate::types::TypeId;
use std::rc::Rc;

/// The target of a conversion.
type Type0 = TypeId;

impl Cxx<'_> {
    /// `A(T) -> A<T>;`
    pub(in crate::check::cxx) fn deduction_guide(
        &mut self,
        name: Name,
        suffix: &Rc<FunctionSuffix>,
        target: &TypeName,
        is_explicit: bool,
        params: Option<&Rc<Vec<TemplateParam>>>,
    ) {
        let Some(Entity::Template(template)) = self.find(name.symbol).map(|found| found.entity) else {
            self.error(name.span, "a deduction guide must name a class template");
            return;
        };
        let decl = guide_decl(name, suffix, target.specifiers.ty.clone(), is_explicit);
        let guide = match params {
            Some(params) => self.guide_template(template, params, decl, self.scope),
            None => {
                let DeclKind::Function(function) = &decl.kind else { return };
                self.signature(function, None, self.scope).map(|function| self.add_function(function))
            }
        };
        if let Some(guide) = guide {
            let target = &mut self.templates[template.0 as usize];
            target.guides.insert(0, guide);
            target.written_guides += 1;
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
            let is_explicit = function.specifiers.is_explicit;
            let decl = guide_decl(name, function.suffix(), result.clone(), is_explicit);
            let all = match own {
                None => params.clone(),
                Some(own) => Rc::new(params.iter().chain(own.iter()).map(copied_param).collect()),
            };
            if let Some(guide) = self.guide_template(template, &all, decl, scope) {
                self.templates[template.0 as usize].guides.push(guide);
            }
        }
        if !found {
            let suffix = Rc::new(empty_suffix());
            let decl = guide_decl(name, &suffix, result.clone(), false);
            if let Some(guide) = self.guide_template(template, &params, decl, scope) {
                self.templates[template.0 as usize].guides.push(guide);
            }
        }
        // The copy deduction candidate.
        let mut suffix = empty_suffix();
        suffix.params.push(Param {
            specifiers: Specifiers::of(result.clone(), name.span),
            declarator: empty_declarator(name.span),
            default: None,
            expansion: None,
            span: name.span,
        });
        let decl = guide_decl(name, &Rc::new(suffix), result, false);
        if let Some(guide) = self.guide_template(template, &params, decl, scope) {
            self.templates[template.0 as usize].guides.push(guide);
        }
    }

    /// The class template that a type without arguments names.
    pub(in crate::check::cxx) fn placeholder_template(
        &mut self,
        specifiers: &Specifiers,
    ) -> Option<TemplateId> {
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
    pub(in crate::check::cxx) fn deduced_class(
        &mut self,
        name: &TypeName,
        initializer: &Initializer,
        span: Span,
    ) -> Option<Type> {
        let template = self.placeholder_template(&name.specifiers)?;
        let ty = self.deduced_variable_class(template, Some(initializer), span);
        Some(ty.unwrap_or_else(|| self.error_type()))
    }

    pub(in crate::check::cxx) fn deduced_variable_class(
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
            cxx.restore_full(before);
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
        let text = self.owned(self.template(template).name.symbol);
        let mut guides = self.template(template).guides.clone();
        let mut made = guides.split_off(self.template(template).written_guides);
        let mut written = guides;
        if let Some(Initializer::Copy(_)) = initializer {
            // Copy initialisation does not look at them ([over.match.class.deduct]/2).
            written.retain(|id| !self.function(*id).is_explicit);
            made.retain(|id| !self.function(*id).is_explicit);
        }
        let guides = [written.as_slice(), made.as_slice()].concat();
        let resolved = match self.resolve_overload(&guides, None, &given, None) {
            Resolved::Ambiguous(list) => match self.preferred_guide(&written, &made, &given) {
                Some(id) => Resolved::One(id),
                None => Resolved::Ambiguous(list),
            },
            resolved => resolved,
        };
        match resolved {
            Resolved::One(id) => Some(self.function(id).result),
            resolved => {
                let what = match resolved {
                    Resolved::Ambiguous(_) => {
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

    /// A guide that the program declares, and that nothing tells from one made of a constructor: it is better
    /// ([over.match.best]/1.10).
    fn preferred_guide(&mut self, written: &[FnId], made: &[FnId], given: &[Given]) -> Option<FnId> {
        let Resolved::One(best) = self.resolve_overload(written, None, given, None) else { return None };
        let is_worse = made.iter().any(|other| {
            let resolved = self.resolve_overload(&[best, *other], None, given, None);
            matches!(resolved, Resolved::One(id) if id != best)
        });
        (!is_worse).then_some(best)
    }

    /// The instance of a conversion function template that gives a type.
    pub(in crate::check::cxx) fn conversion_candidate(&mut self, id: FnId, to: Type0) -> Option<FnId> {
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
}

fn empty_declarator(span: Span) -> Declarator {
    Declarator { name: None, pack: None, derived: Vec::new(), attributes: Vec::new(), span }
}

fn empty_suffix() -> FunctionSuffix {
    FunctionSuffix {
        params: Vec::new(),
        variadic: None,
        qualifiers: Qualifiers::default(),
        reference: None,
        trailing: None,
        throws: None,
        noexcept: None,
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
                    specifiers: Rc::new(Specifiers::of(TypeSpecifier::Named(qualified), own.span)),
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
fn guide_decl(name: Name, suffix: &Rc<FunctionSuffix>, result: TypeSpecifier, is_explicit: bool) -> Rc<Decl> {
    let span = name.span;
    let part = Part { id: Id::Name(name.symbol), arguments: None, span };
    let declarator = Declarator {
        name: Some(QualifiedName { is_global: false, parts: vec![part], span }),
        derived: vec![Derived::Function(suffix.clone())],
        ..empty_declarator(span)
    };
    let function = FunctionDecl {
        specifiers: Rc::new(Specifiers { is_explicit, ..Specifiers::of(result, span) }),
        declarator,
        body: None,
        virtual_specifier: None,
        pure: None,
    };
    Rc::new(Decl { kind: DeclKind::Function(Rc::new(function)), span })
}
