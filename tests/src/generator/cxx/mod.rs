//! Random programs in C++ for OpenCL whose behaviour is fully defined.
//!
//! Constructors, destructors and assignments log what they do in the order in which they run, so a program's
//! result depends on the lifetime of every object. These rules keep programs defined, where C++17 and
//! the ABI of clang leave a choice:
//! - arithmetic is in `uint`, divisors are odd, shifts and indices are masked, and loops are counted;
//! - of the operands of an operator or the arguments of a call at most one has effects, except where the
//!   language gives an order: lists in braces, `,`, `&&`, `||`, `?:`, `<<`, assignments, chained calls;
//! - a function returns a prvalue, a moved object or a parameter, never a local variable by its name, whose
//!   copy may be elided;
//! - classes have at most one base of a type, so that conversions to bases are unambiguous;
//! - every member is initialised, and stays valid when it is moved from.
//!
//! - `class`: classes with their special members, operators and methods;
//! - `template`: templates, overloads and functions for constant expressions;
//! - `expression`, `statement`: the bodies.

mod class;
mod expression;
mod statement;
mod template;

use super::choice::Choice;
use super::node::{Kind, Node};
use super::{Argument, Language, Program};
use class::Class;
use template::{Constant, Family};

/// Words that each work-item writes.
const WORDS: usize = 4;

/// What every program begins with.
const PRELUDE: &str = "struct Log {\n\
    uint hash;\n\
    explicit Log(uint v) : hash(v) {}\n\
    uint mark(uint v) {\n\
    hash = (hash ^ v) * 0x01000193u;\n\
    hash ^= hash >> 15;\n\
    return v;\n\
    }\n\
    Log &operator<<(uint v) {\n\
    mark(v);\n\
    return *this;\n\
    }\n\
    };\n\
    constexpr uint mix(uint h, uint v) {\n\
    h = (h ^ v) * 0x01000193u;\n\
    return h ^ (h >> 15);\n\
    }\n\
    template <class T> constexpr T &&move(T &t) {\n\
    return static_cast<T &&>(t);\n\
    }\n\
    template <class F> struct Guard {\n\
    F f;\n\
    Guard(F f) : f(f) {}\n\
    Guard(const Guard &) = delete;\n\
    ~Guard() {\n\
    f();\n\
    }\n\
    };\n\n";

/// The program for a seed.
#[must_use]
pub fn generate(seed: u64) -> Program {
    Generator::new(seed).program(seed)
}

/// A program under construction.
struct Generator {
    choice: Choice,
    classes: Vec<Class>,
    families: Vec<Family>,
    constants: Vec<Constant>,
    /// Functions that take an object of a class: name, class, how, and the class of the result.
    functions: Vec<Function>,
    /// What is visible, innermost last.
    scope: Vec<Entry>,
    names: usize,
    /// Calls of functions that may still be made in this function: drivers' compilers inline them all.
    calls: usize,
    /// Whether the code is in a template, where clang refuses `?:` of some objects.
    in_template: bool,
    /// Statements that may still be made in this function.
    budget: usize,
}

/// A variable.
#[derive(Clone, Debug)]
struct Entry {
    name: String,
    what: What,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum What {
    /// A number, and whether it may be changed.
    Number(bool),
    /// An array of numbers with a length that is a power of two.
    Array(usize),
    /// An object of a class, and whether it may be changed.
    Object(usize, bool),
    /// A lambda that takes a number and gives one; it may have effects.
    Lambda,
    /// An instance of a class template that gives a digest.
    Instance,
}

/// How a function takes an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Passing {
    Value,
    Constant,
    Reference,
    Moved,
}

/// A function of a class: `result name(Log &log, class, uint)`.
#[derive(Clone, Debug)]
struct Function {
    name: String,
    class: usize,
    passing: Passing,
    result: Option<usize>,
}

/// Where a statement stands.
#[derive(Clone, Copy, Debug)]
struct Place {
    depth: usize,
    in_loop: bool,
    /// What `return` gives: nothing may be returned, a number, or an object.
    returns: Option<Option<usize>>,
}

impl Place {
    fn inside(self) -> Place {
        Place { depth: self.depth + 1, ..self }
    }
}

impl Generator {
    fn new(seed: u64) -> Generator {
        Generator {
            // Not the programs in C of the same seed in other words.
            choice: Choice::new(seed ^ 0xC0DE_0000_0000),
            classes: Vec::new(),
            families: Vec::new(),
            constants: Vec::new(),
            functions: Vec::new(),
            scope: Vec::new(),
            names: 0,
            calls: 0,
            in_template: false,
            budget: 0,
        }
    }

    fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    fn literal(&mut self) -> String {
        match self.choice.below(4) {
            0 => format!("{}u", self.choice.below(4)),
            1 => format!("{}u", self.choice.below(1000)),
            _ => format!("{:#x}u", self.choice.bits() as u32),
        }
    }

    fn program(mut self, seed: u64) -> Program {
        let mut items = vec![Node::text(Kind::Part, PRELUDE)];
        for _ in 0..self.choice.between(0, 2) {
            items.push(self.constant_function());
        }
        for _ in 0..self.choice.between(1, 4) {
            items.push(self.class());
        }
        for _ in 0..self.choice.between(0, 2) {
            items.push(self.family());
        }
        items.push(self.overloads());
        for _ in 0..self.choice.between(1, 3) {
            items.push(self.function());
        }
        items.push(self.kernel());
        let local = *self.choice.pick(&[1usize, 2, 4]);
        let global = local * self.choice.between(1, 2);
        let input: Vec<u8> =
            (0..4 * global).flat_map(|_| (self.choice.bits() as u32).to_le_bytes()).collect();
        let arguments = vec![
            Argument::Buffer { contents: vec![0; 4 * WORDS * global], compare: true },
            Argument::Buffer { contents: input, compare: false },
            Argument::Value((self.choice.bits() as u32).to_le_bytes().to_vec()),
        ];
        Program {
            seed,
            root: Node::sequence(Kind::Part, items),
            arguments,
            global: vec![global],
            local: vec![local],
            program_variables: false,
            generic: false,
            language: Language::Cxx,
        }
    }

    fn kernel(&mut self) -> Node {
        self.scope.clear();
        for (name, what) in [
            ("x", What::Number(true)),
            ("y", What::Number(false)),
            ("in", What::Array(4)),
            ("a", What::Array(4)),
        ] {
            self.scope.push(Entry { name: name.to_owned(), what });
        }
        let mut parts = Vec::new();
        for word in 0..WORDS {
            (self.budget, self.calls) = (5, 1);
            let place = Place { depth: 0, in_loop: false, returns: None };
            let count = self.choice.between(1, 3);
            parts.push(self.statements(count, place));
            // The last word tells what was destroyed at the end.
            let end = if word + 1 == WORDS { "}\n" } else { "" };
            parts.push(Node::text(Kind::Part, format!("{end}out[gid * {WORDS} + {word}] = log.hash;\n")));
        }
        let template = format!(
            "kernel void test(global uint *out, global const uint *all, uint y) {{\n\
             const uint gid = get_global_id(0);\n\
             global const uint *in = all + gid * 4;\n\
             Log log(y ^ gid);\n\
             uint x = in[0] ^ y;\n\
             uint a[4] = {{in[1], in[2], y, gid}};\n{{\n{}}}\n",
            "#".repeat(parts.len())
        );
        Node::new(Kind::Part, &template, parts)
    }

    /// A function that takes an object.
    fn function(&mut self) -> Node {
        let name = self.name("f");
        let class = self.choice.below(self.classes.len());
        let passing =
            *self.choice.pick(&[Passing::Value, Passing::Constant, Passing::Reference, Passing::Moved]);
        let result = self.choice.percent(50).then_some(class);
        let class_name = self.classes[class].name.clone();
        let (parameter, is_writable) = match passing {
            Passing::Value => (format!("{class_name} p"), true),
            Passing::Constant => (format!("const {class_name} &p"), false),
            Passing::Reference => (format!("{class_name} &p"), true),
            Passing::Moved => (format!("{class_name} &&p"), true),
        };
        self.scope = vec![
            Entry { name: "x".to_owned(), what: What::Number(true) },
            Entry { name: "p".to_owned(), what: What::Object(class, is_writable) },
        ];
        (self.budget, self.calls) = (6, 1);
        let place = Place { depth: 1, in_loop: false, returns: Some(result) };
        let count = self.choice.between(1, 3);
        let body = self.statements(count, place);
        let last = self.returned(result);
        let result_name = if result.is_some() { class_name.as_str() } else { "uint" };
        let template = format!("{result_name} {name}(Log &log, {parameter}, uint x) {{\n##}}\n\n");
        self.functions.push(Function { name, class, passing, result });
        Node::new(Kind::Item, &template, vec![body, last])
    }
}
