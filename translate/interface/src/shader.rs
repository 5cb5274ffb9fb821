//! How the host must launch a kernel that is written in another language than SPIR-V.

use crate::ModuleInterface;
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
    /// A sampler.
    Sampler,
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
