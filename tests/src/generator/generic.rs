//! Generic pointers (OpenCL C §6.7.5), in programs that implementations without them run as well.
//!
//! A function with one generic pointer is a macro: where `GENERIC` is defined it makes that function, and
//! elsewhere one overload for each address space. A pointer into one of two address spaces is a macro as well
//! ([`super::prelude`]).

use super::Generator;
use super::node::{Kind, Node, Part};
use super::scope::{Space, Target, What};
use super::types::{Type, Value};

/// What a generic pointer can point to.
pub(super) const SPACES: [Space; 3] = [Space::Private, Space::Local, Space::Global];

impl Generator {
    /// A function whose text, head and body, names the address space as `SPACE`.
    pub(super) fn generic_function(&mut self, name: &str, head: &str, body: Node, result: Node) -> Node {
        self.generic = true;
        let function = name.to_uppercase();
        let overloads: String = SPACES
            .iter()
            .map(|space| {
                let space = if *space == Space::Private { "__private" } else { space.qualifier().trim() };
                format!("{function}({space}, __attribute__((overloadable)))\n")
            })
            .collect();
        let start = format!("#define {function}(SPACE, OVERLOADED) OVERLOADED {head} {{\n");
        let end = format!("}}\n#ifdef GENERIC\n{function}(, )\n#else\n{overloads}#endif\n\n");
        let parts = vec![Part::Text(start), Part::Node(body), Part::Node(result), Part::Text(end)];
        Node { kind: Kind::Item, parts }
    }

    /// A pointer to any address space that has an object for it.
    pub(super) fn generic_argument(&mut self, wanted: &Target) -> Option<Node> {
        let first = self.choice.below(4);
        let spaces = [SPACES[0], SPACES[1], SPACES[2], Space::Generic];
        (0..4).find_map(|index| {
            let space = spaces[(first + index) % 4];
            self.pointer_to(&Target { space, ..wanted.clone() }, self.scope.len())
        })
    }

    /// Two pointers to elements of one type in different address spaces, and the number of elements valid for
    /// both.
    fn two_spaces(&mut self, writable: bool) -> Option<(Value, Node, Node, usize)> {
        let values: Vec<(Value, Space)> = self
            .scope
            .iter()
            .filter(|entry| SPACES.contains(&entry.space) && (entry.writable || !writable))
            .filter_map(|entry| match (entry.what, &entry.ty) {
                (What::Object | What::FixedPointer(_) | What::Pointer(_), Type::Value(value)) => {
                    Some((*value, entry.space))
                }
                (What::Object, Type::Array(element, _)) => match **element {
                    Type::Value(value) => Some((value, entry.space)),
                    _ => None,
                },
                _ => None,
            })
            .filter(|(value, _)| !value.scalar.is_float())
            .collect();
        let &(value, first) = values.get(self.choice.below(values.len().max(1)))?;
        let other = *self.choice.pick(&SPACES);
        if other == first {
            return None;
        }
        let length = self.choice.between(1, 2);
        let target = |space: Space, length| Target { element: Type::Value(value), length, space, writable };
        let end = self.scope.len();
        let length = if self.targets(&target(other, length), end).is_empty() { 1 } else { length };
        let second = self.pointer_to(&target(other, length), end)?;
        let first = self.pointer_to(&target(first, length), end)?;
        Some((value, first, second, length))
    }

    /// The value behind one of two pointers to different address spaces.
    pub(super) fn choose(&mut self, value: Value, _depth: usize) -> Option<Node> {
        let (element, first, second, length) = self.two_spaces(false)?;
        (self.generic, self.prelude.choose) = (true, true);
        let (condition, index) = (self.condition(), self.index(length));
        let kind = Kind::Expression { value: element, bits: 0 };
        let name = element.name();
        // The branches of `?:` are promoted.
        let cast = if element.is_vector() { String::new() } else { format!("({name})") };
        let template = format!("({cast}CHOOSE({name}, #, #, #, #))");
        let node = Node::new(kind, &template, vec![condition, first, second, index]);
        Some(self.adapt(node, element, value))
    }

    /// A store to one of two address spaces.
    pub(super) fn choose_set(&mut self) -> Option<Node> {
        let (element, first, second, length) = self.two_spaces(true)?;
        (self.generic, self.prelude.choose) = (true, true);
        let (condition, index) = (self.condition(), self.index(length));
        let value = self.expression(element, 2);
        let template = format!("CHOOSE_SET({}, #, #, #, #, #)\n", element.name());
        Some(Node::statement(&template, vec![condition, first, second, index, value]))
    }
}
