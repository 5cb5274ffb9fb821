//! Splits structures and arrays in private memory into the pieces that are accessed (scalar replacement of
//! aggregates).
//!
//! A variable is split if every access to it is at a constant offset. Accesses that overlap form one piece;
//! small copies and clearings are expanded into accesses to the pieces on either side. A piece that is
//! accessed in several ways (unions, `as_type` through memory, single lanes of a vector) becomes a vector of
//! its smallest unit, and an access takes some of its lanes; where no vector fits, the piece stays in memory.
//! The next pass promotes the pieces to values ([`super::promote`]).
//!
//! - [`analyse`] finds the variables and their pieces; [`rewrite`] replaces them.

mod analyse;
mod rewrite;

use super::Context;
use crate::TranslateError;
use clvk_ir::Function;

/// Runs the pass.
///
/// # Errors
/// None.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    for (_, function) in context.module.functions.iter_mut() {
        split(function);
    }
    Ok(())
}

/// Splits the variables of a function.
pub fn split(function: &mut Function) {
    if let Some(plan) = analyse::analyse(function) {
        rewrite::rewrite(function, &plan);
    }
}
