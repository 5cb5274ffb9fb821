//! Statements: declarations, control flow, assignments of objects, lambdas, ranges.

use super::class::Operator;
use super::{Entry, Generator, Place, What};
use crate::generator::node::{Kind, Node};

impl Generator {
    pub(super) fn statements(&mut self, count: usize, place: Place) -> Node {
        let list = (0..count).map(|_| self.statement(place)).collect();
        Node::sequence(Kind::Statement, list)
    }

    /// Statements in a scope of their own.
    fn block(&mut self, place: Place) -> Node {
        let mark = self.scope.len();
        let count = self.choice.between(1, 3);
        let body = self.statements(count, place.inside());
        self.scope.truncate(mark);
        body
    }

    fn statement(&mut self, place: Place) -> Node {
        self.budget = self.budget.saturating_sub(1);
        let is_simple = place.depth >= 3 || self.budget == 0;
        match self.choice.below(if is_simple { 12 } else { 22 }) {
            0 | 1 => self.declaration(),
            2 | 3 => self.object_declaration(),
            4 | 5 => self.marked(),
            6 | 7 => self.assignment(),
            8 | 9 => self.changed(),
            10 => self.lambda(),
            11 => self.instance_declaration(),
            12 | 13 => self.branch(place),
            14 | 15 => self.counted(place),
            16 => self.chosen(place),
            17 => self.range(place),
            18 => self.guarded(place),
            19 => self.bindings(),
            20 => self.jump(place),
            _ => {
                let body = self.block(place);
                Node::statement("{\n#}\n", vec![body])
            }
        }
    }

    fn declare(&mut self, prefix: &str, what: What) -> String {
        let name = self.name(prefix);
        self.scope.push(Entry { name: name.clone(), what });
        name
    }

    fn declaration(&mut self) -> Node {
        if self.choice.percent(25) {
            let length = *self.choice.pick(&[2usize, 4]);
            let values: Vec<Node> = (0..length).map(|_| self.pure(2)).collect();
            let holes = vec!["#"; length].join(", ");
            let name = self.declare("a", What::Array(length));
            return Node::statement(&format!("uint {name}[{length}] = {{{holes}}};\n"), values);
        }
        let value = if self.choice.percent(40) { self.effect(2) } else { self.pure(3) };
        match self.choice.below(3) {
            0 => {
                let name = self.declare("v", What::Number(true));
                Node::statement(&format!("uint {name} = #;\n"), vec![value])
            }
            1 => {
                let name = self.declare("v", What::Number(false));
                Node::statement(&format!("const auto &{name} = #;\n"), vec![value])
            }
            _ => {
                let name = self.declare("v", What::Number(true));
                Node::statement(&format!("auto {name}{{#}};\n"), vec![value])
            }
        }
    }

    fn object_declaration(&mut self) -> Node {
        let class = self.choice.below(self.classes.len());
        let name_of = self.classes[class].name.clone();
        let object = self.made_of(class, 2);
        match self.choice.below(7) {
            0 => {
                let name = self.declare("o", What::Object(class, false));
                Node::statement(&format!("const {name_of} &{name} = #;\n"), vec![object])
            }
            1 => {
                let name = self.declare("o", What::Object(class, true));
                Node::statement(&format!("{name_of} &&{name} = #;\n"), vec![object])
            }
            2 => {
                // A part of a temporary object, or the object.
                let (of, base) = self.base_name(class).unwrap_or((class, name_of));
                let name = self.declare("o", What::Object(of, false));
                Node::statement(&format!("const {base} &{name} = #;\n"), vec![object])
            }
            3 => {
                let (value, name) = (self.pure(2), self.declare("o", What::Object(class, true)));
                Node::statement(&format!("{name_of} {name}{{log, #}};\n"), vec![value])
            }
            4 => {
                let second = self.made_of(class, 1);
                let name = self.name("l");
                let index = self.choice.below(2);
                let entry = Entry { name: format!("{name}[{index}]"), what: What::Object(class, true) };
                self.scope.push(entry);
                Node::statement(&format!("{name_of} {name}[2] = {{#, #}};\n"), vec![object, second])
            }
            _ => {
                let name = self.declare("o", What::Object(class, true));
                let written = if self.choice.percent(50) { name_of.as_str() } else { "auto" };
                Node::statement(&format!("{written} {name} = #;\n"), vec![object])
            }
        }
    }

    fn marked(&mut self) -> Node {
        match self.choice.below(4) {
            0 => {
                let value = self.pure(3);
                Node::statement("log.mark(#);\n", vec![value])
            }
            1 => {
                let (a, b) = (self.effect(2), self.effect(1));
                Node::statement("log << # << #;\n", vec![a, b])
            }
            _ => {
                let value = self.effect(3);
                Node::statement("log.mark(#);\n", vec![value])
            }
        }
    }

    /// A number that may be assigned. What a lambda did not capture may not choose an element.
    fn number(&mut self) -> Option<String> {
        let has_x = self.scope.iter().any(|entry| entry.name == "x");
        let index = if has_x { "x" } else { "log.hash" };
        let found: Vec<String> = self
            .scope
            .iter()
            .filter_map(|entry| match entry.what {
                What::Number(true) => Some(entry.name.clone()),
                What::Array(length) if entry.name != "in" => {
                    Some(format!("{}[{index} & {}u]", entry.name, length - 1))
                }
                _ => None,
            })
            .collect();
        (!found.is_empty()).then(|| self.choice.pick(&found).clone())
    }

    fn assignment(&mut self) -> Node {
        if self.choice.percent(50)
            && let Some(name) = self.number()
        {
            let value = if self.choice.percent(40) { self.effect(2) } else { self.pure(3) };
            let operator = *self.choice.pick(&["=", "+=", "-=", "*=", "^=", "&=", "|="]);
            return Node::statement(&format!("{name} {operator} #;\n"), vec![value]);
        }
        let Some((name, class)) = self.object(true) else { return self.marked() };
        let other = self.object_of(class, false);
        match (self.choice.below(5), other) {
            (0 | 1, Some(other)) => Node::statement(&format!("{name} = {other};\n"), Vec::new()),
            (2, Some(other)) if other != name => {
                let movable = self.object_of(class, true).filter(|other| *other != name);
                match movable {
                    Some(other) => Node::statement(&format!("{name} = move({other});\n"), Vec::new()),
                    None => Node::statement(&format!("{name} = {other};\n"), Vec::new()),
                }
            }
            _ => {
                let value = self.made_of(class, 2);
                Node::statement(&format!("{name} = #;\n"), vec![value])
            }
        }
    }

    /// An operator that changes an object.
    fn changed(&mut self) -> Node {
        let Some((name, class)) = self.object(true) else { return self.marked() };
        let operators = self.classes[class].operators.clone();
        let Some(operator) = (!operators.is_empty()).then(|| *self.choice.pick(&operators)) else {
            return self.assignment();
        };
        match operator {
            Operator::AddAssign => {
                let value = self.effect(1);
                Node::statement(&format!("{name} += #;\n"), vec![value])
            }
            Operator::Increment => Node::statement(&format!("log.mark((++{name}).digest());\n"), Vec::new()),
            Operator::Postfix => Node::statement(&format!("log.mark({name}++.digest());\n"), Vec::new()),
            Operator::Chain => {
                let (a, b) = (self.pure(1), self.pure(1));
                Node::statement(&format!("{name}.chain(#).chain(#);\n"), vec![a, b])
            }
            Operator::Shift => {
                let (a, b) = (self.effect(1), self.effect(1));
                Node::statement(&format!("{name} << # << #;\n"), vec![a, b])
            }
            Operator::Call => {
                let value = self.pure(2);
                Node::statement(&format!("log.mark({name}(#));\n"), vec![value])
            }
            Operator::Comma => {
                let other = self.object_of(class, false).unwrap_or_else(|| name.clone());
                Node::statement(&format!("log.mark(({name}, {other}));\n"), Vec::new())
            }
            Operator::Arrow => Node::statement(&format!("log.mark({name}->digest());\n"), Vec::new()),
            _ => Node::statement(&format!("log.mark({name}.digest());\n"), Vec::new()),
        }
    }

    /// A lambda with captures of its own, which changes its log and perhaps what it captures.
    fn lambda(&mut self) -> Node {
        let name = self.name("g");
        let mut captures = vec!["&log".to_owned()];
        let number = self.name("v");
        let mut inside = vec![Entry { name: number.clone(), what: What::Number(true) }];
        let mut is_mutable = false;
        for entry in self.scope.clone() {
            let is_plain = !entry.name.contains('[') && entry.name != "in";
            if !is_plain
                || !matches!(entry.what, What::Number(_) | What::Object(..))
                || !self.choice.percent(30)
            {
                continue;
            }
            match self.choice.below(3) {
                0 => {
                    captures.push(format!("&{}", entry.name));
                    inside.push(entry);
                }
                1 => {
                    captures.push(entry.name.clone());
                    is_mutable = true;
                    inside.push(entry);
                }
                _ => {
                    let renamed = self.name("c");
                    captures.push(format!("{renamed} = {}", entry.name));
                    is_mutable = true;
                    let what = match entry.what {
                        What::Object(class, _) => What::Object(class, true),
                        _ => What::Number(true),
                    };
                    inside.push(Entry { name: renamed, what });
                }
            }
        }
        let is_generic = self.choice.percent(30);
        let in_template = self.in_template;
        self.in_template |= is_generic;
        let outer = std::mem::replace(&mut self.scope, inside);
        let budget = std::mem::replace(&mut self.budget, 1);
        let count = self.choice.between(0, 2);
        let place = Place { depth: 3, in_loop: false, returns: None };
        let body = self.statements(count, place);
        let result = self.effect(1);
        self.scope = outer;
        self.budget = budget;
        self.in_template = in_template;
        let parameter = if is_generic { "auto" } else { "uint" };
        let mutable = if is_mutable || self.choice.percent(20) { " mutable" } else { "" };
        let template = format!(
            "auto {name} = [{}]({parameter} {number}){mutable} -> uint {{\n#return #;\n}};\n",
            captures.join(", ")
        );
        self.scope.push(Entry { name, what: What::Lambda });
        Node::statement(&template, vec![body, result])
    }

    fn instance_declaration(&mut self) -> Node {
        let has_y = self.scope.iter().any(|entry| entry.name == "y");
        if self.families.is_empty() || !has_y {
            return self.declaration();
        }
        let family = self.families[self.choice.below(self.families.len())].clone();
        let name = self.name("i");
        let node = self.instance(&family, &name);
        let digest = Node::text(Kind::Part, format!("log.mark({name}.digest());\n"));
        self.scope.push(Entry { name, what: What::Instance });
        Node::sequence(Kind::Statement, vec![node, digest])
    }

    fn branch(&mut self, place: Place) -> Node {
        let mark = self.scope.len();
        let (opening, condition) = match self.choice.below(4) {
            0 => {
                let (object, class) = self.made(1);
                let name = self.name("o");
                let opening = format!("if (auto {name} = #; # & 1u) {{\n");
                self.scope.push(Entry { name, what: What::Object(class, true) });
                (opening, vec![object, self.pure(2)])
            }
            1 => {
                let value = self.effect(2);
                let name = self.declare("v", What::Number(true));
                (format!("if (uint {name} = # & 3u) {{\n"), vec![value])
            }
            2 => ("if (# & 1u) {\n".to_owned(), vec![self.effect(2)]),
            _ => ("if (# > #) {\n".to_owned(), vec![self.pure(2), self.pure(2)]),
        };
        let then = self.block(place);
        let mut children = condition;
        children.push(then);
        let mut template = format!("{opening}#}}");
        if self.choice.percent(50) {
            children.push(self.block(place));
            template += " else {\n#}";
        }
        self.scope.truncate(mark);
        Node::statement(&format!("{template}\n"), children)
    }

    fn counted(&mut self, place: Place) -> Node {
        let counter = self.name("n");
        let trips = self.choice.between(1, 3);
        let mark = self.scope.len();
        self.scope.push(Entry { name: counter.clone(), what: What::Number(false) });
        let body = self.block(Place { in_loop: true, ..place });
        self.scope.truncate(mark);
        match self.choice.below(4) {
            0 => Node::statement(
                &format!("for (uint {counter} = 0; {counter} < {trips}; log.mark(++{counter})) {{\n#}}\n"),
                vec![body],
            ),
            1 => {
                let (object, _) = self.made(0);
                let template = format!(
                    "for (uint {counter} = 0; (#).digest(), {counter} < {trips}; ++{counter}) {{\n#}}\n"
                );
                Node::statement(&template, vec![object, body])
            }
            2 => Node::statement(
                &format!("for (uint {counter} = {trips}; auto t = {counter}--;) {{\nlog.mark(t);\n#}}\n"),
                vec![body],
            ),
            _ => Node::statement(
                &format!("{{\nuint {counter} = 0;\ndo {{\n#}} while (++{counter} < {trips});\n}}\n"),
                vec![body],
            ),
        }
    }

    fn chosen(&mut self, place: Place) -> Node {
        let value = self.effect(2);
        // `continue` means the loop around, `break` the switch.
        let inside = Place { in_loop: false, ..place };
        let (first, second, third) = (self.block(inside), self.block(inside), self.block(inside));
        let fall = if self.choice.percent(40) { "" } else { "break;\n" };
        Node::statement(
            &format!(
                "switch (# % 3u) {{\ncase 0: {{\n#{fall}}}\ncase 1: {{\n#break;\n}}\ndefault: {{\n#}}\n}}\n"
            ),
            vec![value, first, second, third],
        )
    }

    fn range(&mut self, place: Place) -> Node {
        let arrays: Vec<String> = self
            .scope
            .iter()
            .filter(|entry| matches!(entry.what, What::Array(_)) && entry.name != "in")
            .map(|entry| entry.name.clone())
            .collect();
        if arrays.is_empty() {
            return self.counted(place);
        }
        let array = self.choice.pick(&arrays).clone();
        let name = self.name("e");
        let reference = self.choice.percent(50);
        let mark = self.scope.len();
        self.scope.push(Entry { name: name.clone(), what: What::Number(true) });
        let body = self.block(Place { in_loop: true, ..place });
        self.scope.truncate(mark);
        let written = if reference { "auto &" } else { "auto " };
        Node::statement(&format!("for ({written}{name} : {array}) {{\nlog.mark({name});\n#}}\n"), vec![body])
    }

    /// A block at whose end a guard marks something.
    fn guarded(&mut self, place: Place) -> Node {
        let name = self.name("w");
        let tag = self.literal();
        let body = self.block(place);
        let template = match self.choice.below(2) {
            0 => format!("{{\nGuard {name}([&log] {{\nlog.mark({tag});\n}});\n#}}\n"),
            _ => format!("{{\nauto u = [&] {{\nlog << {tag};\n}};\nGuard {name}(u);\n#}}\n"),
        };
        Node::statement(&template, vec![body])
    }

    fn bindings(&mut self) -> Node {
        let arrays: Vec<(String, usize)> = self
            .scope
            .iter()
            .filter_map(|entry| match entry.what {
                What::Array(length) if entry.name != "in" => Some((entry.name.clone(), length)),
                _ => None,
            })
            .collect();
        if arrays.is_empty() {
            return self.declaration();
        }
        let (array, length) = self.choice.pick(&arrays).clone();
        let names: Vec<String> = (0..length).map(|_| self.declare("b", What::Number(true))).collect();
        let written = *self.choice.pick(&["auto ", "auto &"]);
        Node::statement(&format!("{written}[{}] = {array};\n", names.join(", ")), Vec::new())
    }

    fn jump(&mut self, place: Place) -> Node {
        let test = self.pure(1);
        match place.returns {
            Some(result) if self.choice.percent(50) => {
                let value = self.returned(result);
                Node::statement("if (# & 1u) {\n#}\n", vec![test, value])
            }
            _ if place.in_loop => {
                let word = *self.choice.pick(&["break", "continue"]);
                Node::statement(&format!("if (# & 1u)\n{word};\n"), vec![test])
            }
            _ => self.marked(),
        }
    }

    /// `return` of a number, or of an object.
    pub(super) fn returned(&mut self, result: Option<usize>) -> Node {
        match result {
            None => {
                let value = self.effect(1);
                Node::new(Kind::Part, "return #;\n", vec![value])
            }
            Some(class) => {
                let known = self.object_of(class, true);
                match known {
                    Some(known) if self.choice.percent(40) => {
                        Node::text(Kind::Part, format!("return move({known});\n"))
                    }
                    _ => {
                        let value = self.made_of(class, 1);
                        Node::new(Kind::Part, "return #;\n", vec![value])
                    }
                }
            }
        }
    }
}
