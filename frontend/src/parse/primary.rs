//! Primary and postfix expressions (C99 §6.5.1, §6.5.2, OpenCL C §6.14).

use super::declarators::type_name;
use super::expressions::{assignment, expression};
use super::fault::{self, Fault};
use super::parameters::parameters;
use super::specifiers::{starts_declaration, starts_type_name};
use super::state::{Meaning, grow, in_scope};
use super::tokens::{
    at_punct, bump, eat, expect_closer, here, identifier, index, list, peek, peek_at, span_since,
};
use super::{In, Parsed, statements};
use crate::ast::{BuiltinArgument, Derived, Designator, Expr, ExprKind, Parameters};
use crate::diagnostic::Diagnostic;
use crate::symbol::Symbol;
use crate::token::{Punct, Token, TokenKind};
use chumsky::prelude::*;

/// `primary: identifier | constant | string-literal+ | '(' expression ')' | block-literal | vec-step`
pub(super) fn primary(input: &mut In<'_, '_>) -> Parsed<Expr> {
    let Some(Token { kind, span }) = input.peek() else { return Err(fault::expected(input, "expression")) };
    let kind = match kind {
        TokenKind::Identifier(symbol) => return name(input, symbol),
        TokenKind::Int(value, suffix) => ExprKind::Int(value, suffix),
        TokenKind::Float(value, suffix, spelling) => ExprKind::Float(value, suffix, spelling),
        TokenKind::Char(value) => ExprKind::Char(value),
        TokenKind::Str(_) => {
            let start = index(input);
            let kind = ExprKind::Str(string(input));
            return Ok(Expr { kind, span: span_since(input, start) });
        }
        TokenKind::Punct(Punct::LeftParen) => return parenthesised(input),
        TokenKind::Punct(Punct::Caret) => return block_literal(input),
        TokenKind::Punct(_) | TokenKind::Keyword(_) | TokenKind::Pragma(_) | TokenKind::Suffix(..) => {
            return Err(fault::expected(input, "expression"));
        }
    };
    bump(input);
    Ok(Expr { kind, span })
}

/// An identifier that is a variable, function or enumerator, not a type; or `vec_step`.
fn name(input: &mut In<'_, '_>, symbol: Symbol) -> Parsed<Expr> {
    let place = here(input);
    let meaning = input.state().meaning(symbol);
    let before_parenthesis = peek_at(input, 1) == Some(TokenKind::Punct(Punct::LeftParen));
    if symbol == input.state().vec_step && meaning.is_none() && before_parenthesis {
        return vec_step(input);
    }
    if meaning.is_none() && before_parenthesis {
        let text = input.state().interner().text(symbol);
        if text.starts_with("__builtin_") {
            return compiler_builtin(input, text == "__builtin_offsetof");
        }
    }
    if let Some(Meaning::Type { vector }) = meaning {
        let name = input.state().interner().text(symbol);
        let mut error =
            Diagnostic::error(place, format!("unexpected type name '{name}': expected expression"));
        if vector && before_parenthesis {
            error = error.note(format!("a vector literal is written '({name})(...)'"));
        }
        return Err(Fault::here(input, error));
    }
    if let (None, Some(follows)) = (meaning, peek_at(input, 1))
        && let Some(fault) = foreign_operator(input, symbol, follows)
    {
        return Err(fault);
    }
    bump(input);
    Ok(Expr { kind: ExprKind::Identifier(symbol), span: place })
}

/// `new`, `delete` and C++ casts, recognised by what follows.
fn foreign_operator(input: &mut In<'_, '_>, symbol: Symbol, follows: TokenKind) -> Option<Fault> {
    let name = input.state().interner().text(symbol);
    let found = match name {
        "new" | "delete" | "throw" => {
            matches!(follows, TokenKind::Identifier(_) | TokenKind::Keyword(_))
        }
        "static_cast" | "reinterpret_cast" | "const_cast" | "dynamic_cast" => {
            follows == TokenKind::Punct(Punct::Less)
        }
        _ => false,
    };
    if !found {
        return None;
    }
    let remark = crate::foreign::remark(name)?;
    let mut error = Diagnostic::error(here(input), remark);
    if follows == TokenKind::Punct(Punct::Less) {
        error = error.note("a cast is written '(type)value', or as_type(value) to keep the bits");
    }
    Some(Fault::here(input, error))
}

/// `'vec_step' '(' (type-name | assignment-expression) ')'` (OpenCL C §6.15.13)
fn vec_step(input: &mut In<'_, '_>) -> Parsed<Expr> {
    let start = index(input);
    bump(input);
    let opener = bump(input);
    let kind = if starts_type_name(input, 0) {
        ExprKind::VecStepType(Box::new(type_name(input)?))
    } else {
        ExprKind::VecStepExpr(Box::new(assignment(input)?))
    };
    expect_closer(input, Punct::RightParen, opener)?;
    grow(input)?;
    Ok(Expr { kind, span: span_since(input, start) })
}

/// ```text
/// compiler-builtin: '__builtin_…' '(' (type-name | assignment-expression) (',' …)* ')'
/// offsetof: '__builtin_offsetof' '(' type-name ',' identifier ('.' identifier | '[' expression ']')* ')'
/// ```
fn compiler_builtin(input: &mut In<'_, '_>, is_offsetof: bool) -> Parsed<Expr> {
    let start = index(input);
    let name = identifier(input)?;
    let opener = bump(input);
    let mut arguments = Vec::new();
    while !at_punct(input, Punct::RightParen) {
        arguments.push(if is_offsetof && arguments.len() == 1 {
            BuiltinArgument::Member(member_designators(input)?)
        } else if starts_type_name(input, 0) {
            BuiltinArgument::Type(type_name(input)?)
        } else {
            BuiltinArgument::Expr(assignment(input)?)
        });
        if eat(input, Punct::Comma).is_none() {
            break;
        }
    }
    expect_closer(input, Punct::RightParen, opener)?;
    grow(input)?;
    Ok(Expr { kind: ExprKind::CompilerBuiltin { name, arguments }, span: span_since(input, start) })
}

/// `identifier ('.' identifier | '[' expression ']')*`
fn member_designators(input: &mut In<'_, '_>) -> Parsed<Vec<Designator>> {
    let mut designators = vec![Designator::Member(identifier(input)?)];
    loop {
        if eat(input, Punct::Dot).is_some() {
            designators.push(Designator::Member(identifier(input)?));
        } else if at_punct(input, Punct::LeftBracket) {
            let opener = bump(input);
            designators.push(Designator::Index(expression(input)?));
            expect_closer(input, Punct::RightBracket, opener)?;
        } else {
            return Ok(designators);
        }
        grow(input)?;
    }
}

/// The concatenated bytes of adjacent string literals (C99 §6.4.5).
pub(super) fn string(input: &mut In<'_, '_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    while let Some(TokenKind::Str(text)) = peek(input) {
        bump(input);
        // Each character of a decoded literal represents one byte.
        bytes.extend(input.state().interner().text(text).chars().map(|character| character as u32 as u8));
    }
    bytes
}

/// `'(' (expression | block) ')'`; the latter comes from GNU C.
fn parenthesised(input: &mut In<'_, '_>) -> Parsed<Expr> {
    let start = index(input);
    let opener = bump(input);
    if at_punct(input, Punct::LeftBrace) {
        let block = super::state::nested(input, statements::block)?;
        expect_closer(input, Punct::RightParen, opener)?;
        grow(input)?;
        return Ok(Expr { kind: ExprKind::Statements(block), span: span_since(input, start) });
    }
    let inner = Box::new(expression(input)?);
    expect_closer(input, Punct::RightParen, opener)?;
    grow(input)?;
    Ok(Expr { kind: ExprKind::Paren(inner), span: span_since(input, start) })
}

/// `block-literal: '^' (type-name | parameters)? block`; the type name is a function type or only its result.
fn block_literal(input: &mut In<'_, '_>) -> Parsed<Expr> {
    let start = index(input);
    bump(input);
    let (mut result, mut parameters) = (None, None);
    if starts_declaration(input) {
        let mut ty = type_name(input)?;
        if let Some(Derived::Function(_)) = ty.declarator.derived.first()
            && let Derived::Function(found) = ty.declarator.derived.remove(0)
        {
            parameters = Some(found);
        }
        result = Some(Box::new(ty));
    } else if at_punct(input, Punct::LeftParen) {
        parameters = Some(self::parameters(input)?);
    }
    let body = in_scope(input, |input| {
        parameters.iter().for_each(|parameters| declare_parameters(input, parameters));
        super::state::nested(input, statements::block)
    })?;
    Ok(Expr { kind: ExprKind::BlockLiteral { result, parameters, body }, span: span_since(input, start) })
}

/// Declares the parameters in the scope of the body.
pub(super) fn declare_parameters(input: &mut In<'_, '_>, parameters: &Parameters) {
    for name in parameters.params.iter().filter_map(|parameter| parameter.declarator.name) {
        input.state().declare(name.symbol, Meaning::Ordinary);
    }
}

/// `postfix: primary ('[' expression ']' | arguments | '.' identifier | '->' identifier | '++' | '--')*`,
/// with the primary expression given.
pub(super) fn postfix(input: &mut In<'_, '_>, mut operand: Expr) -> Parsed<Expr> {
    loop {
        let Some(TokenKind::Punct(punct)) = peek(input) else { return Ok(operand) };
        let base = operand.span;
        let kind = match punct {
            Punct::LeftBracket => {
                let opener = bump(input);
                let index = Box::new(expression(input)?);
                expect_closer(input, Punct::RightBracket, opener)?;
                ExprKind::Index { base: Box::new(operand), index }
            }
            Punct::LeftParen => {
                let arguments = arguments(input)?;
                ExprKind::Call { callee: Box::new(operand), arguments }
            }
            Punct::Dot | Punct::Arrow => {
                bump(input);
                let name = identifier(input)?;
                ExprKind::Member { base: Box::new(operand), name, arrow: punct == Punct::Arrow }
            }
            Punct::PlusPlus | Punct::MinusMinus => {
                bump(input);
                ExprKind::Postfix { increment: punct == Punct::PlusPlus, operand: Box::new(operand) }
            }
            _ => return Ok(operand),
        };
        grow(input)?;
        let end = super::tokens::previous(input).map_or(base, |token| token.span);
        operand = Expr { kind, span: base.to(end) };
    }
}

/// `arguments: '(' (assignment-expression (',' assignment-expression)*)? ')'`
pub(super) fn arguments(input: &mut In<'_, '_>) -> Parsed<Vec<Expr>> {
    let opener = bump(input);
    let mut arguments = Vec::new();
    if eat(input, Punct::RightParen).is_some() {
        return Ok(arguments);
    }
    arguments.extend(input.parse(list(custom(assignment)))?);
    expect_closer(input, Punct::RightParen, opener)?;
    Ok(arguments)
}
