//! How the host must launch a translated kernel.

use crate::measure::Measured;
use crate::sanitize::Sanitized;
use crate::{AddressingMode, PrintFormat, ProgramSampler, TexelSampler};
use serde::{Deserialize, Serialize};

/// Element type of a scalar or vector argument or of a pointer's target, as the host sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs)]
pub enum ScalarType {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F16,
    F32,
    F64,
    /// A structure, union or any other type that the host sees only as bytes.
    Opaque,
}

impl ScalarType {
    /// Size in bytes; `None` for [`ScalarType::Opaque`].
    #[must_use]
    pub fn size(self) -> Option<u32> {
        Some(match self {
            ScalarType::I8 | ScalarType::U8 => 1,
            ScalarType::I16 | ScalarType::U16 | ScalarType::F16 => 2,
            ScalarType::I32 | ScalarType::U32 | ScalarType::F32 => 4,
            ScalarType::I64 | ScalarType::U64 | ScalarType::F64 => 8,
            ScalarType::Opaque => return None,
        })
    }
}

/// Where the host puts a value that it passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ValueLocation {
    /// In the push constants, at this byte offset.
    PushConstant {
        /// Byte offset.
        offset: u32,
    },
    /// In the argument buffer, whose address (or descriptor) the interface names, at this byte offset.
    ArgumentBuffer {
        /// Byte offset.
        offset: u32,
    },
}

/// How a kernel reaches a buffer that is not an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BufferLocation {
    /// Its 64-bit address is in the push constants (physical addressing).
    Address {
        /// Byte offset.
        offset: u32,
    },
    /// It is a storage-buffer descriptor of set 0 (logical addressing).
    Descriptor {
        /// Descriptor binding.
        binding: u32,
    },
}

/// Where the arguments go that do not fit into the push constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ArgumentBuffer {
    /// Size in bytes.
    pub size: u32,
    /// How the kernel reaches it.
    pub location: BufferLocation,
}

/// High word of a pointer to a program-scope variable as stored in memory with logical addressing; the low
/// word is the offset in [`ProgramVariables`].
pub const PROGRAM_VARIABLES_TAG: u32 = 0x8000_0001;

/// The program's variables in global memory, and constants too large for a shader. They are one buffer, which
/// the host makes with the program and which keeps its contents from launch to launch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ProgramVariables {
    /// Size in bytes.
    pub size: u64,
    /// Its contents at the start; the rest is zero.
    pub contents: Vec<InitialContents>,
    /// Pointers into the buffer that are stored in it, written over the contents.
    pub pointers: Vec<VariablePointer>,
}

/// Bytes at an offset.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct InitialContents {
    /// Byte offset.
    pub offset: u64,
    /// Bytes.
    pub bytes: Vec<u8>,
}

/// An 8-byte pointer. With physical addressing it is the buffer's address plus `target`; with logical
/// addressing its high word is [`PROGRAM_VARIABLES_TAG`] and its low word `target`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct VariablePointer {
    /// Where it is stored: a byte offset.
    pub offset: u64,
    /// Where it points to: a byte offset.
    pub target: u64,
}

/// Shape of an image argument (OpenCL C §6.3.3, image types).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs)]
pub enum ImageDimension {
    D1,
    D1Array,
    D1Buffer,
    D2,
    D2Array,
    D3,
}

/// Access qualifier of an image argument (OpenCL C §6.8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs)]
pub enum ImageAccess {
    ReadOnly,
    WriteOnly,
    ReadWrite,
}

/// The coordinates at which kernels let a device's samplers interpolate between texels of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interpolation {
    /// None: kernels interpolate by themselves.
    Never,
    /// Normalised coordinates.
    Normalized,
    /// Coordinates in texels, too.
    Always,
}

/// What a kernel is told about the format of an image, as one word.
///
/// The low 15 bits are the channel order, with OpenCL's numbers (`CL_R` and so on). The next bit says that
/// the device's samplers interpolate at coordinates in texels. Then come 15 bits of the channel data type,
/// and a bit that says the same for normalised coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageInfo(u32);

impl ImageInfo {
    /// The word for a channel order and a channel data type.
    #[must_use]
    pub fn new(order: u16, data_type: u16, interpolation: Interpolation) -> Self {
        let half = |number: u16, interpolated: bool| number & 0x7fff | u16::from(interpolated) << 15;
        let order = half(order, matches!(interpolation, Interpolation::Always));
        let data_type = half(data_type, !matches!(interpolation, Interpolation::Never));
        ImageInfo(u32::from(order) | u32::from(data_type) << 16)
    }

    /// The word.
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.0
    }
}

/// What a kernel may ask about an image. The host passes the answers as words, so asking needs no view of the
/// image, whose type would have to suit its format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ImageQuery {
    /// [`ImageInfo`].
    Format,
    /// Width of a row in pixels.
    Width,
    /// Number of rows.
    Height,
    /// Number of slices.
    Depth,
    /// Number of layers of an array.
    ArraySize,
    /// Number of levels of detail.
    Levels,
}

/// The largest number of levels of detail of an image: a full chain for 32,768 pixels.
pub const MOST_LEVELS: u32 = 16;

/// What a kernel argument is and how the host passes it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ArgumentKind {
    /// A pointer to global or constant memory, passed as a 64-bit address (physical addressing).
    BufferAddress {
        /// Where the address goes.
        location: ValueLocation,
        /// The kernel only reads through it (`const` pointee, or the `__constant` address space).
        read_only: bool,
    },
    /// A pointer to global or constant memory, passed as a storage-buffer descriptor (logical addressing).
    StorageBuffer {
        /// Descriptor binding in set 0.
        binding: u32,
        /// Where the 32-bit byte offset into the descriptor's range goes.
        offset_location: ValueLocation,
        /// The kernel only reads through it.
        read_only: bool,
    },
    /// Plain data by value.
    Value {
        /// Where it goes.
        location: ValueLocation,
        /// Size in bytes.
        size: u32,
    },
    /// A pointer to local memory: the host gives a size, rounded up to whole elements.
    Local {
        /// Specialisation constant that holds the number of elements.
        spec_id: u32,
        /// Size of an element in bytes.
        element_size: u32,
    },
    /// An image: a sampled-image descriptor (`ReadOnly`) or a storage-image descriptor (otherwise).
    Image {
        /// Descriptor binding in set 0.
        binding: u32,
        /// Shape.
        dimension: ImageDimension,
        /// Access.
        access: ImageAccess,
        /// Number of storage images at this and the following bindings, one for each level of detail from the
        /// first: 1, or [`MOST_LEVELS`] where the kernel writes to a level that it chooses. The bindings
        /// beyond an image's last level are bound to its last level.
        levels: u32,
        /// Where the words go that the kernel asks for about this image.
        words: Vec<(ImageQuery, ValueLocation)>,
    },
    /// A sampler descriptor.
    Sampler {
        /// Descriptor binding in set 0.
        binding: u32,
        /// Where [`sampler_word`](crate::sampler_word) goes, if the kernel asks for the sampler's properties.
        word_location: Option<ValueLocation>,
    },
}

/// One kernel argument.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Argument {
    /// Name in the source.
    pub name: String,
    /// Type as the source spells it, for messages and `clGetKernelArgInfo`.
    pub type_name: String,
    /// Element type: of a by-value scalar or vector, or of what a pointer points to. Of an image: as what the
    /// kernel reads and writes its channels (32 bits of float, signed or unsigned integer), opaque if that
    /// differs or is not known.
    pub element: ScalarType,
    /// Lanes of that element: 1 for a scalar.
    pub lanes: u32,
    /// How it is passed.
    pub kind: ArgumentKind,
}

/// Work-group size of a kernel. The host always sets it through
/// [`SpecConstants`](crate::SpecConstants), because a module's kernels share those constants and may require
/// different sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LocalSize {
    /// Any size.
    Specialised,
    /// Only this size: `reqd_work_group_size` (OpenCL C §6.9.2).
    Required([u32; 3]),
    /// Only this size, except for the smaller work-groups at the ends that OpenCL C allows since 2.0.
    RequiredWhole([u32; 3]),
}

impl LocalSize {
    /// The size that the kernel requires, if any.
    #[must_use]
    pub fn required(self) -> Option<[u32; 3]> {
        match self {
            LocalSize::Specialised => None,
            LocalSize::Required(size) | LocalSize::RequiredWhole(size) => Some(size),
        }
    }
}

/// A buffer that a kernel uses but does not have as an argument: the host provides it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ImplicitBuffer {
    /// The program's variables ([`ModuleInterface::program_variables`]): one buffer for all launches.
    ProgramVariables,
    /// Where the launch prints (see [`mod@crate::print`]).
    Print,
    /// Private memory that the device cannot provide: [`KernelInterface::private_memory`] bytes for each
    /// work-item of a dispatch, in the order of their linear ids in the dispatch. Concurrent dispatches must
    /// not share it. Its contents are meaningless before and after.
    PrivateMemory,
    /// What the kernel enqueues (see [`enqueue`](crate::enqueue)).
    DeviceQueue,
    /// A word that tells whether the driver ended a loop of the launch early
    /// ([`Quirk::LoopsEnd`](crate::Quirk::LoopsEnd)): it is 0 before, and is set if so.
    LoopWatch,
    /// The memory that the launch may reach (see [`bounds`](crate::bounds)), for kernels that are confined to
    /// it (robust mode).
    Bounds,
    /// Where a sanitized kernel finds the sizes of its arguments and leaves its reports (see
    /// [`sanitize`](crate::sanitize)), or a kernel that measures leaves what it finds
    /// ([`measure`](crate::measure)).
    Reports,
    /// What a sanitized kernel remembers of memory (see [`Cells`](crate::sanitize::Cells)).
    Shadow,
}

/// How to launch one kernel. All data that changes from launch to launch is in the push constants (and in the
/// argument buffer when those are too small), so a launch without images or descriptors binds no descriptor
/// set.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct KernelInterface {
    /// Name of the kernel, which is also the SPIR-V entry point.
    pub name: String,
    /// Arguments, in order.
    pub arguments: Vec<Argument>,
    /// Samplers that the program declares and the kernel uses.
    #[serde(default)]
    pub samplers: Vec<ProgramSampler>,
    /// Samplers through which the kernel reads texels at coordinates in texels. If there are any, it reads no
    /// levels of images but their first, and the host binds images that it only reads as images of one level.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub texel_samplers: Vec<TexelSampler>,
    /// Work-group size.
    pub local_size: LocalSize,
    /// Bytes of push constants that the kernel declares, a multiple of 4.
    pub push_constant_size: u32,
    /// Offset in the push constants of the global offset (three 32-bit words), if the kernel uses it.
    pub global_offset: Option<u32>,
    /// Offset in the push constants of the global size (three 32-bit words), if the kernel uses it.
    pub global_size: Option<u32>,
    /// Offset in the push constants of `work_dim` (a 32-bit word), if the kernel uses it.
    pub work_dim: Option<u32>,
    /// Offset in the push constants of a word that is 0, which the driver cannot know
    /// ([`Quirk::ValueRanges`](crate::Quirk::ValueRanges),
    /// [`Quirk::LoopResults`](crate::Quirk::LoopResults),
    /// [`Quirk::ReassociatedFloats`](crate::Quirk::ReassociatedFloats)), if the kernel uses it.
    #[serde(default)]
    pub zero: Option<u32>,
    /// Offset in the push constants of this dispatch's work-group offset (three 32-bit words), if the kernel
    /// depends on the numbers of its work-groups. A launch may be split into several dispatches.
    pub group_offset: Option<u32>,
    /// Offset in the push constants of this launch's number (a 32-bit word) among those that follow from one
    /// launch from the host, if the kernel enqueues others.
    #[serde(default)]
    pub command_number: Option<u32>,
    /// Whether the kernel masks the offsets of its buffers, the global offset and the work-group offset with
    /// [`OFFSET_MASK`](crate::SpecConstants::OFFSET_MASK). A launch whose offsets are all 0 may set it to 0,
    /// so that the driver compiles the kernel without them.
    #[serde(default)]
    pub offset_mask: bool,
    /// Where arguments go that the push constants cannot hold.
    pub argument_buffer: Option<ArgumentBuffer>,
    /// The buffers that the host provides to the kernel, and where they are.
    #[serde(default)]
    pub implicit_buffers: Vec<(ImplicitBuffer, BufferLocation)>,
    /// Bytes of [`ImplicitBuffer::PrivateMemory`] for each work-item.
    #[serde(default)]
    pub private_memory: u64,
    /// Bytes of local memory that the kernel declares itself (arguments not counted).
    pub static_local_memory: u32,
    /// Whether work-items of a launch may not be split into several dispatches or padded (barriers,
    /// collectives).
    pub uses_barrier: bool,
    /// Whether the kernel uses sub-groups: its shader's work-groups are then one row of as many work-items as
    /// the kernel's work-groups have, and require full sub-groups.
    #[serde(default)]
    pub sub_groups: bool,
    /// The number of sub-groups that each work-group must have, if the kernel requires one.
    #[serde(default)]
    pub required_sub_groups: Option<u32>,
    /// Whether it is a block, which only kernels enqueue. Its arguments begin with the sizes of its local
    /// memory; the values that it captured follow.
    #[serde(default)]
    pub is_block: bool,
    /// When the host launches it by itself, if it does. Applications do not see such kernels.
    #[serde(default)]
    pub hook: Option<crate::ProgramHook>,
}

impl KernelInterface {
    /// The interface of a kernel without arguments and other needs.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        KernelInterface {
            name: name.into(),
            arguments: Vec::new(),
            samplers: Vec::new(),
            texel_samplers: Vec::new(),
            local_size: LocalSize::Specialised,
            push_constant_size: 0,
            global_offset: None,
            global_size: None,
            work_dim: None,
            zero: None,
            group_offset: None,
            command_number: None,
            offset_mask: false,
            argument_buffer: None,
            implicit_buffers: Vec::new(),
            private_memory: 0,
            static_local_memory: 0,
            uses_barrier: false,
            sub_groups: false,
            required_sub_groups: None,
            is_block: false,
            hook: None,
        }
    }

    /// Where a buffer that the host provides is, if the kernel uses it.
    #[must_use]
    pub fn implicit_buffer(&self, buffer: ImplicitBuffer) -> Option<BufferLocation> {
        self.implicit_buffers.iter().find(|(which, _)| *which == buffer).map(|&(_, location)| location)
    }

    /// The locations of the buffers that are not arguments, including the argument buffer.
    pub fn buffer_locations(&self) -> impl Iterator<Item = BufferLocation> + '_ {
        let arguments = self.argument_buffer.map(|buffer| buffer.location);
        arguments.into_iter().chain(self.implicit_buffers.iter().map(|&(_, location)| location))
    }

    /// Whether a launch binds a descriptor set.
    #[must_use]
    pub fn uses_descriptors(&self) -> bool {
        let is_descriptor = |location| matches!(location, BufferLocation::Descriptor { .. });
        !self.samplers.is_empty()
            || self.buffer_locations().any(is_descriptor)
            || self.arguments.iter().any(|argument| {
                matches!(
                    argument.kind,
                    ArgumentKind::StorageBuffer { .. }
                        | ArgumentKind::Image { .. }
                        | ArgumentKind::Sampler { .. }
                )
            })
    }
}

/// The interfaces of a SPIR-V module's kernels.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ModuleInterface {
    /// How global pointers are passed.
    pub addressing: AddressingMode,
    /// Kernels, in source order.
    pub kernels: Vec<KernelInterface>,
    /// Program-scope variables that live in a buffer, if there are any.
    pub program_variables: Option<ProgramVariables>,
    /// The calls of `printf`; records name them by position.
    #[serde(default)]
    pub print_formats: Vec<PrintFormat>,
    /// The strings, without the zeros at their ends, that records name by position.
    #[serde(default)]
    pub print_strings: Vec<Vec<u8>>,
}

impl ModuleInterface {
    /// The kernel of this name.
    #[must_use]
    pub fn kernel(&self, name: &str) -> Option<&KernelInterface> {
        self.kernels.iter().find(|kernel| kernel.name == name)
    }
}

/// A program ready for a device: SPIR-V words and their interface.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CompiledModule {
    /// SPIR-V words; none if there are no kernels.
    pub spirv: Vec<u32>,
    /// The interface of the kernels in it.
    pub interface: ModuleInterface,
    /// What the reports of its kernels refer to, if they are sanitized.
    pub sanitized: Option<Box<Sanitized>>,
    /// What the measurements of its kernels refer to, if they measure.
    pub measured: Option<Box<Measured>>,
}
