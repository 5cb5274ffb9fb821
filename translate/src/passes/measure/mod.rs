//! Kernels that measure themselves ([`TranslateOptions::measure`](crate::TranslateOptions::measure)), for the
//! profiler and the tracer.
//!
//! - [`mark`] runs while the module is as the source has it. It marks the source's lines, or the values that
//!   the source stores and decides by, with calls of functions without a body ([`marks`]).
//! - [`kernels`] runs when kernels are whole. It divides each kernel into parts that run equally often
//!   ([`parts`]), and puts code in the place of the marks ([`counts`], [`points`]).
//! - [`record`] writes the buffer, whose layout is in [`mod@clvk_interface::measure`].
//!
//! Without the wish nothing here changes a module.

mod counts;
mod marks;
mod parts;
mod points;
mod record;

use super::Context;
use crate::TranslateError;
use clvk_interface::measure::{Measure, Measured};
use clvk_ir::{Func, Span};
use rustc_hash::FxHashSet;

/// What the passes tell each other.
#[derive(Default)]
pub struct Measuring {
    /// What measurements refer to.
    pub measured: Measured,
    /// The places of the source that each mark represents.
    marks: Vec<Vec<Span>>,
    /// The functions whose calls are marks.
    functions: FxHashSet<Func>,
}

/// How the names of functions begin whose calls are marks. No source can name them.
const MARK: &str = "__clvk.";

/// Marks lines or values.
///
/// # Errors
/// The sanitizer is wanted too.
pub fn mark(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    let Some(measure) = &context.options.measure else { return Ok(()) };
    if !context.options.sanitize.is_empty() {
        let problem = "is to be sanitized and measured, which use the same buffer";
        return Err(vec![TranslateError::of_program(problem).remedy("do one after the other")]);
    }
    match measure {
        Measure::Counts => marks::lines(context.module, &mut context.measuring),
        Measure::Trace { .. } => marks::values(context.module, &mut context.measuring, &|_| true, true),
        Measure::Search { variables, .. } => {
            let is_meant = |variable| variables.contains(&variable);
            marks::values(context.module, &mut context.measuring, &is_meant, false);
        }
    }
    Ok(())
}

/// Makes code of the marks.
///
/// # Errors
/// None.
pub fn kernels(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    let Some(measure) = &context.options.measure else { return Ok(()) };
    // Inlining numbers functions anew.
    let functions = context.module.functions.iter();
    let marks = functions.filter(|(_, function)| function.name.starts_with(MARK)).map(|(func, _)| func);
    context.measuring.functions = marks.collect();
    for kernel in context.module.kernels().collect::<Vec<_>>() {
        let function = &mut context.module.functions[kernel];
        match measure {
            Measure::Counts => counts::instrument(function, &mut context.measuring),
            Measure::Trace { item } => points::trace(function, &context.measuring, *item),
            Measure::Search { condition, .. } => points::search(function, &context.measuring, condition),
        }
    }
    Ok(())
}
