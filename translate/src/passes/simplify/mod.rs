//! Simplification: folding, algebra, common subexpressions, control flow, redundant loads and dead code. It
//! repeats until little changes or a fixed number of rounds is spent, so the cost stays linear. A function
//! that a pass of this kind has finished and that has not changed since is skipped.
//!
//! - [`clvk_ir::fold`]: operations on constants; [`algebra`], [`bits`], [`mod@select`], [`vector`],
//!   [`mod@pointer`]: rewrites of single instructions;
//! - [`cse`]: common subexpressions; [`control`]: the walk over the regions that applies all of these and
//!   simplifies `if`, `switch`, `block` and `loop`; [`conditions`]: its part that joins `if`s;
//! - [`loads`]: loads whose value is known; [`stores`]: stores that are replaced before anything reads them;
//!   [`prune`]: parameters and results that are the same on every path;
//! - [`dce`]: dead code.
//!
//! Volatile accesses, atomics, barriers and fences are neither changed nor moved.

pub mod algebra;
mod bits;
mod conditions;
pub mod control;
pub mod cse;
pub mod dce;
pub mod loads;
pub mod pointer;
pub mod prune;
mod select;
mod stores;
pub mod vector;

use crate::TranslateError;
use crate::passes::Context;
use clvk_ir::{Arena, Function, Global, GlobalData, Module};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// The most rounds.
const MAX_ROUNDS: usize = 10;

/// A round that changes fewer than one in this many instructions is the last one: a large function is not
/// walked again for a handful of them. The next pass of this kind finds what follows from them.
const WORTHWHILE: usize = 2000;

/// Runs the pass.
///
/// # Errors
/// None.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    let Module { functions, globals, .. } = &mut *context.module;
    for (_, function) in functions.iter_mut() {
        if !context.simplified.contains(&fingerprint(function)) && simplify(function, globals) {
            context.simplified.insert(fingerprint(function));
        }
    }
    Ok(())
}

/// Runs the pass before calls are inlined, unless accesses are checked: then nothing that the program does is
/// removed before it is checked.
///
/// # Errors
/// None.
pub fn run_functions(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    if super::sanitize::checks_memory(context) { Ok(()) } else { run(context) }
}

/// Simplifies one function; returns whether nothing is left to do.
pub fn simplify(function: &mut Function, globals: &Arena<Global, GlobalData>) -> bool {
    if function.body.is_none() {
        return true;
    }
    for _ in 0..MAX_ROUNDS {
        let mut changes = control::run(function);
        changes += loads::run(function, globals);
        changes += stores::run(function);
        changes += prune::run(function);
        changes += dce::run(function);
        if changes == 0 {
            return true;
        }
        if changes < function.insts.len() / WORTHWHILE {
            break;
        }
    }
    false
}

/// A hash of everything that a function does.
fn fingerprint(function: &Function) -> u64 {
    let mut hasher = FxHasher::default();
    function.walk(|inst, data| {
        (inst, &data.op, &data.operands[..], &data.results[..], &data.regions[..]).hash(&mut hasher);
        data.fast_math.hash(&mut hasher);
        for &region in &data.regions {
            function.regions[region].params.hash(&mut hasher);
        }
    });
    hasher.finish()
}
