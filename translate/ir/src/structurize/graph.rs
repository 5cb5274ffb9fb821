//! Order and loops of a graph.
//!
//! Loops are strongly connected components, and the components within them once the edges to the header are
//! removed. After [`find_loops`] each loop has one entry, its header.

use super::{BlockData, Cfg, End, Limits};
use crate::{AddressSpace, Block, EntityId, Function, Op, Region, Span, Type, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// A loop.
pub struct LoopData {
    /// The only block through which it is entered.
    pub header: Block,
    /// The enclosing loop, by position in [`Loops::loops`].
    pub parent: Option<usize>,
    depth: u32,
}

/// The loops of a graph.
#[derive(Default)]
pub struct Loops {
    /// Outer loops come before inner ones.
    pub loops: Vec<LoopData>,
    /// By block: the innermost loop that contains it. A header is in its own loop.
    pub of: Vec<Option<usize>>,
}

impl Loops {
    /// The loop whose header a block is.
    pub(crate) fn headed_by(&self, block: Block) -> Option<usize> {
        self.of[block.index()].filter(|&id| self.loops[id].header == block)
    }

    /// The innermost loop that contains a block, other than the loop that it heads.
    pub fn level(&self, block: Block) -> Option<usize> {
        match self.headed_by(block) {
            Some(id) => self.loops[id].parent,
            None => self.of[block.index()],
        }
    }
}

/// The blocks that can follow a block, each once.
pub fn successors(data: &BlockData) -> Vec<Block> {
    let mut targets = Vec::new();
    data.end.clone().targets_mut(|target| targets.push(*target));
    targets.sort_unstable();
    targets.dedup();
    targets
}

/// The blocks that can be reached from the entry, in reverse postorder: each block comes after those that
/// dominate it. The list has the successors of each block.
#[must_use]
pub fn reverse_postorder(successors: &[Vec<Block>], entry: Block) -> Vec<Block> {
    let mut seen = vec![false; successors.len()];
    let mut order = Vec::new();
    let mut stack = vec![(entry, 0)];
    seen[entry.index()] = true;
    while let Some((block, position)) = stack.pop() {
        let Some(&next) = successors[block.index()].get(position) else {
            order.push(block);
            continue;
        };
        stack.push((block, position + 1));
        if !std::mem::replace(&mut seen[next.index()], true) {
            stack.push((next, 0));
        }
    }
    order.reverse();
    order
}

/// Finds the loops, and gives each one entry. Returns the entry of the graph, which may be a new block.
/// Variables are made at the start of `variables`. If the limit on loops is zero, the whole graph becomes one
/// dispatching loop, even if it has no loops.
pub(crate) fn find_loops(
    function: &mut Function,
    cfg: &mut Cfg,
    entry: Block,
    variables: Region,
    limits: Limits,
) -> (Loops, Block) {
    let successors = cfg.blocks.iter().map(|(_, data)| successors(data)).collect();
    let finder = Finder { function, cfg, successors, predecessors: Vec::new(), entry, variables };
    finder.loops(limits)
}

/// A part of the graph in which loops are searched for.
struct Part {
    blocks: Vec<Block>,
    /// The loop that the part is; its header is not entered again.
    of: Option<usize>,
}

struct Finder<'f> {
    function: &'f mut Function,
    cfg: &'f mut Cfg,
    successors: Vec<Vec<Block>>,
    predecessors: Vec<Vec<Block>>,
    entry: Block,
    variables: Region,
}

impl Finder<'_> {
    fn loops(mut self, limits: Limits) -> (Loops, Block) {
        let reached = reverse_postorder(&self.successors, self.entry);
        self.predecessors = vec![Vec::new(); self.successors.len()];
        for &block in &reached {
            for &target in &self.successors[block.index()] {
                self.predecessors[target.index()].push(block);
            }
        }
        let mut loops = Loops { loops: Vec::new(), of: vec![None; self.successors.len()] };
        if limits.loops == 0 {
            self.add_loop(reached, None, true, &mut loops);
            return (loops, self.entry);
        }
        let mut parts = vec![Part { blocks: reached, of: None }];
        while let Some(part) = parts.pop() {
            let skipped = part.of.map(|id| loops.loops[id].header);
            let depth = part.of.map_or(1, |id| loops.loops[id].depth + 1);
            for blocks in components(&self.successors, &part.blocks, skipped) {
                let is_last = depth >= limits.loops;
                let inner = self.add_loop(blocks, part.of, is_last, &mut loops);
                if !is_last {
                    parts.push(inner);
                }
            }
        }
        (loops, self.entry)
    }

    /// Makes a loop of some blocks. A loop that dispatches to all of its blocks has no inner loops left.
    fn add_loop(
        &mut self,
        mut blocks: Vec<Block>,
        parent: Option<usize>,
        dispatch_all: bool,
        loops: &mut Loops,
    ) -> Part {
        let header = self.header(&mut blocks, parent, dispatch_all, loops);
        let id = loops.loops.len();
        let depth = parent.map_or(1, |id| loops.loops[id].depth + 1);
        loops.loops.push(LoopData { header, parent, depth });
        for &block in &blocks {
            loops.of[block.index()] = Some(id);
        }
        Part { blocks, of: Some(id) }
    }

    /// The block where a loop is entered. For several entries, this makes a dispatcher, and the loop with it.
    fn header(
        &mut self,
        blocks: &mut Vec<Block>,
        parent: Option<usize>,
        dispatch_all: bool,
        loops: &mut Loops,
    ) -> Block {
        let within: FxHashSet<Block> = blocks.iter().copied().collect();
        let entered = |block: &Block| {
            dispatch_all
                || *block == self.entry
                || self.predecessors[block.index()].iter().any(|from| !within.contains(from))
        };
        let mut entries: Vec<Block> = blocks.iter().copied().filter(entered).collect();
        if let [only] = entries[..] {
            return only;
        }
        entries.sort_unstable();
        self.dispatcher(blocks, &entries, &within, parent, loops)
    }

    fn dispatcher(
        &mut self,
        blocks: &mut Vec<Block>,
        entries: &[Block],
        within: &FxHashSet<Block>,
        parent: Option<usize>,
        loops: &mut Loops,
    ) -> Block {
        let variable = self.variable();
        let dispatcher = self.add(blocks, None, loops);
        let region = self.cfg.blocks[dispatcher].region;
        let load = self.push(region, Op::Load { align: 4, volatile: false }, &[variable], &[Type::I32]);
        let cases = entries[1..].iter().enumerate();
        self.cfg.blocks[dispatcher].end = End::Switch {
            selector: load.expect("a load has a result"),
            cases: cases.map(|(index, &entry)| (vec![index as u64 + 1], entry)).collect(),
            default: entries[0],
        };
        for (number, &entry) in entries.iter().enumerate() {
            let mut sources: Vec<Option<Block>> =
                std::mem::take(&mut self.predecessors[entry.index()]).into_iter().map(Some).collect();
            if entry == self.entry {
                sources.push(None);
            }
            // A separate block for each edge: it is placed where the edge is, so it adds no nesting.
            for source in sources {
                let is_inside = source.is_some_and(|source| within.contains(&source));
                let stub = if is_inside {
                    self.add(blocks, None, loops)
                } else {
                    self.add(&mut Vec::new(), parent, loops)
                };
                self.set_variable(stub, variable, number, dispatcher);
                match source {
                    Some(source) => self.redirect(source, entry, stub),
                    None => self.entry = stub,
                }
            }
            self.predecessors[entry.index()].push(dispatcher);
            self.successors[dispatcher.index()].push(entry);
        }
        dispatcher
    }

    /// A new word in memory.
    fn variable(&mut self) -> Value {
        let op = Op::Alloca { size: 4, align: 4 };
        let pointer = Type::Pointer(AddressSpace::Private);
        let inst = self.function.make_inst(op, &[], &[pointer], &[], Span::NONE);
        self.function.regions[self.variables].insts.insert(0, inst);
        self.function.insts[inst].results[0]
    }

    /// Adds a block to `blocks`.
    fn add(&mut self, blocks: &mut Vec<Block>, of: Option<usize>, loops: &mut Loops) -> Block {
        let block = self.cfg.add_block(self.function);
        blocks.push(block);
        self.successors.push(Vec::new());
        self.predecessors.push(Vec::new());
        loops.of.push(of);
        block
    }

    fn set_variable(&mut self, stub: Block, variable: Value, number: usize, dispatcher: Block) {
        let region = self.cfg.blocks[stub].region;
        let number = self.function.int(Type::I32, number as i64);
        self.push(region, Op::Store { align: 4, volatile: false }, &[variable, number], &[]);
        self.cfg.blocks[stub].end = End::Jump(dispatcher);
        self.successors[stub.index()].push(dispatcher);
        self.predecessors[dispatcher.index()].push(stub);
    }

    fn redirect(&mut self, source: Block, from: Block, to: Block) {
        self.cfg.blocks[source].end.targets_mut(|target| {
            if *target == from {
                *target = to;
            }
        });
        for target in &mut self.successors[source.index()] {
            if *target == from {
                *target = to;
            }
        }
        self.predecessors[to.index()].push(source);
    }

    fn push(&mut self, region: Region, op: Op, operands: &[Value], results: &[Type]) -> Option<Value> {
        let inst = self.function.make_inst(op, operands, results, &[], Span::NONE);
        self.function.regions[region].insts.push(inst);
        self.function.insts[inst].results.first().copied()
    }
}

/// The loops among some blocks: components in which each block reaches every block through at least one edge.
/// Edges to `skipped` do not count. (Tarjan's algorithm, with an explicit stack.)
fn components(successors: &[Vec<Block>], blocks: &[Block], skipped: Option<Block>) -> Vec<Vec<Block>> {
    // Numbered from zero within the part, so that the cost depends on the part's size only.
    let numbers: FxHashMap<Block, usize> =
        blocks.iter().enumerate().map(|(number, &block)| (block, number)).collect();
    let edges = |number: usize| {
        let block: Block = blocks[number];
        let known = successors[block.index()].iter().filter(|&&target| Some(target) != skipped);
        known.filter_map(|target| numbers.get(target).copied()).collect::<Vec<usize>>()
    };
    let mut search = Search {
        index: vec![usize::MAX; blocks.len()],
        low: vec![0; blocks.len()],
        on_stack: vec![false; blocks.len()],
        stack: Vec::new(),
        found: Vec::new(),
    };
    let mut count = 0;
    for root in 0..blocks.len() {
        if search.index[root] != usize::MAX {
            continue;
        }
        let mut path = vec![(root, search.enter(root, &mut count, edges(root)))];
        while let Some((node, targets)) = path.last_mut() {
            let node = *node;
            if let Some(target) = targets.pop() {
                if search.index[target] == usize::MAX {
                    let targets = search.enter(target, &mut count, edges(target));
                    path.push((target, targets));
                } else if search.on_stack[target] {
                    search.low[node] = search.low[node].min(search.index[target]);
                }
                continue;
            }
            path.pop();
            if let Some((above, _)) = path.last() {
                search.low[*above] = search.low[*above].min(search.low[node]);
            }
            search.leave(node, |only| edges(only).contains(&only));
        }
    }
    search.found.into_iter().map(|found| found.into_iter().map(|number| blocks[number]).collect()).collect()
}

struct Search {
    index: Vec<usize>,
    low: Vec<usize>,
    on_stack: Vec<bool>,
    stack: Vec<usize>,
    found: Vec<Vec<usize>>,
}

impl Search {
    fn enter(&mut self, node: usize, count: &mut usize, targets: Vec<usize>) -> Vec<usize> {
        self.index[node] = *count;
        self.low[node] = *count;
        *count += 1;
        self.stack.push(node);
        self.on_stack[node] = true;
        targets
    }

    fn leave(&mut self, node: usize, is_loop: impl Fn(usize) -> bool) {
        if self.low[node] != self.index[node] {
            return;
        }
        let mut component = Vec::new();
        while let Some(member) = self.stack.pop() {
            self.on_stack[member] = false;
            component.push(member);
            if member == node {
                break;
            }
        }
        if component.len() > 1 || is_loop(node) {
            self.found.push(component);
        }
    }
}
