//! Source files, positions and includes.
//!
//! Every position of a compilation is one 32-bit number. Files and macro expansions share one space of
//! positions, in the order in which the preprocessor reads them. A gap of one between them keeps the end of
//! one apart from the start of the next. Position 0 is not a place. A position in an expansion's range
//! identifies a place in the macro's definition *and* the use of the macro, which may be in another
//! expansion.
//!
//! Tokens of a macro's arguments keep their original position and need no range of their own. A span may
//! therefore start in a file and end in an expansion; [`SourceMap::file_span`] gives the range to show.
//!
//! Not here: the meaning of the text. The space is exhausted after 4 GiB; then adding fails instead of
//! wrapping.

use clvk_ir::Span;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// Finds the text of an included file. In-memory headers, the file system and tests implement it.
pub trait IncludeResolver {
    /// The name (for messages and `__FILE__`) and text of `name`, included from `from` as `"name"` (`quoted`)
    /// or `<name>`; `None` if there is none; an error text if it exists but cannot be read.
    fn resolve(&self, name: &str, quoted: bool, from: &Path) -> Option<Result<(PathBuf, String), String>>;

    /// The same for `#include_next`: the search continues after the directory in which `from` was found. By
    /// default there are no directories, so nothing is found.
    fn resolve_next(&self, _name: &str, _from: &Path) -> Option<Result<(PathBuf, String), String>> {
        None
    }
}

/// Resolves nothing.
pub struct NoIncludes;

impl IncludeResolver for NoIncludes {
    fn resolve(&self, _: &str, _: bool, _: &Path) -> Option<Result<(PathBuf, String), String>> {
        None
    }
}

/// Resolves from the file system: `"name"` beside the including file first, then in the directories, in
/// order.
pub struct FileIncludes {
    /// Directories (`-I`).
    pub directories: Vec<PathBuf>,
}

impl IncludeResolver for FileIncludes {
    fn resolve(&self, name: &str, quoted: bool, from: &Path) -> Option<Result<(PathBuf, String), String>> {
        let beside = from.parent().filter(|_| quoted);
        let directories = beside.into_iter().chain(self.directories.iter().map(PathBuf::as_path));
        read_first(directories, name)
    }

    fn resolve_next(&self, name: &str, from: &Path) -> Option<Result<(PathBuf, String), String>> {
        let found = self.directories.iter().position(|directory| from.starts_with(directory));
        let behind = found.map_or(0, |index| index + 1);
        read_first(self.directories[behind..].iter().map(PathBuf::as_path), name)
    }
}

/// The file of that name in the first of the directories that has one.
fn read_first<'d>(
    mut directories: impl Iterator<Item = &'d Path>,
    name: &str,
) -> Option<Result<(PathBuf, String), String>> {
    let path = directories.find_map(|directory| Some(directory.join(name)).filter(|path| path.is_file()))?;
    let too_large = path.metadata().is_ok_and(|data| data.len() > crate::limits::FILE_SIZE as u64);
    if too_large {
        return Some(Err(format!("larger than {} MiB", crate::limits::FILE_SIZE >> 20)));
    }
    Some(match std::fs::read(&path) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Ok((path, text)),
            Err(_) => Err("not valid UTF-8".to_owned()),
        },
        Err(error) => Err(error.to_string()),
    })
}

/// A place in the form for messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// File name, after `#line`.
    pub file: String,
    /// Line, from 1, after `#line`.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// A file, by the order in which it was added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FileId(u32);

/// The space of positions is exhausted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfPositions;

/// A macro expansion that a span comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpansionFrame<'a> {
    /// Name of the macro.
    pub name: &'a str,
    /// The place in the macro's definition.
    pub spelling: Span,
    /// The use of the macro: in a file or in another expansion.
    pub call: Span,
}

/// A `#line`, which applies from position `from` on; lines are counted from the line that contains it.
#[derive(Clone, Debug)]
struct LineMark {
    from: u32,
    line: u32,
    name: Option<String>,
}

#[derive(Clone, Debug)]
struct File {
    name: PathBuf,
    text: Arc<str>,
    start: u32,
    included_from: Option<Span>,
    /// Offsets at which lines start; computed when first needed.
    lines: OnceLock<Vec<u32>>,
    marks: Vec<LineMark>,
    /// Its positions, if the text is not known.
    places: Vec<Location>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    start: u32,
    kind: EntryKind,
}

#[derive(Clone, Copy, Debug)]
enum EntryKind {
    File(u32),
    /// `spelling` is the position in the definition that corresponds to the range's start; `macro_index` is
    /// an index into `macros`.
    Expansion {
        spelling: u32,
        call: Span,
        macro_index: u32,
    },
}

/// All files and macro expansions of a compilation, in one space of positions.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    entries: Vec<Entry>,
    files: Vec<File>,
    /// The places where the names of the expanded macros are defined.
    macros: Vec<Span>,
    /// End of the last entry.
    end: u32,
}

impl SourceMap {
    /// Adds a file.
    ///
    /// # Errors
    /// If the positions are exhausted.
    pub fn add_file(
        &mut self,
        name: impl Into<PathBuf>,
        text: impl Into<Arc<str>>,
        included_from: Option<Span>,
    ) -> Result<FileId, OutOfPositions> {
        let text = text.into();
        let index = self.files.len() as u32;
        let start = self.add_entry(text.len(), EntryKind::File(index))?;
        let (lines, marks, places) = (OnceLock::new(), Vec::new(), Vec::new());
        self.files.push(File { name: name.into(), text, start, included_from, lines, marks, places });
        Ok(FileId(index))
    }

    /// Places in sources whose text is not known: the positions from 1 on are these.
    ///
    /// # Errors
    /// If there are too many.
    pub fn of_places(places: Vec<Location>) -> Result<Self, OutOfPositions> {
        let mut map = SourceMap::default();
        let start = map.add_entry(places.len(), EntryKind::File(0))?;
        let (name, text) = (PathBuf::new(), Arc::from(""));
        let (lines, marks) = (OnceLock::new(), Vec::new());
        map.files.push(File { name, text, start, included_from: None, lines, marks, places });
        Ok(map)
    }

    /// Whether the text of a file is known.
    pub(crate) fn has_text(&self, file: FileId) -> bool {
        self.files[file.0 as usize].places.is_empty()
    }

    /// Registers a macro, by the place of its name in the definition, for [`SourceMap::add_expansion`].
    pub(crate) fn add_macro(&mut self, name: Span) -> u32 {
        self.macros.push(name);
        self.macros.len() as u32 - 1
    }

    /// Adds the expansion of a macro whose body is at `body`; returns the position that corresponds to the
    /// body's start.
    pub(crate) fn add_expansion(
        &mut self,
        body: Span,
        call: Span,
        macro_index: u32,
    ) -> Result<u32, OutOfPositions> {
        let length = (body.end - body.start) as usize;
        self.add_entry(length, EntryKind::Expansion { spelling: body.start, call, macro_index })
    }

    fn add_entry(&mut self, length: usize, kind: EntryKind) -> Result<u32, OutOfPositions> {
        let start = self.end.checked_add(1).ok_or(OutOfPositions)?;
        let length = u32::try_from(length).map_err(|_| OutOfPositions)?;
        self.end = start.checked_add(length).ok_or(OutOfPositions)?;
        self.entries.push(Entry { start, kind });
        Ok(start)
    }

    /// A `#line`: the line that starts at or before `from` is called `line`, in the file `name` if one is
    /// given.
    pub(crate) fn add_line_mark(&mut self, file: FileId, from: u32, line: u32, name: Option<String>) {
        let marks = &mut self.files[file.0 as usize].marks;
        let name = name.or_else(|| marks.last().and_then(|mark| mark.name.clone()));
        marks.push(LineMark { from, line, name });
    }

    /// The name of a file, without `#line`.
    #[must_use]
    pub fn file_name(&self, file: FileId) -> &Path {
        &self.files[file.0 as usize].name
    }

    /// The text of a file.
    #[must_use]
    pub fn file_text(&self, file: FileId) -> &Arc<str> {
        &self.files[file.0 as usize].text
    }

    /// The position of the first byte of a file.
    #[must_use]
    pub fn file_start(&self, file: FileId) -> u32 {
        self.files[file.0 as usize].start
    }

    /// The place of the start of a span; if it is in an expansion, the place of the outermost macro's use.
    #[must_use]
    pub fn location(&self, span: Span) -> Location {
        let Some((file, offset)) = self.file_and_offset(self.file_span(span).start) else {
            return Location { file: "<unknown>".to_owned(), line: 0, column: 0 };
        };
        if let Some(place) = file.places.get(offset) {
            return place.clone();
        }
        let (line, column) = file.line_and_column(offset);
        let (line, name) = file.presumed(file.start + offset as u32, line);
        let file = name.map_or_else(|| file.name.display().to_string(), ToOwned::to_owned);
        Location { file, line, column }
    }

    /// The range in a file to show: for a span in an expansion, the use of the outermost macro.
    #[must_use]
    pub fn file_span(&self, span: Span) -> Span {
        if span == Span::NONE {
            return span;
        }
        let first = self.outermost(Span::new(span.start, span.start.max(span.end.min(span.start + 1))));
        if span.end <= span.start {
            return first;
        }
        if let Some(own) = self.in_one_file(span) {
            return own;
        }
        let last = self.outermost(Span::new(span.end - 1, span.end));
        let joined = first.to(last);
        if self.in_one_file(joined).is_some() { joined } else { first }
    }

    /// The span itself, if both ends are in the same file.
    fn in_one_file(&self, span: Span) -> Option<Span> {
        let entry = self.entry_index(span.start)?;
        let EntryKind::File(file) = self.entries[entry].kind else { return None };
        let file = &self.files[file as usize];
        (span.end <= file.start + file.text.len().max(file.places.len()) as u32).then_some(span)
    }

    fn outermost(&self, mut span: Span) -> Span {
        while let Some(entry) = self.entry_index(span.start) {
            match self.entries[entry].kind {
                EntryKind::File(_) => break,
                EntryKind::Expansion { call, .. } => span = call,
            }
        }
        span
    }

    /// Whether two spans are in the same file or expansion.
    pub(crate) fn same_entry(&self, left: Span, right: Span) -> bool {
        self.entry_index(left.start) == self.entry_index(right.start)
    }

    fn entry_index(&self, position: u32) -> Option<usize> {
        self.entries.partition_point(|entry| entry.start <= position).checked_sub(1)
    }

    /// Where the text of a span is written; for a span in an expansion, the place in the macro's definition.
    #[must_use]
    pub fn spelling(&self, span: Span) -> Span {
        match self.entry_index(span.start).map(|index| self.entries[index]) {
            Some(Entry { start, kind: EntryKind::Expansion { spelling, .. } }) => {
                let offset = span.start - start;
                let length = span.end.saturating_sub(span.start);
                let position = spelling + offset;
                Span::new(position, position + length)
            }
            _ => span,
        }
    }

    /// The macro expansions that a span comes from, the innermost first. For a span that only ends in an
    /// expansion, those of its end.
    #[must_use]
    pub fn expansion_chain(&self, span: Span) -> Vec<ExpansionFrame<'_>> {
        let mut chain = self.expansion_chain_of(span);
        if chain.is_empty() && span.end > span.start {
            chain = self.expansion_chain_of(Span::new(span.end - 1, span.end));
        }
        chain
    }

    fn expansion_chain_of(&self, span: Span) -> Vec<ExpansionFrame<'_>> {
        let mut chain = Vec::new();
        let mut current = span;
        while let Some(entry) = self.entry_index(current.start) {
            let EntryKind::Expansion { call, macro_index, .. } = self.entries[entry].kind else { break };
            let end = self.entries.get(entry + 1).map_or(self.end, |next| next.start - 1);
            let within = Span::new(current.start, current.end.clamp(current.start, end));
            let name = self.source_text(self.macros[macro_index as usize]);
            chain.push(ExpansionFrame { name, spelling: self.spelling(within), call });
            current = call;
        }
        chain
    }

    /// The places of the `#include` directives that lead to the file of a span, the innermost first.
    #[must_use]
    pub fn include_chain(&self, span: Span) -> Vec<Span> {
        let mut chain = Vec::new();
        let mut position = self.file_span(span).start;
        while let Some((file, _)) = self.file_and_offset(position) {
            let Some(included_from) = file.included_from else { break };
            chain.push(included_from);
            position = included_from.start;
        }
        chain
    }

    /// The text of a span as written; empty if the span has no single place in a file.
    #[must_use]
    pub fn source_text(&self, span: Span) -> &str {
        let span = self.spelling(span);
        let Some((file, start)) = self.file_and_offset(span.start) else { return "" };
        let end = start + span.end.saturating_sub(span.start) as usize;
        file.text.get(start..end).unwrap_or("")
    }

    fn file_and_offset(&self, position: u32) -> Option<(&File, usize)> {
        let entry = self.entries[self.entry_index(position)?];
        match entry.kind {
            EntryKind::File(file) => Some((&self.files[file as usize], (position - entry.start) as usize)),
            EntryKind::Expansion { .. } => None,
        }
    }

    /// The file of a span's visible range and the byte offsets of the range in it.
    #[must_use]
    pub fn file_range(&self, span: Span) -> Option<(FileId, std::ops::Range<usize>)> {
        let span = self.file_span(span);
        let entry = self.entries[self.entry_index(span.start)?];
        let EntryKind::File(file) = entry.kind else { return None };
        let start = (span.start - entry.start) as usize;
        Some((FileId(file), start..start + span.end.saturating_sub(span.start) as usize))
    }

    /// The byte range, without its end, of the line that holds `offset`.
    pub(crate) fn line_range(&self, file: FileId, offset: usize) -> std::ops::Range<usize> {
        let file = &self.files[file.0 as usize];
        let lines = file.lines();
        let index = lines.partition_point(|&start| start as usize <= offset) - 1;
        let start = lines[index] as usize;
        let end = lines.get(index + 1).map_or(file.text.len(), |&next| next as usize - 1);
        start..start.max(file.text[start..end].trim_end_matches('\r').len() + start)
    }
}

impl File {
    fn lines(&self) -> &[u32] {
        self.lines.get_or_init(|| {
            let newlines = self.text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
            std::iter::once(0).chain(newlines.map(|(at, _)| at as u32 + 1)).collect()
        })
    }

    fn line_index(&self, offset: usize) -> usize {
        self.lines().partition_point(|&start| start as usize <= offset) - 1
    }

    /// Line and column of a byte offset, both from 1.
    fn line_and_column(&self, offset: usize) -> (u32, u32) {
        let line = self.line_index(offset);
        let start = self.lines()[line] as usize;
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        (line as u32 + 1, self.text[start..offset].chars().count() as u32 + 1)
    }

    /// Line and file name after `#line`.
    fn presumed(&self, position: u32, line: u32) -> (u32, Option<&str>) {
        let index = self.marks.partition_point(|mark| mark.from <= position);
        let Some(mark) = index.checked_sub(1).map(|index| &self.marks[index]) else { return (line, None) };
        let mark_line = self.line_index((mark.from - self.start) as usize) as u32 + 1;
        (mark.line.saturating_add(line - mark_line), mark.name.as_deref())
    }
}
