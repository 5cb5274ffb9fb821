//! Order and loops of a graph.
//!
//! Loops are strongly connected components, and the components within them once the edges to the header are
//! removed. After [`find_loops`] each loop has one entry, its header.

use super::{BlockData, Cfg, End, Limits};
use crate::{AddressSpace, Block, EntityId, Function, Op, Region, Span, Type, Value};
use smallvec::SmallVec;

/// The blocks next to a block: rarely more than two.
pub type Neighbours = SmallVec<[Block; 4]>;

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
pub fn successors(data: &BlockData) -> Neighbours {
    let mut targets = Neighbours::new();
    data.end.targets(|target| targets.push(target));
    if targets.len() > 1 {
        targets.sort_unstable();
        targets.dedup();
    }
    targets
}

/// The blocks that can be reached from the entry, in reverse postorder: each block comes after those that
/// dominate it. The list has the successors of each block.
#[must_use]
pub fn reverse_postorder(successors: &[Neighbours], entry: Block) -> Vec<Block> {
    let mut seen = vec![false; successors.len()];
    let mut order = Vec::with_capacity(successors.len());
    let mut stack = Vec::with_capacity(successors.len());
    stack.push((entry, 0));
    seen[entry.index()] = true;
    while let Some((block, position)) = stack.last_mut() {
        let Some(&next) = successors[block.index()].get(*position) else {
            order.push(*block);
            stack.pop();
            continue;
        };
        *position += 1;
        if !std::mem::replace(&mut seen[next.index()], true) {
            stack.push((next, 0));
        }
    }
    order.reverse();
    order
}

/// Finds the loops, and gives each one entry. Returns the entry of the graph, which may be a new block, and
/// the successors of its blocks.
/// Variables are made at the start of `variables`. If the limit on loops is zero, the whole graph becomes one
/// dispatching loop, even if it has no loops.
pub(crate) fn find_loops(
    function: &mut Function,
    cfg: &mut Cfg,
    entry: Block,
    variables: Region,
    limits: Limits,
) -> (Loops, Block, Vec<Neighbours>) {
    let successors: Vec<Neighbours> = cfg.blocks.iter().map(|(_, data)| successors(data)).collect();
    let within = vec![false; successors.len()];
    let finder = Finder { function, cfg, successors, predecessors: Vec::new(), within, entry, variables };
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
    successors: Vec<Neighbours>,
    predecessors: Vec<Neighbours>,
    /// By block: whether it is of the loop whose header is looked for.
    within: Vec<bool>,
    entry: Block,
    variables: Region,
}

impl Finder<'_> {
    fn loops(mut self, limits: Limits) -> (Loops, Block, Vec<Neighbours>) {
        let count = self.cfg.blocks.len();
        let loops = self.find(limits);
        if self.cfg.blocks.len() > count {
            self.successors = self.cfg.blocks.iter().map(|(_, data)| successors(data)).collect();
        }
        (loops, self.entry, self.successors)
    }

    fn find(&mut self, limits: Limits) -> Loops {
        let reached = reverse_postorder(&self.successors, self.entry);
        self.predecessors.resize(self.successors.len(), Neighbours::new());
        let (mut places, mut has_loops) = (vec![usize::MAX; self.successors.len()], false);
        for (place, &block) in reached.iter().enumerate() {
            places[block.index()] = place;
            for &target in &self.successors[block.index()] {
                self.predecessors[target.index()].push(block);
                // In this order, an edge of each loop leads back.
                has_loops |= places[target.index()] <= place;
            }
        }
        let mut loops = Loops { loops: Vec::new(), of: vec![None; self.successors.len()] };
        if limits.loops == 0 {
            self.add_loop(reached, None, true, &mut loops);
            return loops;
        }
        if !has_loops {
            return loops;
        }
        let mut parts = vec![Part { blocks: reached, of: None }];
        let mut numbers = Numbers::default();
        while let Some(part) = parts.pop() {
            let skipped = part.of.map(|id| loops.loops[id].header);
            let depth = part.of.map_or(1, |id| loops.loops[id].depth + 1);
            for blocks in components(&self.successors, &part.blocks, skipped, &mut numbers) {
                let is_last = depth >= limits.loops;
                let inner = self.add_loop(blocks, part.of, is_last, &mut loops);
                if !is_last {
                    parts.push(inner);
                }
            }
        }
        loops
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
        self.within.resize(self.successors.len(), false);
        blocks.iter().for_each(|block| self.within[block.index()] = true);
        let entered = |block: &Block| {
            dispatch_all
                || *block == self.entry
                || self.predecessors[block.index()].iter().any(|from| !self.within[from.index()])
        };
        let mut entries: Vec<Block> = blocks.iter().copied().filter(entered).collect();
        let count = blocks.len();
        let header = if let [only] = entries[..] {
            only
        } else {
            entries.sort_unstable();
            self.dispatcher(blocks, &entries, parent, loops)
        };
        blocks[..count].iter().for_each(|block| self.within[block.index()] = false);
        header
    }

    fn dispatcher(
        &mut self,
        blocks: &mut Vec<Block>,
        entries: &[Block],
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
                let is_inside = source.is_some_and(|source| self.is_within(source));
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

    /// Whether a block, which may be a new one, is of the loop whose header is looked for.
    fn is_within(&self, block: Block) -> bool {
        self.within.get(block.index()).is_some_and(|&is_within| is_within)
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
        self.successors.push(Neighbours::new());
        self.predecessors.push(Neighbours::new());
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

/// The numbers of blocks within a part, from zero, so that the cost of a part depends on its size only.
#[derive(Default)]
struct Numbers {
    /// By block; `usize::MAX` outside of the part.
    of: Vec<usize>,
}

impl Numbers {
    fn begin(&mut self, count: usize, blocks: &[Block]) {
        self.of.resize(count, usize::MAX);
        blocks.iter().enumerate().for_each(|(number, block)| self.of[block.index()] = number);
    }

    fn end(&mut self, blocks: &[Block]) {
        blocks.iter().for_each(|block| self.of[block.index()] = usize::MAX);
    }
}

/// The loops among some blocks: components in which each block reaches every block through at least one edge.
/// Edges to `skipped` do not count. (Tarjan's algorithm, with an explicit stack.)
fn components(
    successors: &[Neighbours],
    blocks: &[Block],
    skipped: Option<Block>,
    numbers: &mut Numbers,
) -> Vec<Vec<Block>> {
    numbers.begin(successors.len(), blocks);
    // The target of the last edge before a position, and that edge's position.
    let edge_before = |number: usize, position: usize| {
        let edges = successors[blocks[number].index()].iter().enumerate().take(position).rev();
        let mut known = edges
            .filter(|&(_, target)| Some(*target) != skipped)
            .map(|(position, target)| (numbers.of[target.index()], position))
            .filter(|&(target, _)| target != usize::MAX);
        known.next()
    };
    let mut search = Search {
        index: vec![usize::MAX; blocks.len()],
        low: vec![0; blocks.len()],
        on_stack: vec![false; blocks.len()],
        stack: Vec::new(),
        found: Vec::new(),
    };
    let (mut count, mut path) = (0, Vec::new());
    for root in 0..blocks.len() {
        if search.index[root] != usize::MAX {
            continue;
        }
        search.enter(root, &mut count);
        path.push((root, usize::MAX));
        while let Some((node, rest)) = path.last_mut() {
            let node = *node;
            if let Some((target, position)) = edge_before(node, *rest) {
                *rest = position;
                if search.index[target] == usize::MAX {
                    search.enter(target, &mut count);
                    path.push((target, usize::MAX));
                } else if search.on_stack[target] {
                    search.low[node] = search.low[node].min(search.index[target]);
                }
                continue;
            }
            path.pop();
            if let Some((above, _)) = path.last() {
                search.low[*above] = search.low[*above].min(search.low[node]);
            }
            let is_loop = |only: usize| {
                let mut rest = usize::MAX;
                std::iter::from_fn(|| {
                    let (target, position) = edge_before(only, rest)?;
                    rest = position;
                    Some(target)
                })
                .any(|target| target == only)
            };
            search.leave(node, is_loop);
        }
    }
    numbers.end(blocks);
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
    fn enter(&mut self, node: usize, count: &mut usize) {
        self.index[node] = *count;
        self.low[node] = *count;
        *count += 1;
        self.stack.push(node);
        self.on_stack[node] = true;
    }

    fn leave(&mut self, node: usize, is_loop: impl Fn(usize) -> bool) {
        if self.low[node] != self.index[node] {
            return;
        }
        let start = self.stack.iter().rposition(|&member| member == node).unwrap_or_default();
        let component = &self.stack[start..];
        component.iter().for_each(|&member| self.on_stack[member] = false);
        if component.len() > 1 || is_loop(node) {
            self.found.push(component.iter().rev().copied().collect());
        }
        self.stack.truncate(start);
    }
}
