//! Programs run by other processes, so that crashes and hangs of a driver do not end the comparison.
//!
//! - [`protocol`]: the requests to such a process, and its answers: JSON, one line each.
//! - [`process`]: a child process that is restarted when it dies or takes too long.
//! - [`alignment`]: finds broken promises of alignment.
//! - [`vulkan`]: this crate's own executor: compiles programs and runs them on a Vulkan device.
//!
//! `tools/opencl-executor.py` is another implementation, for OpenCL drivers.

pub mod alignment;
pub mod process;
pub mod protocol;
pub mod vulkan;
