//! Pipelines: the kernels of a module, compiled by the driver for sizes of work-groups and of local arguments
//! when they are first launched with them, or before, by threads of the device.

use crate::engine::compile_pool::CompileQueue;
use crate::engine::compile_table::{CompileTable, Found};
use crate::engine::pipeline_cache::PipelineCache;
use crate::engine::spirv;
use crate::vulkan::clock::host_time;
use crate::vulkan::error::{Error, Result};
use crate::vulkan::handle::Owned;
use crate::vulkan::logical_device::LogicalDevice;
use crate::vulkan::physical_device::DeviceInfo;
use ash::vk;
use clvk_cache::DiskCache;
use clvk_interface::{
    ArgumentKind, BufferLocation, CompiledModule, DeviceProfile, ImageAccess, ImageDimension,
    KernelInterface, SpecConstants,
};
use smallvec::SmallVec;
use std::ffi::CString;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How often pipelines were compiled and found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PipelineStatistics {
    /// Pipelines compiled.
    pub compiled: u64,
    /// Launches that found their pipeline compiled, or being compiled by another thread.
    pub reused: u64,
    /// Those of the compiled ones that were compiled before a launch asked for them
    /// ([`Kernel::prepare`](crate::Kernel::prepare)).
    pub ahead: u64,
}

/// A compilation of a kernel by the driver that is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compilation<'a> {
    /// The kernel's name.
    pub kernel: &'a str,
    /// The time ([`crate::host_time`]) at which it began.
    pub began: u64,
}

/// Is told what threads of the device have compiled ahead, and what launches have compiled.
#[derive(Clone)]
pub struct CompileHandler(Arc<dyn Fn(Compilation<'_>) + Send + Sync>);

impl CompileHandler {
    /// A handler that calls a function after each compilation, from the thread that did it.
    pub fn new(function: impl Fn(Compilation<'_>) + Send + Sync + 'static) -> Self {
        CompileHandler(Arc::new(function))
    }
}

impl Default for CompileHandler {
    /// Does nothing.
    fn default() -> Self {
        CompileHandler::new(|_| {})
    }
}

impl fmt::Debug for CompileHandler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CompileHandler")
    }
}

/// The counters behind [`PipelineStatistics`], for all modules of a device.
#[derive(Default)]
pub(crate) struct PipelineCounters {
    compiled: AtomicU64,
    reused: AtomicU64,
    ahead: AtomicU64,
    handler: CompileHandler,
}

impl PipelineCounters {
    /// All zero.
    pub(crate) fn new(handler: CompileHandler) -> Self {
        PipelineCounters { handler, ..PipelineCounters::default() }
    }

    pub(crate) fn now(&self) -> PipelineStatistics {
        PipelineStatistics {
            compiled: self.compiled.load(Ordering::Relaxed),
            reused: self.reused.load(Ordering::Relaxed),
            ahead: self.ahead.load(Ordering::Relaxed),
        }
    }
}

/// The pipelines of a module on a device.
pub(crate) struct ModulePipelines {
    module: Arc<Module>,
    /// Who compiles them ahead.
    queue: Option<CompileQueue>,
}

/// What the threads that compile share with launches. It lives until the last of them is done.
struct Module {
    /// `None` if there are no kernels.
    shaders: Option<Owned<vk::ShaderModule>>,
    cache: PipelineCache,
    /// One for each kernel, in order.
    kernels: Vec<KernelPipelines>,
    counters: Arc<PipelineCounters>,
    logical: Arc<LogicalDevice>,
    /// Whether pipelines keep the driver's code of them.
    keeps_code: AtomicBool,
}

/// The pipelines of a kernel.
struct KernelPipelines {
    entry_point: CString,
    layout: Arc<Layout>,
    /// The sub-group size, if sub-groups must be full where it divides the row of work-items.
    full_subgroups: Option<u32>,
    compiled: CompileTable<PipelineKey, Arc<Pipeline>>,
}

/// What a pipeline is specialised for.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct PipelineKey {
    local: [u32; 3],
    /// The work-group size that the launch asked for.
    enqueued: [u32; 3],
    /// Specialisation constants of `__local` arguments, and what else the launch sets.
    locals: SmallVec<[(u32, u32); 4]>,
}

impl PipelineKey {
    /// For this work-group size, for the size `enqueued` that the launch asks for, and for these sizes of
    /// local arguments.
    pub(crate) fn new(local: [u32; 3], enqueued: [u32; 3], locals: &[(u32, u32)]) -> Self {
        PipelineKey { local, enqueued, locals: SmallVec::from_slice(locals) }
    }
}

impl ModulePipelines {
    /// Pipelines for a module, none compiled yet. [`crate::engine::interface_check`] has accepted the
    /// interface. `disk` keeps the driver's pipelines from process to process, and `queue` compiles them
    /// ahead.
    pub(crate) fn new(
        logical: &Arc<LogicalDevice>,
        device: &DeviceInfo,
        compiled: &CompiledModule,
        counters: &Arc<PipelineCounters>,
        disk: Option<&Arc<DiskCache>>,
        queue: Option<CompileQueue>,
    ) -> Result<Self> {
        let profile = &device.usable()?.capabilities.profile;
        // A program that has only functions is legal and has no SPIR-V.
        let is_empty = compiled.interface.kernels.is_empty() && compiled.spirv.is_empty();
        let shaders = if is_empty { None } else { Some(create_module(logical, profile, compiled)?) };
        let cache = PipelineCache::new(logical, device, &compiled.spirv, disk)?;
        let kernels =
            compiled.interface.kernels.iter().map(|kernel| KernelPipelines::new(logical, profile, kernel));
        let kernels = kernels.collect::<Result<Vec<_>>>()?;
        let (counters, logical) = (Arc::clone(counters), Arc::clone(logical));
        let keeps_code = AtomicBool::new(false);
        let module = Arc::new(Module { shaders, cache, kernels, counters, logical, keeps_code });
        Ok(ModulePipelines { module, queue })
    }

    /// A pipeline of a kernel, for a launch; compiled if it is new, after `before` was called.
    pub(crate) fn get(
        &self,
        kernel: usize,
        key: &PipelineKey,
        before: impl FnOnce(),
    ) -> Result<Arc<Pipeline>> {
        let module = &*self.module;
        match module.kernels[kernel].compiled.get(key) {
            Found::Made(pipeline) => {
                module.counters.reused.fetch_add(1, Ordering::Relaxed);
                Ok(pipeline)
            }
            Found::Missing(making) => {
                before();
                let began = host_time();
                let pipeline = module.compile_new(kernel, key)?;
                making.done(Arc::clone(&pipeline));
                module.made(kernel, &pipeline, began);
                Ok(pipeline)
            }
        }
    }

    /// From now on pipelines keep the driver's code of them.
    pub(crate) fn keep_code(&self) {
        self.module.keeps_code.store(true, Ordering::Relaxed);
    }

    /// Whether they do.
    pub(crate) fn keeps_code(&self) -> bool {
        self.module.keeps_code.load(Ordering::Relaxed)
    }

    /// Whether pipelines can be compiled ahead.
    pub(crate) fn compiles_ahead(&self) -> bool {
        self.queue.as_ref().is_some_and(CompileQueue::is_open)
    }

    /// Has a thread compile a pipeline that a launch may ask for. If that fails, the launch compiles it again
    /// and reports the failure. Nothing is compiled any more if the module is gone before the thread begins.
    /// What launches will ask for most probably is urgent.
    pub(crate) fn compile_ahead(&self, kernel: usize, key: PipelineKey, urgent: bool) {
        let (Some(queue), table) = (&self.queue, &self.module.kernels[kernel].compiled) else { return };
        if !table.want(&key) {
            return;
        }
        let (module, wanted) = (Arc::downgrade(&self.module), key.clone());
        let job = move || {
            if let Some(module) = module.upgrade() {
                module.compile_wanted(kernel, &wanted);
            }
        };
        if !queue.add(Box::new(job), urgent) {
            table.forget(&key);
        }
    }

    /// No thread begins with a pipeline any more.
    pub(crate) fn forget(&self, kernel: usize, key: &PipelineKey) {
        self.module.kernels[kernel].compiled.forget(key);
    }
}

impl Module {
    /// Compiles a pipeline on a thread of the device, unless a launch has been faster.
    fn compile_wanted(&self, kernel: usize, key: &PipelineKey) {
        let parts = &self.kernels[kernel];
        let Some(making) = parts.compiled.begin(key) else { return };
        let began = host_time();
        match self.compile_new(kernel, key) {
            Ok(pipeline) => {
                self.counters.ahead.fetch_add(1, Ordering::Relaxed);
                making.done(Arc::clone(&pipeline));
                self.made(kernel, &pipeline, began);
            }
            Err(error) => tracing::debug!(%error, "a pipeline could not be compiled ahead"),
        }
    }

    /// Tells the handler of a compilation that began at this time, and the cache. Launches that wait for the
    /// pipeline need not wait for that.
    fn made(&self, kernel: usize, pipeline: &Pipeline, began: u64) {
        let kernel = &self.kernels[kernel].entry_point.to_string_lossy();
        (self.counters.handler.0)(Compilation { kernel, began });
        self.cache.note(&self.logical, pipeline.compile_time);
    }

    /// Compiles a pipeline, and counts it.
    fn compile_new(&self, kernel: usize, key: &PipelineKey) -> Result<Arc<Pipeline>> {
        let kernel = &self.kernels[kernel];
        let span = tracing::debug_span!("compile pipeline", kernel = ?kernel.entry_point, local = ?key.local);
        let _entered = span.enter();
        let pipeline = Arc::new(self.compile(kernel, key)?);
        self.counters.compiled.fetch_add(1, Ordering::Relaxed);
        Ok(pipeline)
    }

    fn compile(&self, kernel: &KernelPipelines, key: &PipelineKey) -> Result<Pipeline> {
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
            .module(self.shaders.as_ref().expect("a program with kernels has a module").get())
            .name(&kernel.entry_point)
            .specialization_info(&specialization)
            .flags(kernel.stage_flags(key.local));
        let logical = &self.logical;
        let flags = match logical.executable_extension() {
            Some(_) if self.keeps_code.load(Ordering::Relaxed) => {
                vk::PipelineCreateFlags::CAPTURE_STATISTICS_KHR
                    | vk::PipelineCreateFlags::CAPTURE_INTERNAL_REPRESENTATIONS_KHR
            }
            Some(_) => vk::PipelineCreateFlags::CAPTURE_STATISTICS_KHR,
            None => vk::PipelineCreateFlags::empty(),
        };
        let info =
            vk::ComputePipelineCreateInfo::default().stage(stage).layout(kernel.layout.raw()).flags(flags);
        let cache = self.cache.raw();
        let start = Instant::now();
        // SAFETY: all that `info` points to lives until after the call; module, layout and cache are of this
        // device; the module has the entry point.
        let result = unsafe { logical.raw().create_compute_pipelines(cache, &[info], None) };
        let pipelines = result.map_err(|(_, error)| Error::vulkan("compile the kernel")(error))?;
        let compile_time = start.elapsed();
        // SAFETY: just created from this device.
        let raw = unsafe { Owned::new(logical, pipelines[0]) };
        Ok(Pipeline { raw, layout: Arc::clone(&kernel.layout), compile_time })
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        self.cache.save(&self.logical);
    }
}

impl KernelPipelines {
    fn new(logical: &Arc<LogicalDevice>, profile: &DeviceProfile, kernel: &KernelInterface) -> Result<Self> {
        let entry_point = CString::new(kernel.name.clone()).map_err(|_| {
            Error::InvalidProgram(format!("the kernel name {:?} contains a zero byte", kernel.name))
        })?;
        let layout = Arc::new(Layout::new(logical, kernel)?);
        let full = kernel.sub_groups && profile.compute_full_subgroups;
        let full_subgroups = full.then_some(profile.subgroup_size.max(1));
        Ok(KernelPipelines { entry_point, layout, full_subgroups, compiled: CompileTable::default() })
    }

    /// Demands full sub-groups for kernels that use them, where the sub-group size divides the row of
    /// work-items.
    fn stage_flags(&self, local: [u32; 3]) -> vk::PipelineShaderStageCreateFlags {
        let row: u32 = local.iter().product();
        if self.full_subgroups.is_some_and(|size| row.is_multiple_of(size)) {
            vk::PipelineShaderStageCreateFlags::REQUIRE_FULL_SUBGROUPS
        } else {
            vk::PipelineShaderStageCreateFlags::empty()
        }
    }
}

fn create_module(
    logical: &Arc<LogicalDevice>,
    profile: &DeviceProfile,
    compiled: &CompiledModule,
) -> Result<Owned<vk::ShaderModule>> {
    check_spirv(profile, compiled)?;
    let info = vk::ShaderModuleCreateInfo::default().code(&compiled.spirv);
    // SAFETY: the words live until after the call; that they are valid SPIR-V for this device is the
    // compiler's promise (see "Trust" in the crate's documentation).
    let module = unsafe { logical.raw().create_shader_module(&info, None) }
        .map_err(Error::vulkan("create a shader module"))?;
    // SAFETY: just created from this device.
    Ok(unsafe { Owned::new(logical, module) })
}

fn check_spirv(profile: &DeviceProfile, compiled: &CompiledModule) -> Result<()> {
    let summary = spirv::summarise(&compiled.spirv).map_err(Error::InvalidProgram)?;
    let highest = profile.spirv;
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
        let samplers = kernel.samplers.iter().map(|sampler| sampler.binding);
        let samplers = samplers.chain(kernel.texel_samplers.iter().map(|sampler| sampler.binding));
        let samplers = samplers.map(|binding| layout_binding(binding, vk::DescriptorType::SAMPLER));
        let bindings: Vec<_> = arguments.chain(buffers).chain(samplers).collect();
        let set = if bindings.is_empty() {
            None
        } else {
            let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
            // SAFETY: the bindings live until after the call, and no two have the same number
            // (`check_interface`).
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
        // SAFETY: the arrays live until after the call; the push constants are within the limit
        // (`check_interface`).
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
    /// How long the driver compiled.
    pub(crate) compile_time: Duration,
}

impl Pipeline {
    pub(crate) fn raw(&self) -> vk::Pipeline {
        self.raw.get()
    }
}
