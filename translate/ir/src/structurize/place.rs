//! Where each block is placed.
//!
//! A block with a single incoming edge, from a block of the same level, is placed where that edge is. Any
//! other block is placed after a construct around the block that dominates it, its owner; edges to it leave
//! that construct. If the block is outside of loops that contain its dominator, the owner is the outermost of
//! those loops.

use super::graph::{Loops, Neighbours, reverse_postorder};
use crate::{Block, EntityId};

/// The places of the blocks.
pub struct Places {
    /// By block: position in reverse postorder; `usize::MAX` if it is unreachable.
    pub order: Vec<usize>,
    /// By block: whether it is placed at its only incoming edge.
    pub inline: Vec<bool>,
    /// By block: the blocks placed after it, in order (within the loop, if it heads one).
    pub behind: Vec<Vec<Block>>,
    /// By block that heads a loop: the blocks placed after the loop.
    pub behind_loop: Vec<Vec<Block>>,
    /// By block: whether it heads a loop.
    pub heads: Vec<bool>,
    /// By block: the number of blocks that it dominates, including itself.
    pub size: Vec<u32>,
}

impl Places {
    /// Finds the places of all blocks, with these successors. Every loop has one entry.
    pub fn new(successors: &[Neighbours], loops: &Loops, entry: Block) -> Places {
        let count = successors.len();
        let sequence = reverse_postorder(successors, entry);
        let mut places = Places {
            order: vec![usize::MAX; count],
            inline: vec![false; count],
            behind: vec![Vec::new(); count],
            behind_loop: vec![Vec::new(); count],
            heads: vec![false; count],
            size: vec![1; count],
        };
        for (position, &block) in sequence.iter().enumerate() {
            places.order[block.index()] = position;
            places.heads[block.index()] = loops.headed_by(block).is_some();
        }
        let mut forward = vec![Neighbours::new(); count];
        for &block in &sequence {
            for &target in &successors[block.index()] {
                if !places.is_back(block, target) {
                    forward[target.index()].push(block);
                }
            }
        }
        let dominators = places.dominators(&sequence, &forward);
        for &block in &sequence[1..] {
            places.place(block, loops, &forward[block.index()], dominators[block.index()]);
        }
        for &block in sequence[1..].iter().rev() {
            places.size[dominators[block.index()].index()] += places.size[block.index()];
        }
        places
    }

    /// Whether an edge leads back to the header of a loop.
    pub(crate) fn is_back(&self, from: Block, to: Block) -> bool {
        self.order[to.index()] <= self.order[from.index()]
    }

    /// The immediate dominator of each block. Back edges do not affect it.
    fn dominators(&self, sequence: &[Block], forward: &[Neighbours]) -> Vec<Block> {
        let mut dominators: Vec<Block> = (0..self.order.len()).map(Block::from_index).collect();
        for &block in &sequence[1..] {
            // Starting from the last one, so that each step goes up the shortest way.
            let mut sources = forward[block.index()].iter().rev().copied();
            let first = sources.next().expect("a block that is reached has an edge to it");
            dominators[block.index()] =
                sources.fold(first, |common, source| self.common(&dominators, common, source));
        }
        dominators
    }

    fn common(&self, dominators: &[Block], mut a: Block, mut b: Block) -> Block {
        while a != b {
            if self.order[a.index()] > self.order[b.index()] {
                a = dominators[a.index()];
            } else {
                b = dominators[b.index()];
            }
        }
        a
    }

    fn place(&mut self, block: Block, loops: &Loops, sources: &[Block], dominator: Block) {
        let level = loops.level(block);
        if let [source] = sources
            && loops.of[source.index()] == level
        {
            self.inline[block.index()] = true;
            return;
        }
        let mut around = loops.of[dominator.index()];
        if around == level {
            self.behind[dominator.index()].push(block);
            return;
        }
        while let Some(id) = around {
            let data = &loops.loops[id];
            if data.parent == level {
                self.behind_loop[data.header.index()].push(block);
                return;
            }
            around = data.parent;
        }
        unreachable!(
            "the header of the loop that a block is in dominates it, so its dominator is in that loop"
        );
    }
}
