//! The part of a source line that a message shows.

use crate::Span;
use crate::source::SourceMap;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Most columns of a source line that are shown; longer lines show a part around the marks.
const LINE_WIDTH: usize = 160;
/// Columns of a tab that is expanded.
const TAB: usize = 4;

/// What becomes of tabs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Tabs {
    Kept,
    Expanded,
}

/// A line of a source with the part of it that is marked.
pub(super) struct Excerpt {
    /// The line, cut if it is long, without control characters.
    pub(super) line: String,
    /// Blanks as wide as the text before the marked part, with tabs where the line has tabs.
    pub(super) indent: String,
    /// Columns of the marked part, at least one.
    pub(super) width: usize,
    /// Whether the whole line is shown.
    pub(super) is_whole: bool,
}

impl Excerpt {
    /// The line where a span begins, if its text is known. Of a span over several lines, the part in the
    /// first is marked.
    pub(super) fn new(span: Span, sources: &SourceMap, tabs: Tabs) -> Option<Excerpt> {
        let (file, range) = sources.file_range(span).filter(|&(file, _)| sources.has_text(file))?;
        let line = sources.line_range(file, range.start);
        let text = sources.file_text(file);
        let start = floor_boundary(text, range.start.clamp(line.start, line.end));
        let end = floor_boundary(text, range.end.clamp(start, line.end)).max(start);
        Some(Excerpt::cut(&text[line.start..start], &text[start..end], &text[end..line.end], tabs))
    }

    fn cut(before: &str, marked: &str, after: &str, tabs: Tabs) -> Excerpt {
        let third = LINE_WIDTH / 3;
        // Only as many characters as are shown are looked at: a line may be megabytes long.
        let is_whole = before.len() + marked.len() + after.len() <= LINE_WIDTH;
        let shown_before = if is_whole { before } else { tail(before, third) };
        let shown_marked = if is_whole { marked } else { head(marked, third) };
        let cut_marked = shown_marked.len() < marked.len();
        let shown_after = match (is_whole, cut_marked) {
            (true, _) => after,
            (false, true) => "",
            (false, false) => head(after, third),
        };
        let (left, right) =
            (shown_before.len() < before.len(), cut_marked || shown_after.len() < after.len());
        let mut line = String::new();
        line.extend(left.then_some('…'));
        append(&mut line, shown_before, tabs);
        let indent = line.chars().map(|character| match character {
            '\t' => "\t".to_owned(),
            _ => " ".repeat(character.width().unwrap_or(1)),
        });
        let (indent, before) = (indent.collect(), line.len());
        append(&mut line, shown_marked, tabs);
        let width = line[before..].width().max(1);
        append(&mut line, shown_after, tabs);
        line.extend(right.then_some('…'));
        Excerpt { line, indent, width, is_whole }
    }
}

/// Appends text as it is shown: control characters, which would garble a terminal, become marks.
fn append(line: &mut String, text: &str, tabs: Tabs) {
    for character in text.chars() {
        match character {
            '\t' if tabs == Tabs::Kept => line.push(character),
            '\t' => (0..TAB - line.width() % TAB).for_each(|_| line.push(' ')),
            _ if character.width().is_none() => line.push('\u{fffd}'),
            _ => line.push(character),
        }
    }
}

fn floor_boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn head(text: &str, count: usize) -> &str {
    text.char_indices().nth(count).map_or(text, |(at, _)| &text[..at])
}

fn tail(text: &str, count: usize) -> &str {
    text.char_indices().rev().nth(count.saturating_sub(1)).map_or(text, |(at, _)| &text[at..])
}
