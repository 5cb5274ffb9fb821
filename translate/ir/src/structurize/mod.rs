//! From a control-flow graph of basic blocks to regions.
//!
//! A client with unstructured control flow (`goto`, labels inside nested statements, SPIR-V) fills a [`Cfg`]
//! and calls [`structurize`] once, on the way in. The result contains each block exactly once: code grows by
//! a constant for each edge, whatever the graph looks like.
//!
//! - A loop that is entered at one block becomes an [`Op::Loop`](crate::Op::Loop). A loop with several
//!   entries gets a block in front that dispatches on a variable, which every edge to an entry sets.
//! - What follows a loop is placed after it, never in its body, so that work-items that leave it at different
//!   iterations reconverge. For the same reason, a block with several incoming edges is placed after the
//!   [`Op::Block`](crate::Op::Block) that they leave. A barrier that uniform flow reaches is therefore still
//!   reached by uniform flow.
//! - A part that would nest too deep becomes one loop that dispatches to all of its blocks ([`Limits`]), so
//!   no graph is refused.
//! - Unreachable blocks disappear.
//!
//! Files: `graph` orders the blocks and finds the loops, `place` decides where each block is placed, `emit`
//! makes the regions. Nothing here recurses. Not here: values that cross blocks; the caller keeps those in
//! memory and promotes them later.

mod emit;
mod graph;
mod place;

pub use graph::{Neighbours, reverse_postorder};

use crate::{Arena, Block, Function, Region, UnrollHint, Value};

/// A graph of basic blocks.
#[derive(Clone, Debug, Default)]
pub struct Cfg {
    /// The blocks. The first one is the entry.
    pub blocks: Arena<Block, BlockData>,
}

/// A basic block.
#[derive(Clone, Debug)]
pub struct BlockData {
    /// Its instructions: a region without an owner yet. Their results are used only in this block and in
    /// nested regions.
    pub region: Region,
    /// What follows it.
    pub end: End,
    /// The hint for the loop that the block begins, if it begins one.
    pub unroll: UnrollHint,
}

/// The end of a basic block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// Nothing: its region already has a terminator ([`Op::Return`](crate::Op::Return) or
    /// [`Op::Unreachable`](crate::Op::Unreachable)).
    Left,
    /// One block.
    Jump(Block),
    /// One of two.
    Branch {
        /// A `Bool`.
        condition: Value,
        /// The block where it is true.
        then: Block,
        /// The block where it is false.
        otherwise: Block,
    },
    /// One of many.
    Switch {
        /// An integer.
        selector: Value,
        /// Labels, as bit patterns of the selector's type, and their targets. Labels are distinct.
        cases: Vec<(Vec<u64>, Block)>,
        /// The target for all other values.
        default: Block,
    },
}

impl End {
    /// Calls `visit` for the target of every edge.
    fn targets(&self, mut visit: impl FnMut(Block)) {
        match self {
            End::Left => {}
            End::Jump(target) => visit(*target),
            End::Branch { then, otherwise, .. } => {
                visit(*then);
                visit(*otherwise);
            }
            End::Switch { cases, default, .. } => {
                cases.iter().for_each(|(_, target)| visit(*target));
                visit(*default);
            }
        }
    }

    /// Calls `visit` for every edge.
    fn targets_mut(&mut self, mut visit: impl FnMut(&mut Block)) {
        match self {
            End::Left => {}
            End::Jump(target) => visit(target),
            End::Branch { then, otherwise, .. } => {
                visit(then);
                visit(otherwise);
            }
            End::Switch { cases, default, .. } => {
                cases.iter_mut().for_each(|(_, target)| visit(target));
                visit(default);
            }
        }
    }
}

/// How deep loops and constructs may nest before the graph is flattened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Loops in loops. At this depth, a cycle inside the innermost loop becomes a loop that dispatches to all
    /// of its blocks.
    pub loops: u32,
    /// Constructs in constructs. Beyond this depth, the whole graph becomes a loop that dispatches to all
    /// blocks.
    pub nesting: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { loops: 32, nesting: 256 }
    }
}

/// The constructs nest deeper than [`Limits::nesting`].
struct TooDeep;

impl Cfg {
    /// Adds an empty block, whose region is new, and which ends with [`End::Left`] for now.
    pub fn add_block(&mut self, function: &mut Function) -> Block {
        let (region, unroll) = (function.add_region(), UnrollHint::None);
        self.blocks.push(BlockData { region, end: End::Left, unroll })
    }
}

/// Appends the blocks of a graph to a region, and terminates it.
///
/// # Panics
/// If the graph has no blocks.
pub fn structurize(function: &mut Function, cfg: Cfg, into: Region, limits: Limits) {
    assert!(!cfg.blocks.is_empty(), "a graph has an entry");
    let first = &cfg.blocks[crate::EntityId::from_index(0)];
    if cfg.blocks.len() == 1 && first.end == End::Left {
        return emit::append(function, first.region, into);
    }
    // Every construct belongs to a block, so few blocks cannot nest too deep.
    if cfg.blocks.len() < limits.nesting as usize / CONSTRUCTS_OF_A_BLOCK {
        let done = attempt(function, cfg, into, limits, u32::MAX);
        return done.unwrap_or_else(|TooDeep| unreachable!("there is no limit"));
    }
    let (function_before, cfg_before) = (function.clone(), cfg.clone());
    if attempt(function, cfg, into, limits, limits.nesting).is_err() {
        *function = function_before;
        let done = attempt(function, cfg_before, into, Limits { loops: 0, ..limits }, u32::MAX);
        done.unwrap_or_else(|TooDeep| unreachable!("there is no limit"));
    }
}

/// The most constructs that a block can add: itself in a branch, after a construct, as a loop, and for a
/// dispatcher.
const CONSTRUCTS_OF_A_BLOCK: usize = 4;

fn attempt(
    function: &mut Function,
    mut cfg: Cfg,
    into: Region,
    limits: Limits,
    nesting: u32,
) -> Result<(), TooDeep> {
    let entry = crate::EntityId::from_index(0);
    let (loops, entry, successors) = graph::find_loops(function, &mut cfg, entry, into, limits);
    let places = place::Places::new(&successors, &loops, entry);
    emit::emit(function, &cfg, places, entry, into, nesting)
}
