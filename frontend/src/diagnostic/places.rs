//! What all forms of a message say about places: macros that a place comes from, and files that include it.

use super::{Severity, shorten};
use crate::Span;
use crate::source::SourceMap;

/// Macro expansions and files that are named in one message; of more, the innermost and the outermost ones.
const CHAIN_LENGTH: usize = 8;

/// The word for a severity.
pub(super) fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}

/// `file:line:column`, if the span has a place.
pub(super) fn position(span: Span, sources: &SourceMap) -> Option<String> {
    if span == Span::NONE {
        return None;
    }
    let place = sources.location(span);
    Some(format!("{}:{}:{}", place.file, place.line, place.column))
}

/// The files whose `#include`s lead to a place, the main file first.
pub(super) fn includes(span: Span, sources: &SourceMap) -> Vec<String> {
    let mut lines: Vec<(String, usize)> = Vec::new();
    for include in sources.include_chain(span).iter().rev() {
        let place = sources.location(*include);
        let line = format!("In file included from {}:{}", place.file, place.line);
        match lines.last_mut() {
            Some((last, count)) if *last == line => *count += 1,
            _ => lines.push((line, 1)),
        }
    }
    let line = |(line, count)| if count == 1 { line } else { format!("{line} ({count} times)") };
    shorten_chain(lines.into_iter().map(line).collect(), |skipped| format!("({skipped} more files)"))
}

/// Places in the definitions of the macros that a span comes from, the innermost first. One without a place
/// says that some are left out.
pub(super) fn expansions(span: Span, sources: &SourceMap) -> Vec<(Span, String)> {
    let chain = sources.expansion_chain(span);
    let text = |name: &str| format!("in expansion of macro '{}'", shorten(name));
    let frames = chain.iter().map(|frame| (frame.spelling, text(frame.name))).collect();
    shorten_chain(frames, |skipped| (Span::NONE, format!("({skipped} more expansions)")))
}

/// The chain, cut to its ends, with a link between them that says how many are left out.
fn shorten_chain<T>(mut chain: Vec<T>, skipped: impl FnOnce(usize) -> T) -> Vec<T> {
    if chain.len() > CHAIN_LENGTH {
        let (start, end) = (CHAIN_LENGTH / 2, chain.len() - CHAIN_LENGTH / 2);
        chain.splice(start..end, [skipped(end - start)]);
    }
    chain
}
