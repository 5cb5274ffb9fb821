//! Macro expansion (C99 §6.10.3): the stack of replacements that are being rescanned.
//!
//! A macro is disabled while its replacement is on the stack. A name that is read while its macro is disabled
//! is marked and never expands again, wherever it is copied. This gives the results of C99 §6.10.3.4 and the
//! examples of §6.10.3.5.

use super::Preprocessor;
use super::definition::Macro;
use super::names::{Definition, Dynamic, Question};
use super::pp_token::{Flags, PpKind, PpToken};
use crate::Span;
use crate::diagnostic::Diagnostic;
use crate::limits;
use crate::symbol::Symbol;
use crate::token::Punct;
use smallvec::SmallVec;
use std::rc::Rc;

/// The places of the tokens of an expansion.
#[derive(Clone, Copy)]
pub(super) enum Mapping {
    /// The body's first position and the position that represents it.
    Range { body: u32, start: u32 },
    /// All at one place: macros of the language.
    Fixed(Span),
}

impl Mapping {
    pub fn map(self, span: Span) -> Span {
        match self {
            Mapping::Range { body, start } => Span::new(span.start - body + start, span.end - body + start),
            Mapping::Fixed(span) => span,
        }
    }
}

enum Tokens {
    /// The body of a macro that uses no parameters and no `##`: nothing is copied.
    Body(Rc<Macro>, Mapping),
    List(Vec<PpToken>),
}

/// Tokens that are read before those below.
pub(super) struct Context {
    tokens: Tokens,
    at: usize,
    /// The first token's white space is that of the macro's name.
    first: Flags,
    /// The macro whose replacement this is.
    disables: Option<Symbol>,
    /// The contexts below must not be read, because the tokens are an argument or a line.
    barrier: bool,
}

impl Context {
    fn next(&mut self) -> Option<PpToken> {
        let mut token = match &self.tokens {
            Tokens::Body(definition, mapping) => {
                let token = definition.body.get(self.at)?.token;
                PpToken { span: mapping.map(token.span), ..token }
            }
            Tokens::List(list) => *list.get(self.at)?,
        };
        if self.at == 0 && !self.barrier {
            token.flags.space = self.first.space;
            token.flags.line_start = self.first.line_start;
        }
        self.at += 1;
        Some(token)
    }
}

/// The arguments of a macro call: one list, and the end of each argument in it.
#[derive(Default)]
pub(super) struct Arguments {
    pub tokens: Vec<PpToken>,
    pub ends: SmallVec<[usize; 8]>,
}

impl Arguments {
    pub fn get(&self, index: usize) -> &[PpToken] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.tokens[start..self.ends[index]]
    }
}

impl Preprocessor<'_> {
    /// The next token with macros expanded.
    pub(super) fn next_expanded(&mut self) -> PpToken {
        loop {
            let mut token = self.raw_next();
            let PpKind::Identifier(name) = token.kind else { return token };
            if token.flags.no_expand {
                return token;
            }
            let definition = match self.names.definition(name, self.interner) {
                Definition::None => return token,
                &Definition::Dynamic(dynamic) => match self.dynamic(dynamic, token) {
                    Some(token) => return token,
                    None => continue,
                },
                Definition::Macro(definition) => Rc::clone(definition),
            };
            if self.names.is_disabled(name) {
                token.flags.no_expand = true;
                return token;
            }
            if definition.parameters.is_none() {
                self.enter_object(definition, token);
            } else if !self.enter_function(definition, token) {
                return token;
            }
        }
    }

    /// The next token, from the innermost replacement or file.
    pub(super) fn raw_next(&mut self) -> PpToken {
        if let Some(token) = self.pushed_back.take() {
            return token;
        }
        if self.stopped {
            return PpToken::end(0);
        }
        while let Some(context) = self.contexts.last_mut() {
            if let Some(token) = context.next() {
                self.spend(1, token.span);
                return token;
            }
            if context.barrier {
                return PpToken::end(0);
            }
            self.pop_context();
        }
        self.next_in_file()
    }

    fn pop_context(&mut self) {
        let Some(context) = self.contexts.pop() else { return };
        if let Some(name) = context.disables {
            self.names.set_disabled(name, false);
        }
        if let Tokens::List(list) = context.tokens {
            self.give_list(list);
        }
    }

    /// An empty list, reusing a kept buffer if there is one.
    pub(super) fn spare_list(&mut self) -> Vec<PpToken> {
        self.spare.pop().unwrap_or_default()
    }

    /// Keeps a list for [`Self::spare_list`].
    pub(super) fn give_list(&mut self, mut list: Vec<PpToken>) {
        if self.spare.len() < 32 {
            list.clear();
            self.spare.push(list);
        }
    }

    /// The next token of the files; executes directives on the way.
    fn next_in_file(&mut self) -> PpToken {
        loop {
            let Some(file) = self.files.last_mut() else { return PpToken::end(0) };
            let token = file.lexer.next(self.interner);
            if token.is_end() {
                if self.gathering && self.files.len() > 1 {
                    return token;
                }
                self.finish_file();
                if self.files.len() <= 1 {
                    return token;
                }
                self.files.pop();
            } else if token.flags.line_start && token.is(Punct::Hash) {
                if let Some(token) = self.directive(token.span) {
                    return token;
                }
                if self.stopped {
                    return PpToken::end(0);
                }
            } else {
                return token;
            }
        }
    }

    /// Adds an expansion to the source map.
    fn enter(&mut self, definition: &Macro, call: Span) -> Mapping {
        self.spend(4, call);
        let Some(index) = definition.source_index else { return Mapping::Fixed(call) };
        let body = definition.body_span();
        match self.sources.add_expansion(body, call, index) {
            Ok(start) => Mapping::Range { body: body.start, start },
            Err(_) => {
                self.out_of_positions(call);
                Mapping::Fixed(call)
            }
        }
    }

    /// Has a list read next.
    fn push_list(&mut self, list: Vec<PpToken>, first: PpToken) {
        let tokens = Tokens::List(list);
        self.contexts.push(Context { tokens, at: 0, first: first.flags, disables: None, barrier: false });
    }

    fn push_macro(&mut self, tokens: Tokens, name: PpToken, disables: Symbol) {
        self.names.set_disabled(disables, true);
        let context = Context { tokens, at: 0, first: name.flags, disables: Some(disables), barrier: false };
        self.contexts.push(context);
    }

    fn enter_object(&mut self, definition: Rc<Macro>, name: PpToken) {
        if definition.body.is_empty() {
            return self.spend(1, name.span);
        }
        let mapping = self.enter(&definition, name.span);
        let disables = definition.name;
        let tokens = if definition.pastes {
            Tokens::List(self.substitute(&definition, &Arguments::default(), mapping))
        } else {
            Tokens::Body(definition, mapping)
        };
        self.push_macro(tokens, name, disables);
    }

    /// Expands a call of a function-like macro; false if no `(` follows, so that the name is not a call.
    fn enter_function(&mut self, definition: Rc<Macro>, name: PpToken) -> bool {
        let outer = std::mem::replace(&mut self.gathering, true);
        let open = self.raw_next();
        if !open.is(Punct::LeftParen) {
            self.gathering = outer;
            if !open.is_end() {
                self.pushed_back = Some(open);
            }
            return false;
        }
        let arguments = self.gather(&definition, name);
        self.gathering = outer;
        let Some((arguments, close)) = arguments else { return true };
        let is_near = close.start >= name.span.end && self.sources.same_entry(name.span, close);
        let call = if is_near { name.span.to(close) } else { name.span };
        let mapping = self.enter(&definition, call);
        let disables = definition.name;
        let is_plain = !definition.pastes && definition.parameters.as_ref().is_some_and(Vec::is_empty);
        let tokens = if is_plain {
            Tokens::Body(definition, mapping)
        } else {
            Tokens::List(self.substitute(&definition, &arguments, mapping))
        };
        self.give_list(arguments.tokens);
        self.push_macro(tokens, name, disables);
        true
    }

    /// Reads the arguments up to the `)`; also returns the place of the `)`.
    fn gather(&mut self, definition: &Macro, name: PpToken) -> Option<(Arguments, Span)> {
        let parameters = definition.parameters.as_ref().map_or(0, Vec::len);
        let mut list = Arguments { tokens: self.spare_list(), ends: SmallVec::new() };
        let mut depth = 0_usize;
        // What follows the statement of the call, in case its `)` is missing.
        let mut rest = Vec::new();
        let close = loop {
            let mut token = self.raw_next();
            if (!rest.is_empty() || token.is(Punct::Semicolon)) && !token.is_end() && !self.has_resumed {
                rest.push(token);
            }
            match token.kind {
                PpKind::End => {
                    if !self.stopped {
                        let text = self.interner.text(definition.name);
                        let message = format!("the call of macro '{text}' has no ')'");
                        let mut diagnostic = Diagnostic::error(name.span, message);
                        if definition.source_index.is_some() {
                            diagnostic =
                                diagnostic.related(definition.name_span, "the macro is defined here");
                        }
                        self.diagnostics.push(diagnostic);
                        // Once, so that texts full of such calls take linear time.
                        self.has_resumed = true;
                        self.push_list(rest, name);
                    }
                    return None;
                }
                PpKind::Punct(Punct::LeftParen) => depth += 1,
                PpKind::Punct(Punct::RightParen) if depth == 0 => break token.span,
                PpKind::Punct(Punct::RightParen) => depth -= 1,
                PpKind::Punct(Punct::Comma) if depth == 0 => {
                    let in_variable = definition.variadic && list.ends.len() + 1 >= parameters;
                    if !in_variable {
                        list.ends.push(list.tokens.len());
                        continue;
                    }
                }
                // Its macro may be enabled again when the argument is expanded (C99 §6.10.3.4p2).
                PpKind::Identifier(name) if !self.contexts.is_empty() && self.names.is_disabled(name) => {
                    token.flags.no_expand = true;
                }
                _ => {}
            }
            token.flags.space |= token.flags.line_start;
            token.flags.line_start = false;
            list.tokens.push(token);
        };
        list.ends.push(list.tokens.len());
        self.check_count(definition, &mut list, name.span).then_some((list, close))
    }

    /// Whether the numbers of arguments and parameters agree; adds omitted variable arguments.
    fn check_count(&mut self, definition: &Macro, list: &mut Arguments, name: Span) -> bool {
        let wanted = definition.parameters.as_ref().map_or(0, Vec::len);
        let given =
            if wanted == 0 && list.ends.len() == 1 && list.tokens.is_empty() { 0 } else { list.ends.len() };
        if given == wanted {
            return true;
        }
        if definition.variadic && given + 1 == wanted {
            list.ends.push(list.tokens.len());
            return true;
        }
        let least = if definition.variadic { "at least " } else { "" };
        let needed = wanted - usize::from(definition.variadic);
        let text = self.interner.text(definition.name);
        let plural = if needed == 1 { "" } else { "s" };
        let message = format!("macro '{text}' needs {least}{needed} argument{plural}, {given} given");
        let mut diagnostic = Diagnostic::error(name, message);
        if definition.source_index.is_some() {
            diagnostic = diagnostic.related(definition.name_span, "the macro is defined here");
        }
        self.diagnostics.push(diagnostic);
        false
    }

    /// Expands a list on its own, as if nothing followed it: an argument or the rest of a directive's line.
    pub(super) fn expand_list(&mut self, list: &[PpToken]) -> Vec<PpToken> {
        let mut expanded = self.spare_list();
        if !list.iter().any(|token| self.may_expand(token)) {
            expanded.extend_from_slice(list);
            return expanded;
        }
        if self.argument_depth >= limits::MACRO_ARGUMENT_DEPTH {
            let message = format!("macro calls are nested deeper than {}", limits::MACRO_ARGUMENT_DEPTH);
            self.stop(Diagnostic::error(list[0].span, message));
            return expanded;
        }
        let mut tokens = self.spare_list();
        tokens.extend_from_slice(list);
        let depth = self.contexts.len();
        let (tokens, first) = (Tokens::List(tokens), Flags::default());
        self.contexts.push(Context { tokens, at: 0, first, disables: None, barrier: true });
        self.argument_depth += 1;
        let outer = std::mem::replace(&mut self.gathering, false);
        loop {
            let token = self.next_expanded();
            if token.is_end() {
                break;
            }
            expanded.push(token);
        }
        self.gathering = outer;
        self.argument_depth -= 1;
        while self.contexts.len() > depth {
            self.pop_context();
        }
        expanded
    }

    fn may_expand(&mut self, token: &PpToken) -> bool {
        let PpKind::Identifier(name) = token.kind else { return false };
        !token.flags.no_expand && !matches!(self.definition_of(name), Definition::None)
    }

    /// A macro whose value depends on the place; `None` if nothing is left of it.
    fn dynamic(&mut self, dynamic: Dynamic, token: PpToken) -> Option<PpToken> {
        let kind = match dynamic {
            Dynamic::Defined if !self.in_condition => return Some(token),
            Dynamic::Defined => return Some(self.defined_operator(token)),
            Dynamic::Pragma => return self.pragma_operator(token),
            Dynamic::HasInclude(next) if self.in_condition => {
                return Some(self.has_include_operator(token, next));
            }
            Dynamic::Has(question) => return Some(self.has_operator(token, question)),
            Dynamic::HasInclude(_) => {
                self.error(token.span, "'__has_include' can only appear in the condition of an '#if'");
                return Some(token);
            }
            Dynamic::Line => self.number(self.sources.location(token.span).line),
            Dynamic::IncludeLevel => self.number(self.files.len().saturating_sub(1) as u32),
            Dynamic::Counter => {
                self.counter += 1;
                self.number(self.counter - 1)
            }
            Dynamic::File => {
                let file = self.sources.location(token.span).file;
                self.string(&file)
            }
            Dynamic::Date => self.string(&super::print::date_and_time().0),
            Dynamic::Time => self.string(&super::print::date_and_time().1),
        };
        Some(PpToken { kind, ..token })
    }

    fn number(&mut self, value: u32) -> PpKind {
        PpKind::Number(self.interner.intern(&value.to_string()))
    }

    fn string(&mut self, text: &str) -> PpKind {
        let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
        PpKind::Str(self.interner.intern(&format!("\"{escaped}\"")))
    }

    /// `__has_attribute (X)` and similar operators, as 0 or 1.
    fn has_operator(&mut self, operator: PpToken, question: Question) -> PpToken {
        let (open, name, close) = (self.raw_next(), self.raw_next(), self.raw_next());
        let known = match name.identifier() {
            Some(name) if open.is(Punct::LeftParen) && close.is(Punct::RightParen) => {
                let text = self.interner.text(name);
                match question {
                    Question::Attribute => crate::check::is_known_attribute(text),
                    Question::Builtin => crate::check::is_compiler_builtin(text),
                    Question::Feature => false,
                }
            }
            _ => {
                self.error(operator.span, "expected a name in parentheses after this operator");
                false
            }
        };
        let kind = self.number(u32::from(known));
        PpToken { kind, ..operator }
    }

    /// `defined X` or `defined (X)` (C99 §6.10.1p1), as 0 or 1.
    fn defined_operator(&mut self, operator: PpToken) -> PpToken {
        let mut operand = self.raw_next();
        let bracketed = operand.is(Punct::LeftParen);
        if bracketed {
            operand = self.raw_next();
        }
        let is_defined = match operand.identifier() {
            Some(name) => self.names.is_defined(name, self.interner),
            None => {
                let span = if operand.is_end() { operator.span } else { operand.span };
                self.error(span, "'defined' needs a macro name");
                false
            }
        };
        if bracketed && !operand.is_end() {
            let close = self.raw_next();
            if !close.is(Punct::RightParen) {
                let behind = Span::new(operand.span.end, operand.span.end);
                let error = Diagnostic::error(behind, "expected ')' after 'defined' and a name");
                self.diagnostics.push(error.related(operator.span, "to match the '(' after this 'defined'"));
            }
        }
        let kind = self.number(u32::from(is_defined));
        PpToken { kind, ..operator }
    }
}
