//! What the device lacks is made of what it has, or refused.
//!
//! - [`expand`]: operations that Vulkan lacks on every device, made of others;
//! - [`split_int64`]: 64-bit integers as pairs of words, where the device has no `shaderInt64`;
//! - [`push_constants`]: push constants that overlap, or are too small for the device, as words;
//! - [`check`]: what is left that the device lacks, named with its place.

mod check;
mod expand;
mod push_constants;
mod split_int64;

use super::Context;
use crate::TranslateError;
use clvk_ir::Func;

/// Legalises every kernel for the profile.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    let kernels: Vec<Func> = context.module.kernels().collect();
    let mut errors = Vec::new();
    for kernel in kernels {
        let function = &mut context.module.functions[kernel];
        expand::expand(function);
        if !context.profile.int64
            && let Err(found) = split_int64::split(function)
        {
            errors.extend(found);
            continue;
        }
        push_constants::normalise(function, context.profile);
        errors.extend(check::check(function, context.profile));
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}
