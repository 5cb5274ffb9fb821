//! Arguments behind which nothing changes become constant memory, whose loads the writer marks for drivers
//! that then move them ([`Preference::ReadOnlyLoads`]).
//!
//! The promise is `const` with `restrict` ([`unchanging`]). Drivers move marked loads to where their results
//! are used, which undoes what [`unroll`](super::unroll) and [`early_loads`](super::early_loads) have begun
//! early. So nothing is marked in kernels with barriers, nor what a loop loads that writes. Pointers must
//! only be moved and loaded from.

use super::Context;
use super::structure::Structure;
use super::unroll::streams::unchanging;
use crate::TranslateError;
use clvk_interface::Preference;
use clvk_ir::{AddressSpace, Function, Inst, Op, Type, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// See the module.
///
/// # Errors
/// None.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    if !context.profile.prefers(Preference::ReadOnlyLoads) || context.options.clspv.is_some() {
        return Ok(());
    }
    for function in context.module.kernels_mut() {
        let mut waits = false;
        function.walk(|_, data| waits |= matches!(data.op, Op::Barrier { .. }));
        let unchanging = if waits { FxHashSet::default() } else { unchanging(function) };
        if unchanging.is_empty() {
            continue;
        }
        let uses = Uses::of(function);
        let params = function.params.iter().copied().filter(|param| unchanging.contains(param));
        let pointers = params.filter_map(|param| uses.pointers(function, param));
        for pointer in pointers.flatten().collect::<Vec<_>>() {
            function.values[pointer].ty = Type::Pointer(AddressSpace::Constant);
        }
    }
    Ok(())
}

/// What a kernel does with its pointers.
struct Uses {
    users: FxHashMap<Value, Vec<Inst>>,
    /// The instructions in loops that write.
    beside_writes: FxHashSet<Inst>,
}

impl Uses {
    fn of(function: &Function) -> Self {
        let structure = Structure::of(function);
        let loops_around =
            |inst: Inst| structure.owners(inst).filter(|&owner| function.insts[owner].op.is_loop());
        let mut users: FxHashMap<Value, Vec<Inst>> = FxHashMap::default();
        let mut writing: FxHashSet<Inst> = FxHashSet::default();
        let mut loads = Vec::new();
        function.walk(|inst, data| {
            for &operand in data.operands.iter().filter(|&&operand| function.ty(operand).is_pointer()) {
                users.entry(operand).or_default().push(inst);
            }
            if matches!(data.op, Op::Load { .. }) {
                loads.push(inst);
            }
            if data.op.has_effect() {
                writing.extend(loops_around(inst));
            }
        });
        loads.retain(|&load| loops_around(load).any(|around| writing.contains(&around)));
        Uses { users, beside_writes: loads.into_iter().collect() }
    }

    /// A parameter and the pointers made of it; `None` if they are used otherwise than for loads that may be
    /// marked.
    fn pointers(&self, function: &Function, param: Value) -> Option<Vec<Value>> {
        let mut pointers = vec![param];
        let mut next = 0;
        while let Some(&pointer) = pointers.get(next) {
            next += 1;
            for &user in self.users.get(&pointer).into_iter().flatten() {
                let data = &function.insts[user];
                match data.op {
                    Op::Load { volatile: false, .. } if !self.beside_writes.contains(&user) => {}
                    Op::PointerIndex { .. } | Op::PointerOffset(_) => pointers.push(data.results[0]),
                    _ => return None,
                }
            }
        }
        Some(pointers)
    }
}
