//! The short form of a message, one line: `file:line:col: error: message`.

use super::{Diagnostic, places};
use crate::source::SourceMap;
use std::fmt::Write;

/// Appends a message.
pub(super) fn render(out: &mut String, diagnostic: &Diagnostic, sources: &SourceMap) {
    let position = places::position(diagnostic.span, sources).map_or(String::new(), |at| format!("{at}: "));
    let _ = writeln!(out, "{position}{}: {}", places::severity(diagnostic.severity), diagnostic.message);
}
