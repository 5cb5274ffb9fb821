//! Random OpenCL C programs whose behaviour is fully defined, for comparing implementations.
//!
//! [`generate`] makes a [`Program`] from a seed and [`Weights`]: the same on every machine. A program is one
//! kernel with its functions, types and constants, the contents of its buffers, and the size of its launch.
//! Every implementation that conforms to the language computes the same bytes in the buffers that
//! [`Argument::Buffer`] marks as compared.
//!
//! - [`node`]: programs as trees of text, built so that they stay defined if any statement is removed or any
//!   operand replaced.
//! - [`types`], [`scope`]: the objects and how they are accessed.
//! - `expression`, `float`, `builtin`, `atomic`, `statement`, `control`, `pointer`, `handle`, `generic`,
//!   `function`, `kernel`, `result`, `prelude`: the generator, by what it generates.
//! - [`cxx`]: programs in C++ for OpenCL.
//! - [`feature`]: the weights.
//! - [`reduce`]: reduces a program that shows an error.
//!
//! These rules keep programs defined; the sections demand them:
//! - signed sums and products are computed as unsigned ones and converted back (C99 6.5), which wraps (OpenCL
//!   C §6.4.3.3);
//! - divisors are made odd, and dividends or divisors non-negative (OpenCL C §6.5.1); shifts need nothing
//!   (§6.5.10);
//! - every variable is initialised, every index masked, and every loop bounded by a counter that its body
//!   cannot write;
//! - expressions have no side effects except within one operand of a comma, so their order does not matter;
//! - a pointer's target has a fixed type and outlives the pointer; pointers never point to members of a union
//!   or packed structure;
//! - work-items write only their own parts of shared memory, and read others' parts only between barriers in
//!   uniform flow; atomic operations on one counter all commute, and their results are not used;
//! - floating-point values are integers small enough for every result to be exact;
//! - padding is never compared: results leave through integers.

mod atomic;
mod builtin;
pub mod choice;
mod control;
pub mod cxx;
mod expression;
pub mod feature;
mod float;
mod function;
mod generic;
mod handle;
mod kernel;
pub mod node;
mod pointer;
mod prelude;
pub mod reduce;
mod result;
pub mod scope;
mod statement;
pub mod types;

use atomic::{Counter, Shared};
use choice::Choice;
use feature::{Feature, Weights};
use function::Helper;
use handle::Handle;
use node::{Kind, Node};
use prelude::Prelude;
use scope::{Entry, Space, What};
use types::{INTEGERS, LANES, Record, Scalar, Type, Value};

/// A program and its launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The seed from which it was made.
    pub seed: u64,
    /// The source.
    pub root: Node,
    /// The arguments of the kernel, which is called `test`.
    pub arguments: Vec<Argument>,
    /// Work-items in each dimension.
    pub global: Vec<usize>,
    /// Work-items of a group, in each dimension.
    pub local: Vec<usize>,
    /// It has a variable in global memory at program scope.
    pub program_variables: bool,
    /// It uses generic pointers where `GENERIC` is defined, and does the same without them elsewhere.
    pub generic: bool,
    /// Its language.
    pub language: Language,
}

/// The language of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// OpenCL C.
    C,
    /// C++ for OpenCL 2021.
    Cxx,
}

/// An argument of the kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// A buffer, with its contents before the launch.
    Buffer {
        /// The contents.
        contents: Vec<u8>,
        /// Whether the contents after the launch are compared.
        compare: bool,
    },
    /// A value, as bytes.
    Value(Vec<u8>),
    /// Local memory: bytes for each work-group.
    Local(usize),
}

/// The program for a seed.
#[must_use]
pub fn generate(seed: u64, weights: &Weights) -> Program {
    Generator::new(seed, weights.clone()).program()
}

/// A program under construction.
struct Generator {
    seed: u64,
    choice: Choice,
    weights: Weights,
    records: Vec<Record>,
    helpers: Vec<Helper>,
    /// What is visible, innermost last.
    scope: Vec<Entry>,
    names: usize,
    /// The number of indices around the expression being generated.
    index_depth: usize,
    /// The number of expressions in the statement being generated.
    growth: usize,
    /// The most times that the statement being generated runs in one call of its function.
    trips: usize,
    /// The most statements that a call of the function runs.
    cost: usize,
    /// The limit that `cost` should not exceed.
    cost_limit: usize,
    /// Memory that the work-items of a group share.
    shared: Vec<Shared>,
    /// Counters for atomic operations.
    counters: Vec<Counter>,
    /// Structures with pointers.
    handles: Vec<Handle>,
    /// The definitions at the start of the program.
    prelude: Prelude,
    program_variables: bool,
    generic: bool,
}

/// The context of a statement.
#[derive(Clone, Copy, Debug)]
struct Context {
    /// The number of statements around it.
    depth: usize,
    /// All work-items reach it together.
    uniform: bool,
    /// It is in a loop whose `break` and `continue` may be used, or in a `switch`, where only `continue`
    /// refers to the loop.
    in_loop: bool,
    /// The type of the function's result, if `return` may be used.
    returns: Option<Returns>,
    /// The function is the kernel.
    kernel: bool,
}

/// What a function returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Returns {
    Value(Value),
    Record(usize),
}

impl Context {
    /// Inside a statement that work-items may enter separately.
    fn divergent(self) -> Self {
        Context { depth: self.depth + 1, uniform: false, ..self }
    }

    /// Inside a statement that all work-items enter together.
    fn nested(self) -> Self {
        Context { depth: self.depth + 1, ..self }
    }
}

impl Generator {
    fn new(seed: u64, weights: Weights) -> Self {
        Generator {
            seed,
            choice: Choice::new(seed),
            weights,
            records: Vec::new(),
            helpers: Vec::new(),
            scope: Vec::new(),
            names: 0,
            index_depth: 0,
            growth: 0,
            trips: 1,
            cost: 0,
            cost_limit: 0,
            shared: Vec::new(),
            counters: Vec::new(),
            handles: Vec::new(),
            prelude: Prelude::default(),
            program_variables: false,
            generic: false,
        }
    }

    fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    /// Whether to use a feature, given the weight `others` of the alternatives.
    fn chance(&mut self, feature: Feature, others: u32) -> bool {
        let weight = self.weights.of(feature);
        weight > 0 && self.choice.below((weight + others) as usize) < weight as usize
    }

    /// One of the entries of a table, by the weights of their features.
    fn pick_weighted<T: Copy>(&mut self, table: &[(Feature, T)]) -> Option<T> {
        let weights = &self.weights;
        let index = self.choice.weighted(table.iter().map(|&(feature, _)| weights.of(feature)))?;
        Some(table[index].1)
    }

    fn integer_scalar(&mut self) -> Scalar {
        if self.chance(Feature::Long, 20) {
            return *self.choice.pick(&INTEGERS[6..]);
        }
        if self.chance(Feature::Narrow, 14) {
            return *self.choice.pick(&INTEGERS[..4]);
        }
        *self.choice.pick(&INTEGERS[4..6])
    }

    fn lanes(&mut self) -> u8 {
        // Wide ones are rare, because their literals are long.
        if self.choice.percent(75) { *self.choice.pick(&LANES[..3]) } else { *self.choice.pick(&LANES) }
    }

    /// A scalar or vector type of integers.
    fn integer_value(&mut self) -> Value {
        let scalar = self.integer_scalar();
        let lanes = if self.chance(Feature::Vector, 14) { self.lanes() } else { 1 };
        Value { scalar, lanes }
    }

    /// A scalar or vector type.
    fn any_value(&mut self) -> Value {
        let value = self.integer_value();
        if !self.chance(Feature::Float, 45) {
            return value;
        }
        value.of(if self.chance(Feature::Double, 8) { Scalar::Double } else { Scalar::Float })
    }

    /// A scalar or vector type that private variables may have.
    fn private_value(&mut self) -> Value {
        let value = self.any_value();
        if value.scalar != Scalar::Float || !self.chance(Feature::Half, 8) {
            return value;
        }
        self.prelude.half = true;
        value.of(Scalar::Half)
    }

    /// A type of an object.
    fn any_type(&mut self) -> Type {
        let records = self.records.len();
        if records > 0 && self.choice.percent(25) {
            return Type::Record(self.choice.below(records));
        }
        Type::Value(self.any_value())
    }

    fn enter_scope(&self) -> usize {
        self.scope.len()
    }

    fn leave_scope(&mut self, mark: usize) {
        self.scope.truncate(mark);
    }

    fn declare_object(&mut self, name: &str, ty: Type, writable: bool) {
        let name = name.to_owned();
        self.scope.push(Entry { name, what: What::Object, ty, space: Space::Private, writable });
    }
}

/// A declaration at program scope.
fn item(text: String) -> Node {
    Node::text(Kind::Item, text)
}
