//! Breadth-first search with queues. As a host does that reads the size of each frontier back, a level is
//! launched with as many work-items as its frontier has nodes.

use crate::case::{Argument, Case, Size, Tolerance, Work, round_up};
use crate::random::{Random, generate};
use clvk_interface::ScalarType;

const GROUP: usize = 256;
const UNSEEN: u32 = u32::MAX;

pub fn build(size: Size) -> Case {
    let nodes: usize = size.pick(10_007, 1 << 23);
    let (first, ends) = graph(nodes);
    let source = nodes / 3;
    let (levels, frontiers) = search(&first, &ends, source);
    // Of each level, and the empty one that ends the search.
    let mut sizes: Vec<u32> = frontiers.iter().map(|&size| size as u32).collect();
    sizes.push(0);

    let mut case = Case::new("bfs", "bfs/bfs.cl");
    // Small enough to overflow.
    case.options = vec![format!("-DQUEUE={}", size.pick(256, 1024))];
    let first_id = case.input("first", ScalarType::U32, &first);
    let ends_id = case.input("ends", ScalarType::U32, &ends);
    let levels_id = case.output("levels", ScalarType::U32, nodes);
    let frontier_ids = ["even", "odd"].map(|name| case.output(name, ScalarType::U32, nodes));
    let sizes_id = case.output("sizes", ScalarType::U32, sizes.len());
    let resource = Argument::Resource;
    let number = |value: usize| Argument::value(value as u32);
    let arguments = vec![
        resource(levels_id),
        number(nodes),
        resource(frontier_ids[0]),
        resource(sizes_id),
        number(sizes.len()),
        number(source),
    ];
    case.launch("start", [round_up(nodes, GROUP)], [GROUP], arguments);
    for (level, &size) in frontiers.iter().enumerate() {
        let (from, to) = (frontier_ids[level % 2], frontier_ids[(level + 1) % 2]);
        let mut arguments = [first_id, ends_id, levels_id, from].map(resource).to_vec();
        arguments.extend([number(size), resource(to), resource(sizes_id), number(level + 1)]);
        case.launch("expand", [round_up(size, GROUP)], [GROUP], arguments);
    }

    let reason = "the order within a frontier changes no level";
    case.expect(levels_id, &levels, Tolerance::Exact, reason);
    case.expect(sizes_id, &sizes, Tolerance::Exact, reason);
    // Levels are written twice and read for each edge; frontiers are written and read.
    case.work = Work { bytes: (8 * ends.len() + 24 * nodes) as u64, operations: 0 };
    case
}

/// Nodes with up to a dozen edges to anywhere.
fn graph(nodes: usize) -> (Vec<u32>, Vec<u32>) {
    let (random_degree, random_end) = (Random::new(271), Random::new(272));
    let mut first = vec![0u32; nodes + 1];
    for node in 0..nodes {
        first[node + 1] = first[node] + random_degree.below(node, 13);
    }
    let ends = generate(first[nodes] as usize, |edge| random_end.below(edge, nodes as u32));
    (first, ends)
}

/// The level of each node, and the size of the frontier of each level.
fn search(first: &[u32], ends: &[u32], source: usize) -> (Vec<u32>, Vec<usize>) {
    let mut levels = vec![UNSEEN; first.len() - 1];
    levels[source] = 0;
    let mut frontier = vec![source];
    let mut sizes = Vec::new();
    while !frontier.is_empty() {
        sizes.push(frontier.len());
        let mut next = Vec::new();
        for node in frontier {
            for &end in &ends[first[node] as usize..first[node + 1] as usize] {
                if levels[end as usize] == UNSEEN {
                    levels[end as usize] = sizes.len() as u32;
                    next.push(end as usize);
                }
            }
        }
        frontier = next;
    }
    (levels, sizes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_several_levels_and_a_node_that_is_not_reached() {
        let (first, ends) = graph(10_007);
        let (levels, sizes) = search(&first, &ends, 10_007 / 3);
        assert!(sizes.len() >= 5 && levels.contains(&UNSEEN), "{sizes:?}");
    }
}
