//! From tokens to the syntax tree, by recursive descent.
//!
//! A production returns its error; whoever can go on after it reports it. Where C++ is ambiguous, a
//! production is tried, and the position is restored if it fails ([`Parser::attempt`]). Function bodies and
//! default arguments in a class are parsed at the end of the outermost class, when all members are known
//! ([class.mem]). The names that are in scope are known here, so that what is wrong in a template before it
//! is instantiated is found here, too ([`dependent`]).

mod allocation;
mod class;
mod declaration;
mod declarator;
mod dependent;
mod expression;
mod function;
mod lambda;
mod name;
pub mod names;
mod primary;
mod specifier;
mod statement;
mod template;

use super::ast::{Decl, Unit};
use super::tokens::{Kind, Tok, Word, convert};
use crate::Span;
use crate::ast::Name;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::limits::TREE_DEPTH;
use crate::options::Options;
use crate::symbol::{Interner, Symbol};
use crate::token::{Keyword, Punct, Token};
use dependent::Finding;
use names::{Meaning, Names, ScopeId};
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// What a production gives.
pub(super) type Parsed<T> = Result<T, Box<Diagnostic>>;

/// Work that waits for the end of the outermost class.
type Later = Box<dyn FnOnce(&mut Parser)>;

/// Parses a translation unit.
pub fn parse(
    tokens: &[Token],
    interner: &mut Interner,
    options: &Options,
    diagnostics: &mut Diagnostics,
) -> Unit {
    let tokens = convert(tokens, interner);
    let mut builtin = crate::parse::builtin_type_names(interner);
    if options.is_opencl_cxx() {
        builtin.extend(crate::parse::bool_vector_names(interner));
    }
    let mut names = Names::new();
    for symbol in builtin {
        names.declare(symbol, Meaning::Type(None));
    }
    for family in super::FAMILIES {
        names.declare(interner.intern(family), Meaning::ValueTemplate);
    }
    let mut parser = Parser {
        tokens,
        at: 0,
        is_opencl_cxx: options.is_opencl_cxx(),
        names,
        interner,
        errors: Vec::new(),
        depth: 0,
        later: Vec::new(),
        class_depth: 0,
        class_names: Vec::new(),
        class_scopes: Vec::new(),
        in_template_arguments: false,
        tentative: 0,
        refuses_lambdas: None,
        wasted: 0,
        is_template: false,
        pack: Vec::new(),
        templates: None,
        findings: Vec::new(),
        lost: FxHashSet::default(),
    };
    let decls = parser.unit();
    // After other errors, declarations may be missing.
    let is_sound = parser.errors.is_empty();
    for error in parser.errors {
        diagnostics.push(error);
    }
    let undeclared = if is_sound { dependent::report(parser.findings, diagnostics) } else { Vec::new() };
    Unit { decls, undeclared, lost: parser.lost }
}

/// What an attempt costs besides the tokens that it reads, in tokens.
const COST_OF_ATTEMPT: usize = 8;
/// Tokens that may be read in vain, besides those below.
const WASTED: usize = 100_000;
/// The same for each token of the text.
const WASTED_PER_TOKEN: usize = 16;

/// The state of the parser.
pub(super) struct Parser<'s> {
    tokens: Vec<Tok>,
    at: usize,
    /// The language is OpenCL C++ 1.0, whose attributes begin with `cl::`.
    is_opencl_cxx: bool,
    names: Names,
    interner: &'s mut Interner,
    errors: Vec<Diagnostic>,
    depth: usize,
    later: Vec<Later>,
    class_depth: usize,
    /// Names of the classes around.
    class_names: Vec<Option<Symbol>>,
    /// Their scopes.
    class_scopes: Vec<ScopeId>,
    /// `>` ends the expression.
    in_template_arguments: bool,
    /// Productions that are only tried: nothing may be postponed or reported.
    tentative: usize,
    /// Why a lambda expression may not stand here.
    refuses_lambdas: Option<&'static str>,
    /// How many tokens were read in vain by productions that were tried.
    wasted: usize,
    /// The next declaration is a template.
    is_template: bool,
    /// `#pragma pack`, as it is here.
    pack: Vec<Option<u32>>,
    /// The names of the parameters of the templates around; `None` outside of templates.
    templates: Option<Vec<Symbol>>,
    /// What is wrong in templates.
    findings: Vec<Finding>,
    /// The names in what was not understood.
    lost: FxHashSet<Symbol>,
}

impl Parser<'_> {
    fn kind(&self) -> Kind {
        self.tokens[self.at].kind
    }

    fn kind_at(&self, offset: usize) -> Kind {
        self.tokens.get(self.at + offset).map_or(Kind::End, |token| token.kind)
    }

    fn kind_before(&self) -> Option<Kind> {
        Some(self.tokens[self.at.checked_sub(1)?].kind)
    }

    fn span(&self) -> Span {
        self.tokens[self.at].span
    }

    /// The place of the token before.
    fn last_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    fn from(&self, start: Span) -> Span {
        Span::new(start.start, self.last_span().end.max(start.start))
    }

    fn skip(&mut self) {
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
    }

    fn is(&self, punct: Punct) -> bool {
        self.kind() == Kind::Punct(punct)
    }

    fn is_word(&self, word: Word) -> bool {
        self.kind() == Kind::Word(word)
    }

    fn is_keyword(&self, keyword: Keyword) -> bool {
        self.kind() == Kind::Keyword(keyword)
    }

    fn eat(&mut self, punct: Punct) -> bool {
        let found = self.is(punct);
        if found {
            self.skip();
        }
        found
    }

    fn eat_word(&mut self, word: Word) -> bool {
        let found = self.is_word(word);
        if found {
            self.skip();
        }
        found
    }

    fn eat_keyword(&mut self, keyword: Keyword) -> bool {
        let found = self.is_keyword(keyword);
        if found {
            self.skip();
        }
        found
    }

    fn expect(&mut self, punct: Punct) -> Parsed<Span> {
        if self.is(punct) {
            let span = self.span();
            self.skip();
            return Ok(span);
        }
        Err(self.expected(&format!("'{}'", punct.text())))
    }

    /// `>` at the end of template arguments; `>>` is two of them.
    fn expect_closing_angle(&mut self) -> Parsed<()> {
        if !self.closes_angle() {
            return Err(self.expected("'>'"));
        }
        self.skip();
        Ok(())
    }

    /// `...`, if it is next, with the names since a position.
    fn eat_expansion(&mut self, start: usize) -> Option<crate::cxx::ast::Names> {
        let names = self.is(Punct::Ellipsis).then(|| self.names_since(start));
        if let Some(names) = &names {
            let span = self.span();
            self.note_expansion(names, span);
            self.skip();
        }
        names
    }

    /// The names in the tokens since a position.
    fn names_since(&self, start: usize) -> crate::cxx::ast::Names {
        let names = self.tokens[start..self.at].iter().filter_map(|token| match token.kind {
            Kind::Identifier(symbol) => Some(symbol),
            _ => None,
        });
        names.collect()
    }

    fn identifier(&mut self) -> Parsed<Name> {
        match self.kind() {
            Kind::Identifier(symbol) => {
                let span = self.span();
                self.skip();
                Ok(Name { symbol, span })
            }
            _ => Err(self.expected("identifier")),
        }
    }

    fn peek_identifier(&self) -> Option<Symbol> {
        match self.kind() {
            Kind::Identifier(symbol) => Some(symbol),
            _ => None,
        }
    }

    fn is_text(&self, text: &str) -> bool {
        self.peek_identifier().is_some_and(|symbol| self.interner.text(symbol) == text)
    }

    fn text_of(&self, symbol: Symbol) -> &str {
        self.interner.text(symbol)
    }

    fn fault<T>(&self, span: Span, message: impl Into<String>) -> Parsed<T> {
        Err(Box::new(Diagnostic::error(span, message)))
    }

    fn expected(&self, what: &str) -> Box<Diagnostic> {
        let span = self.span();
        let found = match self.kind() {
            Kind::End => " at the end of the file",
            _ => "",
        };
        // A missing `;` belongs behind the last token.
        let place = if what == "';'" {
            let last = self.last_span();
            Span::new(last.end.saturating_sub(1).max(last.start), last.end)
        } else {
            span
        };
        Box::new(Diagnostic::error(place, format!("expected {what}{found}")))
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        if self.tentative == 0 {
            self.errors.push(diagnostic);
        }
    }

    fn error(&mut self, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::error(span, message));
    }

    /// Parses something if it can be parsed; else nothing is read.
    fn attempt<T>(&mut self, production: impl FnOnce(&mut Self) -> Parsed<T>) -> Option<T> {
        let (at, scope, arguments) = (self.at, self.names.current(), self.in_template_arguments);
        let (templates, findings) = (self.templates.clone(), self.findings.len());
        self.tentative += 1;
        let result = production(self);
        self.tentative -= 1;
        match result {
            Ok(value) => Some(value),
            Err(_) => {
                self.wasted = self.wasted.saturating_add(COST_OF_ATTEMPT + self.at.saturating_sub(at));
                if self.is_exhausted() {
                    self.at = self.tokens.len() - 1;
                    return None;
                }
                self.templates = templates;
                self.findings.truncate(findings);
                self.at = at;
                self.names.go(scope);
                self.in_template_arguments = arguments;
                None
            }
        }
    }

    /// Whether too much was tried: attempts within attempts may take exponential time. Then the text counts
    /// as read, with an error.
    fn is_exhausted(&mut self) -> bool {
        let limit = WASTED + WASTED_PER_TOKEN * self.tokens.len();
        if self.wasted > limit && self.wasted != usize::MAX {
            self.wasted = usize::MAX;
            let message = "this is too complex to be parsed: too many nested template arguments";
            self.errors.push(Diagnostic::error(self.span(), message));
        }
        self.wasted == usize::MAX
    }

    /// Parses in a new scope.
    fn in_scope<T>(&mut self, production: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        let inner = self.names.inner();
        let outer = self.names.go(inner);
        let result = production(self);
        self.names.go(outer);
        result
    }

    /// Parses something that may contain itself.
    fn nested<T>(&mut self, production: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        const RED_ZONE: usize = 256 << 10;
        const SEGMENT: usize = 2 << 20;
        if self.depth >= TREE_DEPTH {
            let span = self.span();
            let message =
                format!("expression, statement or declarator is more than {TREE_DEPTH} levels deep");
            return self.fault(span, message);
        }
        self.depth += 1;
        let result = stacker::maybe_grow(RED_ZONE, SEGMENT, || production(self));
        self.depth -= 1;
        result
    }

    /// Parses without the rule that `>` ends an expression: inside brackets.
    fn in_brackets<T>(&mut self, production: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        let before = std::mem::replace(&mut self.in_template_arguments, false);
        let result = production(self);
        self.in_template_arguments = before;
        result
    }

    /// Skips a bracketed group, whose opening bracket is the next token.
    fn skip_group(&mut self) {
        let mut depth = 0usize;
        loop {
            match self.kind() {
                Kind::Punct(Punct::LeftParen | Punct::LeftBrace | Punct::LeftBracket) => depth += 1,
                Kind::Punct(Punct::RightParen | Punct::RightBrace | Punct::RightBracket) => {
                    depth = depth.saturating_sub(1);
                }
                Kind::End => return,
                _ => {}
            }
            self.skip();
            if depth == 0 {
                return;
            }
        }
    }

    /// Reports that what begins at `start` is not understood, and goes to its end. What it declares is not
    /// known then.
    fn give_up(&mut self, fault: Diagnostic, start: usize) {
        self.report(fault);
        if self.at == start {
            self.skip();
        }
        self.recover();
        let names = self.names_since(start.min(self.at));
        self.lost.extend(names.iter());
    }

    /// Skips to the end of a declaration that was not understood.
    fn recover(&mut self) {
        loop {
            match self.kind() {
                Kind::End | Kind::Punct(Punct::RightBrace) => return,
                Kind::Punct(Punct::Semicolon) => {
                    self.skip();
                    return;
                }
                Kind::Punct(Punct::LeftBrace) => {
                    self.skip_group();
                    self.eat(Punct::Semicolon);
                    return;
                }
                Kind::Punct(Punct::LeftParen | Punct::LeftBracket) => self.skip_group(),
                _ => self.skip(),
            }
        }
    }

    fn unit(&mut self) -> Vec<Rc<Decl>> {
        let mut decls = Vec::new();
        while self.kind() != Kind::End {
            let before = self.at;
            self.declarations(&mut decls);
            if self.kind() != Kind::End && self.at == before {
                let span = self.span();
                self.error(span, "extraneous closing brace ('}')");
                self.skip();
            }
        }
        decls
    }

    /// Declarations up to a closing brace or the end.
    fn declarations(&mut self, decls: &mut Vec<Rc<Decl>>) {
        while !matches!(self.kind(), Kind::End | Kind::Punct(Punct::RightBrace)) {
            let (before, scope) = (self.at, self.names.current());
            match self.declaration() {
                Ok(decl) => decls.push(decl),
                Err(fault) => {
                    self.names.go(scope);
                    self.is_template = false;
                    self.give_up(*fault, before);
                }
            }
        }
    }
}
