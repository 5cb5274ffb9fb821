//! Whether what is defined outside of a class template is declared in it ([temp.mem.func], [class.mfct]).
//!
//! Types that depend on parameters cannot be compared before they are known. So only what surely differs
//! counts: keywords, and names of template parameters.

use super::rules::plain_name;
use super::{TemplateId, TemplateKind};
use crate::ast::BasicType;
use crate::check::cxx::Cxx;
use crate::cxx::ast::{
    ClassBody, DeclKind, Derived, FunctionDecl, FunctionSuffix, Id, Part, QualifiedName, Specifiers,
    TemplateParam, TypeSpecifier,
};
use crate::symbol::Symbol;

/// A type that is known before instantiation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    Basic(BasicType),
    /// A template parameter, by position.
    Param(usize),
}

fn known(specifiers: &Specifiers, params: &[TemplateParam]) -> Option<Known> {
    match &specifiers.ty {
        TypeSpecifier::Basic(basic) => Some(Known::Basic(*basic)),
        TypeSpecifier::Named(name) => {
            let name = name.plain()?;
            let is_own = |param: &TemplateParam| param.name.is_some_and(|own| own.symbol == name.symbol);
            params.iter().position(is_own).map(Known::Param)
        }
        _ => None,
    }
}

/// A type as written, with the parameters of its template.
#[derive(Clone, Copy, Debug)]
struct Written<'a> {
    specifiers: &'a Specifiers,
    derived: &'a [Derived],
    params: &'a [TemplateParam],
}

/// Whether two types surely differ.
fn differ(a: Written, b: Written) -> bool {
    let (Some(x), Some(y)) = (known(a.specifiers, a.params), known(b.specifiers, b.params)) else {
        return false;
    };
    let is_plain = |part: &Derived| matches!(part, Derived::Pointer(..) | Derived::Reference { .. });
    if !a.derived.iter().chain(b.derived).all(is_plain) {
        return false;
    }
    let same_shape = a.derived.len() == b.derived.len()
        && a.derived.iter().zip(b.derived).all(|pair| {
            matches!(
                pair,
                (Derived::Pointer(..), Derived::Pointer(..))
                    | (Derived::Reference { .. }, Derived::Reference { .. })
            )
        });
    x != y || !same_shape
}

/// The number of parameters; `None` if there is a pack.
fn count(suffix: &FunctionSuffix) -> Option<usize> {
    if suffix.params.iter().any(|param| param.declarator.pack.is_some()) {
        return None;
    }
    match suffix.params.as_slice() {
        [only]
            if only.declarator.derived.is_empty()
                && matches!(only.specifiers.ty, TypeSpecifier::Basic(BasicType::Void)) =>
        {
            Some(0)
        }
        params => Some(params.len()),
    }
}

/// Whether a function in a class and one outside surely are not the same.
fn functions_differ(
    (member, own): (&FunctionDecl, &[TemplateParam]),
    (outside, other): (&FunctionDecl, &[TemplateParam]),
) -> bool {
    let (a, b) = (member.suffix(), outside.suffix());
    if a.qualifiers.is_const != b.qualifiers.is_const {
        return true;
    }
    let (Some(a_count), Some(b_count)) = (count(a), count(b)) else { return false };
    if a_count != b_count {
        return true;
    }
    let result = |function: &'_ FunctionDecl| function.suffix().trailing.is_none();
    let results_differ = result(member)
        && result(outside)
        && differ(
            Written { specifiers: &member.specifiers, derived: &member.declarator.derived[1..], params: own },
            Written {
                specifiers: &outside.specifiers,
                derived: &outside.declarator.derived[1..],
                params: other,
            },
        );
    results_differ
        || a.params.iter().zip(&b.params).any(|(a, b)| {
            differ(
                Written { specifiers: &a.specifiers, derived: &a.declarator.derived, params: own },
                Written { specifiers: &b.specifiers, derived: &b.declarator.derived, params: other },
            )
        })
}

/// The members of a name: functions, and whether there is something else that may be meant.
fn members(body: &ClassBody, symbol: Symbol) -> (Vec<&FunctionDecl>, bool) {
    let mut functions = Vec::new();
    let mut has_other = false;
    let named = |name: &Option<QualifiedName>| {
        name.as_ref().and_then(QualifiedName::plain).is_some_and(|name| name.symbol == symbol)
    };
    for (_, member) in &body.members {
        match &member.kind {
            DeclKind::Function(function)
                if function.specifiers.is_friend.is_none() && named(&function.declarator.name) =>
            {
                functions.push(&**function);
            }
            DeclKind::Simple { declarators, .. } => {
                has_other |= declarators.iter().any(|item| named(&item.declarator.name));
            }
            _ => {}
        }
    }
    (functions, has_other)
}

impl Cxx<'_> {
    /// Reports a function that is defined outside of a class template and surely not declared in it.
    pub(super) fn check_outside_function(
        &mut self,
        template: TemplateId,
        params: &[TemplateParam],
        class: &Part,
        decl: &DeclKind,
    ) {
        let DeclKind::Function(outside) = decl else { return };
        let Some(name) = outside.declarator.name.as_ref().map(QualifiedName::last) else { return };
        let Id::Name(symbol) = name.id else { return };
        let it = self.template(template);
        let own = it.params.clone();
        let names_primary = class.arguments.as_ref().is_some_and(|arguments| {
            arguments.len() == params.len()
                && params.len() == own.len()
                && arguments.iter().zip(params).all(|(argument, param)| {
                    param.name.is_some_and(|name| plain_name(argument) == Some(name.symbol))
                })
        });
        let is_constructor = matches!(outside.specifiers.ty, TypeSpecifier::None);
        if !names_primary || it.kind != TemplateKind::Class || is_constructor {
            return;
        }
        let decl = it.decl.clone();
        let DeclKind::Simple { specifiers, .. } = &decl.kind else { return };
        let TypeSpecifier::Class(specifier) = &specifiers.ty else { return };
        let Some(body) = &specifier.body else { return };
        let (functions, has_other) = members(body, symbol);
        if !has_other && functions.iter().all(|member| functions_differ((member, &own), (outside, params))) {
            let (text, class) = (self.owned(symbol), self.owned(self.template(template).name.symbol));
            let message =
                format!("out-of-line definition of '{text}' does not match any declaration in '{class}'");
            self.error(name.span, message);
        }
    }
}
