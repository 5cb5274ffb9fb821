//! Positions of inlined code that say by which calls it came where it is.
//!
//! If the sanitizer wants to know, [`inline`](super::inline) gives the instructions
//! that it copies positions that no source has. Each represents the instruction's own position and those of
//! the calls ([`CallSites::resolve`]). [`restore`] brings the own positions back, before anything else needs
//! them. Errors in between are brought back where the passes are run.

use super::Context;
use clvk_ir::Span;
use rustc_hash::FxHashMap;

/// The positions of code that was inlined.
#[derive(Default)]
pub struct CallSites {
    /// Whether calls are remembered.
    wanted: bool,
    /// A position, which may be one of these itself, and that of the call.
    entries: Vec<(Span, Span)>,
    known: FxHashMap<(Span, Span), Span>,
}

impl CallSites {
    /// None yet; they are remembered if that is wanted.
    pub fn new(wanted: bool) -> Self {
        CallSites { wanted, ..CallSites::default() }
    }

    /// The position of what is copied from `inner` in place of a call.
    pub fn through(&mut self, inner: Span, call: Span) -> Span {
        if !self.wanted || call == Span::NONE || inner == call {
            return inner;
        }
        *self.known.entry((inner, call)).or_insert_with(|| {
            self.entries.push((inner, call));
            // In sources no position ends before it begins.
            Span::new(self.entries.len() as u32, 0)
        })
    }

    /// A position of a source, and those of the calls by which it was inlined, the innermost first.
    #[must_use]
    pub fn resolve(&self, span: Span) -> (Span, Vec<Span>) {
        let (mut span, mut calls) = (span, Vec::new());
        while let Some(&(inner, call)) = Self::number(span).and_then(|number| self.entries.get(number)) {
            calls.push(call);
            span = inner;
        }
        calls.reverse();
        (span, calls)
    }

    /// The entry that a position represents, if it is not one of a source.
    fn number(span: Span) -> Option<usize> {
        (span.start > span.end).then(|| span.start as usize - 1)
    }
}

/// Gives all instructions their own positions again.
pub fn restore(context: &mut Context<'_, '_>) {
    let Context { module, call_sites, .. } = context;
    if call_sites.entries.is_empty() {
        return;
    }
    for (_, function) in module.functions.iter_mut() {
        for (_, data) in function.insts.iter_mut() {
            data.span = call_sites.resolve(data.span).0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_lead_through_all_calls() {
        let mut sites = CallSites::new(true);
        let [own, first, second] = [Span::new(1, 2), Span::new(11, 20), Span::new(30, 31)];
        let once = sites.through(own, first);
        let twice = sites.through(once, second);
        assert_eq!(sites.resolve(twice), (own, vec![first, second]));
        assert_eq!(sites.resolve(once), (own, vec![first]));
        assert_eq!(sites.resolve(own), (own, vec![]));
        assert_eq!(sites.through(own, first), once);
        assert_eq!(sites.through(own, Span::NONE), own);
        assert_eq!(CallSites::new(false).through(own, first), own);
    }
}
