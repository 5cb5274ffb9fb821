//! Turns exits into what SPIR-V's structured control flow allows.
//!
//! After this pass
//! - an exit from an `if` is directly in a region of that `if`;
//! - an exit from or a continue of a loop has no other loop in between;
//! - an exit from a `switch` or `block` has no loop, `switch` or `block` in between;
//! - the continuing region of a loop ends with `NextIteration` and is left only there;
//! - few blocks are left: a block that is left only at its end is dissolved, one that is left from the
//!   branches of an `if` becomes nested `if`s where that copies nothing, and one that ends an iteration is
//!   left by `Continue`.
//!
//! An exit over several constructs becomes an exit from the innermost one with a number that says where to
//! continue, and a test after it. Nothing is copied but a few computations at the end of an iteration, and no
//! barrier moves into or out of divergent flow. Nothing recurses.

mod route;
mod slots;
mod tails;

use super::simplify::{dce, prune};
use super::{Context, cursor::region_owners};
use crate::TranslateError;
use clvk_ir::{EntityId, Function, Inst, Op, Region, Span, Type, Value, ValueDef};
use rustc_hash::{FxHashMap, FxHashSet};

/// Structures the exits of every kernel.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    for function in context.module.bodies_mut() {
        structure(function);
    }
    Ok(())
}

/// Nests the exits of every kernel, after [`run`]: an exit from a loop then has no `switch` or `block` in
/// between, because the `break` of naga's languages leaves the innermost of all three.
///
/// # Errors
/// None.
pub fn run_nested(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    for function in context.module.bodies_mut() {
        let mut pass = Structuring {
            tree: Tree::of(function),
            replaced: FxHashMap::default(),
            carries: false,
            function,
        };
        route::route_exits(&mut pass, false);
    }
    Ok(())
}

/// Structures the exits of a function.
pub fn structure(function: &mut Function) {
    let mut pass =
        Structuring { tree: Tree::of(function), replaced: FxHashMap::default(), carries: false, function };
    pass.wrap_ifs();
    pass.move_continuing_regions();
    pass.simplify_blocks();
    tails::continue_from_blocks(&mut pass);
    route::route_exits(&mut pass, true);
    pass.simplify_blocks();
    pass.substitute();
    // Each construct on the way of an exit has results for what the exit brings, also if nothing changes it.
    if pass.carries && prune::run(function) > 0 {
        dce::run(function);
    }
}

/// The nesting of constructs and regions.
struct Tree {
    region_of: Vec<Option<Region>>,
    owners: Vec<Option<Inst>>,
}

impl Tree {
    fn of(function: &Function) -> Tree {
        let mut region_of = vec![None; function.insts.len()];
        let mut pending: Vec<Region> = function.body.into_iter().collect();
        while let Some(region) = pending.pop() {
            for &inst in &function.regions[region].insts {
                region_of[inst.index()] = Some(region);
                pending.extend(function.insts[inst].regions.iter().copied());
            }
        }
        Tree { region_of, owners: region_owners(function) }
    }

    fn region(&self, inst: Inst) -> Option<Region> {
        self.region_of.get(inst.index()).copied().flatten()
    }

    /// Whether a value is defined in the regions of a construct.
    fn is_inside(&self, function: &Function, value: Value, construct: Inst) -> bool {
        let mut current = match function.values[value].def {
            ValueDef::Result(inst, _) => self.parent(inst),
            ValueDef::RegionParam(region, _) => self.owners.get(region.index()).copied().flatten(),
            ValueDef::Param(_) | ValueDef::Constant(_) | ValueDef::Global(_) => None,
        };
        while let Some(owner) = current {
            if owner == construct {
                return true;
            }
            current = self.parent(owner);
        }
        false
    }

    /// The construct around an instruction.
    fn parent(&self, inst: Inst) -> Option<Inst> {
        self.region(inst).and_then(|region| self.owners.get(region.index()).copied().flatten())
    }

    fn place(&mut self, inst: Inst, region: Region) {
        if self.region_of.len() <= inst.index() {
            self.region_of.resize(inst.index() + 1, None);
        }
        self.region_of[inst.index()] = Some(region);
    }

    fn own(&mut self, region: Region, owner: Inst) {
        if self.owners.len() <= region.index() {
            self.owners.resize(region.index() + 1, None);
        }
        self.owners[region.index()] = Some(owner);
    }
}

/// The destination of an exit.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Jump {
    Exit(Inst),
    Continue(Inst),
}

impl Jump {
    fn of(op: &Op) -> Option<Jump> {
        match *op {
            Op::Exit(target) => Some(Jump::Exit(target)),
            Op::Continue(target) => Some(Jump::Continue(target)),
            _ => None,
        }
    }

    fn target(self) -> Inst {
        match self {
            Jump::Exit(target) | Jump::Continue(target) => target,
        }
    }

    fn op(self) -> Op {
        match self {
            Jump::Exit(target) => Op::Exit(target),
            Jump::Continue(target) => Op::Continue(target),
        }
    }
}

struct Structuring<'f> {
    function: &'f mut Function,
    tree: Tree,
    replaced: FxHashMap<Value, Value>,
    /// Constructs have new results, or results of what others brought.
    carries: bool,
}

impl Structuring<'_> {
    /// All instructions of the body, outer ones first.
    fn all(&self) -> Vec<Inst> {
        let mut all = Vec::new();
        self.function.walk(|inst, _| all.push(inst));
        all
    }

    /// The exits among these instructions, by what they leave.
    fn exits_of(&self, insts: &[Inst]) -> FxHashMap<Inst, Vec<Inst>> {
        let mut exits: FxHashMap<Inst, Vec<Inst>> = FxHashMap::default();
        for &inst in insts {
            if let Op::Exit(target) = self.function.insts[inst].op {
                exits.entry(target).or_default().push(inst);
            }
        }
        exits
    }

    /// The value that a value will be replaced by; itself if there is none.
    fn representative(&self, mut value: Value) -> Value {
        while let Some(&new) = self.replaced.get(&value) {
            value = new;
        }
        value
    }

    fn is(&self, inst: Inst, wanted: impl Fn(&Op) -> bool) -> bool {
        wanted(&self.function.insts[inst].op)
    }

    fn make(&mut self, op: Op, operands: &[Value], results: &[Type], regions: &[Region], span: Span) -> Inst {
        let inst = self.function.make_inst(op, operands, results, regions, span);
        for &region in regions {
            self.tree.own(region, inst);
        }
        inst
    }

    fn set_insts(&mut self, region: Region, insts: Vec<Inst>) {
        for &inst in &insts {
            self.tree.place(inst, region);
        }
        self.function.regions[region].insts = insts;
    }

    fn position(&self, region: Region, inst: Inst) -> usize {
        let insts = &self.function.regions[region].insts;
        insts.iter().position(|&other| other == inst).expect("the instruction is in its region")
    }

    /// Makes `values` the results of `inst`.
    fn move_results(&mut self, inst: Inst, values: &[Value]) {
        self.function.insts[inst].results = values.iter().copied().collect();
        for (position, &value) in values.iter().enumerate() {
            self.function.values[value].def = ValueDef::Result(inst, position as u32);
        }
    }

    /// Puts an `if` that is left from deeper than its own regions into a block, which is left instead.
    fn wrap_ifs(&mut self) {
        let all = self.all();
        let mut wrapped: FxHashMap<Inst, Option<Inst>> = FxHashMap::default();
        for &inst in &all {
            if let Op::Exit(target) = self.function.insts[inst].op
                && self.is(target, |op| *op == Op::If)
                && self.tree.parent(inst) != Some(target)
            {
                wrapped.insert(target, None);
            }
        }
        let targets: Vec<Inst> = all.iter().copied().filter(|inst| wrapped.contains_key(inst)).collect();
        for target in targets {
            let block = self.wrap(target);
            wrapped.insert(target, Some(block));
        }
        for inst in all {
            if let Op::Exit(target) = self.function.insts[inst].op
                && let Some(Some(block)) = wrapped.get(&target)
            {
                self.function.insts[inst].op = Op::Exit(*block);
            }
        }
    }

    fn wrap(&mut self, inst: Inst) -> Inst {
        let region = self.tree.region(inst).expect("the instruction is in the function");
        let position = self.position(region, inst);
        let (span, results) = (self.function.insts[inst].span, self.function.insts[inst].results.to_vec());
        let inner = self.function.add_region();
        let block = self.make(Op::Block, &[], &[], &[inner], span);
        self.move_results(block, &results);
        self.function.insts[inst].results.clear();
        let end = self.make(Op::Unreachable, &[], &[], &[], span);
        self.set_insts(inner, vec![inst, end]);
        self.function.regions[region].insts[position] = block;
        self.tree.place(block, region);
        block
    }

    /// Moves continuing regions that are left other than by their end to the end of the loop's body.
    fn move_continuing_regions(&mut self) {
        let mut loops: FxHashSet<Inst> = FxHashSet::default();
        for inst in self.all() {
            let op = &self.function.insts[inst].op;
            if op.is_loop() {
                let continuing = self.function.insts[inst].regions[1];
                let end = self.function.terminator(continuing);
                if end.is_none_or(|end| self.function.insts[end].op != Op::NextIteration) {
                    loops.insert(inst);
                }
                continue;
            }
            let target = match Jump::of(op) {
                Some(jump) => Some(jump.target()),
                None if *op == Op::Return => None,
                None => continue,
            };
            loops.extend(self.continuing_regions_left(inst, target));
        }
        let ordered: Vec<Inst> = self.all().into_iter().filter(|inst| loops.contains(inst)).collect();
        for owner in ordered {
            self.move_continuing_region(owner);
        }
    }

    /// The loops whose continuing regions contain a jump that leads out of them.
    fn continuing_regions_left(&self, jump: Inst, target: Option<Inst>) -> Vec<Inst> {
        let mut left = Vec::new();
        let mut current = jump;
        while let Some(region) = self.tree.region(current) {
            let Some(Some(owner)) = self.tree.owners.get(region.index()).copied() else { break };
            let data = &self.function.insts[owner];
            if data.op.is_loop() && data.regions[1] == region {
                left.push(owner);
            }
            if Some(owner) == target {
                break;
            }
            current = owner;
        }
        left
    }

    fn move_continuing_region(&mut self, owner: Inst) {
        let span = self.function.insts[owner].span;
        let (body, continuing) =
            (self.function.insts[owner].regions[0], self.function.insts[owner].regions[1]);
        for inst in self.all() {
            if self.function.insts[inst].op == Op::NextIteration && self.tree.region(inst) == Some(continuing)
            {
                self.function.insts[inst].op = Op::Continue(owner);
            } else if self.function.insts[inst].op == Op::Continue(owner) {
                // Marks it to become the exit from the block made below.
                self.function.insts[inst].op = Op::Exit(owner);
                self.function.insts[inst].fast_math = clvk_ir::FastMath::all();
            }
        }
        let inner = self.function.add_region();
        let block = self.make(Op::Block, &[], &[], &[inner], span);
        let marked: Vec<Inst> = self
            .all()
            .into_iter()
            .filter(|&inst| {
                let data = &self.function.insts[inst];
                data.op == Op::Exit(owner) && data.fast_math == clvk_ir::FastMath::all()
            })
            .collect();
        for inst in marked {
            self.function.insts[inst].op = Op::Exit(block);
            self.function.insts[inst].fast_math = clvk_ir::FastMath::empty();
        }
        let params = std::mem::take(&mut self.function.regions[continuing].params);
        self.move_results(block, &params);
        let old_body = std::mem::take(&mut self.function.regions[body].insts);
        self.set_insts(inner, old_body);
        let mut new_body = vec![block];
        new_body.append(&mut self.function.regions[continuing].insts);
        self.set_insts(body, new_body);
        let types: Vec<Type> =
            self.function.regions[body].params.iter().map(|&param| self.function.ty(param)).collect();
        let carried: Vec<Value> =
            types.into_iter().map(|ty| self.function.add_region_param(continuing, ty)).collect();
        let next = self.make(Op::NextIteration, &carried, &[], &[], span);
        self.set_insts(continuing, vec![next]);
    }

    /// Dissolves blocks, inner ones first.
    fn simplify_blocks(&mut self) {
        let all = self.all();
        let mut exits = self.exits_of(&all);
        for block in all.into_iter().rev() {
            if !self.is(block, |op| *op == Op::Block) {
                continue;
            }
            let exits = exits.remove(&block).unwrap_or_default();
            self.nest_ifs(block, &exits);
            self.dissolve(block);
        }
    }

    /// The constructs between a block and its exits.
    fn containers(&self, block: Inst, exits: &[Inst]) -> FxHashSet<Inst> {
        let mut containers = FxHashSet::default();
        for &exit in exits {
            let mut current = exit;
            while let Some(parent) = self.tree.parent(current) {
                if parent == block || !containers.insert(parent) {
                    break;
                }
                current = parent;
            }
        }
        containers
    }

    /// Where an `if` leaves the block in one branch, moves what follows into the other.
    fn nest_ifs(&mut self, block: Inst, exits: &[Inst]) {
        let containers = self.containers(block, exits);
        if containers.iter().any(|&inst| !self.is(inst, |op| *op == Op::If)) {
            return;
        }
        let types: Vec<Type> =
            self.function.insts[block].results.iter().map(|&result| self.function.ty(result)).collect();
        let mut nested: Vec<(Region, Inst)> = Vec::new();
        let mut pending = vec![self.function.insts[block].regions[0]];
        while let Some(region) = pending.pop() {
            let insts = &self.function.regions[region].insts;
            let Some(position) = insts.iter().position(|inst| containers.contains(inst)) else { continue };
            let inst = insts[position];
            if !self.nest_rest(block, region, position, &types) {
                continue;
            }
            self.carries |= !types.is_empty();
            for &branch in &self.function.insts[inst].regions.clone() {
                nested.push((branch, inst));
                pending.push(branch);
            }
        }
        for (region, owner) in nested {
            if let Some(end) = self.function.terminator(region)
                && self.function.insts[end].op == Op::Exit(block)
            {
                self.function.insts[end].op = Op::Exit(owner);
            }
        }
    }

    /// Moves what follows the `if` at `position` into the branch that reaches it, if there is at most one.
    fn nest_rest(&mut self, block: Inst, region: Region, position: usize, types: &[Type]) -> bool {
        let inst = self.function.regions[region].insts[position];
        let branches = self.function.insts[inst].regions.clone();
        let falls = |this: &Self, branch: Region| {
            this.function.terminator(branch).filter(|&end| this.function.insts[end].op == Op::Exit(inst))
        };
        let through: Vec<(Region, Inst)> =
            branches.iter().filter_map(|&branch| Some((branch, falls(self, branch)?))).collect();
        if through.len() > 1 {
            return false;
        }
        let rest = self.function.regions[region].insts.split_off(position + 1);
        if let [(branch, end)] = through[..] {
            let brought = self.function.insts[end].operands.clone();
            for (old, new) in self.function.insts[inst].results.clone().into_iter().zip(brought) {
                self.replaced.insert(old, new);
            }
            let mut insts = std::mem::take(&mut self.function.regions[branch].insts);
            insts.pop();
            insts.extend(rest);
            self.set_insts(branch, insts);
        }
        self.function.insts[inst].results.clear();
        for &ty in types {
            self.function.add_result(inst, ty);
        }
        let results = self.function.insts[inst].results.to_vec();
        let span = self.function.insts[inst].span;
        let end = self.make(Op::Exit(block), &results, &[], &[], span);
        self.function.regions[region].insts.push(end);
        self.tree.place(end, region);
        true
    }

    /// Replaces a block that is left only at its end by its contents.
    fn dissolve(&mut self, block: Inst) {
        let inner = self.function.insts[block].regions[0];
        let mut exits = Vec::new();
        let mut pending = vec![inner];
        while let Some(region) = pending.pop() {
            for &inst in &self.function.regions[region].insts {
                if self.function.insts[inst].op == Op::Exit(block) {
                    exits.push(inst);
                }
                pending.extend(self.function.insts[inst].regions.iter().copied());
            }
        }
        let end = self.function.terminator(inner);
        if exits.len() != 1 || end != exits.first().copied() {
            return;
        }
        let brought = self.function.insts[exits[0]].operands.clone();
        for (old, new) in self.function.insts[block].results.clone().into_iter().zip(brought) {
            self.replaced.insert(old, new);
        }
        let region = self.tree.region(block).expect("the block is in the function");
        let position = self.position(region, block);
        let mut contents = std::mem::take(&mut self.function.regions[inner].insts);
        contents.pop();
        for &inst in &contents {
            self.tree.place(inst, region);
        }
        self.function.regions[region].insts.splice(position..=position, contents);
    }

    /// Replaces values by those that represent them.
    fn substitute(&mut self) {
        if self.replaced.is_empty() {
            return;
        }
        for (_, data) in self.function.insts.iter_mut() {
            for operand in &mut data.operands {
                while let Some(&new) = self.replaced.get(operand) {
                    *operand = new;
                }
            }
        }
    }
}
