//! Moves the test at the end of a loop's body to its start, where it is known to hold the first time.
//!
//! Compilers of SPIR-V write `if (n > 0) do rest while (++i < n)` for `for (i = 0; i < n; ++i) rest`. The
//! passes after this one, and drivers, do more with the latter: a loop that executes four iterations at a
//! time needs no other one for the rest of a known number, and results can sink out of it. On an NVIDIA H200
//! it is faster by itself.
//!
//! The test compares a number that the next iteration gets with one that does not change, or it compares the
//! number of this iteration and all of that is constant. [`entry`] says whether it holds the first time.
//! What has an effect runs as often as before, in the same order and by the same work-items: there must be
//! nothing of that kind between two iterations. What the loop is left with is what it carries; what it does
//! not carry yet, it does then.
//!
//! `rotate-loops` is the opposite, for drivers that prefer tests at the end.

mod entry;

use super::Context;
use super::rewrite::Emitter;
use super::structure::Structure;
use crate::TranslateError;
use clvk_ir::{BinaryOp, CompareOp, FastMath, Function, Inst, Op, Scalar, Type, Value, ValueDef};

/// See the module.
///
/// # Errors
/// None.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    for function in context.module.bodies_mut() {
        let mut loops = Vec::new();
        function.walk(|inst, data| loops.extend(data.op.is_loop().then_some(inst)));
        let structure = Structure::of(function);
        let tests: Vec<Test> = loops
            .into_iter()
            .filter_map(|inst| Test::of(function, &structure, inst))
            .filter(|test| test.holds_first(function, &structure))
            .collect();
        for test in tests {
            test.lift(function, &structure);
        }
    }
    Ok(())
}

/// A loop's test at the end of its body.
struct Test {
    /// The loop.
    inst: Inst,
    /// The `if` that leaves the loop, the last instruction of the body but one.
    choice: Inst,
    /// The exit that leaves.
    exit: Inst,
    /// The end of the body.
    again: Inst,
    /// The end of the continuing region.
    next: Inst,
    /// Which of the carried values the test compares at the start.
    position: usize,
    /// With what.
    limit: Limit,
    /// The comparison that is true of those that stay.
    stay: CompareOp,
}

/// What the carried value is compared with at the start.
#[derive(Clone, Copy)]
enum Limit {
    Value(Value),
    Bits(u64),
}

impl Test {
    fn of(function: &Function, structure: &Structure, inst: Inst) -> Option<Test> {
        let [body, continuing] = function.insts[inst].regions[..] else { return None };
        // With nothing but its condition before it, the test is at the start.
        let [_, _, .., choice, again] = function.regions[body].insts[..] else { return None };
        // What is between two iterations runs before the test then, which must not show.
        let (_, between) = function.regions[continuing].insts.split_last()?;
        if !between.iter().all(|&inst| function.insts[inst].op.is_pure()) {
            return None;
        }
        let data = &function.insts[choice];
        let [_] = structure.continues(inst) else { return None };
        if data.op != Op::If || !data.results.is_empty() || function.insts[again].op != Op::Continue(inst) {
            return None;
        }
        let only = |position: usize| match function.regions[data.regions[position]].insts[..] {
            [only] => Some(only),
            _ => None,
        };
        let is = |position, target| only(position).filter(|&end| function.insts[end].op == Op::Exit(target));
        let leaves = [0, 1].into_iter().find(|&position| is(position, inst).is_some())?;
        let exit = is(leaves, inst).filter(|_| is(1 - leaves, choice).is_some())?;
        let compare = function.defining_inst(data.operands[0])?;
        let Op::Compare(op) = function.insts[compare].op else { return None };
        let op = if leaves == 0 { op.inverse() } else { op };
        let [a, b] = function.insts[compare].operands[..] else { return None };
        let next = structure.next_iteration(function, inst)?;
        let found = Found { function, structure, inst, next };
        let (position, limit, stay) = found.test(a, b, op).or_else(|| found.test(b, a, op.swapped()))?;
        Some(Test { inst, choice, exit, again, next, position, limit, stay })
    }

    /// Whether the test holds before the first iteration.
    fn holds_first(&self, function: &Function, structure: &Structure) -> bool {
        let start = function.insts[self.inst].operands[self.position];
        match self.limit {
            Limit::Value(limit) => entry::holds(function, structure, self.inst, (self.stay, start, limit)),
            // That it is so is part of how such a limit is found.
            Limit::Bits(_) => true,
        }
    }

    /// Moves the test.
    fn lift(&self, function: &mut Function, structure: &Structure) {
        let data = function.insts[self.inst].clone();
        let body = data.regions[0];
        let left: Vec<Value> = function.insts[self.exit].operands.to_vec();
        let left = left.into_iter().map(|value| self.carried(function, structure, value)).collect();
        function.insts[self.exit].operands = left;

        let compared = function.regions[body].params[self.position];
        let limit = match self.limit {
            Limit::Value(limit) => limit,
            Limit::Bits(bits) => {
                let ty = function.ty(compared);
                function.int(ty, bits.cast_signed())
            }
        };
        let mut insts = Vec::new();
        let mut emitter = Emitter::like(function, &mut insts, self.choice);
        emitter.fast_math = FastMath::empty();
        let stays = emitter.value(Op::Compare(self.stay), &[compared, limit], Type::BOOL);
        let [first, _] = function.insts[self.choice].regions[..] else { unreachable!("it is an `if`") };
        if function.regions[first].insts.contains(&self.exit) {
            // The branch leaves if its condition is true.
            let (compare, op) = (insts[0], self.stay.inverse());
            function.insts[compare].op = Op::Compare(op);
        }
        function.insts[self.choice].operands = [stays].into_iter().collect();
        insts.push(self.choice);
        function.regions[body].insts.retain(|&inst| inst != self.choice);
        function.regions[body].insts.splice(0..0, insts);
    }

    /// What the loop carries of a value with which it is left at the end of an iteration.
    fn carried(&self, function: &mut Function, structure: &Structure, value: Value) -> Value {
        let [body, continuing] = function.insts[self.inst].regions[..] else { unreachable!("it is a loop") };
        if !structure.encloses(function, self.inst, value) {
            return value;
        }
        let next = function.insts[self.next].operands.to_vec();
        let passed = next.iter().position(|&next| structure.passed(function, self.inst, next) == value);
        if let Some(position) = passed {
            return function.regions[body].params[position];
        }
        let ty = function.ty(value);
        // The loop is not left before an iteration.
        let none = function.undef(ty);
        function.insts[self.inst].operands.push(none);
        function.insts[self.again].operands.push(value);
        let passed = function.add_region_param(continuing, ty);
        function.insts[self.next].operands.push(passed);
        function.add_region_param(body, ty)
    }
}

/// A loop, and what it is looked up in.
struct Found<'f> {
    function: &'f Function,
    structure: &'f Structure,
    inst: Inst,
    next: Inst,
}

impl Found<'_> {
    /// The comparison at the start that says what this one says at the end.
    fn test(&self, compared: Value, limit: Value, stay: CompareOp) -> Option<(usize, Limit, CompareOp)> {
        let scalar =
            self.function.ty(compared).scalar().filter(|_| self.function.ty(compared).lanes() == 1)?;
        let is_int = matches!(scalar, Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64);
        if !is_int || self.structure.encloses(self.function, self.inst, limit) {
            return None;
        }
        let nexts = &self.function.insts[self.next].operands;
        if let Some(position) = nexts.iter().position(|&next| self.is_same(next, compared)) {
            return Some((position, Limit::Value(limit), stay));
        }
        let body = self.function.insts[self.inst].regions[0];
        let ValueDef::RegionParam(region, position) = self.function.values[compared].def else { return None };
        let position = position as usize;
        let (base, step) = self.sum(*nexts.get(position)?)?;
        let limit = self.function.as_bits(limit)?;
        let start = self.function.as_bits(self.function.insts[self.inst].operands[position])?;
        let limit = next_limit(scalar, (start, step), limit, stay)?;
        (region == body && base == compared).then_some((position, Limit::Bits(limit), stay))
    }

    /// Whether the next iteration gets what the body has computed.
    fn is_same(&self, next: Value, value: Value) -> bool {
        let next = self.structure.passed(self.function, self.inst, next);
        next == value && self.structure.encloses(self.function, self.inst, value)
            || self.sum(next).is_some_and(|sum| self.sum(value) == Some(sum))
    }

    /// A carried value plus a constant.
    fn sum(&self, value: Value) -> Option<(Value, u64)> {
        let value = self.structure.passed(self.function, self.inst, value);
        let data = &self.function.insts[self.function.defining_inst(value)?];
        let (&[a, b], Op::Binary(BinaryOp::Add)) = (&data.operands[..], &data.op) else { return None };
        let base = self.structure.passed(self.function, self.inst, a);
        Some((base, self.function.as_bits(b)?))
    }
}

/// What `counter + step` is compared with where `counter` is compared with a limit, if the loop goes round
/// more than once and the counter does not wrap on the way.
fn next_limit(scalar: Scalar, (start, step): (u64, u64), limit: u64, stay: CompareOp) -> Option<u64> {
    let mask = scalar.mask();
    if stay == CompareOp::Ne {
        // The test after this iteration says of the next number what it says of this one.
        let shifted = limit.wrapping_add(step) & mask;
        return (start != shifted).then_some(shifted);
    }
    let signed = match stay {
        CompareOp::ULt | CompareOp::ULe => false,
        CompareOp::SLt | CompareOp::SLe => true,
        _ => return None,
    };
    let number = |bits: u64| if signed { i128::from(scalar.sign_extend(bits)) } else { i128::from(bits) };
    let highest = i128::from(if signed { mask >> 1 } else { mask });
    let (start, limit, step) = (number(start), number(limit), i128::from(scalar.sign_extend(step)));
    // The counter is below the limit or one step behind it; the next one is at most a step further.
    let shifted = limit + step;
    let holds =
        if matches!(stay, CompareOp::ULt | CompareOp::SLt) { start < shifted } else { start <= shifted };
    let fits = step > 0 && start + step <= highest && limit + 2 * step <= highest;
    (holds && fits).then(|| u64::try_from(shifted & i128::from(mask)).expect("it has the scalar's bits"))
}
