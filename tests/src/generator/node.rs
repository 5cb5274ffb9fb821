//! A program as a tree of text.
//!
//! A node is text with holes that hold nodes. Whatever keeps a program defined (guards of divisions, masks of
//! indices, bounds of loops, initial values) is text of the node that needs it. So *any* node of its [`Kind`]
//! may fill a hole, and any statement be removed, without making the program's behaviour undefined. The
//! reducer relies on that.

use super::types::Value;
use std::fmt;

/// What a node represents, and therefore what may replace it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A value of exactly this type; if it is floating-point, an integer with a magnitude below two to the
    /// power of `bits`.
    Expression {
        /// Its type.
        value: Value,
        /// The bound of a floating-point value; 0 for integers.
        bits: u8,
    },
    /// Like an expression of integers, the same in all work-items.
    Uniform(Value),
    /// A statement, or some.
    Statement,
    /// A declaration at program scope.
    Item,
    /// Something that only its parent can interpret.
    Part,
}

/// A piece of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// What it represents.
    pub kind: Kind,
    /// Its text and its children, in order.
    pub parts: Vec<Part>,
}

/// A piece of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Text.
    Text(String),
    /// A child.
    Node(Node),
}

impl Node {
    /// A node from a template, in which each `#` is replaced by the next child.
    ///
    /// # Panics
    /// If the numbers of children and holes differ.
    #[must_use]
    pub fn new(kind: Kind, template: &str, children: Vec<Node>) -> Self {
        let mut parts = Vec::new();
        let mut children = children.into_iter();
        for (index, text) in template.split('#').enumerate() {
            if index > 0 {
                parts.push(Part::Node(children.next().expect("a child for each hole")));
            }
            if !text.is_empty() {
                parts.push(Part::Text(text.to_owned()));
            }
        }
        assert!(children.next().is_none(), "more children than holes in `{template}`");
        Node { kind, parts }
    }

    /// A node without children.
    #[must_use]
    pub fn text(kind: Kind, text: impl Into<String>) -> Self {
        Node { kind, parts: vec![Part::Text(text.into())] }
    }

    /// Nodes in sequence.
    #[must_use]
    pub fn sequence(kind: Kind, nodes: Vec<Node>) -> Self {
        Node { kind, parts: nodes.into_iter().map(Part::Node).collect() }
    }

    /// A statement from a template.
    #[must_use]
    pub fn statement(template: &str, children: Vec<Node>) -> Self {
        Node::new(Kind::Statement, template, children)
    }

    /// The children.
    pub fn children(&self) -> impl DoubleEndedIterator<Item = &Node> {
        self.parts.iter().filter_map(|part| match part {
            Part::Node(node) => Some(node),
            Part::Text(_) => None,
        })
    }

    /// The number of nodes, including this one.
    #[must_use]
    pub fn count(&self) -> usize {
        1 + self.children().map(Node::count).sum::<usize>()
    }

    /// The text as source code, indented by its braces.
    #[must_use]
    pub fn to_source(&self) -> String {
        let mut source = String::new();
        let mut depth = 0usize;
        // A function in a macro continues to the end of its braces.
        let mut continued = false;
        for line in self.to_string().lines().map(str::trim).filter(|line| !line.is_empty()) {
            let outwards = usize::from(
                line.starts_with('}') || line.starts_with("case ") || line.starts_with("default"),
            );
            source += &"    ".repeat(depth.saturating_sub(outwards));
            source += line;
            depth = (depth + line.matches('{').count()).saturating_sub(line.matches('}').count());
            continued = depth > 0 && (continued || line.starts_with("#define"));
            source += if continued { " \\\n" } else { "\n" };
        }
        source
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.parts.iter().try_for_each(|part| match part {
            Part::Text(text) => f.write_str(text),
            Part::Node(node) => node.fmt(f),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holes_take_the_children_in_order() {
        let child = |text: &str| Node::text(Kind::Part, text);
        let node = Node::new(Kind::Part, "#(#, 1)", vec![child("f"), child("x")]);
        assert_eq!(node.to_string(), "f(x, 1)");
        assert_eq!(node.count(), 3);
    }

    #[test]
    fn source_is_indented_by_braces() {
        let node = Node::text(Kind::Item, "void f() {\nif (1) {\n;\n}\n}\n");
        assert_eq!(node.to_source(), "void f() {\n    if (1) {\n        ;\n    }\n}\n");
    }

    #[test]
    fn functions_that_are_macros_are_one_line() {
        let node = Node::text(Kind::Item, "#define F(T) T f() {\nreturn 1;\n}\nF(int)\n");
        assert_eq!(node.to_source(), "#define F(T) T f() { \\\n    return 1; \\\n}\nF(int)\n");
    }
}
