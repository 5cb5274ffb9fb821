//! What drivers are told about loops that are left.

use super::size::{LoopSize, whole_arrays};
use super::{Simulation, changes_with, counted, prints, root_alloca};
use crate::passes::structure::Structure;
use clvk_ir::{AddressSpace, Function, Inst, Op, Type, UnrollHint};
use rustc_hash::FxHashSet;

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
        for outer in structure.owners(inst) {
            if let op @ Op::Loop(UnrollHint::None) = &mut function.insts[outer].op {
                *op = Op::Loop(UnrollHint::By(1));
            }
        }
    }
}

/// The most instructions of all copies of a loop through local memory that the source wants unrolled
/// completely, where drivers should keep loops.
const COPIED: usize = 256;
/// The most copies of such a loop.
const COPIES: usize = 4;

/// Has the loops that go through local memory executed a few iterations at a time where the source asks for
/// all: what the loop itself costs is little then, and copies that load from different places share nothing.
/// Loops that change `most_changed` bytes of private variables, or more, stay as they are.
pub fn limit_copies(function: &mut Function, most_changed: u64) {
    let structure = Structure::of(function);
    let mut limited = Vec::new();
    function.walk(|inst, data| {
        if data.op != Op::Loop(UnrollHint::Full) || !indexes_local(function, inst) {
            return;
        }
        let size = LoopSize::of(function, inst);
        let copies = (COPIED / size.instructions.max(1)).clamp(1, COPIES);
        let ends_once = structure.exits(inst).len() == 1;
        let trips = Simulation::trips(function, &structure, inst);
        let has_more = trips.is_some_and(|trips| trips.most > copies && !trips.may_be_fewer);
        let is_limited = !size.indexes_array && ends_once && has_more;
        if is_limited && changed_bytes(function, inst) < most_changed {
            limited.push((inst, copies));
        }
    });
    for (inst, copies) in limited {
        let hint = if copies == 1 { UnrollHint::Kept } else { UnrollHint::By(copies as u32) };
        function.insts[inst].op = Op::Loop(hint);
    }
}

/// Asks drivers not to unroll the loops that index a large private array, with `private`, or local memory,
/// with `local`, unless the source has a hint or they index a small private array, too. Mesa's drivers make
/// copies of each loop of up to 32 iterations that indexes an array, however large they are, but the array
/// stays in memory. Loops through local memory that count otherwise than by adding (`n /= 2`) are left to the
/// driver: in copies, what they compute from their counter is constant.
pub fn keep_array_loops(function: &mut Function, private: bool, local: bool) {
    let structure = Structure::of(function);
    let mut kept = Vec::new();
    let whole = if private { whole_arrays(function, &structure) } else { FxHashSet::default() };
    function.walk(|inst, data| {
        if data.op == Op::Loop(UnrollHint::None) {
            let size = LoopSize::with(function, inst, &whole);
            let through_local = local && indexes_local(function, inst);
            let indexes = private && size.indexes_large_array
                || through_local && counted::counts_by_adding(function, &structure, inst);
            kept.extend((indexes && !size.indexes_array).then_some(inst));
        }
    });
    for inst in kept {
        function.insts[inst].op = Op::Loop(UnrollHint::Kept);
    }
    if private {
        keep_around(function, &structure);
    }
}

/// Asks drivers not to unroll the loops around those that stay whose number of iterations is known, unless
/// the source wants all copies: each copy would contain the inner loop, where most of the time goes, and
/// little of what they compute becomes constant. Where the source wants a number of copies, [`super::run`]
/// has made them, or they would be too large.
fn keep_around(function: &mut Function, structure: &Structure) {
    let mut staying = Vec::new();
    function.walk(|inst, data| {
        let stays = matches!(data.op, Op::Loop(UnrollHint::Kept | UnrollHint::By(1)));
        staying.extend(stays.then_some(inst));
    });
    let around: FxHashSet<Inst> = staying.iter().flat_map(|&inner| structure.owners(inner)).collect();
    for outer in around {
        let hint = &function.insts[outer].op;
        if matches!(hint, Op::Loop(UnrollHint::None | UnrollHint::By(2..)))
            && Simulation::trips(function, structure, outer).is_some()
        {
            function.insts[outer].op = Op::Loop(UnrollHint::Kept);
        }
    }
}

/// The size of the private variables to which a loop writes, in bytes.
fn changed_bytes(function: &Function, whole: Inst) -> u64 {
    let mut changed = FxHashSet::default();
    let mut regions = function.insts[whole].regions.to_vec();
    while let Some(region) = regions.pop() {
        for &inst in &function.regions[region].insts {
            let data = &function.insts[inst];
            if matches!(data.op, Op::Store { .. }) {
                changed.extend(root_alloca(function, data.operands[0]));
            }
            regions.extend(&data.regions);
        }
    }
    let size = |&inst: &Inst| match function.insts[inst].op {
        Op::Alloca { size, .. } => size,
        _ => 0,
    };
    changed.iter().map(size).sum()
}

/// Whether a loop accesses local memory at places that change with each iteration.
fn indexes_local(function: &Function, whole: Inst) -> bool {
    let mut regions = function.insts[whole].regions.to_vec();
    while let Some(region) = regions.pop() {
        for &inst in &function.regions[region].insts {
            let data = &function.insts[inst];
            if matches!(data.op, Op::Load { .. } | Op::Store { .. })
                && function.ty(data.operands[0]) == Type::Pointer(AddressSpace::Local)
                && let Some(pointer) = function.defining_inst(data.operands[0])
                && changes_with(function, pointer, whole)
            {
                return true;
            }
            regions.extend(&data.regions);
        }
    }
    false
}
