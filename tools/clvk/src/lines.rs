//! The lines that a module's instructions come from (`-g`).

use crate::message::Place;
use clvk_frontend::SourceMap;
use clvk_ir::{Module, Span};
use clvk_translate::{LinePlace, LineTable, SourceFile};
use std::collections::BTreeMap;

/// The places of all instructions of a module, and the texts of their files.
pub(crate) fn table(module: &Module, sources: &SourceMap, language_version: u32) -> LineTable {
    let mut places = BTreeMap::new();
    let mut files: Vec<SourceFile> = Vec::new();
    for (_, function) in module.functions.iter() {
        function.walk(|_, data| {
            if data.span == Span::NONE || places.contains_key(&data.span) {
                return;
            }
            if let Some(place) = Place::of(data.span, sources) {
                let file = position(&mut files, place.file, data.span, sources);
                places.insert(data.span, LinePlace { file, line: place.line, column: place.column });
            }
        });
    }
    LineTable { language_version, files, places: places.into_iter().collect() }
}

/// The position of a file in the list, which may be new.
fn position(files: &mut Vec<SourceFile>, name: String, span: Span, sources: &SourceMap) -> u32 {
    let known = files.iter().position(|file| file.name == name);
    let position = known.unwrap_or_else(|| {
        // A name that `#line` gave has no text here.
        let file = sources.file_range(sources.file_span(span)).map(|(file, _)| file);
        let text = file.filter(|&file| sources.file_name(file).display().to_string() == name);
        let text = text.map_or(String::new(), |file| sources.file_text(file).to_string());
        files.push(SourceFile { name, text });
        files.len() - 1
    });
    position as u32
}
