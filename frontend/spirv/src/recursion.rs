//! Functions that call themselves: "the static function-call graph for an entry point must not contain cycles"
//! (SPIR-V §2.16.1). Nothing recurses here, either.

use crate::error::{Error, Place};
use clvk_ir::{Func, Module};
use rustc_hash::{FxHashMap, FxHashSet};

/// Refuses a module with a kernel that reaches a function which calls itself, at the call that closes the cycle.
///
/// # Errors
/// There is one.
pub fn check(module: &Module, calls: &[(Func, Func, Place)]) -> Result<(), Error> {
    let mut called: FxHashMap<Func, Vec<(Func, Place)>> = FxHashMap::default();
    for &(caller, callee, place) in calls {
        called.entry(caller).or_default().push((callee, place));
    }
    let mut done = FxHashSet::default();
    let kernels = module.functions.iter().filter(|(_, function)| function.kernel.is_some());
    for (kernel, _) in kernels {
        if let Some((cycle, place)) = cycle_from(kernel, &called, &mut done) {
            let names: Vec<&str> = cycle.iter().map(|&func| module.functions[func].name.as_str()).collect();
            let problem = format!("functions call each other recursively: {}", names.join(" calls "));
            return Err(Error::at(place.word, place.opcode, problem));
        }
    }
    Ok(())
}

/// The functions of a cycle that a function reaches, the first one again at the end, and its last call. No
/// function that is done reaches one.
fn cycle_from(
    start: Func,
    called: &FxHashMap<Func, Vec<(Func, Place)>>,
    done: &mut FxHashSet<Func>,
) -> Option<(Vec<Func>, Place)> {
    // The way from the start, and how many calls of each function have been followed.
    let mut way = vec![(start, 0)];
    let mut on_way = FxHashSet::from_iter([start]);
    while let Some((func, followed)) = way.last_mut() {
        match called.get(func).and_then(|calls| calls.get(*followed)) {
            Some(&(callee, place)) => {
                *followed += 1;
                if on_way.contains(&callee) {
                    let cycle = way.iter().map(|&(func, _)| func).skip_while(|&func| func != callee);
                    return Some((cycle.chain([callee]).collect(), place));
                }
                if !done.contains(&callee) {
                    on_way.insert(callee);
                    way.push((callee, 0));
                }
            }
            None => {
                done.insert(*func);
                on_way.remove(func);
                way.pop();
            }
        }
    }
    None
}
