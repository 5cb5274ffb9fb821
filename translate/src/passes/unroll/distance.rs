//! Counts the iterations of loops that end at a position rather than a number, or begin at a number that is
//! not known.
//!
//! - `for (p = a; p != a + 9; ++p) body`, or with `<`, gets a separate counter from 0 to 9, which decides
//!   when it ends, so the trip count is known here and to drivers. NVIDIA's compiler (580, H200) does not
//!   terminate for some kernels with such a loop, because it tries to find out how far to unroll it; with a
//!   counter it takes a few milliseconds.
//! - `for (i = get_local_id(1); i < 32; i += 8) body` goes round four times from wherever a work-group of
//!   eight rows begins, and up to 34 four or five times. No driver knows that. It gets a counter if it is
//!   small enough to be unrolled; the last round of some work-items stays under the loop's own condition.

use super::super::rewrite::Emitter;
use super::super::structure::Structure;
use super::{LoopSize, SMALL_BUDGET, counted, is_carried, is_passed};
use clvk_ir::{
    BinaryOp, CompareOp, ConvertOp, FastMath, Function, Inst, KnownBits, Op, Region, Scalar, Type,
    UnrollHint, Value, ValueDef,
};

/// The most additions of constants between a value and what it is compared with.
const MAX_TERMS: usize = 16;

/// Gives counters to the loops whose distance is known.
pub(super) fn count(function: &mut Function) {
    let structure = Structure::of(function);
    let mut loops = Vec::new();
    function.walk(|inst, data| loops.extend(data.op.is_loop().then_some(inst)));
    let mut known = None;
    for inst in loops {
        let check = Check::of(function, &structure, inst)
            .or_else(|| Check::from_anywhere(function, &structure, inst, &mut known));
        if let Some(check) = check {
            check.add_counter(function, &structure, inst);
        }
    }
}

/// The end of a loop after a carried value has covered a known distance.
struct Check {
    /// The `if`, which stands in the loop's body itself.
    inst: Inst,
    /// Whether the loop is left when the condition is true.
    leaves_if: bool,
    /// The number of iterations until then, at most.
    trips: i64,
    /// How many of them are certain; of the others the loop's own condition decides.
    certain: i64,
}

impl Check {
    fn of(function: &Function, structure: &Structure, inst: Inst) -> Option<Check> {
        let body = function.insts[inst].regions[0];
        let next = structure.next_iteration(function, inst)?;
        structure.exits(inst).iter().find_map(|&exit| {
            let exiting = structure.parent(exit)?;
            let check = structure.owner(exiting)?;
            let data = &function.insts[check];
            if data.op != Op::If || !is_decided_each_time(function, structure, inst, check, exiting) {
                return None;
            }
            let leaves_if = data.regions[0] == exiting;
            let (counter, ahead, limit, stay) = condition(function, data.operands[0], !leaves_if, body)?;
            let ValueDef::RegionParam(_, position) = function.values[counter].def else { return None };
            let position = position as usize;
            let (start, at) = term(function, function.insts[inst].operands[position]);
            let (base, end) = term(function, limit);
            let advanced = structure.passed(function, inst, function.insts[next].operands[position]);
            let (advanced, step) = term(function, advanced);
            // Within half the range of a word, so that no value repeats on the way.
            let distance = i64::from(i32::try_from(end.checked_sub(at)?.checked_sub(ahead)?).ok()?);
            let trips = trips(stay, distance, step)?;
            let goes = start == base && is_passed(function, structure, inst, advanced, counter);
            goes.then_some(Check { inst: check, leaves_if, trips, certain: trips })
        })
    }

    /// The end of a loop whose counter begins at any number of a known range and counts up to a constant, if
    /// it goes round equally often from all of them, or some once more, and is small. `known` is made when it
    /// is first needed.
    fn from_anywhere(
        function: &Function,
        structure: &Structure,
        inst: Inst,
        known: &mut Option<KnownBits>,
    ) -> Option<Check> {
        let body = function.insts[inst].regions[0];
        let next = structure.next_iteration(function, inst)?;
        let [exit] = *structure.exits(inst) else { return None };
        let exiting = structure.parent(exit)?;
        let check = structure.owner(exiting)?;
        let data = &function.insts[check];
        if data.op != Op::If || !is_decided_each_time(function, structure, inst, check, exiting) {
            return None;
        }
        let leaves_if = data.regions[0] == exiting;
        let condition = counted::Condition::of(function, data.operands[0], !leaves_if, body)?;
        let counted::Condition { counter, ahead, limit, stay } = condition;
        let ValueDef::RegionParam(_, position) = function.values[counter].def else { return None };
        let start = function.insts[inst].operands[position as usize];
        let advanced = structure.passed(function, inst, function.insts[next].operands[position as usize]);
        let (advanced, step) = term(function, advanced);
        let counts =
            function.as_constant(start).is_none() && is_passed(function, structure, inst, advanced, counter);
        let (limit, step) = (function.as_bits(limit)?, u64::try_from(step).ok().filter(|&step| step > 0)?);
        if !counts {
            return None;
        }
        let start = known.get_or_insert_with(|| KnownBits::new(function)).of(function, start);
        let mask = function.ty(counter).scalar()?.mask();
        let highest = if stay == stay.unsigned() { mask } else { mask >> 1 };
        let ahead = match ahead {
            Some(ahead) => function.as_bits(ahead)?,
            None => 0,
        };
        let range = [start.ones().checked_add(ahead)?, (mask & !start.zeros()).checked_add(ahead)?];
        let limit = limit.checked_add(u64::from(matches!(stay, CompareOp::ULe | CompareOp::SLe)))?;
        if range[1] > highest || limit > highest - step.min(highest) {
            return None;
        }
        let [most, fewest] = range.map(|start| limit.saturating_sub(start).div_ceil(step));
        let is_small = || {
            let size = LoopSize::of(function, inst);
            let copies = most.saturating_add(1).saturating_mul(size.instructions as u64);
            !size.has_loops && copies <= SMALL_BUDGET as u64
        };
        let hinted = matches!(function.insts[inst].op, Op::Loop(UnrollHint::By(_)));
        let goes = most > 0 && most - fewest <= 1 && !hinted && is_small();
        let [trips, certain] = [most, fewest].map(|trips| i64::try_from(trips).unwrap_or(i64::MAX));
        goes.then_some(Check { inst: check, leaves_if, trips, certain })
    }

    /// Makes a counter decide instead of the value.
    fn add_counter(&self, function: &mut Function, structure: &Structure, inst: Inst) {
        let [body, continuing] = [0, 1].map(|index| function.insts[inst].regions[index]);
        let ty = Type::Scalar(Scalar::I32);
        let [zero, one, trips, certain] =
            [0, 1, self.trips, self.certain].map(|number| function.int(ty, number));
        let own = function.insts[self.inst].operands[0];
        let count = function.add_region_param(body, ty);
        let passed = function.add_region_param(continuing, ty);
        function.insts[inst].operands.push(zero);
        for &from in structure.continues(inst) {
            function.insts[from].operands.push(count);
        }
        let next = structure.next_iteration(function, inst).expect("the loop has one");
        let (compare, both, either) = match self.leaves_if {
            true => (CompareOp::UGe, BinaryOp::Or, BinaryOp::And),
            false => (CompareOp::ULt, BinaryOp::And, BinaryOp::Or),
        };
        let mut add =
            |op: Op, operands: [Value; 2]| insert_before(function, body, self.inst, op, operands, Type::BOOL);
        let mut condition = add(Op::Compare(compare), [count, trips]);
        if self.certain < self.trips {
            let own = add(Op::Binary(both), [condition, own]);
            let certain = add(Op::Compare(compare), [count, certain]);
            condition = add(Op::Binary(either), [certain, own]);
        }
        function.insts[self.inst].operands[0] = condition;
        let advanced =
            insert_before(function, continuing, next, Op::Binary(BinaryOp::Add), [passed, one], ty);
        function.insts[next].operands.push(advanced);
    }
}

/// Whether every iteration makes this decision, so that no value passes unchecked: the check is directly in
/// the loop's body, and nothing continues the loop before it or where it leaves the loop.
fn is_decided_each_time(
    function: &Function,
    structure: &Structure,
    inst: Inst,
    check: Inst,
    exiting: Region,
) -> bool {
    let body = function.insts[inst].regions[0];
    let place = |wanted: Inst| function.regions[body].insts.iter().position(|&inst| inst == wanted);
    let Some(place_of_check) = place(check) else { return false };
    structure.continues(inst).iter().all(|&from| {
        let mut at = from;
        while let Some(region) = structure.parent(at).filter(|&region| region != body) {
            match structure.owner(region) {
                Some(owner) if region != exiting => at = owner,
                _ => return false,
            }
        }
        place(at).is_some_and(|place| place >= place_of_check)
    })
}

/// The carried value, the constant added to it before it is compared, what it is compared with, and the
/// comparison that is true while the loop continues. For integers only inequality is accepted: with less-than
/// the value may have wrapped, which pointers into a variable do not.
fn condition(
    function: &Function,
    condition: Value,
    stays: bool,
    body: Region,
) -> Option<(Value, i64, Value, CompareOp)> {
    let data = &function.insts[function.defining_inst(condition)?];
    let Op::Compare(op) = data.op else { return None };
    let op = if stays { op } else { op.inverse() };
    let (a, b) = (pointer_of(function, data.operands[0]), pointer_of(function, data.operands[1]));
    let carried =
        |value: Value| Some(term(function, value)).filter(|term| is_carried(function, body, term.0));
    let ((counter, ahead), limit, op) = match carried(a) {
        Some(found) => (found, b, op),
        None => (carried(b)?, a, op.swapped()),
    };
    let suits = match function.ty(counter) {
        Type::Pointer(_) => true,
        Type::Scalar(Scalar::I32 | Scalar::I64) => op == CompareOp::Ne,
        _ => false,
    };
    suits.then_some((counter, ahead, limit, op))
}

/// The pointer that was converted to an integer to be compared.
fn pointer_of(function: &Function, value: Value) -> Value {
    match function.defining_inst(value).map(|inst| &function.insts[inst]) {
        Some(data) if data.op == Op::Convert(ConvertOp::PointerToInt) => data.operands[0],
        _ => value,
    }
}

/// The number of steps that a value makes while the comparison with a position at a distance is true.
fn trips(stay: CompareOp, distance: i64, step: i64) -> Option<i64> {
    let trips = match (stay, step.signum()) {
        (CompareOp::Ne, 1 | -1) if distance % step == 0 => distance / step,
        (CompareOp::ULt, 1) => distance.max(0).unsigned_abs().div_ceil(step.unsigned_abs()).cast_signed(),
        (CompareOp::UGt, -1) => distance.min(0).unsigned_abs().div_ceil(step.unsigned_abs()).cast_signed(),
        (CompareOp::ULe, 1) if distance >= 0 => distance / step + 1,
        (CompareOp::UGe, -1) if distance <= 0 => distance / step + 1,
        (CompareOp::ULe, 1) | (CompareOp::UGe, -1) => 0,
        _ => return None,
    };
    (trips >= 0).then_some(trips)
}

/// A value as another one plus a constant, in bytes if it is a pointer.
fn term(function: &Function, mut value: Value) -> (Value, i64) {
    let mut sum = 0i64;
    for _ in 0..MAX_TERMS {
        let Some((inner, constant)) = addition(function, value) else { break };
        let Some(next) = sum.checked_add(constant) else { break };
        (value, sum) = (inner, next);
    }
    (value, sum)
}

fn addition(function: &Function, value: Value) -> Option<(Value, i64)> {
    let data = &function.insts[function.defining_inst(value)?];
    let constant = |value: Value| {
        let scalar = function.ty(value).scalar()?;
        Some(scalar.sign_extend(function.as_bits(value)?))
    };
    let scalar = matches!(function.ty(value), Type::Scalar(_) | Type::Pointer(_));
    match data.op {
        Op::PointerOffset(offset) => Some((data.operands[0], offset)),
        Op::PointerIndex { stride } => {
            let offset = constant(data.operands[1])?.checked_mul(i64::try_from(stride).ok()?)?;
            Some((data.operands[0], offset))
        }
        Op::Binary(BinaryOp::Add) if scalar => Some((data.operands[0], constant(data.operands[1])?)),
        _ => None,
    }
}

/// Inserts an instruction before another one of a region; returns its result.
fn insert_before(
    function: &mut Function,
    region: Region,
    place: Inst,
    op: Op,
    operands: [Value; 2],
    ty: Type,
) -> Value {
    let mut new = Vec::new();
    let mut emitter = Emitter::like(function, &mut new, place);
    emitter.fast_math = FastMath::empty();
    let result = emitter.value(op, &operands, ty);
    let insts = &mut function.regions[region].insts;
    let position = insts.iter().position(|&inst| inst == place).expect("it stands in the region");
    insts.splice(position..position, new);
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use CompareOp::{Ne, SLt, UGe, UGt, ULe, ULt};

    #[test]
    fn steps_are_counted_as_the_comparison_does() {
        for distance in -9..=9 {
            for step in [-3, -2, -1, 1, 2, 3] {
                let counted = |holds: &dyn Fn(i64) -> bool| (0..100).find(|trip| !holds(trip * step));
                let expected = |op: CompareOp| match op {
                    Ne => counted(&|at| at != distance),
                    ULt if step > 0 => counted(&|at| at < distance),
                    ULe if step > 0 => counted(&|at| at <= distance),
                    UGt if step < 0 => counted(&|at| at > distance),
                    UGe if step < 0 => counted(&|at| at >= distance),
                    _ => None,
                };
                for op in [Ne, ULt, ULe, UGt, UGe, SLt] {
                    assert_eq!(trips(op, distance, step), expected(op), "{op:?} {distance} by {step}");
                }
            }
        }
    }
}
