//! Calls of built-in functions on integers (OpenCL C §6.15.3, §6.15.6, §6.15.7), all of them exact.

use super::Generator;
use super::expression::scalar_literal;
use super::node::{Kind, Node};
use super::scope::{Space, Target};
use super::types::{LANES, Scalar, Type, Value, interesting};

/// Functions of two operands of the result's type.
const BINARY: [&str; 8] = ["min", "max", "add_sat", "sub_sat", "hadd", "rhadd", "mul_hi", "rotate"];

impl Generator {
    /// A call of a built-in function.
    pub(super) fn built_in(&mut self, value: Value, depth: usize) -> Option<Node> {
        match self.choice.below(11) {
            0..=2 => {
                let function = *self.choice.pick(&BINARY);
                Some(self.call_built_in(function, &[value, value], depth))
            }
            3 if value.is_vector() => {
                let function = *self.choice.pick(&["min", "max"]);
                Some(self.call_built_in(function, &[value, Value::scalar(value.scalar)], depth))
            }
            3 | 4 => {
                let function = *self.choice.pick(&["clz", "popcount"]);
                Some(self.call_built_in(function, &[value], depth))
            }
            5 => Some(self.clamp(value, depth)),
            6 => self.of_unsigned_result(value, depth),
            7 => self.of_words(value, depth),
            8 => self.upsample(value, depth),
            9 => self.shuffle(value, depth),
            _ => Some(self.selection(value, depth)),
        }
    }

    fn call_built_in(&mut self, function: &str, operands: &[Value], depth: usize) -> Node {
        let operands: Vec<Node> = operands.iter().map(|&operand| self.expression(operand, depth)).collect();
        let holes = vec!["#"; operands.len()].join(", ");
        Node::new(Kind::Part, &format!("{function}({holes})"), operands)
    }

    fn clamp(&mut self, value: Value, depth: usize) -> Node {
        let mut bounds =
            [interesting(value.scalar, &mut self.choice), interesting(value.scalar, &mut self.choice)];
        // In the type's order; flipping the sign bit makes it that of the bits.
        let flip = if value.scalar.signed() { value.scalar.greatest() + 1 } else { 0 };
        bounds.sort_by_key(|bits| bits ^ flip);
        let [low, high] =
            bounds.map(|bits| format!("({}){}", value.name(), scalar_literal(value.scalar, bits)));
        Node::new(Kind::Part, &format!("clamp(#, {low}, {high})"), vec![self.expression(value, depth)])
    }

    /// Functions whose result is unsigned whatever the operands are, and functions that are defined only for
    /// unsigned operands.
    fn of_unsigned_result(&mut self, value: Value, depth: usize) -> Option<Node> {
        if value.scalar.signed() {
            let signed_truth = value.scalar == Scalar::Int && !value.is_vector();
            if !signed_truth {
                return Some(self.call_built_in("mad_sat", &[value; 3], depth));
            }
            let scalar = self.integer_scalar().to_signed();
            let lanes = self.lanes();
            let function = *self.choice.pick(&["any", "all"]);
            return Some(self.call_built_in(function, &[Value { scalar, lanes }], depth));
        }
        let signed = self.choice.percent(50);
        let operand = value.of(Scalar::integer(value.scalar.bits(), signed));
        Some(match self.choice.below(4) {
            0 => self.call_built_in("abs", &[operand], depth),
            1 => self.call_built_in("abs_diff", &[operand; 2], depth),
            2 => self.call_built_in("mad_hi", &[value; 3], depth),
            _ => self.call_built_in("mad_sat", &[value; 3], depth),
        })
    }

    /// `mul24` and `mad24` of operands whose product fits.
    fn of_words(&mut self, value: Value, depth: usize) -> Option<Node> {
        if value.scalar.bits() != 32 {
            return None;
        }
        let operands = vec![self.expression(value, depth), self.expression(value, depth)];
        let mask = format!("({})0x7fff", value.name());
        if value.scalar.signed() || self.choice.percent(50) {
            return Some(Node::new(Kind::Part, &format!("mul24((#) & {mask}, (#) & {mask})"), operands));
        }
        let operands = [operands, vec![self.expression(value, depth)]].concat();
        Some(Node::new(Kind::Part, &format!("mad24((#) & {mask}, (#) & {mask}, #)"), operands))
    }

    fn upsample(&mut self, value: Value, depth: usize) -> Option<Node> {
        if value.scalar.is_narrow() && value.scalar.bits() == 8 {
            return None;
        }
        let high = value.of(Scalar::integer(value.scalar.bits() / 2, value.scalar.signed()));
        Some(self.call_built_in("upsample", &[high, high.of(high.scalar.to_unsigned())], depth))
    }

    fn selection(&mut self, value: Value, depth: usize) -> Node {
        if self.choice.percent(40) {
            return self.call_built_in("bitselect", &[value; 3], depth);
        }
        let signed = self.choice.percent(50);
        let condition = value.of(Scalar::integer(value.scalar.bits(), signed));
        self.call_built_in("select", &[value, value, condition], depth)
    }

    /// A vector read from an array of its elements, with only the elements' alignment.
    pub(super) fn vector_load(&mut self, value: Value, _depth: usize) -> Option<Node> {
        let spaces = [Space::Private, Space::Local, Space::Global, Space::Constant, Space::Generic];
        let space = *self.choice.pick(&spaces);
        let lanes = if value.is_vector() { value.lanes } else { *self.choice.pick(&LANES[..3]) };
        let loaded = Value { lanes, ..value };
        let (pointer, index) = self.vectors_of(loaded, space, false)?;
        let kind = Kind::Expression { value: loaded, bits: 0 };
        let node = Node::new(kind, &format!("vload{lanes}(#, #)"), vec![index, pointer]);
        Some(self.adapt(node, loaded, value))
    }

    /// A pointer to the elements of one or two vectors, and the index of a vector.
    pub(super) fn vectors_of(&mut self, value: Value, space: Space, writable: bool) -> Option<(Node, Node)> {
        let element = Type::Value(Value::scalar(value.scalar));
        let lanes = usize::from(value.lanes);
        let wanted =
            |count: usize| Target { element: element.clone(), length: count * lanes, space, writable };
        let end = self.scope.len();
        let count = if self.targets(&wanted(2), end).is_empty() || self.choice.percent(40) { 1 } else { 2 };
        let pointer = self.pointer_to(&wanted(count), end)?;
        let index = self.index(count);
        Some((pointer, index))
    }

    /// Lanes of one or two vectors, chosen by a mask at run time (OpenCL C §6.15.13).
    fn shuffle(&mut self, value: Value, depth: usize) -> Option<Node> {
        if !value.is_vector() || value.lanes == 3 {
            return None;
        }
        let source = Value { lanes: *self.choice.pick(&[2, 4, 8]), ..value };
        let mask = value.of(value.scalar.to_unsigned());
        if self.choice.percent(50) {
            return Some(self.call_built_in("shuffle", &[source, mask], depth));
        }
        Some(self.call_built_in("shuffle2", &[source, source, mask], depth))
    }
}
