//! Real kernels as test cases, each with its inputs made from a seed and an independent reference.
//!
//! - [`applicable`]: counts the tests that need what a device does not have.
//! - [`case`]: what a case is: source, launches, arguments, expected outputs with their tolerances, all plain
//!   data.
//! - [`cases`]: the registry, and one module per kernel under `tests/kernels`.
//! - [`compare`]: the verdict on an output.
//! - [`comparison`]: what several implementations make of one program.
//! - [`executor`]: runs programs in processes of their own.
//! - [`export`]: writes a case into a folder, so that another OpenCL implementation can run the very same
//!   thing.
//! - [`fuzz`]: what the fuzzers feed, and how they damage sources.
//! - [`generator`]: random programs, to compare implementations with.
//! - [`picture`]: PNG files.
//! - [`pipeline`]: the compiler in one call, and [`run`]: a case on a Vulkan device.
//! - [`program`]: the small programs of `tests/programs`, whose headers say what must come of them.
//! - [`random`]: the generator of the inputs, the same on every machine.
//!
//! Expected outputs are computed here on the CPU, in `f64` or in exact integers where it matters; no output
//! of a GPU is ever taken for a reference.
#![forbid(unsafe_code)]

pub mod applicable;
pub mod case;
pub mod cases;
pub mod compare;
pub mod comparison;
pub mod executor;
pub mod export;
pub mod fuzz;
pub mod generator;
pub mod judge;
pub mod picture;
pub mod pipeline;
pub mod program;
pub mod random;
pub mod run;
pub mod spirv;
