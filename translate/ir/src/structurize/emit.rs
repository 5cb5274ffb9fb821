//! Makes the regions.
//!
//! Regions are filled independently of each other, so the order of the work matters only within a region: a
//! task appends a block, and the blocks placed with it, to the end of a region.

use super::graph::Neighbours;
use super::place::Places;
use super::{Cfg, End, TooDeep};
use crate::{Block, EntityId, Function, Inst, Op, Region, Span, Value};
use smallvec::SmallVec;

/// At this nesting depth and beyond, the larger branch continues outside of an `if`.
const FLAT: u32 = 32;

/// Appends the blocks of a graph to a region.
pub fn emit(
    function: &mut Function,
    cfg: &Cfg,
    places: Places,
    entry: Block,
    into: Region,
    nesting: u32,
) -> Result<(), TooDeep> {
    let count = cfg.blocks.len();
    let mut emitter = Emitter {
        function,
        cfg,
        places,
        exits: vec![None; count],
        continues: vec![None; count],
        tasks: vec![Task { block: entry, region: into, depth: 0 }],
        span: Span::NONE,
    };
    while let Some(task) = emitter.tasks.pop() {
        if task.depth > nesting {
            return Err(TooDeep);
        }
        emitter.block(task);
    }
    Ok(())
}

/// Appends the only block of a graph, which nothing follows, to a region, and terminates it.
pub fn append(function: &mut Function, source: Region, into: Region) {
    let first = function.regions[source].insts.first();
    let span = first.map_or(Span::NONE, |&first| function.insts[first].span);
    take_over(function, source, into);
    terminate(function, into, span);
}

/// Moves the instructions of a region to the end of another one. The source, which nothing owns any more, may
/// keep the room of a list.
fn take_over(function: &mut Function, source: Region, into: Region) {
    let mut insts = std::mem::take(&mut function.regions[source].insts);
    match &mut function.regions[into].insts {
        empty if empty.is_empty() => std::mem::swap(empty, &mut insts),
        filled => filled.append(&mut insts),
    }
    function.regions[source].insts = insts;
}

/// Ends a region, if its instructions do not.
fn terminate(function: &mut Function, region: Region, span: Span) {
    let last = function.terminator(region);
    if !last.is_some_and(|inst| function.insts[inst].op.is_terminator()) {
        let inst = function.make_inst(Op::Unreachable, &[], &[], &[], span);
        function.regions[region].insts.push(inst);
    }
}

struct Task {
    block: Block,
    region: Region,
    depth: u32,
}

struct Emitter<'f> {
    function: &'f mut Function,
    cfg: &'f Cfg,
    places: Places,
    /// By block that follows a construct: that construct.
    exits: Vec<Option<Inst>>,
    /// By block that heads a loop: the loop.
    continues: Vec<Option<Inst>>,
    tasks: Vec<Task>,
    span: Span,
}

impl Emitter<'_> {
    fn push(&mut self, region: Region, op: Op, operands: &[Value], regions: &[Region]) -> Inst {
        let inst = self.function.make_inst(op, operands, &[], regions, self.span);
        self.function.regions[region].insts.push(inst);
        inst
    }

    fn regions(&mut self, count: usize) -> SmallVec<[Region; 2]> {
        (0..count).map(|_| self.function.add_region()).collect()
    }

    fn block(&mut self, Task { block, mut region, mut depth }: Task) {
        let source = self.cfg.blocks[block].region;
        if let Some(&first) = self.function.regions[source].insts.first() {
            self.span = self.function.insts[first].span;
        }
        if self.places.heads[block.index()] {
            let behind = std::mem::take(&mut self.places.behind_loop[block.index()]);
            (region, depth) = self.open_loop(block, &behind, region, depth);
        }
        let behind = std::mem::take(&mut self.places.behind[block.index()]);
        (region, depth) = self.open_blocks(&behind, region, depth);
        take_over(self.function, source, region);
        self.end(block, region, depth);
    }

    /// Opens a construct for each of the blocks that follow; the outermost one belongs to the last block.
    fn open_blocks(&mut self, behind: &[Block], mut region: Region, mut depth: u32) -> (Region, u32) {
        for &target in behind.iter().rev() {
            let inner = self.function.add_region();
            let inst = self.push(region, Op::Block, &[], &[inner]);
            self.exits[target.index()] = Some(inst);
            self.tasks.push(Task { block: target, region, depth });
            (region, depth) = (inner, depth + 1);
        }
        (region, depth)
    }

    /// Opens a loop, and returns its body. An exit from it leads to the first of the blocks that follow it.
    fn open_loop(&mut self, header: Block, behind: &[Block], region: Region, depth: u32) -> (Region, u32) {
        let rest = behind.get(1..).unwrap_or_default();
        let (region, depth) = self.open_blocks(rest, region, depth);
        let regions = self.regions(2);
        let inst = self.push(region, Op::Loop(self.cfg.blocks[header].unroll), &[], &regions);
        self.push(regions[1], Op::NextIteration, &[], &[]);
        self.continues[header.index()] = Some(inst);
        match behind.first() {
            Some(&target) => {
                self.exits[target.index()] = Some(inst);
                self.tasks.push(Task { block: target, region, depth });
            }
            None => {
                self.push(region, Op::Unreachable, &[], &[]);
            }
        }
        (regions[0], depth + 1)
    }

    /// Whether an edge's target is placed where the edge is.
    fn is_inline(&self, from: Block, to: Block) -> bool {
        self.places.inline[to.index()] && !self.places.is_back(from, to)
    }

    /// Follows an edge at the end of a region.
    fn edge(&mut self, from: Block, to: Block, region: Region, depth: u32) {
        if self.is_inline(from, to) {
            self.tasks.push(Task { block: to, region, depth });
            return;
        }
        let op = if self.places.is_back(from, to) {
            Op::Continue(self.continues[to.index()].expect("a loop is open where an edge leads back"))
        } else {
            Op::Exit(self.exits[to.index()].expect("a construct is open where an edge leaves it"))
        };
        self.push(region, op, &[], &[]);
    }

    fn end(&mut self, block: Block, region: Region, depth: u32) {
        match self.cfg.blocks[block].end.clone() {
            End::Left => terminate(self.function, region, self.span),
            End::Jump(target) => self.edge(block, target, region, depth),
            End::Branch { then, otherwise, .. } if then == otherwise => self.edge(block, then, region, depth),
            End::Branch { condition, then, otherwise } => {
                let regions = self.regions(2);
                let inst = self.push(region, Op::If, &[condition], &regions);
                self.branches(block, inst, &[(then, regions[0]), (otherwise, regions[1])], region, depth);
            }
            End::Switch { selector, cases, default } => {
                let (labels, mut targets) = grouped(cases, default);
                targets.push(default);
                let regions = self.regions(targets.len());
                let labels = labels.into_iter().map(Vec::into_boxed_slice).collect();
                let inst = self.push(region, Op::Switch(labels), &[selector], &regions);
                let branches: Vec<(Block, Region)> = targets.into_iter().zip(regions).collect();
                self.branches(block, inst, &branches, region, depth);
            }
        }
    }

    /// Fills the regions of a construct at the end of a block. If only one of the branches continues here, or
    /// the nesting is deep, a branch continues after the construct instead of within it.
    fn branches(
        &mut self,
        block: Block,
        inst: Inst,
        branches: &[(Block, Region)],
        region: Region,
        depth: u32,
    ) {
        let inline: Neighbours =
            branches.iter().map(|branch| branch.0).filter(|&target| self.is_inline(block, target)).collect();
        let outside = match inline[..] {
            [only] => Some(only),
            _ if depth > FLAT => inline.iter().copied().max_by_key(|target| self.places.size[target.index()]),
            _ => None,
        };
        for &(target, inner) in branches {
            if Some(target) == outside {
                self.push(inner, Op::Exit(inst), &[], &[]);
            } else {
                self.edge(block, target, inner, depth + 1);
            }
        }
        match outside {
            Some(target) => self.tasks.push(Task { block: target, region, depth }),
            None => {
                self.push(region, Op::Unreachable, &[], &[]);
            }
        }
    }
}

/// The targets, each with its labels, without those of the default target, which need no labels.
fn grouped(cases: Vec<(Vec<u64>, Block)>, default: Block) -> (Vec<Vec<u64>>, Vec<Block>) {
    let mut positions = rustc_hash::FxHashMap::default();
    let mut labels: Vec<Vec<u64>> = Vec::new();
    let mut targets = Vec::new();
    for (mut values, target) in cases {
        if target == default || values.is_empty() {
            continue;
        }
        let position = *positions.entry(target).or_insert_with(|| {
            labels.push(Vec::new());
            targets.push(target);
            targets.len() - 1
        });
        labels[position].append(&mut values);
    }
    (labels, targets)
}
