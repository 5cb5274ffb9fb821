//! Walks over syntax trees and over the HIR.

use crate::Span;
use crate::builtins::Lowering;
use crate::cxx::ast::{
    Declarator, Derived, Expr as Ast, ExprKind, Id, InitClause, InitClauseKind, Initializer, Part,
    QualifiedName, Specifiers, TemplateArgument, TemplateArgumentKind, TypeName, TypeSpecifier,
};
use crate::hir::{
    Expr, ExprKind as Hir, FunctionId, Initializer as HirInitializer, Operation, Place, PlaceKind, Statement,
    StatementKind, Synchronizing,
};
use crate::symbol::Symbol;

/// Names that are collected.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub list: Vec<Symbol>,
    /// Names in what a pack expansion expands are left out.
    is_unexpanded: bool,
}

/// The plain names in an expression.
pub(super) fn names_of(expr: &Ast) -> Vec<Symbol> {
    let mut names = Found::default();
    collect(expr, &mut names);
    names.list
}

/// The plain names in an expression that no pack expansion in it expands.
pub(super) fn unexpanded_of(expr: &Ast) -> Vec<Symbol> {
    let mut names = Found { is_unexpanded: true, ..Found::default() };
    collect(expr, &mut names);
    names.list
}

fn clause(clause: &InitClause, names: &mut Found) {
    if names.is_unexpanded && clause.expansion.is_some() {
        return;
    }
    match &clause.kind {
        InitClauseKind::Expr(expr) => collect(expr, names),
        InitClauseKind::List(list) => list.elements.iter().for_each(|element| self::clause(element, names)),
    }
}

fn type_names(name: &TypeName, names: &mut Found) {
    declared(&name.specifiers, &name.declarator, names);
}

/// The names in a type and a declarator.
pub(super) fn declared(specifiers: &Specifiers, declarator: &Declarator, names: &mut Found) {
    match &specifiers.ty {
        TypeSpecifier::Named(name) => qualified(name, names),
        TypeSpecifier::Decltype(expr) => collect(expr, names),
        TypeSpecifier::Typeof(ty) | TypeSpecifier::Underlying(ty) | TypeSpecifier::Pipe(ty) => {
            type_names(ty, names);
        }
        _ => {}
    }
    for part in &declarator.derived {
        match part {
            Derived::MemberPointer(class, ..) => qualified(class, names),
            Derived::Array(Some(size), _) => collect(size, names),
            Derived::Function(suffix) => {
                for param in &suffix.params {
                    declared(&param.specifiers, &param.declarator, names);
                }
                suffix.trailing.iter().for_each(|ty| type_names(ty, names));
            }
            Derived::Pointer(..) | Derived::Reference { .. } | Derived::Array(None, _) => {}
        }
    }
}

/// The names in a template argument.
pub(super) fn argument(argument: &TemplateArgument, names: &mut Found) {
    if names.is_unexpanded && argument.expansion.is_some() {
        return;
    }
    match &argument.kind {
        TemplateArgumentKind::Type(ty) => type_names(ty, names),
        TemplateArgumentKind::Expr(expr) => collect(expr, names),
    }
}

/// The names in parts of a qualified name.
pub(super) fn names_of_parts(parts: &[Part]) -> Vec<Symbol> {
    let mut names = Found::default();
    each_part(parts, &mut names);
    names.list
}

fn qualified(name: &QualifiedName, names: &mut Found) {
    each_part(&name.parts, names);
}

fn each_part(parts: &[Part], names: &mut Found) {
    for part in parts {
        match &part.id {
            Id::Name(symbol) => names.list.push(*symbol),
            Id::Decltype(expr) => collect(expr, names),
            _ => {}
        }
        for written in part.arguments.iter().flatten() {
            argument(written, names);
        }
    }
}

fn collect(expr: &Ast, names: &mut Found) {
    match &expr.kind {
        ExprKind::Name(name) => qualified(name, names),
        ExprKind::Paren(inner) | ExprKind::Prefix(_, inner) | ExprKind::Postfix { operand: inner, .. } => {
            collect(inner, names);
        }
        ExprKind::SizeofExpr(inner) | ExprKind::AlignofExpr(inner) | ExprKind::Noexcept(inner) => {
            collect(inner, names);
        }
        ExprKind::Binary { left, right, .. } | ExprKind::Comma(left, right) => {
            collect(left, names);
            collect(right, names);
        }
        ExprKind::Assign { target, value, .. } => {
            collect(target, names);
            clause(value, names);
        }
        ExprKind::Conditional { condition, then, otherwise } => {
            collect(condition, names);
            collect(then, names);
            collect(otherwise, names);
        }
        ExprKind::Call { callee, arguments } => {
            collect(callee, names);
            arguments.iter().for_each(|given| clause(given, names));
        }
        ExprKind::Index { base, index } => {
            collect(base, names);
            clause(index, names);
        }
        ExprKind::Member { base, .. } => collect(base, names),
        ExprKind::MemberPointer { base, member, .. } => {
            collect(base, names);
            collect(member, names);
        }
        ExprKind::Cast { ty, operand } | ExprKind::NamedCast { ty, operand, .. } => {
            type_names(ty, names);
            collect(operand, names);
        }
        ExprKind::VectorLiteral { ty, elements } => {
            type_names(ty, names);
            elements.iter().for_each(|element| clause(element, names));
        }
        ExprKind::CompoundLiteral { ty, list } => {
            type_names(ty, names);
            list.elements.iter().for_each(|element| clause(element, names));
        }
        ExprKind::Construct { ty, initializer } => {
            type_names(ty, names);
            match &**initializer {
                Initializer::Paren(list, _) => list.iter().for_each(|element| clause(element, names)),
                Initializer::List(list) => list.elements.iter().for_each(|element| clause(element, names)),
                Initializer::Copy(value) => clause(value, names),
            }
        }
        ExprKind::SizeofType(ty) | ExprKind::AlignofType(ty) | ExprKind::VecStepType(ty) => {
            type_names(ty, names)
        }
        ExprKind::SizeofPack(_) | ExprKind::Fold { .. } if names.is_unexpanded => {}
        ExprKind::SizeofPack(name) => names.list.push(name.symbol),
        ExprKind::Trait { types, .. } => {
            let is_unexpanded = names.is_unexpanded;
            for argument in types.iter().filter(|it| !is_unexpanded || it.expansion.is_none()) {
                if let TemplateArgumentKind::Type(ty) = &argument.kind {
                    type_names(ty, names);
                }
            }
        }
        ExprKind::Fold { names: inner, .. } => names.list.extend(inner.iter()),
        ExprKind::Lambda(lambda) => names.list.extend(lambda.names.iter()),
        _ => {}
    }
}

/// Calls in order, each with its place.
#[derive(Debug, Default)]
pub(super) struct Calls {
    pub functions: Vec<(FunctionId, Span)>,
    /// Functions that become kernels, which are enqueued and not called.
    pub enqueued: Vec<FunctionId>,
    /// Of built-in functions that all work-items of a group must call.
    pub barriers: Vec<Span>,
}

/// Whether all work-items of a work-group must execute an operation.
fn is_for_groups(operation: &Operation) -> bool {
    matches!(
        operation,
        Operation::Synchronize(Synchronizing::Barrier { .. })
            | Operation::Row(Lowering::WorkGroup(_))
            | Operation::AsyncCopy(_)
    )
}

/// Adds the calls in statements.
pub(super) fn calls(body: &[Statement], found: &mut Calls) {
    for item in body {
        statement(item, found);
    }
}

fn statement(item: &Statement, found: &mut Calls) {
    match &item.kind {
        StatementKind::Expr(expr) => value(expr, found),
        StatementKind::Declare { initializer, .. } => {
            if let Some(init) = initializer {
                self::initializer(init, found);
            }
        }
        StatementKind::Block(list) => calls(list, found),
        StatementKind::If { condition, then, otherwise } => {
            value(condition, found);
            statement(then, found);
            if let Some(otherwise) = otherwise {
                statement(otherwise, found);
            }
        }
        StatementKind::While { condition, step, body, .. } => {
            condition.iter().chain(step).for_each(|expr| value(expr, found));
            statement(body, found);
        }
        StatementKind::DoWhile { body, condition, .. } => {
            statement(body, found);
            value(condition, found);
        }
        StatementKind::Switch { selector, body } => {
            value(selector, found);
            statement(body, found);
        }
        StatementKind::Return(result) => result.iter().for_each(|expr| value(expr, found)),
        StatementKind::Case { .. }
        | StatementKind::Label(_)
        | StatementKind::Goto(_)
        | StatementKind::Break
        | StatementKind::Continue => {}
    }
}

fn initializer(init: &HirInitializer, found: &mut Calls) {
    match init {
        HirInitializer::Value(expr) => value(expr, found),
        HirInitializer::Parts { parts, .. } => parts.iter().for_each(|part| value(&part.value, found)),
    }
}

fn place(it: &Place, found: &mut Calls) {
    match &it.kind {
        PlaceKind::Local(_) | PlaceKind::Global(_) => {}
        PlaceKind::Deref(pointer) => value(pointer, found),
        PlaceKind::Member(inner, _) | PlaceKind::Swizzle(inner, _) => place(inner, found),
        PlaceKind::MatrixElement(inner, index) => {
            place(inner, found);
            value(index, found);
        }
        PlaceKind::CompoundLiteral(_, init) => initializer(init, found),
    }
}

fn value(expr: &Expr, found: &mut Calls) {
    stacker::maybe_grow(128 << 10, 2 << 20, || value_inner(expr, found));
}

fn value_inner(expr: &Expr, found: &mut Calls) {
    match &expr.kind {
        Hir::Constant(_) => {}
        Hir::Load(it) | Hir::AddressOf(it) | Hir::Increment { target: it, .. } => place(it, found),
        Hir::Negate(a) | Hir::BitNot(a) | Hir::LogicalNot(a) => value(a, found),
        Hir::Convert { operand, .. } => value(operand, found),
        Hir::Arithmetic { left, right, .. }
        | Hir::Compare { left, right, .. }
        | Hir::Logical { left, right, .. }
        | Hir::PointerDifference { left, right }
        | Hir::Comma(left, right) => {
            value(left, found);
            value(right, found);
        }
        Hir::Conditional { condition, then, otherwise }
        | Hir::VectorSelect { condition, then, otherwise } => {
            value(condition, found);
            value(then, found);
            value(otherwise, found);
        }
        Hir::PointerAdd { pointer, index, .. } => {
            value(pointer, found);
            value(index, found);
        }
        Hir::Assign { target, value: new } | Hir::CompoundAssign { target, value: new, .. } => {
            place(target, found);
            value(new, found);
        }
        Hir::Block(block) => {
            if let Some(function) = block.function {
                found.functions.push((function, expr.span));
            }
        }
        Hir::Call { function, arguments } => {
            found.functions.push((*function, expr.span));
            arguments.iter().for_each(|argument| value(argument, found));
        }
        Hir::Builtin(call) => {
            if let Operation::Enqueue(crate::builtins::EnqueueFunction::Kernel(block)) = &call.operation {
                found.enqueued.push(block.function);
            }
            if is_for_groups(&call.operation) {
                found.barriers.push(expr.span);
            }
            call.arguments.iter().for_each(|argument| value(argument, found));
        }
        Hir::VectorLiteral(parts) => parts.iter().for_each(|part| value(part, found)),
        Hir::Swizzle { vector, .. } => value(vector, found),
        Hir::Shuffle { vectors, .. } => vectors.iter().for_each(|vector| value(vector, found)),
        Hir::Statements { statements, value: result } => {
            calls(statements, found);
            if let Some(result) = result {
                value(result, found);
            }
        }
        Hir::MemberOf { value: inner, .. } => value(inner, found),
    }
}
