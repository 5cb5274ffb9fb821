//! Moves cheap operations whose operands a loop does not change out of the loop, also from under an `if` in
//! it. Drivers move what every iteration executes, and leave the rest where it is.
//!
//! Only pure operations move: no loads, and no divisions of integers, which must not be executed where the
//! source does not. What costs more than a few cycles moves only from where every iteration executes it.
//!
//! A value that is computed before a loop occupies a register in all of the loop. So an operation that GPUs
//! do not execute (extensions, sums with a constant that become a part of an access) moves only together
//! with one that they do, and each loop receives a limited number of words ([`MAX_WORDS`]): none if it
//! carries many values from iteration to iteration already ([`MAX_CARRIED`]), as a product of matrices does
//! with its sums, where one more register may be one work-group less.

use super::Context;
use crate::TranslateError;
use clvk_ir::{
    BinaryOp, ConvertOp, EntityId, Function, Inst, InstData, MathOp, Op, Region, Type, UnaryOp, Value,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// The most 32-bit words that are kept in registers round a loop.
const MAX_WORDS: u32 = 8;

/// The most 32-bit words that a loop which receives any carries from iteration to iteration.
const MAX_CARRIED: u32 = 32;

/// See the module.
///
/// # Errors
/// None.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    for function in context.module.bodies_mut() {
        let mut loops = false;
        function.walk(|_, data| loops |= data.op.is_loop());
        if loops {
            let survey = Survey::of(function);
            hoist(function, &survey);
        }
    }
    Ok(())
}

/// What an operation costs where it is executed needlessly.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cost {
    /// Nothing: it becomes a part of another instruction, or a flag.
    Nothing,
    Little,
    Much,
}

/// The cost of an operation; `None` if it must stay.
fn cost(function: &Function, data: &InstData) -> Option<Cost> {
    let [result] = data.results[..] else { return None };
    let is_constant = |position: usize| function.as_constant(data.operands[position]).is_some();
    Some(match data.op {
        _ if matches!(function.ty(result), Type::Matrix(_)) => return None,
        Op::Compare(_) | Op::Math(MathOp::IsNan | MathOp::IsInf | MathOp::FAbs) => Cost::Nothing,
        Op::Binary(op) if op.divides_integers() => return None,
        Op::Binary(BinaryOp::Add | BinaryOp::Sub) if is_constant(1) => Cost::Nothing,
        Op::Binary(BinaryOp::SMulHi | BinaryOp::UMulHi | BinaryOp::FDiv) => Cost::Much,
        Op::Unary(UnaryOp::FNeg) => Cost::Nothing,
        Op::Unary(_) | Op::Binary(_) | Op::Select if function.ty(result).is_bool() => Cost::Nothing,
        Op::Unary(_) | Op::Binary(_) | Op::Select => Cost::Little,
        Op::Convert(
            ConvertOp::Truncate | ConvertOp::ZeroExtend | ConvertOp::SignExtend | ConvertOp::Bitcast,
        ) => Cost::Nothing,
        Op::Convert(ConvertOp::Float(_) | ConvertOp::SignedToFloat(_) | ConvertOp::UnsignedToFloat(_)) => {
            Cost::Little
        }
        Op::Construct | Op::Extract(_) | Op::Insert(_) | Op::Shuffle(_) => Cost::Nothing,
        Op::PushConstant { .. } | Op::Input(_) => Cost::Nothing,
        Op::Math(
            MathOp::FMin
            | MathOp::FMax
            | MathOp::Floor
            | MathOp::Ceil
            | MathOp::Trunc
            | MathOp::RoundEven
            | MathOp::Fma
            | MathOp::FClamp
            | MathOp::CopySign,
        ) => Cost::Little,
        Op::Math(_) => Cost::Much,
        _ => return None,
    })
}

/// The words that a value occupies.
pub(super) fn register_words(ty: Type) -> u32 {
    ty.lanes() * ty.scalar().map_or(2, |scalar| scalar.bits().div_ceil(32))
}

/// The words that a loop may receive.
fn room(function: &Function, around: Inst) -> u32 {
    let body = function.insts[around].regions[0];
    let carried = function.regions[body].params.iter().map(|&param| register_words(function.ty(param)));
    if carried.sum::<u32>() > MAX_CARRIED { 0 } else { MAX_WORDS }
}

/// An operation that could move.
struct Movable {
    inst: Inst,
    cost: Cost,
    /// The loops around it that it would leave, from the outermost one.
    leaves: Vec<Inst>,
}

/// Where values are defined, and what could move.
struct Survey {
    /// In the order of the text.
    movable: Vec<Movable>,
    /// The position in `movable` of the operation that defines a value.
    by_result: FxHashMap<Value, usize>,
    /// Values that something uses that may stay.
    used: FxHashSet<Value>,
}

/// A region that the survey is in.
struct Place {
    region: Region,
    position: usize,
    /// The number of loops around its instructions.
    depth: usize,
    /// The number of loops around the innermost branch around its instructions.
    branch: usize,
}

impl Survey {
    fn of(function: &Function) -> Self {
        let mut survey =
            Survey { movable: Vec::new(), by_result: FxHashMap::default(), used: FxHashSet::default() };
        // How many loops there are around where a value is defined, or would be.
        let mut levels: Vec<u32> = vec![0; function.values.len()];
        let mut loops: Vec<Inst> = Vec::new();
        let first = function.body.map(|region| Place { region, position: 0, depth: 0, branch: 0 });
        let mut places: Vec<Place> = first.into_iter().collect();
        while let Some(place) = places.last_mut() {
            let Some(&inst) = function.regions[place.region].insts.get(place.position) else {
                places.pop();
                continue;
            };
            place.position += 1;
            let (depth, branch) = (place.depth, place.branch);
            let data = &function.insts[inst];
            loops.truncate(depth);
            let level = survey.inst(function, inst, &levels, &loops, branch);
            for &result in &data.results {
                levels[result.index()] = level;
            }
            if data.op.is_loop() {
                loops.push(inst);
            }
            let inner = loops.len();
            let inner_branch = if matches!(data.op, Op::If | Op::Switch(_)) { inner } else { branch };
            for &region in data.regions.iter().rev() {
                for &param in &function.regions[region].params {
                    levels[param.index()] = inner as u32;
                }
                places.push(Place { region, position: 0, depth: inner, branch: inner_branch });
            }
        }
        for movable in survey.movable.iter().rev().filter(|movable| movable.cost == Cost::Nothing) {
            let data = &function.insts[movable.inst];
            if survey.used.contains(&data.results[0]) {
                survey.used.extend(&data.operands);
            }
        }
        survey
    }

    /// Notes an instruction; returns how many loops there are around where it would move.
    fn inst(
        &mut self,
        function: &Function,
        inst: Inst,
        levels: &[u32],
        loops: &[Inst],
        branch: usize,
    ) -> u32 {
        let data = &function.insts[inst];
        let mut home =
            data.operands.iter().map(|operand| levels[operand.index()]).max().unwrap_or(0) as usize;
        let cost = cost(function, data);
        if cost == Some(Cost::Much) {
            home = home.max(branch);
        }
        let moves = cost.is_some() && home < loops.len();
        if !moves {
            self.used.extend(&data.operands);
        }
        let Some(cost) = cost.filter(|_| moves) else { return loops.len() as u32 };
        self.by_result.insert(data.results[0], self.movable.len());
        self.movable.push(Movable { inst, cost, leaves: loops[home..].to_vec() });
        home as u32
    }

    /// The operations that move, in the order of the text.
    fn chosen(&self, function: &Function) -> Vec<usize> {
        let mut chosen = vec![false; self.movable.len()];
        let mut left: FxHashMap<Inst, u32> = FxHashMap::default();
        for (position, movable) in self.movable.iter().enumerate() {
            let result = function.insts[movable.inst].results[0];
            if chosen[position] || movable.cost == Cost::Nothing || !self.used.contains(&result) {
                continue;
            }
            let more = register_words(function.ty(result));
            let mut fits =
                |around: &Inst| *left.entry(*around).or_insert_with(|| room(function, *around)) >= more;
            if movable.leaves.iter().all(&mut fits) {
                for around in &movable.leaves {
                    *left.get_mut(around).expect("it was asked") -= more;
                }
                self.choose(function, position, &mut chosen);
            }
        }
        (0..chosen.len()).filter(|&position| chosen[position]).collect()
    }

    /// Chooses an operation with those that compute its operands.
    fn choose(&self, function: &Function, position: usize, chosen: &mut [bool]) {
        let mut pending = vec![position];
        while let Some(position) = pending.pop() {
            if !std::mem::replace(&mut chosen[position], true) {
                let operands = &function.insts[self.movable[position].inst].operands;
                pending.extend(operands.iter().filter_map(|operand| self.by_result.get(operand)));
            }
        }
    }
}

/// Moves what the survey chooses.
fn hoist(function: &mut Function, survey: &Survey) {
    // What moves to before each loop.
    let mut before: FxHashMap<Inst, Vec<Inst>> = FxHashMap::default();
    let mut moved: FxHashSet<Inst> = FxHashSet::default();
    for position in survey.chosen(function) {
        let Movable { inst, leaves, .. } = &survey.movable[position];
        before.entry(leaves[0]).or_default().push(*inst);
        moved.insert(*inst);
    }
    if moved.is_empty() {
        return;
    }
    let mut regions: Vec<Region> = function.body.into_iter().collect();
    while let Some(region) = regions.pop() {
        let insts = std::mem::take(&mut function.regions[region].insts);
        let mut out = Vec::with_capacity(insts.len());
        for inst in insts {
            if moved.contains(&inst) {
                continue;
            }
            out.append(&mut before.remove(&inst).unwrap_or_default());
            regions.extend(&function.insts[inst].regions);
            out.push(inst);
        }
        function.regions[region].insts = out;
    }
}
