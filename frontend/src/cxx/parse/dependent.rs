//! What is wrong in a template before it is instantiated ([temp.res]/8): names that do not depend on its
//! parameters and that nothing declares ([temp.nondep]), and wrong uses of parameter packs.
//!
//! Something that was only tried may still turn out to be something else. So it is noted, and reported at the
//! end ([`Parser::attempt`] forgets what failed).

use super::names::Meaning;
use super::{Parser, ScopeId};
use crate::Span;
use crate::ast::Name;
use crate::cxx::ast::{Id, QualifiedName, TemplateParam, TypeSpecifier, Undeclared};
use crate::cxx::tokens::{Kind, Word};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::symbol::Symbol;
use crate::token::Punct;

/// Something that is wrong, unless it was only tried.
#[derive(Debug)]
pub(super) enum Finding {
    /// A name; whether a base class that depends on a parameter may have it.
    Undeclared(Undeclared),
    /// An error.
    Error(Span, String),
}

/// Reports what was found, each place once. Returns the names that the program does not declare: they may be
/// built-in.
pub(super) fn report(findings: Vec<Finding>, diagnostics: &mut Diagnostics) -> Vec<Undeclared> {
    let mut names: Vec<Undeclared> = Vec::new();
    let mut errors: Vec<(Span, String)> = Vec::new();
    for finding in findings {
        match finding {
            Finding::Undeclared(new) if !names.iter().any(|known| known.name.span == new.name.span) => {
                names.push(new);
            }
            Finding::Error(span, message) if !errors.iter().any(|(known, _)| *known == span) => {
                errors.push((span, message));
            }
            _ => {}
        }
    }
    for (span, message) in errors {
        diagnostics.push(Diagnostic::error(span, message));
    }
    names
}

impl Parser<'_> {
    /// Notes a name in a template that nothing declares. One that is called with arguments that may depend on
    /// a parameter is left to argument-dependent lookup.
    pub(super) fn note_name(&mut self, name: &QualifiedName, meaning: Option<Meaning>) {
        let Some(plain) = name.plain() else { return };
        let is_value = matches!(meaning, None | Some(Meaning::Value | Meaning::ValueTemplate));
        if self.templates.is_none() || !is_value || self.names.is_visible(plain.symbol) {
            return;
        }
        if self.is(Punct::LeftParen) && self.group_may_depend() {
            return;
        }
        let undeclared = Undeclared { name: plain, is_in_base: meaning.is_some() };
        self.findings.push(Finding::Undeclared(undeclared));
    }

    /// Notes the capture of a name that nothing declares.
    pub(super) fn note_captured(&mut self, name: Name) {
        if self.templates.is_some() && !self.names.is_visible(name.symbol) {
            self.findings.push(Finding::Undeclared(Undeclared { name, is_in_base: false }));
        }
    }

    /// Declares a variable, or something else that has a value.
    pub(super) fn declare_local(&mut self, name: Name) {
        self.names.declare(name.symbol, Meaning::Value);
        self.note_shadow(name);
    }

    /// Whether what the parentheses here hold may depend on a template parameter, or be an object of a class:
    /// it has a name, a literal of the program, or a lambda expression.
    fn group_may_depend(&self) -> bool {
        let mut depth = 0usize;
        for token in &self.tokens[self.at..] {
            match token.kind {
                Kind::Punct(Punct::LeftParen) => depth += 1,
                Kind::Punct(Punct::RightParen) if depth == 1 => return false,
                Kind::Punct(Punct::RightParen) => depth -= 1,
                Kind::Identifier(_)
                | Kind::Suffix(..)
                | Kind::Word(Word::This)
                | Kind::Punct(Punct::LeftBracket) => return true,
                _ => {}
            }
        }
        true
    }

    /// The parameters of a template belong to it from here on; none may hide one of a template around.
    pub(super) fn enter_template(&mut self, params: &[TemplateParam]) {
        for name in params.iter().filter_map(|param| param.name) {
            self.note_shadow(name);
        }
        let own = params.iter().filter_map(|param| param.name.map(|name| name.symbol));
        self.templates.get_or_insert_default().extend(own);
    }

    /// Notes a declaration that hides a template parameter ([temp.local]/6).
    pub(super) fn note_shadow(&mut self, name: Name) {
        if self.templates.as_ref().is_some_and(|params| params.contains(&name.symbol)) {
            let text = self.text_of(name.symbol).to_owned();
            let message = format!("declaration of '{text}' shadows template parameter");
            self.findings.push(Finding::Error(name.span, message));
        }
    }

    /// Notes `e...` without a parameter pack in `e` ([temp.variadic]/6).
    pub(super) fn note_expansion(&mut self, names: &[Symbol], span: Span) {
        if self.templates.is_some() && !names.iter().any(|name| self.names.may_be_pack(*name)) {
            let message = "pack expansion does not contain any unexpanded parameter packs".to_owned();
            self.findings.push(Finding::Error(span, message));
        }
    }

    /// Notes `sizeof...(name)` of something that is not a parameter pack ([expr.sizeof]/5).
    pub(super) fn note_sizeof_pack(&mut self, name: Name) {
        if self.templates.is_some() && !self.names.may_be_pack(name.symbol) {
            let text = self.text_of(name.symbol).to_owned();
            let message = format!("'{text}' does not refer to the name of a parameter pack");
            self.findings.push(Finding::Error(name.span, message));
        }
    }

    /// Notes a binary fold with packs in both operands ([expr.prim.fold]/3).
    pub(super) fn note_fold(
        &mut self,
        left: std::ops::Range<usize>,
        right: std::ops::Range<usize>,
        span: Span,
    ) {
        if self.has_unexpanded_pack(left) && self.has_unexpanded_pack(right) {
            let message = "binary fold expression has unexpanded parameter packs in both operands".to_owned();
            self.findings.push(Finding::Error(span, message));
        }
    }

    /// Whether tokens surely have a pack that nothing in them expands.
    fn has_unexpanded_pack(&self, range: std::ops::Range<usize>) -> bool {
        let tokens = &self.tokens[range];
        let expands = tokens.iter().any(|token| token.kind == Kind::Punct(Punct::Ellipsis));
        let is_member = |index: usize| {
            index > 0
                && matches!(tokens[index - 1].kind, Kind::Punct(Punct::Dot | Punct::Arrow) | Kind::ColonColon)
        };
        !expands
            && tokens.iter().enumerate().any(|(index, token)| match token.kind {
                Kind::Identifier(symbol) => !is_member(index) && self.names.is_pack(symbol),
                _ => false,
            })
    }

    /// Notes what is known of the members of a base class: of one that depends on a template parameter,
    /// unqualified names do not find any ([temp.dep]/3).
    pub(super) fn note_base(&mut self, class: ScopeId, base: &QualifiedName, names: &[Symbol]) {
        let scope = self.scope_of_type(&TypeSpecifier::Named(base.clone()));
        if let Some(scope) = scope {
            self.names.add_also(class, scope);
        }
        let depends =
            self.templates.as_ref().is_some_and(|params| names.iter().any(|name| params.contains(name)));
        let is_plain =
            base.parts.iter().all(|part| matches!(part.id, Id::Name(_)) && part.arguments.is_none());
        match scope {
            Some(scope) if depends => self.names.add_dependent(class, scope),
            _ if depends => {}
            Some(scope) if is_plain && !self.names.is_template(scope) => {}
            // Which specialisation it is, is not known here.
            _ => self.names.open(class),
        }
    }

    /// Does something without notes if it belongs to a class whose members may be those of a specialisation.
    pub(super) fn as_member_of<T>(
        &mut self,
        name: Option<&QualifiedName>,
        work: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let is_sure = match name.filter(|name| name.is_qualified()) {
            Some(name) => self.prefix_scope(name).is_some_and(|scope| !self.names.is_in_specialized(scope)),
            None => true,
        };
        if is_sure { work(self) } else { self.without_notes(work) }
    }

    /// Does something that is not noted.
    pub(super) fn without_notes<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let templates = self.templates.take();
        let result = work(self);
        self.templates = templates;
        result
    }
}
