//! Directives (C99 §6.10): conditionals, definitions, `#line`, `#error` and the rest.

use super::condition;
use super::definition::{self, spelling};
use super::literal::{self, Number};
use super::names::Definition;
use super::pp_token::{PpKind, PpToken};
use super::{Conditional, Preprocessor};
use crate::Span;
use crate::diagnostic::{Diagnostic, shorten};
use crate::limits;
use crate::suggest::nearest;
use std::rc::Rc;

const DIRECTIVES: &[&str] = &[
    "define",
    "undef",
    "include",
    "include_next",
    "if",
    "ifdef",
    "ifndef",
    "elif",
    "elifdef",
    "elifndef",
    "else",
    "endif",
    "line",
    "error",
    "warning",
    "pragma",
];

impl Preprocessor<'_> {
    /// Executes the directive whose `#` was read; returns the token of a pragma that the parser must see.
    pub(super) fn directive(&mut self, hash: Span) -> Option<PpToken> {
        let name = self.next_in_line();
        let text = match name.kind {
            PpKind::End => return None,
            PpKind::Identifier(symbol) => self.interner.text(symbol).to_owned(),
            // `# 12 "file"`, as in preprocessed text.
            PpKind::Number(_) => {
                let mut line = self.line_tokens();
                line.insert(0, name);
                self.line_marker(&line, name.span);
                return None;
            }
            _ => {
                let message = format!("'{}' is not a directive", spelling(name.kind, self.interner));
                self.error(name.span, message);
                self.skip_line();
                return None;
            }
        };
        let directive = hash.to(name.span);
        match text.as_str() {
            "define" => self.define(name.span),
            "undef" => self.undefine(name.span),
            "include" => self.include(directive, false),
            "include_next" => self.include(directive, true),
            "ident" | "sccs" => self.skip_line(),
            "if" => {
                let holds = self.condition(name.span);
                self.open_conditional(directive, holds);
            }
            "ifdef" | "ifndef" => {
                let is_defined = self.macro_is_defined(name.span, &text);
                self.open_conditional(directive, is_defined == (text == "ifdef"));
            }
            "elif" | "elifdef" | "elifndef" | "else" => self.next_group(directive, &text),
            "endif" => {
                self.expect_end_of_line("endif");
                if self.conditionals().pop().is_none() {
                    self.error(directive, "#endif without #if");
                }
            }
            "line" => {
                let line = self.line_tokens();
                let line = self.expand_line(&line);
                self.line_marker(&line, name.span);
            }
            "error" => self.message_of_the_line(directive, true),
            "warning" => self.message_of_the_line(directive, false),
            "pragma" => return self.pragma_directive(directive),
            _ => {
                let mut message = format!("unknown directive '#{}'", shorten(&text));
                let longer = ["ifdef", "ifndef"].into_iter().find(|known| text.starts_with(known));
                let longer = longer.or_else(|| is_misspelt_elif(&text).then_some("elif"));
                if let Some(known) = longer.or_else(|| nearest(&text, DIRECTIVES.iter().copied())) {
                    message += &format!("; did you mean '#{known}'?");
                }
                self.error(directive, message);
                self.skip_line();
                // Its `#endif` will follow.
                if text.starts_with("if") {
                    self.open_conditional(directive, true);
                }
            }
        }
        None
    }

    fn next_in_line(&mut self) -> PpToken {
        let file = self.files.last_mut().expect("directives stand in files");
        file.lexer.next_in_line(self.interner)
    }

    fn skip_line(&mut self) {
        if let Some(file) = self.files.last_mut() {
            file.lexer.skip_line();
        }
    }

    fn conditionals(&mut self) -> &mut Vec<Conditional> {
        &mut self.files.last_mut().expect("directives stand in files").conditionals
    }

    /// The rest of the line.
    pub(super) fn line_tokens(&mut self) -> Vec<PpToken> {
        let mut line = self.spare_list();
        loop {
            let token = self.next_in_line();
            if token.is_end() {
                return line;
            }
            line.push(token);
        }
    }

    /// The rest of the line with macros expanded.
    pub(super) fn expand_line(&mut self, line: &[PpToken]) -> Vec<PpToken> {
        self.expand_list(line)
    }

    /// The end of the line, for messages about something missing there.
    fn line_end(&self) -> Span {
        let position = self.files.last().map_or(0, |file| file.lexer.position());
        Span::new(position, position)
    }

    /// Warns of extra tokens in the line.
    pub(super) fn expect_end_of_line(&mut self, directive: &str) {
        let token = self.next_in_line();
        if !token.is_end() {
            self.warning(token.span, format!("extra tokens at the end of #{directive}"));
            self.skip_line();
        }
    }

    fn define(&mut self, directive: Span) {
        let line = self.line_tokens();
        let end = if line.is_empty() { directive } else { self.line_end() };
        let variable_arguments = self.known.variable_arguments;
        let mut definition = match definition::parse(&line, end, variable_arguments, self.interner) {
            Ok(definition) => definition,
            Err(diagnostic) => return self.diagnostics.push(diagnostic),
        };
        self.give_list(line);
        definition.source_index = Some(self.sources.add_macro(definition.name_span));
        let name = definition.name;
        let old = match self.definition_of(name) {
            Definition::Macro(old) if old.source_index.is_some() => Some(Rc::clone(old)),
            _ => None,
        };
        if let Some(old) = old.filter(|old| !old.is_same(&definition)) {
            let message = format!("macro '{}' is redefined", shorten(self.interner.text(name)));
            let diagnostic = Diagnostic::warning(definition.name_span, message);
            self.diagnostics.push(diagnostic.related(old.name_span, "it was defined differently here"));
        }
        self.names.define(name, Definition::Macro(Rc::new(definition)), self.interner);
    }

    fn undefine(&mut self, directive: Span) {
        let token = self.next_in_line();
        match token.identifier() {
            Some(name) if name == self.known.defined => {
                self.error(token.span, "'defined' cannot be undefined")
            }
            Some(name) => self.names.define(name, Definition::None, self.interner),
            None => {
                let span = if token.is_end() { directive } else { token.span };
                return self.error(span, "#undef needs a macro name");
            }
        }
        self.expect_end_of_line("undef");
    }

    /// The condition of an `#if` or `#elif`; false after an error.
    fn condition(&mut self, directive: Span) -> bool {
        let line = self.line_tokens();
        self.in_condition = true;
        let expanded = self.expand_line(&line);
        self.in_condition = false;
        let end = if line.is_empty() { directive } else { self.line_end() };
        let value = condition::evaluate(&expanded, end, self.interner);
        self.give_list(line);
        self.give_list(expanded);
        value.unwrap_or_else(|diagnostic| {
            if !self.stopped {
                self.diagnostics.push(diagnostic);
            }
            false
        })
    }

    fn macro_is_defined(&mut self, directive: Span, text: &str) -> bool {
        let token = self.next_in_line();
        let Some(name) = token.identifier() else {
            let span = if token.is_end() { directive } else { token.span };
            self.error(span, format!("#{text} needs a macro name"));
            self.skip_line();
            return false;
        };
        self.expect_end_of_line(text);
        self.names.is_defined(name, self.interner)
    }

    fn open_conditional(&mut self, span: Span, holds: bool) {
        let open: usize = self.files.iter().map(|file| file.conditionals.len()).sum();
        if open >= limits::CONDITIONAL_DEPTH {
            let message = format!("conditionals are nested deeper than {}", limits::CONDITIONAL_DEPTH);
            return self.stop(Diagnostic::error(span, message));
        }
        self.conditionals().push(Conditional { span, taken: holds, otherwise: None });
        if !holds {
            self.skip_groups();
        }
    }

    /// `#elif`, `#elifdef`, `#elifndef` or `#else` after a compiled group: the rest of the conditional is
    /// skipped.
    fn next_group(&mut self, directive: Span, name: &str) {
        self.skip_line();
        if self.check_group(directive, name) {
            self.skip_groups();
        }
    }

    /// Whether an `#elif`, a similar directive or `#else` may appear here.
    fn check_group(&mut self, directive: Span, name: &str) -> bool {
        let Some(conditional) = self.conditionals().last_mut() else {
            self.error(directive, format!("#{name} without #if"));
            return false;
        };
        let before = conditional.otherwise;
        if name == "else" {
            conditional.otherwise = Some(directive);
        }
        if let "elifdef" | "elifndef" = name {
            self.warning(directive, format!("#{name} comes from a later version of C (C23)"));
        }
        if let Some(before) = before {
            let diagnostic = Diagnostic::error(directive, format!("#{name} after #else"));
            self.diagnostics.push(diagnostic.related(before, "the #else is here"));
        }
        true
    }

    /// Skips groups that are not compiled, up to one that is, or past the `#endif`.
    fn skip_groups(&mut self) {
        let mut depth = 0_usize;
        loop {
            let file = self.files.last_mut().expect("directives stand in files");
            if !file.lexer.skip_to_directive() {
                return;
            }
            let start = file.lexer.position() - 1;
            let name = file.lexer.next_in_line(self.interner);
            let directive = Span::new(start, name.span.end);
            let text = name.identifier().map_or("", |name| self.interner.text(name));
            let is_elif = is_misspelt_elif(text);
            let known = DIRECTIVES.iter().copied().find(|known| *known == text).unwrap_or("");
            match known {
                "if" | "ifdef" | "ifndef" => depth += 1,
                "endif" if depth > 0 => depth -= 1,
                "endif" => {
                    self.expect_end_of_line("endif");
                    self.conditionals().pop();
                    return;
                }
                "elif" | "elifdef" | "elifndef"
                    if depth == 0 && self.enter_elif(directive, known, name.span) =>
                {
                    return;
                }
                "else" if depth == 0 => {
                    self.expect_end_of_line("else");
                    if self.enter_else(directive) {
                        return;
                    }
                }
                _ if depth == 0 && is_elif => {
                    self.warning(directive, "unknown directive; did you mean '#elif'?");
                }
                _ => {}
            }
            self.skip_line();
        }
    }

    fn enter_elif(&mut self, directive: Span, name: &str, name_span: Span) -> bool {
        self.check_group(directive, name);
        // A condition after a compiled group is not evaluated (C99 §6.10.1p6).
        let is_open =
            self.conditionals().last().is_some_and(|group| !group.taken && group.otherwise.is_none());
        let holds = is_open
            && match name {
                "elif" => self.condition(name_span),
                _ => self.macro_is_defined(name_span, name) == (name == "elifdef"),
            };
        if let (true, Some(group)) = (holds, self.conditionals().last_mut()) {
            group.taken = true;
        }
        holds || self.stopped
    }

    fn enter_else(&mut self, directive: Span) -> bool {
        let is_second = self.conditionals().last().is_some_and(|group| group.otherwise.is_some());
        self.check_group(directive, "else");
        let group = self.conditionals().last_mut().expect("a group is being skipped");
        let enters = !group.taken && !is_second;
        group.taken = true;
        enters
    }

    /// `#line` (C99 §6.10.4), whose line is already expanded.
    fn line_marker(&mut self, line: &[PpToken], directive: Span) {
        let number = line.first().and_then(|token| match token.kind {
            PpKind::Number(text) => match literal::number(self.interner.text(text)) {
                Ok(Number::Int(value, _)) => Some((value, token.span)),
                _ => None,
            },
            _ => None,
        });
        let Some((number, span)) = number else {
            let span = line.first().map_or(directive, |token| token.span);
            return self.error(span, "#line needs a line number");
        };
        let Some(number) = u32::try_from(number).ok().filter(|number| (1..=i32::MAX as u32).contains(number))
        else {
            return self.error(span, "the line number must be between 1 and 2147483647");
        };
        let name = match line.get(1).map(|token| (token.kind, token.span)) {
            None => None,
            Some((PpKind::Str(text), span)) => match literal::string(self.interner.text(text)) {
                Ok(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
                Err(message) => return self.error(span, message),
            },
            Some((_, span)) => return self.error(span, "the file name in #line must be a string"),
        };
        let Some(file) = self.files.last() else { return };
        // The mark applies from the next line on.
        let from = file.lexer.position() + 1;
        self.sources.add_line_mark(file.id, from, number, name);
    }

    fn message_of_the_line(&mut self, directive: Span, is_error: bool) {
        let Some(file) = self.files.last_mut() else { return };
        let text = shorten_message(file.lexer.skip_line());
        let message = match (is_error, text.is_empty()) {
            (true, true) => "#error".to_owned(),
            (false, true) => "#warning".to_owned(),
            _ => text,
        };
        if is_error { self.error(directive, message) } else { self.warning(directive, message) }
    }
}

fn shorten_message(text: &str) -> String {
    const LONGEST: usize = 500;
    let text: String = text.chars().take(LONGEST).collect();
    let lines: Vec<&str> = text.lines().map(|line| line.trim_end_matches('\\').trim()).collect();
    lines.join(" ")
}

/// Whether a directive has the name that other languages give `#elif`.
fn is_misspelt_elif(name: &str) -> bool {
    matches!(name, "elseif" | "elsif" | "else_if" | "elf" | "elfi")
}
