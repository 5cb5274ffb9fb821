//! Programs run by other processes, so that no crash and no hang of a driver ends the comparison.
//!
//! - [`protocol`]: what is said to such a process, and what it answers: JSON, a line each.
//! - [`process`]: a child process that is started again when it dies or takes too long.
//! - [`alignment`]: what broken promises of alignment are found with.
//! - [`vulkan`]: this crate's own side: compiles programs and runs them on a Vulkan device.
//!
//! `tools/opencl-executor.py` is another implementation, for OpenCL drivers.

pub mod alignment;
pub mod process;
pub mod protocol;
pub mod vulkan;
