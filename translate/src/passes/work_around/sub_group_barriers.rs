//! Replaces barriers of sub-groups by fences, for drivers that make the whole work-group wait at them
//! ([`Quirk::SubGroupBarrierMeets`]). Sub-groups run in lockstep on such a driver, so nobody has to wait. It
//! runs before [`order_memory`](crate::passes::order_memory), which knows fences.

use crate::TranslateError;
use crate::passes::Context;
use clvk_interface::Quirk;
use clvk_ir::{MemoryOrder, Op, Scope};

/// See the module.
///
/// # Errors
/// None.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    if !context.profile.has(Quirk::SubGroupBarrierMeets) {
        return Ok(());
    }
    for function in context.module.kernels_mut() {
        let mut barriers = Vec::new();
        function.walk(|inst, data| {
            if let Op::Barrier { execution: Scope::SubGroup, memory, flags } = data.op {
                barriers.push((inst, memory, flags));
            }
        });
        for (inst, scope, flags) in barriers {
            function.insts[inst].op = Op::Fence { order: MemoryOrder::AcquireRelease, scope, flags };
        }
    }
    Ok(())
}
