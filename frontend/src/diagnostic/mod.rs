//! Messages to the user.
//!
//! Phases push [`Diagnostic`]s in any order; `-w` and `-Werror` act in [`Diagnostics::push`] and nowhere
//! else. [`Diagnostics::render`] sorts them by place and writes them in one of the [`Form`]s, up to an
//! [`ErrorLimit`].

mod excerpt;
mod places;
mod plain;
mod pretty;
mod short;

use crate::Span;
use crate::options::Options;
use crate::source::SourceMap;
use clvk_interface::Feature;
use rustc_hash::FxHashSet;

/// The severity of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs)]
pub enum Severity {
    Note,
    Warning,
    Error,
}

/// What a rendered message looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One line: `file:line:column: error: message`. For editors and continuous integration.
    Short,
    /// The same, the source line, a caret line and notes. For build logs.
    Plain,
    /// Source lines with line numbers and labels. For terminals.
    Pretty {
        /// With colours (ANSI escape codes).
        colour: bool,
    },
}

/// How many errors are rendered; messages after the last of them are only counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ErrorLimit {
    /// The number; `None` for all that are kept ([`crate::limits::ERRORS`]).
    pub errors: Option<std::num::NonZeroUsize>,
    /// How the user sees the rest, to follow "and 37 more errors"; may be empty.
    pub remedy: &'static str,
}

impl Default for ErrorLimit {
    /// 20 errors, as in clang.
    fn default() -> Self {
        ErrorLimit { errors: std::num::NonZeroUsize::new(20), remedy: "" }
    }
}

/// A place that belongs to a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    /// Where.
    pub span: Span,
    /// What is there.
    pub text: String,
    /// Whether it is a part of what the message is about, such as an operand. It is marked where there is
    /// room for drawings, and left out elsewhere, because the message says the same in words.
    pub is_part: bool,
}

/// A message with its place in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Severity.
    pub severity: Severity,
    /// What is wrong: one line, lower case, without a full stop, in clang's style. Source text is in single
    /// quotes.
    pub message: String,
    /// Where.
    pub span: Span,
    /// Text at the caret, such as the type of the expression there; may be empty.
    pub label: String,
    /// Other places.
    pub related: Vec<Related>,
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

    /// With a suggestion: `; did you mean 'NAME'?`.
    #[must_use]
    pub(crate) fn suggest(mut self, name: &str) -> Self {
        self.message.push_str(&format!("; did you mean '{name}'?"));
        self
    }

    /// With a text at a part of the expression that the message is about.
    #[must_use]
    pub fn mark(mut self, span: Span, text: impl Into<String>) -> Self {
        self.related.push(Related { span, text: text.into(), is_part: true });
        self
    }

    /// Adds a text at the caret.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Adds another place.
    #[must_use]
    pub fn related(mut self, span: Span, text: impl Into<String>) -> Self {
        self.related.push(Related { span, text: text.into(), is_part: false });
        self
    }

    /// Adds a note.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }
}

/// A use of a feature that the device does not offer, accepted for now
/// ([`Options::defers_features`](crate::Options::defers_features)).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deferred {
    /// The feature.
    pub feature: Feature,
    /// What needs it: `the type 'double'`.
    pub what: String,
    /// Where.
    pub span: Span,
    /// The function of the module that uses it; `None` at file scope.
    pub function: Option<String>,
}

/// A constant of type `double` that is of single precision, for want of doubles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Narrowed {
    /// Where.
    pub span: Span,
    /// The function of the module that it is in; `None` at file scope.
    pub function: Option<String>,
}

/// The messages of a compilation.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    deferred: Vec<Deferred>,
    /// Constants of type `double` that became single precision.
    narrowed: Vec<Narrowed>,
    /// The first of `deferred` that belong to what is being checked.
    attributed: usize,
    errors: usize,
    warnings: usize,
    /// Whether only the first error is shown.
    first_only: bool,
    no_warnings: bool,
    warnings_are_errors: bool,
    /// Whether something is only tried: messages are not kept.
    is_quiet: bool,
    /// Errors that were not kept.
    swallowed: usize,
}

impl Diagnostics {
    /// An empty list that follows `-w` and `-Werror`.
    #[must_use]
    pub fn new(options: &Options) -> Self {
        let Options { no_warnings, warnings_are_errors, .. } = *options;
        Diagnostics { no_warnings, warnings_are_errors, ..Diagnostics::default() }
    }

    /// Whether messages are kept; while something is only tried they are not.
    pub(crate) fn set_quiet(&mut self, is_quiet: bool) {
        self.is_quiet = is_quiet;
    }

    /// Errors that came while messages were not kept.
    pub(crate) fn swallowed(&self) -> usize {
        self.swallowed
    }

    /// Adds a message; beyond [`crate::limits::ERRORS`] errors and [`crate::limits::WARNINGS`] warnings they
    /// are only counted.
    pub fn push(&mut self, mut diagnostic: Diagnostic) {
        if self.is_quiet {
            self.swallowed += usize::from(diagnostic.severity == Severity::Error);
            return;
        }
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

    /// Puts a use of a feature on the list of what is judged later; the same use only once in a function.
    pub(crate) fn defer(&mut self, feature: Feature, what: &str, span: Span) {
        let of_item = &self.deferred[self.attributed..];
        if !of_item.iter().any(|other| other.feature == feature && other.what == what) {
            self.deferred.push(Deferred { feature, what: what.to_owned(), span, function: None });
        }
    }

    /// At the end of a function or of something else at file scope: says what it was that the newest entries
    /// of the list belong to.
    pub(crate) fn attribute_deferred(&mut self, function: Option<&str>) {
        for deferred in &mut self.deferred[self.attributed..] {
            deferred.function = function.map(str::to_owned);
        }
        self.attributed = self.deferred.len();
        for narrowed in self.narrowed.iter_mut().rev().take_while(|narrowed| narrowed.function.is_none()) {
            narrowed.function = function.map(str::to_owned);
        }
    }

    pub(crate) fn narrow(&mut self, span: Span) {
        self.narrowed.push(Narrowed { span, function: None });
    }

    /// The constants of type `double` that became single precision, in order.
    #[must_use]
    pub fn narrowed(&self) -> &[Narrowed] {
        &self.narrowed
    }

    /// Uses of features that the device does not offer, in order.
    #[must_use]
    pub fn deferred(&self) -> &[Deferred] {
        &self.deferred
    }

    /// Adds a warning about an ignored build option. `-Werror` does not turn it into an error, because that
    /// option is about the program.
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
            diagnostic.related.push(Related { span, text: text.to_owned(), is_part: false });
        }
    }

    /// Places the errors after the first `count` that are about a whole expression at its operator, and marks
    /// the operands.
    pub(crate) fn mark_operands(
        &mut self,
        count: usize,
        whole: Span,
        operator: Span,
        operands: &[(Span, String)],
    ) {
        let is_about =
            |diagnostic: &&mut Diagnostic| diagnostic.severity == Severity::Error && diagnostic.span == whole;
        for diagnostic in self.list.iter_mut().skip(count).filter(is_about) {
            diagnostic.span = operator;
            let marks = operands.iter().map(|(span, text)| Related {
                span: *span,
                text: text.clone(),
                is_part: true,
            });
            diagnostic.related.splice(0..0, marks);
        }
    }

    /// Marks a part in the errors after the first `count` that are about `span`.
    pub(crate) fn mark_since(&mut self, count: usize, span: Span, part: Span, text: &str) {
        for diagnostic in self.list.iter_mut().skip(count).filter(|diagnostic| diagnostic.span == span) {
            diagnostic.related.push(Related { span: part, text: text.to_owned(), is_part: true });
        }
    }

    /// Shows only the first error, with a note, unless all errors are asked for.
    pub(crate) fn show_first_error(&mut self, sources: &SourceMap, note: &str) {
        let errors = (0..self.list.len()).filter(|&index| self.list[index].severity == Severity::Error);
        let first = errors.min_by_key(|&index| sources.file_span(self.list[index].span).start);
        if let Some(first) = first {
            self.list[first].notes.push(note.to_owned());
            self.first_only = true;
        }
    }

    /// Drops the errors after the first `count` messages if their line has an error among the first ones: a
    /// wrong character or macro also causes syntax errors.
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

    /// Number of errors, including those that were left out.
    #[must_use]
    pub fn error_count(&self) -> usize {
        self.errors
    }

    /// The messages, in the order of their creation.
    #[must_use]
    pub fn list(&self) -> &[Diagnostic] {
        &self.list
    }

    /// The messages by place, and at the end how many there are. Empty if there are none.
    #[must_use]
    pub fn render(&self, sources: &SourceMap, form: Form, limit: ErrorLimit) -> String {
        let mut out = String::new();
        let shown = self.shown(sources, limit);
        for diagnostic in &shown {
            match form {
                Form::Short => short::render(&mut out, diagnostic, sources),
                Form::Plain => plain::render(&mut out, diagnostic, sources),
                Form::Pretty { colour } => pretty::render(&mut out, diagnostic, sources, colour),
            }
        }
        self.count_hidden(&mut out, &shown, limit);
        if form != Form::Short {
            self.summarize(&mut out);
        }
        out
    }

    /// [`Diagnostics::render`] for build logs.
    #[must_use]
    pub fn render_plain(&self, sources: &SourceMap) -> String {
        self.render(sources, Form::Plain, ErrorLimit::default())
    }

    /// [`Diagnostics::render`] for terminals.
    #[must_use]
    pub fn render_pretty(&self, sources: &SourceMap, colour: bool) -> String {
        self.render(sources, Form::Pretty { colour }, ErrorLimit::default())
    }

    /// The messages by place, up to the last error that the limit allows.
    fn shown(&self, sources: &SourceMap, limit: ErrorLimit) -> Vec<&Diagnostic> {
        let mut shown = self.sorted(sources);
        let errors = shown.iter().enumerate().filter(|(_, shown)| shown.severity == Severity::Error);
        let last = limit.errors.and_then(|count| {
            let before = if self.first_only { 0 } else { count.get() - 1 };
            errors.map(|(index, _)| index).nth(before)
        });
        if let Some(last) = last {
            shown.truncate(last + 1);
        }
        shown
    }

    /// How many messages are not shown.
    fn count_hidden(&self, out: &mut String, shown: &[&Diagnostic], limit: ErrorLimit) {
        let errors = shown.iter().filter(|shown| shown.severity == Severity::Error).count();
        let hidden = (self.errors - errors, self.warnings - (shown.len() - errors));
        let Some(numbers) = numbers(hidden.0, hidden.1, "more ") else { return };
        out.push_str(&format!("and {numbers}"));
        // Those that are not kept cannot be shown.
        let kept = self.list.len() > shown.len();
        if kept && !limit.remedy.is_empty() {
            out.push_str(&format!("; {}", limit.remedy));
        }
        out.push('\n');
    }

    /// The messages by place: by position in the main file, then by position in the file included there, and
    /// so on.
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
        if let Some(numbers) = numbers(self.errors, self.warnings, "") {
            out.push_str(&format!("{numbers} generated\n"));
        }
    }
}

/// "2 warnings and 1 error", with a word before each noun; `None` if there are none.
fn numbers(errors: usize, warnings: usize, word: &str) -> Option<String> {
    let count = |count: usize, what: &str| {
        let plural = if count == 1 { "" } else { "s" };
        (count > 0).then(|| format!("{count} {word}{what}{plural}"))
    };
    match (count(warnings, "warning"), count(errors, "error")) {
        (Some(warnings), Some(errors)) => Some(format!("{warnings} and {errors}")),
        (warnings, errors) => warnings.or(errors),
    }
}

/// The text, shortened for a message.
pub(crate) fn shorten(text: &str) -> std::borrow::Cow<'_, str> {
    const LONGEST: usize = 60;
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &text[..at]).into(),
        None => text.into(),
    }
}
