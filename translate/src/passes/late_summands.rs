//! Adds what comes out of a branch last.
//!
//! `((x + a) + b) + c`, where `x` is the result of an `if` or another construct, becomes `((a + b) + c) + x`.
//! Compilers of SPIR-V order operands as they please, often such results first. What does not need the branch
//! can then be computed before it or beside it: an H100's driver (580.159.04) takes 1.745 ms for `sha256`
//! from clang's module, and 1.722 with its sums in this order (`docs/log/kernels.md`).
//!
//! Only sums of integers of at most 32 bits whose parts nothing else uses change: addresses stay as they are,
//! and a constant stays last, because it becomes a part of an access.

use super::Context;
use super::contract::use_counts;
use crate::TranslateError;
use clvk_ir::{BinaryOp, EntityId, Function, Inst, Op, Region, Type, Value};

/// See the module.
///
/// # Errors
/// None.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    for function in context.module.bodies_mut() {
        let uses = use_counts(function);
        let mut regions: Vec<Region> = function.body.into_iter().collect();
        function.walk(|_, data| regions.extend(&data.regions));
        let mut positions = vec![0; function.insts.len()];
        for region in regions {
            order(function, region, &uses, &mut positions);
        }
    }
    Ok(())
}

/// Orders the sums of a region. `positions` is room for its instructions' positions.
fn order(function: &mut Function, region: Region, uses: &[u32], positions: &mut [usize]) {
    // The sum that each sum is the left operand of comes later, so each chain is met at its end first.
    let insts = function.regions[region].insts.clone();
    for (&inst, position) in insts.iter().zip(1..) {
        positions[inst.index()] = position;
    }
    let mut inner = vec![false; insts.len() + 1];
    for &inst in insts.iter().rev() {
        if is_sum(function, inst) && !inner[positions[inst.index()]] {
            let chain = chain(function, inst, &insts, uses, positions);
            chain.iter().for_each(|&sum| inner[positions[sum.index()]] = true);
            order_chain(function, &chain, &insts, positions);
        }
    }
}

/// Whether an instruction adds integers of at most 32 bits.
fn is_sum(function: &Function, inst: Inst) -> bool {
    let data = &function.insts[inst];
    let narrow = |ty: Type| ty.scalar().is_some_and(|scalar| scalar.bits() <= 32);
    data.op == Op::Binary(BinaryOp::Add) && narrow(function.ty(data.results[0]))
}

/// The instruction of these that defines a value.
fn defining(function: &Function, value: Value, insts: &[Inst], positions: &[usize]) -> Option<Inst> {
    let inst = function.defining_inst(value)?;
    (insts.get(positions[inst.index()].checked_sub(1)?) == Some(&inst)).then_some(inst)
}

/// A sum and those that are its left operands, the first one first, as far as nothing else uses them.
fn chain(function: &Function, last: Inst, insts: &[Inst], uses: &[u32], positions: &[usize]) -> Vec<Inst> {
    let mut chain = vec![last];
    loop {
        let left = function.insts[*chain.last().expect("it has a sum")].operands[0];
        match defining(function, left, insts, positions) {
            Some(inst) if is_sum(function, inst) && uses[left.index()] == 1 => chain.push(inst),
            _ => break,
        }
    }
    chain.reverse();
    chain
}

/// Moves the results of constructs to the end of a chain of sums, before a constant.
fn order_chain(function: &mut Function, chain: &[Inst], insts: &[Inst], positions: &[usize]) {
    let operands = |sum: &Inst| function.insts[*sum].operands[1];
    let summands = std::iter::once(function.insts[chain[0]].operands[0]).chain(chain.iter().map(operands));
    let rank = |&value: &Value| {
        let late = defining(function, value, insts, positions)
            .is_some_and(|inst| !function.insts[inst].regions.is_empty());
        (function.as_constant(value).is_some(), late)
    };
    let before: Vec<Value> = summands.collect();
    let mut after = before.clone();
    after.sort_by_key(rank);
    let place = |value: &Value| {
        defining(function, *value, insts, positions).map_or(0, |inst| positions[inst.index()])
    };
    // A summand may be computed between the sums.
    let is_there = |(value, sum): (&Value, &Inst)| place(value) < positions[sum.index()];
    if before == after
        || !after[1..].iter().zip(chain).all(is_there)
        || place(&after[0]) >= positions[chain[0].index()]
    {
        return;
    }
    function.insts[chain[0]].operands[0] = after[0];
    for (&sum, &value) in chain.iter().zip(&after[1..]) {
        function.insts[sum].operands[1] = value;
    }
}
