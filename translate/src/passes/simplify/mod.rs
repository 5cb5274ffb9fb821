//! Simplification: folding, algebra, common subexpressions, control flow, redundant loads and dead code, repeated until
//! nothing changes or a fixed number of rounds is spent, so that the cost stays linear.
//!
//! - [`fold`]: operations on constants; [`algebra`], [`vector`], [`mod@pointer`]: rewrites of single instructions;
//! - [`cse`]: common subexpressions; [`control`]: the walk over the regions that applies all of these and simplifies
//!   `if`, `switch`, `block` and `loop`;
//! - [`loads`]: loads whose value is known; [`prune`]: parameters and results that are the same on every path;
//! - [`dce`]: dead code.
//!
//! Volatile accesses, atomics, barriers and fences stay as they are and where they are.

pub mod algebra;
pub mod control;
pub mod cse;
pub mod dce;
pub mod fold;
pub mod loads;
pub mod pointer;
pub mod prune;
pub mod vector;

use crate::TranslateError;
use crate::passes::Context;
use clvk_ir::{Arena, Function, Global, GlobalData, Module};

/// Rounds after which what is left stays.
const MAX_ROUNDS: usize = 10;

/// Runs the pass.
///
/// # Errors
/// None.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    let Module { functions, globals } = context.module;
    for (_, function) in functions.iter_mut() {
        simplify(function, globals);
    }
    Ok(())
}

/// Simplifies one function.
pub fn simplify(function: &mut Function, globals: &Arena<Global, GlobalData>) {
    if function.body.is_none() {
        return;
    }
    for _ in 0..MAX_ROUNDS {
        let mut changed = control::run(function);
        changed |= loads::run(function, globals);
        changed |= prune::run(function);
        changed |= dce::run(function);
        if !changed {
            break;
        }
    }
}
