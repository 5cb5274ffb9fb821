//! The sources that positions of a module point into, for what kernels say about themselves.

use clvk_frontend::SourceMap;
use clvk_interface::sanitize::{SourceRange, SourceText};
use clvk_ir::Span;
use rustc_hash::FxHashMap;

/// Makes places of positions, and collects the sources that they are in.
pub(crate) struct Places<'s> {
    sources: &'s SourceMap,
    used: FxHashMap<u32, u32>,
    /// The sources of the places.
    pub(crate) texts: Vec<SourceText>,
}

impl<'s> Places<'s> {
    pub(crate) fn new(sources: &'s SourceMap) -> Self {
        Places { sources, used: FxHashMap::default(), texts: Vec::new() }
    }

    /// The place of a position; none if it is not in a source.
    pub(crate) fn range(&mut self, (start, end): (u32, u32)) -> Option<SourceRange> {
        let span = Span::new(start, end);
        if span == Span::NONE {
            return None;
        }
        let (file, bytes) = self.sources.file_range(span)?;
        let (sources, texts) = (self.sources, &mut self.texts);
        let source = *self.used.entry(sources.file_start(file)).or_insert_with(|| {
            let name = sources.file_name(file).to_string_lossy().into_owned();
            texts.push(SourceText { name, text: sources.file_text(file).to_string() });
            texts.len() as u32 - 1
        });
        Some(SourceRange { source, start: bytes.start as u32, end: bytes.end as u32 })
    }
}
