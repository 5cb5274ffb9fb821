//! Jumps past declarations ([stmt.dcl]/3): a jump must not enter the scope of a variable and bypass its
//! initialisation.

use crate::Span;
use crate::ast::Name;
use crate::check::cxx::Cxx;
use crate::diagnostic::Diagnostic;
use crate::symbol::Symbol;

/// The initialised variables around the places of a function that jumps leave and reach.
#[derive(Debug, Default)]
pub(in crate::check::cxx) struct Bypass {
    /// The initialised variables in scope, each with a number that no other one has.
    live: Vec<(usize, Span)>,
    made: usize,
    labels: Vec<(Symbol, Vec<(usize, Span)>)>,
    gotos: Vec<(Name, Vec<(usize, Span)>)>,
    /// For each `switch` around, how many variables are live at its beginning.
    switches: Vec<usize>,
}

impl Bypass {
    /// A variable is initialised here.
    pub fn initialised(&mut self, span: Span) {
        self.made += 1;
        self.live.push((self.made, span));
    }

    /// How many variables are live, to go back to at the end of a scope.
    pub fn depth(&self) -> usize {
        self.live.len()
    }

    pub fn leave(&mut self, depth: usize) {
        self.live.truncate(depth);
    }

    pub fn enter_switch(&mut self) {
        self.switches.push(self.live.len());
    }

    pub fn leave_switch(&mut self) {
        self.switches.pop();
    }

    pub fn label(&mut self, name: Name) {
        self.labels.push((name.symbol, self.live.clone()));
    }

    pub fn goto(&mut self, name: Name) {
        self.gotos.push((name, self.live.clone()));
    }

    /// The first variable that a jump from the beginning of the innermost `switch` to here bypasses.
    fn before_case(&self) -> Option<Span> {
        let start = *self.switches.last()?;
        self.live.get(start).map(|(_, span)| *span)
    }

    /// The `goto`s that bypass a variable, and which.
    fn wrong_gotos(&self) -> Vec<(Span, Span)> {
        let target = |name: Symbol| self.labels.iter().find(|(label, _)| *label == name);
        let bypassed = |(name, from): &(Name, Vec<(usize, Span)>)| {
            let (_, to) = target(name.symbol)?;
            let (_, variable) = to.iter().find(|it| !from.contains(it))?;
            Some((name.span, *variable))
        };
        self.gotos.iter().filter_map(bypassed).collect()
    }
}

impl Cxx<'_> {
    /// A label of a `switch` is here.
    pub(super) fn check_case_jump(&mut self, span: Span) {
        if let Some(variable) = self.frame().bypass.before_case() {
            let diagnostic = Diagnostic::error(span, "cannot jump from switch statement to this case label");
            self.report(diagnostic.related(variable, "jump bypasses variable initialization"));
        }
    }

    /// The end of a function, when all labels are known.
    pub(in crate::check::cxx) fn check_gotos(&mut self) {
        for (at, variable) in self.frame().bypass.wrong_gotos() {
            let diagnostic = Diagnostic::error(at, "cannot jump from this goto statement to its label");
            self.report(diagnostic.related(variable, "jump bypasses variable initialization"));
        }
    }
}
