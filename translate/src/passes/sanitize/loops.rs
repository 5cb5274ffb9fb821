//! Checks that loops end within a number of iterations. A loop that does not is left, so that the launch
//! comes to its end; and all loops of the launch that begin later may take few iterations, so that this does
//! not take long where there are many work-items.

use super::report::{Details, POINTER, Reporter, step, store};
use super::when;
use crate::passes::cursor::Cursor;
use clvk_interface::sanitize::{Checked, Kinds, LEFT};
use clvk_interface::{DeviceProfile, ImplicitBuffer, Quirk};
use clvk_ir::{AddressSpace, BinaryOp, CompareOp, Function, Inst, Op, Type, UnrollHint, Value};
use rustc_hash::FxHashMap;

/// The most iterations of loops that begin after one was left.
const FEW: u32 = 16;
/// The most iterations where the driver ends loops: a few less than it allows, so that the kernel comes to
/// its end. A loop that takes more is wrong there anyway.
const MOST_WHERE_LOOPS_END: u32 = 60_000;

/// The iterations that each loop may take.
pub fn budget(kinds: Kinds, profile: &DeviceProfile) -> u32 {
    let most = if profile.has(Quirk::LoopsEnd) { MOST_WHERE_LOOPS_END } else { u32::MAX };
    kinds.loop_budget().min(most)
}

/// The loops of a function that have budgets.
pub struct Loops {
    budget: u32,
    counted: FxHashMap<Inst, Counted>,
    followers: Followed,
}

/// Instructions that follow loops, and these.
pub type Followed = FxHashMap<Inst, Inst>;

struct Counted {
    /// A private variable with the iterations that are left, or [`SPENT`].
    rest: Value,
    /// Whether the loop has its whole budget, once that is known.
    whole: Option<Value>,
}

/// In place of the iterations that are left, in a loop that was left.
const SPENT: i64 = 0xffff_ffff;

impl Loops {
    /// Makes the variables, at the function's entry.
    pub fn enter(cursor: &mut Cursor<'_>, followed: Followed, budget: u32) -> Loops {
        let private = Type::Pointer(AddressSpace::Private);
        let variable = |inst| {
            let rest = cursor.value(Op::Alloca { size: 4, align: 4 }, &[], private);
            (inst, Counted { rest, whole: None })
        };
        let counted = followed.values().copied().map(variable).collect();
        Loops { budget, counted, followers: followed }
    }

    /// The loops of a function, without those of checks.
    pub fn of(function: &Function) -> Vec<Inst> {
        let mut loops = Vec::new();
        function.walk(|inst, data| {
            if data.op.is_loop() && data.op != Op::Loop(UnrollHint::Kept) {
                loops.push(inst);
            }
        });
        loops
    }

    /// The instructions that follow these loops. Each has one, for regions do not end with a loop.
    pub fn followed(function: &Function, loops: &[Inst]) -> Followed {
        let pairs = function.regions.iter().flat_map(|(_, region)| region.insts.windows(2));
        pairs.map(|pair| (pair[1], pair[0])).filter(|(_, inst)| loops.contains(inst)).collect()
    }

    /// Whether a loop has a budget.
    pub fn has(&self, inst: Inst) -> bool {
        self.counted.contains_key(&inst)
    }

    /// Keeps a loop, and counts its iterations.
    pub fn keep(&mut self, cursor: &mut Cursor<'_>, inst: Inst) {
        let Some(counted) = self.counted.get_mut(&inst) else { return cursor.keep(inst) };
        let rest = counted.rest;
        let left = left(cursor);
        let zero = cursor.int(Type::I32, 0);
        let none = cursor.compare(CompareOp::Eq, left, zero);
        counted.whole = Some(none);
        // The last condition is evaluated after the last iteration.
        let counts = [self.budget, self.budget.min(FEW)].map(|count| count.saturating_add(1));
        let [budget, few] = counts.map(|count| cursor.int(Type::I32, count.into()));
        let first = cursor.select(none, budget, few);
        store(cursor, rest, 0, first);
        cursor.keep(inst);
        // The walk is in the body now.
        let before = cursor.value(Op::Load { align: 4, volatile: false }, &[rest], Type::I32);
        let spent = cursor.compare(CompareOp::Eq, before, zero);
        let types: Vec<Type> =
            cursor.function.insts[inst].results.iter().map(|&result| cursor.function.ty(result)).collect();
        let results: Vec<Value> = types.into_iter().map(|ty| cursor.function.zero(ty)).collect();
        // From zero to [`SPENT`].
        let after = cursor.binary_int(BinaryOp::Sub, before, 1);
        store(cursor, rest, 0, after);
        cursor.exit_when(spent, true, inst, &results);
    }

    /// If this instruction follows a loop, reports that it had its whole budget and was left, and lets others
    /// have less. Drivers for processors would execute that masked in each iteration.
    pub fn follow(&self, cursor: &mut Cursor<'_>, reporter: &mut Reporter<'_>, follower: Inst) {
        let Some(&inst) = self.followers.get(&follower) else { return };
        let Counted { rest, whole: Some(whole) } = self.counted[&inst] else { return };
        let span = cursor.function.insts[inst].span;
        let rest = cursor.value(Op::Load { align: 4, volatile: false }, &[rest], Type::I32);
        let marked = cursor.int(Type::I32, SPENT);
        let spent = cursor.compare(CompareOp::Eq, rest, marked);
        let fails = cursor.binary(BinaryOp::And, spent, whole);
        when(cursor, fails, |cursor| {
            let (word, one) = (left_word(cursor), cursor.int(Type::I32, 1));
            cursor.push(Op::Store { align: 4, volatile: true }, &[word, one], &[], &[]);
            reporter.report_at(cursor, span, Checked::Ends { budget: self.budget }, Details::default());
        });
    }
}

fn left_word(cursor: &mut Cursor<'_>) -> Value {
    let reports = cursor.value(Op::ImplicitBuffer(ImplicitBuffer::Reports), &[], POINTER);
    step(cursor, reports, LEFT)
}

/// Whether a loop of the launch was left.
fn left(cursor: &mut Cursor<'_>) -> Value {
    let word = left_word(cursor);
    // Atomic operations would tell the other checks that the kernel has some.
    cursor.value(Op::Load { align: 4, volatile: true }, &[word], Type::I32)
}
