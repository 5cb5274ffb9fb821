//! Whether a kernel gains from descriptors where these are faster for vectors alone
//! ([`Preference::VectorDescriptors`](clvk_interface::Preference)), and how often accesses run.

use clvk_ir::{EntityId, Function, InstData, Op, Region, Type, VariableSpace};

/// How often a loop's body runs for each time that the loop is reached, for all that is known.
const RUNS: u64 = 8;

/// Loops inside more than this many others count as if they were not.
const DEEPEST: u32 = 4;

/// Whether most accesses of a lowered function to buffers are of vectors, each counted with what descriptors
/// save or cost.
pub fn mostly_vectors(function: &Function) -> bool {
    let (runs, mut saved) = (runs(function), 0i64);
    function.walk(|inst, data| {
        let runs = i64::try_from(runs[inst.index()]).expect("it is a small power");
        saved = saved.saturating_add(saving(function, data).saturating_mul(runs));
    });
    saved > 0
}

/// How often each instruction runs for each time that the function does, for all that is known.
pub fn runs(function: &Function) -> Vec<u64> {
    let mut all = vec![0; function.insts.len()];
    let mut pending: Vec<(Region, u32)> = function.body.map(|body| (body, 0)).into_iter().collect();
    while let Some((region, depth)) = pending.pop() {
        for &inst in &function.regions[region].insts {
            all[inst.index()] = RUNS.pow(depth.min(DEEPEST));
            let data = &function.insts[inst];
            let inside = depth + u32::from(matches!(data.op, Op::Loop(_)));
            pending.extend(data.regions.iter().map(|&nested| (nested, inside)));
        }
    }
    all
}

/// What one access to a buffer saves, as the measurements of the preference say: about a third of what a
/// single number costs is lost, and a vector of four saves three times that.
fn saving(function: &Function, data: &InstData) -> i64 {
    let accessed = match data.op {
        Op::Load { .. } => data.results[0],
        Op::Store { .. } => data.operands[1],
        Op::AtomicLoad { .. }
        | Op::AtomicStore { .. }
        | Op::AtomicRmw { .. }
        | Op::AtomicCompareExchange { .. } => data.operands[0],
        _ => return 0,
    };
    let pointer = function.defining_inst(data.operands[0]);
    let Some(Op::ElementPointer(variable)) = pointer.map(|inst| &function.insts[inst].op) else { return 0 };
    if !matches!(function.variables[*variable].space, VariableSpace::StorageBuffer { .. }) {
        return 0;
    }
    match function.ty(accessed) {
        Type::Vector(_, 2) => 1,
        Type::Vector(..) => 3,
        _ => -1,
    }
}
