//! A device's answers to `clGetDeviceInfo` (OpenCL API §4.2, table of device queries).
//!
//! Everything comes from the profile, from the Vulkan device and from the table of features. Where Vulkan has
//! no number, the answer is the specification's minimum or comes from the operating system.

use super::device::Device;
use super::image::LEAST_ALIGNMENT;
use super::mutable;
use super::platform::{self, Platform, VERSION, name_version, version};
use super::queue::{PREFERRED_QUEUE_SIZE, QUEUES};
use super::semaphore::names_of;
use super::svm::Kind;
use super::{extension, external};
use crate::cl::*;
use crate::code::{self, Result};
use crate::handle::{self, Handle};
use crate::info::{self, Answer};
use clvk_interface::enqueue::{DEFAULT_QUEUE_SIZE, EVENTS};
use clvk_interface::{AddressingMode, Feature, FeatureKind, Guarantee, Quirk};

/// Versions of OpenCL C that can be chosen with `-cl-std` on every device.
const LANGUAGE_VERSIONS: [cl_version; 4] =
    [version(1, 0, 0), version(1, 1, 0), version(1, 2, 0), version(3, 0, 0)];

/// Features that OpenCL C 2.0 always has, and that newer versions have if the device offers them (OpenCL C
/// §6.2.1).
const FEATURES_OF_VERSION_TWO: [Feature; 12] = [
    Feature::AtomicOrderAcqRel,
    Feature::AtomicOrderSeqCst,
    Feature::AtomicScopeAllDevices,
    Feature::AtomicScopeDevice,
    Feature::DeviceEnqueue,
    Feature::GenericAddressSpace,
    Feature::Image3dWrites,
    Feature::Images,
    Feature::Pipes,
    Feature::ProgramScopeGlobalVariables,
    Feature::ReadWriteImages,
    Feature::WorkGroupCollectiveFunctions,
];

/// Most bytes of kernel arguments. Arguments beyond the push constants spill to a buffer, so this is only a
/// sensible bound.
pub const MAX_PARAMETER_SIZE: usize = 4096;

/// Bytes of a packet of a pipe.
pub const MAX_PIPE_PACKET: u32 = 1024;

/// Alignment of buffers and sub-buffers in bytes: the largest type is `long16`.
pub const BASE_ALIGNMENT: usize = 128;

/// The versions of SPIR-V that programs may be made of, 1.6 to 1.0: the part after the point.
const SPIRV_MINORS: [u32; 7] = [6, 5, 4, 3, 2, 1, 0];

impl Device {
    /// Answers a query.
    pub fn query(&self, name: cl_device_info) -> Result<Answer> {
        self.query_identity(name)
            .or_else(|| self.query_execution(name))
            .or_else(|| self.query_memory(name))
            .or_else(|| self.query_images(name))
            .or_else(|| self.query_arithmetic(name))
            .or_else(|| self.query_matrix_memory(name))
            .or_else(|| self.query_optional(name))
            .unwrap_or(Err(code::INVALID_VALUE))
    }

    /// Versions of OpenCL C that it supports completely, 3.0, and 3.1 if it has what that demands.
    fn language_versions(&self) -> impl Iterator<Item = cl_version> {
        let has_two = FEATURES_OF_VERSION_TWO.into_iter().all(|feature| self.has(feature));
        let two = has_two.then_some(version(2, 0, 0));
        let [older @ .., newest] = LANGUAGE_VERSIONS;
        let three_one = Some(self.version()).filter(|&newest| newest > VERSION);
        older.into_iter().chain(two).chain([newest]).chain(three_one)
    }

    /// The newest version of OpenCL whose demands it meets.
    pub fn version(&self) -> cl_version {
        if self.level().missing().is_empty() { version(3, 1, 0) } else { VERSION }
    }

    /// What it can do for versions of OpenCL.
    fn level(&self) -> clvk::Level {
        clvk::Level::of(self.abilities())
    }

    /// Limits and identities of the Vulkan device.
    pub fn facts(&self) -> &vk_runtime::DeviceFacts {
        self.info().facts().expect("only usable devices are listed")
    }

    fn query_identity(&self, name: cl_device_info) -> Option<Result<Answer>> {
        let versioned = |names: &[&str], version| {
            info::list(&names.iter().map(|name| name_version(name, version)).collect::<Vec<_>>())
        };
        Some(match name {
            CL_DEVICE_TYPE => info::value(self.kind()),
            CL_DEVICE_VENDOR_ID => info::value(self.info().pci_id().0),
            CL_DEVICE_NAME => info::text(self.info().name()),
            CL_DEVICE_VENDOR => info::text(vendor(self.info().pci_id().0)),
            CL_DRIVER_VERSION => info::text(env!("CARGO_PKG_VERSION")),
            CL_DEVICE_PROFILE => info::text("FULL_PROFILE"),
            CL_DEVICE_VERSION => info::text(&platform::version_text(self.version())),
            CL_DEVICE_NUMERIC_VERSION => info::value(self.version()),
            // The newest version that is supported completely (OpenCL API §4.2): some parts of 2.0 and 3.0
            // are missing.
            CL_DEVICE_OPENCL_C_VERSION => info::text("OpenCL C 1.2 clvk"),
            CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR => info::value(version(1, 2, 0)),
            // 2021, the newer version, does not fit into the ten bits of `cl_version`.
            CL_DEVICE_CXX_FOR_OPENCL_NUMERIC_VERSION_EXT => info::value(version(1, 0, 0)),
            CL_DEVICE_OPENCL_C_ALL_VERSIONS => {
                let versions = self.language_versions();
                info::list(&versions.map(|it| name_version("OpenCL C", it)).collect::<Vec<_>>())
            }
            CL_DEVICE_OPENCL_C_FEATURES => {
                let features = self.features().iter().filter(|it| it.kind() == FeatureKind::LanguageFeature);
                versioned(&features.map(Feature::name).collect::<Vec<_>>(), version(3, 0, 0))
            }
            CL_DEVICE_EXTENSIONS => info::text(&extension::names(self).join(" ")),
            CL_DEVICE_EXTENSIONS_WITH_VERSION => platform::with_versions(&extension::names(self)),
            CL_DEVICE_BUILT_IN_KERNELS => info::text(""),
            CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION => info::bytes(&[]),
            // The newest first, as applications expect that look at the first one alone.
            CL_DEVICE_IL_VERSION => {
                let names: Vec<String> =
                    SPIRV_MINORS.iter().map(|minor| format!("SPIR-V_1.{minor}")).collect();
                info::text(&names.join(" "))
            }
            CL_DEVICE_ILS_WITH_VERSION => {
                let names = SPIRV_MINORS.iter().map(|minor| name_version("SPIR-V", version(1, *minor, 0)));
                info::list(&names.collect::<Vec<_>>())
            }
            // The form for devices that were not submitted.
            CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED => info::text("v0000-01-01-00"),
            CL_DEVICE_PLATFORM => info::value(Handle::of(Platform::get())),
            CL_DEVICE_PARENT_DEVICE => info::value(Handle::<Device>::NULL),
            CL_DEVICE_REFERENCE_COUNT => info::value(1u32),
            CL_DEVICE_AVAILABLE | CL_DEVICE_COMPILER_AVAILABLE | CL_DEVICE_LINKER_AVAILABLE => {
                info::truth(true)
            }
            // All imported images are linear.
            CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR
            | CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR
                if self.imports_memory() =>
            {
                info::list(&external::names_of(self.memory_handles()))
            }
            CL_DEVICE_SEMAPHORE_TYPES_KHR => info::list(&[CL_SEMAPHORE_TYPE_BINARY_KHR]),
            CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR | CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR
                if self.shares_semaphores() =>
            {
                info::list(&names_of(self.semaphore_handles()))
            }
            CL_DEVICE_UUID_KHR => info::value(self.facts().device_uuid),
            CL_DRIVER_UUID_KHR => info::value(self.facts().driver_uuid),
            CL_DEVICE_LUID_VALID_KHR => info::truth(self.facts().luid.is_some()),
            CL_DEVICE_LUID_KHR => info::value(self.facts().luid.unwrap_or_default().0),
            CL_DEVICE_NODE_MASK_KHR => info::value(self.facts().luid.unwrap_or_default().1),
            CL_DEVICE_PCI_BUS_INFO_KHR => {
                let [domain, bus, device, function] = self.facts().pci_address?;
                info::list(&[domain, bus, device, function])
            }
            _ => return None,
        })
    }

    fn query_execution(&self, name: cl_device_info) -> Option<Result<Answer>> {
        let profile = self.profile();
        Some(match name {
            CL_DEVICE_MAX_COMPUTE_UNITS => info::value(self.compute_units()),
            CL_DEVICE_MAX_CLOCK_FREQUENCY => info::value(self.info().clock_frequency().unwrap_or(0)),
            CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS => info::value(3u32),
            CL_DEVICE_MAX_WORK_GROUP_SIZE => info::value(profile.max_work_group_invocations as usize),
            CL_DEVICE_MAX_WORK_ITEM_SIZES => info::list(&profile.max_work_group_size.map(|it| it as usize)),
            CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE => info::value(profile.subgroup_size as usize),
            CL_DEVICE_EXECUTION_CAPABILITIES => {
                info::value(cl_bitfield::from(CL_EXEC_KERNEL | CL_EXEC_NATIVE_KERNEL))
            }
            CL_DEVICE_QUEUE_ON_HOST_PROPERTIES => {
                info::value(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE)
            }
            CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR => info::value(
                CL_COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR
                    | CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR
                    | CL_COMMAND_BUFFER_CAPABILITY_MULTIPLE_QUEUE_KHR,
            ),
            CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR => {
                info::value(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE)
            }
            CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR => info::value(mutable::FIELDS),
            // Other devices are synchronised by the host.
            CL_DEVICE_COMMAND_BUFFER_NUM_SYNC_DEVICES_KHR => info::value(1u32),
            CL_DEVICE_COMMAND_BUFFER_SYNC_DEVICES_KHR => info::list(&[handle::address(self) as usize]),
            CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR => info::value(0u64),
            CL_DEVICE_PROFILING_TIMER_RESOLUTION => {
                info::value(self.facts().timestamp_period.map_or(1, |period| period.ceil() as usize).max(1))
            }
            CL_DEVICE_PARTITION_MAX_SUB_DEVICES => info::value(0u32),
            CL_DEVICE_PARTITION_PROPERTIES => info::value(0isize),
            CL_DEVICE_PARTITION_AFFINITY_DOMAIN => info::value(0u64),
            CL_DEVICE_PARTITION_TYPE => info::value(0isize),
            CL_DEVICE_PREFERRED_INTEROP_USER_SYNC => info::truth(true),
            CL_DEVICE_PRINTF_BUFFER_SIZE => info::value(1usize << 20),
            CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT => info::truth(true),
            CL_DEVICE_MAX_NUM_SUB_GROUPS => {
                let groups = profile.max_work_group_invocations.div_ceil(profile.sub_group_size());
                info::value(if self.has_sub_groups() { groups } else { 0 })
            }
            CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS => {
                info::truth(profile.gives(Guarantee::ForwardProgress))
            }
            _ => return None,
        })
    }

    /// Whether kernels access buffers by addresses, which the application may then ask for.
    pub fn has_addresses(&self) -> bool {
        self.profile().addressing() == AddressingMode::Physical
    }

    /// The machine's processors for a software device; for hardware, what the vendor's extensions report, or
    /// else 1.
    fn compute_units(&self) -> u32 {
        match self.info().kind() {
            vk_runtime::DeviceKind::Cpu => {
                std::thread::available_parallelism().map_or(1, |count| count.get() as u32)
            }
            _ => self.facts().compute_units.unwrap_or(1),
        }
    }

    /// Bytes that one buffer can have.
    pub fn max_allocation(&self) -> u64 {
        self.facts().max_buffer_size
    }

    fn query_memory(&self, name: cl_device_info) -> Option<Result<Answer>> {
        let facts = self.facts();
        let profile = self.profile();
        let shares =
            matches!(self.info().kind(), vk_runtime::DeviceKind::Cpu | vk_runtime::DeviceKind::Integrated);
        Some(match name {
            CL_DEVICE_ADDRESS_BITS => info::value(64u32),
            CL_DEVICE_GLOBAL_MEM_SIZE => info::value(facts.memory),
            CL_DEVICE_MAX_MEM_ALLOC_SIZE => info::value(self.max_allocation()),
            CL_DEVICE_GLOBAL_MEM_CACHE_TYPE => info::value(CL_READ_WRITE_CACHE),
            CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE => info::value(64u32),
            CL_DEVICE_GLOBAL_MEM_CACHE_SIZE => info::value(32u64 << 10),
            CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE => info::value(self.max_allocation()),
            CL_DEVICE_MAX_CONSTANT_ARGS => info::value(64u32),
            CL_DEVICE_LOCAL_MEM_TYPE => info::value(if shares { CL_GLOBAL } else { CL_LOCAL }),
            CL_DEVICE_LOCAL_MEM_SIZE => info::value(u64::from(profile.max_local_memory)),
            CL_DEVICE_ERROR_CORRECTION_SUPPORT => info::truth(false),
            CL_DEVICE_HOST_UNIFIED_MEMORY => info::truth(shares),
            CL_DEVICE_MEM_BASE_ADDR_ALIGN => info::value(8 * BASE_ALIGNMENT as u32),
            CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE => info::value(BASE_ALIGNMENT as u32),
            CL_DEVICE_MAX_PARAMETER_SIZE => info::value(MAX_PARAMETER_SIZE),
            CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE => {
                info::value(if self.has(Feature::ProgramScopeGlobalVariables) { 1usize << 20 } else { 0 })
            }
            CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE => {
                info::value(if self.has(Feature::ProgramScopeGlobalVariables) { 1usize << 20 } else { 0 })
            }
            CL_DEVICE_ENDIAN_LITTLE => info::truth(true),
            CL_DEVICE_SVM_CAPABILITIES => info::value(self.svm_capabilities()),
            CL_DEVICE_SVM_TYPE_CAPABILITIES_KHR if self.has_usm() => info::list(&self.svm_types()),
            CL_DEVICE_SUB_GROUP_SIZES_INTEL if self.has_sub_groups() => {
                info::list(&[self.profile().sub_group_size() as usize])
            }
            CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL => self.answer_usm(Kind::Host)?,
            CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL => self.answer_usm(Kind::Device)?,
            CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL => self.answer_usm(Kind::Shared)?,
            // Allocations belong to one device, and kernels use no memory that is not allocated for them.
            CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL
            | CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL
                if self.has_usm() =>
            {
                info::value(0u64)
            }
            CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT
            | CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT
            | CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT => info::value(0u32),
            _ => return None,
        })
    }

    /// Whether it has unified shared memory.
    pub fn has_usm(&self) -> bool {
        self.usm_capabilities(Kind::Device) != 0
    }

    fn answer_usm(&self, kind: Kind) -> Option<Result<Answer>> {
        self.has_usm().then(|| info::value(self.usm_capabilities(kind)))
    }

    /// Whether it supports a language feature, whether or not it lists it.
    pub fn has(&self, feature: Feature) -> bool {
        self.abilities().contains(feature)
    }

    /// Whether it supports the language feature with this name.
    pub fn has_named(&self, name: &str) -> bool {
        Feature::from_name(name).is_some_and(|feature| self.has(feature))
    }

    fn query_images(&self, name: cl_device_info) -> Option<Result<Answer>> {
        let facts = self.facts();
        let images = self.has(Feature::Images);
        let size = |limit: u32| info::value(if images { limit as usize } else { 0 });
        let count = |limit: u32| info::value(if images { limit } else { 0 });
        Some(match name {
            CL_DEVICE_IMAGE_SUPPORT => info::truth(images),
            CL_DEVICE_MAX_READ_IMAGE_ARGS => count(facts.max_sampled_images.min(128)),
            CL_DEVICE_MAX_WRITE_IMAGE_ARGS => count(facts.max_storage_images.min(64)),
            CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS => {
                let offered = self.has_named("__opencl_c_read_write_images");
                info::value(if offered { facts.max_storage_images.min(64) } else { 0 })
            }
            CL_DEVICE_IMAGE2D_MAX_WIDTH | CL_DEVICE_IMAGE2D_MAX_HEIGHT => size(facts.max_image_2d),
            CL_DEVICE_IMAGE3D_MAX_WIDTH | CL_DEVICE_IMAGE3D_MAX_HEIGHT | CL_DEVICE_IMAGE3D_MAX_DEPTH => {
                size(facts.max_image_3d)
            }
            CL_DEVICE_IMAGE_MAX_BUFFER_SIZE => size(facts.max_texel_buffer_elements),
            CL_DEVICE_IMAGE_MAX_ARRAY_SIZE => size(facts.max_image_layers),
            CL_DEVICE_MAX_SAMPLERS => count(facts.max_samplers.min(16)),
            // In pixels. The smallest have one byte, the largest 16.
            CL_DEVICE_IMAGE_PITCH_ALIGNMENT => count(LEAST_ALIGNMENT as u32),
            CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT => {
                count((facts.min_texel_buffer_alignment / 16).max(LEAST_ALIGNMENT as u32))
            }
            _ => return None,
        })
    }

    fn query_arithmetic(&self, name: cl_device_info) -> Option<Result<Answer>> {
        let profile = self.profile();
        let (half, double) = (self.has(Feature::Fp16), self.has(Feature::Fp64));
        let given = |offered: bool| info::value(u32::from(offered));
        let with_subnormal = |config: cl_device_fp_config, kept: bool| {
            info::value(if kept { config | CL_FP_DENORM } else { config })
        };
        Some(match name {
            CL_DEVICE_SINGLE_FP_CONFIG => with_subnormal(
                CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN | CL_FP_FMA | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT,
                profile.denorm_preserve_f32,
            ),
            CL_DEVICE_DOUBLE_FP_CONFIG if double => {
                // Conversions round in every direction.
                let directed = CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF;
                let nearest = CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN | CL_FP_FMA;
                with_subnormal(nearest | directed, !profile.has(Quirk::FlushedDoubles))
            }
            CL_DEVICE_HALF_FP_CONFIG if half => {
                info::value(CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN | CL_FP_DENORM)
            }
            CL_DEVICE_DOUBLE_FP_CONFIG | CL_DEVICE_HALF_FP_CONFIG => info::value(0u64),
            CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR
            | CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT
            | CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT
            | CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG
            | CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT
            | CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR
            | CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT
            | CL_DEVICE_NATIVE_VECTOR_WIDTH_INT
            | CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG
            | CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT => info::value(1u32),
            CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE | CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE => given(double),
            CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF | CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF => given(half),
            _ => return None,
        })
    }

    fn query_optional(&self, name: cl_device_info) -> Option<Result<Answer>> {
        let device_scope = self.has_named("__opencl_c_atomic_scope_device");
        let acquire = self.has_named("__opencl_c_atomic_order_acq_rel");
        let sequential = self.has_named("__opencl_c_atomic_order_seq_cst");
        let all_devices = self.has_named("__opencl_c_atomic_scope_all_devices");
        let bit = |condition: bool, bit: cl_device_atomic_capabilities| if condition { bit } else { 0 };
        let optional = bit(device_scope, CL_DEVICE_ATOMIC_SCOPE_DEVICE)
            | bit(all_devices, CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES)
            | bit(sequential, CL_DEVICE_ATOMIC_ORDER_SEQ_CST);
        Some(match name {
            CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES => info::value(
                CL_DEVICE_ATOMIC_ORDER_RELAXED
                    | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP
                    | bit(acquire, CL_DEVICE_ATOMIC_ORDER_ACQ_REL)
                    | optional,
            ),
            CL_DEVICE_ATOMIC_FENCE_CAPABILITIES => info::value(
                CL_DEVICE_ATOMIC_ORDER_RELAXED
                    | CL_DEVICE_ATOMIC_ORDER_ACQ_REL
                    | CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM
                    | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP
                    | optional,
            ),
            CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT => info::truth(self.has(Feature::GenericAddressSpace)),
            CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT => {
                info::truth(self.has_named("__opencl_c_work_group_collective_functions"))
            }
            CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES if self.has_named("cl_khr_integer_dot_product") => {
                let packed = self.has_named("__opencl_c_integer_dot_product_input_4x8bit_packed");
                let vectors = self.has_named("__opencl_c_integer_dot_product_input_4x8bit");
                info::value(
                    bit(packed, CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED)
                        | bit(vectors, CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT),
                )
            }
            // Vulkan reports acceleration only for operations that the compiler does not use.
            CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT
            | CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_PACKED
                if self.has_named("cl_khr_integer_dot_product") =>
            {
                info::list(&[CL_FALSE; 6])
            }
            CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR if self.has(Feature::KernelClock) => info::value(
                bit(self.has(Feature::KernelClockScopeDevice), 1)
                    | bit(self.has(Feature::KernelClockScopeWorkGroup), 1 << 1)
                    | bit(self.has(Feature::KernelClockScopeSubGroup), 1 << 2),
            ),
            CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT => info::value(CL_DEVICE_FP_ATOMICS),
            CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT => {
                info::value(bit(self.has(Feature::DoubleGlobalAtomicAdd), CL_DEVICE_FP_ATOMICS))
            }
            CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT => info::value(CL_DEVICE_FP_ATOMICS),
            CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS => {
                info::texts(&[c"OpenCL.std", c"OpenCL.DebugInfo.100"])
            }
            CL_DEVICE_SPIRV_EXTENSIONS => info::texts(&self.level().spirv_extensions()),
            CL_DEVICE_SPIRV_CAPABILITIES => info::list(&self.level().spirv_capabilities()),
            CL_DEVICE_PIPE_SUPPORT => info::truth(self.has_named("__opencl_c_pipes")),
            CL_DEVICE_MAX_PIPE_ARGS => {
                info::value(if self.has_named("__opencl_c_pipes") { 16u32 } else { 0 })
            }
            CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS => {
                info::value(u32::from(self.has_named("__opencl_c_pipes")))
            }
            CL_DEVICE_PIPE_MAX_PACKET_SIZE => {
                info::value(if self.has_named("__opencl_c_pipes") { MAX_PIPE_PACKET } else { 0 })
            }
            CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE => info::value(self.if_enqueues(PREFERRED_QUEUE_SIZE)),
            CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE => info::value(self.if_enqueues(DEFAULT_QUEUE_SIZE)),
            CL_DEVICE_MAX_ON_DEVICE_QUEUES => info::value(self.if_enqueues(QUEUES)),
            CL_DEVICE_MAX_ON_DEVICE_EVENTS => info::value(self.if_enqueues(EVENTS)),
            CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES => info::value(
                self.if_enqueues(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE),
            ),
            CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES => {
                info::value(self.if_enqueues(CL_DEVICE_QUEUE_SUPPORTED | CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT))
            }
            _ => return None,
        })
    }
}

impl Device {
    /// Whether kernels can enqueue kernels.
    pub fn enqueues(&self) -> bool {
        self.has_named("__opencl_c_device_enqueue")
    }

    /// A limit of queues on the device; zero if it has none.
    fn if_enqueues<T: Default>(&self, value: T) -> T {
        if self.enqueues() { value } else { T::default() }
    }
}

/// Name of a PCI vendor that makes devices with Vulkan drivers.
fn vendor(id: u32) -> &'static str {
    match id {
        0x1002 | 0x1022 => "Advanced Micro Devices, Inc.",
        0x10de => "NVIDIA Corporation",
        0x13b5 => "ARM",
        0x14e4 => "Broadcom",
        0x1010 => "Imagination Technologies",
        0x1ae0 => "Google",
        0x5143 => "Qualcomm",
        0x8086 => "Intel Corporation",
        0x1_0005 => "Mesa",
        _ => "unknown",
    }
}
