//! Expressions of integer type, scalar and vector.

use super::feature::Feature;
use super::node::{Kind, Node};
use super::scope::{Entry, What};
use super::types::{INTEGERS, Scalar, Value, interesting};
use super::{Generator, Returns};

/// The number of expressions in a statement from which on the rest become leaves.
pub(super) const MAX_GROWTH: usize = 150;

/// Makes an expression of a type with operands of a depth, where it can.
type Production = fn(&mut Generator, Value, usize) -> Option<Node>;

const PRODUCTIONS: &[(Feature, Production)] = &[
    (Feature::Leaf, |generator, value, _| Some(generator.leaf(value))),
    (Feature::Arithmetic, Generator::arithmetic),
    (Feature::Arithmetic, Generator::bitwise),
    (Feature::Arithmetic, Generator::shift),
    (Feature::Arithmetic, Generator::division),
    (Feature::Arithmetic, Generator::unary),
    (Feature::Arithmetic, Generator::comparison),
    (Feature::If, Generator::conditional),
    (Feature::If, Generator::logic),
    (Feature::Conversion, Generator::conversion),
    (Feature::Vector, Generator::vector_shape),
    (Feature::Function, Generator::pure_call),
    (Feature::RecordFunction, Generator::record_member),
    (Feature::Generic, Generator::choose),
    (Feature::BuiltIn, Generator::built_in),
    (Feature::VectorLoad, Generator::vector_load),
    (Feature::ByteAccess, Generator::byte_access),
];

impl Generator {
    /// An expression of exactly this type.
    pub(super) fn expression(&mut self, value: Value, depth: usize) -> Node {
        if value.scalar.is_float() {
            return self.float_expression(value, value.scalar.float_bits(), depth);
        }
        let mut node = None;
        self.growth += 1;
        if depth > 0 && self.growth < MAX_GROWTH {
            for _ in 0..4 {
                let Some(production) = self.pick_weighted(PRODUCTIONS) else { break };
                node = production(self, value, depth - 1);
                if node.is_some() {
                    break;
                }
            }
        }
        match node {
            Some(node) => Node { kind: Kind::Expression { value, bits: 0 }, ..node },
            None => self.leaf(value),
        }
    }

    /// An integer scalar of any type and little depth.
    pub(super) fn small_expression(&mut self) -> Node {
        let scalar = self.integer_scalar();
        self.expression(Value::scalar(scalar), 1)
    }

    /// A scalar condition.
    pub(super) fn condition(&mut self) -> Node {
        let scalar = self.integer_scalar();
        let value = Value::scalar(scalar);
        if self.choice.percent(60)
            && let Some(node) = self.comparison(Value::scalar(Scalar::Int), 2)
        {
            return Node { kind: Kind::Expression { value: Value::scalar(Scalar::Int), bits: 0 }, ..node };
        }
        self.expression(value, 2)
    }

    /// A literal, or a value read from a variable.
    pub(super) fn leaf(&mut self, value: Value) -> Node {
        if self.choice.percent(20) {
            return self.literal(value);
        }
        match self.place(|_| true) {
            Some(place) => {
                let bits = place.value.scalar.float_bits();
                let node = Node { kind: Kind::Expression { value: place.value, bits }, ..place.node };
                self.adapt(node, place.value, value)
            }
            None => self.literal(value),
        }
    }

    /// A literal of an integer type.
    pub(super) fn literal(&mut self, value: Value) -> Node {
        let lanes = if self.choice.percent(40) { 1 } else { value.lanes };
        let lanes: Vec<String> = (0..lanes)
            .map(|_| {
                let bits = interesting(value.scalar, &mut self.choice);
                scalar_literal(value.scalar, bits)
            })
            .collect();
        let text = if value.is_vector() {
            format!("(({})({}))", value.name(), lanes.join(", "))
        } else {
            lanes[0].clone()
        };
        Node::text(Kind::Expression { value, bits: 0 }, text)
    }

    /// A value converted from any type to one of integers.
    pub(super) fn adapt(&mut self, node: Node, from: Value, to: Value) -> Node {
        let kind = Kind::Expression { value: to, bits: 0 };
        if from == to {
            return node;
        }
        if from.scalar.is_float() {
            // Negative numbers convert to unsigned types only by way of signed ones.
            let between = from.of(Scalar::Int);
            let node = Node::new(
                Kind::Expression { value: between, bits: 0 },
                &if from.is_vector() {
                    format!("convert_{}(#)", between.name())
                } else {
                    "(int)(#)".to_owned()
                },
                vec![node],
            );
            return self.adapt(node, between, to);
        }
        if from.lanes != to.lanes {
            let (between, node) = self.reshape(node, from, to.lanes);
            return self.adapt(node, between, to);
        }
        let name = to.name();
        let same_size = from.scalar.bits() == to.scalar.bits();
        let template = match self.choice.below(4) {
            0 if same_size => format!("as_{name}(#)"),
            1 => format!("convert_{name}_sat(#)"),
            2 if !to.is_vector() => format!("({name})(#)"),
            _ => format!("convert_{name}(#)"),
        };
        Node::new(kind, &template, vec![node])
    }

    /// A value with another number of lanes of the same type.
    pub(super) fn reshape(&mut self, node: Node, from: Value, lanes: u8) -> (Value, Node) {
        let to = Value { lanes, ..from };
        let template = if from.is_vector() {
            format!("(#).{}", self.swizzle(from.lanes, lanes))
        } else {
            format!("(({})(#))", to.name())
        };
        (to, Node::new(Kind::Part, &template, vec![node]))
    }

    /// The selection of lanes from others, in one of its spellings, with each lane as often as it occurs.
    pub(super) fn swizzle(&mut self, from: u8, lanes: u8) -> String {
        let halves = if from == 3 { 4 } else { from } / 2;
        if lanes == halves && from != 3 && self.choice.percent(40) {
            return (*self.choice.pick(&["lo", "hi", "odd", "even"])).to_owned();
        }
        let picked: Vec<usize> = (0..lanes).map(|_| self.choice.below(usize::from(from))).collect();
        spell_lanes(&picked, from <= 4 && lanes <= 4 && self.choice.percent(50))
    }

    fn arithmetic(&mut self, value: Value, depth: usize) -> Option<Node> {
        let operator = *self.choice.pick(&["+", "-", "*"]);
        if !value.scalar.signed() {
            return Some(self.mixed_operation(value, operator, depth));
        }
        if value == Value::scalar(Scalar::Int) && self.chance(Feature::Narrow, 14) {
            return Some(self.promoted_operation(operator, depth));
        }
        let (name, unsigned) = (value.name(), value.of(value.scalar.to_unsigned()).name());
        let operands = vec![self.expression(value, depth), self.expression(value, depth)];
        let template = if value.scalar.is_narrow() && !value.is_vector() {
            format!("({name})((#) {operator} (#))")
        } else if value.is_vector() || self.choice.percent(30) {
            format!("as_{name}(as_{unsigned}(#) {operator} as_{unsigned}(#))")
        } else {
            format!("({name})(({unsigned})(#) {operator} ({unsigned})(#))")
        };
        Some(Node::new(Kind::Part, &template, operands))
    }

    /// An operation that is defined for all operands; one of them may have a type that converts to the
    /// other's.
    fn mixed_operation(&mut self, value: Value, operator: &str, depth: usize) -> Node {
        let first = self.expression(value, depth);
        let name = value.name();
        if value.is_vector() {
            let scalar = self.choice.percent(25);
            let second = self.expression(if scalar { Value::scalar(value.scalar) } else { value }, depth);
            return Node::new(Kind::Part, &format!("((#) {operator} (#))"), vec![first, second]);
        }
        if value.scalar.is_narrow() {
            let second = self.expression(value, depth);
            // The product of two unsigned 16-bit factors can overflow the `int` to which they are promoted.
            let template = format!("({name})((uint)(#) {operator} (uint)(#))");
            return Node::new(Kind::Part, &template, vec![first, second]);
        }
        let other = self.convertible(value.scalar);
        let mut operands = vec![first, self.expression(Value::scalar(other), depth)];
        if self.choice.percent(50) {
            operands.reverse();
        }
        Node::new(Kind::Part, &format!("((#) {operator} (#))"), operands)
    }

    /// A type that the usual arithmetic conversions convert to this one, if the other operand has it.
    fn convertible(&mut self, scalar: Scalar) -> Scalar {
        if self.choice.percent(60) {
            return scalar;
        }
        let rank = INTEGERS.iter().position(|&known| known == scalar).expect("an integer type");
        // `long` and `uint` give `long`; `int` and `uint` give `uint`: every earlier type in the list
        // converts.
        let narrow = self.weights.of(Feature::Narrow) > 0;
        let first = if narrow { 0 } else { 4.min(rank) };
        INTEGERS[self.choice.between(first, rank)]
    }

    /// An `int` of two narrower operands, which promotion protects from overflow.
    fn promoted_operation(&mut self, operator: &str, depth: usize) -> Node {
        let first = *self.choice.pick(&INTEGERS[..4]);
        let mut second = *self.choice.pick(&INTEGERS[..4]);
        if first == Scalar::UShort && second == Scalar::UShort {
            second = Scalar::Short;
        }
        let operands =
            vec![self.expression(Value::scalar(first), depth), self.expression(Value::scalar(second), depth)];
        Node::new(Kind::Part, &format!("((#) {operator} (#))"), operands)
    }

    fn bitwise(&mut self, value: Value, depth: usize) -> Option<Node> {
        let operator = *self.choice.pick(&["&", "|", "^"]);
        if value.scalar.signed() && !value.is_vector() {
            let operands = vec![self.expression(value, depth), self.expression(value, depth)];
            return Some(Node::new(Kind::Part, &format!("({})((#) {operator} (#))", value.name()), operands));
        }
        Some(self.mixed_operation(value, operator, depth))
    }

    fn shift(&mut self, value: Value, depth: usize) -> Option<Node> {
        let operator = *self.choice.pick(&["<<", ">>"]);
        let first = self.expression(value, depth);
        let (count, template) = if value.is_vector() {
            let scalar = self.choice.percent(30);
            (if scalar { Value::scalar(value.scalar) } else { value }, format!("((#) {operator} (#))"))
        } else {
            let count = Value::scalar(self.integer_scalar());
            // A narrow operand is promoted, so its shift counts modulo 32.
            (count, format!("({})((#) {operator} (#))", value.name()))
        };
        let second = self.expression(count, depth);
        Some(Node::new(Kind::Part, &template, vec![first, second]))
    }

    fn division(&mut self, value: Value, depth: usize) -> Option<Node> {
        let operator = *self.choice.pick(&["/", "%"]);
        let operands = vec![self.expression(value, depth), self.expression(value, depth)];
        let name = value.name();
        let one = format!("({name})1");
        let greatest = format!("({name}){}", scalar_literal(value.scalar, value.scalar.greatest()));
        let template = if !value.scalar.signed() {
            format!("({name})((#) {operator} ((#) | {one}))")
        } else if self.choice.percent(50) {
            format!("({name})((#) {operator} (((#) & {greatest}) | {one}))")
        } else {
            format!("({name})(((#) & {greatest}) {operator} ((#) | {one}))")
        };
        let template =
            if value.is_vector() { template.replacen(&format!("({name})("), "(", 1) } else { template };
        Some(Node::new(Kind::Part, &template, operands))
    }

    fn unary(&mut self, value: Value, depth: usize) -> Option<Node> {
        let operand = self.expression(value, depth);
        let name = value.name();
        let template = match self.choice.below(3) {
            0 if value.is_vector() => "(~(#))".to_owned(),
            0 => format!("({name})(~(#))"),
            1 if !value.is_vector() => format!("({name})(!(#))"),
            _ if !value.scalar.signed() && value.is_vector() => "(-(#))".to_owned(),
            _ if !value.scalar.signed() || (value.scalar.is_narrow() && !value.is_vector()) => {
                format!("({name})(-(#))")
            }
            _ => format!("as_{name}(-as_{}(#))", value.of(value.scalar.to_unsigned()).name()),
        };
        Some(Node::new(Kind::Part, &template, vec![operand]))
    }

    /// A comparison: a scalar truth value is 0 or 1; a vector's lanes are 0 or -1 and as wide as the operands
    /// (OpenCL C §6.5.4).
    fn comparison(&mut self, value: Value, depth: usize) -> Option<Node> {
        let operator = *self.choice.pick(&["<", "<=", ">", ">=", "==", "!="]);
        let operand_scalar = if value.is_vector() {
            let float = self.chance(Feature::Float, 15);
            let signed = self.choice.percent(50);
            match value.scalar.bits() {
                32 if float => Scalar::Float,
                64 if float && self.weights.of(Feature::Double) > 0 => Scalar::Double,
                bits => Scalar::integer(bits, signed),
            }
        } else {
            self.any_value().scalar
        };
        let operand = value.of(operand_scalar);
        let first = self.expression(operand, depth);
        let second = if operand.is_vector() || operand_scalar.is_float() || self.choice.percent(70) {
            self.expression(operand, depth)
        } else {
            let scalar = self.integer_scalar();
            self.expression(Value::scalar(scalar), depth)
        };
        let truth = value.of(if value.is_vector() { value.scalar.to_signed() } else { Scalar::Int });
        let node = Node::new(
            Kind::Expression { value: truth, bits: 0 },
            &format!("((#) {operator} (#))"),
            vec![first, second],
        );
        Some(self.adapt(node, truth, value))
    }

    fn logic(&mut self, value: Value, depth: usize) -> Option<Node> {
        let operator = *self.choice.pick(&["&&", "||"]);
        let truth = value.of(if value.is_vector() { value.scalar.to_signed() } else { Scalar::Int });
        let operands = if value.is_vector() {
            vec![self.expression(truth, depth), self.expression(truth, depth)]
        } else {
            vec![self.small_expression(), self.expression(truth, depth)]
        };
        let node =
            Node::new(Kind::Expression { value: truth, bits: 0 }, &format!("((#) {operator} (#))"), operands);
        Some(self.adapt(node, truth, value))
    }

    fn conditional(&mut self, value: Value, depth: usize) -> Option<Node> {
        let branches = [self.expression(value, depth), self.expression(value, depth)];
        let by_lane = value.is_vector() && self.choice.percent(70);
        let condition = if by_lane {
            self.expression(value.of(value.scalar.to_signed()), depth)
        } else {
            self.small_expression()
        };
        let [first, second] = branches;
        // The branches of a narrow scalar are promoted.
        let template = if value.is_vector() {
            "((#) ? (#) : (#))".to_owned()
        } else {
            format!("({})((#) ? (#) : (#))", value.name())
        };
        Some(Node::new(Kind::Part, &template, vec![condition, first, second]))
    }

    fn conversion(&mut self, value: Value, depth: usize) -> Option<Node> {
        let from = self.any_value();
        let from = if self.choice.percent(60) { value.of(from.scalar) } else { from };
        if from.lanes != 3 && value.lanes != 3 && self.choice.percent(30) {
            let mut from = from;
            from.scalar = if from.scalar.is_float() { Scalar::Int } else { from.scalar };
            let lanes = value.size() * 8 / from.scalar.bits() as usize;
            if matches!(lanes, 1 | 2 | 4 | 8 | 16) {
                from.lanes = lanes as u8;
                let operand = self.expression(from, depth);
                return Some(Node::new(Kind::Part, &format!("as_{}(#)", value.name()), vec![operand]));
            }
        }
        let operand = self.expression(from, depth);
        Some(self.adapt(operand, from, value))
    }

    /// Vectors composed of parts, and parts of vectors.
    fn vector_shape(&mut self, value: Value, depth: usize) -> Option<Node> {
        let parts = self.choice.percent(50);
        if !value.is_vector() || !parts {
            let from = Value { lanes: self.lanes(), ..value };
            let operand = self.expression(from, depth);
            let lanes = self.swizzle(from.lanes, value.lanes);
            return Some(Node::new(Kind::Part, &format!("(#).{lanes}"), vec![operand]));
        }
        let mut children = Vec::new();
        let mut rest = value.lanes;
        while rest > 0 {
            let fitting: Vec<u8> =
                [1, 2, 3, 4, 8].into_iter().filter(|&lanes| lanes <= rest && lanes < value.lanes).collect();
            let lanes = *self.choice.pick(&fitting);
            // Long literals consist of leaves, because otherwise they would grow without limit.
            let depth = if value.lanes > 4 { 0 } else { depth };
            children.push(self.expression(Value { lanes, ..value }, depth));
            rest -= lanes;
        }
        let holes = vec!["#"; children.len()].join(", ");
        Some(Node::new(Kind::Part, &format!("(({})({holes}))", value.name()), children))
    }

    /// A call of a function without effects.
    fn pure_call(&mut self, value: Value, depth: usize) -> Option<Node> {
        let trips = self.trips;
        let room = self.cost_limit.saturating_sub(self.cost);
        let fits = |index: &usize| {
            let helper = &self.helpers[*index];
            helper.pure && helper.cost * trips <= room && matches!(helper.returns, Some(Returns::Value(_)))
        };
        let candidates: Vec<usize> = (0..self.helpers.len()).filter(fits).collect();
        if candidates.is_empty() {
            return None;
        }
        let index = *self.choice.pick(&candidates);
        let call = self.call(index, depth)?;
        let Some(Returns::Value(returned)) = self.helpers[index].returns else { return None };
        let bits = returned.scalar.float_bits();
        let call = Node { kind: Kind::Expression { value: returned, bits }, ..call };
        Some(self.adapt(call, returned, value))
    }

    /// A byte of an object that has no padding.
    fn byte_access(&mut self, value: Value, _depth: usize) -> Option<Node> {
        let objects: Vec<Entry> = self
            .scope
            .iter()
            .filter(|entry| entry.what == What::Object && !entry.ty.has_padding(&self.records))
            // The sign of a zero is not determined.
            .filter(|entry| !entry.ty.has_float(&self.records))
            .cloned()
            .collect();
        if objects.is_empty() {
            return None;
        }
        let entry = self.choice.pick(&objects).clone();
        let (size, _) = entry.ty.layout(&self.records);
        let index = self.index(size);
        let qualifier = entry.space.qualifier();
        let template = format!("((const {qualifier}uchar *)&{})[#]", entry.name);
        let byte = Value::scalar(Scalar::UChar);
        let node = Node::new(Kind::Expression { value: byte, bits: 0 }, &template, vec![index]);
        Some(self.adapt(node, byte, value))
    }
}

/// The lanes of these numbers, as `xyzw` or as `s0123`.
pub(super) fn spell_lanes(lanes: &[usize], letters: bool) -> String {
    let (prefix, names) = if letters { ("", "xyzw") } else { ("s", "0123456789abcdef") };
    let mut text = prefix.to_owned();
    text.extend(lanes.iter().map(|&lane| char::from(names.as_bytes()[lane])));
    text
}

/// The literal of an integer's bits, of exactly its type.
pub(super) fn scalar_literal(scalar: Scalar, bits: u64) -> String {
    let negative = scalar.signed() && bits > scalar.greatest();
    let magnitude = if negative { bits.wrapping_neg() & (u64::MAX >> (64 - scalar.bits())) } else { bits };
    let suffix = match scalar {
        Scalar::UInt => "u",
        Scalar::Long => "L",
        Scalar::ULong => "UL",
        _ => "",
    };
    let least = negative && magnitude > scalar.greatest();
    let text = match (negative, least) {
        // The literal without its sign would be too large for the type.
        (true, true) => format!("(-{}{suffix} - 1)", magnitude - 1),
        (true, false) => format!("(-{magnitude}{suffix})"),
        (false, _) if magnitude > 0xffff => format!("{magnitude:#x}{suffix}"),
        (false, _) => format!("{magnitude}{suffix}"),
    };
    if scalar.is_narrow() { format!("(({}){text})", scalar.name()) } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_have_the_type_they_are_of() {
        assert_eq!(scalar_literal(Scalar::Int, 0x8000_0000), "(-2147483647 - 1)");
        assert_eq!(scalar_literal(Scalar::Char, 0xff), "((char)(-1))");
        assert_eq!(scalar_literal(Scalar::ULong, u64::MAX), "0xffffffffffffffffUL");
        assert_eq!(scalar_literal(Scalar::UInt, 7), "7u");
        assert_eq!(scalar_literal(Scalar::Long, 1 << 63), "(-9223372036854775807L - 1)");
    }
}
