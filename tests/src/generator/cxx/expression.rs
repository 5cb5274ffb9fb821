//! Expressions: numbers without effects, numbers with effects, and objects.

use super::class::Operator;
use super::{Generator, Passing, What};
use crate::generator::node::{Kind, Node};
use crate::generator::types::{Scalar, Value};

const NUMBER: Kind = Kind::Expression { value: Value { scalar: Scalar::UInt, lanes: 1 }, bits: 0 };

impl Generator {
    fn leaf(&mut self) -> Node {
        let names: Vec<String> = self
            .scope
            .iter()
            .filter_map(|entry| match &entry.what {
                What::Number(_) => Some(entry.name.clone()),
                What::Array(length) => Some(format!("{}[{}]", entry.name, length - 1)),
                What::Instance => Some(format!("{}.digest()", entry.name)),
                What::Object(..) | What::Lambda => None,
            })
            .collect();
        if names.is_empty() || self.choice.percent(30) {
            let literal = self.literal();
            return Node::text(NUMBER, literal);
        }
        let name = self.choice.pick(&names).clone();
        Node::text(NUMBER, name)
    }

    /// A `uint` without effects.
    pub(super) fn pure(&mut self, depth: usize) -> Node {
        if depth == 0 {
            return self.leaf();
        }
        let (template, count) = match self.choice.below(16) {
            0..=4 => (format!("(# {} #)", self.choice.pick(&["+", "-", "*", "^", "&", "|"])), 2),
            5 => (format!("(# {} (# & 31u))", self.choice.pick(&["<<", ">>"])), 2),
            6 => (format!("(# {} (# | 1u))", self.choice.pick(&["/", "%"])), 2),
            7 => {
                let ty = *self.choice.pick(&["uint", "int", "short", "uchar", "long"]);
                let comparison = *self.choice.pick(&["<", ">", "<=", ">=", "==", "!="]);
                (format!("(uint)(({ty})# {comparison} ({ty})#)"), 2)
            }
            8 => {
                (format!("(uint)({})(#)", self.choice.pick(&["uchar", "short", "char", "ushort", "long"])), 1)
            }
            9 => ("((# & 1u) ? # : #)".to_owned(), 3),
            10 => return self.of_object(),
            11 if !self.constants.is_empty() => {
                let function = self.choice.below(self.constants.len());
                let name = self.constants[function].name.clone();
                if self.choice.percent(40) {
                    // By the compiler.
                    let (a, b) = (self.literal(), self.literal());
                    return Node::text(
                        NUMBER,
                        format!("[] {{\nconstexpr uint v = {name}({a}, {b});\nreturn v;\n}}()"),
                    );
                }
                (format!("{name}(#, #)"), 2)
            }
            12 => return self.ranked(),
            13 => ("~#".to_owned(), 1),
            14 => ("(uint)!(#)".to_owned(), 1),
            _ => return self.leaf(),
        };
        let children = (0..count).map(|_| self.pure(depth - 1)).collect();
        Node::new(NUMBER, &template, children)
    }

    /// A number that an object gives without effects.
    fn of_object(&mut self) -> Node {
        let Some((name, class)) = self.object(false) else { return self.leaf() };
        let operators = self.classes[class].operators.clone();
        let has = |operator: Operator| operators.contains(&operator);
        match self.choice.below(7) {
            0 if has(Operator::Index) => {
                let index = self.pure(1);
                Node::new(NUMBER, &format!("{name}[(#)]"), vec![index])
            }
            1 if has(Operator::Truth) => Node::text(NUMBER, format!("({name} ? 3u : 5u)")),
            2 if has(Operator::Number) => Node::text(NUMBER, format!("(uint)(short){name}")),
            3 if has(Operator::Less) => Node::text(NUMBER, format!("(uint)({name} < {name})")),
            4 if has(Operator::Template) => {
                let value = self.pure(1);
                let ty = *self.choice.pick(&["uchar", "uint", "long"]);
                Node::new(NUMBER, &format!("{name}.as(({ty})#)"), vec![value])
            }
            5 => match self.base_name(class) {
                Some((_, base)) => {
                    Node::text(NUMBER, format!("static_cast<const {base} &>({name}).digest()"))
                }
                None => Node::text(NUMBER, format!("{name}.digest()")),
            },
            _ => Node::text(NUMBER, format!("{name}.digest()")),
        }
    }

    /// Which overload an argument chooses.
    fn ranked(&mut self) -> Node {
        if self.choice.percent(40)
            && let Some((name, class)) = self.object(false)
        {
            // Of an object in private memory clang takes the template, which needs no generic reference.
            let class = &self.classes[class].name;
            return Node::text(NUMBER, format!("rank(static_cast<const {class} &>({name}))"));
        }
        let ty = *self.choice.pick(&["uchar", "short", "int", "uint", "long", "ulong", "char", "bool"]);
        let value = self.pure(1);
        Node::new(NUMBER, &format!("rank(static_cast<{ty}>(#))"), vec![value])
    }

    /// A `uint` with effects: objects that come and go, and marks.
    pub(super) fn effect(&mut self, depth: usize) -> Node {
        if depth == 0 {
            let value = self.pure(1);
            return Node::new(NUMBER, "log.mark(#)", vec![value]);
        }
        match self.choice.below(12) {
            0 => {
                let (a, b) = (self.effect(depth - 1), self.effect(depth - 1));
                Node::new(NUMBER, "(#, #)", vec![a, b])
            }
            1 => {
                let (a, b) = (self.effect(depth - 1), self.effect(depth - 1));
                let operator = *self.choice.pick(&["&&", "||"]);
                Node::new(NUMBER, &format!("(uint)((# & 1u) {operator} (# & 1u))"), vec![a, b])
            }
            2 => {
                let (a, b, c) = (self.effect(depth - 1), self.effect(depth - 1), self.effect(depth - 1));
                Node::new(NUMBER, "((# & 2u) ? # : #)", vec![a, b, c])
            }
            3 => {
                let (value, literal) = (self.effect(depth - 1), self.literal());
                Node::new(NUMBER, &format!("(# + {literal})"), vec![value])
            }
            4..=6 => {
                let (object, class) = self.made(depth - 1);
                let text = self.used(class);
                Node::new(NUMBER, &format!("#{text}"), vec![object])
            }
            7 | 8 => self.called(depth).unwrap_or_else(|| self.leaf()),
            9 => {
                let lambdas: Vec<String> = self
                    .scope
                    .iter()
                    .filter(|entry| entry.what == What::Lambda)
                    .map(|entry| entry.name.clone())
                    .collect();
                if lambdas.is_empty() {
                    return self.effect(depth - 1);
                }
                let name = self.choice.pick(&lambdas).clone();
                let value = self.pure(1);
                Node::new(NUMBER, &format!("{name}(#)"), vec![value])
            }
            10 => {
                // Lists are evaluated from left to right.
                let (a, b) = (self.effect(depth - 1), self.effect(depth - 1));
                let index = self.choice.below(2);
                Node::new(
                    NUMBER,
                    &format!("[](const uint (&l)[2]) {{\nreturn l[{index}];\n}}({{#, #}})"),
                    vec![a, b],
                )
            }
            _ => {
                let (a, b) = (self.effect(depth - 1), self.effect(depth - 1));
                Node::new(NUMBER, "(log << # << #).hash", vec![a, b])
            }
        }
    }

    /// What follows an object that is a temporary, to give a number.
    fn used(&mut self, class: usize) -> String {
        let operators = self.classes[class].operators.clone();
        let has = |operator: Operator| operators.contains(&operator);
        match self.choice.below(6) {
            0 if has(Operator::Index) => "[3u]".to_owned(),
            1 if has(Operator::Call) => "(5u)".to_owned(),
            2 if has(Operator::Chain) => ".chain(7u).chain(9u).digest()".to_owned(),
            3 if has(Operator::Arrow) => "->digest()".to_owned(),
            4 => match self.base_name(class) {
                Some((_, base)) => format!(".{base}::digest()"),
                None => ".digest()".to_owned(),
            },
            _ => ".digest()".to_owned(),
        }
    }

    /// A call of a function with an object.
    fn called(&mut self, depth: usize) -> Option<Node> {
        if self.functions.is_empty() || self.calls == 0 {
            return None;
        }
        self.calls -= 1;
        let function = self.functions[self.choice.below(self.functions.len())].clone();
        let known = self.object_of(function.class, function.passing == Passing::Reference);
        let argument = match (function.passing, known) {
            (Passing::Reference, None) => return None,
            (Passing::Reference, Some(name)) => Node::text(Kind::Part, name),
            (Passing::Moved, Some(name)) if self.choice.percent(50) && self.is_writable(&name) => {
                Node::text(Kind::Part, format!("move({name})"))
            }
            (Passing::Value | Passing::Constant, Some(name)) if self.choice.percent(60) => {
                Node::text(Kind::Part, name)
            }
            _ => self.made_of(function.class, depth.saturating_sub(1)),
        };
        // Variables may change while the object is made.
        let number = self.literal();
        let after = if function.result.is_some() { ".digest()" } else { "" };
        let template = format!("{}(log, #, {number}){after}", function.name);
        Some(Node::new(NUMBER, &template, vec![argument]))
    }

    fn is_writable(&self, name: &str) -> bool {
        self.scope
            .iter()
            .rev()
            .find(|entry| entry.name == name)
            .is_some_and(|entry| matches!(entry.what, What::Object(_, true) | What::Number(true)))
    }

    /// An object of just this class in scope.
    pub(super) fn object_of(&mut self, class: usize, needs_change: bool) -> Option<String> {
        let found: Vec<String> = self
            .scope
            .iter()
            .filter(|entry| matches!(entry.what, What::Object(of, writable) if of == class && (writable || !needs_change)))
            .map(|entry| entry.name.clone())
            .collect();
        (!found.is_empty()).then(|| self.choice.pick(&found).clone())
    }

    /// A prvalue of some class.
    pub(super) fn made(&mut self, depth: usize) -> (Node, usize) {
        let class = self.choice.below(self.classes.len());
        (self.made_of(class, depth), class)
    }

    /// A prvalue that copies no other object: clang refuses `?:` of such copies and others.
    fn fresh(&mut self, name: &str) -> Node {
        let value = self.pure(1);
        Node::new(Kind::Part, &format!("{name}(log, #)"), vec![value])
    }

    /// A prvalue of a class.
    pub(super) fn made_of(&mut self, class: usize, depth: usize) -> Node {
        let name = self.classes[class].name.clone();
        let known = self.object_of(class, false);
        match (self.choice.below(8), known) {
            (0, Some(known)) => Node::text(Kind::Part, format!("{name}({known})")),
            (1, Some(known)) if self.classes[class].operators.contains(&Operator::Plus) => {
                let other = self.made_of(class, 0);
                Node::new(Kind::Part, &format!("({known} + #)"), vec![other])
            }
            (2, Some(known)) if self.is_writable(&known) => {
                Node::text(Kind::Part, format!("{name}(move({known}))"))
            }
            (3, _) if depth > 0 && !self.in_template => {
                let (a, b) = (self.fresh(&name), self.fresh(&name));
                let test = self.pure(1);
                Node::new(Kind::Part, "((# & 1u) ? # : #)", vec![test, a, b])
            }
            (4, _) => {
                let (a, b) = (self.pure(1), self.pure(1));
                Node::new(Kind::Part, &format!("{name}{{log, #, #}}"), vec![a, b])
            }
            (5, _) if depth > 0 => {
                let value = self.effect(depth - 1);
                Node::new(Kind::Part, &format!("{name}(log, #)"), vec![value])
            }
            _ => {
                let value = self.pure(1);
                Node::new(Kind::Part, &format!("{name}(log, #)"), vec![value])
            }
        }
    }
}
