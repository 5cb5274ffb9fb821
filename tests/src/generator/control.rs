//! Statements that control the flow: branches, loops, `switch` and jumps.

use super::feature::Feature;
use super::node::{Kind, Node};
use super::scope::{Entry, Space, What};
use super::types::{Scalar, Type, Value};
use super::{Context, Generator};

/// The most statements that may be nested around another.
const MAX_DEPTH: usize = 4;

impl Generator {
    fn can_nest(&self, context: Context) -> bool {
        context.depth < MAX_DEPTH && self.cost < self.cost_limit
    }

    pub(super) fn branch(&mut self, context: Context) -> Option<Node> {
        if !self.can_nest(context) {
            return None;
        }
        let uniform = context.uniform && self.choice.percent(40);
        let inner = if uniform { context.nested() } else { context.divergent() };
        let condition = if uniform { self.uniform_condition() } else { self.condition() };
        let count = self.choice.between(1, 3);
        let then = self.block(count, inner);
        if self.choice.percent(50) {
            return Some(Node::statement("if (#) {\n#}\n", vec![condition, then]));
        }
        let count = self.choice.between(1, 3);
        let otherwise = self.block(count, inner);
        Some(Node::statement("if (#) {\n#} else {\n#}\n", vec![condition, then, otherwise]))
    }

    /// A condition that is the same for all work-items of a group.
    fn uniform_condition(&mut self) -> Node {
        let group = self.uniform_value();
        let bound = self.choice.between(1, 6);
        let comparison = *self.choice.pick(&["<", "==", "!=", ">="]);
        Node::new(Kind::Part, &format!("(#) % 5u {comparison} {bound}u"), vec![group])
    }

    /// A number that is the same for all work-items of a group.
    fn uniform_value(&mut self) -> Node {
        let values = ["group", "uniform_value", "uniform_value * 3u", "1u"];
        Node::text(Kind::Uniform(Value::scalar(Scalar::UInt)), *self.choice.pick(&values))
    }

    pub(super) fn repetition(&mut self, context: Context) -> Option<Node> {
        let trips = self.choice.between(1, 6);
        if !self.can_nest(context) || self.cost + 3 * trips * self.trips > self.cost_limit {
            return None;
        }
        let uniform = context.uniform && self.choice.percent(50);
        let mut inner = if uniform { context.nested() } else { context.divergent() };
        // Not even a `break` that all work-items take, because the loop around may be uniform.
        inner.in_loop = !uniform;
        let mark = self.enter_scope();
        let counter = self.name("i");
        let form = self.choice.below(5);
        let (ty, bound) = if form == 1 { (Scalar::UInt, trips) } else { (Scalar::Int, trips) };
        // A `while` loop counts before its body.
        let visible = if form >= 2 { bound + 1 } else { bound };
        self.scope.push(Entry {
            name: counter.clone(),
            what: What::Counter(visible),
            ty: Type::Value(Value::scalar(ty)),
            space: Space::Private,
            writable: false,
        });
        self.trips *= trips;
        let count = self.choice.between(1, 4);
        let body = self.block(count, inner);
        self.trips /= trips;
        let node = self.loop_around(form, uniform, &counter, trips, body);
        self.leave_scope(mark);
        Some(node)
    }

    fn loop_around(&mut self, form: usize, uniform: bool, i: &str, trips: usize, body: Node) -> Node {
        let condition = if uniform { self.uniform_condition() } else { self.condition() };
        match form {
            0 => Node::statement(&format!("for (int {i} = 0; {i} < {trips}; ++{i}) {{\n#}}\n"), vec![body]),
            1 => {
                let last = trips - 1;
                Node::statement(
                    &format!("for (uint {i} = {last}u; {i} <= {last}u; {i}--) {{\n#}}\n"),
                    vec![body],
                )
            }
            2 => Node::statement(
                &format!("{{\nint {i} = 0;\nwhile ({i}++ < {trips} && (#)) {{\n#}}\n}}\n"),
                vec![condition, body],
            ),
            3 => Node::statement(
                &format!("{{\nint {i} = 0;\ndo {{\n#}} while (++{i} < {trips} && (#));\n}}\n"),
                vec![body, condition],
            ),
            _ => {
                let exit = if uniform { "" } else { "if (#) break;\n" };
                let template = format!(
                    "{{\nint {i} = 0;\nfor (;;) {{\nif ({i} >= {trips}) break;\n{i} += 1;\n{exit}#}}\n}}\n"
                );
                let children = if uniform { vec![body] } else { vec![condition, body] };
                Node::statement(&template, children)
            }
        }
    }

    pub(super) fn jump(&mut self, context: Context) -> Option<Node> {
        if !context.in_loop {
            return None;
        }
        let jump = *self.choice.pick(&["break", "continue"]);
        let condition = self.condition();
        Some(Node::statement(&format!("if (#) {jump};\n"), vec![condition]))
    }

    pub(super) fn early_return(&mut self, context: Context) -> Option<Node> {
        let result = self.result(context.returns?, 2);
        let condition = self.condition();
        Some(Node::statement("if (#) {\nreturn #;\n}\n", vec![condition, result]))
    }

    pub(super) fn switch(&mut self, context: Context) -> Option<Node> {
        if !self.can_nest(context) {
            return None;
        }
        let uniform = context.uniform && self.choice.percent(40);
        let value = if uniform { self.uniform_value() } else { self.small_expression() };
        let mut inner = if uniform { context.nested() } else { context.divergent() };
        // A `break` in it would leave the `switch`; each case has one at its end, or falls through.
        inner.in_loop = false;
        let count = self.choice.between(1, 5);
        let default_at = self.choice.below(count + 2);
        let mut children = vec![value];
        // Most values should match a case.
        let mut template = format!("switch ((#) & {}) {{\n", *self.choice.pick(&[3, 7]));
        for index in 0..count {
            let label = if index == default_at { "default:".to_owned() } else { format!("case {index}:") };
            let ending = if self.choice.percent(65) { "break;\n" } else { "" };
            template += &format!("{label} {{\n#{}}}\n", ending);
            let statements = self.choice.between(0, 2);
            children.push(self.block(statements, inner));
            if context.in_loop && self.choice.percent(15) && self.weights.of(Feature::Jump) > 0 {
                let condition = self.condition();
                let last = children.pop().expect("the case's statements");
                let leave = Node::statement("if (#) continue;\n", vec![condition]);
                children.push(Node::sequence(Kind::Statement, vec![last, leave]));
            }
        }
        template += "}\n";
        Some(Node::statement(&template, children))
    }

    /// A block that can be left from within loops.
    pub(super) fn forward_goto(&mut self, context: Context) -> Option<Node> {
        if !self.can_nest(context) {
            return None;
        }
        let label = self.name("done");
        let inner = context.divergent();
        let count = self.choice.between(1, 2);
        let before = self.block(count, inner);
        let condition = self.condition();
        let trips = self.choice.between(2, 4);
        self.trips *= trips;
        let count = self.choice.between(1, 2);
        let body = self.block(count, Context { in_loop: true, ..inner });
        self.trips /= trips;
        let i = self.name("i");
        let template = format!(
            "{{\n#for (int {i} = 0; {i} < {trips}; ++{i}) {{\nif (#) goto {label};\n#}}\n{label}: ;\n}}\n"
        );
        Some(Node::statement(&template, vec![before, condition, body]))
    }

    /// Makes a counter visible, and some statements that run this often.
    fn counted_block(&mut self, counter: &str, trips: usize, context: Context) -> Node {
        let mark = self.enter_scope();
        self.scope.push(Entry {
            name: counter.to_owned(),
            what: What::Counter(trips),
            ty: Type::Value(Value::scalar(Scalar::Int)),
            space: Space::Private,
            writable: false,
        });
        self.trips *= trips;
        let count = self.choice.between(1, 2);
        let body = self.block(count, context);
        self.trips /= trips;
        self.leave_scope(mark);
        body
    }

    /// A loop made of a label and a jump back to it.
    pub(super) fn backward_goto(&mut self, context: Context) -> Option<Node> {
        if !self.can_nest(context) {
            return None;
        }
        let (label, i, trips) = (self.name("again"), self.name("i"), self.choice.between(2, 4));
        let body = self.counted_block(&i, trips, context.divergent());
        let condition = self.condition();
        let template =
            format!("{{\nint {i} = 0;\n{label}: ;\n{{\n#}}\nif (++{i} < {trips} && (#)) goto {label};\n}}\n");
        Some(Node::statement(&template, vec![body, condition]))
    }

    /// A loop that is entered at its head or in its middle.
    pub(super) fn goto_into_loop(&mut self, context: Context) -> Option<Node> {
        if !self.can_nest(context) {
            return None;
        }
        let (label, i, trips) = (self.name("inside"), self.name("i"), self.choice.between(2, 3));
        let inner = Context { in_loop: true, ..context.divergent() };
        let condition = self.condition();
        let first = self.counted_block(&i, trips, inner);
        let second = self.counted_block(&i, trips, inner);
        let template = format!(
            "{{\nint {i} = 0;\nif (#) goto {label};\nfor (; {i} < {trips}; ++{i}) {{\n{{\n#}}\n{label}: ;\n{{\n#}}\n}}\n}}\n"
        );
        Some(Node::statement(&template, vec![condition, first, second]))
    }

    /// A loop that a `switch` enters at one of several places.
    pub(super) fn entered_loop(&mut self, context: Context) -> Option<Node> {
        if !self.can_nest(context) {
            return None;
        }
        let (i, trips) = (self.name("i"), self.choice.between(1, 3));
        let inner = Context { in_loop: true, ..context.divergent() };
        let mut children = vec![self.small_expression()];
        let mut template = format!("{{\nint {i} = 0;\nswitch ((#) & 3) {{\ncase 0: do {{\n{{\n#}}\n");
        children.push(self.counted_block(&i, trips, inner));
        for label in ["case 1", "default"].iter().take(self.choice.between(1, 2)) {
            template += &format!("{label}: {{\n#}}\n");
            children.push(self.counted_block(&i, trips, inner));
        }
        template += &format!("}} while (++{i} < {trips});\n}}\n}}\n");
        Some(Node::statement(&template, children))
    }
}
