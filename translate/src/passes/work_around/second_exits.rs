//! Adds an exit that is never taken to loops that are left with a value computed in them. Some drivers keep
//! such a value separately for each work-item only if several exits bring different values
//! ([`Quirk::LoopResults`]). The driver may find that two exits bring the same value, so loops with several
//! exits get one too.
//!
//! The exit is at the start of the body and brings zeros. Its condition is a word of the push constants that
//! is always 0, which the driver does not know. The pass runs after `structure-exits`, which makes the
//! results of loops; the exit leaves only the innermost loop. Loops that all work-items of a group leave
//! in the same iteration need none.

use crate::TranslateError;
use crate::passes::{Context, cursor::region_owners, uniform::uniform_loops, zero::Zero};
use clvk_interface::Quirk;
use clvk_ir::{Builder, CompareOp, EntityId, Function, Inst, Op, Region, Type, Value, ValueDef};
use rustc_hash::FxHashMap;

/// See the module.
///
/// # Errors
/// None.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    if !context.profile.has(Quirk::LoopResults) {
        return Ok(());
    }
    for function in context.module.bodies_mut() {
        if let Some(zero) = Zero::of(function, &context.interface) {
            add_exits(function, zero);
        }
    }
    Ok(())
}

/// Adds an exit to each loop that needs one; `zero` is the word.
fn add_exits(function: &mut Function, zero: Zero) {
    let mut exits: Vec<(Inst, Vec<Value>)> = Vec::new();
    let mut regions: FxHashMap<Inst, Region> = FxHashMap::default();
    for (region, data) in function.regions.iter() {
        regions.extend(data.insts.iter().map(|&inst| (inst, region)));
    }
    function.walk(|_, data| {
        if let Op::Exit(owner) = data.op
            && matches!(function.insts[owner].op, Op::Loop(_))
        {
            exits.push((owner, data.operands.to_vec()));
        }
    });
    let nesting = Nesting { regions, owners: region_owners(function), function };
    let needs =
        |(inst, values): &(Inst, Vec<Value>)| values.iter().any(|&value| nesting.is_made_in(value, *inst));
    let mut loops: Vec<Inst> = exits.iter().filter(|exit| needs(exit)).map(|(inst, _)| *inst).collect();
    loops.sort_unstable();
    loops.dedup();
    if !loops.is_empty() {
        let uniform = uniform_loops(function);
        loops.retain(|inst| !uniform.contains(inst));
    }
    for inst in loops {
        add_exit(function, inst, zero);
    }
}

/// The nesting of regions and constructs.
struct Nesting<'f> {
    function: &'f Function,
    regions: FxHashMap<Inst, Region>,
    owners: Vec<Option<Inst>>,
}

impl Nesting<'_> {
    /// Whether a value is computed in a loop. A value carried from iteration to iteration stays what it was
    /// when a work-item leaves.
    fn is_made_in(&self, value: Value, inst: Inst) -> bool {
        let mut region = match self.function.values[value].def {
            ValueDef::Result(maker, _) => self.regions.get(&maker).copied(),
            ValueDef::RegionParam(region, _) if region == self.function.insts[inst].regions[0] => None,
            ValueDef::RegionParam(region, _) => Some(region),
            _ => None,
        };
        while let Some(inner) = region {
            let owner = self.owners.get(inner.index()).copied().flatten();
            if owner == Some(inst) {
                return true;
            }
            region = owner.and_then(|owner| self.regions.get(&owner).copied());
        }
        false
    }
}

fn add_exit(function: &mut Function, inst: Inst, zero: Zero) {
    let body = function.insts[inst].regions[0];
    let types: Vec<Type> = function.insts[inst].results.iter().map(|&result| function.ty(result)).collect();
    let rest = std::mem::take(&mut function.regions[body].insts);
    let mut build = Builder::new(function, body);
    let word = zero.read(|op| build.value(op, &[], Type::I32));
    let none = build.function.int(Type::I32, 0);
    let never = build.compare(CompareOp::Ne, word, none);
    let (leave, stay) = (build.function.add_region(), build.function.add_region());
    let choice = build.push_with_regions(Op::If, &[never], &[], &[leave, stay]);
    build.switch_to(leave);
    let zeros: Vec<Value> = types.into_iter().map(|ty| build.function.zero(ty)).collect();
    build.push(Op::Exit(inst), &zeros, &[]);
    build.switch_to(stay);
    build.push(Op::Exit(choice), &[], &[]);
    function.regions[body].insts.extend(rest);
}
