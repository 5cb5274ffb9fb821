//! `#pragma` and `_Pragma` (C99 §6.10.6 and §6.10.9, OpenCL C §6.12).

use super::Preprocessor;
use super::lexer::Lexer;
use super::literal::{self, Number};
use super::pp_token::{PpKind, PpToken};
use crate::Span;
use crate::token::{Pragma, Punct};
use clvk_interface::{Feature, FeatureKind};

impl Preprocessor<'_> {
    /// The rest of a `#pragma` line.
    pub(super) fn pragma_directive(&mut self, directive: Span) -> Option<PpToken> {
        let line = self.line_tokens();
        let pragma = self.pragma(&line, directive);
        self.give_list(line);
        pragma
    }

    /// `_Pragma ( "…" )`.
    pub(super) fn pragma_operator(&mut self, operator: PpToken) -> Option<PpToken> {
        let outer = std::mem::replace(&mut self.gathering, true);
        let open = self.raw_next();
        let operand = if open.is(Punct::LeftParen) { self.raw_next() } else { open };
        let close = if operand.is_end() { operand } else { self.raw_next() };
        self.gathering = outer;
        let (PpKind::Str(text), true) = (operand.kind, close.is(Punct::RightParen)) else {
            self.error(operator.span, "_Pragma needs a string literal in brackets");
            return None;
        };
        let quoted = self.interner.text(text);
        let text = quoted[1..quoted.len() - 1].replace("\\\"", "\"").replace("\\\\", "\\");
        let mut lexer = Lexer::new(text.into(), 0);
        let mut line = Vec::new();
        loop {
            let token = lexer.next_in_line(self.interner);
            if token.is_end() {
                break;
            }
            line.push(PpToken { span: operator.span, ..token });
        }
        self.pragma(&line, operator.span)
    }

    fn word(&self, token: Option<&PpToken>) -> &str {
        token.and_then(PpToken::identifier).map_or("", |name| self.interner.text(name))
    }

    fn pragma(&mut self, line: &[PpToken], span: Span) -> Option<PpToken> {
        let pragma = match self.word(line.first()) {
            "OPENCL" | "STDC" => self.language_pragma(line),
            "once" => {
                if let (Some(file), true) = (self.files.last(), self.files.len() > 1) {
                    let path = self.sources.file_name(file.id).to_owned();
                    self.once.insert(path);
                }
                None
            }
            "unroll" => self.unroll(line),
            "nounroll" => Some(Pragma::Unroll(Some(1))),
            _ => {
                let span = line.first().map_or(span, |token| token.span);
                self.warning(span, "unknown pragma is ignored");
                None
            }
        }?;
        self.pragmas.push(pragma);
        let kind = PpKind::Pragma(self.pragmas.len() as u32 - 1);
        let flags = super::pp_token::Flags { line_start: true, ..Default::default() };
        Some(PpToken { kind, flags, span })
    }

    /// `#pragma OPENCL …`: no macro is expanded in it.
    fn language_pragma(&mut self, line: &[PpToken]) -> Option<Pragma> {
        match self.word(line.get(1)) {
            "FP_CONTRACT" => match self.word(line.get(2)) {
                "ON" => Some(Pragma::FpContract(Some(true))),
                "OFF" => Some(Pragma::FpContract(Some(false))),
                "DEFAULT" => Some(Pragma::FpContract(None)),
                _ => {
                    let span = line.get(2).unwrap_or(&line[1]).span;
                    self.warning(span, "expected ON, OFF or DEFAULT: the pragma is ignored");
                    None
                }
            },
            "EXTENSION" => self.extension(line),
            _ => {
                let span = line.get(1).unwrap_or(&line[0]).span;
                self.warning(span, "unknown pragma is ignored");
                None
            }
        }
    }

    /// `EXTENSION name : behaviour` (OpenCL C §6.12.1). Like other compilers, and unlike the specification, an extension
    /// that is not there is a warning only: its uses are errors.
    fn extension(&mut self, line: &[PpToken]) -> Option<Pragma> {
        let end = line.last().map_or(Span::NONE, |token| token.span);
        let has_colon = line.get(3).is_some_and(|token| token.is(Punct::Colon));
        let Some(name) = line.get(2).and_then(PpToken::identifier).filter(|_| has_colon) else {
            self.warning(end, "expected `EXTENSION name : enable` or `disable`: the pragma is ignored");
            return None;
        };
        let enable = match self.word(line.get(4)) {
            "enable" => true,
            "disable" => false,
            _ => {
                let span = line.get(4).map_or(end, |token| token.span);
                self.warning(span, "expected `enable` or `disable`: the pragma is ignored");
                return None;
            }
        };
        let text = self.interner.text(name).to_owned();
        if text == "all" {
            if enable {
                self.warning(line[4].span, "`all` can only be disabled: the pragma is ignored");
                return None;
            }
            return Some(Pragma::Extension { name, enable });
        }
        let feature = Feature::from_name(&text).filter(|feature| feature.kind() == FeatureKind::Extension);
        if feature.is_none_or(|feature| !self.options.features.contains(feature)) {
            let message = format!(
                "the device does not support extension `{}`: the pragma is ignored",
                crate::diagnostic::shorten(&text)
            );
            self.warning(line[2].span, message);
            return None;
        }
        Some(Pragma::Extension { name, enable })
    }

    /// `unroll`, `unroll N`, `unroll(N)`; macros are expanded.
    fn unroll(&mut self, line: &[PpToken]) -> Option<Pragma> {
        let expanded = self.expand_list(&line[1..]);
        let count = match expanded[..] {
            [] => return Some(Pragma::Unroll(None)),
            [count] => count,
            [open, count, close] if open.is(Punct::LeftParen) && close.is(Punct::RightParen) => count,
            [first, ..] => first,
        };
        if let PpKind::Number(text) = count.kind
            && let Ok(Number::Int(value @ 1.., _)) = literal::number(self.interner.text(text))
            && let Ok(value) = u32::try_from(value)
        {
            return Some(Pragma::Unroll(Some(value)));
        }
        self.warning(count.span, "expected a positive number of iterations: the pragma is ignored");
        None
    }
}
