//! What drivers are told about loops that are left.

use super::{LoopSize, Simulation, owners, prints};
use crate::passes::structure::Structure;
use clvk_ir::{Function, Op, UnrollHint};

/// Removes the hint to unroll completely from loops that may end earlier or later. Mesa's drivers unroll such
/// a loop up to the number of iterations that they consider the maximum, as that many nested `if`s, and
/// lavapipe's compiler crashes beyond 80 of them.
pub fn drop_vain(function: &mut Function) {
    let structure = Structure::of(function);
    let mut hinted = Vec::new();
    function.walk(|inst, data| {
        if data.op == Op::Loop(UnrollHint::Full) {
            hinted.push(inst);
        }
    });
    for inst in hinted {
        let ends_once = structure.exits(inst).len() == 1;
        let trips = Simulation::trips(function, &structure, inst);
        if !ends_once || trips.is_none_or(|trips| trips.may_be_fewer) {
            function.insts[inst].op = Op::Loop(UnrollHint::None);
        }
    }
}

/// Asks drivers not to unroll the loops that still print, unless the source has a hint. Mesa's drivers unroll
/// every loop that indexes a private array, and copy what it prints with it.
pub fn keep_printing_loops(function: &mut Function) {
    let structure = Structure::of(function);
    let mut printing = Vec::new();
    function.walk(|inst, data| printing.extend(prints(function, data).then_some(inst)));
    for inst in printing {
        for outer in owners(&structure, inst) {
            if let op @ Op::Loop(UnrollHint::None) = &mut function.insts[outer].op {
                *op = Op::Loop(UnrollHint::By(1));
            }
        }
    }
}

/// Asks drivers not to unroll the loops that index a large private array, unless the source has a hint or
/// they index a small one, too. Mesa's drivers make copies of each loop of up to 32 iterations that indexes a
/// private array, however large they are, but the array stays in memory.
pub fn keep_array_loops(function: &mut Function) {
    let mut kept = Vec::new();
    function.walk(|inst, data| {
        if data.op == Op::Loop(UnrollHint::None) {
            let size = LoopSize::of(function, inst);
            kept.extend((size.indexes_large_array && !size.indexes_array).then_some(inst));
        }
    });
    for inst in kept {
        function.insts[inst].op = Op::Loop(UnrollHint::By(1));
    }
}
