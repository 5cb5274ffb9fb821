//! The plain form of a message: `file:line:col: error: message`, the source line, a caret line, and notes.

use super::{Diagnostic, Severity};
use crate::Span;
use crate::source::SourceMap;
use std::fmt::Write;

/// Characters of a source line that are shown; of longer lines, a part around the caret.
const LINE_WIDTH: usize = 160;
/// Macro expansions and files that are named in one message; of more, the innermost and the outermost ones.
const CHAIN_LENGTH: usize = 8;

/// Appends a message.
pub(super) fn render(out: &mut String, diagnostic: &Diagnostic, sources: &SourceMap) {
    for line in include_lines(diagnostic.span, sources) {
        let _ = writeln!(out, "{line}:");
    }
    message(
        out,
        severity(diagnostic.severity),
        diagnostic.span,
        &diagnostic.message,
        &diagnostic.label,
        sources,
    );
    for note in expansion_notes(diagnostic.span, sources) {
        match note {
            ExpansionNote::At(span, text) => message(out, "note", span, &text, "", sources),
            ExpansionNote::Skipped(count) => {
                let _ = writeln!(out, "note: ({count} more expansions)");
            }
        }
    }
    for (span, text) in &diagnostic.related {
        message(out, "note", *span, text, "", sources);
    }
    for note in &diagnostic.notes {
        let _ = writeln!(out, "note: {note}");
    }
}

/// The files whose `#include`s lead to a place, the main file first.
pub(super) fn include_lines(span: Span, sources: &SourceMap) -> Vec<String> {
    let chain = sources.include_chain(span);
    let line = |include: &Span| {
        let place = sources.location(*include);
        format!("In file included from {}:{}", place.file, place.line)
    };
    let half = CHAIN_LENGTH / 2;
    if chain.len() <= CHAIN_LENGTH {
        return chain.iter().rev().map(line).collect();
    }
    let skipped = format!("({} more files)", chain.len() - CHAIN_LENGTH);
    let (inner, outer) = (&chain[..half], &chain[chain.len() - half..]);
    outer.iter().rev().map(line).chain([skipped]).chain(inner.iter().rev().map(line)).collect()
}

/// The word for a severity.
pub(super) fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}

/// A line about a macro that the place of a message comes from.
pub(super) enum ExpansionNote {
    /// With the place in the macro's definition.
    At(Span, String),
    /// That many are left out.
    Skipped(usize),
}

/// Lines about the macros that a span comes from, the innermost first.
pub(super) fn expansion_notes(span: Span, sources: &SourceMap) -> Vec<ExpansionNote> {
    let chain = sources.expansion_chain(span);
    let text = |name: &str| format!("in expansion of macro '{}'", super::shorten(name));
    let mut notes: Vec<ExpansionNote> =
        chain.iter().map(|frame| ExpansionNote::At(frame.spelling, text(frame.name))).collect();
    if notes.len() > CHAIN_LENGTH {
        let skipped = notes.len() - CHAIN_LENGTH;
        notes.splice(CHAIN_LENGTH / 2..CHAIN_LENGTH / 2 + skipped, [ExpansionNote::Skipped(skipped)]);
    }
    notes
}

fn message(out: &mut String, kind: &str, span: Span, text: &str, label: &str, sources: &SourceMap) {
    if span == Span::NONE {
        let _ = writeln!(out, "{kind}: {text}");
        return;
    }
    let place = sources.location(span);
    let _ = writeln!(out, "{}:{}:{}: {kind}: {text}", place.file, place.line, place.column);
    excerpt(out, span, label, sources);
}

/// The source line and the caret line.
fn excerpt(out: &mut String, span: Span, label: &str, sources: &SourceMap) {
    let Some((file, range)) = sources.file_range(span) else { return };
    let line_range = sources.line_range(file, range.start);
    let whole = sources.file_text(file);
    let (start, end) = (range.start.min(line_range.end), range.end.clamp(range.start, line_range.end));
    let (start, end) =
        (floor_boundary(whole, start.max(line_range.start)), floor_boundary(whole, end.max(start)));
    let before = &whole[line_range.start..start];
    let marked = &whole[start..end.max(start)];
    let after = &whole[end.max(start)..line_range.end];
    let window = Window::new(before, marked, after);
    let _ = writeln!(out, "  {}", window.line);
    let caret = format!("  {}^{}", window.indent, "~".repeat(window.marked.saturating_sub(1)));
    let _ = if label.is_empty() { writeln!(out, "{caret}") } else { writeln!(out, "{caret} {label}") };
}

fn floor_boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The part of a line that is shown.
struct Window {
    line: String,
    /// What stands before the caret: tabs where the line has tabs, blanks otherwise.
    indent: String,
    /// Characters that are marked.
    marked: usize,
}

impl Window {
    fn new(before: &str, marked: &str, after: &str) -> Window {
        let third = LINE_WIDTH / 3;
        // Only as many characters as are shown are looked at: a line may be megabytes long.
        let is_short = before.len() + marked.len() + after.len() <= LINE_WIDTH;
        let shown_before = if is_short { before } else { tail(before, third) };
        let shown_marked = if is_short { marked } else { head(marked, third) };
        let room = LINE_WIDTH - third - third;
        let cut_marked = shown_marked.len() < marked.len();
        let shown_after = match (is_short, cut_marked) {
            (true, _) => after,
            (false, true) => "",
            (false, false) => head(after, room),
        };
        let (left, right) =
            (shown_before.len() < before.len(), cut_marked || shown_after.len() < after.len());
        let mut line = String::new();
        line.extend(left.then_some('…'));
        line.extend(
            [shown_before, shown_marked, shown_after].iter().flat_map(|part| part.chars()).map(visible),
        );
        line.extend(right.then_some('…'));
        let mut indent: String = left.then_some(' ').into_iter().collect();
        indent.extend(shown_before.chars().map(|character| if character == '\t' { '\t' } else { ' ' }));
        Window { line, indent, marked: shown_marked.chars().count() }
    }
}

/// Control characters would garble a terminal.
fn visible(character: char) -> char {
    if character.is_control() && character != '\t' { '\u{fffd}' } else { character }
}

fn head(text: &str, count: usize) -> &str {
    text.char_indices().nth(count).map_or(text, |(at, _)| &text[..at])
}

fn tail(text: &str, count: usize) -> &str {
    text.char_indices().rev().nth(count.saturating_sub(1)).map_or(text, |(at, _)| &text[at..])
}
