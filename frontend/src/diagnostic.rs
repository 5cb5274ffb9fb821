//! Messages to the user.

use crate::Span;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
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
}

impl Diagnostics {
    /// Adds a message; beyond [`crate::limits::ERRORS`] errors they are only counted.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        if diagnostic.severity == Severity::Error {
            self.errors += 1;
        }
        if self.errors <= crate::limits::ERRORS {
            self.list.push(diagnostic);
        }
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
}
