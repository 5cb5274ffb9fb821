//! Memory that work-items share: atomic operations, and what work-items read from each other between
//! barriers.

use super::feature::Feature;
use super::kernel::Frame;
use super::node::{Kind, Node};
use super::scope::Space;
use super::types::{Scalar, Type, Value};
use super::{Argument, Context, Generator};

/// An array in local memory; every work-item owns a part of it.
#[derive(Clone, Debug)]
pub(super) struct Shared {
    pub name: String,
    pub value: Value,
    pub length: usize,
}

/// A counter for atomic operations that commute.
#[derive(Clone, Debug)]
pub(super) struct Counter {
    pub place: String,
    scalar: Scalar,
    /// Functions with their numbers of arguments.
    functions: &'static [(&'static str, usize)],
}

/// Groups of functions that commute among themselves.
const COMMUTING: [&[(&str, usize)]; 6] = [
    &[("atomic_add", 2), ("atomic_sub", 2), ("atomic_inc", 1), ("atomic_dec", 1)],
    &[("atomic_min", 2)],
    &[("atomic_max", 2)],
    &[("atomic_and", 2)],
    &[("atomic_or", 2)],
    &[("atomic_xor", 2)],
];

/// Functions with their numbers of arguments.
const OF_ONE_WORK_ITEM: [(&str, usize); 11] = [
    ("atomic_add", 2),
    ("atomic_sub", 2),
    ("atomic_inc", 1),
    ("atomic_dec", 1),
    ("atomic_min", 2),
    ("atomic_max", 2),
    ("atomic_and", 2),
    ("atomic_or", 2),
    ("atomic_xor", 2),
    ("atomic_xchg", 2),
    ("atomic_cmpxchg", 3),
];

impl Generator {
    pub(super) fn atomic_counters(&mut self, frame: &mut Frame) {
        if self.weights.of(Feature::Atomic) == 0 || self.choice.percent(50) {
            return;
        }
        let scalar = *self.choice.pick(&[Scalar::Int, Scalar::UInt]);
        let name = scalar.name();
        frame.parameters.push(format!("__global {name} *counters"));
        let counters = Type::Array(Box::new(Type::Value(Value::scalar(scalar))), 4);
        frame.arguments.push(Argument::Buffer {
            contents: counters.contents(&self.records, &mut self.choice),
            compare: true,
        });
        let mut places: Vec<String> = (0..4).map(|index| format!("&counters[{index}]")).collect();
        if self.weights.of(Feature::Local) > 0 && self.choice.percent(50) {
            let text = format!(
                "__local {name} group_counters[2];\nif (lid == 0) {{\ngroup_counters[0] = 1;\ngroup_counters[1] = 2;\n}}\n\
                 barrier(CLK_LOCAL_MEM_FENCE);\n"
            );
            frame.start.push(Node::text(Kind::Part, text));
            places.extend(["&group_counters[0]".to_owned(), "&group_counters[1]".to_owned()]);
        }
        for place in places {
            let functions = *self.choice.pick(&COMMUTING);
            self.counters.push(Counter { place, scalar, functions });
        }
    }

    /// An atomic operation whose result is not used.
    pub(super) fn atomic(&mut self, context: Context) -> Option<Node> {
        if !context.kernel || self.counters.is_empty() {
            return None;
        }
        let counter = self.choice.pick(&self.counters).clone();
        let &(function, arguments) = self.choice.pick(counter.functions);
        let place = Node::text(Kind::Part, counter.place);
        if arguments == 1 {
            return Some(Node::statement(&format!("{function}(#);\n"), vec![place]));
        }
        let operand = self.expression(Value::scalar(counter.scalar), 2);
        Some(Node::statement(&format!("{function}(#, #);\n"), vec![place, operand]))
    }

    /// Reads what another work-item wrote, between two barriers.
    pub(super) fn exchange(&mut self, context: Context) -> Option<Node> {
        if !context.kernel || !context.uniform || self.shared.is_empty() {
            return None;
        }
        let shared = self.choice.pick(&self.shared).clone();
        let index = self.index(shared.length);
        let name = self.name("v");
        self.declare_object(&name, Type::Value(shared.value), true);
        let fence = *self.choice.pick(&["CLK_LOCAL_MEM_FENCE", "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE"]);
        let template = format!(
            "barrier({fence});\n{} {name} = {}[#];\nbarrier({fence});\n",
            shared.value.name(),
            shared.name
        );
        Some(Node::statement(&template, vec![index]))
    }

    /// An atomic operation on memory that no other work-item accesses, so its result is known.
    pub(super) fn own_atomic(&mut self) -> Option<Node> {
        let place = self.target()?;
        let value = place.value;
        let shared = matches!(place.space, Space::Local | Space::Global);
        if !shared
            || !place.addressable
            || value.is_vector()
            || !matches!(value.scalar, Scalar::Int | Scalar::UInt)
        {
            return None;
        }
        let &(function, arguments) = self.choice.pick(&OF_ONE_WORK_ITEM);
        let mut children = vec![place.node];
        children.extend((1..arguments).map(|_| self.expression(value, 2)));
        let name = self.name("v");
        self.declare_object(&name, Type::Value(value), true);
        let holes = vec!["#"; children.len()].join(", ");
        Some(Node::statement(&format!("{} {name} = {function}(&{holes});\n", value.name()), children))
    }

    /// Reads a counter of the work-group between two barriers: after all earlier operations, and before all
    /// later ones.
    pub(super) fn counter_read(&mut self, context: Context) -> Option<Node> {
        let counters: Vec<Counter> =
            self.counters.iter().filter(|counter| counter.place.starts_with("&group")).cloned().collect();
        if !context.kernel || !context.uniform || counters.is_empty() {
            return None;
        }
        let counter = self.choice.pick(&counters).clone();
        let (name, scalar) = (self.name("v"), counter.scalar);
        self.declare_object(&name, Type::Value(Value::scalar(scalar)), true);
        let text = format!(
            "barrier(CLK_LOCAL_MEM_FENCE);\n{} {name} = {};\nbarrier(CLK_LOCAL_MEM_FENCE);\n",
            scalar.name(),
            &counter.place[1..]
        );
        Some(Node::statement(&text, Vec::new()))
    }
}
