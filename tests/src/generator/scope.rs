//! The names in scope while a program is generated, and access to their parts.

use super::Generator;
use super::expression::MAX_GROWTH;
use super::node::{Kind, Node};
use super::types::{Type, Value};

/// The depth of indices that depend on indices.
const MAX_INDEX_DEPTH: usize = 2;

/// Where an object lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// Memory of one work-item.
    Private,
    /// Memory of one work-group.
    Local,
    /// Memory of all.
    Global,
    /// Memory of all, which is never written.
    Constant,
    /// Any except the last, in a function with a generic pointer.
    Generic,
}

impl Space {
    /// The qualifier of a pointee, with a space after it.
    #[must_use]
    pub fn qualifier(self) -> &'static str {
        match self {
            Space::Private => "",
            Space::Local => "__local ",
            Space::Global => "__global ",
            Space::Constant => "__constant ",
            Space::Generic => "SPACE ",
        }
    }
}

/// A name in scope.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its spelling.
    pub name: String,
    /// What it is.
    pub what: What,
    /// The type of an object, or of a pointer's target; arrays for several.
    pub ty: Type,
    /// The memory of it, or of a pointer's target.
    pub space: Space,
    /// Whether it, or a pointer's target, may be written.
    pub writable: bool,
}

/// The kinds of names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A variable.
    Object,
    /// A pointer to the first of this many elements; the entry's type is that of an element.
    Pointer(usize),
    /// A pointer to elements, which is a parameter and cannot be set.
    FixedPointer(usize),
    /// An array of this many pointers, each to this many elements.
    PointerArray(usize, usize),
    /// A pointer to a pointer to this many elements, which may be set to what was declared before entry
    /// `end`.
    PointerPointer {
        /// The number of elements.
        length: usize,
        /// The first entry that may not live long enough.
        end: usize,
    },
    /// A structure of this number with pointers; its members are entries of their own.
    Handle(usize),
    /// An integer from zero up to but excluding this bound.
    Counter(usize),
}

/// Something that can be read, and perhaps written.
#[derive(Clone, Debug)]
pub struct Place {
    /// Its spelling.
    pub node: Node,
    /// Its type.
    pub value: Value,
    /// Its memory.
    pub space: Space,
    /// Whether its address may be taken.
    pub addressable: bool,
}

impl Generator {
    /// A scalar or vector in scope, reached through members, indices and pointers.
    pub(super) fn place(&mut self, wanted: impl Fn(&Entry) -> bool) -> Option<Place> {
        let readable = |entry: &Entry| !matches!(entry.what, What::Handle(_)) && wanted(entry);
        let entries: Vec<usize> =
            (0..self.scope.len()).filter(|&index| readable(&self.scope[index])).collect();
        if entries.is_empty() {
            return None;
        }
        // The latest entries are the most interesting.
        let first = if self.choice.percent(50) { entries.len() / 2 } else { 0 };
        let entry = self.scope[*self.choice.pick(&entries[first..])].clone();
        let name = Node::text(Kind::Part, entry.name.clone());
        let (node, ty, open) = match entry.what {
            What::Object | What::Counter(_) | What::Handle(_) => (name, entry.ty, true),
            What::PointerPointer { length, .. } => {
                self.through(Node::new(Kind::Part, "(*#)", vec![name]), length, entry.ty)
            }
            What::Pointer(length) | What::FixedPointer(length) => self.through(name, length, entry.ty),
            What::PointerArray(count, length) => {
                let index = self.index(count);
                self.through(Node::new(Kind::Part, "#[#]", vec![name, index]), length, entry.ty)
            }
        };
        let addressable = open && !matches!(entry.what, What::Counter(_));
        let place = self.descend(node, ty, entry.space);
        Some(Place { addressable: place.addressable && addressable, ..place })
    }

    /// The target of a pointer to this many elements, and whether pointers to its parts are allowed.
    fn through(&mut self, pointer: Node, length: usize, element: Type) -> (Node, Type, bool) {
        if length == 1 && self.choice.percent(60) {
            if let Type::Record(id) = element {
                let (member, ty) = self.choice.pick(&self.records[id].members).clone();
                let open = element.is_open(&self.records);
                return (Node::new(Kind::Part, &format!("#->{member}"), vec![pointer]), ty, open);
            }
            return (Node::new(Kind::Part, "(*#)", vec![pointer]), element, true);
        }
        let index = self.index(length);
        let template = if self.choice.percent(80) { "#[#]" } else { "(*(# + (#)))" };
        (Node::new(Kind::Part, template, vec![pointer, index]), element, true)
    }

    /// A part of an object, down to a scalar or vector.
    pub(super) fn descend(&mut self, mut node: Node, mut ty: Type, space: Space) -> Place {
        let mut addressable = true;
        loop {
            match ty {
                Type::Value(value) => return Place { node, value, space, addressable },
                Type::Array(element, length) => {
                    let index = self.index(length);
                    node = Node::new(Kind::Part, "#[#]", vec![node, index]);
                    ty = *element;
                }
                Type::Record(id) => {
                    addressable &= ty.is_open(&self.records);
                    let (member, member_type) = self.choice.pick(&self.records[id].members).clone();
                    node = Node::new(Kind::Part, &format!("#.{member}"), vec![node]);
                    ty = member_type;
                }
            }
        }
    }

    /// An index below a length.
    pub(super) fn index(&mut self, length: usize) -> Node {
        let bounded = self.index_depth >= MAX_INDEX_DEPTH || self.growth >= MAX_GROWTH;
        if length == 1 || bounded || self.choice.percent(35) {
            let index = self.choice.below(length);
            return Node::text(Kind::Part, index.to_string());
        }
        let fits = |entry: &Entry| matches!(entry.what, What::Counter(bound) if bound <= length);
        let counters: Vec<String> =
            self.scope.iter().filter(|entry| fits(entry)).map(|entry| entry.name.clone()).collect();
        if !counters.is_empty() && self.choice.percent(60) {
            return Node::text(Kind::Part, self.choice.pick(&counters).clone());
        }
        self.index_depth += 1;
        let expression = self.small_expression();
        self.index_depth -= 1;
        if length.is_power_of_two() {
            Node::new(Kind::Part, &format!("(#) & {}", length - 1), vec![expression])
        } else {
            Node::new(Kind::Part, &format!("(uint)(#) % {length}u"), vec![expression])
        }
    }

    /// Pointers to objects in scope before entry `end`: each as text, with the number of elements from it on.
    pub(super) fn targets(&mut self, wanted: &Target, end: usize) -> Vec<(String, usize)> {
        let mut found = Vec::new();
        for entry in &self.scope[..end] {
            if entry.space != wanted.space || (wanted.writable && !entry.writable) {
                continue;
            }
            match entry.what {
                What::Pointer(length) | What::FixedPointer(length) => {
                    if entry.ty == wanted.element {
                        found.push((entry.name.clone(), length));
                    } else if let Type::Record(_) = entry.ty {
                        self.inner_targets(&format!("{}[0]", entry.name), &entry.ty, wanted, &mut found);
                    }
                }
                What::Object => self.inner_targets(&entry.name, &entry.ty, wanted, &mut found),
                What::PointerPointer { length, .. } if entry.ty == wanted.element => {
                    found.push((format!("*{}", entry.name), length));
                }
                What::PointerArray(count, length) if entry.ty == wanted.element => {
                    found.push((format!("{}[{}]", entry.name, count - 1), length));
                }
                What::PointerPointer { .. } | What::PointerArray(..) | What::Counter(_) | What::Handle(_) => {
                }
            }
        }
        found.retain(|&(_, length)| length >= wanted.length);
        found
    }

    fn inner_targets(&self, path: &str, ty: &Type, wanted: &Target, found: &mut Vec<(String, usize)>) {
        if *ty == wanted.element {
            found.push((format!("&{path}"), 1));
        }
        match ty {
            Type::Array(element, length) if **element == wanted.element => {
                found.push((path.to_owned(), *length))
            }
            Type::Array(element, length) => {
                for index in 0..(*length).min(2) {
                    self.inner_targets(&format!("{path}[{index}]"), element, wanted, found);
                }
            }
            Type::Record(id) if ty.is_open(&self.records) => {
                for (name, member) in &self.records[*id].members {
                    self.inner_targets(&format!("{path}.{name}"), member, wanted, found);
                }
            }
            _ => {}
        }
    }

    /// A pointer to the wanted number of elements, made from what is in scope before entry `end`.
    pub(super) fn pointer_to(&mut self, wanted: &Target, end: usize) -> Option<Node> {
        let targets = self.targets(wanted, end);
        if targets.is_empty() {
            return None;
        }
        let (text, length) = self.choice.pick(&targets).clone();
        let base = Node::text(Kind::Part, text);
        let slack = length - wanted.length;
        if slack == 0 || self.choice.percent(40) {
            return Some(base);
        }
        let index = self.index(slack + 1);
        let template = if self.choice.percent(50) { "# + (#)" } else { "&(#)[#]" };
        Some(Node::new(Kind::Part, template, vec![base, index]))
    }
}

/// The wanted target of a pointer.
#[derive(Clone, Debug)]
pub(super) struct Target {
    /// The type of an element.
    pub element: Type,
    /// The number of elements that must be valid.
    pub length: usize,
    /// Their memory.
    pub space: Space,
    /// Whether they will be written.
    pub writable: bool,
}
