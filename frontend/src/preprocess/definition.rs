//! Macro definitions (C99 §6.10.3), parsed once into a form that substitution can walk without lookups.

use super::pp_token::{PpKind, PpToken};
use crate::Span;
use crate::diagnostic::{Diagnostic, shorten};
use crate::symbol::{Interner, Symbol};
use crate::token::Punct;

/// A macro.
#[derive(Debug)]
pub(super) struct Macro {
    pub name: Symbol,
    /// The place of the name in the definition.
    pub name_span: Span,
    /// The parameters of a function-like macro; the last one takes the variable arguments if `variadic`.
    pub parameters: Option<Vec<Symbol>>,
    pub variadic: bool,
    pub body: Vec<BodyToken>,
    /// Whether `##` is in the body.
    pub pastes: bool,
    /// Its index in the source map; `None` for the language's macros, whose tokens get the place of the
    /// macro's use.
    pub source_index: Option<u32>,
}

/// A token of a replacement list.
#[derive(Clone, Copy, Debug)]
pub(super) struct BodyToken {
    /// For a stringified parameter, the parameter with the flags of its `#`.
    pub token: PpToken,
    /// Index of the parameter that it names.
    pub parameter: Option<u32>,
    /// Whether `#` precedes it.
    pub stringify: bool,
    /// Whether `##` follows it.
    pub paste_next: bool,
    /// Set for `__VA_OPT__`: the number of the following tokens that are its content.
    pub optional: Option<u32>,
}

impl Macro {
    /// The range of the body in the file.
    pub fn body_span(&self) -> Span {
        let span = |token: &BodyToken| token.token.span;
        match (self.body.first(), self.body.last()) {
            (Some(first), Some(last)) => Span::new(span(first).start, span(last).end),
            _ => self.name_span,
        }
    }

    /// Whether another definition is identical in the sense of C99 §6.10.3p1.
    pub fn is_same(&self, other: &Macro) -> bool {
        self.parameters == other.parameters
            && self.variadic == other.variadic
            && self.body.len() == other.body.len()
            && self.body.iter().zip(&other.body).enumerate().all(|(index, (left, right))| {
                left.token.kind == right.token.kind
                    && left.stringify == right.stringify
                    && left.paste_next == right.paste_next
                    && left.optional == right.optional
                    && (index == 0 || left.token.flags.space == right.token.flags.space)
            })
    }
}

/// Parses the rest of a `#define`: name, parameters, replacement. `variable_arguments` is the symbol
/// `__VA_ARGS__`.
pub(super) fn parse(
    line: &[PpToken],
    end: Span,
    variable_arguments: Symbol,
    interner: &Interner,
) -> Result<Macro, Diagnostic> {
    let Some((name_token, rest)) = line.split_first() else {
        return Err(Diagnostic::error(end, "macro name missing"));
    };
    let Some(name) = name_token.identifier() else {
        return Err(Diagnostic::error(name_token.span, "macro name must be an identifier"));
    };
    if name == variable_arguments || interner.text(name) == "defined" {
        let message = format!("'{}' cannot be defined as a macro", interner.text(name));
        return Err(Diagnostic::error(name_token.span, message));
    }
    let is_function = rest.first().is_some_and(|token| token.is(Punct::LeftParen) && !token.flags.space);
    let (parameters, body) = if is_function {
        let (parameters, body) = parse_parameters(&rest[1..], end, variable_arguments)?;
        (Some(parameters), body)
    } else {
        (None, rest)
    };
    let (parameters, variadic) = parameters.map_or((None, false), |list| (Some(list.names), list.variadic));
    let c99_variadic =
        variadic && parameters.as_ref().is_some_and(|list| list.last() == Some(&variable_arguments));
    if !c99_variadic
        && let Some(misused) = body.iter().find(|token| token.identifier() == Some(variable_arguments))
    {
        let message = "'__VA_ARGS__' can only appear in the replacement of a macro with '...'";
        return Err(Diagnostic::error(misused.span, message));
    }
    let variable = if c99_variadic { Some(interner) } else { None };
    let body = parse_body(body, parameters.as_deref(), variable)?;
    let pastes = body.iter().any(|token| token.paste_next);
    let name_span = name_token.span;
    Ok(Macro { name, name_span, parameters, variadic, body, pastes, source_index: None })
}

struct Parameters {
    names: Vec<Symbol>,
    variadic: bool,
}

/// Parses from after the `(`; also returns the tokens after the `)`.
fn parse_parameters(
    line: &[PpToken],
    end: Span,
    variable_arguments: Symbol,
) -> Result<(Parameters, &[PpToken]), Diagnostic> {
    let mut list = Parameters { names: Vec::new(), variadic: false };
    let at = |index: usize| line.get(index).copied().unwrap_or(PpToken::end(end.start));
    let mut index = 0;
    if at(0).is(Punct::RightParen) {
        return Ok((list, &line[1..]));
    }
    loop {
        let token = at(index);
        if token.is(Punct::Ellipsis) {
            (list.variadic, index) = (true, index + 1);
            list.names.push(variable_arguments);
        } else if let Some(name) = token.identifier() {
            if list.names.contains(&name) {
                return Err(Diagnostic::error(token.span, "two parameters of this macro have the same name"));
            }
            list.names.push(name);
            index += 1;
            if at(index).is(Punct::Ellipsis) {
                (list.variadic, index) = (true, index + 1);
            }
        } else {
            return Err(Diagnostic::error(
                token.span,
                "expected a parameter name in the macro's parameter list",
            ));
        }
        let separator = at(index);
        index += 1;
        if separator.is(Punct::RightParen) {
            return Ok((list, &line[index..]));
        }
        if !separator.is(Punct::Comma) || list.variadic {
            let expected = if list.variadic { "')'" } else { "',' or ')'" };
            let message = format!("expected {expected} in the macro's parameter list");
            return Err(Diagnostic::error(separator.span, message));
        }
        if list.names.len() > crate::limits::NESTING * 16 {
            return Err(Diagnostic::error(token.span, "too many macro parameters"));
        }
    }
}

/// Parses the replacement list. `variable` is set if the macro has `__VA_ARGS__`, so that `__VA_OPT__` has a
/// meaning.
fn parse_body(
    line: &[PpToken],
    parameters: Option<&[Symbol]>,
    variable: Option<&Interner>,
) -> Result<Vec<BodyToken>, Diagnostic> {
    let parameter = |token: &PpToken| {
        let name = token.identifier()?;
        parameters?.iter().position(|&parameter| parameter == name).map(|index| index as u32)
    };
    let mut body: Vec<BodyToken> = Vec::with_capacity(line.len());
    let mut optional: Option<OptionalPart> = None;
    let mut index = 0;
    while let Some(token) = line.get(index) {
        index += 1;
        let mut item =
            BodyToken { token: *token, parameter: None, stringify: false, paste_next: false, optional: None };
        if optional.as_mut().is_some_and(|part| part.closes(token)) {
            let OptionalPart { opener, .. } = optional.take().expect("it was looked at");
            let count = body.len() - opener - 1;
            body[opener].optional = Some(count as u32);
            // If `##` follows the `)`, it applies to the whole part.
            body[opener].paste_next = line.get(index).is_some_and(|next| next.is(Punct::HashHash));
            if body[opener].paste_next {
                index += 1;
                check_paste(line, index, token)?;
            }
        } else if token.is(Punct::HashHash) {
            let is_first = optional.as_ref().is_some_and(|part| part.opener + 1 == body.len());
            let ends_part =
                optional.is_some() && line.get(index).is_some_and(|next| next.is(Punct::RightParen));
            let (Some(left), false, false) = (body.last_mut(), is_first, ends_part) else {
                return Err(misplaced_paste(token));
            };
            check_paste(line, index, token)?;
            left.paste_next = true;
        } else if token.is(Punct::Hash) && parameters.is_some() {
            let operand = line.get(index);
            index += 1;
            let (Some(operand), Some(parameter)) = (operand, operand.and_then(parameter)) else {
                return Err(Diagnostic::error(token.span, "'#' is not followed by a macro parameter"));
            };
            item.token = PpToken { flags: token.flags, ..*operand };
            item.parameter = Some(parameter);
            item.stringify = true;
            body.push(item);
        } else if is_optional(token, variable) {
            if optional.is_some() {
                return Err(Diagnostic::error(token.span, "'__VA_OPT__' cannot appear within '__VA_OPT__'"));
            }
            if !line.get(index).is_some_and(|next| next.is(Punct::LeftParen)) {
                return Err(Diagnostic::error(token.span, "'__VA_OPT__' is not followed by '('"));
            }
            index += 1;
            optional = Some(OptionalPart { opener: body.len(), depth: 0, span: token.span });
            body.push(item);
        } else {
            item.parameter = parameter(token);
            body.push(item);
        }
    }
    match optional {
        Some(part) => Err(Diagnostic::error(part.span, "'__VA_OPT__ (' has no ')'")),
        None => Ok(body),
    }
}

/// The `__VA_OPT__` whose content is being read.
struct OptionalPart {
    /// Its place in the body.
    opener: usize,
    /// Number of open brackets in the content.
    depth: usize,
    span: Span,
}

impl OptionalPart {
    /// Whether a token is the closing bracket.
    fn closes(&mut self, token: &PpToken) -> bool {
        match token.kind {
            PpKind::Punct(Punct::LeftParen) => self.depth += 1,
            PpKind::Punct(Punct::RightParen) if self.depth == 0 => return true,
            PpKind::Punct(Punct::RightParen) => self.depth -= 1,
            _ => {}
        }
        false
    }
}

fn is_optional(token: &PpToken, variable: Option<&Interner>) -> bool {
    let name = token.identifier().zip(variable);
    name.is_some_and(|(name, interner)| interner.text(name) == "__VA_OPT__")
}

/// Checks that something follows the `##` that ends before `index`.
fn check_paste(line: &[PpToken], index: usize, paste: &PpToken) -> Result<(), Diagnostic> {
    if index < line.len() { Ok(()) } else { Err(misplaced_paste(paste)) }
}

fn misplaced_paste(paste: &PpToken) -> Diagnostic {
    let message = "'##' cannot appear at the start or the end of a macro's replacement";
    Diagnostic::error(paste.span, message)
}

/// The spelling of a token, shortened for a message.
pub(super) fn spelling(kind: PpKind, interner: &Interner) -> String {
    let mut text = String::new();
    kind.write(&mut text, interner);
    shorten(&text).into_owned()
}
