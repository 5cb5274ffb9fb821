//! Whether a kernel gains from descriptors where these are faster for vectors alone
//! ([`Preference::VectorDescriptors`](clvk_interface::Preference)), or for what lies at fixed places
//! ([`Preference::FixedDescriptors`](clvk_interface::Preference)), and how often accesses run.

use crate::passes::uniform::same_in_all_launches;
use clvk_interface::{ArgumentKind, KernelInterface, ValueLocation};
use clvk_ir::{EntityId, Function, InputVariable, Inst, InstData, Op, Region, Type, Value, VariableSpace};

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

/// Whether most accesses of a lowered function to buffers are loads from places that no launch changes if its
/// buffers have no offsets.
pub fn mostly_fixed(function: &Function, interface: &KernelInterface) -> bool {
    let runs = runs(function);
    let mut accesses: Vec<(Value, bool, u64)> = Vec::new();
    function.walk(|inst, data| {
        if let Some((pointer, _)) = buffer_access(function, data) {
            let place = function.insts[pointer].operands[0];
            accesses.push((place, matches!(data.op, Op::Load { .. }), runs[inst.index()]));
        }
    });
    let offsets = |kind: &ArgumentKind| match *kind {
        ArgumentKind::StorageBuffer { offset_location: ValueLocation::PushConstant { offset }, .. } => {
            Some(offset)
        }
        _ => None,
    };
    let offsets: Vec<u32> = interface.arguments.iter().filter_map(|it| offsets(&it.kind)).collect();
    let is_same = |data: &InstData| match data.op {
        Op::PushConstant { offset } => offsets.contains(&offset),
        Op::Input(InputVariable::OffsetMask) => true,
        _ => false,
    };
    let places: Vec<Value> = accesses.iter().map(|&(place, ..)| place).collect();
    let fixed = same_in_all_launches(function, &places, &is_same);
    let runs_where = |wanted: bool| {
        let is_fixed = |&&(place, is_load, _): &&(Value, bool, u64)| is_load && fixed.contains(&place);
        let found = accesses.iter().filter(|access| is_fixed(access) == wanted);
        found.map(|&(.., runs)| runs).fold(0, u64::saturating_add)
    };
    runs_where(true) > runs_where(false)
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
    match buffer_access(function, data) {
        None => 0,
        Some((_, accessed)) => match function.ty(accessed) {
            Type::Vector(_, 2) => 1,
            Type::Vector(..) => 3,
            _ => -1,
        },
    }
}

/// The instruction that makes the pointer with which an instruction accesses a storage buffer, and the value
/// in memory, if it is such an access.
fn buffer_access(function: &Function, data: &InstData) -> Option<(Inst, Value)> {
    let accessed = match data.op {
        Op::Load { .. } => data.results[0],
        Op::Store { .. } => data.operands[1],
        Op::AtomicLoad { .. }
        | Op::AtomicStore { .. }
        | Op::AtomicRmw { .. }
        | Op::AtomicCompareExchange { .. } => data.operands[0],
        _ => return None,
    };
    let pointer = function.defining_inst(data.operands[0])?;
    let Op::ElementPointer(variable) = function.insts[pointer].op else { return None };
    let is_buffer = matches!(function.variables[variable].space, VariableSpace::StorageBuffer { .. });
    is_buffer.then_some((pointer, accessed))
}
