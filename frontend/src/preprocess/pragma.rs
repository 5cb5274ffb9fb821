//! `#pragma` and `_Pragma` (C99 §6.10.6 and §6.10.9, OpenCL C §6.12).

use super::Preprocessor;
use super::lexer::Lexer;
use super::literal::{self, Number};
use super::pp_token::{PpKind, PpToken};
use crate::Span;
use crate::token::{Pragma, Punct};
use clvk_interface::{Feature, FeatureKind};

/// clang's extension of C++ for OpenCL that lets kernels take classes whose layout the host may not share.
pub const NON_PORTABLE_PARAMETERS: &str = "__cl_clang_non_portable_kernel_param_types";

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
            self.error(operator.span, "_Pragma needs a string literal in parentheses");
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
            "pack" => self.pack(line),
            "clang" if self.word(line.get(1)) == "fp" && self.word(line.get(2)) == "contract" => {
                self.clang_contract(&line[3..])
            }
            // They control warnings of other compilers.
            "clang" | "GCC" | "warning" if matches!(self.word(line.get(1)), "diagnostic") => None,
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

    /// `#pragma OPENCL …`; macros are not expanded in it.
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

    /// `clang fp contract(on)`, clang's form of `FP_CONTRACT`.
    fn clang_contract(&mut self, line: &[PpToken]) -> Option<Pragma> {
        let in_brackets = matches!(line, [open, _, close]
            if open.is(Punct::LeftParen) && close.is(Punct::RightParen));
        match self.word(line.get(1)) {
            "on" | "fast" if in_brackets => Some(Pragma::FpContract(Some(true))),
            "off" if in_brackets => Some(Pragma::FpContract(Some(false))),
            _ => {
                let span = line.get(1).or(line.first()).map_or(Span::NONE, |token| token.span);
                self.warning(
                    span,
                    "expected 'contract(on)', 'contract(fast)' or 'contract(off)': the pragma is ignored",
                );
                None
            }
        }
    }

    /// `EXTENSION name : behaviour` (OpenCL C §6.12.1). As in other compilers, and unlike in the
    /// specification, an unsupported extension only gives a warning; its uses are errors.
    fn extension(&mut self, line: &[PpToken]) -> Option<Pragma> {
        let end = line.last().map_or(Span::NONE, |token| token.span);
        let has_colon = line.get(3).is_some_and(|token| token.is(Punct::Colon));
        let Some(name) = line.get(2).and_then(PpToken::identifier).filter(|_| has_colon) else {
            self.warning(end, "expected 'EXTENSION name : enable' or 'disable': the pragma is ignored");
            return None;
        };
        let enable = match self.word(line.get(4)) {
            "enable" => true,
            "disable" => false,
            _ => {
                let span = line.get(4).map_or(end, |token| token.span);
                self.warning(span, "expected 'enable' or 'disable': the pragma is ignored");
                return None;
            }
        };
        let text = self.interner.text(name).to_owned();
        if text == "all" {
            if enable {
                self.warning(line[4].span, "'all' can only be disabled: the pragma is ignored");
                return None;
            }
            return Some(Pragma::Extension { name, enable });
        }
        if self.options.cxx.is_some() && text == NON_PORTABLE_PARAMETERS {
            return Some(Pragma::Extension { name, enable });
        }
        let feature = Feature::from_name(&text).filter(|feature| feature.kind() == FeatureKind::Extension);
        if feature.is_none_or(|feature| !self.options.features.allows(feature)) {
            let message = format!(
                "the device does not support extension '{}': the pragma is ignored",
                crate::diagnostic::shorten(&text)
            );
            self.warning(line[2].span, message);
            return None;
        }
        Some(Pragma::Extension { name, enable })
    }

    /// `pack(N)`, `pack()`, `pack(push)`, `pack(push, N)`, `pack(push, name, N)`, `pack(pop)`,
    /// `pack(pop, name)`; macros are expanded. They match other compilers, because hosts rely on the layout.
    fn pack(&mut self, line: &[PpToken]) -> Option<Pragma> {
        let expanded = self.expand_list(&line[1..]);
        let end = expanded.last().or(line.last()).map_or(Span::NONE, |token| token.span);
        let [open, inner @ .., close] = expanded.as_slice() else {
            self.warning(end, "expected '(' after 'pack': the pragma is ignored");
            return None;
        };
        if !open.is(Punct::LeftParen) || !close.is(Punct::RightParen) {
            self.warning(end, "expected '( … )' after 'pack': the pragma is ignored");
            return None;
        }
        let mut parts = inner.split(|token| token.is(Punct::Comma)).map(|part| match part {
            [only] => Some(*only),
            _ => None,
        });
        let mut action = "";
        let (mut label, mut align) = (None, None);
        if !inner.is_empty() {
            for (index, part) in parts.by_ref().enumerate() {
                let word = self.word(part.as_ref());
                match part.map(|token| token.kind) {
                    Some(PpKind::Identifier(_)) if index == 0 && word == "push" => action = "push",
                    Some(PpKind::Identifier(_)) if index == 0 && word == "pop" => action = "pop",
                    Some(PpKind::Identifier(_)) if index == 0 && word == "show" => return None,
                    Some(PpKind::Identifier(name)) if index == 1 && label.is_none() && !action.is_empty() => {
                        label = Some(name);
                    }
                    Some(PpKind::Number(text)) if align.is_none() => {
                        align = Some(self.pack_alignment(text, part.map_or(end, |token| token.span))?);
                    }
                    _ => {
                        let message = "expected 'push', 'pop' or 1, 2, 4, 8 or 16: the pragma is ignored";
                        self.warning(part.map_or(end, |token| token.span), message);
                        return None;
                    }
                }
            }
        }
        match action {
            "push" => {
                if self.packs.len() >= crate::limits::NESTING {
                    self.warning(end, "too many 'pack(push)': the pragma is ignored");
                    return None;
                }
                self.packs.push((label, self.pack));
            }
            "pop" => {
                let found = match label {
                    Some(label) => self.packs.iter().rposition(|(name, _)| *name == Some(label)),
                    None => self.packs.len().checked_sub(1),
                };
                let Some(found) = found else {
                    self.warning(end, "'pack(pop)' without 'pack(push)': the pragma is ignored");
                    return None;
                };
                self.pack = self.packs[found].1;
                self.packs.truncate(found);
            }
            // `pack()` restores the default.
            _ => self.pack = None,
        }
        if let Some(align) = align {
            self.pack = align;
        }
        Some(Pragma::Pack(self.pack))
    }

    /// The number in `pack(N)`; 0 means the default. `None`, with a warning, if it is not an alignment.
    fn pack_alignment(&mut self, text: crate::symbol::Symbol, span: Span) -> Option<Option<u32>> {
        match literal::number(self.interner.text(text)) {
            Ok(Number::Int(0, _)) => Some(None),
            Ok(Number::Int(value @ (1 | 2 | 4 | 8 | 16), _)) => Some(Some(value as u32)),
            _ => {
                let message = "the alignment in 'pack' must be 1, 2, 4, 8 or 16: the pragma is ignored";
                self.warning(span, message);
                None
            }
        }
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
