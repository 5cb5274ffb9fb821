//! Messages about sources, together with the sources, so that they can be rendered.

use clvk_frontend::{Diagnostic, Diagnostics, SourceMap};
use clvk_ir::Span;
use serde::{Serialize, Serializer};
use std::fmt;
use std::sync::Arc;

pub use clvk_frontend::{ErrorLimit, Form, Severity};

/// A place in a source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// Name of the file, after `#line`.
    pub file: String,
    /// Line of the first character, from 1, after `#line`.
    pub line: u32,
    /// Column of the first character, counted in characters from 1.
    pub column: u32,
    /// Line of the character after the last one.
    pub end_line: u32,
    /// Column of the character after the last one.
    pub end_column: u32,
}

impl Place {
    /// The place to show for a span: in an expansion, the use of the outermost macro.
    pub(crate) fn of(span: Span, sources: &SourceMap) -> Option<Place> {
        let span = sources.file_span(span);
        sources.file_range(span)?;
        let start = sources.location(Span::new(span.start, span.start));
        let end = sources.location(Span::new(span.end, span.end));
        let (end_line, end_column) = (end.line, end.column);
        Some(Place { file: start.file, line: start.line, column: start.column, end_line, end_column })
    }
}

/// Another place that belongs to a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Related {
    /// Where, if it is in a source.
    pub place: Option<Place>,
    /// What is there.
    pub text: String,
    /// Whether it is a part of what the message is about, such as an operand.
    pub is_part: bool,
}

/// One message, as plain data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Message {
    /// Its severity.
    #[serde(serialize_with = "severity_name")]
    pub severity: Severity,
    /// What is wrong, in one line.
    pub text: String,
    /// Where, if it is in a source.
    pub place: Option<Place>,
    /// The label at the place; may be empty.
    pub label: String,
    /// Other places.
    pub related: Vec<Related>,
    /// What to do, or why; a line each.
    pub notes: Vec<String>,
}

fn severity_name<S: Serializer>(severity: &Severity, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(match severity {
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    })
}

impl Message {
    /// An error that belongs to no place.
    #[must_use]
    pub fn error(text: String) -> Self {
        let (label, related, notes) = (String::new(), Vec::new(), Vec::new());
        Message { severity: Severity::Error, text, place: None, label, related, notes }
    }

    /// The message as a JSON object in one line, with its newline.
    #[must_use]
    pub fn json_line(&self) -> String {
        serde_json::to_string(self).expect("a message is plain data") + "\n"
    }

    fn new(diagnostic: &Diagnostic, sources: &SourceMap) -> Self {
        let related = |related: &clvk_frontend::Related| Related {
            place: Place::of(related.span, sources),
            text: related.text.clone(),
            is_part: related.is_part,
        };
        Message {
            severity: diagnostic.severity,
            text: diagnostic.message.clone(),
            place: Place::of(diagnostic.span, sources),
            label: diagnostic.label.clone(),
            related: diagnostic.related.iter().map(related).collect(),
            notes: diagnostic.notes.clone(),
        }
    }
}

/// The messages of a compilation, with methods to render them.
///
/// [`Debug`](fmt::Debug) and [`Display`](fmt::Display) give [`Messages::plain`].
#[derive(Clone, Default)]
pub struct Messages {
    /// One for each compiled source that has messages.
    parts: Vec<Part>,
}

#[derive(Clone)]
struct Part {
    diagnostics: Arc<Diagnostics>,
    sources: Arc<SourceMap>,
}

impl Messages {
    pub(crate) fn new(diagnostics: Diagnostics, sources: Arc<SourceMap>) -> Self {
        if diagnostics.list().is_empty() {
            return Messages::default();
        }
        Messages { parts: vec![Part { diagnostics: Arc::new(diagnostics), sources }] }
    }

    /// Messages that belong to no source.
    pub(crate) fn without_sources(texts: impl IntoIterator<Item = String>) -> Self {
        let mut diagnostics = Diagnostics::default();
        for text in texts {
            diagnostics.push(Diagnostic::error(Span::NONE, text));
        }
        Messages::new(diagnostics, Arc::default())
    }

    /// Adds the messages of another compilation.
    pub(crate) fn append(&mut self, other: &Messages) {
        self.parts.extend(other.parts.iter().cloned());
    }

    /// The place of a span of the first compilation.
    pub(crate) fn place(&self, span: Span) -> Option<Place> {
        if span == Span::NONE {
            return None;
        }
        self.parts.first().and_then(|part| Place::of(span, &part.sources))
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// The messages as plain data, in the order in which they were found.
    #[must_use]
    pub fn list(&self) -> Vec<Message> {
        let of_part = |part: &Part| {
            let list = part.diagnostics.list().iter();
            list.map(|diagnostic| Message::new(diagnostic, &part.sources)).collect::<Vec<_>>()
        };
        self.parts.iter().flat_map(of_part).collect()
    }

    /// The messages by place, up to a limit, which each source has for itself. Each line ends in a newline;
    /// empty if there are no messages.
    #[must_use]
    pub fn render(&self, form: Form, limit: ErrorLimit) -> String {
        self.parts.iter().map(|part| part.diagnostics.render(&part.sources, form, limit)).collect()
    }

    /// For logs: `file:line:column: error: message`, the line of the source, a line with a caret, and notes;
    /// at the end the number of messages. Of many errors, the first 20.
    #[must_use]
    pub fn plain(&self) -> String {
        self.render(Form::Plain, ErrorLimit::default())
    }

    /// For terminals: the source lines with labels, in colour if `colour` is set. Of many errors, the first
    /// 20.
    #[must_use]
    pub fn pretty(&self, colour: bool) -> String {
        self.render(Form::Pretty { colour }, ErrorLimit::default())
    }

    /// For programs: [`Messages::list`] as a JSON array.
    #[must_use]
    pub fn json(&self) -> String {
        to_json(&self.list())
    }

    /// For programs: [`Messages::list`] as JSON objects, one a line.
    #[must_use]
    pub fn json_lines(&self) -> String {
        self.list().iter().map(Message::json_line).collect()
    }
}

/// A list of messages as JSON.
pub(crate) fn to_json(messages: &[Message]) -> String {
    serde_json::to_string_pretty(messages).expect("messages are plain data")
}

impl fmt::Display for Messages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.plain().trim_end())
    }
}

impl fmt::Debug for Messages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
