//! The form of a message for terminals: frames of source lines with line numbers, marks and labels.
//!
//! The first frame is the line of the error; each other line that the message speaks of gets a frame with
//! its own position.

use super::excerpt::{Excerpt, Tabs};
use super::{Diagnostic, Severity, places};
use crate::Span;
use crate::source::SourceMap;
use std::fmt::Write;

/// What a piece of text is, for its colour.
#[derive(Clone, Copy)]
enum Role {
    Error,
    Warning,
    Note,
    Message,
    /// Line numbers and lines of the frame.
    Frame,
    /// Marks and labels beside the main one.
    Aside,
}

impl Role {
    fn of(severity: Severity) -> Role {
        match severity {
            Severity::Error => Role::Error,
            Severity::Warning => Role::Warning,
            Severity::Note => Role::Note,
        }
    }

    /// Parameters of the escape code "select graphic rendition" (ECMA-48 §8.3.117).
    fn code(self) -> &'static str {
        match self {
            Role::Error => "1;31",
            Role::Warning => "1;33",
            Role::Note => "1;32",
            Role::Message => "1",
            Role::Frame => "34",
            Role::Aside => "36",
        }
    }
}

/// Paints text, if colours are wanted.
#[derive(Clone, Copy)]
struct Brush(bool);

impl Brush {
    fn paint(self, role: Role, text: &str) -> String {
        match self.0 && !text.is_empty() {
            true => format!("\u{1b}[{}m{text}\u{1b}[0m", role.code()),
            false => text.to_owned(),
        }
    }
}

/// A marked part of a source line.
struct Mark {
    start: usize,
    width: usize,
    label: String,
    role: Role,
    /// What underlines it.
    sign: char,
}

/// A source line with its marks.
struct Frame {
    position: String,
    /// `None` if the text of the source is not known.
    line: Option<String>,
    /// The number of the line, and whether it is shown whole.
    number: u32,
    is_whole: bool,
    file: String,
    /// What the frame says beside its position.
    caption: String,
    marks: Vec<Mark>,
}

/// Appends a message.
pub(super) fn render(out: &mut String, diagnostic: &Diagnostic, sources: &SourceMap, colour: bool) {
    let brush = Brush(colour);
    let role = Role::of(diagnostic.severity);
    let kind = brush.paint(role, places::severity(diagnostic.severity));
    let _ = writeln!(out, "{kind}{}", brush.paint(Role::Message, &format!(": {}", diagnostic.message)));
    let mut remarks = Vec::new();
    let frames = frames(diagnostic, sources, &mut remarks);
    let margin = frames.iter().map(|frame| frame.number).max().map_or(1, |number| number.to_string().len());
    for (index, frame) in frames.iter().enumerate() {
        draw(out, frame, index == 0, margin, brush);
    }
    remarks.extend(places::includes(diagnostic.span, sources));
    remarks.extend(diagnostic.notes.iter().cloned());
    let gutter = if frames.is_empty() { String::new() } else { " ".repeat(margin + 1) };
    for remark in remarks {
        let _ = writeln!(out, "{gutter}{} {remark}", brush.paint(Role::Frame, "="));
    }
    out.push('\n');
}

/// The frames of a message, its own first; what has no place becomes a remark.
fn frames(diagnostic: &Diagnostic, sources: &SourceMap, remarks: &mut Vec<String>) -> Vec<Frame> {
    let mut frames: Vec<Frame> = Vec::new();
    frames.extend(frame(diagnostic.span, &diagnostic.label, Role::of(diagnostic.severity), '^', sources));
    let others = diagnostic.related.iter().map(|related| (related.span, related.text.clone()));
    for (span, text) in places::expansions(diagnostic.span, sources).into_iter().chain(others) {
        let Some(new) = frame(span, &text, Role::Aside, '-', sources) else {
            remarks.push(text);
            continue;
        };
        let same = frames
            .iter_mut()
            .find(|old| old.is_whole && new.is_whole && old.number == new.number && old.file == new.file);
        match same {
            Some(old) => old.marks.extend(new.marks),
            None => frames.push(new),
        }
    }
    // The one label of a frame beside the main one stands with its position.
    for frame in frames.iter_mut().skip(1) {
        if let [only] = frame.marks.as_mut_slice() {
            frame.caption = std::mem::take(&mut only.label);
        }
    }
    frames
}

fn frame(span: Span, label: &str, role: Role, sign: char, sources: &SourceMap) -> Option<Frame> {
    let position = places::position(span, sources)?;
    let place = sources.location(span);
    let Some(excerpt) = Excerpt::new(span, sources, Tabs::Expanded) else {
        sources.file_range(span)?;
        let caption = if matches!(role, Role::Aside) { label.to_owned() } else { String::new() };
        let (line, is_whole, marks) = (None, false, Vec::new());
        return Some(Frame {
            position,
            line,
            number: place.line,
            is_whole,
            file: place.file,
            caption,
            marks,
        });
    };
    let mark =
        Mark { start: excerpt.indent.len(), width: excerpt.width, label: label.to_owned(), role, sign };
    Some(Frame {
        position,
        line: Some(excerpt.line),
        number: place.line,
        is_whole: excerpt.is_whole,
        file: place.file,
        caption: String::new(),
        marks: vec![mark],
    })
}

fn draw(out: &mut String, frame: &Frame, is_first: bool, margin: usize, brush: Brush) {
    let arrow = brush.paint(Role::Frame, if is_first { "-->" } else { ":::" });
    let caption = match frame.caption.as_str() {
        "" => String::new(),
        text => format!(": {text}"),
    };
    let _ = writeln!(out, "{:margin$}{arrow} {}{caption}", "", frame.position);
    let Some(line) = &frame.line else { return };
    let bar = brush.paint(Role::Frame, "|");
    let number = brush.paint(Role::Frame, &format!("{:>margin$}", frame.number));
    let _ = writeln!(out, "{number} {bar} {}", line.trim_end());
    for line in mark_lines(&frame.marks, brush) {
        let _ = writeln!(out, "{:margin$} {bar} {line}", "");
    }
}

/// The lines below a source line: marks with the label of the last, then the other labels from right to left.
fn mark_lines(marks: &[Mark], brush: Brush) -> Vec<String> {
    let mut sorted: Vec<&Mark> = marks.iter().collect();
    sorted.sort_by_key(|mark| (mark.start, mark.width));
    let mut row = Row::default();
    // The main mark last, over those that it overlaps.
    for mark in
        sorted.iter().filter(|mark| mark.sign == '-').chain(sorted.iter().filter(|mark| mark.sign == '^'))
    {
        row.put(mark.start, &mark.sign.to_string().repeat(mark.width), mark.role);
    }
    let mut waiting: Vec<&Mark> = sorted.into_iter().filter(|mark| !mark.label.is_empty()).collect();
    let last_column = row.cells.len();
    if let Some(last) = waiting.pop_if(|mark| mark.start + mark.width >= last_column) {
        row.put(last_column + 1, &last.label, last.role);
    }
    let mut rows = vec![row];
    while let Some(mark) = waiting.pop() {
        let mut row = Row::default();
        for other in &waiting {
            row.put(other.start, "|", other.role);
        }
        row.put(mark.start, &mark.label, mark.role);
        rows.push(row);
    }
    rows.iter().map(|row| row.paint(brush)).collect()
}

/// A line of text with a colour for each column.
#[derive(Default)]
struct Row {
    cells: Vec<(char, Option<Role>)>,
}

impl Row {
    fn put(&mut self, column: usize, text: &str, role: Role) {
        for (index, character) in text.chars().enumerate() {
            let column = column + index;
            if self.cells.len() <= column {
                self.cells.resize(column + 1, (' ', None));
            }
            self.cells[column] = (character, Some(role));
        }
    }

    fn paint(&self, brush: Brush) -> String {
        let code = |cell: &(char, Option<Role>)| cell.1.map(Role::code);
        let mut line = String::new();
        for part in self.cells.chunk_by(|left, right| code(left) == code(right)) {
            let text: String = part.iter().map(|(character, _)| character).collect();
            match part[0].1 {
                Some(role) => line.push_str(&brush.paint(role, &text)),
                None => line.push_str(&text),
            }
        }
        line
    }
}
