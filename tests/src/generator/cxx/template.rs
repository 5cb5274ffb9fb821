//! Templates with specialisations, overload sets, and functions for constant expressions.

use super::Generator;
use crate::generator::node::{Kind, Node};

/// A family of class templates: how an object is made from a number, as text with `#` for it.
#[derive(Clone, Debug)]
pub(super) struct Family {
    pub name: String,
    pub form: Form,
}

/// What a family's templates look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// `F<T, N>` with a partial and a full specialisation, a range of numbers.
    Array,
    /// `F<T...>`, by recursion.
    Tuple,
    /// `F<T>`, deduced from its constructor's argument.
    Box,
    /// A base of what derives from an instance with itself.
    Curious,
}

/// `constexpr uint name(uint, uint)`.
#[derive(Clone, Debug)]
pub(super) struct Constant {
    pub name: String,
}

const TYPES: [&str; 6] = ["uint", "uchar", "short", "int", "ulong", "char"];

impl Generator {
    /// A function for constant expressions: a loop over a local array.
    pub(super) fn constant_function(&mut self) -> Node {
        let name = self.name("k");
        let (length, trips) = (self.choice.between(2, 5), self.choice.between(1, 6));
        let (a, b, c) = (self.literal(), self.literal(), self.choice.below(31));
        let ty = *self.choice.pick(&["uint", "uchar", "ushort", "ulong"]);
        let early = if self.choice.percent(50) { "if (i == 2 && (a & 1u))\ncontinue;\n" } else { "" };
        let text = format!(
            "constexpr uint {name}(uint a, uint b) {{\n\
             {ty} t[{length}] = {{({ty})a, ({ty})({b} ^ b)}};\n\
             for (uint i = 0; i < {trips}; ++i) {{\n{early}\
             {ty} &r = t[(i + a) % {length}];\n\
             r = ({ty})(r * {a} + (b >> (i & 7u)) + i);\n\
             b = b > {b} ? b - i : b + (uint)r;\n}}\n\
             uint h = 0;\n\
             for (auto v : t)\nh = mix(h, (uint)(v >> {}));\nreturn h ^ b;\n}}\n\n",
            c % 8
        );
        self.constants.push(Constant { name });
        Node::text(Kind::Item, text)
    }

    pub(super) fn family(&mut self) -> Node {
        let name = self.name("T");
        let form = *self.choice.pick(&[Form::Array, Form::Tuple, Form::Box, Form::Curious]);
        let (a, b, c) = (self.literal(), self.literal(), self.literal());
        let text = match form {
            Form::Array => format!(
                "template <class T, uint N> struct {name} {{\n\
                 T v[N];\n\
                 T *begin() {{\nreturn v;\n}}\nT *end() {{\nreturn v + N;\n}}\n\
                 uint digest() const {{\nuint h = {a} + N;\nfor (const T &x : v)\nh = mix(h, (uint)x);\nreturn h;\n}}\n\
                 }};\n\
                 template <class T> struct {name}<T, 1> {{\n\
                 T v[1];\n\
                 T *begin() {{\nreturn v;\n}}\nT *end() {{\nreturn v + 1;\n}}\n\
                 uint digest() const {{\nreturn {b} ^ (uint)v[0];\n}}\n\
                 }};\n\
                 template <> struct {name}<uchar, 2> {{\n\
                 uchar v[2];\n\
                 uchar *begin() {{\nreturn v;\n}}\nuchar *end() {{\nreturn v + 2;\n}}\n\
                 uint digest() const {{\nreturn {c} + v[0] * 256u + v[1];\n}}\n\
                 }};\n\n"
            ),
            Form::Tuple => format!(
                "template <class... T> struct {name};\n\
                 template <> struct {name}<> {{\nuint digest() const {{\nreturn {a};\n}}\n}};\n\
                 template <class T, class... R> struct {name}<T, R...> : {name}<R...> {{\n\
                 T v;\n\
                 {name}(T v, R... r) : {name}<R...>(r...), v(v) {{}}\n\
                 uint digest() const {{\nreturn mix({name}<R...>::digest(), (uint)v + (uint)sizeof...(R));\n}}\n\
                 }};\n\
                 template <class... T> {name}(T...) -> {name}<T...>;\n\n"
            ),
            Form::Box => format!(
                "template <class T> struct {name} {{\n\
                 T v;\n\
                 {name}(T v) : v(v) {{}}\n\
                 template <class U> {name}(T v, U u) : v((T)(v + u)) {{}}\n\
                 static constexpr uint size = sizeof(T) + {a};\n\
                 uint digest() const {{\n\
                 if constexpr (sizeof(T) > 2)\nreturn mix(size, (uint)v);\nelse\nreturn size - (uint)v;\n}}\n\
                 template <class F> auto then(F f) const -> {name}<decltype(f(v))> {{\nreturn {{f(v)}};\n}}\n\
                 }};\n\n"
            ),
            Form::Curious => format!(
                "template <class D> struct {name}_base {{\n\
                 uint digest() const {{\nreturn mix({a}, static_cast<const D *>(this)->own());\n}}\n\
                 friend bool operator==(const D &a, const D &b) {{\nreturn a.own() == b.own();\n}}\n\
                 }};\n\
                 struct {name} : {name}_base<{name}> {{\n\
                 uint v;\n\
                 explicit {name}(uint v) : v(v & {b}) {{}}\n\
                 uint own() const {{\nreturn v * {c};\n}}\n\
                 }};\n\n"
            ),
        };
        self.families.push(Family { name, form });
        Node::text(Kind::Item, text)
    }

    /// The declaration of an instance named `name` from a number.
    pub(super) fn instance(&mut self, family: &Family, name: &str) -> Node {
        let of = &family.name;
        let (first, second) = (*self.choice.pick(&TYPES), *self.choice.pick(&TYPES));
        let (template, count) = match family.form {
            Form::Array => {
                let length = self.choice.between(1, 4);
                let shown = self.choice.between(1, length);
                let list = vec![format!("({first})(#)"); shown].join(", ");
                (format!("{of}<{first}, {length}> {name} = {{{{{list}}}}};\n"), shown)
            }
            Form::Tuple => match self.choice.below(3) {
                0 => (format!("{of} {name}(({first})(#), ({second})(#));\n"), 2),
                1 => (format!("{of}<{first}, {second}, uint> {name}((#), (#), (#));\n"), 3),
                _ => (format!("{of}<{first}> {name}((#));\n"), 1),
            },
            Form::Box => match self.choice.below(3) {
                0 => (format!("{of} {name}(({first})(#));\n"), 1),
                1 => (format!("{of}<{first}> {name}((#), ({second})(#));\n"), 2),
                _ => (
                    format!(
                        "auto {name} = {of}(({first})(#)).then([y](auto v) {{\nreturn ({second})(v ^ y);\n}});\n"
                    ),
                    1,
                ),
            },
            Form::Curious => (format!("{of} {name}(#);\n"), 1),
        };
        let values = (0..count).map(|_| self.pure(2)).collect();
        Node::new(Kind::Part, &template, values)
    }

    /// Overloads of `rank`, which say which of them is chosen.
    pub(super) fn overloads(&mut self) -> Node {
        let mut text = String::new();
        let mut number = 0;
        let mut add = |text: &mut String, declaration: &str| {
            number += 1;
            *text += &format!("{declaration} {{\nreturn {number}u;\n}}\n");
        };
        add(&mut text, "template <class T> constexpr uint rank(const T &)");
        let functions = [
            "constexpr uint rank(int)",
            "constexpr uint rank(uint)",
            "constexpr uint rank(long)",
            "template <class T> constexpr uint rank(T *)",
            "constexpr uint rank(uchar)",
            "template <class T, class U> constexpr uint rank(T, U)",
            "template <class T> constexpr uint rank(T, T)",
            "constexpr uint rank(uint, uint)",
        ];
        for function in functions {
            if self.choice.percent(50) {
                add(&mut text, function);
            }
        }
        for class in self.classes.clone() {
            if self.choice.percent(50) {
                let and = *self.choice.pick(&["const &", "const &", "&&"]);
                let (constant, and) = match and {
                    "&&" => ("", "&&"),
                    _ => ("const ", "&"),
                };
                add(&mut text, &format!("constexpr uint rank({constant}{} {and})", class.name));
            }
        }
        Node::text(Kind::Item, text + "\n")
    }
}
