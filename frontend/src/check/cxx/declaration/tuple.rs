//! Structured bindings of classes that say how: `std::tuple_size`, `std::tuple_element` and `get`
//! ([dcl.struct.bind]/4).
//!
//! The program declares these templates itself, because there is no standard library. What the rules say in
//! terms of expressions is made of syntax trees, in which hidden names mean the object and its type.

use super::binding::nameless;
use crate::Span;
use crate::ast::Name;
use crate::check::cxx::Cxx;
use crate::check::cxx::scope::Entity;
use crate::check::cxx::types::Type;
use crate::cxx::ast::{
    Declarator, Expr, ExprKind, Id, InitClause, InitClauseKind, Initializer, NamedCast, Part, QualifiedName,
    Specifiers, TemplateArgument, TemplateArgumentKind, TypeName, TypeSpecifier,
};
use crate::hir::{Place, Statement};
use crate::token::IntSuffix;
use std::rc::Rc;

/// The object that is decomposed.
#[derive(Clone, Copy, Debug)]
pub(in crate::check::cxx) struct Bound<'p> {
    /// The hidden variable.
    pub name: Name,
    pub place: &'p Place,
    /// Whether the variable is an lvalue reference.
    pub is_lvalue: bool,
}

impl Cxx<'_> {
    /// Declares the names, if the class of the object is one that says how. The rest of the scope sees them.
    pub(super) fn bind_tuple(
        &mut self,
        bound: Bound<'_>,
        names: &[Name],
        span: Span,
        out: &mut Vec<Statement>,
    ) -> bool {
        let std = self.checker.interner.intern("std");
        if self.find(std).is_none() {
            return false;
        }
        let own = Type { q: bound.place.ty, space: None };
        let own_name = self.hidden_type(own, span);
        let arguments = |first: Option<u64>| {
            let number = first.map(|value| number_argument(value, span));
            let ty = TemplateArgumentKind::Type(type_of_name(own_name));
            let ty = TemplateArgument { kind: ty, expansion: None, span };
            Some(number.into_iter().chain([ty]).collect::<Vec<_>>())
        };
        let mut size = self.qualified_name(&[("std", None), ("tuple_size", arguments(None))], span);
        let is_tuple = self.attempt(|cxx| {
            let ty = cxx.named_type(&size);
            let value = cxx.checker.interner.intern("value");
            let record = cxx.record_of(ty.ty()).filter(|_| cxx.complete(ty.ty(), span, "class"))?;
            cxx.find_member(record, value)
        });
        if is_tuple.flatten().is_none() {
            return false;
        }
        size.parts.extend(self.qualified_name(&[("value", None)], span).parts);
        let count = self.constant_of(&Expr { kind: ExprKind::Name(size), span }, "std::tuple_size<>::value");
        let Some(count) = count else { return self.bind_nothing(names) };
        if count != names.len() as i128 {
            let text = self.text_of(own);
            let given = names.len();
            self.error(
                span,
                format!("type '{text}' decomposes into {count} elements, but {given} names were provided"),
            );
            return self.bind_nothing(names);
        }
        for (index, name) in names.iter().enumerate() {
            let index = index as u64;
            let path = [("std", None), ("tuple_element", arguments(Some(index))), ("type", None)];
            let path = self.qualified_name(&path, span);
            let element = self.named_type(&path);
            let value = self.get_of(bound, own, index, name.span);
            let result = self.decltype(&value);
            let is_lvalue = self.reference(result.ty()).is_some_and(|result| !result.is_rvalue);
            let ty = self.reference_to(element, !is_lvalue);
            let clause = InitClause { kind: InitClauseKind::Expr(value), expansion: None, designator: None };
            let initializer = Initializer::Copy(Box::new(clause));
            let specifiers = Specifiers::of(TypeSpecifier::Auto, span);
            self.automatic(&specifiers, &nameless(name.span), *name, ty, Some(&initializer), out);
        }
        true
    }

    fn bind_nothing(&mut self, names: &[Name]) -> bool {
        for name in names {
            self.declare(*name, Entity::Error);
        }
        true
    }

    /// `e.get<i>()`, or `get<i>(e)`.
    fn get_of(&mut self, bound: Bound<'_>, own: Type, index: u64, span: Span) -> Expr {
        let arguments = Some(vec![number_argument(index, span)]);
        let get = self.qualified_name(&[("get", arguments)], span);
        let object = ExprKind::Name(plain_name(bound.name));
        let mut object = Expr { kind: object, span };
        if !bound.is_lvalue {
            let moved = self.reference_to(own, true);
            let ty = Box::new(type_of_name(self.hidden_type(moved, span)));
            let kind = ExprKind::NamedCast { cast: NamedCast::Static, ty, operand: Box::new(object) };
            object = Expr { kind, span };
        }
        let symbol = self.checker.interner.intern("get");
        let record = self.record_of(own.ty()).expect("a class");
        let is_member = matches!(
            self.find_member(record, symbol).map(|found| found.entity),
            Some(Entity::Functions(list)) if list.iter().any(|id| self.function(*id).template.is_some())
        );
        let (callee, arguments) = match is_member {
            true => (ExprKind::Member { base: Box::new(object), arrow: false, name: get }, Vec::new()),
            false => {
                let kind = InitClauseKind::Expr(object);
                (ExprKind::Name(get), vec![InitClause { kind, expansion: None, designator: None }])
            }
        };
        let callee = Box::new(Expr { kind: callee, span });
        Expr { kind: ExprKind::Call { callee, arguments }, span }
    }

    /// A name for a type, which no program can write.
    fn hidden_type(&mut self, ty: Type, span: Span) -> Name {
        let symbol = self.checker.interner.intern(&format!("(type {})", self.order));
        self.order += 1;
        let name = Name { symbol, span };
        self.declare(name, Entity::Type(ty));
        name
    }

    fn qualified_name(
        &mut self,
        parts: &[(&str, Option<Vec<TemplateArgument>>)],
        span: Span,
    ) -> QualifiedName {
        let part = |(text, arguments): &(&str, Option<Vec<TemplateArgument>>)| Part {
            id: Id::Name(self.checker.interner.intern(text)),
            arguments: arguments.clone(),
            span,
        };
        QualifiedName { is_global: false, parts: parts.iter().map(part).collect(), span }
    }
}

fn plain_name(name: Name) -> QualifiedName {
    let part = Part { id: Id::Name(name.symbol), arguments: None, span: name.span };
    QualifiedName { is_global: false, parts: vec![part], span: name.span }
}

fn number_argument(value: u64, span: Span) -> TemplateArgument {
    let suffix = IntSuffix { unsigned: false, long: false, decimal: true };
    let kind = TemplateArgumentKind::Expr(Expr { kind: ExprKind::Int(value, suffix), span });
    TemplateArgument { kind, expansion: None, span }
}

fn type_of_name(name: Name) -> TypeName {
    let span = name.span;
    let specifiers = Rc::new(Specifiers::of(TypeSpecifier::Named(plain_name(name)), span));
    let declarator = Declarator { name: None, pack: None, derived: Vec::new(), attributes: Vec::new(), span };
    TypeName { specifiers, declarator, span }
}
