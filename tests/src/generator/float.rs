//! Floating-point expressions: integers small enough for every result to be exact, whatever the rounding or fusion.

use super::Generator;
use super::node::{Kind, Node};
use super::types::{FLOAT_BITS, Scalar, Value};

/// `float` has a significand of 24 bits.
const EXACT_BITS: u8 = 24;

impl Generator {
    /// An expression of integers whose magnitude is below two to the power of `bits`.
    pub(super) fn float_expression(&mut self, value: Value, bits: u8, depth: usize) -> Node {
        debug_assert!((1..=EXACT_BITS).contains(&bits));
        let node = match self.choice.below(if depth == 0 { 3 } else { 9 }) {
            0 => self.float_literal(value, bits),
            1 => return self.float_place(value, bits),
            2 => self.float_of_integer(value, bits, depth),
            3 | 4 if bits >= 2 => {
                let operands = vec![
                    self.float_expression(value, bits - 1, depth - 1),
                    self.float_expression(value, bits - 1, depth - 1),
                ];
                let operator = *self.choice.pick(&["+", "-"]);
                Node::new(Kind::Part, &format!("((#) {operator} (#))"), operands)
            }
            5 if bits >= 4 => self.float_product(value, bits, depth - 1),
            6 => {
                let function = *self.choice.pick(&["fabs(#)", "-(#)", "floor(#)", "trunc(#)"]);
                Node::new(
                    Kind::Part,
                    &format!("({function})"),
                    vec![self.float_expression(value, bits, depth - 1)],
                )
            }
            7 => {
                let function = *self.choice.pick(&["fmin", "fmax", "min", "max"]);
                let operands = vec![
                    self.float_expression(value, bits, depth - 1),
                    self.float_expression(value, bits, depth - 1),
                ];
                Node::new(Kind::Part, &format!("{function}(#, #)"), operands)
            }
            _ => {
                let condition = self.expression(value.of(Scalar::Int), depth.saturating_sub(1));
                let operands = vec![
                    condition,
                    self.float_expression(value, bits, depth.saturating_sub(1)),
                    self.float_expression(value, bits, depth.saturating_sub(1)),
                ];
                Node::new(Kind::Part, "((#) ? (#) : (#))", operands)
            }
        };
        Node { kind: Kind::Expression { value, bits }, ..node }
    }

    /// A literal.
    pub(super) fn float_literal(&mut self, value: Value, bits: u8) -> Node {
        let bound = 1usize << bits.min(12);
        let lanes = if self.choice.percent(50) { 1 } else { value.lanes };
        let lanes: Vec<String> = (0..lanes).map(|_| format!("{}.0f", self.choice.below(bound))).collect();
        let text = if value.is_vector() {
            format!("(({})({}))", value.name(), lanes.join(", "))
        } else {
            lanes[0].clone()
        };
        Node::text(Kind::Part, text)
    }

    /// A floating-point variable, or what is read from an integer one.
    fn float_place(&mut self, value: Value, bits: u8) -> Node {
        let kind = Kind::Expression { value, bits };
        if let Some(place) = self.place(|_| true)
            && place.value.scalar == Scalar::Float
            && bits >= FLOAT_BITS
        {
            let node = Node { kind: Kind::Expression { value: place.value, bits: FLOAT_BITS }, ..place.node };
            if place.value.lanes == value.lanes {
                return Node::sequence(kind, vec![node]);
            }
            let (_, node) = self.reshape(node, place.value, value.lanes);
            return Node { kind, ..node };
        }
        Node { kind, ..self.float_literal(value, bits) }
    }

    /// An integer, cut to size.
    fn float_of_integer(&mut self, value: Value, bits: u8, depth: usize) -> Node {
        let signed = self.choice.percent(50);
        let mut scalar = self.integer_scalar();
        scalar = Scalar::integer(scalar.bits(), signed);
        let integer = value.of(scalar);
        let operand = self.expression(integer, depth.saturating_sub(1));
        let mask = (1u64 << bits.min(scalar.bits() as u8 - 1)) - 1;
        let template = if value.is_vector() {
            format!("convert_{}((#) & ({}){mask})", value.name(), integer.name())
        } else {
            format!("(float)((#) & {mask})")
        };
        Node::new(Kind::Part, &template, vec![operand])
    }

    fn float_product(&mut self, value: Value, bits: u8, depth: usize) -> Node {
        if self.choice.percent(40) {
            // A product and a sum of half the magnitude each.
            let left = self.choice.between(1, usize::from(bits) - 2) as u8;
            let operands = vec![
                self.float_expression(value, left, depth),
                self.float_expression(value, bits - 1 - left, depth),
                self.float_expression(value, bits - 1, depth),
            ];
            let template = *self.choice.pick(&["mad(#, #, #)", "fma(#, #, #)", "((#) * (#) + (#))"]);
            return Node::new(Kind::Part, template, operands);
        }
        let left = self.choice.between(1, usize::from(bits) - 1) as u8;
        let operands =
            vec![self.float_expression(value, left, depth), self.float_expression(value, bits - left, depth)];
        Node::new(Kind::Part, "((#) * (#))", operands)
    }
}
