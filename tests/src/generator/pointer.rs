//! Statements about pointers.

use super::Generator;
use super::feature::Feature;
use super::node::{Kind, Node};
use super::scope::{Entry, Space, Target, What};
use super::types::{Type, Value};

impl Generator {
    /// A possible target of a pointer: an entry of the scope, with the type that a pointer to it has.
    fn pointable(&mut self) -> Option<Target> {
        let found: Vec<Target> = self.scope.iter().filter_map(|entry| self.target_of(entry)).collect();
        if found.is_empty() {
            return None;
        }
        let mut target = self.choice.pick(&found).clone();
        // A member rather than the whole.
        if let Type::Record(id) = target.element
            && Type::Record(id).is_open(&self.records)
            && self.choice.percent(50)
        {
            let (_, member) = self.choice.pick(&self.records[id].members).clone();
            target = self.element_target(member, target.space, target.writable);
        }
        target.element.name(&self.records).is_some().then_some(target)
    }

    fn target_of(&self, entry: &Entry) -> Option<Target> {
        match entry.what {
            What::Object => Some(self.element_target(entry.ty.clone(), entry.space, entry.writable)),
            What::Pointer(length) | What::FixedPointer(length) => Some(Target {
                element: entry.ty.clone(),
                length,
                space: entry.space,
                writable: entry.writable,
            }),
            What::Counter(_) | What::PointerArray(..) | What::PointerPointer { .. } | What::Handle(_) => None,
        }
    }

    fn element_target(&self, ty: Type, space: Space, writable: bool) -> Target {
        match ty {
            Type::Array(element, length) if element.name(&self.records).is_some() => {
                Target { element: *element, length, space, writable }
            }
            Type::Array(element, _) => self.element_target(*element, space, writable),
            element => Target { element, length: 1, space, writable },
        }
    }

    /// The type of a pointer, to be followed by a name.
    pub(super) fn pointer_type(&self, target: &Target) -> Option<String> {
        let constant = if target.writable || target.space == Space::Constant { "" } else { "const " };
        Some(format!("{constant}{}{} *", target.space.qualifier(), target.element.name(&self.records)?))
    }

    pub(super) fn pointer_declaration(&mut self) -> Option<Node> {
        let mut target = self.pointable()?;
        target.length = self.choice.between(1, target.length.min(8));
        let pointer = self.pointer_or_choice(&target, self.scope.len())?;
        let ty = self.pointer_type(&target)?;
        let name = self.name("p");
        self.scope.push(Entry {
            name: name.clone(),
            what: What::Pointer(target.length),
            ty: target.element,
            space: target.space,
            writable: target.writable,
        });
        Some(Node::statement(&format!("{ty}{name} = #;\n"), vec![pointer]))
    }

    fn pointer_or_choice(&mut self, target: &Target, end: usize) -> Option<Node> {
        let first = self.pointer_to(target, end)?;
        if !self.chance(Feature::PointerChoice, 10) {
            return Some(first);
        }
        let second = self.pointer_to(target, end)?;
        let condition = self.condition();
        Some(Node::new(Kind::Part, "(#) ? (#) : (#)", vec![condition, first, second]))
    }

    /// Sets a pointer to another object that was declared before it, and so lives at least as long.
    pub(super) fn pointer_assignment(&mut self) -> Option<Node> {
        let pointers: Vec<usize> = (0..self.scope.len())
            .filter(|&index| matches!(self.scope[index].what, What::Pointer(_)))
            .collect();
        if pointers.is_empty() {
            return None;
        }
        let index = *self.choice.pick(&pointers);
        let entry = self.scope[index].clone();
        let What::Pointer(length) = entry.what else { return None };
        let target = Target { element: entry.ty, length, space: entry.space, writable: entry.writable };
        let pointer = self.pointer_or_choice(&target, index)?;
        Some(Node::statement(&format!("{} = #;\n", entry.name), vec![pointer]))
    }

    /// An array of pointers to different objects.
    pub(super) fn pointer_array(&mut self) -> Option<Node> {
        let mut target = self.pointable()?;
        target.length = self.choice.between(1, target.length.min(4));
        let end = self.scope.len();
        let count = self.choice.between(2, 4);
        let pointers = (0..count).map(|_| self.pointer_to(&target, end)).collect::<Option<Vec<_>>>()?;
        let ty = self.pointer_type(&target)?;
        let name = self.name("t");
        self.scope.push(Entry {
            name: name.clone(),
            what: What::PointerArray(count, target.length),
            ty: target.element,
            space: target.space,
            writable: target.writable,
        });
        let holes = vec!["#"; count].join(", ");
        Some(Node::statement(&format!("{ty}{name}[{count}] = {{{holes}}};\n"), pointers))
    }

    /// A loop over elements with a pointer that is compared with the end.
    pub(super) fn pointer_walk(&mut self) -> Option<Node> {
        let found: Vec<Target> = self
            .scope
            .iter()
            .filter_map(|entry| self.target_of(entry))
            .filter(|target| target.length > 1 && matches!(target.element, Type::Value(_)))
            .collect();
        if found.is_empty() {
            return None;
        }
        let target = Target { writable: false, ..self.choice.pick(&found).clone() };
        let Type::Value(element) = target.element else { return None };
        let pointer = self.pointer_to(&target, self.scope.len())?;
        let ty = self.pointer_type(&target)?;
        let result = self.target()?;
        if result.value.scalar.is_float() || element.scalar.is_float() {
            return None;
        }
        let walker = self.name("w");
        let length = target.length;
        let kind = Kind::Expression { value: element, bits: 0 };
        let step = *self.choice.pick(&["++", "+= 1"]);
        let read = self.adapt(Node::text(kind, format!("*{walker}")), element, result.value);
        let template = format!(
            "for ({ty}{walker} = #, *{walker}_end = {walker} + {length}; {walker} != {walker}_end; {walker} {step}) {{\n\
             # ^= #;\n}}\n"
        );
        Some(Node::statement(&template, vec![pointer, result.node, read]))
    }

    /// A lane of a vector, chosen at run time.
    pub(super) fn lane_access(&mut self) -> Option<Node> {
        let place = self.target()?;
        let value = place.value;
        if !value.is_vector() || !place.addressable {
            return None;
        }
        let index = self.index(usize::from(value.lanes));
        let element = Value::scalar(value.scalar);
        let operand = self.expression(element, 2);
        let template = format!("(({}{} *)&#)[#] = #;\n", place.space.qualifier(), element.name());
        Some(Node::statement(&template, vec![place.node, index, operand]))
    }
}
