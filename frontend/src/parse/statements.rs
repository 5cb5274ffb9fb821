//! Statements (C99 §6.8).

use super::attributes::attributes;
use super::declarations::{declaration, static_assert};
use super::expressions::{conditional, expression};
use super::fault::{self, Fault};
use super::recovery::{Part, recover, recover_group};
use super::specifiers::starts_declaration;
use super::state::{deeper, grow, in_scope};
use super::tokens::{
    after_punct, at_keyword, at_punct, bump, eat, eat_keyword, expect, expect_closer, here, identifier,
    index, keyword, parenthesised, peek, peek_at, peek_identifier, punct, refused, span_since,
};
use super::{In, Parsed, Production};
use crate::Span;
use crate::ast::{Attribute, Block, Expr, Name, Statement, StatementKind};
use crate::diagnostic::Diagnostic;
use crate::token::{Keyword, Punct, TokenKind};
use chumsky::prelude::*;

/// The position of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Position {
    /// In a block, where declarations may also appear.
    Block,
    /// As the body of another statement.
    Body,
}

/// `block: '{' (statement | declaration)* '}'`
pub(super) fn block(input: &mut In<'_, '_>) -> Parsed<Block> {
    let start = index(input);
    let opener = expect(input, Punct::LeftBrace, "")?;
    let statements = in_scope(input, |input| {
        let mut statements = Vec::new();
        while !at_punct(input, Punct::RightBrace) && peek(input).is_some() {
            statements.extend(recover(input, Part::Statement, |input| statement(input, Position::Block)));
        }
        Ok(statements)
    })?;
    expect_closer(input, Punct::RightBrace, opener)?;
    Ok(Block { statements, span: span_since(input, start) })
}

/// The body of a loop, branch or label. Pragmas before it are put into a block with it, so that they do not
/// become the body.
fn body(input: &mut In<'_, '_>) -> Parsed<Statement> {
    let start = index(input);
    let mut statements = Vec::new();
    loop {
        let is_pragma = matches!(peek(input), Some(TokenKind::Pragma(_)));
        statements.push(statement(input, Position::Body)?);
        if !is_pragma {
            break;
        }
    }
    if let [_] = statements.as_slice()
        && let Some(only) = statements.pop()
    {
        return Ok(only);
    }
    let span = span_since(input, start);
    let kind = StatementKind::Block(Block { statements, span });
    Ok(Statement { kind, attributes: Vec::new(), span })
}

/// ```text
/// statement: attributes
///     (labelled | block | expression? ';' | selection | iteration | jump | pragma | declaration)
/// ```
fn statement(input: &mut In<'_, '_>, position: Position) -> Parsed<Statement> {
    deeper(input, |input| {
        let start = index(input);
        let mut attributes = attributes(input)?;
        if let Some(fault) = fault::foreign(input) {
            return Err(fault);
        }
        let kind = match peek(input) {
            Some(TokenKind::Punct(Punct::LeftBrace)) => StatementKind::Block(block(input)?),
            Some(TokenKind::Punct(Punct::Semicolon)) => {
                bump(input);
                StatementKind::Empty
            }
            Some(TokenKind::Pragma(pragma)) => {
                bump(input);
                StatementKind::Pragma(pragma)
            }
            Some(TokenKind::Keyword(keyword)) if is_label_keyword(keyword) => {
                return labelled(input, position, attributes);
            }
            Some(TokenKind::Identifier(_)) if peek_at(input, 1) == Some(TokenKind::Punct(Punct::Colon)) => {
                return labelled(input, position, attributes);
            }
            Some(TokenKind::Keyword(Keyword::If)) => return if_chain(input, attributes),
            Some(TokenKind::Keyword(keyword)) if starts_control(keyword) => control(input, keyword)?,
            _ if declares(input) || at_keyword(input, Keyword::StaticAssert) => {
                declaration_statement(input, position, std::mem::take(&mut attributes))?
            }
            _ => expression_statement(input)?,
        };
        grow(input)?;
        Ok(Statement { kind, attributes, span: span_since(input, start) })
    })
}

fn is_label_keyword(keyword: Keyword) -> bool {
    matches!(keyword, Keyword::Case | Keyword::Default)
}

fn starts_control(keyword: Keyword) -> bool {
    use Keyword as K;
    matches!(
        keyword,
        K::While
            | K::Do
            | K::For
            | K::Switch
            | K::Goto
            | K::Break
            | K::Continue
            | K::Return
            | K::Asm
            | K::Else
    )
}

/// Loops, `switch` and jumps.
fn control(input: &mut In<'_, '_>, keyword: Keyword) -> Parsed<StatementKind> {
    match keyword {
        Keyword::While => while_statement(input),
        Keyword::Do => do_statement(input),
        Keyword::For => for_statement(input),
        Keyword::Switch => switch_statement(input),
        Keyword::Goto => goto_statement(input),
        Keyword::Break => jump(input, "after break statement", StatementKind::Break),
        Keyword::Continue => jump(input, "after continue statement", StatementKind::Continue),
        Keyword::Return => return_statement(input),
        Keyword::Asm => Err(refused(input, "inline assembly is")),
        _ => {
            let error = Diagnostic::error(here(input), "'else' without a previous 'if'");
            let at = index(input);
            let block = input.state().block_of_if(at);
            let text = "this block is still open: is its '}' missing?";
            Err(Fault::here(input, block.map_or(error.clone(), |block| error.related(block, text))))
        }
    }
}

/// Whether a declaration starts here, even one with an unknown type.
fn declares(input: &mut In<'_, '_>) -> bool {
    if starts_declaration(input) {
        return true;
    }
    let Some(symbol) = peek_identifier(input) else { return false };
    let names = matches!(peek_at(input, 1), Some(TokenKind::Identifier(_)))
        || super::specifiers::starts_type_name(input, 1);
    names && input.state().meaning(symbol).is_none()
}

/// A declaration in a block (C99 §6.8.2).
fn declaration_statement(
    input: &mut In<'_, '_>,
    position: Position,
    attributes: Vec<Attribute>,
) -> Parsed<StatementKind> {
    if position == Position::Body {
        let error = Diagnostic::error(here(input), "expected statement, found a declaration");
        return Err(Fault::here(input, error.note("put the declaration into braces")));
    }
    if at_keyword(input, Keyword::StaticAssert) {
        return static_assert(input).map(StatementKind::StaticAssert);
    }
    declaration(input, attributes).map(StatementKind::Declaration)
}

/// `expression ';'`
fn expression_statement(input: &mut In<'_, '_>) -> Parsed<StatementKind> {
    let value = expression(input)?;
    semicolon(input, "after expression")?;
    Ok(StatementKind::Expr(value))
}

/// The semicolon at the end of a statement or declaration. If it is missing and the next statement seems to
/// follow, this is reported, and parsing continues as if it were there.
pub(super) fn semicolon(input: &mut In<'_, '_>, context: &str) -> Parsed<()> {
    if eat(input, Punct::Semicolon).is_some() {
        return Ok(());
    }
    let fault = fault::missing(input, &format!("';' {context}"));
    let next_follows = match peek(input) {
        Some(TokenKind::Keyword(_) | TokenKind::Pragma(_)) | None => true,
        Some(TokenKind::Punct(punct)) => punct == Punct::RightBrace,
        Some(TokenKind::Identifier(symbol)) => {
            input.state().is_type(symbol)
                || matches!(peek_at(input, 1), Some(TokenKind::Punct(punct)) if follows_start(punct))
        }
        _ => false,
    };
    if !next_follows {
        return Err(fault);
    }
    input.state().report(fault);
    Ok(())
}

/// Whether this token often follows the first identifier of a statement.
fn follows_start(punct: Punct) -> bool {
    use Punct as P;
    matches!(
        punct,
        P::Equal
            | P::PlusEqual
            | P::MinusEqual
            | P::StarEqual
            | P::SlashEqual
            | P::PercentEqual
            | P::AndEqual
    ) || matches!(
        punct,
        P::OrEqual | P::CaretEqual | P::ShiftLeftEqual | P::ShiftRightEqual | P::LeftParen | P::LeftBracket
    ) || matches!(punct, P::Dot | P::Arrow | P::PlusPlus | P::MinusMinus | P::Colon)
}

/// A label, `case` or `default`.
enum Label {
    Case(Expr, Option<Expr>),
    Default,
    Name(Name),
}

/// ```text
/// labelled: label+ statement?
/// label: identifier ':' | 'case' conditional-expression ('...' conditional-expression)? ':' | 'default' ':'
/// ```
/// The statement may be missing at the end of a block.
fn labelled(input: &mut In<'_, '_>, position: Position, mut attributes: Vec<Attribute>) -> Parsed<Statement> {
    let mut labels = Vec::new();
    while let Some((label, span)) = label(input)? {
        labels.push((label, span, std::mem::take(&mut attributes)));
    }
    // A label before a declaration, which C23 allows, labels an empty statement.
    let labels_nothing = at_punct(input, Punct::RightBrace) || position == Position::Block && declares(input);
    let mut statement = if labels_nothing {
        Statement { kind: StatementKind::Empty, attributes: Vec::new(), span: empty_here(input) }
    } else {
        body(input)?
    };
    while let Some((label, place, attributes)) = labels.pop() {
        grow(input)?;
        let span = place.to(statement.span);
        let body = Box::new(statement);
        let kind = match label {
            Label::Case(value, high) => StatementKind::Case { value, high, body },
            Label::Default => StatementKind::Default { body },
            Label::Name(name) => StatementKind::Label { name, body },
        };
        statement = Statement { kind, attributes, span };
    }
    Ok(statement)
}

fn empty_here(input: &mut In<'_, '_>) -> Span {
    let at = index(input);
    span_since(input, at)
}

/// One label with its colon, if there is one.
fn label(input: &mut In<'_, '_>) -> Parsed<Option<(Label, Span)>> {
    let start = index(input);
    let label = match peek(input) {
        Some(TokenKind::Keyword(Keyword::Case)) => {
            bump(input);
            let value = conditional(input)?;
            let high = input.parse(after_punct(Punct::Ellipsis, custom(conditional)))?;
            expect(input, Punct::Colon, "after 'case'")?;
            Label::Case(value, high)
        }
        Some(TokenKind::Keyword(Keyword::Default)) => {
            bump(input);
            expect(input, Punct::Colon, "after 'default'")?;
            Label::Default
        }
        Some(TokenKind::Identifier(_)) if peek_at(input, 1) == Some(TokenKind::Punct(Punct::Colon)) => {
            let name = identifier(input)?;
            bump(input);
            Label::Name(name)
        }
        _ => return Ok(None),
    };
    Ok(Some((label, span_since(input, start))))
}

/// `if: 'if' '(' expression ')' statement ('else' statement)?`, where a chain of `else if` is a loop.
fn if_chain(input: &mut In<'_, '_>, mut attributes: Vec<Attribute>) -> Parsed<Statement> {
    let mut links = Vec::new();
    let mut otherwise = None;
    while at_keyword(input, Keyword::If) {
        let place = here(input);
        let head = keyword(Keyword::If).ignore_then(condition("after 'if'"));
        let (condition, then) = input.parse(head.then(custom(body)))?;
        links.push((place, condition, then));
        if eat_keyword(input, Keyword::Else).is_none() {
            break;
        }
        if !at_keyword(input, Keyword::If) {
            // What follows an `else` without `if` is not part of the chain, even if it is another `if`.
            otherwise = Some(Box::new(body(input)?));
            break;
        }
    }
    let mut chain = None;
    while let Some((place, condition, then)) = links.pop() {
        grow(input)?;
        let end = otherwise.as_ref().map_or(then.span, |statement| statement.span);
        let kind = StatementKind::If { condition, then: Box::new(then), otherwise: otherwise.take() };
        let attributes = if links.is_empty() { std::mem::take(&mut attributes) } else { Vec::new() };
        let statement = Statement { kind, attributes, span: place.to(end) };
        if links.is_empty() {
            chain = Some(statement);
        } else {
            otherwise = Some(Box::new(statement));
        }
    }
    Ok(chain.expect("an 'if' stands at the start of the chain"))
}

/// `'(' expression ')'`
fn condition<'s>(context: &'static str) -> impl Production<'s, Expr> {
    parenthesised(context, custom(expression))
}

/// `'while' '(' expression ')' statement`
fn while_statement(input: &mut In<'_, '_>) -> Parsed<StatementKind> {
    let head = keyword(Keyword::While).ignore_then(condition("after 'while'"));
    input.parse(
        head.then(custom(body))
            .map(|(condition, body)| StatementKind::While { condition, body: Box::new(body) }),
    )
}

/// `'do' statement 'while' '(' expression ')' ';'`
fn do_statement(input: &mut In<'_, '_>) -> Parsed<StatementKind> {
    let tail = keyword(Keyword::While).ignore_then(condition("after 'while'"));
    let end = custom(|input: &mut In<'_, '_>| semicolon(input, "after do/while statement"));
    input.parse(
        keyword(Keyword::Do)
            .ignore_then(custom(body))
            .then(tail)
            .then_ignore(end)
            .map(|(body, condition)| StatementKind::DoWhile { body: Box::new(body), condition }),
    )
}

/// `'for' '(' (declaration | expression? ';') expression? ';' expression? ')' statement`
fn for_statement(input: &mut In<'_, '_>) -> Parsed<StatementKind> {
    // Names that the header declares are in scope in the header and in the body.
    in_scope(input, |input| {
        bump(input);
        let header = custom(for_init)
            .then(expression_before(Punct::Semicolon))
            .then_ignore(punct(Punct::Semicolon, "in 'for' statement specifier"))
            .then(expression_before(Punct::RightParen));
        let header = recover_group(input, |input| input.parse(parenthesised("after 'for'", &header)))?;
        let ((init, condition), step) = header.unwrap_or_default();
        let body = Box::new(body(input)?);
        Ok(StatementKind::For { init: init.map(Box::new), condition, step, body })
    })
}

/// The first part of a `for`, with its semicolon.
fn for_init(input: &mut In<'_, '_>) -> Parsed<Option<Statement>> {
    let start = index(input);
    if eat(input, Punct::Semicolon).is_some() {
        return Ok(None);
    }
    let kind = if declares(input) {
        StatementKind::Declaration(declaration(input, Vec::new())?)
    } else {
        let value = expression(input)?;
        expect(input, Punct::Semicolon, "in 'for' statement specifier")?;
        StatementKind::Expr(value)
    };
    Ok(Some(Statement { kind, attributes: Vec::new(), span: span_since(input, start) }))
}

/// An expression, unless `end` is next.
fn expression_before<'s>(end: Punct) -> impl Production<'s, Option<Expr>> {
    custom(move |input: &mut In<'s, '_>| match at_punct(input, end) {
        true => Ok(None),
        false => expression(input).map(Some),
    })
}

/// `'switch' '(' expression ')' statement`
fn switch_statement(input: &mut In<'_, '_>) -> Parsed<StatementKind> {
    let head = keyword(Keyword::Switch).ignore_then(condition("after 'switch'"));
    input.parse(
        head.then(custom(body))
            .map(|(selector, body)| StatementKind::Switch { selector, body: Box::new(body) }),
    )
}

/// `'goto' identifier ';'`
fn goto_statement(input: &mut In<'_, '_>) -> Parsed<StatementKind> {
    bump(input);
    if at_punct(input, Punct::Star) {
        let fault = refused(input, "a computed 'goto' is");
        input.state().report(fault);
        bump(input);
        expression(input)?;
        semicolon(input, "after goto statement")?;
        return Ok(StatementKind::Empty);
    }
    let name = identifier(input)?;
    semicolon(input, "after goto statement")?;
    Ok(StatementKind::Goto(name))
}

/// `'return' expression? ';'`
fn return_statement(input: &mut In<'_, '_>) -> Parsed<StatementKind> {
    let end = custom(|input: &mut In<'_, '_>| semicolon(input, "after return statement"));
    input.parse(
        keyword(Keyword::Return)
            .ignore_then(expression_before(Punct::Semicolon))
            .then_ignore(end)
            .map(StatementKind::Return),
    )
}

/// A keyword and a semicolon.
fn jump(input: &mut In<'_, '_>, context: &str, kind: StatementKind) -> Parsed<StatementKind> {
    bump(input);
    semicolon(input, context)?;
    Ok(kind)
}
