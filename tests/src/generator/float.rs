//! Floating-point expressions: integers small enough for every result to be exact, whatever the rounding or
//! fusion.

use super::Generator;
use super::node::{Kind, Node};
use super::types::{Scalar, Value};

impl Generator {
    /// An expression of integers whose magnitude is below two to the power of `bits`.
    pub(super) fn float_expression(&mut self, value: Value, bits: u8, depth: usize) -> Node {
        debug_assert!((1..=value.scalar.float_bits()).contains(&bits));
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
                // Lanes are selected by integers of the same width, which is unknown for `real`.
                let condition = match value.scalar {
                    Scalar::Half => Value::scalar(Scalar::Int),
                    scalar => value.of(Scalar::integer(scalar.bits(), true)),
                };
                let condition = self.expression(condition, depth.saturating_sub(1));
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
        let lanes: Vec<String> = (0..lanes)
            .map(|_| {
                let number = self.choice.below(bound);
                match value.scalar {
                    Scalar::Double => format!("{number}.0"),
                    Scalar::Half => format!("((real){number}.0f)"),
                    _ => format!("{number}.0f"),
                }
            })
            .collect();
        let text = if value.is_vector() {
            format!("(({})({}))", value.name(), lanes.join(", "))
        } else {
            lanes[0].clone()
        };
        Node::text(Kind::Part, text)
    }

    /// A floating-point variable, or a value from an integer one.
    fn float_place(&mut self, value: Value, bits: u8) -> Node {
        let kind = Kind::Expression { value, bits };
        if let Some(place) = self.place(|_| true)
            && place.value.scalar.is_float()
            && bits >= place.value.scalar.float_bits()
        {
            let (from, bits) = (place.value, place.value.scalar.float_bits());
            let node = Node { kind: Kind::Expression { value: from, bits }, ..place.node };
            let node = if from.lanes == value.lanes { node } else { self.reshape(node, from, value.lanes).1 };
            if from.scalar == value.scalar {
                return Node::sequence(kind, vec![node]);
            }
            return Node::new(kind, &float_conversion(value), vec![node]);
        }
        Node { kind, ..self.float_literal(value, bits) }
    }

    /// An integer, limited in magnitude.
    fn float_of_integer(&mut self, value: Value, bits: u8, depth: usize) -> Node {
        let signed = self.choice.percent(50);
        let mut scalar = self.integer_scalar();
        scalar = Scalar::integer(scalar.bits(), signed);
        let integer = value.of(scalar);
        let operand = self.expression(integer, depth.saturating_sub(1));
        let mask = (1u64 << bits.min(scalar.bits() as u8 - 1)) - 1;
        let masked = format!("(#) & ({}){mask}", integer.name());
        Node::new(Kind::Part, &float_conversion(value).replace('#', &masked), vec![operand])
    }

    fn float_product(&mut self, value: Value, bits: u8, depth: usize) -> Node {
        if self.choice.percent(40) {
            // A product and a sum of operands with half the bits each.
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

/// The template of a conversion to a floating-point type.
fn float_conversion(value: Value) -> String {
    if value.is_vector() {
        format!("convert_{}(#)", value.name())
    } else {
        format!("(({})(#))", value.name())
    }
}
