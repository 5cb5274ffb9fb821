//! Recursion, which OpenCL C forbids (§6.11): calls that lead back to the calling function.
//!
//! Calls are recorded while bodies are checked. Afterwards, each group of functions that call each other in a
//! cycle is reported once, with every call of one such cycle. Functions that no kernel calls are included.

use super::Checker;
use crate::Span;
use crate::diagnostic::Diagnostic;
use crate::hir::FunctionId;
use rustc_hash::FxHashMap;

/// Calls of a cycle that a message lists.
const LISTED: usize = 8;

/// Which function calls which, with the place of the first such call.
#[derive(Debug, Default)]
pub(super) struct CallGraph {
    calls: FxHashMap<FunctionId, Vec<(FunctionId, Span)>>,
}

/// The progress of the search with a function.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Visit {
    Open,
    Done,
}

impl CallGraph {
    /// Records a call.
    pub(super) fn add(&mut self, caller: FunctionId, callee: FunctionId, span: Span) {
        let callees = self.calls.entry(caller).or_default();
        if callees.last().is_none_or(|(last, _)| *last != callee) {
            callees.push((callee, span));
        }
    }

    fn callees(&self, function: FunctionId) -> &[(FunctionId, Span)] {
        self.calls.get(&function).map_or(&[], Vec::as_slice)
    }

    /// The cycles, each as a list of calls (caller, place): each caller calls the next one, and the last one
    /// calls the first. A function is in at most one of them. The search keeps its own stack, because call
    /// chains may be as long as the program.
    fn circles(&self, functions: usize) -> Vec<Vec<(FunctionId, Span)>> {
        let mut visits: FxHashMap<FunctionId, Visit> = FxHashMap::default();
        let mut circles = Vec::new();
        for start in (0..functions as u32).map(FunctionId) {
            if visits.contains_key(&start) {
                continue;
            }
            // Functions on the current path, each with the number of its next call.
            let mut way = vec![(start, 0usize)];
            visits.insert(start, Visit::Open);
            while let Some((function, next)) = way.last_mut() {
                let Some((callee, _)) = self.callees(*function).get(*next).copied() else {
                    visits.insert(*function, Visit::Done);
                    way.pop();
                    continue;
                };
                *next += 1;
                match visits.get(&callee) {
                    None => {
                        visits.insert(callee, Visit::Open);
                        way.push((callee, 0));
                    }
                    Some(Visit::Open) => circles.push(self.circle(&way, callee)),
                    Some(Visit::Done) => {}
                }
            }
        }
        disjoint(circles)
    }

    /// The calls from `callee` back to itself along the path.
    fn circle(&self, way: &[(FunctionId, usize)], callee: FunctionId) -> Vec<(FunctionId, Span)> {
        let start = way.iter().position(|(function, _)| *function == callee).expect("it is on the way");
        way[start..].iter().map(|(caller, next)| (*caller, self.callees(*caller)[next - 1].1)).collect()
    }
}

/// The cycles whose functions are not in an earlier one.
fn disjoint(circles: Vec<Vec<(FunctionId, Span)>>) -> Vec<Vec<(FunctionId, Span)>> {
    let mut seen = rustc_hash::FxHashSet::default();
    circles
        .into_iter()
        .filter(|circle| {
            let is_new = circle.iter().all(|(function, _)| !seen.contains(function));
            if is_new {
                seen.extend(circle.iter().map(|(function, _)| *function));
            }
            is_new
        })
        .collect()
}

impl Checker<'_> {
    /// Reports recursion.
    pub(super) fn report_recursion(&mut self) {
        for circle in self.call_graph.circles(self.functions.len()) {
            let name = |id: FunctionId| self.functions[id.0 as usize].name.as_str();
            let (first, place) = circle[0];
            let message = match circle.as_slice() {
                [_] => format!("recursion is not supported in OpenCL C: '{}' calls itself", name(first)),
                _ => {
                    let message = "recursion is not supported in OpenCL C";
                    format!("{message}: '{}' calls itself through '{}'", name(first), name(circle[1].0))
                }
            };
            let mut diagnostic = Diagnostic::error(place, message);
            for (index, (caller, span)) in circle.iter().enumerate().skip(1).take(LISTED) {
                let callee = circle.get(index + 1).map_or(first, |(function, _)| *function);
                diagnostic =
                    diagnostic.related(*span, format!("'{}' calls '{}' here", name(*caller), name(callee)));
            }
            self.report(
                diagnostic.note("use a loop, with an array as its stack if it needs one (OpenCL C §6.11)"),
            );
        }
    }
}
