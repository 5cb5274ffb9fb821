//! Statements that declare and assign.

use super::expression::spell_lanes;
use super::feature::Feature;
use super::node::{Kind, Node};
use super::scope::{Place, Space, What};
use super::types::{Scalar, Type, Value};
use super::{Context, Generator};

/// Makes a statement for a context, where it can.
type Production = fn(&mut Generator, Context) -> Option<Node>;

const PRODUCTIONS: &[(Feature, Production)] = &[
    (Feature::Declaration, |generator, _| Some(generator.declaration())),
    (Feature::Assignment, |generator, _| generator.assignment()),
    (Feature::Assignment, |generator, _| generator.record_assignment()),
    (Feature::Assignment, Generator::hash_statement),
    (Feature::Update, |generator, _| generator.update()),
    (Feature::If, Generator::branch),
    (Feature::Loop, Generator::repetition),
    (Feature::Switch, Generator::switch),
    (Feature::Jump, Generator::jump),
    (Feature::EarlyReturn, Generator::early_return),
    (Feature::Goto, Generator::forward_goto),
    (Feature::Goto, Generator::backward_goto),
    (Feature::EnteredLoop, Generator::goto_into_loop),
    (Feature::EnteredLoop, Generator::entered_loop),
    (Feature::Pointer, |generator, _| generator.pointer_declaration()),
    (Feature::Pointer, |generator, _| generator.pointer_assignment()),
    (Feature::PointerArray, |generator, _| generator.pointer_array()),
    (Feature::PointerPointer, |generator, _| generator.pointer_pointer()),
    (Feature::PointerPointer, |generator, _| generator.set_through_pointer()),
    (Feature::PointerStruct, |generator, _| generator.handle_declaration()),
    (Feature::Generic, |generator, _| generator.choose_set()),
    (Feature::PointerWalk, |generator, _| generator.pointer_walk()),
    (Feature::LanePointer, |generator, _| generator.lane_access()),
    (Feature::VectorLoad, |generator, _| generator.vector_store()),
    (Feature::EffectFunction, |generator, _| generator.effect_call()),
    (Feature::RecordFunction, |generator, _| generator.record_call()),
    (Feature::Atomic, Generator::atomic),
    (Feature::Atomic, |generator, _| generator.own_atomic()),
    (Feature::Atomic, Generator::counter_read),
    (Feature::Local, Generator::exchange),
];

/// The depth of the operands of statements.
const DEPTH: usize = 3;

impl Generator {
    /// Some statements in a new scope, without the braces.
    pub(super) fn block(&mut self, count: usize, context: Context) -> Node {
        let mark = self.enter_scope();
        let statements = self.statements(count, context);
        self.leave_scope(mark);
        statements
    }

    /// Some statements.
    pub(super) fn statements(&mut self, count: usize, context: Context) -> Node {
        let statements = (0..count).map(|_| self.statement(context)).collect();
        Node::sequence(Kind::Statement, statements)
    }

    fn statement(&mut self, context: Context) -> Node {
        self.cost += self.trips;
        for _ in 0..8 {
            self.growth = 0;
            let Some(production) = self.pick_weighted(PRODUCTIONS) else { break };
            if let Some(node) = production(self, context) {
                return node;
            }
        }
        self.declaration()
    }

    /// Adds a value to the result that may be out of scope at the end.
    fn hash_statement(&mut self, context: Context) -> Option<Node> {
        if !context.kernel {
            return None;
        }
        let value = self.expression(Value::scalar(Scalar::UInt), DEPTH);
        Some(Node::statement("hash = mix_word(hash, #);\n", vec![value]))
    }

    fn declaration(&mut self) -> Node {
        let name = self.name("v");
        let mut ty = self.any_type();
        if matches!(ty, Type::Value(value) if value.scalar == Scalar::Float) {
            ty = Type::Value(self.private_value());
        }
        if self.chance(Feature::Array, 22) {
            let length = self.choice.between(2, 5);
            ty = Type::Array(Box::new(ty), length);
            if self.choice.percent(20) {
                let length = self.choice.between(2, 3);
                ty = Type::Array(Box::new(ty), length);
            }
        }
        let initializer = self.initializer(&ty);
        let text = ty.declare(&name, &self.records);
        self.declare_object(&name, ty, true);
        Node::statement(&format!("{text} = #;\n"), vec![initializer])
    }

    /// An initializer that gives every scalar a value.
    pub(super) fn initializer(&mut self, ty: &Type) -> Node {
        match ty {
            Type::Value(value) => self.expression(*value, DEPTH - 1),
            Type::Record(id) => {
                if let Some(source) = self.record_source(*id) {
                    return source;
                }
                self.record_initializer(*id)
            }
            Type::Array(..) => self.brace_initializer(ty),
        }
    }

    /// An initializer in braces; omitted parts are zero.
    fn brace_initializer(&mut self, ty: &Type) -> Node {
        match ty {
            Type::Value(value) => {
                let depth = self.choice.below(DEPTH);
                self.expression(*value, depth)
            }
            Type::Record(id) => self.record_initializer(*id),
            Type::Array(element, length) => {
                let count = if self.choice.percent(20) { 1 } else { *length };
                let elements: Vec<Node> = (0..count).map(|_| self.brace_initializer(element)).collect();
                let holes = vec!["#"; elements.len()].join(", ");
                Node::new(Kind::Part, &format!("{{{holes}}}"), elements)
            }
        }
    }

    fn record_initializer(&mut self, id: usize) -> Node {
        let record = self.records[id].clone();
        // The first member of a union; it covers the others.
        let members = if record.union { &record.members[..1] } else { &record.members[..] };
        let designated = self.choice.percent(25);
        let mut children = Vec::new();
        let mut holes = Vec::new();
        for (name, member) in members {
            children.push(self.brace_initializer(member));
            holes.push(if designated { format!(".{name} = #") } else { "#".to_owned() });
        }
        Node::new(Kind::Part, &format!("{{{}}}", holes.join(", ")), children)
    }

    /// An expression of a structure's type, if one is available: a variable, or a compound literal.
    pub(super) fn record_source(&mut self, id: usize) -> Option<Node> {
        if self.chance(Feature::CompoundLiteral, 20) {
            return Some(self.compound_literal(id));
        }
        if self.choice.percent(40) {
            return None;
        }
        let place = self.record_place(id, false)?;
        if self.choice.percent(80) {
            return Some(place);
        }
        let other = self.record_place(id, false)?;
        let condition = self.condition();
        Some(Node::new(Kind::Part, "((#) ? # : #)", vec![condition, place, other]))
    }

    /// A structure as a compound literal.
    pub(super) fn compound_literal(&mut self, id: usize) -> Node {
        let initializer = self.record_initializer(id);
        Node::new(Kind::Part, &format!("(({})#)", self.records[id].name), vec![initializer])
    }

    /// A variable that is such a structure.
    fn record_place(&mut self, id: usize, writable: bool) -> Option<Node> {
        let wanted = Type::Record(id);
        let mut found = Vec::new();
        for entry in self.scope.iter().filter(|entry| entry.writable || !writable) {
            match (&entry.what, &entry.ty) {
                (What::Object, ty) if *ty == wanted => found.push((entry.name.clone(), None)),
                (What::Object, Type::Array(element, length)) if **element == wanted => {
                    found.push((entry.name.clone(), Some(*length)));
                }
                (What::Pointer(length) | What::FixedPointer(length), ty) if *ty == wanted => {
                    found.push((entry.name.clone(), Some(*length)));
                }
                _ => {}
            }
        }
        if found.is_empty() {
            return None;
        }
        let (name, length) = self.choice.pick(&found).clone();
        Some(match length {
            None => Node::text(Kind::Part, name),
            Some(length) => {
                let index = self.index(length);
                Node::new(Kind::Part, &format!("{name}[#]"), vec![index])
            }
        })
    }

    fn record_assignment(&mut self) -> Option<Node> {
        if self.records.is_empty() {
            return None;
        }
        let id = self.choice.below(self.records.len());
        let target = self.record_place(id, true)?;
        let source = self.record_place(id, false)?;
        Some(Node::statement("# = #;\n", vec![target, source]))
    }

    /// A place that may be written.
    pub(super) fn target(&mut self) -> Option<Place> {
        self.place(|entry| entry.writable && !matches!(entry.what, What::Counter(_)))
    }

    fn assignment(&mut self) -> Option<Node> {
        let place = self.target()?;
        if place.value.is_vector() && self.choice.percent(40) {
            return Some(self.lane_assignment(place));
        }
        let value = self.expression(place.value, DEPTH);
        Some(Node::statement("# = #;\n", vec![place.node, value]))
    }

    /// An assignment to some of the lanes of a vector, each at most once.
    fn lane_assignment(&mut self, place: Place) -> Node {
        let from = place.value.lanes;
        let (lanes, text) = self.distinct_lanes(from);
        let value = self.expression(Value { lanes, ..place.value }, DEPTH - 1);
        Node::statement(&format!("#.{text} = #;\n"), vec![place.node, value])
    }

    fn distinct_lanes(&mut self, from: u8) -> (u8, String) {
        if from != 3 && self.choice.percent(40) {
            return (from / 2, (*self.choice.pick(&["lo", "hi", "odd", "even"])).to_owned());
        }
        let mut all: Vec<usize> = (0..usize::from(from)).collect();
        for index in (1..all.len()).rev() {
            let other = self.choice.below(index + 1);
            all.swap(index, other);
        }
        let counts: Vec<u8> = [1, 2, 3, 4, 8].into_iter().filter(|&lanes| lanes <= from).collect();
        let count = *self.choice.pick(&counts);
        let letters = from <= 4 && self.choice.percent(50);
        (count, spell_lanes(&all[..usize::from(count)], letters))
    }

    /// A compound assignment, `++` or `--`, where the result is defined for all operands.
    fn update(&mut self) -> Option<Node> {
        let place = self.target()?;
        let value = place.value;
        if value.scalar.is_float() {
            return None;
        }
        let wraps = !value.scalar.signed() || (value.scalar.is_narrow() && !value.is_vector());
        if wraps && self.choice.percent(25) {
            let template = *self.choice.pick(&["#++;\n", "++#;\n", "#--;\n", "--#;\n"]);
            return Some(Node::statement(template, vec![place.node]));
        }
        let operators: &[&str] =
            if wraps { &["+", "-", "&", "|", "^", "<<", ">>"] } else { &["&", "|", "^", "<<", ">>"] };
        let operator = *self.choice.pick(operators);
        let operand = self.update_operand(value, operator);
        let node = self.expression(operand, DEPTH - 1);
        if !value.scalar.signed() && value.scalar.bits() >= 32 && operand == value && self.choice.percent(20)
        {
            let one = format!("({})1", value.name());
            let operator = *self.choice.pick(&["/", "%"]);
            return Some(Node::statement(&format!("# {operator}= (#) | {one};\n"), vec![place.node, node]));
        }
        Some(Node::statement(&format!("# {operator}= #;\n"), vec![place.node, node]))
    }

    fn update_operand(&mut self, value: Value, operator: &str) -> Value {
        if value.is_vector() {
            return if self.choice.percent(30) { Value::scalar(value.scalar) } else { value };
        }
        let shift = operator.starts_with(['<', '>']);
        let sum = operator.starts_with(['+', '-']);
        if shift || (!sum && self.choice.percent(30)) {
            return Value::scalar(self.integer_scalar());
        }
        value
    }

    /// A store through a pointer to elements.
    fn vector_store(&mut self) -> Option<Node> {
        let scalar = self.integer_scalar();
        let lanes = self.lanes().min(4);
        let space = *self.choice.pick(&[Space::Private, Space::Local, Space::Global, Space::Generic]);
        let (pointer, index) = self.vectors_of(Value { scalar, lanes }, space, true)?;
        let value = self.expression(Value { scalar, lanes }, DEPTH - 1);
        Some(Node::statement(&format!("vstore{lanes}(#, #, #);\n"), vec![value, index, pointer]))
    }
}
