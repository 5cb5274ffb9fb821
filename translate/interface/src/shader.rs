//! How the host must launch a kernel that is written in another language than SPIR-V.

use crate::{ModuleInterface, ScalarType};
use serde::{Deserialize, Serialize};

/// A language of shaders besides SPIR-V.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ShaderLanguage {
    /// WebGPU's.
    Wgsl,
    /// Metal's.
    Msl,
    /// Direct3D's.
    Hlsl,
    /// OpenGL's.
    Glsl,
}

impl ShaderLanguage {
    /// All of them.
    pub const ALL: [ShaderLanguage; 4] =
        [ShaderLanguage::Wgsl, ShaderLanguage::Msl, ShaderLanguage::Hlsl, ShaderLanguage::Glsl];

    /// The language's name, and the usual extension of its files: `wgsl`, `metal`, `hlsl`, `comp`.
    #[must_use]
    pub fn names(self) -> (&'static str, &'static str) {
        match self {
            ShaderLanguage::Wgsl => ("WGSL", "wgsl"),
            ShaderLanguage::Msl => ("MSL", "metal"),
            ShaderLanguage::Hlsl => ("HLSL", "hlsl"),
            ShaderLanguage::Glsl => ("GLSL", "comp"),
        }
    }
}

/// An optional feature of WebGPU that shaders may use: only where the profile lists it
/// ([`DeviceProfile::shader_features`](crate::DeviceProfile::shader_features)).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ShaderFeature {
    /// Half precision.
    #[serde(rename = "shader-f16")]
    Half,
    /// Sub-groups of 4 to 128 work-items.
    #[serde(rename = "subgroups")]
    SubGroups,
}

impl ShaderFeature {
    /// All of them.
    pub const ALL: [ShaderFeature; 2] = [ShaderFeature::Half, ShaderFeature::SubGroups];

    /// Its name in WebGPU, a `GPUFeatureName`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ShaderFeature::Half => "shader-f16",
            ShaderFeature::SubGroups => "subgroups",
        }
    }
}

/// The interface of the kernels of a shader: what [`ModuleInterface`] says, with these differences.
///
/// - Descriptor bindings are those of bind group 0 in WGSL, register space 0 in HLSL, and the index of a
///   buffer, texture or sampler in MSL. In HLSL, storage buffers that the kernel only reads and textures are
///   `t` registers, other storage buffers `u`, uniform buffers `b`.
/// - What the module's interface has in the push constants is in a uniform buffer
///   ([`ShaderEntryPoint::uniform`]), at the same offsets.
/// - Specialisation constants are overrides in WGSL, with the constant's `SpecId` as their `@id`. In the
///   other languages they were given their values when the text was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShaderInterface {
    /// The language.
    pub language: ShaderLanguage,
    /// The entry points, in the order of the kernels.
    pub entry_points: Vec<ShaderEntryPoint>,
    /// The overrides.
    pub overrides: Vec<ShaderOverride>,
    /// The features that the device must be opened with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub features: Vec<ShaderFeature>,
    /// The interface of the kernels.
    pub module: ModuleInterface,
}

/// One kernel of a shader.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShaderEntryPoint {
    /// Name of the kernel.
    pub kernel: String,
    /// Name of the function in the text; it differs where the kernel's name is taken in the language.
    pub name: String,
    /// The uniform buffer, if there is one.
    pub uniform: Option<UniformBlock>,
    /// Everything that a launch binds, the uniform buffer included. What an argument does not use is not
    /// bound.
    pub bindings: Vec<ShaderBinding>,
    /// The work-group size in the text; `None` if overrides determine it.
    pub work_group_size: Option<[u32; 3]>,
}

/// The uniform buffer of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UniformBlock {
    /// Its binding.
    pub binding: u32,
    /// Its size in bytes, a multiple of 16.
    pub size: u32,
}

/// What a binding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ShaderResource {
    /// A storage buffer that the kernel writes.
    Storage,
    /// A storage buffer that the kernel only reads.
    ReadOnlyStorage,
    /// The uniform buffer.
    Uniform,
    /// An image that is read, by a sampler or without one.
    Texture,
    /// An image that is written.
    StorageTexture {
        /// The format of its texels. The image that is bound must have it.
        format: TexelFormat,
    },
    /// A sampler.
    Sampler,
}

/// The format of the texels of an image that a kernel writes: those that every WebGPU device can write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs)]
pub enum TexelFormat {
    Rgba8Unorm,
    Rgba8Snorm,
    Rgba8Uint,
    Rgba8Sint,
    Rgba16Uint,
    Rgba16Sint,
    Rgba16Float,
    R32Uint,
    R32Sint,
    R32Float,
    Rg32Uint,
    Rg32Sint,
    Rg32Float,
    Rgba32Uint,
    Rgba32Sint,
    Rgba32Float,
}

impl TexelFormat {
    /// All of them, with WebGPU's names.
    pub const ALL: [(&'static str, TexelFormat); 16] = [
        ("rgba8unorm", TexelFormat::Rgba8Unorm),
        ("rgba8snorm", TexelFormat::Rgba8Snorm),
        ("rgba8uint", TexelFormat::Rgba8Uint),
        ("rgba8sint", TexelFormat::Rgba8Sint),
        ("rgba16uint", TexelFormat::Rgba16Uint),
        ("rgba16sint", TexelFormat::Rgba16Sint),
        ("rgba16float", TexelFormat::Rgba16Float),
        ("r32uint", TexelFormat::R32Uint),
        ("r32sint", TexelFormat::R32Sint),
        ("r32float", TexelFormat::R32Float),
        ("rg32uint", TexelFormat::Rg32Uint),
        ("rg32sint", TexelFormat::Rg32Sint),
        ("rg32float", TexelFormat::Rg32Float),
        ("rgba32uint", TexelFormat::Rgba32Uint),
        ("rgba32sint", TexelFormat::Rgba32Sint),
        ("rgba32float", TexelFormat::Rgba32Float),
    ];

    /// WebGPU's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, format)| *format == self).expect("all of them are listed").0
    }

    /// The numbers that kernels write: 32 bits of float, signed or unsigned integer.
    #[must_use]
    pub fn element(self) -> ScalarType {
        match self {
            TexelFormat::Rgba8Uint
            | TexelFormat::Rgba16Uint
            | TexelFormat::R32Uint
            | TexelFormat::Rg32Uint
            | TexelFormat::Rgba32Uint => ScalarType::U32,
            TexelFormat::Rgba8Sint
            | TexelFormat::Rgba16Sint
            | TexelFormat::R32Sint
            | TexelFormat::Rg32Sint
            | TexelFormat::Rgba32Sint => ScalarType::I32,
            _ => ScalarType::F32,
        }
    }

    /// The format that holds what a kernel writes where nothing else is asked for: colours as bytes
    /// (`write_imagef`), integers as they are.
    #[must_use]
    pub fn usual(element: ScalarType) -> TexelFormat {
        match element {
            ScalarType::I32 => TexelFormat::Rgba32Sint,
            ScalarType::U32 => TexelFormat::Rgba32Uint,
            _ => TexelFormat::Rgba8Unorm,
        }
    }
}

/// One binding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShaderBinding {
    /// Number.
    pub binding: u32,
    /// What is bound.
    pub resource: ShaderResource,
    /// Name in the source, for readers.
    pub name: String,
}

/// A constant that is set when a pipeline is made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShaderOverride {
    /// Number (`@id`): the specialisation constant's `SpecId`.
    pub id: u32,
    /// Name in the text.
    pub name: String,
    /// Value that it has if it is not set; `None` if it must be set.
    pub default: Option<u32>,
}
