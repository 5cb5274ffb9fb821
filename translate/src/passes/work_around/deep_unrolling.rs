//! Asks drivers that unroll too deeply not to unroll ([`Quirk::DeepUnrolling`]): for all loops except those
//! that the source wants unrolled.
//!
//! It runs after all passes that read or make hints.

use crate::TranslateError;
use crate::passes::Context;
use clvk_interface::Quirk;
use clvk_ir::{Inst, Op, UnrollHint};

/// See the module.
///
/// # Errors
/// None.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    if !context.profile.has(Quirk::DeepUnrolling) {
        return Ok(());
    }
    for function in context.module.bodies_mut() {
        let insts: Vec<Inst> = function.insts.ids().collect();
        for inst in insts {
            if let Op::Loop(hint @ (UnrollHint::None | UnrollHint::By(_))) = &mut function.insts[inst].op {
                *hint = UnrollHint::By(1);
            }
        }
    }
    Ok(())
}
