//! The languages: naga's back ends, and what they leave to do.

use crate::module::{self, COUNTED, OVERRIDDEN_ROW, OVERRIDDEN_SIZE, Resources};
use crate::{Overrides, ShaderError, ShaderText, Shaders, TexelFormats};
use clvk_interface::{
    ModuleInterface, ShaderEntryPoint, ShaderFeature, ShaderInterface, ShaderLanguage, ShaderOverride,
    ShaderResource,
};
use clvk_ir::Module;
use naga::back::{PipelineConstants, glsl, hlsl, msl, pipeline_constants::process_overrides, wgsl};
use naga::proc::BoundsCheckPolicies;
use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{ArraySize, BuiltIn, Expression, Literal, ResourceBinding, ShaderStage, TypeInner};
use std::fmt::Write;
use std::num::NonZeroU32;

/// The version of GLSL: the first with all that OpenGL's compute shaders need here.
const GLSL_VERSION: u16 = 450;

/// The version of the Metal Shading Language.
const MSL_VERSION: (u8, u8) = (2, 4);

/// What naga's WGSL writer omits (30.0). OpenCL C leaves it to the kernel that all work-items of a sub-group
/// reach its operations, or has others that take those who do; WGSL's analysis of control flow is stricter.
const SUB_GROUPS: &str = "enable subgroups;\ndiagnostic(off, subgroup_uniformity);\n";

/// Size in bytes of the stack for naga, which recurses over nested statements and, where they have no name,
/// expressions. Both are bounded, but without optimisation they may need more than a thread has. Only the
/// used part takes memory.
const STACK_SIZE: usize = 32 << 20;

/// Runs `work` with a stack of [`STACK_SIZE`].
fn on_large_stack<R>(work: impl FnOnce() -> R) -> R {
    stacker::grow(STACK_SIZE, work)
}

impl Shaders {
    /// Builds naga's module for raised kernels, and validates it. Images that kernels write get these
    /// formats.
    ///
    /// # Errors
    /// [`ShaderError::UnknownImage`], [`ShaderError::TexelFormat`], [`ShaderError::Invalid`].
    pub fn new(
        raised: &Module,
        interface: ModuleInterface,
        formats: &TexelFormats,
    ) -> Result<Shaders, ShaderError> {
        on_large_stack(|| Self::build(raised, interface, formats))
    }

    fn build(
        raised: &Module,
        interface: ModuleInterface,
        formats: &TexelFormats,
    ) -> Result<Shaders, ShaderError> {
        let (module, kernels) = module::build(raised, &interface, formats)?;
        let features = features(&module);
        let mut capabilities = Capabilities::empty();
        capabilities.set(Capabilities::SHADER_FLOAT16, features.contains(&ShaderFeature::Half));
        capabilities.set(Capabilities::SUBGROUP, features.contains(&ShaderFeature::SubGroups));
        let mut validator = Validator::new(ValidationFlags::all(), capabilities);
        let info = validator.validate(&module).map_err(|error| ShaderError::Invalid(chain(&error)))?;
        Ok(Shaders { module, info, interface, kernels, features })
    }

    /// The interface of the kernels, in which the push constants are a uniform buffer.
    #[must_use]
    pub fn interface(&self) -> &ModuleInterface {
        &self.interface
    }

    /// Writes the kernels. `overrides` have values for languages without overrides; WGSL keeps them, and
    /// these values become defaults.
    ///
    /// # Errors
    /// What the language lacks, or needs to be told.
    pub fn write(&self, language: ShaderLanguage, overrides: &Overrides) -> Result<ShaderText, ShaderError> {
        on_large_stack(|| self.text(language, overrides))
    }

    fn text(&self, language: ShaderLanguage, overrides: &Overrides) -> Result<ShaderText, ShaderError> {
        let known = |id: &u32| self.module.overrides.iter().any(|(_, it)| it.id.map(u32::from) == Some(*id));
        if let Some(&unknown) = overrides.keys().find(|id| !known(id)) {
            return Err(ShaderError::UnknownOverride(unknown));
        }
        if language == ShaderLanguage::Wgsl {
            return self.wgsl(overrides);
        }
        if language == ShaderLanguage::Glsl && self.features.contains(&ShaderFeature::Half) {
            let problem = "there is no half precision; compile without the feature `shader-f16`".to_owned();
            return Err(ShaderError::Unsupported { language, problem });
        }
        let constants = self.constants(language, overrides)?;
        let unsupported = |problem: String| ShaderError::Unsupported { language, problem };
        let (module, info) = process_overrides(&self.module, &self.info, None, &constants)
            .map_err(|error| unsupported(chain(&error)))?;
        let (text, names) = match language {
            ShaderLanguage::Msl => self.msl(&module, &info),
            ShaderLanguage::Hlsl => self.hlsl(&module, &info),
            _ => glsl(&module, &info),
        }
        .map_err(unsupported)?;
        let sizes = module.entry_points.iter().map(|entry| Some(entry.workgroup_size));
        let interface = self.shader_interface(language, names, sizes, Vec::new());
        Ok(ShaderText { text, interface })
    }

    /// The values of all overrides.
    fn constants(
        &self,
        language: ShaderLanguage,
        overrides: &Overrides,
    ) -> Result<PipelineConstants, ShaderError> {
        let mut constants = PipelineConstants::default();
        for it in self.overrides() {
            match overrides.get(&it.id) {
                Some(&value) => drop(constants.insert(it.id.to_string(), f64::from(value))),
                None if it.default.is_none() => {
                    return Err(ShaderError::MissingOverride { language, name: it.name, id: it.id });
                }
                None => {}
            }
        }
        Ok(constants)
    }

    /// The overrides, in the order of their numbers.
    #[must_use]
    pub fn overrides(&self) -> Vec<ShaderOverride> {
        let mut found: Vec<ShaderOverride> = Vec::new();
        for (_, it) in self.module.overrides.iter() {
            let default = it.init.map(|init| &self.module.global_expressions[init]);
            let default = match default {
                Some(Expression::Literal(Literal::U32(value))) => Some(*value),
                // The default is another override's value.
                Some(Expression::Override(other)) => {
                    let id = self.module.overrides[*other].id.map(u32::from);
                    found.iter().find(|known| Some(known.id) == id).and_then(|known| known.default)
                }
                _ => None,
            };
            let name = it.name.clone().unwrap_or_default();
            found.push(ShaderOverride { id: it.id.map_or(0, u32::from), name, default });
        }
        found.sort_by_key(|it| it.id);
        found
    }

    fn shader_interface(
        &self,
        language: ShaderLanguage,
        names: Vec<String>,
        sizes: impl Iterator<Item = Option<[u32; 3]>>,
        overrides: Vec<ShaderOverride>,
    ) -> ShaderInterface {
        let kernels = self.module.entry_points.iter().zip(&self.kernels);
        let entry_points = kernels
            .zip(names)
            .zip(sizes)
            .map(|(((entry, resources), name), work_group_size)| ShaderEntryPoint {
                kernel: entry.name.clone(),
                name,
                uniform: resources.uniform,
                bindings: resources.bindings.clone(),
                work_group_size,
            })
            .collect();
        ShaderInterface {
            language,
            entry_points,
            overrides,
            features: self.features.clone(),
            module: self.interface.clone(),
        }
    }

    fn wgsl(&self, overrides: &Overrides) -> Result<ShaderText, ShaderError> {
        let unsupported = |problem| ShaderError::Unsupported { language: ShaderLanguage::Wgsl, problem };
        let module = self.for_wgsl(overrides);
        let text = wgsl::write_string(&module, &self.info, wgsl::WriterFlags::empty())
            .map_err(|error| unsupported(chain(&error)))?;
        let size =
            |sizes: [u32; 3]| format!("@workgroup_size({})", sizes.map(|it| it.to_string()).join(", "));
        let names = [0, 1, 2].map(|id| override_name(&text, id));
        let group = format!("@workgroup_size({})", names.join(", "));
        let row = format!("@workgroup_size({})", names.join(" * "));
        let mut text = text.replace(&size(OVERRIDDEN_SIZE), &group).replace(&size(OVERRIDDEN_ROW), &row);
        for id in self.module.overrides.iter().filter_map(|(_, it)| it.id.map(u32::from)) {
            let name = override_name(&text, id);
            text = text.replace(&format!(", {}>", COUNTED + id), &format!(", {name}>"));
        }
        if self.features.contains(&ShaderFeature::SubGroups) {
            text.insert_str(0, SUB_GROUPS);
        }
        let names = entry_names(&text);
        let mut known = self.overrides();
        for it in &mut known {
            it.default = overrides.get(&it.id).copied().or(it.default);
        }
        let sizes = self.kernels.iter().map(|resources| resources.work_group_size);
        let interface = self.shader_interface(ShaderLanguage::Wgsl, names, sizes, known);
        Ok(ShaderText { text, interface })
    }

    /// The module for the writer of WGSL: with other defaults of overrides, and with arrays of
    /// [`COUNTED`] elements.
    fn for_wgsl(&self, overrides: &Overrides) -> naga::Module {
        let mut module = self.module.clone();
        for (_, it) in module.overrides.iter_mut() {
            if let Some(&value) = it.id.and_then(|id| overrides.get(&u32::from(id))) {
                let literal = Expression::Literal(Literal::U32(value));
                it.init = Some(module.global_expressions.append(literal, naga::Span::UNDEFINED));
            }
        }
        for (handle, ty) in self.module.types.iter() {
            if let TypeInner::Array { base, size: ArraySize::Pending(counted), stride } = ty.inner {
                let id = self.module.overrides[counted].id.map_or(0, u32::from);
                let size = ArraySize::Constant(NonZeroU32::new(COUNTED + id).expect("it is not zero"));
                let inner = TypeInner::Array { base, size, stride };
                module.types.replace(handle, naga::Type { name: None, inner });
            }
        }
        module
    }

    fn msl(
        &self,
        module: &naga::Module,
        info: &naga::valid::ModuleInfo,
    ) -> Result<(String, Vec<String>), String> {
        let slots = |resources: &Resources| {
            let slot = |binding: &clvk_interface::ShaderBinding| {
                let slot = binding.binding as u8;
                let mut target = msl::BindTarget::default();
                match binding.resource {
                    ShaderResource::Texture => target.texture = Some(slot),
                    ShaderResource::StorageTexture { .. } => {
                        target.texture = Some(slot);
                        target.mutable = true;
                    }
                    ShaderResource::Sampler => target.sampler = Some(msl::BindSamplerTarget::Resource(slot)),
                    other => {
                        target.buffer = Some(slot);
                        target.mutable = other == ShaderResource::Storage;
                    }
                }
                (ResourceBinding { group: 0, binding: binding.binding }, target)
            };
            // The text declares the sizes of buffers, and does not read them.
            let sizes_buffer =
                Some(resources.bindings.iter().map(|it| it.binding + 1).max().unwrap_or(0) as u8);
            let resources = resources.bindings.iter().map(slot).collect();
            msl::EntryPointResources { resources, immediates_buffer: None, sizes_buffer }
        };
        let entries = module.entry_points.iter().zip(&self.kernels);
        let options = msl::Options {
            lang_version: MSL_VERSION,
            per_entry_point_map: entries
                .map(|(entry, resources)| (entry.name.clone(), slots(resources)))
                .collect(),
            fake_missing_bindings: false,
            zero_initialize_workgroup_memory: false,
            force_loop_bounding: false,
            ..msl::Options::default()
        };
        let (text, written) = msl::write_string(module, info, &options, &msl::PipelineOptions::default())
            .map_err(|error| chain(&error))?;
        let names = written.entry_point_names.into_iter().map(|name| name.map_err(|error| chain(&error)));
        Ok((text, names.collect::<Result<_, _>>()?))
    }

    fn hlsl(
        &self,
        module: &naga::Module,
        info: &naga::valid::ModuleInfo,
    ) -> Result<(String, Vec<String>), String> {
        let bindings = self.kernels.iter().flat_map(|resources| &resources.bindings);
        let target = |register| hlsl::BindTarget { register, ..hlsl::BindTarget::default() };
        let options = hlsl::Options {
            shader_model: hlsl::ShaderModel::V6_0,
            binding_map: bindings
                .map(|it| (ResourceBinding { group: 0, binding: it.binding }, target(it.binding)))
                .collect(),
            fake_missing_bindings: true,
            zero_initialize_workgroup_memory: false,
            restrict_indexing: false,
            force_loop_bounding: false,
            ..hlsl::Options::default()
        };
        let mut text = String::new();
        let pipeline = hlsl::PipelineOptions::default();
        let written = hlsl::Writer::new(&mut text, &options, &pipeline)
            .write(module, info, None)
            .map_err(|error| chain(&error))?;
        let names = written.entry_point_names.into_iter().map(|name| name.map_err(|error| chain(&error)));
        let names = names.collect::<Result<_, _>>()?;
        Ok((text, names))
    }
}

/// The features of WebGPU that a module needs.
fn features(module: &naga::Module) -> Vec<ShaderFeature> {
    let is_half = |inner: &TypeInner| inner.scalar() == Some(naga::Scalar::F16);
    let half = module.types.iter().any(|(_, ty)| is_half(&ty.inner));
    let asks = |argument: &naga::FunctionArgument| {
        let Some(naga::Binding::BuiltIn(built_in)) = argument.binding else { return false };
        matches!(
            built_in,
            BuiltIn::SubgroupSize
                | BuiltIn::SubgroupId
                | BuiltIn::NumSubgroups
                | BuiltIn::SubgroupInvocationId
        )
    };
    let computes = |expression: &Expression| {
        matches!(expression, Expression::SubgroupBallotResult | Expression::SubgroupOperationResult { .. })
    };
    let sub_groups = module.entry_points.iter().any(|entry| {
        let function = &entry.function;
        function.arguments.iter().any(asks) || function.expressions.iter().any(|(_, it)| computes(it))
    });
    let found = [(half, ShaderFeature::Half), (sub_groups, ShaderFeature::SubGroups)];
    found.into_iter().filter(|(needed, _)| *needed).map(|(_, feature)| feature).collect()
}

fn glsl(module: &naga::Module, info: &naga::valid::ModuleInfo) -> Result<(String, Vec<String>), String> {
    let [entry] = &module.entry_points[..] else {
        return Err(format!("a text has one kernel, and these are {}", module.entry_points.len()));
    };
    let bindings = module.global_variables.iter().filter_map(|(_, variable)| variable.binding);
    let options = glsl::Options {
        version: glsl::Version::Desktop(GLSL_VERSION),
        writer_flags: glsl::WriterFlags::empty(),
        binding_map: bindings.map(|it| (it, it.binding as u8)).collect(),
        zero_initialize_workgroup_memory: false,
    };
    let pipeline = glsl::PipelineOptions {
        shader_stage: ShaderStage::Compute,
        entry_point: entry.name.clone(),
        multiview: None,
    };
    let mut text = String::new();
    glsl::Writer::new(&mut text, module, info, &options, &pipeline, BoundsCheckPolicies::default())
        .and_then(|mut writer| writer.write())
        .map_err(|error| chain(&error))?;
    Ok((text, vec!["main".to_owned()]))
}

/// The name of an override, as a WGSL text declares it.
fn override_name(text: &str, id: u32) -> String {
    let declared =
        text.split_once(&format!("@id({id}) override ")).and_then(|(_, rest)| rest.split_once(':'));
    declared.map(|(name, _)| name.to_owned()).unwrap_or_default()
}

/// The names of the entry points in a WGSL text, in order.
fn entry_names(text: &str) -> Vec<String> {
    let after_attribute = text.split("@compute ").skip(1);
    let name = |rest: &str| {
        let (_, rest) = rest.split_once("fn ")?;
        Some(rest[..rest.find('(')?].trim().to_owned())
    };
    after_attribute.filter_map(name).collect()
}

/// An error and its causes, on one line.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let _ = write!(text, ": {cause}");
        source = cause.source();
    }
    text
}
