//! Reduces a program while it still shows an error: removes statements and functions, and replaces
//! expressions by their operands or by literals.
//!
//! Candidates stay defined by the construction of [`super::node`]. Some no longer compile, which the caller
//! detects.

use super::Program;
use super::node::{Kind, Node, Part};
use std::ops::Range;

/// Reduces a program as long as `shows` accepts the result, trying at most this many candidates.
pub fn reduce(program: &Program, attempts: usize, mut shows: impl FnMut(&Program) -> bool) -> Program {
    let mut best = program.clone();
    let mut left = attempts;
    loop {
        let before = best.root.count();
        // Large nodes first, because usually little of them is needed.
        let mut size = before.next_power_of_two();
        while size > 0 {
            for pass in [Pass::Remove, Pass::Hoist, Pass::Simplify] {
                one_pass(&mut best, pass, size..2 * size, &mut left, &mut shows);
            }
            size /= 2;
        }
        if best.root.count() >= before || left == 0 {
            return best;
        }
    }
}

/// The attempt made at each node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pass {
    /// Remove it.
    Remove,
    /// Replace it by a statement within it.
    Hoist,
    /// Replace it by a literal or an operand.
    Simplify,
}

/// Tries the nodes of some sizes.
fn one_pass(
    best: &mut Program,
    pass: Pass,
    sizes: Range<usize>,
    left: &mut usize,
    shows: &mut impl FnMut(&Program) -> bool,
) {
    // From the end, because later code needs earlier declarations.
    let mut index = best.root.count();
    while index > 1 {
        index -= 1;
        let Some(node) = node_at(&best.root, index).filter(|node| sizes.contains(&node.count())) else {
            continue;
        };
        for replacement in replacements(node, pass) {
            if *left == 0 {
                return;
            }
            *left -= 1;
            let mut candidate = best.clone();
            replace(&mut candidate.root, index, replacement);
            if shows(&candidate) {
                *best = candidate;
                break;
            }
        }
    }
}

fn replacements(node: &Node, pass: Pass) -> Vec<Node> {
    match (pass, node.kind) {
        (Pass::Remove, Kind::Statement | Kind::Item) if !node.parts.is_empty() => {
            vec![Node { kind: node.kind, parts: Vec::new() }]
        }
        (Pass::Hoist, Kind::Statement) => node
            .children()
            .filter(|child| child.kind == Kind::Statement && child.count() > 1)
            .cloned()
            .collect(),
        (Pass::Simplify, Kind::Expression { value, .. }) => {
            let literal = format!("(({})1)", value.name());
            let text = node.to_string();
            if text == literal || node.children().next().is_none() && text.len() <= 3 {
                return Vec::new();
            }
            let mut found = vec![Node::text(node.kind, literal)];
            descendants(node, node.kind, &mut found);
            found.truncate(4);
            found
        }
        _ => Vec::new(),
    }
}

/// The outermost nodes of a kind within another.
fn descendants(node: &Node, kind: Kind, found: &mut Vec<Node>) {
    for child in node.children() {
        if child.kind == kind {
            found.push(child.clone());
        } else {
            descendants(child, kind, found);
        }
    }
}

/// The node with a number, counting from the root, which is 0, parents before children.
fn node_at(node: &Node, index: usize) -> Option<&Node> {
    if index == 0 {
        return Some(node);
    }
    let mut rest = index - 1;
    for child in node.children() {
        let count = child.count();
        if rest < count {
            return node_at(child, rest);
        }
        rest -= count;
    }
    None
}

fn replace(node: &mut Node, index: usize, replacement: Node) {
    if index == 0 {
        *node = replacement;
        return;
    }
    let mut rest = index - 1;
    for part in &mut node.parts {
        let Part::Node(child) = part else { continue };
        let count = child.count();
        if rest < count {
            return replace(child, rest, replacement);
        }
        rest -= count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generator::{feature::Weights, generate};

    #[test]
    fn only_what_matters_is_left() {
        let weights = Weights::default();
        let program = (0..100)
            .map(|seed| generate(seed, &weights))
            .find(|program| program.root.to_string().contains("switch"))
            .expect("one of a hundred programs has a switch");
        let shows = |program: &Program| program.root.to_string().contains("switch");
        let reduced = reduce(&program, 100_000, shows);
        assert!(shows(&reduced));
        let statements = reduced.root.to_string().matches(';').count();
        assert!(
            statements < program.root.to_string().matches(';').count() / 2,
            "{}",
            reduced.root.to_source()
        );
    }
}
