//! Messages to the user.
//!
//! Phases push [`Diagnostic`]s in any order; `-w` and `-Werror` act in [`Diagnostics::push`] and nowhere
//! else. Rendering sorts by place: [`Diagnostics::render_plain`] for build logs,
//! [`Diagnostics::render_pretty`] for terminals.

mod plain;
mod pretty;

use crate::Span;
use crate::options::Options;
use crate::source::SourceMap;
use rustc_hash::FxHashSet;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs)]
pub enum Severity {
    Note,
    Warning,
    Error,
}

/// A message with its place in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Severity.
    pub severity: Severity,
    /// What is wrong: one line, lower case, no full stop, as clang writes.
    pub message: String,
    /// Where.
    pub span: Span,
    /// Text at the caret; may be empty.
    pub label: String,
    /// Other places, with a text each.
    pub related: Vec<(Span, String)>,
    /// What to do, or why: further lines.
    pub notes: Vec<String>,
}

impl Diagnostic {
    /// An error.
    pub fn error(span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, span, message)
    }

    /// A warning.
    pub fn warning(span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, span, message)
    }

    fn new(severity: Severity, span: Span, message: impl Into<String>) -> Self {
        let (message, label) = (message.into(), String::new());
        Diagnostic { severity, message, span, label, related: Vec::new(), notes: Vec::new() }
    }

    /// With a text at the caret.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// With another place.
    #[must_use]
    pub fn related(mut self, span: Span, text: impl Into<String>) -> Self {
        self.related.push((span, text.into()));
        self
    }

    /// With a further line.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }
}

/// The messages of a compilation.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    errors: usize,
    warnings: usize,
    no_warnings: bool,
    warnings_are_errors: bool,
}

impl Diagnostics {
    /// None yet, under the rules of `-w` and `-Werror`.
    #[must_use]
    pub fn new(options: &Options) -> Self {
        let Options { no_warnings, warnings_are_errors, .. } = *options;
        Diagnostics { no_warnings, warnings_are_errors, ..Diagnostics::default() }
    }

    /// Adds a message; beyond [`crate::limits::ERRORS`] errors and [`crate::limits::WARNINGS`] warnings they
    /// are only counted.
    pub fn push(&mut self, mut diagnostic: Diagnostic) {
        if diagnostic.severity == Severity::Warning {
            if self.no_warnings {
                return;
            }
            if self.warnings_are_errors {
                diagnostic.severity = Severity::Error;
                diagnostic.message.push_str(" [-Werror]");
            }
        }
        let (count, limit) = match diagnostic.severity {
            Severity::Error => (&mut self.errors, crate::limits::ERRORS),
            Severity::Warning | Severity::Note => (&mut self.warnings, crate::limits::WARNINGS),
        };
        *count += 1;
        if *count <= limit {
            self.list.push(diagnostic);
        }
    }

    /// Adds a warning of a build option that is ignored. `-Werror` leaves it a warning: it is about the
    /// program.
    pub(crate) fn push_about_options(&mut self, option: &str) {
        let message =
            format!("the build option `{}` belongs to another vendor and is ignored", shorten(option));
        if !self.no_warnings && self.warnings < crate::limits::WARNINGS {
            self.warnings += 1;
            self.list.push(Diagnostic::warning(Span::NONE, message));
        }
    }

    /// Adds a related place to the messages after the first `count`.
    pub(crate) fn relate_since(&mut self, count: usize, span: Span, text: &str) {
        for diagnostic in self.list.iter_mut().skip(count) {
            diagnostic.related.push((span, text.to_owned()));
        }
    }

    /// Drops the errors after the first `count` messages whose line has an error among these: a character or
    /// macro that is wrong makes wrong syntax too.
    pub(crate) fn drop_consequences(&mut self, count: usize, sources: &SourceMap) {
        let line = |diagnostic: &Diagnostic| {
            let place = sources.location(diagnostic.span);
            (place.file.to_string(), place.line)
        };
        let is_error = |diagnostic: &Diagnostic| diagnostic.severity == Severity::Error;
        let causes: FxHashSet<_> =
            self.list[..count].iter().filter(|diagnostic| is_error(diagnostic)).map(line).collect();
        if causes.is_empty() {
            return;
        }
        let before = self.list.len();
        let mut index = 0;
        self.list.retain(|diagnostic| {
            index += 1;
            index <= count || !is_error(diagnostic) || !causes.contains(&line(diagnostic))
        });
        self.errors -= before - self.list.len();
    }

    /// Whether there is an error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// Errors, those that were left out too.
    #[must_use]
    pub fn error_count(&self) -> usize {
        self.errors
    }

    /// The messages, in order of their making.
    #[must_use]
    pub fn list(&self) -> &[Diagnostic] {
        &self.list
    }

    /// For build logs: `file:line:col: error: message`, the source line, a caret line and the notes of each
    /// message, and at the end how many there are. Empty if there are none.
    #[must_use]
    pub fn render_plain(&self, sources: &SourceMap) -> String {
        let mut out = String::new();
        for diagnostic in self.sorted(sources) {
            plain::render(&mut out, diagnostic, sources);
        }
        self.summarize(&mut out);
        out
    }

    /// For terminals: boxes of source lines with labels (by ariadne), coloured or not.
    #[must_use]
    pub fn render_pretty(&self, sources: &SourceMap, colour: bool) -> String {
        let mut out = String::new();
        let mut renderer = pretty::Renderer::new(sources, colour);
        for diagnostic in self.sorted(sources) {
            renderer.render(&mut out, diagnostic);
        }
        self.summarize(&mut out);
        out
    }

    /// By place: where in the main file, then where in the file that is included there, and so on.
    fn sorted(&self, sources: &SourceMap) -> Vec<&Diagnostic> {
        let mut sorted: Vec<&Diagnostic> = self.list.iter().collect();
        sorted.sort_by_cached_key(|diagnostic| {
            let mut key: Vec<u32> =
                sources.include_chain(diagnostic.span).iter().rev().map(|span| span.start).collect();
            key.push(sources.file_span(diagnostic.span).start);
            key
        });
        sorted
    }

    fn summarize(&self, out: &mut String) {
        let count = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
        match (self.warnings, self.errors) {
            (0, 0) => return,
            (0, errors) => out.push_str(&count(errors, "error")),
            (warnings, 0) => out.push_str(&count(warnings, "warning")),
            (warnings, errors) => {
                out.push_str(&format!("{} and {}", count(warnings, "warning"), count(errors, "error")));
            }
        }
        out.push_str(" generated");
        let left_out = self.errors + self.warnings - self.list.len();
        if left_out > 0 {
            out.push_str(&format!(" ({left_out} not shown)"));
        }
        out.push('\n');
    }
}

/// The text, cut to what a message can carry.
pub(crate) fn shorten(text: &str) -> std::borrow::Cow<'_, str> {
    const LONGEST: usize = 60;
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &text[..at]).into(),
        None => text.into(),
    }
}
