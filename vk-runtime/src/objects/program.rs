//! Programs and kernels.

use crate::engine::arguments::Descriptor;
use crate::engine::interface_check::check_interface;
use crate::engine::nd_range::{self, LaunchConfig};
use crate::engine::pipeline::{ModulePipelines, Pipeline, PipelineKey};
use crate::engine::print::{PrintBuffer, PrintOptions, PrintTables};
use crate::engine::reports::{Content, ReportBuffer};
use crate::objects::ahead::Foreseen;
use crate::objects::arguments::Arg;
use crate::objects::batch::{Batch, Submission};
use crate::objects::buffer::Buffer;
use crate::objects::device::Device;
use crate::objects::lifetime::{Hold, Life};
use crate::objects::sampler::Sampler;
use crate::objects::watching::Watching;
use crate::vulkan::error::{Error, Result};
use crate::vulkan::handle::lock;
use clvk_interface::measure::Measured;
use clvk_interface::sanitize::{ArgumentMemory, Layout, Sanitized, Shape};
use clvk_interface::{
    AddressingMode, CompiledModule, ImplicitBuffer, KernelInterface, ModuleInterface, PROGRAM_VARIABLES_TAG,
    ProgramVariables, SamplerSource,
};
use std::any::Any;
use std::fmt;
use std::sync::{Arc, Mutex};

/// A compiled module on a device. Cloning is cheap and gives the same program.
#[derive(Clone)]
pub struct Program {
    shared: Arc<ProgramShared>,
    hold: Hold,
}

pub(crate) struct ProgramShared {
    pub(crate) pipelines: ModulePipelines,
    pub(crate) interface: ModuleInterface,
    /// One for each kernel, in order.
    kernels: Vec<KernelParts>,
    /// The calls of `printf`.
    print_tables: Arc<PrintTables>,
    /// What reports refer to, if the kernels are sanitized.
    sanitized: Option<Arc<Sanitized>>,
    /// What measurements refer to, if the kernels measure.
    measured: Option<Arc<Measured>>,
    /// Program-scope variables, which keep their contents from launch to launch.
    variables: Option<Buffer>,
    /// How it prints when it begins and ends, if not as the device's kernels do.
    pub(crate) printing: Option<Arc<PrintOptions>>,
    pub(crate) device: Device,
}

/// What belongs to one kernel beyond its interface and its pipelines.
struct KernelParts {
    /// The descriptors of samplers that the program declares.
    samplers: Vec<(u32, Descriptor)>,
    /// The last global size that came without a work-group size, and the size chosen for it.
    chosen: Mutex<Option<([u64; 3], [u32; 3])>>,
    foreseen: Foreseen,
    watching: Watching,
}

impl Program {
    /// Loads a module on the device. Pipelines are compiled when a kernel is first launched, or before
    /// ([`Kernel::prepare`]). If the program
    /// has kernels that begin it ([`ProgramHook`](clvk_interface::ProgramHook)), these are launched. Those
    /// that end it are launched when the last handle of the program and of its kernels is dropped and all
    /// launches are done; dropping it waits for them, unless a launch that is not done was the last.
    ///
    /// # Errors
    /// [`Error::InvalidProgram`] if the module is damaged or was compiled for another kind of device, or a
    /// failure of Vulkan.
    pub fn new(device: &Device, compiled: CompiledModule) -> Result<Self> {
        Program::with_printing(device, compiled, None)
    }

    /// The same; what the program prints when it begins and ends goes where these options say.
    ///
    /// # Errors
    /// As for [`Program::new`].
    pub fn with_printing(
        device: &Device,
        compiled: CompiledModule,
        printing: Option<Arc<PrintOptions>>,
    ) -> Result<Self> {
        check_interface(&compiled.interface, device.profile())?;
        let (shared, cache) = (&device.shared, device.shared.options.cache.as_ref());
        let (logical, queue) = (&shared.heap.logical, Some(shared.compile_pool.queue()));
        let pipelines =
            ModulePipelines::new(logical, device.info(), &compiled, &shared.statistics, cache, queue)?;
        let kernels = compiled.interface.kernels.iter().map(|kernel| KernelParts::new(device, kernel));
        let kernels = kernels.collect::<Result<Vec<_>>>()?;
        let interface = compiled.interface;
        let sanitized = compiled.sanitized.map(|sanitized| Arc::new(*sanitized));
        let measured = compiled.measured.map(|measured| Arc::new(*measured));
        let variables = interface
            .program_variables
            .as_ref()
            .map(|variables| create_variables(device, variables, interface.addressing))
            .transpose()?;
        let device = device.clone();
        let print_tables = PrintTables::of(&interface);
        let shared = ProgramShared {
            pipelines,
            interface,
            kernels,
            print_tables,
            sanitized,
            measured,
            variables,
            printing,
            device,
        };
        let shared = Arc::new(shared);
        let hold = Life::begin(&shared)?;
        Ok(Program { shared, hold })
    }

    /// The kernel of this name.
    ///
    /// # Errors
    /// [`Error::UnknownKernel`], which lists the names that exist.
    pub fn kernel(&self, name: &str) -> Result<Kernel> {
        let kernels = &self.shared.interface.kernels;
        match kernels.iter().position(|kernel| kernel.name == name) {
            Some(index) => {
                let (program, hold) = (Arc::clone(&self.shared), self.hold.clone());
                Ok(Kernel { program, index, printing: None, hold })
            }
            None => {
                let known = self.kernel_names().collect::<Vec<_>>().join(", ");
                Err(Error::UnknownKernel { name: name.to_owned(), known })
            }
        }
    }

    /// The names of its kernels, in source order, without those that only kernels or the runtime launch.
    pub fn kernel_names(&self) -> impl Iterator<Item = &str> {
        self.shared
            .interface
            .kernels
            .iter()
            .filter(|kernel| kernel.is_launched())
            .map(|kernel| kernel.name.as_str())
    }

    /// The device it is on.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.shared.device
    }

    /// Keeps something until the program has ended, with all that it does then.
    pub fn keep_until_end(&self, kept: Arc<dyn Any + Send + Sync>) {
        self.hold.keep(kept);
    }

    /// How its kernels are launched.
    #[must_use]
    pub fn interface(&self) -> &ModuleInterface {
        &self.shared.interface
    }
}

impl ProgramShared {
    /// What is known of the launches of a kernel.
    pub(crate) fn foreseen(&self, kernel: usize) -> &Foreseen {
        &self.kernels[kernel].foreseen
    }
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Program").field(&self.kernel_names().collect::<Vec<_>>()).finish()
    }
}

/// The buffer of the program-scope variables, with their initial values (OpenCL C §6.7.1).
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

/// A kernel of a program. Cloning is cheap and gives the same kernel.
#[derive(Clone)]
pub struct Kernel {
    pub(crate) program: Arc<ProgramShared>,
    pub(crate) index: usize,
    /// How it prints, if not as the device's kernels do.
    pub(crate) printing: Option<Arc<PrintOptions>>,
    pub(crate) hold: Hold,
}

impl Kernel {
    /// The same kernel; it, and what it enqueues, print as these options say.
    #[must_use]
    pub fn printing(self, options: Arc<PrintOptions>) -> Kernel {
        Kernel { printing: Some(options), ..self }
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.interface().name
    }

    /// Its arguments and sizes.
    #[must_use]
    pub fn interface(&self) -> &KernelInterface {
        &self.program.interface.kernels[self.index]
    }

    /// The device it is on.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.program.device
    }

    /// The work-group size of a launch with these sizes, chosen by the runtime if the launch names none.
    ///
    /// # Errors
    /// [`Error::Launch`].
    pub fn suggested_local_size(&self, config: &LaunchConfig) -> Result<[u32; 3]> {
        let refuse = |reason| Error::Launch { kernel: self.name().to_owned(), reason };
        let plan = nd_range::plan(self.interface(), self.device().profile(), config).map_err(refuse)?;
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
            Some(_) => {
                let (program, printing) = (Arc::clone(&self.program), self.printing.clone());
                Ok(Kernel { program, index, printing, hold: self.hold.clone() })
            }
            None => Err(Error::DeviceQueue { reason: "the program does not have the kernel" }),
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
        let local = nd_range::chosen_local_size(self.interface(), global, profile);
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
        let device = &self.device().shared;
        let options = self.printing.as_deref().unwrap_or(&device.print_options);
        prints.then(|| PrintBuffer::new(&device.heap, options, &self.program.print_tables)).transpose()
    }

    /// What is known of the memory of these arguments, if the kernel is sanitized.
    pub(crate) fn sanitized_memory(&self, arguments: &[Arg<'_>]) -> Vec<ArgumentMemory> {
        match self.program.sanitized {
            Some(_) => arguments.iter().map(Arg::memory).collect(),
            None => Vec::new(),
        }
    }

    /// The arguments of this memory that a sanitized kernel does not watch in a launch of this shape, and the
    /// accesses that stay inside.
    pub(crate) fn unchecked(&self, memory: &[ArgumentMemory], shape: &Shape) -> [u32; 2] {
        let watching = &self.program.kernels[self.index].watching;
        let sanitized = self.program.sanitized.as_ref();
        sanitized.map_or([0; 2], |sanitized| watching.unchecked(sanitized, self.name(), memory, shape))
    }

    /// A buffer for what a launch of this shape, with arguments of this memory, some of it not watched,
    /// reports or measures, if the kernel does.
    pub(crate) fn report_buffer(
        &self,
        shape: Shape,
        memory: Vec<ArgumentMemory>,
        unwatched: u32,
    ) -> Result<Option<Box<ReportBuffer>>> {
        if self.interface().implicit_buffer(ImplicitBuffer::Reports).is_none() {
            return Ok(None);
        }
        let device = &self.device().shared;
        let content = match (&self.program.sanitized, &self.program.measured) {
            (Some(sanitized), _) => {
                let remembers = self.interface().implicit_buffer(ImplicitBuffer::Shadow).is_some();
                let cells = sanitized.cells.filter(|_| remembers);
                let layout = cells.map(|cells| Layout::new(&cells, &memory, unwatched, &shape));
                let layout = layout.unwrap_or_default();
                let handler = device.options.report_handler.clone();
                Content::Sanitized(Arc::clone(sanitized), handler, memory, layout)
            }
            (None, Some(measured)) => {
                let handler = device.options.measure_handler.clone();
                Content::Measured(Arc::clone(measured), handler, self.device().profile().subgroup_size)
            }
            (None, None) => return Ok(None),
        };
        ReportBuffer::new(&device.heap, self.name(), content, shape).map(Some)
    }

    /// The descriptors of samplers that the program declares, with their bindings.
    pub(crate) fn samplers(&self) -> &[(u32, Descriptor)] {
        &self.program.kernels[self.index].samplers
    }

    /// The pipeline for the first of these work-group sizes, for the size `enqueued` that the launch asked
    /// for, and for these sizes of local arguments; compiled if it is new. The launch will ask for the other
    /// sizes, too.
    pub(crate) fn pipeline(
        &self,
        mut sizes: impl Iterator<Item = [u32; 3]>,
        enqueued: [u32; 3],
        locals: &[(u32, u32)],
    ) -> Result<Arc<Pipeline>> {
        let (program, first) = (&self.program, sizes.next().expect("launches have dispatches"));
        let key = |local| PipelineKey::new(local, enqueued, locals);
        let is_first = program.note_launch(self.index);
        program.pipelines.get(self.index, &key(first), || {
            sizes.for_each(|local| program.pipelines.compile_ahead(self.index, key(local), true));
            if is_first {
                program.prepare_others(self.index, enqueued);
            }
        })
    }
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Kernel({})", self.name())
    }
}

impl KernelParts {
    fn new(device: &Device, kernel: &KernelInterface) -> Result<Self> {
        let declared = kernel.samplers.iter().map(|sampler| Sampler::of_program(device, sampler));
        let declared = declared.collect::<Result<Vec<_>>>()?;
        let bindings = kernel.samplers.iter().map(|sampler| sampler.binding);
        let mut samplers: Vec<_> = bindings.zip(declared.iter().map(Sampler::descriptor)).collect();
        for sampler in &kernel.texel_samplers {
            if let SamplerSource::Program(index) = sampler.of {
                samplers.push((sampler.binding, declared[index as usize].texel_descriptor()?));
            }
        }
        Ok(KernelParts {
            samplers,
            chosen: Mutex::default(),
            foreseen: Foreseen::default(),
            watching: Watching::default(),
        })
    }
}
