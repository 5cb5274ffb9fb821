//! Operators (C99 §6.5.3 to §6.5.17, OpenCL C §6.5): everything above postfix expressions.
//!
//! Chains of operators are parsed by loops, not by recursion, however long they are.

use super::fault::Fault;
use super::initializers::initializer_list;
use super::primary::{arguments, postfix, primary};
use super::specifiers::starts_type_name;
use super::state::{Meaning, deeper, grow, nested, subtree};
use super::tokens::{at_punct, bump, eat, expect, expect_closer, here, peek, peek_at, refused};
use super::{In, Parsed, declarators};
use crate::Span;
use crate::ast::{BinaryOp, Expr, ExprKind, PrefixOp, TypeName, TypeSpecifier};
use crate::diagnostic::Diagnostic;
use crate::token::{Keyword, Punct, TokenKind};

/// `expression: assignment (',' assignment)*`
pub(super) fn expression(input: &mut In<'_, '_>) -> Parsed<Expr> {
    subtree(input, |input| {
        let mut left = assignment(input)?;
        while eat(input, Punct::Comma).is_some() {
            let right = assignment(input)?;
            grow(input)?;
            let span = left.span.to(right.span);
            left = Expr { kind: ExprKind::Comma(Box::new(left), Box::new(right)), span };
        }
        Ok(left)
    })
}

/// `assignment: conditional (assignment-operator assignment)?`; that the target can be assigned to is checked
/// later.
pub(super) fn assignment(input: &mut In<'_, '_>) -> Parsed<Expr> {
    deeper(input, |input| {
        let target = conditional(input)?;
        let Some(TokenKind::Punct(punct)) = peek(input) else { return Ok(target) };
        let Some(op) = assignment_operator(punct) else { return Ok(target) };
        let op_span = bump(input);
        let value = assignment(input)?;
        grow(input)?;
        let span = target.span.to(value.span);
        let (target, value) = (Box::new(target), Box::new(value));
        Ok(Expr { kind: ExprKind::Assign { op, op_span, target, value }, span })
    })
}

/// The operator of a compound assignment; `Some(None)` for `=`, `None` for other tokens.
fn assignment_operator(punct: Punct) -> Option<Option<BinaryOp>> {
    Some(match punct {
        Punct::Equal => None,
        Punct::StarEqual => Some(BinaryOp::Mul),
        Punct::SlashEqual => Some(BinaryOp::Div),
        Punct::PercentEqual => Some(BinaryOp::Rem),
        Punct::PlusEqual => Some(BinaryOp::Add),
        Punct::MinusEqual => Some(BinaryOp::Sub),
        Punct::ShiftLeftEqual => Some(BinaryOp::Shl),
        Punct::ShiftRightEqual => Some(BinaryOp::Shr),
        Punct::AndEqual => Some(BinaryOp::BitAnd),
        Punct::CaretEqual => Some(BinaryOp::BitXor),
        Punct::OrEqual => Some(BinaryOp::BitOr),
        _ => return None,
    })
}

/// `conditional: binary ('?' expression ':' conditional)?`
pub(super) fn conditional(input: &mut In<'_, '_>) -> Parsed<Expr> {
    subtree(input, |input| {
        let mut last = binary(input, 0)?;
        let mut links = Vec::new();
        while let Some(question) = eat(input, Punct::Question) {
            if at_punct(input, Punct::Colon) {
                return Err(refused(input, "the operator '?:' without a middle operand is"));
            }
            let then = expression(input)?;
            expect(input, Punct::Colon, "").map_err(|fault| {
                let diagnostic = Box::new(fault.diagnostic.related(question, "to match this '?'"));
                Fault { diagnostic, ..fault }
            })?;
            let next = binary(input, 0)?;
            links.push((std::mem::replace(&mut last, next), then));
        }
        while let Some((condition, then)) = links.pop() {
            grow(input)?;
            let span = condition.span.to(last.span);
            let (condition, then, otherwise) = (Box::new(condition), Box::new(then), Box::new(last));
            last = Expr { kind: ExprKind::Conditional { condition, then, otherwise }, span };
        }
        Ok(last)
    })
}

/// Precedence of a binary operator; all of them associate to the left (C99 §6.5.5 to §6.5.14).
fn precedence(op: BinaryOp) -> u8 {
    use BinaryOp as B;
    match op {
        B::LogicalOr => 1,
        B::LogicalAnd => 2,
        B::BitOr => 3,
        B::BitXor => 4,
        B::BitAnd => 5,
        B::Equal | B::NotEqual => 6,
        B::Less | B::Greater | B::LessEqual | B::GreaterEqual => 7,
        B::Shl | B::Shr => 8,
        B::Add | B::Sub => 9,
        B::Mul | B::Div | B::Rem => 10,
    }
}

/// `binary: unary (operator unary)*`, by precedence: the caller handles operators with a precedence below
/// `minimum`.
fn binary(input: &mut In<'_, '_>, minimum: u8) -> Parsed<Expr> {
    subtree(input, |input| {
        let mut left = unary(input)?;
        while let Some(op) = binary_operator(input)
            && precedence(op) >= minimum
        {
            let op_span = bump(input);
            let right = binary(input, precedence(op) + 1)?;
            grow(input)?;
            let span = left.span.to(right.span);
            let (first, second) = (Box::new(left), Box::new(right));
            left = Expr { kind: ExprKind::Binary { op, op_span, left: first, right: second }, span };
        }
        Ok(left)
    })
}

fn binary_operator(input: &mut In<'_, '_>) -> Option<BinaryOp> {
    match peek(input) {
        Some(TokenKind::Punct(punct)) => BinaryOp::from_punct(punct),
        _ => None,
    }
}

/// What may precede an operand.
enum Prefix {
    Operator(PrefixOp),
    Cast(TypeName),
    Sizeof,
    Alignof,
}

/// ```text
/// unary: (prefix-operator | 'sizeof' | 'alignof' | '(' type-name ')' | '__extension__')* operand
/// operand: postfix | ('sizeof' | 'alignof') '(' type-name ')'
/// ```
fn unary(input: &mut In<'_, '_>) -> Parsed<Expr> {
    subtree(input, |input| {
        let mut prefixes = Vec::new();
        let mut operand = loop {
            let place = here(input);
            if let Some(op) = prefix_operator(input)? {
                bump(input);
                prefixes.push((Prefix::Operator(op), place));
            } else if let Some(TokenKind::Keyword(keyword @ (Keyword::Sizeof | Keyword::Alignof))) =
                peek(input)
            {
                bump(input);
                let prefix = if keyword == Keyword::Sizeof { Prefix::Sizeof } else { Prefix::Alignof };
                if starts_type_name(input, 0) {
                    let what = keyword.text().trim_start_matches('_').trim_end_matches('_');
                    let message = format!("expected parentheses around type name in {what} expression");
                    let error = Diagnostic::error(here(input), message);
                    return Err(Fault::here(input, error));
                }
                if let Some(operand) = measured_type(input, place, &prefix)? {
                    break operand;
                }
                prefixes.push((prefix, place));
            } else if super::tokens::eat_keyword(input, Keyword::Extension).is_some() {
                // It only silences warnings.
            } else if at_punct(input, Punct::LeftParen) && starts_type_name(input, 1) {
                let ty = type_in_parentheses(input)?;
                if let Some(operand) = after_type(input, place, ty, &mut prefixes)? {
                    break operand;
                }
            } else {
                let operand = primary(input)?;
                break postfix(input, operand)?;
            }
        };
        while let Some((prefix, place)) = prefixes.pop() {
            grow(input)?;
            let span = place.to(operand.span);
            operand = Expr { kind: prefixed(prefix, Box::new(operand)), span };
        }
        Ok(operand)
    })
}

fn prefixed(prefix: Prefix, operand: Box<Expr>) -> ExprKind {
    match prefix {
        Prefix::Operator(op) => ExprKind::Prefix(op, operand),
        Prefix::Cast(ty) => ExprKind::Cast { ty: Box::new(ty), operand },
        Prefix::Sizeof => ExprKind::SizeofExpr(operand),
        Prefix::Alignof => ExprKind::AlignofExpr(operand),
    }
}

fn prefix_operator(input: &mut In<'_, '_>) -> Parsed<Option<PrefixOp>> {
    let Some(TokenKind::Punct(punct)) = peek(input) else { return Ok(None) };
    Ok(Some(match punct {
        Punct::Plus => PrefixOp::Plus,
        Punct::Minus => PrefixOp::Minus,
        Punct::Tilde => PrefixOp::BitNot,
        Punct::Exclaim => PrefixOp::LogicalNot,
        Punct::Star => PrefixOp::Dereference,
        Punct::Ampersand => PrefixOp::AddressOf,
        Punct::PlusPlus => PrefixOp::Increment,
        Punct::MinusMinus => PrefixOp::Decrement,
        Punct::AndAnd => return Err(refused(input, "the address of a label is")),
        _ => return Ok(None),
    }))
}

fn type_in_parentheses(input: &mut In<'_, '_>) -> Parsed<TypeName> {
    let opener = bump(input);
    let ty = declarators::type_name(input)?;
    expect_closer(input, Punct::RightParen, opener)?;
    Ok(ty)
}

/// `sizeof (type)` and `alignof (type)`, unless a compound literal follows.
fn measured_type(input: &mut In<'_, '_>, place: Span, prefix: &Prefix) -> Parsed<Option<Expr>> {
    if !at_punct(input, Punct::LeftParen) || !starts_type_name(input, 1) {
        return Ok(None);
    }
    let opener = here(input);
    let ty = type_in_parentheses(input)?;
    let closer = super::tokens::previous(input).map_or(place, |token| token.span);
    let span = place.to(closer);
    if at_punct(input, Punct::LeftBrace) {
        let literal = compound_literal(input, opener, ty)?;
        let operand = Box::new(postfix(input, literal)?);
        let span = place.to(operand.span);
        let kind = match prefix {
            Prefix::Sizeof => ExprKind::SizeofExpr(operand),
            _ => ExprKind::AlignofExpr(operand),
        };
        return Ok(Some(Expr { kind, span }));
    }
    let ty = Box::new(ty);
    let kind = match prefix {
        Prefix::Sizeof => ExprKind::SizeofType(ty),
        _ => ExprKind::AlignofType(ty),
    };
    Ok(Some(Expr { kind, span }))
}

/// What follows a type in parentheses: a compound literal, a vector literal, or the operand of a cast. A
/// vector literal (OpenCL C §6.3.6) is a primary expression, so postfix operators may follow it. A cast is
/// added to `prefixes`.
fn after_type(
    input: &mut In<'_, '_>,
    place: Span,
    ty: TypeName,
    prefixes: &mut Vec<(Prefix, Span)>,
) -> Parsed<Option<Expr>> {
    if at_punct(input, Punct::LeftBrace) {
        let literal = compound_literal(input, place, ty)?;
        return postfix(input, literal).map(Some);
    }
    let statements = peek_at(input, 1) == Some(TokenKind::Punct(Punct::LeftBrace));
    if !at_punct(input, Punct::LeftParen) || starts_type_name(input, 1) || statements {
        prefixes.push((Prefix::Cast(ty), place));
        return Ok(None);
    }
    let opener = here(input);
    let mut elements = arguments(input)?;
    let closer = super::tokens::previous(input).map_or(opener, |token| token.span);
    if elements.is_empty() {
        return Err(super::fault::expected(input, "expression"));
    }
    grow(input)?;
    if elements.len() > 1 || is_vector(input, &ty) {
        let kind = ExprKind::VectorLiteral { ty: Box::new(ty), elements };
        return postfix(input, Expr { kind, span: place.to(closer) }).map(Some);
    }
    prefixes.push((Prefix::Cast(ty), place));
    let inner = Box::new(elements.remove(0));
    let operand = Expr { kind: ExprKind::Paren(inner), span: opener.to(closer) };
    postfix(input, operand).map(Some)
}

fn is_vector(input: &mut In<'_, '_>, ty: &TypeName) -> bool {
    let TypeSpecifier::Named(name) = &ty.specifiers.ty else { return false };
    ty.declarator.derived.is_empty()
        && input.state().meaning(name.symbol) == Some(Meaning::Type { vector: true })
}

/// `'(' type-name ')' initializer-list`; the type was already read.
fn compound_literal(input: &mut In<'_, '_>, place: Span, ty: TypeName) -> Parsed<Expr> {
    let list = nested(input, initializer_list)?;
    let span = place.to(list.span);
    Ok(Expr { kind: ExprKind::CompoundLiteral { ty: Box::new(ty), list }, span })
}
