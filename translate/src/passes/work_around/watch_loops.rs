//! Makes kernels report whether the driver ended a loop early ([`Quirk::LoopsEnd`]).
//!
//! Once it has executed a certain number of iterations, such a driver leaves every loop after one iteration.
//! So a kernel with loops ends with one more loop, which takes four iterations, a number that only the host
//! knows ([`WorkItemQuery::Zero`]). If it takes fewer, earlier loops may have been left early, too, and the
//! kernel says so in [`ImplicitBuffer::LoopWatch`]. A launch that used up its iterations without exceeding
//! them is suspected, too. Two iterations are not enough: lavapipe 22.3 counts the next one before it leaves
//! the loop.
//!
//! Every work-item executes this, so it reads no memory: lavapipe 22.3 reads and writes memory for one
//! work-item after the other, and also where no work-item does.

use crate::TranslateError;
use crate::passes::{Context, structure::enclose};
use clvk_interface::{ImplicitBuffer, Quirk};
use clvk_ir::{
    AddressSpace, BinaryOp, Builder, CompareOp, Function, Inst, Op, Region, Type, UnrollHint, Value,
    WorkItemQuery,
};

/// See the module.
///
/// # Errors
/// None.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    if context.profile.has(Quirk::LoopsEnd) {
        for function in context.module.kernels_mut() {
            watch(function);
        }
    }
    Ok(())
}

fn watch(function: &mut Function) {
    let mut loops = false;
    // A function that is called may have loops.
    function.walk(|_, data| loops |= matches!(data.op, Op::Loop(_) | Op::Call(_)));
    let Some(body) = function.body.filter(|_| loops) else { return };
    let block = enclose(function, &[]);
    function.regions[body].insts.push(block);
    let mut build = Builder::new(function, body);
    probe(&mut build);
    build.push(Op::Return, &[], &[]);
}

/// The loop that takes four iterations, and what follows if it took fewer.
fn probe(build: &mut Builder<'_>) {
    let pointer = Type::Pointer(AddressSpace::Global);
    let word = build.value(Op::ImplicitBuffer(ImplicitBuffer::LoopWatch), &[], pointer);
    let zero = build.value(Op::WorkItem(WorkItemQuery::Zero), &[], Type::I32);
    let four = build.function.int(Type::I32, 4);
    let wanted = build.binary(BinaryOp::Add, zero, four);
    let taken = count_to(build, wanted);
    // Compared with another number, because the driver's compiler derives the count from the condition with
    // which the loop is left.
    let ended = build.compare(CompareOp::ULt, taken, four);
    let (then, otherwise) = (build.function.add_region(), build.function.add_region());
    let inst = build.push_with_regions(Op::If, &[ended], &[], &[then, otherwise]);
    let after = build.switch_to(then);
    let one = build.function.int(Type::I32, 1);
    build.store(word, one, 4, true);
    build.push(Op::Exit(inst), &[], &[]);
    build.switch_to(otherwise);
    build.push(Op::Exit(inst), &[], &[]);
    build.switch_to(after);
}

/// `for (int n = 0;;) if (++n >= wanted) break;`; gives `n`.
fn count_to(build: &mut Builder<'_>, wanted: Value) -> Value {
    let (zero, one) = (build.function.int(Type::I32, 0), build.function.int(Type::I32, 1));
    let (body, next) = (build.function.add_region(), build.function.add_region());
    let count = build.function.add_region_param(body, Type::I32);
    let carried = build.function.add_region_param(next, Type::I32);
    let inst = build.push_with_regions(Op::Loop(UnrollHint::By(1)), &[zero], &[Type::I32], &[body, next]);
    let after = build.switch_to(body);
    let more = build.binary(BinaryOp::Add, count, one);
    let done = build.compare(CompareOp::UGe, more, wanted);
    let leave = exit_region(build, inst, more);
    let stay = build.function.add_region();
    let choice = build.push_with_regions(Op::If, &[done], &[], &[leave, stay]);
    build.push(Op::Continue(inst), &[more], &[]);
    build.switch_to(stay);
    build.push(Op::Exit(choice), &[], &[]);
    build.switch_to(next);
    build.push(Op::NextIteration, &[carried], &[]);
    build.switch_to(after);
    build.function.insts[inst].results[0]
}

/// A region that leaves a loop with a value.
fn exit_region(build: &mut Builder<'_>, inst: Inst, value: Value) -> Region {
    let region = build.function.add_region();
    let before = build.switch_to(region);
    build.push(Op::Exit(inst), &[value], &[]);
    build.switch_to(before);
    region
}
