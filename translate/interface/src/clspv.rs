//! How hosts of clspv launch kernels: the choices that they make on its command line, and what a module tells
//! them with the extended instruction set `NonSemantic.ClspvReflection`.
//!
//! [`Reflection`] is to such a host what [`ModuleInterface`](crate::ModuleInterface) is to our runtime. Names
//! follow the specification of the instruction set (SPIR-V registry, revision 5).

use crate::{ProgramSampler, sampler_word};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// What a host of clspv asks for.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ClspvLaunch {
    /// Work-groups at the ends of a launch may be smaller; the host launches such regions separately.
    pub non_uniform: bool,
    /// The host sets a global offset; otherwise it is 0. Without regions it is in specialisation constants.
    pub global_offset: bool,
    /// The global offset is in push constants in any case.
    pub global_offset_in_push_constants: bool,
    /// Values must go into push constants (`-pod-pushconstant`); otherwise they go to a storage buffer where
    /// push constants are too small.
    pub values_in_push_constants: bool,
    /// Bytes of push constants that the host can set.
    pub max_push_constants: u32,
    /// The kernel's arguments are described as `clGetKernelArgInfo` does (`-cl-kernel-arg-info`).
    pub argument_information: bool,
}

/// Numbers of a launch that the host writes into the push constants: three words each, at the same place for
/// all kernels of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum LaunchWords {
    /// The global offset.
    GlobalOffset,
    /// The work-group size that was asked for.
    EnqueuedLocalSize,
    /// The global size.
    GlobalSize,
    /// The global offset plus the position of the region's first work-item.
    RegionOffset,
    /// The number of work-groups of the whole launch.
    NumWorkgroups,
    /// The position of the region's first work-group.
    RegionGroupOffset,
}

impl LaunchWords {
    /// All of them, in the order in which clspv places them.
    pub const ALL: [LaunchWords; 6] = [
        LaunchWords::GlobalOffset,
        LaunchWords::EnqueuedLocalSize,
        LaunchWords::GlobalSize,
        LaunchWords::RegionOffset,
        LaunchWords::NumWorkgroups,
        LaunchWords::RegionGroupOffset,
    ];

    /// Bytes.
    pub const SIZE: u32 = 12;

    /// The number of the instruction that tells where the words are.
    #[must_use]
    pub fn instruction(self) -> u32 {
        15 + self as u32
    }

    /// The name in a descriptor map.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            LaunchWords::GlobalOffset => "global_offset",
            LaunchWords::EnqueuedLocalSize => "enqueued_local_size",
            LaunchWords::GlobalSize => "global_size",
            LaunchWords::RegionOffset => "region_offset",
            LaunchWords::NumWorkgroups => "num_workgroups",
            LaunchWords::RegionGroupOffset => "region_group_offset",
        }
    }
}

/// What a module tells a host of clspv.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reflection {
    /// The kernels, in the order of the source.
    pub kernels: Vec<ReflectedKernel>,
    /// Samplers that the program declares, in descriptor set 0.
    pub samplers: Vec<ProgramSampler>,
    /// The program's variables and large constants.
    pub variables: Option<ReflectedVariables>,
    /// Where the numbers of a launch go: byte offsets in the push constants.
    pub launch_words: Vec<(LaunchWords, u32)>,
    /// The specialisation constant that holds the number of dimensions, if a kernel uses it.
    pub work_dim: Option<u32>,
    /// The first of the three specialisation constants that hold the global offset, if they do.
    pub global_offset: Option<u32>,
}

/// A kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReflectedKernel {
    /// Name, which is also the entry point's.
    pub name: String,
    /// The kernel's attributes as clspv spells them: `__attribute__((reqd_work_group_size(8, 1,
    /// 1)))__kernel`.
    pub attributes: String,
    /// Number of arguments in the source.
    pub argument_count: u32,
    /// `reqd_work_group_size`.
    pub required_work_group_size: Option<[u32; 3]>,
    /// The arguments, without buffers that the kernel does not use.
    pub arguments: Vec<ReflectedArgument>,
    /// Words about images and samplers, all in push constants.
    pub words: Vec<ReflectedWord>,
}

/// An argument.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReflectedArgument {
    /// Position in the source, counted from 0.
    pub ordinal: u32,
    /// Name in the source.
    pub name: String,
    /// What `clGetKernelArgInfo` answers, if that was asked for.
    pub information: Option<ArgumentInformation>,
    /// How it is passed.
    pub place: ArgumentPlace,
}

/// What `clGetKernelArgInfo` answers, with OpenCL's numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArgumentInformation {
    /// `CL_KERNEL_ARG_TYPE_NAME`.
    pub type_name: String,
    /// `CL_KERNEL_ARG_ADDRESS_QUALIFIER`.
    pub address: u32,
    /// `CL_KERNEL_ARG_ACCESS_QUALIFIER`.
    pub access: u32,
    /// `CL_KERNEL_ARG_TYPE_QUALIFIER`.
    pub qualifiers: u32,
}

/// A descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Descriptor {
    /// Descriptor set.
    pub set: u32,
    /// Binding.
    pub binding: u32,
}

/// How an argument is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the instructions have these names")]
pub enum ArgumentPlace {
    StorageBuffer(Descriptor),
    PodStorageBuffer { descriptor: Descriptor, offset: u32, size: u32 },
    PodPushConstant { offset: u32, size: u32 },
    PointerPushConstant { offset: u32, size: u32 },
    SampledImage(Descriptor),
    StorageImage(Descriptor),
    UniformTexelBuffer(Descriptor),
    StorageTexelBuffer(Descriptor),
    Sampler(Descriptor),
    Workgroup { spec_id: u32, element_size: u32 },
}

impl ArgumentPlace {
    /// The number of the instruction, and its operands after the argument's position.
    #[must_use]
    pub fn instruction(self) -> (u32, Vec<u32>) {
        use ArgumentPlace as Place;
        let at = |Descriptor { set, binding }| vec![set, binding];
        match self {
            Place::StorageBuffer(descriptor) => (3, at(descriptor)),
            Place::PodStorageBuffer { descriptor, offset, size } => {
                (5, [at(descriptor), vec![offset, size]].concat())
            }
            Place::PodPushConstant { offset, size } => (7, vec![offset, size]),
            Place::SampledImage(descriptor) => (8, at(descriptor)),
            Place::StorageImage(descriptor) => (9, at(descriptor)),
            Place::Sampler(descriptor) => (10, at(descriptor)),
            Place::Workgroup { spec_id, element_size } => (11, vec![spec_id, element_size]),
            Place::PointerPushConstant { offset, size } => (26, vec![offset, size]),
            Place::StorageTexelBuffer(descriptor) => (34, at(descriptor)),
            Place::UniformTexelBuffer(descriptor) => (35, at(descriptor)),
        }
    }
}

/// A word about an image or a sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReflectedWord {
    /// Position of the argument.
    pub ordinal: u32,
    /// What the word is.
    pub kind: WordKind,
    /// Byte offset in the push constants.
    pub offset: u32,
}

/// What a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum WordKind {
    /// OpenCL's number of an image's channel order.
    ChannelOrder,
    /// OpenCL's number of an image's channel data type.
    ChannelDataType,
    /// The sampler's properties ([`sampler_word`]); the sampler that is bound has normalised coordinates.
    SamplerMask,
}

impl WordKind {
    /// The number of the instruction.
    #[must_use]
    pub fn instruction(self) -> u32 {
        match self {
            WordKind::ChannelOrder => 30,
            WordKind::ChannelDataType => 31,
            WordKind::SamplerMask => 41,
        }
    }
}

/// The buffer with the program's variables.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReflectedVariables {
    /// The kernels only read it. Otherwise, it keeps its contents from launch to launch.
    pub constant: bool,
    /// The contents at the start.
    pub data: Vec<u8>,
    /// Where it is.
    pub place: VariablesPlace,
}

/// How kernels reach the program's variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum VariablesPlace {
    /// By a descriptor.
    StorageBuffer(Descriptor),
    /// By an address in the push constants, at this byte offset.
    PushConstant(u32),
}

impl ReflectedVariables {
    /// The number of the instruction, and its operands before the data.
    #[must_use]
    pub fn instruction(&self) -> (u32, [u32; 2]) {
        match self.place {
            VariablesPlace::StorageBuffer(Descriptor { set, binding }) => {
                (if self.constant { 21 } else { 28 }, [set, binding])
            }
            VariablesPlace::PushConstant(offset) => (if self.constant { 36 } else { 37 }, [offset, 8]),
        }
    }

    /// The contents as hexadecimal digits, the lowest address first.
    #[must_use]
    pub fn hexadecimal(&self) -> String {
        self.data.iter().fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
    }
}

impl Reflection {
    /// The descriptor map: lines of values separated by commas, as `clspv-reflection` writes them.
    #[must_use]
    pub fn descriptor_map(&self) -> String {
        let mut map = String::new();
        for sampler in &self.samplers {
            map.push_str(&sampler_line(sampler));
        }
        if let Some(variables) = &self.variables
            && let VariablesPlace::StorageBuffer(Descriptor { set, binding }) = variables.place
            && variables.constant
        {
            let data = variables.hexadecimal();
            let _ =
                writeln!(map, "constant,descriptorSet,{set},binding,{binding},kind,buffer,hexbytes,{data}");
        }
        for kernel in &self.kernels {
            let _ = writeln!(map, "kernel_decl,{}", kernel.name);
            for argument in &kernel.arguments {
                let start =
                    format!("kernel,{},arg,{},argOrdinal,{}", kernel.name, argument.name, argument.ordinal);
                let _ = writeln!(map, "{start},{}", place_text(argument.place));
            }
        }
        for (words, offset) in &self.launch_words {
            let _ = writeln!(
                map,
                "pushconstant,name,{},offset,{offset},size,{}",
                words.name(),
                LaunchWords::SIZE
            );
        }
        if !self.kernels.is_empty() {
            for (id, axis) in ["x", "y", "z"].into_iter().enumerate() {
                let _ = writeln!(map, "spec_constant,workgroup_size_{axis},spec_id,{id}");
            }
        }
        if let Some(first) = self.global_offset {
            for (id, axis) in (first..).zip(["x", "y", "z"]) {
                let _ = writeln!(map, "spec_constant,global_offset_{axis},spec_id,{id}");
            }
        }
        if let Some(id) = self.work_dim {
            let _ = writeln!(map, "spec_constant,work_dim,spec_id,{id}");
        }
        map
    }
}

fn place_text(place: ArgumentPlace) -> String {
    use ArgumentPlace as Place;
    let at = |Descriptor { set, binding }, kind: &str| {
        format!("descriptorSet,{set},binding,{binding},offset,0,argKind,{kind}")
    };
    match place {
        Place::StorageBuffer(descriptor) => at(descriptor, "buffer"),
        Place::PodStorageBuffer { descriptor: Descriptor { set, binding }, offset, size } => {
            format!("descriptorSet,{set},binding,{binding},offset,{offset},argKind,pod,argSize,{size}")
        }
        Place::PodPushConstant { offset, size } => {
            format!("offset,{offset},argKind,pod_pushconstant,argSize,{size}")
        }
        Place::PointerPushConstant { offset, size } => {
            format!("offset,{offset},argKind,pointer_pushconstant,argSize,{size}")
        }
        Place::SampledImage(descriptor) => at(descriptor, "ro_image"),
        Place::StorageImage(descriptor) => at(descriptor, "wo_image"),
        Place::UniformTexelBuffer(descriptor) => at(descriptor, "uniform_texel_buffer"),
        Place::StorageTexelBuffer(descriptor) => at(descriptor, "storage_texel_buffer"),
        Place::Sampler(descriptor) => at(descriptor, "sampler"),
        Place::Workgroup { spec_id, element_size } => {
            format!("argKind,local,arrayElemSize,{element_size},arrayNumElemSpecId,{spec_id}")
        }
    }
}

fn sampler_line(sampler: &ProgramSampler) -> String {
    use crate::SamplerAddressing as Addressing;
    let coordinates = if sampler.normalized_coordinates { "TRUE" } else { "FALSE" };
    let addressing = match sampler.addressing {
        Addressing::None => "NONE",
        Addressing::ClampToEdge => "CLAMP_TO_EDGE",
        Addressing::Clamp => "CLAMP",
        Addressing::Repeat => "REPEAT",
        Addressing::MirroredRepeat => "MIRRORED_REPEAT",
    };
    let filter = if sampler.linear { "LINEAR" } else { "NEAREST" };
    let mask = sampler_word(sampler.addressing, sampler.linear, sampler.normalized_coordinates);
    format!(
        "sampler,{mask},samplerExpr,\"CLK_NORMALIZED_COORDS_{coordinates}|CLK_ADDRESS_{addressing}|\
         CLK_FILTER_{filter}\",descriptorSet,0,binding,{}\n",
        sampler.binding
    )
}
