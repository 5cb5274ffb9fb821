//! Replaces what the device lacks by what it has, or refuses it.
//!
//! - [`push_constants`]: push constants that overlap, or are too small for the device, as words;
//! - [`expand`]: operations that Vulkan lacks on every device, replaced by others;
//! - [`sub_groups`]: sub-group operations, on types and in ways that the device lacks;
//! - [`narrow`]: 8- and 16-bit integers and half precision in 32 bits, where the device cannot compute with
//!   them;
//! - [`half`]: the arithmetic of half precision in single precision;
//! - [`split_int64`]: 64-bit integers as pairs of words, where the device has no `shaderInt64`;
//!   [`divide_int64`]: their division, also where that alone is done in words, and conversion from floating
//!   point; [`divide_by_constant`]: their division by constants, in words or not;
//! - [`divide_float`]: division in single precision;
//! - [`int_to_float`] and [`round_double`]: roundings that the device lacks;
//! - [`check`]: what remains that the device lacks, named with its source position.

mod check;
mod divide_by_constant;
mod divide_float;
mod divide_int64;
mod expand;
mod half;
mod int_to_float;
mod narrow;
mod push_constants;
mod round_double;
mod split_int64;
mod sub_groups;

use super::Context;
use crate::TranslateError;
use clvk_interface::Quirk;

/// Legalises every kernel for the profile.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    let mut errors = Vec::new();
    for function in context.module.bodies_mut() {
        push_constants::normalise(function, context.profile);
        sub_groups::legalise(function, context.profile);
        expand::expand(function, context.profile);
        narrow::widen(function, context.profile);
        let linked_divisions = context.profile.has(Quirk::LinkedDivisions);
        if linked_divisions {
            divide_float::divide(function);
        }
        if !context.profile.int64 {
            if let Err(found) = split_int64::split(function) {
                errors.extend(found);
                continue;
            }
        } else if linked_divisions || context.profile.has(Quirk::ExpandedDivisions) {
            split_int64::split_divisions(function);
        }
        if !context.profile.rounding_rte_f32 {
            int_to_float::round_once(function);
        }
        errors.extend(check::check(function, context.profile));
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}
