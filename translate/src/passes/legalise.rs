//! x
use super::Context;
use crate::TranslateError;
/// x
pub fn run(_: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> { Ok(()) }
