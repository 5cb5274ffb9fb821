//! Argument substitution in replacement lists: `#`, `##` and the arguments' own expansion (C99 §6.10.3.1 to
//! §6.10.3.3).

use super::Preprocessor;
use super::definition::{BodyToken, Macro, spelling};
use super::expand::{Arguments, Mapping};
use super::lexer;
use super::pp_token::{Flags, PpKind, PpToken};
use super::scan::{self, Scanned};
use crate::token::Punct;

/// A replacement under construction.
struct Replacement {
    tokens: Vec<PpToken>,
    /// Whether a `##` waits for its right operand.
    pasting: bool,
    /// Whether the left operand of that `##` is empty (C99's placemarker).
    left_is_empty: bool,
}

impl Preprocessor<'_> {
    /// The replacement of a macro call.
    pub(super) fn substitute(
        &mut self,
        definition: &Macro,
        arguments: &Arguments,
        mapping: Mapping,
    ) -> Vec<PpToken> {
        let mut expanded: Vec<Option<Vec<PpToken>>> = Vec::new();
        expanded.resize_with(arguments.ends.len(), || None);
        let mut out = Replacement { tokens: self.spare_list(), pasting: false, left_is_empty: false };
        let mut index = 0;
        // The end of the `__VA_OPT__` that is being substituted, and whether `##` follows it.
        let mut optional = None;
        while let Some(item) = definition.body.get(index) {
            if self.stopped {
                break;
            }
            let token = PpToken { span: mapping.map(item.token.span), ..item.token };
            index += 1;
            match item.parameter {
                None if item.optional.is_some() => {
                    let end = index + item.optional.unwrap_or(0) as usize;
                    if end == index || !self.has_variable_arguments(definition, arguments, &mut expanded) {
                        self.append(&mut out, &[], token.flags);
                        out.pasting = item.paste_next;
                        index = end;
                    } else {
                        optional = Some((end, item.paste_next));
                    }
                    continue;
                }
                None => self.append(&mut out, &[token], token.flags),
                Some(parameter) if item.stringify => {
                    let text = self.stringify(arguments.get(parameter as usize), token);
                    self.append(&mut out, &[text], token.flags);
                }
                Some(parameter) => {
                    let parameter = parameter as usize;
                    let argument = arguments.get(parameter);
                    if self.is_variable_after_comma(definition, index - 1, &out) {
                        // GNU C: `, ## __VA_ARGS__` drops the comma if there are none, and is not pasting
                        // otherwise.
                        out.pasting = false;
                        if argument.is_empty() {
                            out.tokens.pop();
                        }
                    }
                    if item.paste_next || out.pasting {
                        self.append(&mut out, argument, token.flags);
                    } else {
                        let list = expanded[parameter].get_or_insert_with(|| self.expand_list(argument));
                        let list = std::mem::take(list);
                        self.append(&mut out, &list, token.flags);
                        expanded[parameter] = Some(list);
                    }
                }
            }
            out.pasting = item.paste_next;
            if let Some((_, paste)) = optional.take_if(|(end, _)| *end == index) {
                out.pasting = paste;
            }
        }
        for list in expanded.into_iter().flatten() {
            self.give_list(list);
        }
        out.tokens
    }

    /// Whether the expanded variable arguments are not empty, so that `__VA_OPT__` has an effect.
    fn has_variable_arguments(
        &mut self,
        definition: &Macro,
        arguments: &Arguments,
        expanded: &mut [Option<Vec<PpToken>>],
    ) -> bool {
        let Some(last) = definition.parameters.as_ref().and_then(|list| list.len().checked_sub(1)) else {
            return false;
        };
        let argument = arguments.get(last);
        !expanded[last].get_or_insert_with(|| self.expand_list(argument)).is_empty()
    }

    /// Whether the item is the variable arguments after `, ##`.
    fn is_variable_after_comma(&self, definition: &Macro, index: usize, out: &Replacement) -> bool {
        let is_comma = |item: &BodyToken| item.token.is(Punct::Comma) && item.paste_next;
        let last = definition.parameters.as_ref().map_or(0, Vec::len).checked_sub(1);
        definition.variadic
            && definition.body[index].parameter.map(|parameter| parameter as usize) == last
            && index.checked_sub(1).is_some_and(|before| is_comma(&definition.body[before]))
            && out.tokens.last().is_some_and(|token| token.is(Punct::Comma))
    }

    /// Appends the tokens that replace one body token, pasting the first one if `##` waits.
    fn append(&mut self, out: &mut Replacement, tokens: &[PpToken], flags: Flags) {
        let pasting = std::mem::replace(&mut out.pasting, false);
        let Some((&first, rest)) = tokens.split_first() else {
            out.left_is_empty = !pasting || out.left_is_empty;
            return;
        };
        let last = out.tokens.last().copied().filter(|_| pasting && !out.left_is_empty);
        out.left_is_empty = false;
        let pasted = last.and_then(|left| self.paste(left, first));
        match pasted {
            Some(token) => {
                out.tokens.pop();
                out.tokens.push(token);
            }
            None => {
                let flags = Flags { space: flags.space, line_start: false, ..first.flags };
                out.tokens.push(PpToken { flags, ..first });
            }
        }
        self.spend(tokens.len(), first.span);
        out.tokens.extend_from_slice(rest);
    }

    /// Joins two tokens to one (C99 §6.10.3.3); `None`, with an error, if they do not form a token.
    fn paste(&mut self, left: PpToken, right: PpToken) -> Option<PpToken> {
        let mut text = std::mem::take(&mut self.scratch);
        text.clear();
        left.kind.write(&mut text, self.interner);
        right.kind.write(&mut text, self.interner);
        self.spend_text(text.len(), left.span);
        let is_token = !text.is_empty() && !matches!(left.kind, PpKind::Special(_) | PpKind::Pragma(_));
        let scanned = is_token.then(|| scan::token(&text, 0, true));
        let kind = match scanned {
            Some((Scanned::LineComment | Scanned::BlockComment | Scanned::Unterminated, _)) => None,
            Some((kind, end)) if end == text.len() => Some(lexer::pp_kind(kind, &text, self.interner)),
            _ => None,
        };
        self.scratch = text;
        let Some(kind) = kind else {
            let (left_text, right_text) =
                (spelling(left.kind, self.interner), spelling(right.kind, self.interner));
            self.error(left.span, format!("'##' of '{left_text}' and '{right_text}' does not make a token"));
            return None;
        };
        let flags = Flags { no_expand: false, ..left.flags };
        Some(PpToken { kind, flags, span: left.span })
    }

    /// The string literal of an argument (C99 §6.10.3.2).
    fn stringify(&mut self, argument: &[PpToken], parameter: PpToken) -> PpToken {
        let mut text = std::mem::take(&mut self.scratch);
        text.clear();
        text.push('"');
        for (index, token) in argument.iter().enumerate() {
            if index > 0 && token.flags.space {
                text.push(' ');
            }
            let start = text.len();
            token.kind.write(&mut text, self.interner);
            if matches!(token.kind, PpKind::Str(_) | PpKind::Char(_) | PpKind::Unterminated(_)) {
                let escaped = text[start..].replace('\\', "\\\\").replace('"', "\\\"");
                text.truncate(start);
                text.push_str(&escaped);
            }
            if text.len() > self.text_left {
                break;
            }
        }
        text.push('"');
        self.spend_text(text.len(), parameter.span);
        let symbol = self.interner.intern(&text);
        self.scratch = text;
        PpToken { kind: PpKind::Str(symbol), flags: parameter.flags, span: parameter.span }
    }
}
