//! Types and constants of the OpenCL headers: those of the crate `opencl-sys`, and what it lacks.

pub use opencl_sys::*;

/// The qualifiers of a kernel argument's type. The crate declares them as `cl_uint`; the headers, as a bit
/// field.
#[expect(non_camel_case_types)]
pub type cl_kernel_arg_type_qualifier = cl_bitfield;

/// Under a name that is valid in a pattern.
pub const CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_PACKED: cl_device_info =
    CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED;

/// Of `cl_ext_cxx_for_opencl`.
pub const CL_DEVICE_CXX_FOR_OPENCL_NUMERIC_VERSION_EXT: cl_device_info = 0x4230;

/// Of `cl_ext_float_atomics`.
pub const CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT: cl_device_info = 0x4231;
/// The same for double precision.
pub const CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT: cl_device_info = 0x4232;
/// The same for half precision.
pub const CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT: cl_device_info = 0x4233;
/// Loads and stores, additions, and minima and maxima, in global and in local memory.
pub const CL_DEVICE_FP_ATOMICS: cl_bitfield = 0b111 | 0b111 << 16;

/// `CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR` as the name of a query.
pub const CL_SEMAPHORE_EXPORT_KHR: cl_semaphore_info_khr = CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR as u32;

/// Of `cl_khr_cooperative_matrix`: the products for sub-groups of the usual size.
pub const CL_DEVICE_COOPERATIVE_MATRIX_DEFAULT_SUB_GROUP_VARIANTS_KHR: cl_uint = 0x1078;
/// The products for sub-groups of a given size.
pub const CL_DEVICE_COOPERATIVE_MATRIX_SUB_GROUP_VARIANTS_KHR: cl_uint = 0x1079;
/// Pointers to matrices must be multiples of this many bytes.
pub const CL_DEVICE_COOPERATIVE_MATRIX_POINTER_ALIGNMENT_KHR: cl_device_info = 0x107A;
/// Strides must be multiples of this many bytes.
pub const CL_DEVICE_COOPERATIVE_MATRIX_STRIDE_MULTIPLE_KHR: cl_device_info = 0x107B;

/// `size_t`.
#[expect(non_camel_case_types)]
pub type size_t = usize;

/// A property of command buffers (`cl_khr_command_buffer_mutable_dispatch`). The crate has another value.
pub const CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR: cl_command_buffer_properties_khr = 0x12B7;

/// The structure type of a change of a launch (`cl_khr_command_buffer_mutable_dispatch`). Headers of versions
/// before 0.9.2 have another value.
pub const MUTABLE_DISPATCH_CONFIG: cl_uint = 0;
