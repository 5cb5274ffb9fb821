//! Facts about the tree of regions that several passes need, collected in one walk.

use clvk_ir::{EntityId, Function, Inst, Op, Region, Type, Value, ValueDef};
use rustc_hash::{FxHashMap, FxHashSet};

/// Calls `f` with enough stack for one more level of nesting, however deep the caller is.
pub fn with_stack<R>(f: impl FnOnce() -> R) -> R {
    stacker::maybe_grow(64 * 1024, 1024 * 1024, f)
}

/// The return that ends a function's body, if it is the only one.
#[must_use]
pub fn only_return(function: &Function) -> Option<Inst> {
    let mut returns = 0;
    function.walk(|_, data| returns += u32::from(data.op == Op::Return));
    let end = function.terminator(function.body?)?;
    (returns == 1 && function.insts[end].op == Op::Return).then_some(end)
}

/// Moves a function's code into a block with these results; returns become exits from it. The body is empty
/// until the caller puts the block there.
///
/// # Panics
/// If the function has no body.
pub fn enclose(function: &mut Function, results: &[Type]) -> Inst {
    let mut returns: Vec<Inst> = Vec::new();
    function.walk(|inst, data| returns.extend((data.op == Op::Return).then_some(inst)));
    let body = function.body.expect("only functions with bodies have code");
    let whole = function.add_region();
    function.regions[whole].insts = std::mem::take(&mut function.regions[body].insts);
    let block = function.make_inst(Op::Block, &[], results, &[whole], function.span);
    for inst in returns {
        function.insts[inst].op = Op::Exit(block);
    }
    block
}

/// Ends a kernel's body with a block that [`enclose`] made, and one return; gives that.
///
/// # Panics
/// If the kernel has no body.
pub fn end_after(function: &mut Function, block: Inst) -> Inst {
    let body = function.body.expect("kernels have bodies");
    let end = function.make_inst(Op::Return, &[], &[], &[], function.span);
    function.regions[body].insts.extend([block, end]);
    end
}

/// The terminators that lead to each construct, and the owner of each region. It describes the function at
/// the time of [`Structure::of`] and follows only the changes that it is told about.
pub struct Structure {
    /// The instruction that owns a region; `None` for the body and for regions that are no longer in the
    /// function.
    owner: Vec<Option<Inst>>,
    /// The region that an instruction is in.
    parent: Vec<Option<Region>>,
    exits: FxHashMap<Inst, Vec<Inst>>,
    continues: FxHashMap<Inst, Vec<Inst>>,
}

impl Structure {
    /// Collects the facts about a function.
    #[must_use]
    pub fn of(function: &Function) -> Self {
        let mut structure = Structure {
            owner: vec![None; function.regions.len()],
            parent: vec![None; function.insts.len()],
            exits: FxHashMap::default(),
            continues: FxHashMap::default(),
        };
        let mut regions: Vec<Region> = function.body.into_iter().collect();
        while let Some(region) = regions.pop() {
            for &inst in &function.regions[region].insts {
                structure.parent[inst.index()] = Some(region);
                let data = &function.insts[inst];
                for &nested in &data.regions {
                    structure.owner[nested.index()] = Some(inst);
                    regions.push(nested);
                }
                match data.op {
                    Op::Exit(target) => structure.exits.entry(target).or_default().push(inst),
                    Op::Continue(target) => structure.continues.entry(target).or_default().push(inst),
                    _ => {}
                }
            }
        }
        structure
    }

    /// The instruction that owns a region.
    #[must_use]
    pub fn owner(&self, region: Region) -> Option<Inst> {
        self.owner.get(region.index()).copied().flatten()
    }

    /// The region that an instruction is in.
    #[must_use]
    pub fn parent(&self, inst: Inst) -> Option<Region> {
        self.parent.get(inst.index()).copied().flatten()
    }

    /// The constructs around an instruction, the innermost first.
    pub fn owners(&self, inst: Inst) -> impl Iterator<Item = Inst> {
        let owner = |inst: &Inst| self.parent(*inst).and_then(|region| self.owner(region));
        std::iter::successors(owner(&inst), owner)
    }

    /// The exits from a construct.
    #[must_use]
    pub fn exits(&self, construct: Inst) -> &[Inst] {
        self.exits.get(&construct).map_or(&[], Vec::as_slice)
    }

    /// Records that some exits from a construct are now exits from another one.
    pub fn move_exits(&mut self, exits: Vec<Inst>, from: Inst, to: Inst) {
        let moved: FxHashSet<Inst> = exits.iter().copied().collect();
        self.exits.entry(from).or_default().retain(|exit| !moved.contains(exit));
        self.exits.entry(to).or_default().extend(exits);
    }

    /// Records that some continues of a loop are now exits from a construct.
    pub fn continues_to_exits(&mut self, continues: Vec<Inst>, from: Inst, to: Inst) {
        let moved: FxHashSet<Inst> = continues.iter().copied().collect();
        self.continues.entry(from).or_default().retain(|inst| !moved.contains(inst));
        self.exits.entry(to).or_default().extend(continues);
    }

    /// Records a new continue of a loop.
    pub fn add_continue(&mut self, inst: Inst, construct: Inst) {
        self.continues.entry(construct).or_default().push(inst);
    }

    /// Records a new exit from a construct.
    pub fn add_exit(&mut self, exit: Inst, construct: Inst) {
        self.exits.entry(construct).or_default().push(exit);
    }

    /// The continues of a loop.
    #[must_use]
    pub fn continues(&self, construct: Inst) -> &[Inst] {
        self.continues.get(&construct).map_or(&[], Vec::as_slice)
    }

    /// What a value in a loop's continuing region is: if it is passed there, what all continues pass, where
    /// they agree.
    #[must_use]
    pub fn passed(&self, function: &Function, construct: Inst, value: Value) -> Value {
        match function.values[value].def {
            ValueDef::RegionParam(region, position) if region == function.insts[construct].regions[1] => {
                let continues = self.continues(construct).iter();
                let mut all = continues.map(|&from| function.insts[from].operands[position as usize]);
                let first = all.next().unwrap_or(value);
                if all.all(|other| other == first) { first } else { value }
            }
            _ => value,
        }
    }

    /// Whether a value is defined within a construct.
    #[must_use]
    pub fn encloses(&self, function: &Function, construct: Inst, value: Value) -> bool {
        let mut region = match function.values[value].def {
            ValueDef::Result(inst, _) => self.parent(inst),
            ValueDef::RegionParam(region, _) => Some(region),
            _ => None,
        };
        while let Some(owner) = region.and_then(|region| self.owner(region)) {
            if owner == construct {
                return true;
            }
            region = self.parent(owner);
        }
        false
    }

    /// The `NextIteration` that ends a loop's continuing region, if it ends with one.
    #[must_use]
    pub fn next_iteration(&self, function: &Function, construct: Inst) -> Option<Inst> {
        let continuing = *function.insts[construct].regions.get(1)?;
        function.terminator(continuing).filter(|&inst| function.insts[inst].op == Op::NextIteration)
    }
}
