//! The form of a message for terminals, drawn by ariadne.

use super::plain::{self, ExpansionNote};
use super::{Diagnostic, Severity};
use crate::Span;
use crate::source::{FileId, SourceMap};
use ariadne::{Cache, Color, Config, IndexType, Label, Report, ReportKind, Source};
use rustc_hash::FxHashMap;
use std::fmt::{Debug, Display};
use std::ops::Range;
use std::sync::Arc;

/// Longer lines are shown in the plain form, which cuts them: ariadne draws whole lines.
const LONGEST_LINE: usize = 400;

/// Draws messages of one compilation.
pub(super) struct Renderer<'a> {
    sources: &'a SourceMap,
    files: Files<'a>,
    colour: bool,
}

/// The files that messages speak of, split into lines once.
struct Files<'a> {
    sources: &'a SourceMap,
    split: FxHashMap<FileId, Source<Arc<str>>>,
}

impl Cache<FileId> for Files<'_> {
    type Storage = Arc<str>;

    fn fetch(&mut self, &id: &FileId) -> Result<&Source<Arc<str>>, impl Debug> {
        let sources = self.sources;
        let source = self.split.entry(id).or_insert_with(|| Source::from(Arc::clone(sources.file_text(id))));
        Ok::<_, std::convert::Infallible>(source)
    }

    fn display<'b>(&self, &id: &'b FileId) -> Option<impl Display + 'b> {
        Some(self.sources.file_name(id).display().to_string())
    }
}

impl<'a> Renderer<'a> {
    pub(super) fn new(sources: &'a SourceMap, colour: bool) -> Self {
        Renderer { sources, files: Files { sources, split: FxHashMap::default() }, colour }
    }

    /// Appends a message.
    pub(super) fn render(&mut self, out: &mut String, diagnostic: &Diagnostic) {
        let expansion = plain::expansion_notes(diagnostic.span, self.sources);
        let mut places = vec![(diagnostic.span, diagnostic.label.clone())];
        places.extend(diagnostic.related.iter().cloned());
        let mut notes = Vec::new();
        for note in expansion {
            match note {
                ExpansionNote::At(span, text) => places.push((span, text)),
                ExpansionNote::Skipped(count) => notes.push(format!("{count} more expansions")),
            }
        }
        notes.extend(diagnostic.notes.iter().cloned());
        let ranges: Option<Vec<_>> = places.iter().map(|(span, _)| self.range(*span)).collect();
        let Some(ranges) = ranges else { return plain::render(out, diagnostic, self.sources) };
        let kind = match diagnostic.severity {
            Severity::Error => ReportKind::Error,
            Severity::Warning => ReportKind::Warning,
            Severity::Note => ReportKind::Advice,
        };
        let config = Config::default().with_color(self.colour).with_index_type(IndexType::Byte);
        let mut report =
            Report::build(kind, ranges[0].clone()).with_config(config).with_message(&diagnostic.message);
        for (index, ((_, text), range)) in places.into_iter().zip(ranges).enumerate() {
            let colour = if index == 0 { Color::Red } else { Color::Cyan };
            let text = if index == 0 && text.is_empty() { "here".to_owned() } else { text };
            report
                .add_label(Label::new(range).with_message(text).with_color(colour).with_order(index as i32));
        }
        report.with_notes(plain::include_lines(diagnostic.span, self.sources));
        report.with_notes(notes);
        let mut bytes = Vec::new();
        match report.finish().write(&mut self.files, &mut bytes) {
            Ok(()) => out.push_str(&String::from_utf8_lossy(&bytes)),
            Err(_) => plain::render(out, diagnostic, self.sources),
        }
    }

    /// The place as ariadne takes it; `None` if it must be shown in the plain form.
    fn range(&self, span: Span) -> Option<(FileId, Range<usize>)> {
        let (file, range) = self.sources.file_range(span)?;
        let line = self.sources.line_range(file, range.start);
        let text = self.sources.file_text(file);
        let end = range.end.min(text.len());
        let fits = line.len() <= LONGEST_LINE && self.sources.line_range(file, end).len() <= LONGEST_LINE;
        let on_boundaries = text.is_char_boundary(range.start) && text.is_char_boundary(end);
        (fits && on_boundaries && range.start <= end).then_some((file, range.start..end))
    }
}
