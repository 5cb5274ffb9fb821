//! Random OpenCL C programs whose behaviour is wholly defined, to compare implementations with.
//!
//! [`generate`] makes a [`Program`] of a seed and [`Weights`]: the same on every machine. A program is one
//! kernel with its functions, types and constants, the contents of its buffers, and the size of its launch.
//! Every implementation that obeys the language computes the same bytes in the buffers that
//! [`Argument::Buffer`] marks as compared.
//!
//! - [`node`]: programs as trees of text, made so that leaving out any statement or exchanging any operand
//!   keeps them defined.
//! - [`types`], [`scope`]: what objects there are and how they are reached.
//! - `expression`, `float`, `builtin`, `atomic`, `statement`, `control`, `pointer`, `handle`, `generic`,
//!   `function`, `kernel`, `result`, `prelude`: the generator, by what it makes.
//! - [`feature`]: the weights.
//! - [`reduce`]: makes a program smaller that shows a fault.
//!
//! What keeps programs defined, and the sections that demand it:
//! - signed sums and products are computed as unsigned ones and converted back (C99 6.5), which wraps (OpenCL
//!   C §6.4.3.3);
//! - divisors are made odd and dividends or divisors non-negative (OpenCL C §6.5.1); shifts need nothing
//!   (§6.5.10);
//! - every variable is initialised, every index masked, every loop bounded by a counter that its body cannot
//!   write;
//! - expressions have no side effects but within one operand of a comma, so that their order does not matter;
//! - a pointer's target is fixed in type, and outlives the pointer; no member of a union or packed structure
//!   is pointed to;
//! - work-items write only their own parts of shared memory, and read others' only between barriers in
//!   uniform flow; atomic operations on one counter all commute, and their results are not used;
//! - floating-point values are integers small enough for every result to be exact;
//! - padding is never compared: results leave through integers.

mod atomic;
mod builtin;
pub mod choice;
mod control;
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

/// A program with its launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The seed that it was made of.
    pub seed: u64,
    /// The source.
    pub root: Node,
    /// The arguments of the kernel, which is called `test`.
    pub arguments: Vec<Argument>,
    /// Work-items in each dimension.
    pub global: Vec<usize>,
    /// Work-items of a group in each dimension.
    pub local: Vec<usize>,
    /// It has a variable in global memory at program scope.
    pub program_variables: bool,
    /// It uses generic pointers where `GENERIC` is defined, and does the same otherwise elsewhere.
    pub generic: bool,
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
    /// Bytes of memory for each work-group.
    Local(usize),
}

/// The program of a seed.
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
    /// How many indices the expression being generated is within.
    index_depth: usize,
    /// How many expressions the statement being generated has.
    growth: usize,
    /// How often the statement being generated runs in one call of its function, at most.
    trips: usize,
    /// How many statements a call of the function runs, at most.
    cost: usize,
    /// What `cost` should not exceed.
    cost_limit: usize,
    /// Memory that the work-items of a group share.
    shared: Vec<Shared>,
    /// Counters for atomic operations.
    counters: Vec<Counter>,
    /// Structures with pointers.
    handles: Vec<Handle>,
    /// What the program defines before all else.
    prelude: Prelude,
    program_variables: bool,
    generic: bool,
}

/// Where a statement stands.
#[derive(Clone, Copy, Debug)]
struct Context {
    /// How many statements are around it.
    depth: usize,
    /// All work-items come here together.
    uniform: bool,
    /// In a loop whose `break` and `continue` may be used, and in a `switch`, where only `continue` means the
    /// loop.
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
    /// Inside of a statement that not all work-items need enter together.
    fn divergent(self) -> Self {
        Context { depth: self.depth + 1, uniform: false, ..self }
    }

    /// Inside of a statement that all work-items enter together.
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

    /// Whether to use a feature where there are `others` worth of alternatives.
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
        // Few of the wide ones, which are long to write down.
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
