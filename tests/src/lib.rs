//! Real kernels as test cases, each with inputs made from a seed and an independent reference.
//!
//! - [`applicable`]: counts the tests that need something that a device lacks.
//! - [`mod@bench`]: a device with the validation layer on, for one test at a time.
//! - [`case`]: the data of a case: source, launches, arguments, expected outputs with their tolerances.
//! - [`cases`]: the registry, and one module for each kernel under `tests/kernels`.
//! - [`compare`]: the verdict on an output.
//! - [`comparison`]: the results of several implementations for one program.
//! - [`executor`]: runs programs in separate processes.
//! - [`export`]: writes a case into a folder, so that another OpenCL implementation can run exactly the same.
//! - [`fuzz`]: the targets of the fuzzers, and the mutation of sources.
//! - [`generator`]: random programs, to compare implementations with.
//! - [`picture`]: PNG files.
//! - [`pipeline`]: the compiler in one call, and [`run`]: a case on a Vulkan device.
//! - [`program`]: the small programs of `tests/programs`, whose headers give the expected results.
//! - [`random`]: the generator of the inputs, the same on every machine.
//!
//! Expected outputs are computed here on the CPU, in `f64` or in exact integers where it matters; the output
//! of a GPU is never the reference.
#![forbid(unsafe_code)]

pub mod applicable;
pub mod bench;
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
