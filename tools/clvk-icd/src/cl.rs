//! Types and constants of the OpenCL headers: those of the crate `opencl-sys`, and what it lacks.

pub use opencl_sys::*;

/// `CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED`.
pub const CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_PACKED: cl_device_info = 0x1075;

/// `size_t`.
#[expect(non_camel_case_types)]
pub type size_t = usize;
