//! Structures with pointers, and pointers to pointers.

use super::feature::Feature;
use super::node::{Kind, Node};
use super::scope::{Entry, Space, Target, What};
use super::types::{Scalar, Type, Value};
use super::{Generator, item};

/// A structure of a number and pointers. The pointers are not members of a [`super::types::Record`], so they
/// are never in a buffer and never lose their targets.
#[derive(Clone, Debug)]
pub(super) struct Handle {
    /// With `struct`.
    pub name: String,
    members: Vec<Target>,
}

/// The type of the number.
const NUMBER: Value = Value::scalar(Scalar::UInt);

impl Generator {
    /// A new structure, as an item of the program.
    pub(super) fn handle(&mut self) -> Node {
        let name = format!("struct H{}", self.handles.len());
        let members: Vec<Target> = (0..self.choice.between(1, 3)).map(|_| self.handle_member()).collect();
        let mut text = format!("{name} {{\nuint n;\n");
        for (index, member) in members.iter().enumerate() {
            let ty = self.pointer_type(member).expect("members point to named types");
            text += &format!("{ty}m{index};\n");
        }
        self.handles.push(Handle { name, members });
        item(text + "};\n\n")
    }

    fn handle_member(&mut self) -> Target {
        let space = *self.choice.pick(&[Space::Private, Space::Private, Space::Local, Space::Global]);
        let element = if self.choice.percent(60) {
            Type::Value(Value::scalar(self.integer_scalar()))
        } else {
            self.any_type()
        };
        Target { element, length: self.choice.between(1, 2), space, writable: self.choice.percent(60) }
    }

    /// Makes the members of a structure visible; `fixed` if its pointers must not change.
    pub(super) fn declare_handle(&mut self, name: &str, id: usize, fixed: bool) {
        let ty = Type::Value(NUMBER);
        let what = What::Handle(id);
        self.scope.push(Entry {
            name: name.to_owned(),
            what,
            ty: ty.clone(),
            space: Space::Private,
            writable: false,
        });
        self.declare_object(&format!("{name}.n"), ty, true);
        for (index, member) in self.handles[id].members.clone().into_iter().enumerate() {
            self.scope.push(Entry {
                name: format!("{name}.m{index}"),
                what: if fixed { What::FixedPointer(member.length) } else { What::Pointer(member.length) },
                ty: member.element,
                space: member.space,
                writable: member.writable && !fixed,
            });
        }
    }

    /// A structure whose pointers have targets.
    pub(super) fn handle_declaration(&mut self) -> Option<Node> {
        if self.handles.is_empty() {
            return None;
        }
        let id = self.choice.below(self.handles.len());
        let source = match self.handle_copy(id) {
            Some(source) if self.choice.percent(50) => source,
            _ => self.handle_initializer(id)?,
        };
        let name = self.name("h");
        self.declare_handle(&name, id, false);
        Some(Node::statement(&format!("{} {name} = #;\n", self.handles[id].name), vec![source]))
    }

    fn handle_copy(&mut self, id: usize) -> Option<Node> {
        let found: Vec<String> = self
            .scope
            .iter()
            .filter(|entry| entry.what == What::Handle(id))
            .map(|entry| entry.name.clone())
            .collect();
        (!found.is_empty()).then(|| Node::text(Kind::Part, self.choice.pick(&found).clone()))
    }

    fn handle_initializer(&mut self, id: usize) -> Option<Node> {
        let members = self.handles[id].members.clone();
        let mut children = vec![self.expression(NUMBER, 2)];
        for member in &members {
            children.push(self.pointer_to(member, self.scope.len())?);
        }
        let holes = vec!["#"; children.len()].join(", ");
        Some(Node::new(Kind::Part, &format!("{{{holes}}}"), children))
    }

    /// A structure for a call.
    pub(super) fn handle_argument(&mut self, id: usize) -> Option<Node> {
        if let Some(copy) = self.handle_copy(id) {
            return Some(copy);
        }
        let initializer = self.handle_initializer(id)?;
        Some(Node::new(Kind::Part, &format!("(({})#)", self.handles[id].name), vec![initializer]))
    }

    /// A pointer to a pointer that can be set, or to one of two such pointers.
    pub(super) fn pointer_pointer(&mut self) -> Option<Node> {
        let pointers: Vec<(usize, usize)> = (0..self.scope.len())
            .filter_map(|index| match self.scope[index].what {
                What::Pointer(length) => Some((index, length)),
                _ => None,
            })
            .collect();
        if pointers.is_empty() {
            return None;
        }
        let &(first, length) = self.choice.pick(&pointers);
        let entry = self.scope[first].clone();
        let alike: Vec<usize> = pointers
            .iter()
            .filter(|&&(index, other)| {
                let other_entry = &self.scope[index];
                other == length
                    && other_entry.ty == entry.ty
                    && (other_entry.space, other_entry.writable) == (entry.space, entry.writable)
            })
            .map(|&(index, _)| index)
            .collect();
        let second = *self.choice.pick(&alike);
        let target =
            Target { element: entry.ty.clone(), length, space: entry.space, writable: entry.writable };
        let ty = self.pointer_type(&target)?;
        let condition = self.condition();
        let names = [first, second].map(|index| Node::text(Kind::Part, self.scope[index].name.clone()));
        let [one, other] = names;
        let name = self.name("q");
        // New targets of either must live as long as both.
        let what = What::PointerPointer { length, end: first.min(second) };
        self.scope.push(Entry { name: name.clone(), what, ..entry });
        if first == second {
            return Some(Node::statement(&format!("{ty}*{name} = &#;\n"), vec![one]));
        }
        let template = format!("{ty}*{name} = (#) ? &# : &#;\n");
        Some(Node::statement(&template, vec![condition, one, other]))
    }

    /// Sets a pointer through a pointer to it.
    pub(super) fn set_through_pointer(&mut self) -> Option<Node> {
        let found: Vec<(Entry, usize, usize)> = self
            .scope
            .iter()
            .filter_map(|entry| match entry.what {
                What::PointerPointer { length, end } => Some((entry.clone(), length, end)),
                _ => None,
            })
            .collect();
        if found.is_empty() {
            return None;
        }
        let (entry, length, end) = self.choice.pick(&found).clone();
        let target = Target { element: entry.ty, length, space: entry.space, writable: entry.writable };
        let pointer = self.pointer_to(&target, end)?;
        Some(Node::statement(&format!("*{} = #;\n", entry.name), vec![pointer]))
    }

    /// Whether a function gets a structure with pointers here.
    pub(super) fn handle_parameter(&mut self) -> Option<usize> {
        let wanted = !self.handles.is_empty() && self.chance(Feature::PointerStruct, 24);
        wanted.then(|| self.choice.below(self.handles.len()))
    }
}
