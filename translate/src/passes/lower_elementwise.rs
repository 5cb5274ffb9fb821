//! Being written.
use super::Context;
use crate::TranslateError;
/// Runs the pass.
///
/// # Errors
/// None.
pub fn run(_context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> { Ok(()) }
