//! Classes: bases, members, constructors, copies, moves, destructors, operators and methods.

use super::{Generator, What};
use crate::generator::node::{Kind, Node};

/// A class of a program.
#[derive(Clone, Debug)]
pub(super) struct Class {
    pub name: String,
    pub bases: Vec<usize>,
    members: Vec<Member>,
    pub operators: Vec<Operator>,
}

#[derive(Clone, Debug)]
struct Member {
    name: String,
    kind: MemberKind,
    has_default: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum MemberKind {
    Number(&'static str),
    Array(&'static str, usize),
    Object(usize),
}

/// An operator or method that a class may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Plus,
    AddAssign,
    Less,
    Index,
    Call,
    Increment,
    Postfix,
    Truth,
    Number,
    Arrow,
    Shift,
    Chain,
    Template,
    Comma,
}

const OPERATORS: [Operator; 14] = [
    Operator::Plus,
    Operator::AddAssign,
    Operator::Less,
    Operator::Index,
    Operator::Call,
    Operator::Increment,
    Operator::Postfix,
    Operator::Truth,
    Operator::Number,
    Operator::Arrow,
    Operator::Shift,
    Operator::Chain,
    Operator::Template,
    Operator::Comma,
];

const TYPES: [&str; 8] = ["uint", "uchar", "short", "ushort", "int", "char", "ulong", "long"];

impl Generator {
    /// A class, and its ancestors and those of its bases.
    fn lineage(&self, class: usize, list: &mut Vec<usize>) {
        list.push(class);
        for base in self.classes[class].bases.clone() {
            self.lineage(base, list);
        }
    }

    fn bases(&mut self) -> Vec<usize> {
        let mut bases = Vec::new();
        let mut taken = Vec::new();
        for candidate in 0..self.classes.len() {
            let mut line = Vec::new();
            self.lineage(candidate, &mut line);
            let is_free = line.iter().all(|class| !taken.contains(class));
            if bases.len() < 2 && is_free && self.choice.percent(35) {
                bases.push(candidate);
                taken.extend(line);
            }
        }
        bases
    }

    fn members(&mut self) -> Vec<Member> {
        let count = self.choice.between(0, 4);
        (0..count)
            .map(|index| {
                let ty = *self.choice.pick(&TYPES);
                let kind = match self.choice.below(8) {
                    0 | 1 if !self.classes.is_empty() => {
                        MemberKind::Object(self.choice.below(self.classes.len()))
                    }
                    2 => MemberKind::Array(ty, self.choice.between(1, 3)),
                    _ => MemberKind::Number(ty),
                };
                let has_default = matches!(kind, MemberKind::Number(_)) && self.choice.percent(30);
                Member { name: format!("m{index}"), kind, has_default }
            })
            .collect()
    }

    pub(super) fn class(&mut self) -> Node {
        let name = format!("C{}", self.classes.len());
        let class = Class {
            name: name.clone(),
            bases: self.bases(),
            members: self.members(),
            operators: OPERATORS.into_iter().filter(|_| self.choice.percent(40)).collect(),
        };
        let (key, open) = *self.choice.pick(&[("struct", ""), ("class", "public:\n")]);
        let bases: Vec<String> =
            class.bases.iter().map(|base| format!("public {}", self.classes[*base].name)).collect();
        let bases = if bases.is_empty() { String::new() } else { format!(" : {}", bases.join(", ")) };
        let mut text = format!("{key} {name}{bases} {{\n{open}Log *log;\n");
        for member in &class.members {
            let declared = match &member.kind {
                MemberKind::Number(ty) => format!("{ty} {}", member.name),
                MemberKind::Array(ty, count) => format!("{ty} {}[{count}]", member.name),
                MemberKind::Object(inner) => format!("{} {}", self.classes[*inner].name, member.name),
            };
            let default = match member.has_default {
                true if self.choice.percent(50) => {
                    format!("{{({}){}}}", number_of(&member.kind), self.literal())
                }
                true => format!(" = {}", self.literal()),
                false => String::new(),
            };
            text += &format!("{declared}{default};\n");
        }
        text += &self.constructor(&class);
        text += &self.special(&class);
        text += &self.digest(&class);
        for operator in class.operators.clone() {
            text += &self.operator(&class, operator);
        }
        text += "};\n";
        if class.operators.contains(&Operator::Comma) {
            text += &format!(
                "uint operator,(const {name} &a, const {name} &b) {{\n\
                 return a.log->mark(mix(a.digest(), b.digest()));\n}}\n"
            );
        }
        self.classes.push(class);
        Node::text(Kind::Item, text + "\n")
    }

    /// A pure expression of the names, as text.
    fn formula(&mut self, names: &[String]) -> String {
        let a = if names.is_empty() || self.choice.percent(20) {
            self.literal()
        } else {
            self.choice.pick(names).clone()
        };
        let b = if names.is_empty() || self.choice.percent(50) {
            self.literal()
        } else {
            self.choice.pick(names).clone()
        };
        let operator = *self.choice.pick(&["+", "-", "*", "^", "&", "|"]);
        format!("(uint){a} {operator} (uint){b}")
    }

    /// `C(Log &l, uint a, uint b = …)`, initialisers in any order.
    fn constructor(&mut self, class: &Class) -> String {
        let mut known = vec!["a".to_owned(), "b".to_owned()];
        let mut list = vec!["log(&l)".to_owned()];
        for base in &class.bases {
            let value = self.formula(&known);
            list.push(format!("{}(l, {value})", self.classes[*base].name));
        }
        let mut body = String::new();
        for member in &class.members {
            let name = &member.name;
            if member.has_default && self.choice.percent(60) {
                known.push(name.clone());
                continue;
            }
            match &member.kind {
                MemberKind::Number(ty) => {
                    let value = self.formula(&known);
                    let brace = self.choice.percent(30);
                    list.push(if brace {
                        format!("{name}{{({ty})({value})}}")
                    } else {
                        format!("{name}({value})")
                    });
                    known.push(name.clone());
                }
                MemberKind::Array(ty, count) => {
                    let values: Vec<String> =
                        (0..*count).map(|_| format!("({ty})({})", self.formula(&known))).collect();
                    let shown = self.choice.below(*count + 1);
                    list.push(format!("{name}{{{}}}", values[..shown].join(", ")));
                    body += &format!("{name}[0] += 1;\n");
                }
                MemberKind::Object(inner) => {
                    let value = self.formula(&known);
                    let text = if self.choice.percent(50) {
                        format!("{name}(l, {value})")
                    } else {
                        format!("{name}({}(l, {value}, a))", self.classes[*inner].name)
                    };
                    list.push(text);
                }
            }
        }
        // The order of the list does not matter.
        for index in (1..list.len()).rev() {
            let other = self.choice.below(index + 1);
            list.swap(index, other);
        }
        let tag = self.literal();
        let default = self.literal();
        format!(
            "{}(Log &l, uint a, uint b = {default}) : {} {{\n{body}l.mark({tag} ^ a);\n}}\n",
            class.name,
            list.join(", ")
        )
    }

    /// Copies, moves, assignments and the destructor: declared, defaulted, or left to the compiler.
    fn special(&mut self, class: &Class) -> String {
        let name = &class.name;
        let destructor = |cxx: &mut Self| {
            let (tag, digest) = (cxx.literal(), cxx.choice.percent(50));
            let value = if digest { "digest()".to_owned() } else { tag };
            format!("~{name}() {{\nlog->mark({value});\n}}\n")
        };
        match self.choice.below(5) {
            // The compiler makes all.
            0 => String::new(),
            // The compiler copies.
            1 => destructor(self),
            // Without moves.
            2 => format!("{}{}{}", self.copy(class, false), self.assign(class, false), destructor(self)),
            _ => {
                let mut text = String::new();
                for is_move in [false, true] {
                    let and = if is_move { "&&" } else { "&" };
                    let constant = if is_move { "" } else { "const " };
                    text += &match self.choice.percent(30) {
                        true => format!("{name}({constant}{name} {and}) = default;\n"),
                        false => self.copy(class, is_move),
                    };
                    text += &match self.choice.percent(30) {
                        true => format!("{name} &operator=({constant}{name} {and}) = default;\n"),
                        false => self.assign(class, is_move),
                    };
                }
                text + &destructor(self)
            }
        }
    }

    fn copy(&mut self, class: &Class, is_move: bool) -> String {
        let name = &class.name;
        let from = |text: &str| if is_move { format!("move({text})") } else { text.to_owned() };
        let mut list = Vec::new();
        for base in &class.bases {
            let base = &self.classes[*base].name;
            list.push(match is_move {
                true => format!("{base}(static_cast<{base} &&>(o))"),
                false => format!("{base}(o)"),
            });
        }
        list.push("log(o.log)".to_owned());
        let mut body = String::new();
        for member in &class.members {
            let name = &member.name;
            match &member.kind {
                MemberKind::Array(_, count) => {
                    body += &format!("for (int i = 0; i < {count}; ++i)\n{name}[i] = o.{name}[i];\n");
                }
                MemberKind::Object(_) => list.push(format!("{name}({})", from(&format!("o.{name}")))),
                MemberKind::Number(_) => {
                    list.push(format!("{name}(o.{name})"));
                    if is_move && self.choice.percent(50) {
                        body += &format!("o.{name} = {};\n", self.choice.below(9));
                    }
                }
            }
        }
        let tag = self.literal();
        let (constant, and) = if is_move { ("", "&&") } else { ("const ", "&") };
        format!("{name}({constant}{name} {and}o) : {} {{\n{body}log->mark({tag});\n}}\n", list.join(", "))
    }

    fn assign(&mut self, class: &Class, is_move: bool) -> String {
        let name = &class.name;
        let mut body = String::new();
        for base in &class.bases {
            let base = self.classes[*base].name.clone();
            body += &match (is_move, self.choice.percent(50)) {
                (true, _) => format!("{base}::operator=(static_cast<{base} &&>(o));\n"),
                (false, true) => format!("{base}::operator=(o);\n"),
                (false, false) => format!("static_cast<{base} &>(*this) = o;\n"),
            };
        }
        for member in &class.members {
            let name = &member.name;
            body += &match &member.kind {
                MemberKind::Array(_, count) => {
                    format!("for (int i = 0; i < {count}; ++i)\n{name}[i] = o.{name}[i];\n")
                }
                MemberKind::Object(_) if is_move => format!("{name} = move(o.{name});\n"),
                _ => format!("{name} = o.{name};\n"),
            };
        }
        let tag = self.literal();
        let (constant, and) = if is_move { ("", "&&") } else { ("const ", "&") };
        format!("{name} &operator=({constant}{name} {and}o) {{\n{body}log->mark({tag});\nreturn *this;\n}}\n")
    }

    fn digest(&mut self, class: &Class) -> String {
        let mut body = String::new();
        for base in &class.bases {
            body += &format!("h = mix(h, {}::digest());\n", self.classes[*base].name);
        }
        for member in &class.members {
            let name = &member.name;
            body += &match &member.kind {
                MemberKind::Number("long" | "ulong") => {
                    format!("h = mix(h, (uint){name} ^ (uint)((ulong){name} >> 32));\n")
                }
                MemberKind::Number(_) => format!("h = mix(h, (uint){name});\n"),
                MemberKind::Array(..) => format!("for (auto v : {name})\nh = mix(h, (uint)v);\n"),
                MemberKind::Object(_) => format!("h = mix(h, {name}.digest());\n"),
            };
        }
        let start = self.literal();
        format!("uint digest() const {{\nuint h = {start};\n{body}return h;\n}}\n")
    }

    /// A number member that may be changed, if there is one.
    fn changeable(class: &Class) -> Option<&str> {
        class.members.iter().find_map(|member| match member.kind {
            MemberKind::Number(_) => Some(member.name.as_str()),
            MemberKind::Array(..) | MemberKind::Object(_) => None,
        })
    }

    fn operator(&mut self, class: &Class, operator: Operator) -> String {
        let name = &class.name;
        let tag = self.literal();
        let change = |value: &str| {
            Self::changeable(class)
                .map_or(String::new(), |member| format!("{member} = (uint){member} + {value};\n"))
        };
        match operator {
            Operator::Plus if self.choice.percent(50) => format!(
                "friend {name} operator+(const {name} &a, const {name} &b) {{\n\
                 return {name}(*a.log, a.digest() ^ b.digest());\n}}\n"
            ),
            Operator::Plus => format!(
                "{name} operator+(const {name} &o) const {{\nreturn {{*log, digest() + o.digest(), {tag}}};\n}}\n"
            ),
            Operator::AddAssign => {
                format!("{name} &operator+=(uint v) {{\n{}log->mark(v);\nreturn *this;\n}}\n", change("v"))
            }
            Operator::Less => {
                format!("bool operator<(const {name} &o) const {{\nreturn digest() < o.digest();\n}}\n")
            }
            Operator::Index => {
                "uint operator[](uint i) const {\nreturn digest() >> (i & 15u);\n}\n".to_owned()
            }
            Operator::Call => {
                format!(
                    "uint operator()(uint i, uint j = {tag}) {{\nreturn log->mark(digest() + i * j);\n}}\n"
                )
            }
            Operator::Increment => {
                format!("{name} &operator++() {{\n{}log->mark({tag});\nreturn *this;\n}}\n", change("1u"))
            }
            Operator::Postfix => {
                format!(
                    "{name} operator++(int) {{\n{name} old(*this);\n{}return move(old);\n}}\n",
                    change("3u")
                )
            }
            Operator::Truth => "explicit operator bool() const {\nreturn digest() & 1u;\n}\n".to_owned(),
            Operator::Number => "explicit operator short() const {\nreturn (short)digest();\n}\n".to_owned(),
            Operator::Arrow => {
                format!("const {name} *operator->() const {{\nlog->mark({tag});\nreturn this;\n}}\n")
            }
            Operator::Shift => {
                format!("{name} &operator<<(uint v) {{\nlog->mark(v ^ {tag});\nreturn *this;\n}}\n")
            }
            Operator::Chain => format!(
                "{name} &chain(uint v) & {{\n{}log->mark({tag});\nreturn *this;\n}}\n\
                 {name} &&chain(uint v) && {{\nlog->mark(v);\nreturn move(*this);\n}}\n",
                change("v")
            ),
            Operator::Template => {
                "template <class T> uint as(T t) const {\nreturn mix(digest(), (uint)t) + (uint)sizeof(T);\n}\n".to_owned()
            }
            Operator::Comma => String::new(),
        }
    }

    /// The name of a base of a class, if it has one.
    pub(super) fn base_name(&self, class: usize) -> Option<(usize, String)> {
        let base = *self.classes[class].bases.first()?;
        Some((base, self.classes[base].name.clone()))
    }

    /// An object in scope.
    pub(super) fn object(&mut self, needs_change: bool) -> Option<(String, usize)> {
        let found: Vec<(String, usize)> = self
            .scope
            .iter()
            .filter_map(|entry| match entry.what {
                What::Object(class, is_writable) if is_writable || !needs_change => {
                    Some((entry.name.clone(), class))
                }
                _ => None,
            })
            .collect();
        (!found.is_empty()).then(|| self.choice.pick(&found).clone())
    }
}

fn number_of(kind: &MemberKind) -> &'static str {
    match kind {
        MemberKind::Number(ty) | MemberKind::Array(ty, _) => ty,
        MemberKind::Object(_) => "uint",
    }
}
