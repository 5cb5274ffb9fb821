//! Types and constants of the OpenCL headers: those of the crate `opencl-sys`, and what it lacks.

pub use opencl_sys::*;

/// `size_t`.
#[expect(non_camel_case_types)]
pub type size_t = usize;
