//! Where instructions come from, for the line information of SPIR-V (`-g`).

use clvk_ir::Span;
use serde::{Deserialize, Serialize};

/// The places of a module's spans. The caller knows the source; here it is only data, which the writer
/// copies.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LineTable {
    /// Version of OpenCL C: `120` for 1.2.
    pub language_version: u32,
    /// Source files.
    pub files: Vec<SourceFile>,
    /// The place of each span, in the order of the spans.
    pub places: Vec<(Span, LinePlace)>,
}

/// A source file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SourceFile {
    /// Its name.
    pub name: String,
    /// Its text; may be empty.
    pub text: String,
}

/// A place in a source file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LinePlace {
    /// Position in [`LineTable::files`].
    pub file: u32,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
}

impl LineTable {
    /// The place of a span, if it has one.
    #[must_use]
    pub fn place(&self, span: Span) -> Option<LinePlace> {
        let position = self.places.binary_search_by_key(&span, |(span, _)| *span).ok()?;
        Some(self.places[position].1)
    }
}
