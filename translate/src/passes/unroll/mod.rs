//! Unrolls loops: completely where the trip count is known, by a few iterations ([`counted`]) where it is
//! not.
//!
//! Drivers unroll too, but not where a private array prevents it. So what matters here are the loops that
//! index a private array by their counter, because the array falls apart once the indices are constants. They
//! get a large budget, as do loops whose source asks for a number of copies (`opencl_unroll_hint`); other
//! loops get a small one. If the source asks for unrolling without a number, the hint goes to the driver,
//! which unrolls as well as this pass, and later. This is done only for loops that are known to end after a
//! number of iterations, because drivers that unroll others nest each iteration in the previous one. Loops
//! that count otherwise than by adding (`n *= 8`) are unrolled here: drivers may not find how often they go
//! round. Where copies pay ([`Preference::UnrolledLoops`]), their budget is larger, and one of them is also
//! unrolled around loops that begin with what it carries, as those of sorting networks do.
//!
//! The trip count is found by executing the loop's control flow on constants ([`Simulation`]), so any counter
//! will do, and so will the bounds of a binary search in a table; loops that end at a position get a counter
//! ([`distance`]). An iteration becomes a `block` that a
//! `continue` leaves, and all of them are in one `block` that a `break` leaves; simplification dissolves
//! them. The flow of a work-item does not change, so the loop may contain barriers.

pub(in crate::passes) mod counted;
mod distance;
mod hints;
mod simulation;
mod size;
pub(super) mod streams;

use super::Context;
use super::rewrite::{Cloner, Substitution};
use super::simplify::{self, dce::root_alloca};
use super::structure::Structure;
use crate::TranslateError;
use clvk_interface::{ImplicitBuffer, Preference};
use clvk_ir::{Function, Inst, InstData, Module, Op, Region, Type, UnrollHint, Value, ValueDef};
use rustc_hash::FxHashSet;
use simulation::{Ending, Simulation, Trips};
use size::LoopSize;

/// The most instructions of an unrolled loop.
const SMALL_BUDGET: usize = 192;
/// The most instructions of an unrolled loop that indexes a private array.
const ARRAY_BUDGET: usize = 1 << 14;
/// The most instructions of an unrolled loop that counts otherwise than by adding, where copies pay.
const SCALED_BUDGET: usize = 1 << 11;
/// The most iterations of a loop that is unrolled so that all its loads are under way together.
const FEW_TRIPS: usize = 4;
/// The most instructions of such a loop.
const FEW_BUDGET: usize = 1 << 11;
/// The most instructions of an unrolled loop whose source asks for a number of copies.
const HINTED_BUDGET: usize = 1 << 12;
/// The largest private array, in bytes, that is worth splitting.
pub const MAX_ARRAY: u64 = 512;
/// The size of a function, in instructions, beyond which no more loops are unrolled in it.
const MAX_FUNCTION: usize = 1 << 16;
/// The most values that are followed to find out what an index is computed from.
const MOST_VALUES: usize = 256;
/// The bytes of private variables that a loop through local memory changes from which the copies that the
/// source asks for are faster on devices that prefer them ([`Preference::CopiedSums`]).
const MANY_SUMS: u64 = 128;
/// What a call of `printf` counts for, in instructions. It writes each word of its record, and compilers for
/// CPUs make each such store a loop over the work-items that run together.
const PRINT_WEIGHT: usize = 1 << 12;
/// Rounds of unrolling and simplifying: one for each level of nested loops whose trip counts depend on each
/// other.
const MAX_ROUNDS: usize = 8;

/// Runs the pass.
///
/// # Errors
/// None.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    let Module { functions, globals, .. } = context.module;
    let unasked = context.profile.prefers(Preference::UnrolledLoops);
    let rolled = context.profile.prefers(Preference::RolledLoops);
    let rolled_local = context.profile.prefers(Preference::RolledLocalLoops);
    let most_changed = if context.profile.prefers(Preference::CopiedSums) { MANY_SUMS } else { u64::MAX };
    for (_, function) in functions.iter_mut() {
        distance::count(function);
        for _ in 0..MAX_ROUNDS {
            let unrolls = |function: &mut Function, around| unroll_loops(function, around, unasked, rolled);
            if !unrolls(function, false) && !unrolls(function, true) {
                break;
            }
            simplify::simplify(function, globals);
        }
        if rolled_local {
            hints::limit_copies(function, most_changed);
        }
        unroll_counted(function, unasked);
        hints::drop_vain(function);
        hints::keep_printing_loops(function);
        hints::keep_array_loops(function, rolled, rolled_local);
    }
    Ok(())
}

/// Unrolls the innermost loops whose trip count is known only when the kernel runs; with `unasked`, also
/// where the source does not ask for it.
fn unroll_counted(function: &mut Function, unasked: bool) {
    let structure = Structure::of(function);
    let mut loops = Vec::new();
    let mut size = 0;
    function.walk(|inst, data| {
        size += weight(function, data);
        loops.extend(data.op.is_loop().then_some(inst));
    });
    if loops.is_empty() {
        return;
    }
    let unchanging = streams::unchanging(function);
    for inst in loops {
        let room = MAX_FUNCTION.saturating_sub(size);
        size += counted::unroll(function, &structure, &unchanging, inst, (room, unasked));
    }
}

/// Unrolls the loops that contain no loop. With `around`, those around loops that remain, which is worthwhile
/// only if they index an array, or, with `unasked`, if those loops then have known counts. With `rolled`,
/// loops around those that should stay do, too. Returns whether there were any to unroll.
fn unroll_loops(function: &mut Function, around: bool, unasked: bool, rolled: bool) -> bool {
    let structure = Structure::of(function);
    let mut loops = Vec::new();
    let mut size = 0;
    function.walk(|inst, data| {
        size += weight(function, data);
        if data.op.is_loop() {
            loops.push(inst);
        }
    });
    let none = FxHashSet::default();
    let whole = if rolled { size::whole_arrays(function, &structure) } else { FxHashSet::default() };
    let mut substitution = Substitution::default();
    let mut unrolled = FxHashSet::default();
    for inst in loops {
        // What a loop that should stay contains is executed most, and copied as elsewhere.
        let is_inner = structure.owners(inst).any(|outer| size::should_stay(&function.insts[outer].op));
        let body = LoopSize::with(function, inst, if is_inner { &none } else { &whole });
        let pays = !around || body.indexes_array || unasked && body.starts_loops;
        let stays = around && rolled && body.keeps_loops;
        if body.has_loops != around || !pays || stays || is_within(&structure, inst, &unrolled) {
            continue;
        }
        let Some(Trips { most: trips, may_be_fewer, ending }) = Simulation::trips(function, &structure, inst)
        else {
            continue;
        };
        let is_scaled = !may_be_fewer && !counted::counts_by_adding(function, &structure, inst);
        let total = (trips + 1) * body.instructions;
        let budget = match function.insts[inst].op {
            Op::Loop(UnrollHint::By(0 | 1) | UnrollHint::Kept) => continue,
            _ if body.indexes_array => ARRAY_BUDGET,
            Op::Loop(UnrollHint::By(count)) if trips <= count as usize => HINTED_BUDGET,
            Op::Loop(UnrollHint::By(_)) => continue,
            Op::Loop(UnrollHint::Full) if is_scaled => HINTED_BUDGET,
            _ if unasked && is_scaled => SCALED_BUDGET,
            _ if around => continue,
            _ if unasked && trips <= FEW_TRIPS && body.reads_global && !body.writes => FEW_BUDGET,
            _ => SMALL_BUDGET,
        };
        if total > budget || size + total > MAX_FUNCTION {
            continue;
        }
        size += total;
        unroll(function, &structure, inst, (trips, ending.as_ref()), &mut substitution);
        unrolled.insert(inst);
    }
    substitution.apply(function);
    !unrolled.is_empty()
}

/// Whether this is the instruction by which a call of `printf` reserves its record.
fn prints(function: &Function, data: &InstData) -> bool {
    matches!(data.op, Op::AtomicRmw { .. })
        && function
            .defining_inst(data.operands[0])
            .is_some_and(|inst| function.insts[inst].op == Op::ImplicitBuffer(ImplicitBuffer::Print))
}

/// What an instruction counts for.
fn weight(function: &Function, data: &InstData) -> usize {
    if prints(function, data) { PRINT_WEIGHT } else { 1 }
}

/// Whether an instruction is in one of these.
fn is_within(structure: &Structure, inst: Inst, outer: &FxHashSet<Inst>) -> bool {
    structure.owners(inst).any(|inst| outer.contains(&inst))
}

/// Whether the loop with this body carries the value.
fn is_carried(function: &Function, body: Region, value: Value) -> bool {
    matches!(function.values[value].def, ValueDef::RegionParam(region, _) if region == body)
}

/// Whether a value in the continuing region is the carried one.
fn is_passed(function: &Function, structure: &Structure, inst: Inst, value: Value, carried: Value) -> bool {
    structure.passed(function, inst, value) == carried
}

/// Whether operands of an instruction in a loop are computed from what the loop carries. Loaded values are
/// not, because unrolling would not make them known. Results of constructs, and values beyond
/// [`MOST_VALUES`], count as computed from it.
fn changes_with(function: &Function, inst: Inst, whole: Inst) -> bool {
    let mut seen = FxHashSet::default();
    let mut values = function.insts[inst].operands.to_vec();
    while let Some(value) = values.pop() {
        if !seen.insert(value) {
            continue;
        }
        match function.values[value].def {
            ValueDef::RegionParam(region, _) if function.insts[whole].regions.contains(&region) => {
                return true;
            }
            _ if seen.len() > MOST_VALUES => return true,
            _ => {}
        }
        if let Some(inst) = function.defining_inst(value) {
            let data = &function.insts[inst];
            if data.op.has_regions() {
                return true;
            }
            if data.op.is_pure() {
                values.extend(&data.operands);
            }
        }
    }
    false
}

/// Replaces a loop by its iterations.
fn unroll(
    function: &mut Function,
    structure: &Structure,
    inst: Inst,
    (trips, ending): (usize, Option<&Ending>),
    substitution: &mut Substitution,
) {
    let data = function.insts[inst].clone();
    let (body, continuing) = (data.regions[0], data.regions[1]);
    let types = |function: &Function, values: &[Value]| -> Vec<Type> {
        values.iter().map(|&value| function.ty(value)).collect()
    };
    let result_types = types(function, &data.results);
    let passed_types = types(function, &function.regions[continuing].params);
    let all = function.add_region();
    let whole = function.make_inst(Op::Block, &[], &result_types, &[all], data.span);
    let mut carried: Vec<Value> = data.operands.to_vec();
    let ending = ending.map(|ending| (ending, function.insts[ending.check].operands[0]));
    for trip in 0..=trips {
        if let Some((ending, condition)) = ending {
            let condition = match ending.leaves(trip, trips) {
                Some(leaves) => function.int(Type::BOOL, i64::from(leaves == ending.leaves_if)),
                None => condition,
            };
            function.insts[ending.check].operands[0] = condition;
        }
        let once = function.add_region();
        let iteration = function.make_inst(Op::Block, &[], &passed_types, &[once], data.span);
        let mut cloner = Cloner::new(function);
        cloner.leave(inst, whole, iteration);
        cloner.params(body, &carried);
        cloner.region(body, once);
        let passed = cloner.function.insts[iteration].results.to_vec();
        cloner.params(continuing, &passed);
        let mut insts = cloner.function.regions[continuing].insts.clone();
        let next = insts.pop().expect("a region ends with a terminator");
        let mut copies = vec![iteration];
        copies.extend(insts.into_iter().map(|inst| cloner.inst(inst)));
        carried = cloner.function.insts[next]
            .operands
            .clone()
            .into_iter()
            .map(|value| cloner.value(value))
            .collect();
        function.regions[all].insts.extend(copies);
    }
    let end = function.make_inst(Op::Unreachable, &[], &[], &[], data.span);
    function.regions[all].insts.push(end);
    let parent = structure.parent(inst).expect("a loop lies in a region");
    let place = function.regions[parent].insts.iter().position(|&other| other == inst);
    function.regions[parent].insts[place.expect("the loop lies in its region")] = whole;
    for (index, &result) in data.results.iter().enumerate() {
        substitution.set(result, function.insts[whole].results[index]);
    }
}
