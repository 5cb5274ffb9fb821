//! Functions: those without effects, which expressions call, and those that write through pointers.

use super::feature::Feature;
use super::node::{Kind, Node};
use super::scope::{Entry, Space, Target, What};
use super::types::{Type, Value};
use super::{Context, Generator, Returns};

/// A function that later ones may call.
#[derive(Clone, Debug)]
pub(super) struct Helper {
    pub name: String,
    pub parameters: Vec<Parameter>,
    pub returns: Option<Returns>,
    /// It writes only its own variables.
    pub pure: bool,
    /// The most statements that it runs.
    pub cost: usize,
}

/// A parameter of a function.
#[derive(Clone, Debug)]
pub(super) enum Parameter {
    Value(Value),
    Record(usize),
    Pointer(Target),
    /// A structure with pointers.
    Handle(usize),
}

impl Generator {
    /// A new function, as an item of the program.
    pub(super) fn function(&mut self) -> Node {
        let name = self.name("f");
        let pure = !self.chance(Feature::EffectFunction, 8);
        let generic = self.weights.of(Feature::Pointer) > 0 && self.chance(Feature::Generic, 20);
        let returns = self.return_type(pure);
        let parameters = self.parameters(pure, generic);
        let constants = self.scope.clone();
        let texts: Vec<String> =
            parameters.iter().map(|parameter| self.declare_parameter(parameter, pure)).collect();
        (self.cost, self.trips, self.cost_limit) = (1, 1, 30);
        let context = Context { depth: 1, uniform: false, in_loop: false, returns, kernel: false };
        let count = self.choice.between(1, 4);
        let body = self.statements(count, context);
        let (result_type, result) = match returns {
            None => ("void".to_owned(), Node::text(Kind::Part, "")),
            Some(returns) => {
                let result = self.result(returns, 3);
                (self.return_name(returns), Node::new(Kind::Part, "return #;\n", vec![result]))
            }
        };
        self.scope = constants;
        // In C99, `inline` alone does not define a function that can be called.
        let inline = *self.choice.pick(&["", "static ", "static inline "]);
        let head = format!("{inline}{result_type} {name}({})", texts.join(", "));
        self.helpers.push(Helper { name: name.clone(), parameters, returns, pure, cost: self.cost });
        if generic {
            return self.generic_function(&name, &head, body, result);
        }
        Node::new(Kind::Item, &format!("{head} {{\n##}}\n\n"), vec![body, result])
    }

    fn return_type(&mut self, pure: bool) -> Option<Returns> {
        if !self.records.is_empty() && self.chance(Feature::RecordFunction, 10) {
            return Some(Returns::Record(self.choice.below(self.records.len())));
        }
        if !pure && self.choice.percent(50) {
            return None;
        }
        Some(Returns::Value(self.private_value()))
    }

    fn return_name(&self, returns: Returns) -> String {
        match returns {
            Returns::Value(value) => value.name(),
            Returns::Record(id) => self.records[id].name.clone(),
        }
    }

    /// With `generic`, only the first is a generic pointer.
    fn parameters(&mut self, pure: bool, generic: bool) -> Vec<Parameter> {
        let mut parameters = Vec::new();
        for index in 0..self.choice.between(1, 4) {
            let first = index == 0;
            let pointer = (first && (!pure || generic)) || self.chance(Feature::Pointer, 16);
            parameters.push(if pointer && self.weights.of(Feature::Pointer) > 0 {
                let spaces = [Space::Private, Space::Private, Space::Local, Space::Global];
                let space = if first && generic { Space::Generic } else { *self.choice.pick(&spaces) };
                let (element, length) = (self.any_type(), self.choice.between(1, 4));
                Parameter::Pointer(Target { element, length, space, writable: !pure })
            } else if let Some(id) = self.handle_parameter() {
                Parameter::Handle(id)
            } else if !self.records.is_empty() && self.chance(Feature::RecordFunction, 16) {
                Parameter::Record(self.choice.below(self.records.len()))
            } else {
                Parameter::Value(self.private_value())
            });
        }
        parameters
    }

    fn declare_parameter(&mut self, parameter: &Parameter, pure: bool) -> String {
        let name = self.name("a");
        match parameter {
            Parameter::Value(value) => {
                self.declare_object(&name, Type::Value(*value), true);
                format!("{} {name}", value.name())
            }
            Parameter::Record(id) => {
                self.declare_object(&name, Type::Record(*id), true);
                format!("{} {name}", self.records[*id].name)
            }
            Parameter::Handle(id) => {
                self.declare_handle(&name, *id, pure);
                format!("{} {name}", self.handles[*id].name)
            }
            Parameter::Pointer(target) => {
                self.scope.push(Entry {
                    name: name.clone(),
                    what: What::FixedPointer(target.length),
                    ty: target.element.clone(),
                    space: target.space,
                    writable: target.writable,
                });
                let constant = if target.writable { "" } else { "const " };
                let element = target.element.name(&self.records).expect("parameters point to named types");
                format!("{constant}{}{element} *{name}", target.space.qualifier())
            }
        }
    }

    /// An expression for a `return`.
    pub(super) fn result(&mut self, returns: Returns, depth: usize) -> Node {
        match returns {
            Returns::Value(value) => self.expression(value, depth),
            Returns::Record(id) => {
                let found: Vec<String> = self
                    .scope
                    .iter()
                    .filter(|entry| entry.what == What::Object && entry.ty == Type::Record(id))
                    .map(|entry| entry.name.clone())
                    .collect();
                if found.is_empty() {
                    return self.compound_literal(id);
                }
                Node::text(Kind::Part, self.choice.pick(&found).clone())
            }
        }
    }

    /// A call of a function, if there are objects for its pointers.
    pub(super) fn call(&mut self, index: usize, depth: usize) -> Option<Node> {
        let helper = self.helpers[index].clone();
        let mut arguments = Vec::new();
        for parameter in &helper.parameters {
            arguments.push(match parameter {
                Parameter::Value(value) => self.expression(*value, depth.min(2)),
                Parameter::Record(id) => match self.record_source(*id) {
                    Some(source) => source,
                    None => self.compound_literal(*id),
                },
                Parameter::Handle(id) => self.handle_argument(*id)?,
                Parameter::Pointer(target) if target.space == Space::Generic => {
                    self.generic_argument(target)?
                }
                Parameter::Pointer(target) => self.pointer_to(target, self.scope.len())?,
            });
        }
        self.cost += helper.cost * self.trips;
        let holes = vec!["#"; arguments.len()].join(", ");
        Some(Node::new(Kind::Part, &format!("{}({holes})", helper.name), arguments))
    }

    fn affordable(&mut self, wanted: impl Fn(&Helper) -> bool) -> Option<usize> {
        let room = self.cost_limit.saturating_sub(self.cost);
        let found: Vec<usize> = (0..self.helpers.len())
            .filter(|&index| wanted(&self.helpers[index]) && self.helpers[index].cost * self.trips <= room)
            .collect();
        (!found.is_empty()).then(|| *self.choice.pick(&found))
    }

    /// A call of a function with effects, as a statement or as the initial value of a new variable.
    pub(super) fn effect_call(&mut self) -> Option<Node> {
        let index = self.affordable(|helper| !helper.pure)?;
        let call = self.call(index, 2)?;
        let Some(Returns::Value(value)) = self.helpers[index].returns else {
            return Some(Node::statement("#;\n", vec![call]));
        };
        let name = self.name("v");
        self.declare_object(&name, Type::Value(value), true);
        Some(Node::statement(&format!("{} {name} = #;\n", value.name()), vec![call]))
    }

    /// A member of the structure that a function returns.
    pub(super) fn record_member(&mut self, value: Value, depth: usize) -> Option<Node> {
        let index =
            self.affordable(|helper| helper.pure && matches!(helper.returns, Some(Returns::Record(_))))?;
        let Some(Returns::Record(id)) = self.helpers[index].returns else { return None };
        let call = self.call(index, depth.min(1))?;
        let place = self.descend(call, Type::Record(id), Space::Private);
        let bits = place.value.scalar.float_bits();
        let node = Node { kind: Kind::Expression { value: place.value, bits }, ..place.node };
        Some(self.adapt(node, place.value, value))
    }

    /// A variable that starts as the structure that a function returns.
    pub(super) fn record_call(&mut self) -> Option<Node> {
        let index = self.affordable(|helper| matches!(helper.returns, Some(Returns::Record(_))))?;
        let Some(Returns::Record(id)) = self.helpers[index].returns else { return None };
        let call = self.call(index, 2)?;
        let name = self.name("v");
        self.declare_object(&name, Type::Record(id), true);
        Some(Node::statement(&format!("{} {name} = #;\n", self.records[id].name), vec![call]))
    }
}
