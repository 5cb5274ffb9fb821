//! Programs, kernels and their pipelines.

use crate::batch::{Batch, Submission};
use crate::buffer::Buffer;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::handle::{LogicalDevice, Owned, lock};
use crate::interface::check_interface;
use crate::launch::{self, LaunchConfig};
use crate::pipeline_cache::PipelineCache;
use crate::print::PrintBuffer;
use crate::sampler::Sampler;
use crate::{Arg, spirv};
use ash::vk;
use clvk_interface::{
    AddressingMode, ArgumentKind, BufferLocation, CompiledModule, ImageAccess, ImageDimension,
    ImplicitBuffer, KernelInterface, ModuleInterface, PROGRAM_VARIABLES_TAG, PrintFormat, ProgramVariables,
    SpecConstants,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::ffi::CString;
use std::fmt;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

/// A compiled module on a device. Cloning is cheap and gives the same program.
#[derive(Clone)]
pub struct Program {
    shared: Arc<ProgramShared>,
}

struct ProgramShared {
    /// None if there are no kernels.
    module: Option<Owned<vk::ShaderModule>>,
    pipeline_cache: PipelineCache,
    interface: ModuleInterface,
    /// One for each kernel, in order.
    kernels: Vec<KernelParts>,
    /// The calls of `printf`.
    print_formats: Arc<[PrintFormat]>,
    /// Program-scope variables, which keep their contents from launch to launch.
    variables: Option<Buffer>,
    device: Device,
}

impl Drop for ProgramShared {
    fn drop(&mut self) {
        self.pipeline_cache.save(self.device.shared.logical.raw());
    }
}

/// What belongs to one kernel beyond its interface.
struct KernelParts {
    entry_point: CString,
    layout: Arc<Layout>,
    /// The samplers that the program declares, with their bindings.
    samplers: Vec<(u32, Sampler)>,
    pipelines: Mutex<FxHashMap<PipelineKey, Arc<Pipeline>>>,
    /// The last global size without a work-group size, and what was chosen for it.
    chosen: Mutex<Option<([u64; 3], [u32; 3])>>,
}

/// What a pipeline is specialised for.
#[derive(Clone, PartialEq, Eq, Hash)]
struct PipelineKey {
    local: [u32; 3],
    /// What the launch asked for.
    enqueued: [u32; 3],
    /// Specialisation constants of `__local` arguments.
    locals: SmallVec<[(u32, u32); 4]>,
}

impl Program {
    /// Gives a module to the device. Pipelines are compiled when a kernel is first launched.
    ///
    /// # Errors
    /// [`Error::InvalidProgram`] if the module is damaged or was compiled for another kind of device, or a failure
    /// of Vulkan.
    pub fn new(device: &Device, compiled: CompiledModule) -> Result<Self> {
        check_interface(&compiled.interface, device.profile())?;
        // A program of functions only, which is a legal one, has no SPIR-V.
        let is_empty = compiled.interface.kernels.is_empty() && compiled.spirv.is_empty();
        let module = if is_empty { None } else { Some(create_module(device, &compiled)?) };
        let pipeline_cache = PipelineCache::new(device, &compiled.spirv)?;
        let kernels = compiled.interface.kernels.iter().map(|kernel| KernelParts::new(device, kernel));
        let kernels = kernels.collect::<Result<Vec<_>>>()?;
        let interface = compiled.interface;
        let variables = interface
            .program_variables
            .as_ref()
            .map(|variables| create_variables(device, variables, interface.addressing))
            .transpose()?;
        let device = device.clone();
        let print_formats = interface.print_formats.clone().into();
        let shared =
            ProgramShared { module, pipeline_cache, interface, kernels, print_formats, variables, device };
        Ok(Program { shared: Arc::new(shared) })
    }

    /// The kernel of this name.
    ///
    /// # Errors
    /// [`Error::UnknownKernel`], which lists the names that exist.
    pub fn kernel(&self, name: &str) -> Result<Kernel> {
        let kernels = &self.shared.interface.kernels;
        match kernels.iter().position(|kernel| kernel.name == name) {
            Some(index) => Ok(Kernel { program: Arc::clone(&self.shared), index }),
            None => {
                let known = self.kernel_names().collect::<Vec<_>>().join(", ");
                Err(Error::UnknownKernel { name: name.to_owned(), known })
            }
        }
    }

    /// The names of its kernels, in the order of the source; without the blocks, which only kernels launch.
    pub fn kernel_names(&self) -> impl Iterator<Item = &str> {
        self.shared
            .interface
            .kernels
            .iter()
            .filter(|kernel| !kernel.is_block)
            .map(|kernel| kernel.name.as_str())
    }

    /// The device it is on.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.shared.device
    }

    /// How its kernels are launched.
    #[must_use]
    pub fn interface(&self) -> &ModuleInterface {
        &self.shared.interface
    }
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Program").field(&self.kernel_names().collect::<Vec<_>>()).finish()
    }
}

/// The buffer of the program-scope variables, with what they hold at the start (OpenCL C §6.7.1).
fn create_variables(
    device: &Device,
    variables: &ProgramVariables,
    addressing: AddressingMode,
) -> Result<Buffer> {
    let buffer = Buffer::new(device, variables.size)?;
    buffer.fill(0)?;
    for part in &variables.contents {
        buffer.write(part.offset, &part.bytes)?;
    }
    for pointer in &variables.pointers {
        let base = match addressing {
            AddressingMode::Physical => {
                buffer.address().expect("`check_interface` demands addresses of the device")
            }
            AddressingMode::Logical => u64::from(PROGRAM_VARIABLES_TAG) << 32,
        };
        buffer.write(pointer.offset, &base.wrapping_add(pointer.target).to_le_bytes())?;
    }
    Ok(buffer)
}

fn create_module(device: &Device, compiled: &CompiledModule) -> Result<Owned<vk::ShaderModule>> {
    check_spirv(device, compiled)?;
    let logical = &device.shared.logical;
    let info = vk::ShaderModuleCreateInfo::default().code(&compiled.spirv);
    // SAFETY: the words live until after the call; that they are valid SPIR-V for this device is the compiler's
    // promise (see "Trust" in the crate's documentation).
    let module = unsafe { logical.raw().create_shader_module(&info, None) }
        .map_err(Error::vulkan("take the program"))?;
    // SAFETY: just created from this device.
    Ok(unsafe { Owned::new(logical, module) })
}

fn check_spirv(device: &Device, compiled: &CompiledModule) -> Result<()> {
    let summary = spirv::summarise(&compiled.spirv).map_err(Error::InvalidProgram)?;
    let highest = device.profile().spirv;
    if summary.version > highest {
        let ((major, minor), (high_major, high_minor)) = (summary.version, highest);
        return Err(Error::InvalidProgram(format!(
            "it is SPIR-V {major}.{minor}, but the device takes at most {high_major}.{high_minor}; compile it with this \
             device's profile"
        )));
    }
    for kernel in &compiled.interface.kernels {
        if !summary.entry_points.contains(&kernel.name) {
            return Err(Error::InvalidProgram(format!("its SPIR-V has no entry point `{}`", kernel.name)));
        }
    }
    Ok(())
}

/// A kernel of a program. Cloning is cheap and gives the same kernel.
#[derive(Clone)]
pub struct Kernel {
    program: Arc<ProgramShared>,
    index: usize,
}

impl Kernel {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.interface().name
    }

    /// How it is launched: its arguments and sizes.
    #[must_use]
    pub fn interface(&self) -> &KernelInterface {
        &self.program.interface.kernels[self.index]
    }

    /// The device it is on.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.program.device
    }

    /// The work-group size that a launch of these sizes has, chosen if the launch names none.
    ///
    /// # Errors
    /// [`Error::Launch`].
    pub fn suggested_local_size(&self, config: &LaunchConfig) -> Result<[u32; 3]> {
        let refuse = |reason| Error::Launch { kernel: self.name().to_owned(), reason };
        let plan = launch::plan(self.interface(), self.device().profile(), config).map_err(refuse)?;
        Ok(plan.local)
    }

    /// Launches it alone: a batch with one dispatch.
    ///
    /// # Errors
    /// As for [`Batch::dispatch`] and [`Batch::submit`].
    pub fn launch(&self, config: &LaunchConfig, arguments: &[Arg<'_>]) -> Result<Submission> {
        let mut batch = Batch::new(self.device());
        batch.dispatch(self, config, arguments)?;
        batch.submit()
    }

    /// The kernel of its program at this position.
    pub(crate) fn sibling(&self, position: u32) -> Result<Kernel> {
        let index = position as usize;
        match self.program.kernels.get(index) {
            Some(_) => Ok(Kernel { program: Arc::clone(&self.program), index }),
            None => {
                Err(Error::DeviceQueue { reason: "a kernel was enqueued that the program does not have" })
            }
        }
    }

    /// The work-group size that the runtime chooses for a global size.
    pub(crate) fn chosen_local_size(&self, global: [u64; 3]) -> [u32; 3] {
        let mut chosen = lock(&self.program.kernels[self.index].chosen);
        if let Some((known, local)) = *chosen
            && known == global
        {
            return local;
        }
        let profile = self.device().profile();
        let local = launch::choose_local_size(global, profile);
        *chosen = Some((global, local));
        local
    }

    /// The program-scope variables of its program.
    pub(crate) fn variables(&self) -> Option<&Buffer> {
        self.program.variables.as_ref()
    }

    /// A buffer for what a launch prints, if the kernel prints.
    pub(crate) fn print_buffer(&self) -> Result<Option<PrintBuffer>> {
        let prints = self.interface().implicit_buffer(ImplicitBuffer::Print).is_some();
        prints.then(|| PrintBuffer::new(self.device(), &self.program.print_formats)).transpose()
    }

    /// The samplers that the program declares, with their bindings.
    pub(crate) fn samplers(&self) -> &[(u32, Sampler)] {
        &self.program.kernels[self.index].samplers
    }

    /// The pipeline for work-groups of a size where the launch asked for `enqueued`, and for sizes of local arguments; compiled
    /// if it is new.
    pub(crate) fn pipeline(
        &self,
        local: [u32; 3],
        enqueued: [u32; 3],
        locals: &[(u32, u32)],
    ) -> Result<Arc<Pipeline>> {
        let device = self.device();
        let parts = &self.program.kernels[self.index];
        let key = PipelineKey { local, enqueued, locals: SmallVec::from_slice(locals) };
        // Locked while compiling, so that two threads do not compile the same pipeline.
        let mut pipelines = lock(&parts.pipelines);
        if let Some(pipeline) = pipelines.get(&key) {
            device.shared.reused.fetch_add(1, Ordering::Relaxed);
            return Ok(Arc::clone(pipeline));
        }
        let span = tracing::debug_span!("compile pipeline", kernel = self.name(), ?local);
        let _entered = span.enter();
        let pipeline = Arc::new(self.compile(parts, &key)?);
        device.shared.compiled.fetch_add(1, Ordering::Relaxed);
        self.program.pipeline_cache.note(device.shared.logical.raw());
        pipelines.insert(key, Arc::clone(&pipeline));
        Ok(pipeline)
    }

    /// Full sub-groups for kernels that use them, where a row of work-items is made of whole ones.
    fn stage_flags(&self, local: [u32; 3]) -> vk::PipelineShaderStageCreateFlags {
        let profile = self.device().profile();
        let row: u32 = local.iter().product();
        if self.interface().sub_groups
            && profile.compute_full_subgroups
            && row.is_multiple_of(profile.subgroup_size.max(1))
        {
            vk::PipelineShaderStageCreateFlags::REQUIRE_FULL_SUBGROUPS
        } else {
            vk::PipelineShaderStageCreateFlags::empty()
        }
    }

    fn compile(&self, parts: &KernelParts, key: &PipelineKey) -> Result<Pipeline> {
        let mut constants: Vec<(u32, u32)> = key.locals.to_vec();
        constants.extend((SpecConstants::LOCAL_SIZE_X..).zip(key.local));
        constants.extend((SpecConstants::ENQUEUED_LOCAL_SIZE_X..).zip(key.enqueued));
        let data: Vec<u32> = constants.iter().map(|&(_, value)| value).collect();
        let entries: Vec<vk::SpecializationMapEntry> = constants
            .iter()
            .zip((0u32..).step_by(4))
            .map(|(&(constant_id, _), offset)| vk::SpecializationMapEntry { constant_id, offset, size: 4 })
            .collect();
        let specialization =
            vk::SpecializationInfo::default().map_entries(&entries).data(bytemuck::cast_slice(&data));
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(self.program.module.as_ref().expect("a program with kernels has a module").get())
            .name(&parts.entry_point)
            .specialization_info(&specialization)
            .flags(self.stage_flags(key.local));
        let info = vk::ComputePipelineCreateInfo::default().stage(stage).layout(parts.layout.raw());
        let logical = &self.device().shared.logical;
        let cache = self.program.pipeline_cache.raw();
        // SAFETY: all that `info` points to lives until after the call; module, layout and cache are of this device;
        // the module has the entry point.
        let result = unsafe { logical.raw().create_compute_pipelines(cache, &[info], None) };
        let pipelines = result.map_err(|(_, error)| Error::vulkan("compile the kernel")(error))?;
        // SAFETY: just created from this device.
        let raw = unsafe { Owned::new(logical, pipelines[0]) };
        Ok(Pipeline { raw, layout: Arc::clone(&parts.layout) })
    }
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Kernel({})", self.name())
    }
}

impl KernelParts {
    fn new(device: &Device, kernel: &KernelInterface) -> Result<Self> {
        let entry_point = CString::new(kernel.name.clone()).map_err(|_| {
            Error::InvalidProgram(format!("the kernel name {:?} holds a zero byte", kernel.name))
        })?;
        let layout = Arc::new(Layout::new(&device.shared.logical, kernel)?);
        let samplers = kernel.samplers.iter();
        let samplers = samplers.map(|sampler| Ok((sampler.binding, Sampler::of_program(device, sampler)?)));
        let samplers = samplers.collect::<Result<Vec<_>>>()?;
        Ok(KernelParts {
            entry_point,
            layout,
            samplers,
            pipelines: Mutex::default(),
            chosen: Mutex::default(),
        })
    }
}

/// Descriptors and push constants of a kernel.
pub(crate) struct Layout {
    raw: Owned<vk::PipelineLayout>,
    set: Option<Owned<vk::DescriptorSetLayout>>,
}

impl Layout {
    fn new(device: &Arc<LogicalDevice>, kernel: &KernelInterface) -> Result<Self> {
        let buffers = kernel.buffer_locations().filter_map(|location| match location {
            BufferLocation::Descriptor { binding } => {
                Some(layout_binding(binding, vk::DescriptorType::STORAGE_BUFFER))
            }
            BufferLocation::Address { .. } => None,
        });
        let arguments = kernel.arguments.iter().flat_map(|argument| bindings(&argument.kind));
        let samplers = kernel.samplers.iter().map(|s| layout_binding(s.binding, vk::DescriptorType::SAMPLER));
        let bindings: Vec<_> = arguments.chain(buffers).chain(samplers).collect();
        let set = if bindings.is_empty() {
            None
        } else {
            let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
            // SAFETY: the bindings live until after the call, and no two have the same number (`check_interface`).
            let set = unsafe { device.raw().create_descriptor_set_layout(&info, None) }
                .map_err(Error::vulkan("create a descriptor set layout"))?;
            // SAFETY: just created from this device.
            Some(unsafe { Owned::new(device, set) })
        };
        let sets: Vec<_> = set.iter().map(Owned::get).collect();
        let ranges: Vec<_> = (kernel.push_constant_size > 0)
            .then_some(vk::PushConstantRange {
                stage_flags: vk::ShaderStageFlags::COMPUTE,
                offset: 0,
                size: kernel.push_constant_size,
            })
            .into_iter()
            .collect();
        let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&sets).push_constant_ranges(&ranges);
        // SAFETY: the arrays live until after the call; the push constants are within the limit (`check_interface`).
        let raw = unsafe { device.raw().create_pipeline_layout(&info, None) }
            .map_err(Error::vulkan("create a pipeline layout"))?;
        // SAFETY: just created from this device.
        Ok(Layout { raw: unsafe { Owned::new(device, raw) }, set })
    }

    pub(crate) fn raw(&self) -> vk::PipelineLayout {
        self.raw.get()
    }

    /// Layout of the one descriptor set, if the kernel has descriptors.
    pub(crate) fn set_layout(&self) -> Option<vk::DescriptorSetLayout> {
        self.set.as_ref().map(Owned::get)
    }
}

/// The descriptors that an argument needs: each level of detail that is written has its own.
fn bindings(kind: &ArgumentKind) -> impl Iterator<Item = vk::DescriptorSetLayoutBinding<'static>> + use<> {
    let levels = if let ArgumentKind::Image { levels, .. } = *kind { levels } else { 1 };
    binding(kind).into_iter().flat_map(move |first| {
        (0..levels).map(move |level| layout_binding(first.binding + level, first.descriptor_type))
    })
}

/// The first of the descriptors that an argument needs, if it needs one.
fn binding(kind: &ArgumentKind) -> Option<vk::DescriptorSetLayoutBinding<'static>> {
    let (binding, kind) = match *kind {
        ArgumentKind::StorageBuffer { binding, .. } => (binding, vk::DescriptorType::STORAGE_BUFFER),
        ArgumentKind::Image { binding, dimension: ImageDimension::D1Buffer, access, .. } => {
            let read = access == ImageAccess::ReadOnly;
            let (uniform, storage) =
                (vk::DescriptorType::UNIFORM_TEXEL_BUFFER, vk::DescriptorType::STORAGE_TEXEL_BUFFER);
            (binding, if read { uniform } else { storage })
        }
        ArgumentKind::Image { binding, access: ImageAccess::ReadOnly, .. } => {
            (binding, vk::DescriptorType::SAMPLED_IMAGE)
        }
        ArgumentKind::Image { binding, .. } => (binding, vk::DescriptorType::STORAGE_IMAGE),
        ArgumentKind::Sampler { binding, .. } => (binding, vk::DescriptorType::SAMPLER),
        ArgumentKind::BufferAddress { .. } | ArgumentKind::Value { .. } | ArgumentKind::Local { .. } => {
            return None;
        }
    };
    Some(layout_binding(binding, kind))
}

fn layout_binding(binding: u32, kind: vk::DescriptorType) -> vk::DescriptorSetLayoutBinding<'static> {
    vk::DescriptorSetLayoutBinding::default()
        .binding(binding)
        .descriptor_type(kind)
        .descriptor_count(1)
        .stage_flags(vk::ShaderStageFlags::COMPUTE)
}

/// A kernel compiled by the driver for a work-group size.
pub(crate) struct Pipeline {
    raw: Owned<vk::Pipeline>,
    pub(crate) layout: Arc<Layout>,
}

impl Pipeline {
    pub(crate) fn raw(&self) -> vk::Pipeline {
        self.raw.get()
    }
}
