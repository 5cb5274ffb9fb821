//! Replaces region parameters and results that are the same on every path, or the same as others.
//!
//! Only uses change; dead-code elimination ([`super::dce`]) removes the parameters and results that become
//! unused.

use crate::passes::rewrite::Substitution;
use crate::passes::structure::Structure;
use clvk_ir::{Constant, EntityId, Function, Inst, Value, ValueDef};
use rustc_hash::FxHashMap;

/// The most rounds: each one removes at least one level of a chain.
const MAX_ROUNDS: usize = 8;

/// Prunes; returns how many values were replaced.
pub fn run(function: &mut Function) -> usize {
    let structure = Structure::of(function);
    let order = Order::of(function);
    let mut substitution = Substitution::default();
    for _ in 0..MAX_ROUNDS {
        let mut changed = false;
        for &construct in order.constructs.iter().rev() {
            changed |= prune_construct(function, &structure, &order, construct, &mut substitution);
        }
        if !changed {
            break;
        }
    }
    substitution.apply(function);
    substitution.len()
}

/// Positions of instructions in the order of the text, and the end of each construct.
struct Order {
    constructs: Vec<Inst>,
    position: Vec<u32>,
    end: Vec<u32>,
}

impl Order {
    fn of(function: &Function) -> Self {
        let count = function.insts.len();
        let mut order = Order { constructs: Vec::new(), position: vec![0; count], end: vec![0; count] };
        let mut next = 0;
        // A region with the position in it, and the construct whose end is reached when it is popped.
        let mut stack: Vec<(clvk_ir::Region, usize, Option<Inst>)> =
            function.body.map(|body| (body, 0, None)).into_iter().collect();
        while let Some((region, at, owner)) = stack.pop() {
            let Some(&inst) = function.regions[region].insts.get(at) else {
                if let Some(owner) = owner {
                    order.end[owner.index()] = next;
                }
                continue;
            };
            stack.push((region, at + 1, owner));
            order.position[inst.index()] = next;
            next += 1;
            let data = &function.insts[inst];
            if data.op.has_regions() {
                order.constructs.push(inst);
                order.end[inst.index()] = next;
            }
            for (number, &nested) in data.regions.iter().enumerate().rev() {
                // The last region is popped last and sets the end.
                stack.push((nested, 0, (number + 1 == data.regions.len()).then_some(inst)));
            }
        }
        order
    }

    /// Whether a value is defined outside a construct (and therefore, if it is visible inside, before it).
    fn is_outside(&self, function: &Function, structure: &Structure, value: Value, construct: Inst) -> bool {
        let owner = match function.values[value].def {
            ValueDef::Param(_) | ValueDef::Constant(_) | ValueDef::Global(_) => return true,
            ValueDef::Result(inst, _) => {
                if inst == construct {
                    return false;
                }
                inst
            }
            ValueDef::RegionParam(region, _) => match structure.owner(region) {
                Some(owner) if owner != construct => owner,
                _ => return false,
            },
        };
        let position = self.position[owner.index()];
        !(self.position[construct.index()]..self.end[construct.index()]).contains(&position)
    }
}

fn prune_construct(
    function: &Function,
    structure: &Structure,
    order: &Order,
    construct: Inst,
    substitution: &mut Substitution,
) -> bool {
    let data = &function.insts[construct];
    let mut changed = false;
    let outside = |value| order.is_outside(function, structure, value, construct);
    for (index, &result) in data.results.iter().enumerate() {
        if substitution.get(result) == result {
            let incoming =
                structure.exits(construct).iter().map(|&exit| function.insts[exit].operands[index]);
            if let Some(value) =
                common(function, substitution, incoming, &[result]).filter(|&value| outside(value))
            {
                substitution.set(result, value);
                changed = true;
            }
        }
    }
    changed |= join(function, substitution, &data.results, structure.exits(construct));
    if !data.op.is_loop() {
        return changed;
    }
    let (body, continuing) = (data.regions[0], data.regions[1]);
    let params = &function.regions[continuing].params;
    changed |= join(function, substitution, params, structure.continues(construct));
    for (index, &param) in function.regions[continuing].params.iter().enumerate() {
        if substitution.get(param) == param {
            let incoming =
                structure.continues(construct).iter().map(|&from| function.insts[from].operands[index]);
            if let Some(value) =
                common(function, substitution, incoming, &[param]).filter(|&value| outside(value))
            {
                substitution.set(param, value);
                changed = true;
            }
        }
    }
    let next = structure.next_iteration(function, construct);
    for (index, &param) in function.regions[body].params.iter().enumerate() {
        if substitution.get(param) != param {
            continue;
        }
        let mut incoming = vec![data.operands[index]];
        let mut own = vec![param];
        if let Some(next) = next {
            let value = substitution.get(function.insts[next].operands[index]);
            match function.values[value].def {
                // A value that the continuing region merely passes on comes from the continues.
                ValueDef::RegionParam(region, from) if region == continuing => {
                    own.push(value);
                    let continues = structure.continues(construct).iter();
                    incoming.extend(continues.map(|&inst| function.insts[inst].operands[from as usize]));
                }
                _ => incoming.push(value),
            }
        }
        let first = substitution.get(data.operands[index]);
        let alike = common(function, substitution, incoming.iter().copied(), &own).or_else(|| {
            // Most parameters become something that is computed, which is quickly seen.
            let is_passed_on = |&value: &Value| {
                let value = substitution.get(value);
                value == first || is_passed_on(function, value)
            };
            if !incoming.iter().all(is_passed_on) {
                return None;
            }
            let unchanged = Unchanged { function, structure, substitution, first, seen: own.clone() };
            unchanged.holds(incoming.clone(), |value| !outside(value)).then_some(first)
        });
        if let Some(value) = alike.filter(|&value| outside(value)) {
            substitution.set(param, value);
            changed = true;
        }
    }
    changed
}

/// Replaces results or parameters, to which each of the `jumps` brings a value, by earlier ones to which all
/// bring the same.
fn join(function: &Function, substitution: &mut Substitution, values: &[Value], jumps: &[Inst]) -> bool {
    if values.len() < 2 || jumps.is_empty() {
        return false;
    }
    let mut first: FxHashMap<Vec<Value>, Value> = FxHashMap::default();
    let mut changed = false;
    for (index, &value) in values.iter().enumerate() {
        if substitution.get(value) != value {
            continue;
        }
        let brought =
            jumps.iter().map(|&jump| substitution.get(function.insts[jump].operands[index])).collect();
        let &mut earlier = first.entry(brought).or_insert(value);
        if earlier != value {
            substitution.set(value, earlier);
            changed = true;
        }
    }
    changed
}

/// The most parameters and results through which a value is followed.
const MAX_FOLLOWED: usize = 32;

/// Whether a value is a parameter or a result of a construct, or undefined.
fn is_passed_on(function: &Function, value: Value) -> bool {
    match &function.values[value].def {
        ValueDef::Result(inst, _) => function.insts[*inst].op.has_regions(),
        ValueDef::RegionParam(..) => true,
        ValueDef::Constant(constant) => *constant == Constant::Undef,
        ValueDef::Param(_) | ValueDef::Global(_) => false,
    }
}

/// The question whether a loop's parameter keeps its first value: on all ways through the parameters and
/// results of inner constructs, too. Those that are being followed are taken to keep it. Only what is inside
/// the loop is followed: outside, a value may be the first one of an earlier execution of the loop.
struct Unchanged<'f> {
    function: &'f Function,
    structure: &'f Structure,
    substitution: &'f Substitution,
    first: Value,
    /// The parameters and results that were followed.
    seen: Vec<Value>,
}

impl Unchanged<'_> {
    fn holds(mut self, mut pending: Vec<Value>, is_inside: impl Fn(Value) -> bool) -> bool {
        let (function, structure) = (self.function, self.structure);
        while let Some(value) = pending.pop() {
            let value = self.substitution.get(value);
            let is_undefined = function.as_constant(value) == Some(&Constant::Undef);
            if value == self.first || is_undefined || self.seen.contains(&value) {
                continue;
            }
            if self.seen.len() == MAX_FOLLOWED || !is_inside(value) {
                return false;
            }
            self.seen.push(value);
            match function.values[value].def {
                ValueDef::Result(inst, index) if function.insts[inst].op.has_regions() => {
                    let exits = structure.exits(inst).iter();
                    pending.extend(exits.map(|&exit| function.insts[exit].operands[index as usize]));
                }
                ValueDef::RegionParam(region, index) => {
                    let Some(owner) = structure.owner(region) else { return false };
                    if function.insts[owner].regions[0] == region {
                        pending.push(function.insts[owner].operands[index as usize]);
                        pending.extend(incoming_of_loop(function, structure, owner, index as usize));
                    } else {
                        let continues = structure.continues(owner).iter();
                        pending.extend(continues.map(|&inst| function.insts[inst].operands[index as usize]));
                    }
                }
                _ => return false,
            }
        }
        true
    }
}

/// What a loop's parameter is after the first iteration; empty if there is only one.
fn incoming_of_loop(function: &Function, structure: &Structure, owner: Inst, index: usize) -> Vec<Value> {
    let next = structure.next_iteration(function, owner);
    next.map(|next| function.insts[next].operands[index]).into_iter().collect()
}

/// The only incoming value, apart from `own` ones and undefined ones.
fn common(
    function: &Function,
    substitution: &Substitution,
    incoming: impl IntoIterator<Item = Value>,
    own: &[Value],
) -> Option<Value> {
    let mut found = None;
    let mut undefined = None;
    for value in incoming {
        let value = substitution.get(value);
        if own.contains(&value) {
            continue;
        }
        if function.as_constant(value) == Some(&Constant::Undef) {
            undefined = Some(value);
            continue;
        }
        match found {
            None => found = Some(value),
            Some(other) if other != value => return None,
            Some(_) => {}
        }
    }
    found.or(undefined)
}
