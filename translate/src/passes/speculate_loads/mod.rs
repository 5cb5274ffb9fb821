//! Begins loads from local memory before the conditions around them, for devices that are faster so
//! ([`Preference::SpeculatedLoads`]).
//!
//! ```c
//! if (a > k) t[a] -= t[k] * u; // becomes      x = t[a], y = t[k], z = t[b];
//! if (b > k) t[b] -= t[k] * u;                 if (a > k) t[a] = x - y * u;
//!                                              if (b > k) t[b] = z - y * u;
//! ```
//!
//! Each of such conditions waits for its own loads, one after the other: the driver does not know that they
//! may happen if the condition does not hold, nor that the stores in front of them change something else.
//! Unrolled loops over rows of a tile come out like this. All loads can be under way together if
//!
//! - they lie within their variable whatever the condition is: indices have a known range, because they are
//!   computed from local ids (a kernel that requires a work-group size), or count a loop;
//! - the stores before them reach other bytes. Their distance has a range without 0, or is a multiple of one
//!   that a condition around either of them excludes, like `a - k` above.
//!
//! No barrier stands in between, so only a race could let another work-item change what is loaded. What is
//! loaded in vain is not used.

mod sums;

use super::Context;
use super::hoist_invariants::register_words;
use super::rewrite::Substitution;
use super::structure::Structure;
use crate::TranslateError;
use clvk_interface::Preference;
use clvk_ir::{
    AddressSpace, Arena, BinaryOp, CompareOp, Function, Global, GlobalData, Inst, Module, Op, Region, Type,
    Value,
};
use rustc_hash::FxHashSet;
use sums::{Sum, Sums};

/// The most instructions under a condition.
const MAX_CODE: usize = 24;
/// The most conditions whose loads begin together.
const MAX_UPDATES: usize = 16;
/// The most 32-bit words that are loaded together.
const MAX_WORDS: u32 = 32;

/// See the module.
///
/// # Errors
/// None.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    if !context.profile.prefers(Preference::SpeculatedLoads) {
        return Ok(());
    }
    let Module { functions, globals, .. } = &mut *context.module;
    for (_, function) in functions.iter_mut() {
        let mut regions = Vec::new();
        function.walk(|_, data| regions.extend(data.regions.iter().copied()));
        regions.extend(function.body);
        regions.retain(|&region| {
            let insts = &function.regions[region].insts;
            insts.iter().filter(|&&inst| Update::of(function, inst).is_some()).count() > 1
        });
        if function.kernel.is_none() || regions.is_empty() {
            continue;
        }
        let mut sums = Sums::of(function, &Structure::of(function));
        let mut replaced = Substitution::default();
        for region in regions {
            speculate_in(function, globals, &mut sums, region, &mut replaced);
        }
        replaced.apply(function);
    }
    Ok(())
}

/// An `if` that only loads, computes and stores, and gives nothing.
struct Update {
    inst: Inst,
    code: Region,
}

impl Update {
    fn of(function: &Function, inst: Inst) -> Option<Update> {
        let data = &function.insts[inst];
        if data.op != Op::If || !data.results.is_empty() {
            return None;
        }
        let [code, other] = data.regions[..] else { return None };
        let ends = |region: Region| {
            function.terminator(region).is_some_and(|end| function.insts[end].op == Op::Exit(inst))
        };
        let insts = &function.regions[code].insts;
        let is_empty = function.regions[other].insts.len() == 1;
        if !ends(code) || !ends(other) || !is_empty || insts.len() > MAX_CODE {
            return None;
        }
        let is_simple = |inst: &Inst| match &function.insts[*inst].op {
            Op::Load { volatile, .. } | Op::Store { volatile, .. } => !volatile,
            op => op.is_movable(),
        };
        insts[..insts.len() - 1].iter().all(is_simple).then_some(Update { inst, code })
    }
}

/// Finds updates that follow each other in a region, and begins their loads together.
fn speculate_in(
    function: &mut Function,
    globals: &Arena<Global, GlobalData>,
    sums: &mut Sums,
    region: Region,
    replaced: &mut Substitution,
) {
    let insts = function.regions[region].insts.clone();
    let mut out = Vec::with_capacity(insts.len());
    let mut rest = &insts[..];
    while let Some(&inst) = rest.first() {
        let (updates, length) = row(function, rest);
        let mut plan =
            Plan { function, globals, sums, loads: Vec::new(), early: FxHashSet::default(), words: 0 };
        if updates.len() > 1 && plan.make(&updates, replaced) {
            let early = plan.early;
            let (conditions, between): (Vec<Inst>, Vec<Inst>) =
                rest[..length].iter().partition(|&&inst| function.insts[inst].op == Op::If);
            out.extend(between);
            let code = updates.iter().flat_map(|update| &function.regions[update.code].insts);
            out.extend(code.copied().filter(|inst| early.contains(inst)));
            out.extend(conditions);
            for update in &updates {
                function.regions[update.code].insts.retain(|inst| !early.contains(inst));
            }
            rest = &rest[length..];
        } else {
            out.push(inst);
            rest = &rest[1..];
        }
    }
    function.regions[region].insts = out;
}

/// The updates at the beginning of a region's instructions, with nothing between them that may not move to
/// before them; and how many instructions that are.
fn row(function: &Function, insts: &[Inst]) -> (Vec<Update>, usize) {
    let (mut updates, mut length) = (Vec::new(), 0);
    for (position, &inst) in insts.iter().enumerate() {
        match Update::of(function, inst) {
            Some(update) if updates.len() < MAX_UPDATES => {
                updates.push(update);
                length = position + 1;
            }
            None if position > 0 && function.insts[inst].op.is_movable() => {}
            _ => break,
        }
    }
    (updates, length)
}

/// A part of a variable in local memory.
struct Place {
    variable: Global,
    offset: Sum,
    size: i64,
}

/// What is executed before a row of updates.
struct Plan<'a> {
    function: &'a Function,
    globals: &'a Arena<Global, GlobalData>,
    sums: &'a mut Sums,
    /// What is loaded.
    loads: Vec<(Place, Type, Value)>,
    /// The loads, and what computes their addresses.
    early: FxHashSet<Inst>,
    words: u32,
}

impl Plan<'_> {
    /// Whether it pays: loads begin before a store to local memory, which drivers do not move them over. Of
    /// equal loads, one is kept.
    fn make(&mut self, updates: &[Update], replaced: &mut Substitution) -> bool {
        let mut stores: Vec<(Place, usize)> = Vec::new();
        let mut excluded: Vec<Vec<Sum>> = Vec::new();
        let mut equal = Vec::new();
        let mut passes = false;
        for (number, update) in updates.iter().enumerate() {
            excluded.push(self.excluded(self.function.insts[update.inst].operands[0]));
            let code = &self.function.regions[update.code].insts;
            let inside: FxHashSet<Value> =
                code.iter().flat_map(|&inst| self.function.insts[inst].results.iter().copied()).collect();
            let mut computable: FxHashSet<Value> = FxHashSet::default();
            for &inst in &code[..code.len() - 1] {
                let data = &self.function.insts[inst];
                let is_known = |value: &Value| !inside.contains(value) || computable.contains(value);
                match data.op {
                    Op::Store { .. } => match self.stored(inst) {
                        Stored::Elsewhere => {}
                        Stored::At(place) => stores.push((place, number)),
                        Stored::Anywhere => return false,
                    },
                    Op::Load { .. } if data.operands.iter().all(is_known) => {
                        let place = self.inside(inst).filter(|place| {
                            stores.iter().all(|(store, by)| {
                                let excluded = excluded[*by].iter().chain(&excluded[number]);
                                self.is_apart(place, store, excluded)
                            })
                        });
                        let Some(place) = place else { continue };
                        let (ty, result) = (self.function.ty(data.results[0]), data.results[0]);
                        let known = self.loads.iter().find(|(known, known_ty, _)| {
                            *known_ty == ty
                                && known.variable == place.variable
                                && known.offset == place.offset
                        });
                        match known {
                            Some(&(_, _, known)) => equal.push((result, known)),
                            None => {
                                self.words += register_words(ty);
                                self.loads.push((place, ty, result));
                            }
                        }
                        self.early.insert(inst);
                        passes |= number > 0 && !stores.is_empty();
                        computable.insert(result);
                    }
                    ref op if op.is_movable() && data.operands.iter().all(is_known) => {
                        computable.extend(data.results.iter().copied());
                    }
                    _ => {}
                }
            }
        }
        let pays = passes && self.words <= MAX_WORDS;
        if pays {
            equal.into_iter().for_each(|(load, known)| replaced.set(load, known));
            self.add_addresses(updates);
        }
        pays
    }

    /// Adds what the loads need.
    fn add_addresses(&mut self, updates: &[Update]) {
        let code = updates.iter().flat_map(|update| &self.function.regions[update.code].insts);
        let code: FxHashSet<Inst> = code.copied().collect();
        let mut pending: Vec<Inst> = self.early.iter().copied().collect();
        while let Some(inst) = pending.pop() {
            for &operand in &self.function.insts[inst].operands {
                if let Some(needed) = self.function.defining_inst(operand)
                    && code.contains(&needed)
                    && self.early.insert(needed)
                {
                    pending.push(needed);
                }
            }
        }
    }

    /// Differences of numbers that are not zero where a condition holds.
    fn excluded(&mut self, condition: Value) -> Vec<Sum> {
        let (mut conditions, mut excluded) = (vec![condition], Vec::new());
        while let Some(inst) = conditions.pop().and_then(|condition| self.function.defining_inst(condition)) {
            let data = &self.function.insts[inst];
            match data.op {
                Op::Binary(BinaryOp::And) => conditions.extend(&data.operands),
                Op::Compare(
                    CompareOp::Ne | CompareOp::ULt | CompareOp::UGt | CompareOp::SLt | CompareOp::SGt,
                ) => {
                    let [a, b] = [0, 1].map(|side| self.sums.number(self.function, data.operands[side]));
                    excluded.extend(a.zip(b).and_then(|(a, b)| a.minus(&b)));
                }
                _ => {}
            }
        }
        excluded
    }

    /// What a load reads, if it lies within a variable in local memory.
    fn inside(&mut self, load: Inst) -> Option<Place> {
        let data = &self.function.insts[load];
        let size = i64::from(self.function.ty(data.results[0]).access_size());
        let place = self.place(data.operands[0], size)?;
        let [least, greatest] = self.sums.range(self.function, &place.offset)?;
        let whole = i64::try_from(self.globals[place.variable].size).ok()?;
        (least >= 0 && greatest.checked_add(size)? <= whole).then_some(place)
    }

    fn place(&mut self, pointer: Value, size: i64) -> Option<Place> {
        let (variable, offset) = self.sums.place(self.function, pointer)?;
        let is_local = self.globals[variable].space == AddressSpace::Local;
        is_local.then_some(Place { variable, offset, size })
    }

    fn stored(&mut self, store: Inst) -> Stored {
        let data = &self.function.insts[store];
        match self.function.ty(data.operands[0]).address_space() {
            Some(AddressSpace::Global | AddressSpace::Private) => return Stored::Elsewhere,
            Some(AddressSpace::Local) => {}
            _ => return Stored::Anywhere,
        }
        let size = i64::from(self.function.ty(data.operands[1]).access_size());
        self.place(data.operands[0], size).map_or(Stored::Anywhere, Stored::At)
    }

    /// Whether two accesses reach different bytes, where these differences are not zero.
    fn is_apart<'s>(&mut self, a: &Place, b: &Place, excluded: impl Iterator<Item = &'s Sum>) -> bool {
        if a.variable != b.variable {
            return true;
        }
        let Some(distance) = a.offset.minus(&b.offset) else { return false };
        let range = self.sums.range(self.function, &distance);
        let size = a.size.max(b.size);
        range.is_some_and(|[least, greatest]| least >= b.size || greatest <= -a.size)
            || excluded.filter_map(|sum| distance.multiple_of(sum)).any(|times| times.abs() >= size)
    }
}

/// Where a store writes.
enum Stored {
    /// Not to local memory.
    Elsewhere,
    At(Place),
    Anywhere,
}
