//! From a control-flow graph of basic blocks to regions.
//!
//! Whoever has unstructured control flow (`goto`, labels inside nested statements, SPIR-V) fills a [`Cfg`]
//! and calls [`structurize`] once, on the way in. The result has a place for each block, and one only: code
//! grows by a constant for each edge, whatever the graph looks like.
//!
//! - A loop that is entered at one block becomes a [`Op::Loop`](crate::Op::Loop). One that is entered at
//!   several gets a block in front that dispatches on a variable, which every edge to an entry sets.
//! - What follows a loop stands after it, never in its body, so that work-items that leave it at different
//!   iterations come together again. A block to which several edges lead stands after the
//!   [`Op::Block`](crate::Op::Block) that they leave, for the same reason. A barrier that uniform flow
//!   reaches is therefore still reached by uniform flow.
//! - What would nest too deep becomes one loop that dispatches to all blocks of it ([`Limits`]), so that no
//!   graph is refused.
//! - Blocks that nothing reaches disappear.
//!
//! Files: `graph` orders the blocks and finds the loops, `place` finds out what stands where, `emit` makes
//! the regions. Nothing here recurses. Not here: values that cross blocks; the caller keeps those in memory
//! and promotes them later.

mod emit;
mod graph;
mod place;

use crate::{Arena, Block, Function, Region, Value};

/// A graph of basic blocks.
#[derive(Clone, Debug, Default)]
pub struct Cfg {
    /// The blocks. The first one is the entry.
    pub blocks: Arena<Block, BlockData>,
}

/// A basic block.
#[derive(Clone, Debug)]
pub struct BlockData {
    /// Its instructions: a region that nothing owns yet. What they compute is used in this block and in
    /// nested regions only.
    pub region: Region,
    /// What follows it.
    pub end: End,
}

/// The end of a basic block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// Nothing: its region has a terminator already ([`Op::Return`](crate::Op::Return) or
    /// [`Op::Unreachable`](crate::Op::Unreachable)).
    Left,
    /// One block.
    Jump(Block),
    /// One of two.
    Branch {
        /// A `Bool`.
        condition: Value,
        /// Where it is true.
        then: Block,
        /// Where it is false.
        otherwise: Block,
    },
    /// One of many.
    Switch {
        /// An integer.
        selector: Value,
        /// Labels, as bit patterns of the selector's type, and where they lead. No label stands twice.
        cases: Vec<(Vec<u64>, Block)>,
        /// Where all else leads.
        default: Block,
    },
}

impl End {
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
    /// Loops in loops. What is in the last one and goes round once more becomes a loop that dispatches to all
    /// of its blocks.
    pub loops: u32,
    /// Constructs in constructs. If there are more, the whole graph becomes a loop that dispatches to all
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
        self.blocks.push(BlockData { region: function.add_region(), end: End::Left })
    }
}

/// Appends the blocks of a graph to a region, which they end.
///
/// # Panics
/// If the graph has no blocks.
pub fn structurize(function: &mut Function, cfg: Cfg, into: Region, limits: Limits) {
    assert!(!cfg.blocks.is_empty(), "a graph has an entry");
    // Each construct is there for a block: few blocks cannot nest too deep.
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

/// Constructs that a block can have: itself in a branch, behind a construct, as a loop, and what a dispatcher
/// adds.
const CONSTRUCTS_OF_A_BLOCK: usize = 4;

fn attempt(
    function: &mut Function,
    mut cfg: Cfg,
    into: Region,
    limits: Limits,
    nesting: u32,
) -> Result<(), TooDeep> {
    let entry = crate::EntityId::from_index(0);
    let (loops, entry) = graph::find_loops(function, &mut cfg, entry, into, limits);
    let places = place::Places::new(&cfg, &loops, entry);
    emit::emit(function, &cfg, places, entry, into, nesting)
}
