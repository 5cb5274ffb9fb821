//! Functions that call themselves: "the static function-call graph for an entry point must not contain
//! cycles" (SPIR-V §2.16.1). Nothing recurses here, either.

use crate::error::{Error, Place};
use clvk_ir::{EntityId, Func, Module};
use std::ops::Range;

/// A call: the caller, the function that it calls, and the place.
pub type Call = (Func, Func, Place);

/// How far the search has come with a function.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    /// It is on the way from the kernel.
    OnWay,
    /// It reaches no cycle.
    Done,
}

/// Refuses a module with a kernel that reaches a function which calls itself, at the call that closes the
/// cycle. The calls of a function follow each other.
///
/// # Errors
/// There is one.
pub fn check(module: &Module, calls: &[Call]) -> Result<(), Error> {
    let mut of_caller: Vec<Range<usize>> = vec![0..0; module.functions.len()];
    for (at, &(caller, ..)) in calls.iter().enumerate() {
        let own = &mut of_caller[caller.index()];
        *own = if Range::is_empty(own) { at..at + 1 } else { own.start..at + 1 };
    }
    let mut states = vec![State::New; module.functions.len()];
    let kernels = module.functions.iter().filter(|(_, function)| function.kernel.is_some());
    for (kernel, _) in kernels {
        if let Some((cycle, place)) = cycle_from(kernel, calls, &of_caller, &mut states) {
            let names: Vec<&str> = cycle.iter().map(|&func| module.functions[func].name.as_str()).collect();
            let problem = format!("functions call each other recursively: {}", names.join(" calls "));
            return Err(Error::at(place.word, place.opcode, problem));
        }
    }
    Ok(())
}

/// The functions of a cycle that a function reaches, the first one again at the end, and its last call.
fn cycle_from(
    start: Func,
    calls: &[Call],
    of_caller: &[Range<usize>],
    states: &mut [State],
) -> Option<(Vec<Func>, Place)> {
    // The way from the start, with the calls of each function that have not been followed.
    let mut way = vec![(start, of_caller[start.index()].clone())];
    states[start.index()] = State::OnWay;
    while let Some((func, rest)) = way.last_mut() {
        let Some(&(_, callee, place)) = rest.next().and_then(|call| calls.get(call)) else {
            states[func.index()] = State::Done;
            way.pop();
            continue;
        };
        match states[callee.index()] {
            State::Done => {}
            State::New => {
                states[callee.index()] = State::OnWay;
                way.push((callee, of_caller[callee.index()].clone()));
            }
            State::OnWay => {
                let cycle = way.iter().map(|&(func, _)| func).skip_while(|&func| func != callee);
                return Some((cycle.chain([callee]).collect(), place));
            }
        }
    }
    None
}
