//! The plain form of a message: `file:line:col: error: message`, the source line, a caret line, and notes.

use super::excerpt::{Excerpt, Tabs};
use super::{Diagnostic, places};
use crate::Span;
use crate::source::SourceMap;
use std::fmt::Write;

/// Appends a message.
pub(super) fn render(out: &mut String, diagnostic: &Diagnostic, sources: &SourceMap) {
    let Diagnostic { severity, message, span, label, .. } = diagnostic;
    for line in places::includes(*span, sources) {
        let _ = writeln!(out, "{line}:");
    }
    place(out, places::severity(*severity), *span, message, label, sources);
    for (span, text) in places::expansions(*span, sources) {
        place(out, "note", span, &text, "", sources);
    }
    for related in diagnostic.related.iter().filter(|related| !related.is_part) {
        place(out, "note", related.span, &related.text, "", sources);
    }
    for note in &diagnostic.notes {
        let _ = writeln!(out, "note: {note}");
    }
}

fn place(out: &mut String, kind: &str, span: Span, text: &str, label: &str, sources: &SourceMap) {
    let Some(position) = places::position(span, sources) else {
        let _ = writeln!(out, "{kind}: {text}");
        return;
    };
    let _ = writeln!(out, "{position}: {kind}: {text}");
    let Some(excerpt) = Excerpt::new(span, sources, Tabs::Kept) else { return };
    let carets = format!("{}^{}", excerpt.indent, "~".repeat(excerpt.width - 1));
    let _ = writeln!(out, "  {}", excerpt.line);
    let _ = writeln!(out, "  {}", format!("{carets} {label}").trim_end());
}
