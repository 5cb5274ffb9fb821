//! Unrolls loops that count up to a limit known only at run time.
//!
//! `for (i = a; i < n; i += s) body` becomes a loop that executes several bodies as long as that many
//! iterations are left, and the original loop for the rest. The bodies run in order, and only those that the
//! source would run, so the meaning is the same. Because no branch separates them, the loads of several
//! iterations can be in flight at once. GPU drivers' compilers do not do this for Vulkan.
//!
//! With [`streams`](super::streams) and a limit that is read from memory, each body but the first is executed
//! if its iteration happens, and nothing is left for the original loop: iterations that write take long, so
//! those of work-items that go round a different number of times should happen together. (On an H200 `bfs`
//! takes 0.99 of the time; with a limit that work-items share, `radix_sort` takes 1.015.)
//!
//! It pays on some devices ([`Preference::UnrolledLoops`](clvk_interface::Preference)), for small bodies that
//! read global memory, and that write nothing or have [`streams`](super::streams). A hint in the source takes
//! precedence where there are such reads; of other loops, these devices' drivers make more than of the copies
//! (`nbody` on an H200: 2.86 ms instead of 3.05 with eight).
//!
//! If the number of iterations is known and divisible by that of copies, nothing is left for the original
//! loop either. It then ends at its first check.

use super::super::rewrite::{Cloner, Emitter};
use super::super::structure::Structure;
use super::streams::Streams;
use super::{LoopSize, is_carried, is_passed};
use clvk_ir::{
    BinaryOp, CompareOp, FastMath, Function, Inst, Op, Region, Scalar, Span, Type, UnrollHint, Value,
    ValueDef,
};
use rustc_hash::FxHashSet;

/// Copies of the body if the source does not say how many.
const DEFAULT_FACTOR: u32 = 4;
/// The most copies.
const MAX_FACTOR: u32 = 64;
/// The largest body, in instructions, that is unrolled without a hint.
const MAX_BODY: usize = 32;
/// The same for bodies that write; more of it waits for memory, and is executed by some work-items only.
const MAX_WRITING_BODY: usize = 48;
/// The most instructions of all copies if there is a hint.
const MAX_HINTED: usize = 4096;

/// A loop that ends when its counter reaches a limit, and in no other way.
pub(super) struct Counted {
    /// The `if` that leaves the loop; it stands in the loop's body itself.
    check: Inst,
    /// Whether it leaves the loop when its condition is true.
    leaves_if: bool,
    condition: Condition,
    pub step: Value,
}

/// The condition with which a loop continues: `counter < limit`, or `counter + ahead < limit` as compilers
/// write it that test at the end of an iteration whether there is another.
pub(super) struct Condition {
    /// The carried value that counts.
    pub counter: Value,
    /// What is added to it before it is compared.
    pub ahead: Option<Value>,
    pub limit: Value,
    pub stay: CompareOp,
}

/// Unrolls a loop if it should be unrolled; returns the number of instructions added.
pub(super) fn unroll(
    function: &mut Function,
    structure: &Structure,
    unchanging: &FxHashSet<Value>,
    inst: Inst,
    (room, unasked): (usize, bool),
) -> usize {
    let Some(Copies { factor, writes, needs_streams }) = copies(function, inst, room, unasked) else {
        return 0;
    };
    let Some(counted) = Counted::of(function, structure, inst) else { return 0 };
    let streams = if writes {
        Streams::of(function, structure, unchanging, (inst, &counted), factor)
    } else {
        Streams::default()
    };
    if needs_streams && streams.loads.is_empty() {
        return 0;
    }
    let Some(parent) = structure.parent(inst) else { return 0 };
    let is_exact = counted.trips(function, inst).is_some_and(|trips| trips.is_multiple_of(u64::from(factor)));
    let checks = match is_exact {
        true => Checks::First,
        false if streams.loads.is_empty() || !is_read(function, counted.condition.limit) => Checks::Last,
        false => Checks::Each,
    };
    let mut before = Vec::new();
    let main = main_loop(function, (inst, &counted), &streams, (factor, checks), &mut before);
    before.push(main);
    let place = function.regions[parent].insts.iter().position(|&other| other == inst);
    let place = place.expect("the loop lies in its region");
    function.regions[parent].insts.splice(place..place, before);
    // The original loop does the rest: fewer iterations than there are copies.
    function.insts[inst].operands = function.insts[main].results.iter().copied().collect();
    function.insts[inst].op = Op::Loop(UnrollHint::By(1));
    if checks != Checks::Last {
        let leave = function.int(Type::BOOL, i64::from(counted.leaves_if));
        function.insts[counted.check].operands[0] = leave;
    }
    factor as usize * LoopSize::of(function, inst).instructions
}

/// The iterations that the main loop checks whether they happen.
#[derive(Clone, Copy, PartialEq)]
enum Checks {
    /// The first one; then all do.
    First,
    /// The last one; before it, all do.
    Last,
    /// Each by itself.
    Each,
}

/// The copies of a loop's body.
struct Copies {
    factor: u32,
    /// Whether the body writes, so that its loads do not happen early by themselves.
    writes: bool,
    /// Whether the copies pay only with [`Streams`].
    needs_streams: bool,
}

/// The copies that a loop gets; `None` if it should stay as it is.
fn copies(function: &Function, inst: Inst, room: usize, unasked: bool) -> Option<Copies> {
    let size = LoopSize::of(function, inst);
    let (factor, budget, is_asked) = match function.insts[inst].op {
        Op::Loop(UnrollHint::By(0 | 1) | UnrollHint::Kept) => return None,
        // Copies without loads that could be under way together are the driver's business.
        Op::Loop(UnrollHint::By(_)) if unasked && !size.reads_global => return None,
        Op::Loop(UnrollHint::By(count)) => (count.min(MAX_FACTOR), MAX_HINTED, true),
        _ if unasked && size.reads_global => {
            let body = if size.writes { MAX_WRITING_BODY } else { MAX_BODY };
            (DEFAULT_FACTOR, body * DEFAULT_FACTOR as usize, false)
        }
        _ => return None,
    };
    let total = size.instructions * factor as usize;
    let copies = Copies { factor, writes: size.writes, needs_streams: size.writes && !is_asked };
    (!size.has_loops && !size.is_convergent && total <= budget.min(room)).then_some(copies)
}

impl Counted {
    fn of(function: &Function, structure: &Structure, inst: Inst) -> Option<Counted> {
        let [exit] = *structure.exits(inst) else { return None };
        let next = structure.next_iteration(function, inst)?;
        let body = function.insts[inst].regions[0];
        let exiting = structure.parent(exit)?;
        let check = structure.owner(exiting)?;
        let data = &function.insts[check];
        if data.op != Op::If || structure.parent(check) != Some(body) || !data.results.is_empty() {
            return None;
        }
        let leaves_if = usize::from(data.regions[1] == exiting);
        let staying = &function.regions[data.regions[1 - leaves_if]].insts;
        let (stays_empty, leaves_empty) = (staying.len() == 1, function.regions[exiting].insts.len() == 1);
        if !stays_empty || !leaves_empty || function.insts[staying[0]].op != Op::Exit(check) {
            return None;
        }
        let condition = Condition::of(function, data.operands[0], leaves_if == 1, body)?;
        let step = step(function, structure, inst, next, condition.counter)?;
        let outside = |value| !structure.encloses(function, inst, value);
        let leaves_if = leaves_if == 0;
        let stays_same = outside(condition.limit) && outside(step) && condition.ahead.is_none_or(outside);
        stays_same.then_some(Counted { check, leaves_if, condition, step })
    }

    /// The carried value that counts.
    pub fn counter(&self) -> Value {
        self.condition.counter
    }

    /// What the condition compares where the counter has this value.
    fn compared(&self, function: &mut Function, counter: Value, inst: Inst, out: &mut Vec<Inst>) -> Value {
        let Some(ahead) = self.condition.ahead else { return counter };
        let ty = function.ty(counter);
        emit(function, inst, out, Op::Binary(BinaryOp::Add), &[counter, ahead], ty)
    }

    /// Whether the loop's condition is true of this value.
    fn stays(&self, function: &mut Function, compared: Value, inst: Inst, out: &mut Vec<Inst>) -> Value {
        let Condition { limit, stay, .. } = self.condition;
        emit(function, inst, out, Op::Compare(stay), &[compared, limit], Type::BOOL)
    }

    /// The number of iterations, if everything that it depends on is constant.
    fn trips(&self, function: &Function, inst: Inst) -> Option<u64> {
        let Condition { counter, ahead, limit, stay } = self.condition;
        let ValueDef::RegionParam(_, position) = function.values[counter].def else { return None };
        let scalar = function.ty(counter).scalar()?;
        let signed = stay != stay.unsigned();
        let number = |value: Value| {
            let bits = function.as_bits(value)?;
            Some(if signed { i128::from(scalar.sign_extend(bits)) } else { i128::from(bits) })
        };
        let ahead = match ahead {
            Some(ahead) => i128::from(scalar.sign_extend(function.as_bits(ahead)?)),
            None => 0,
        };
        let start = number(function.insts[inst].operands[position as usize])? + ahead;
        let limit = number(limit)? + i128::from(matches!(stay, CompareOp::ULe | CompareOp::SLe));
        let step = i128::from(scalar.sign_extend(function.as_bits(self.step)?));
        let highest = i128::from(if signed { scalar.mask() >> 1 } else { scalar.mask() });
        if step <= 0 || ahead < 0 || start > highest || limit + step > highest {
            return None;
        }
        u64::try_from((limit - start).max(0).unsigned_abs().div_ceil(step.unsigned_abs())).ok()
    }
}

/// The carried value that counts a loop, and its least and greatest value behind the check, if that is the
/// first construct in the loop.
pub(in crate::passes) fn counter_range(
    function: &Function,
    structure: &Structure,
    inst: Inst,
) -> Option<(Value, [i64; 2])> {
    let counted = Counted::of(function, structure, inst)?;
    let Condition { counter, ahead, .. } = counted.condition;
    let body = &function.regions[function.insts[inst].regions[0]].insts;
    let first = body.iter().find(|&&inst| function.insts[inst].op.has_regions());
    let ValueDef::RegionParam(_, position) = function.values[counter].def else { return None };
    let number = |value: Value| i64::try_from(function.as_bits(value)?).ok();
    let trips = i64::try_from(counted.trips(function, inst)?).ok()?;
    let (start, step) = (number(function.insts[inst].operands[position as usize])?, number(counted.step)?);
    let last = (trips - 1).max(0).checked_mul(step)?.checked_add(start)?;
    // Far from where signed numbers end, so that signed and unsigned ones are the same.
    let is_small = |number: i64| number <= i64::from(i32::MAX) / 2;
    let counts = first == Some(&counted.check) && ahead.is_none();
    (counts && is_small(last) && is_small(step)).then_some((counter, [start, last]))
}

/// Whether a loop counts by adding a constant until its exit finds the counter, or the next one, at a limit.
/// Drivers find out how often such a loop goes round.
pub(super) fn counts_by_adding(function: &Function, structure: &Structure, inst: Inst) -> bool {
    let Some(next) = structure.next_iteration(function, inst) else { return false };
    let adds = |counter: &Value| {
        step(function, structure, inst, next, *counter).is_some_and(|step| function.as_bits(step).is_some())
    };
    let body = function.insts[inst].regions[0];
    let counters: Vec<Value> = function.regions[body].params.iter().copied().filter(adds).collect();
    structure.exits(inst).iter().any(|&exit| {
        let check = structure.owners(exit).next();
        let condition = check.and_then(|check| function.insts[check].operands.first().copied());
        let compare = condition.and_then(|condition| function.defining_inst(condition));
        let compared = compare.map(|compare| &function.insts[compare]);
        let compared = compared.filter(|data| matches!(data.op, Op::Compare(_)));
        let operands = compared.map_or(&[][..], |data| &data.operands[..]);
        operands.iter().any(|&value| {
            let before = without_constant(function, value);
            counters.iter().any(|&counter| is_passed(function, structure, inst, before, counter))
        })
    })
}

/// The other summand, if a value is a sum with a constant.
fn without_constant(function: &Function, value: Value) -> Value {
    match function.defining_inst(value).map(|inst| &function.insts[inst]) {
        Some(data)
            if data.op == Op::Binary(BinaryOp::Add) && function.as_bits(data.operands[1]).is_some() =>
        {
            data.operands[0]
        }
        _ => value,
    }
}

impl Condition {
    /// Splits `counter < limit` or `counter <= limit` into its parts, however it is written.
    pub fn of(function: &Function, value: Value, stays: bool, body: Region) -> Option<Condition> {
        let ValueDef::Result(compare, _) = function.values[value].def else { return None };
        let data = &function.insts[compare];
        let Op::Compare(op) = data.op else { return None };
        let op = if stays { op } else { op.inverse() };
        let (a, b) = (data.operands[0], data.operands[1]);
        let ((counter, ahead), limit, stay) = match counter_in(function, a, body) {
            Some(found) => (found, b, op),
            None => (counter_in(function, b, body)?, a, op.swapped()),
        };
        let counts_up = matches!(stay, CompareOp::ULt | CompareOp::ULe | CompareOp::SLt | CompareOp::SLe);
        let wide_enough = matches!(function.ty(counter), Type::Scalar(Scalar::I32 | Scalar::I64));
        (counts_up && wide_enough).then_some(Condition { counter, ahead, limit, stay })
    }
}

/// A value as a carried one and what is added to it.
fn counter_in(function: &Function, value: Value, body: Region) -> Option<(Value, Option<Value>)> {
    if is_carried(function, body, value) {
        return Some((value, None));
    }
    let data = &function.insts[function.defining_inst(value)?];
    let [a, b] = data.operands[..] else { return None };
    match (data.op == Op::Binary(BinaryOp::Add), is_carried(function, body, a)) {
        (true, true) => Some((a, Some(b))),
        (true, false) if is_carried(function, body, b) => Some((b, Some(a))),
        _ => None,
    }
}

/// The amount added to the counter in each iteration.
fn step(function: &Function, structure: &Structure, inst: Inst, next: Inst, counter: Value) -> Option<Value> {
    let ValueDef::RegionParam(_, position) = function.values[counter].def else { return None };
    let advanced = structure.passed(function, inst, function.insts[next].operands[position as usize]);
    let ValueDef::Result(add, _) = function.values[advanced].def else { return None };
    let data = &function.insts[add];
    if data.op != Op::Binary(BinaryOp::Add) {
        return None;
    }
    let is_counter = |value: Value| is_passed(function, structure, inst, value, counter);
    match (is_counter(data.operands[0]), is_counter(data.operands[1])) {
        (true, false) => Some(data.operands[1]),
        (false, true) => Some(data.operands[0]),
        _ => None,
    }
}

/// Makes the loop that executes `factor` iterations at a time; its results are the carried values at its end.
/// The instructions that it needs go to `before`.
fn main_loop(
    function: &mut Function,
    (inst, counted): (Inst, &Counted),
    streams: &Streams,
    (factor, checks): (u32, Checks),
    before: &mut Vec<Inst>,
) -> Inst {
    let data = function.insts[inst].clone();
    let types: Vec<Type> = data.operands.iter().map(|&value| function.ty(value)).collect();
    let (body, continuing) = (function.add_region(), function.add_region());
    let carried: Vec<Value> = types.iter().map(|&ty| function.add_region_param(body, ty)).collect();
    let passed: Vec<Value> = types.iter().map(|&ty| function.add_region_param(continuing, ty)).collect();
    let op = Op::Loop(UnrollHint::By(1));
    let main = function.make_inst(op, &data.operands, &types, &[body, continuing], data.span);

    let mut insts = Vec::new();
    let ValueDef::RegionParam(_, position) = function.values[counted.counter()].def else {
        unreachable!("the counter is carried")
    };
    let counter = carried[position as usize];
    let compared = counted.compared(function, counter, inst, &mut insts);
    let go_on = if checks == Checks::Last {
        let reach = Reach::new(function, counted, factor, inst, before);
        reach.holds(function, counted, compared, inst, &mut insts)
    } else {
        counted.stays(function, compared, inst, &mut insts)
    };
    let (stay, leave) = (function.add_region(), function.add_region());
    let check = function.make_inst(Op::If, &[go_on], &[], &[stay, leave], data.span);
    let stays = function.make_inst(Op::Exit(check), &[], &[], &[], data.span);
    let leaves = function.make_inst(Op::Exit(main), &carried, &[], &[], data.span);
    function.regions[stay].insts.push(stays);
    function.regions[leave].insts.push(leaves);
    insts.push(check);

    let turns = if streams.loads.is_empty() {
        Turns::unknown(counter, factor)
    } else {
        Turns::new(function, counted, (counter, factor, checks), inst, &mut insts)
    };
    let mut values = carried;
    let loaded = streams.load(function, (inst, counted), &turns.loaded, &mut insts);
    for (turn, loaded) in loaded.iter().enumerate() {
        let mut copy = Vec::new();
        let mut carried = values.clone();
        if let Some(&counter) = turns.counters.get(turn) {
            carried[position as usize] = counter;
        }
        let passed = iteration(function, counted.check, inst, (&carried, loaded), &mut copy);
        values = match turns.happens.get(turn) {
            Some(&happens) if turn > 0 => {
                let choice = choose(function, happens, (copy, &passed), &values, data.span);
                insts.push(choice);
                function.insts[choice].results.to_vec()
            }
            _ => {
                insts.append(&mut copy);
                passed
            }
        };
    }
    insts.push(function.make_inst(Op::Continue(main), &values, &[], &[], data.span));
    function.regions[body].insts = insts;
    let next = function.make_inst(Op::NextIteration, &passed, &[], &[], data.span);
    function.regions[continuing].insts.push(next);
    main
}

/// The copies of the body, in turn.
struct Turns {
    /// The counter in each; empty if that is not computed beforehand.
    counters: Vec<Value>,
    /// The same where the iteration happens, and otherwise that of the first, whose loads do.
    loaded: Vec<Value>,
    /// Whether each iteration happens; empty if all do.
    happens: Vec<Value>,
}

impl Turns {
    /// Those of a loop whose loads stay in their iterations.
    fn unknown(first: Value, factor: u32) -> Self {
        Turns { counters: Vec::new(), loaded: vec![first; factor as usize], happens: Vec::new() }
    }

    fn new(
        function: &mut Function,
        counted: &Counted,
        (first, factor, checks): (Value, u32, Checks),
        inst: Inst,
        out: &mut Vec<Inst>,
    ) -> Self {
        let ty = function.ty(first);
        let mut turns = Turns { counters: vec![first], loaded: vec![first], happens: Vec::new() };
        if checks == Checks::Each {
            turns.happens.push(function.int(Type::BOOL, 1));
        }
        let mut counter = first;
        for _ in 1..factor {
            counter = emit(function, inst, out, Op::Binary(BinaryOp::Add), &[counter, counted.step], ty);
            turns.counters.push(counter);
            let Some(&before) = turns.happens.last() else {
                turns.loaded.push(counter);
                continue;
            };
            let compared = counted.compared(function, counter, inst, out);
            let stays = counted.stays(function, compared, inst, out);
            let both = emit(function, inst, out, Op::Binary(BinaryOp::And), &[before, stays], Type::BOOL);
            turns.happens.push(both);
            turns.loaded.push(emit(function, inst, out, Op::Select, &[both, counter, first], ty));
        }
        turns
    }
}

/// Whether a number is computed from what is read from memory. Other work-items read other numbers, then.
fn is_read(function: &Function, number: Value) -> bool {
    let mut seen = FxHashSet::default();
    let mut values = vec![number];
    while let Some(value) = values.pop() {
        let Some(inst) = function.defining_inst(value).filter(|_| seen.insert(value)) else { continue };
        let data = &function.insts[inst];
        if matches!(data.op, Op::Load { .. }) {
            return true;
        }
        if data.op.is_pure() {
            values.extend(&data.operands);
        }
    }
    false
}

/// Appends an instruction with one result, like those of a loop.
fn emit(
    function: &mut Function,
    like: Inst,
    out: &mut Vec<Inst>,
    op: Op,
    operands: &[Value],
    ty: Type,
) -> Value {
    let mut emitter = Emitter::like(function, out, like);
    emitter.fast_math = FastMath::empty();
    emitter.value(op, operands, ty)
}

/// Makes a condition around code that gives values, and other values where it is not executed.
fn choose(
    function: &mut Function,
    condition: Value,
    (mut code, values): (Vec<Inst>, &[Value]),
    otherwise: &[Value],
    span: Span,
) -> Inst {
    let types: Vec<Type> = values.iter().map(|&value| function.ty(value)).collect();
    let (then, other) = (function.add_region(), function.add_region());
    let choice = function.make_inst(Op::If, &[condition], &types, &[then, other], span);
    code.push(function.make_inst(Op::Exit(choice), values, &[], &[], span));
    function.regions[then].insts = code;
    let stays = function.make_inst(Op::Exit(choice), otherwise, &[], &[], span);
    function.regions[other].insts.push(stays);
    choice
}

/// Appends one iteration without its check; returns the values for the next. `loaded` pairs the results of
/// loads that have happened with what they gave.
fn iteration(
    function: &mut Function,
    check: Inst,
    inst: Inst,
    (carried, loaded): (&[Value], &[(Value, Value)]),
    out: &mut Vec<Inst>,
) -> Vec<Value> {
    let data = function.insts[inst].clone();
    let (body, continuing) = (data.regions[0], data.regions[1]);
    let params = function.regions[continuing].params.clone();
    let passed_types: Vec<Type> = params.iter().map(|&param| function.ty(param)).collect();
    let once = function.add_region();
    let block = function.make_inst(Op::Block, &[], &passed_types, &[once], data.span);
    let mut cloner = Cloner::new(function);
    cloner.leave(inst, block, block);
    cloner.params(body, carried);
    cloner.represent(loaded);
    for from in cloner.function.regions[body].insts.clone() {
        let is_loaded = cloner.function.insts[from].results.first();
        let is_loaded = is_loaded.is_some_and(|result| loaded.iter().any(|(known, _)| known == result));
        if from != check && !is_loaded {
            let copy = cloner.inst(from);
            cloner.function.regions[once].insts.push(copy);
        }
    }
    out.push(block);
    let passed = cloner.function.insts[block].results.to_vec();
    cloner.params(continuing, &passed);
    let mut insts = cloner.function.regions[continuing].insts.clone();
    let next = insts.pop().expect("a region ends with a terminator");
    out.extend(insts.into_iter().map(|inst| cloner.inst(inst)));
    let operands = cloner.function.insts[next].operands.clone();
    operands.into_iter().map(|value| cloner.value(value)).collect()
}

/// The distance that the copies of the body cover beyond the counter's value.
struct Reach {
    /// `(factor - 1) × step`.
    distance: Value,
    /// Whether the distance is positive and does not wrap.
    fits: Value,
}

impl Reach {
    fn new(
        function: &mut Function,
        counted: &Counted,
        factor: u32,
        inst: Inst,
        before: &mut Vec<Inst>,
    ) -> Self {
        let ty = function.ty(counted.step);
        let bits = ty.scalar().map_or(32, Scalar::bits);
        let largest = (u64::MAX >> (64 - bits)) / u64::from(factor - 1);
        let times = function.int(ty, i64::from(factor - 1));
        let largest = function.int(ty, largest as i64);
        let distance = emit(function, inst, before, Op::Binary(BinaryOp::Mul), &[counted.step, times], ty);
        let is_small = Op::Compare(CompareOp::ULe);
        let fits = emit(function, inst, before, is_small, &[counted.step, largest], Type::BOOL);
        Reach { distance, fits }
    }

    /// Whether all of the next iterations happen: the distance to the limit, which is not negative while the
    /// loop's condition is true, exceeds the distance that they cover.
    fn holds(
        &self,
        function: &mut Function,
        counted: &Counted,
        compared: Value,
        inst: Inst,
        out: &mut Vec<Inst>,
    ) -> Value {
        let ty = function.ty(compared);
        let farther = match counted.condition.stay {
            CompareOp::ULt | CompareOp::SLt => CompareOp::UGt,
            _ => CompareOp::UGe,
        };
        let stay = counted.stays(function, compared, inst, out);
        let mut value = |op, operands: &[Value], ty| emit(function, inst, out, op, operands, ty);
        let left = value(Op::Binary(BinaryOp::Sub), &[counted.condition.limit, compared], ty);
        let enough = value(Op::Compare(farther), &[left, self.distance], Type::BOOL);
        let both = value(Op::Binary(BinaryOp::And), &[stay, enough], Type::BOOL);
        value(Op::Binary(BinaryOp::And), &[both, self.fits], Type::BOOL)
    }
}
