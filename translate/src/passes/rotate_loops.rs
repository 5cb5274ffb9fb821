//! Moves the test at the start of a loop's body to the loop's end, behind a test of its own for the first
//! iteration, for devices that execute such loops faster ([`Preference::TestsAtEnd`]).
//!
//! `loop { test; if it fails, leave; rest }` becomes `test; if it holds, loop { rest; test; if it fails,
//! leave }`. Everything runs as often as before, in the same order and by the same work-items. What the test
//! computes without reading memory, the rest may compute again; what it reads, it passes on.
//!
//! Loops that stay as they are ([`UnrollHint::By`] 1), such as those that execute several of the source's
//! iterations at a time, do so here, too: lavapipe 22.3 takes 1.1 times as long for `nbody` if they do not.
//! Those that drivers alone should not copy ([`UnrollHint::Kept`]) do not.
//!
//! A loop that is left at its end is left with values that it computes. Where those need one more exit
//! ([`Quirk::LoopResults`]), which costs more than the test's place gains, such loops stay as they are.

use super::Context;
use super::rewrite::{Cloner, Substitution};
use super::structure::Structure;
use super::uniform::uniform_loops;
use crate::TranslateError;
use clvk_interface::{Preference, Quirk};
use clvk_ir::{Function, Inst, Op, Region, Type, UnrollHint, Value};

/// The most instructions of a test.
const MAX_TEST: usize = 16;

/// See the module.
///
/// # Errors
/// None.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    if !context.profile.prefers(Preference::TestsAtEnd) {
        return Ok(());
    }
    for function in context.module.bodies_mut() {
        let mut loops = Vec::new();
        function.walk(|inst, data| loops.extend(data.op.is_loop().then_some(inst)));
        let structure = Structure::of(function);
        let mut tests: Vec<Test> =
            loops.into_iter().filter_map(|inst| Test::of(function, &structure, inst)).collect();
        if context.profile.has(Quirk::LoopResults) && !tests.is_empty() {
            let uniform = uniform_loops(function);
            tests.retain(|test| test.values.is_empty() || uniform.contains(&test.inst));
        }
        let mut results = Substitution::default();
        let rotated: Vec<Rotated> =
            tests.iter().map(|test| test.rotate(function, &structure, &mut results)).collect();
        results.apply(function);
        for loops in rotated {
            loops.leave(function);
        }
    }
    Ok(())
}

/// A loop's test at the start of its body.
struct Test {
    /// The loop.
    inst: Inst,
    /// What computes the condition, in order.
    insts: Vec<Inst>,
    /// The `if` that leaves the loop.
    choice: Inst,
    /// Which of its regions leaves.
    leaves: usize,
    /// What the loop is left with.
    values: Vec<Value>,
    /// The end of the continuing region.
    next: Inst,
}

impl Test {
    /// The test of a loop, if it can move.
    fn of(function: &Function, structure: &Structure, inst: Inst) -> Option<Self> {
        let [body, _] = function.insts[inst].regions[..] else { return None };
        if function.insts[inst].op == Op::Loop(UnrollHint::By(1)) {
            return None;
        }
        let insts = &function.regions[body].insts;
        let at = insts.iter().position(|&inst| !may_repeat(function, inst))?;
        let choice = insts[at];
        let data = &function.insts[choice];
        if at > MAX_TEST || data.op != Op::If || !data.results.is_empty() {
            return None;
        }
        let only = |position: usize| match function.regions[data.regions[position]].insts[..] {
            [only] => Some(only),
            _ => None,
        };
        let leaves = [0, 1].into_iter().find(|&position| {
            let is = |position, target| {
                only(position).is_some_and(|end| function.insts[end].op == Op::Exit(target))
            };
            is(position, inst) && is(1 - position, choice)
        })?;
        let values = function.insts[only(leaves)?].operands.to_vec();
        let [_] = structure.continues(inst) else { return None };
        let next = structure.next_iteration(function, inst)?;
        Some(Test { inst, insts: insts[..at].to_vec(), choice, leaves, values, next })
    }

    /// Moves the test. The loop's results become those of the branch around it, which gets them by
    /// [`Rotated::leave`].
    fn rotate(&self, function: &mut Function, structure: &Structure, changes: &mut Substitution) -> Rotated {
        let [body, continuing] = function.insts[self.inst].regions[..] else { unreachable!("it is a loop") };
        let first = function.insts[self.inst].operands.to_vec();
        let mut before = self.copy(function, &first);
        let next = function.insts[self.next].operands.to_vec();
        let mut behind = self.copy(function, &next);
        self.pass_on_loads(function, [&before, &behind], changes);
        function.regions[body].insts.retain(|&inst| inst != self.choice);

        let results = function.insts[self.inst].results.to_vec();
        let types: Vec<Type> = results.iter().map(|&result| function.ty(result)).collect();
        let (around, enters) = self.branch(function, &before, &types, None);
        results
            .iter()
            .zip(function.insts[around].results.clone())
            .for_each(|(&old, new)| changes.set(old, new));
        function.regions[enters].insts.push(self.inst);
        before.insts.push(around);
        let parent = structure.parent(self.inst).expect("the loop is in the function");
        let place = function.regions[parent].insts.iter().position(|&inst| inst == self.inst);
        let place = place.expect("it is in its region");
        function.regions[parent].insts.splice(place..=place, before.insts);

        let (again, stays) = self.branch(function, &behind, &[], Some(self.inst));
        let stay = self.exit(function, again, &[]);
        function.regions[stays].insts.push(stay);
        behind.insts.extend([again, self.next]);
        let insts = &mut function.regions[continuing].insts;
        insts.pop();
        insts.extend(behind.insts);
        Rotated { inst: self.inst, around, enters }
    }

    /// Computes the test for an iteration that carries these values.
    fn copy(&self, function: &mut Function, carried: &[Value]) -> Copied {
        let body = function.insts[self.inst].regions[0];
        let condition = function.insts[self.choice].operands[0];
        let mut cloner = Cloner::new(function);
        cloner.params(body, carried);
        let insts = self.insts.iter().map(|&inst| cloner.inst(inst)).collect();
        let values = self.values.iter().map(|&value| cloner.value(value)).collect();
        Copied { insts, condition: cloner.value(condition), values }
    }

    /// Makes the loop carry what the test at the end of the iteration before has read.
    fn pass_on_loads(&self, function: &mut Function, copies: [&Copied; 2], changes: &mut Substitution) {
        let body = function.insts[self.inst].regions[0];
        for (position, &inst) in self.insts.iter().enumerate() {
            if function.insts[inst].op.is_pure() {
                continue;
            }
            let result = function.insts[inst].results[0];
            let param = function.add_region_param(body, function.ty(result));
            for (copy, from) in copies.into_iter().zip([self.inst, self.next]) {
                let read = function.insts[copy.insts[position]].results[0];
                function.insts[from].operands.push(read);
            }
            function.regions[body].insts.retain(|&other| other != inst);
            changes.set(result, param);
        }
    }

    /// A branch by the test that leaves `target`, or itself; and its region that does not, which is empty.
    fn branch(
        &self,
        function: &mut Function,
        test: &Copied,
        results: &[Type],
        target: Option<Inst>,
    ) -> (Inst, Region) {
        let regions = [function.add_region(), function.add_region()];
        let span = function.insts[self.choice].span;
        let branch = function.make_inst(Op::If, &[test.condition], results, &regions, span);
        let leave = self.exit(function, target.unwrap_or(branch), &test.values);
        function.regions[regions[self.leaves]].insts.push(leave);
        (branch, regions[1 - self.leaves])
    }

    fn exit(&self, function: &mut Function, target: Inst, values: &[Value]) -> Inst {
        let span = function.insts[self.choice].span;
        function.make_inst(Op::Exit(target), values, &[], &[], span)
    }
}

/// A test for one iteration.
struct Copied {
    insts: Vec<Inst>,
    condition: Value,
    /// What the loop is left with.
    values: Vec<Value>,
}

/// A loop behind a test.
struct Rotated {
    inst: Inst,
    /// The branch around it.
    around: Inst,
    /// The region of the branch that enters it.
    enters: Region,
}

impl Rotated {
    /// Makes the loop's results those of the branch.
    fn leave(&self, function: &mut Function) {
        let (results, span) = (function.insts[self.inst].results.to_vec(), function.insts[self.inst].span);
        let leave = function.make_inst(Op::Exit(self.around), &results, &[], &[], span);
        function.regions[self.enters].insts.push(leave);
    }
}

/// Whether an instruction of a test may be copied.
fn may_repeat(function: &Function, inst: Inst) -> bool {
    let data = &function.insts[inst];
    data.results.len() == 1 && (data.op.is_pure() || matches!(data.op, Op::Load { volatile: false, .. }))
}
