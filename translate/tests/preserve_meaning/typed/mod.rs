//! Random kernels for the lowering passes: buffers, constants, local and private memory, pointers of every
//! kind, all types, and several work-items.
//!
//! A program has one meaning, whatever the order of its work-items: each stores to its own part of a buffer,
//! reads the parts of others only after a barrier, and changes shared numbers only by operations that
//! commute. Accesses are in bounds and as aligned as they claim. What OpenCL C leaves to the device is not
//! observed: the bits of a NaN and the sign of a minimum of zeros are replaced before they are stored, and
//! quotients and roots in single precision are rounded to integers.
//!
//! Files: [`setup`] (parameters, variables and the launch), [`values`] (numbers), [`floats`], [`places`]
//! (memory), [`statements`] (control flow).

mod floats;
mod places;
mod setup;
mod statements;
mod values;

use crate::machine::Launch;
use crate::random::Random;
use clvk_ir::{AtomicOp, Builder, Inst, Module, Scalar, Type, Value};
use places::Place;

/// Features that devices may lack and the compiler cannot replace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Features {
    pub doubles: bool,
    pub atomics_64: bool,
}

/// A kernel, its arguments and the sizes of its launch.
pub struct Program {
    pub module: Module,
    pub launch: Launch,
}

/// The program for a seed.
pub fn program(seed: u64, features: Features) -> Program {
    setup::program(Random::new(seed ^ 0x7e57), features)
}

/// A construct that may be left or continued, with the types of the values that this takes.
#[derive(Clone)]
struct Target {
    inst: Inst,
    types: Vec<Type>,
}

/// What a statement may use.
#[derive(Clone, Default)]
struct Scope {
    values: Vec<Value>,
    places: Vec<Place>,
    exits: Vec<Target>,
    loops: Vec<Target>,
    depth: u32,
}

/// A number that work-items change concurrently, always by the same operation.
#[derive(Clone, Copy)]
struct Counter {
    pointer: Value,
    op: AtomicOp,
    ty: Type,
}

/// Memory in which the work-items of a group exchange words: each has one, at its local linear id.
#[derive(Clone, Copy)]
struct Exchange {
    /// The start of all words.
    start: Value,
    /// This work-item's number, and the number of work-items, as `I32`.
    item: Value,
    items: Value,
}

struct Generator<'f> {
    random: Random,
    builder: Builder<'f>,
    features: Features,
    /// The number of statements that may still be generated.
    fuel: u32,
    counters: Vec<Counter>,
    exchange: Option<Exchange>,
    /// Memory in which they exchange vectors of four words as well.
    rows: Option<Value>,
    /// No work-item may leave the kernel early, because others wait for it.
    meets: bool,
    /// The address space of generic pointers may be queried.
    asks_space: bool,
}

impl Generator<'_> {
    fn ty(&self, value: Value) -> Type {
        self.builder.function.ty(value)
    }

    /// A scalar type that memory can hold.
    fn scalar(&mut self) -> Scalar {
        let all = [Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64, Scalar::F16, Scalar::F32, Scalar::F64];
        let count = if self.features.doubles { 7 } else { 6 };
        self.random.pick(&all[..count])
    }

    /// A type that memory can hold; most often a scalar.
    fn some_type(&mut self) -> Type {
        let lanes = self.random.pick(&[1, 1, 1, 1, 2, 3, 4, 4, 8, 16]);
        Type::with_lanes(self.scalar(), lanes)
    }
}
