//! Runs a case on a Vulkan device: memory, launches, results.

use crate::case::{Addressing, Argument, Case, Forbids, Launch, Resource, ResourceKind};
use clvk_interface::CompiledModule;
use vk_runtime::{
    AddressingMode, Arg, Buffer, ChannelOrder, ChannelType, Device, Error, FilterMode, Image,
    ImageDescription, ImageFormat, Kernel, LaunchConfig, Program, Sampler, SamplerDescription, SamplerLevels,
};

/// A case that is ready to run: its kernels, and its memory with the initial contents.
pub struct Prepared<'a> {
    device: &'a Device,
    case: &'a Case,
    memory: Vec<Memory>,
    launches: Vec<PreparedLaunch<'a>>,
}

enum Memory {
    Buffer(Buffer),
    Image(Image),
}

struct PreparedLaunch<'a> {
    launch: &'a Launch,
    kernel: Kernel,
    /// One for each argument that is a sampler, in order.
    samplers: Vec<Sampler>,
}

impl<'a> Prepared<'a> {
    /// Loads a compiled case on a device.
    ///
    /// # Errors
    /// The runtime refuses something, or the device fails.
    pub fn new(device: &'a Device, case: &'a Case, module: CompiledModule) -> Result<Self, Error> {
        let program = Program::new(device, module)?;
        let memory =
            case.resources.iter().map(|resource| make_memory(device, resource)).collect::<Result<_, _>>()?;
        let launches =
            case.launches.iter().map(|launch| prepare(device, &program, launch)).collect::<Result<_, _>>()?;
        Ok(Prepared { device, case, memory, launches })
    }

    /// Runs every launch in one submission; returns their time on the device, in seconds.
    ///
    /// # Errors
    /// The runtime refuses something, or the device fails.
    pub fn run(&self) -> Result<f64, Error> {
        Ok(self.run_times(1)?.iter().sum())
    }

    /// Runs every launch several times in one submission. Returns for each time how long the device took for
    /// all of them, in seconds, with what lies between them, and without time stamps there. One submission,
    /// because a device that waits for the host between runs lowers its clock.
    ///
    /// # Errors
    /// The runtime refuses something, or the device fails.
    pub fn run_times(&self, times: usize) -> Result<Vec<f64>, Error> {
        let mut batch = self.device.batch();
        batch.timed(false).mark();
        for _ in 0..times {
            for prepared in &self.launches {
                let arguments = self.arguments(prepared);
                batch.dispatch(&prepared.kernel, &launch_config(prepared.launch), &arguments)?;
            }
            batch.mark();
        }
        let marks = batch.submit()?.marks()?;
        Ok(marks.windows(2).map(|run| (run[1] - run[0]) as f64 * 1e-9).collect())
    }

    fn arguments<'b>(&'b self, prepared: &'b PreparedLaunch<'_>) -> Vec<Arg<'b>> {
        let mut samplers = prepared.samplers.iter();
        let argument = |argument: &'b Argument| match argument {
            Argument::Resource(id) => match &self.memory[id.0] {
                Memory::Buffer(buffer) => Arg::Buffer(buffer),
                Memory::Image(image) => Arg::Image(image),
            },
            Argument::Value(bytes) => Arg::Bytes(bytes),
            Argument::Local(bytes) => Arg::Local(*bytes as u64),
            Argument::Null => Arg::NullBuffer,
            Argument::Sampler(_) => Arg::Sampler(samplers.next().expect("one was made for each")),
        };
        prepared.launch.arguments.iter().map(argument).collect()
    }

    /// Ends the program, which destroys its objects. Nothing can be launched any more.
    pub fn end(&mut self) {
        self.launches.clear();
    }

    /// The current contents of a resource.
    ///
    /// # Errors
    /// The device fails.
    pub fn read(&self, index: usize) -> Result<Vec<u8>, Error> {
        let mut bytes = vec![0; self.case.resources[index].data.len()];
        match &self.memory[index] {
            Memory::Buffer(buffer) => buffer.read(0, &mut bytes)?,
            Memory::Image(image) => image.read(&mut bytes)?,
        }
        Ok(bytes)
    }
}

fn make_memory(device: &Device, resource: &Resource) -> Result<Memory, Error> {
    match resource.kind {
        ResourceKind::Buffer { .. } => {
            let buffer = Buffer::with_data(device, &resource.data)?;
            Ok(Memory::Buffer(match resource.forbids {
                Some(Forbids::Reads) => buffer.forbidding(true, false),
                Some(Forbids::Writes) => buffer.forbidding(false, true),
                Some(Forbids::EarlyReads) => buffer.undefined(),
                None => buffer,
            }))
        }
        ResourceKind::ImageRgba8 { width, height, .. } => {
            let format = ImageFormat { order: ChannelOrder::Rgba, channel: ChannelType::UnormInt8 };
            let image = Image::new(device, &ImageDescription::planar(format, width as u32, height as u32))?;
            image.write(&resource.data)?;
            Ok(Memory::Image(image))
        }
    }
}

fn prepare<'a>(device: &Device, program: &Program, launch: &'a Launch) -> Result<PreparedLaunch<'a>, Error> {
    let mut samplers = Vec::new();
    for argument in &launch.arguments {
        if let Argument::Sampler(sampler) = argument {
            let description = SamplerDescription {
                normalized_coordinates: sampler.normalized,
                addressing: match sampler.addressing {
                    Addressing::Clamp => AddressingMode::Clamp,
                    Addressing::ClampToEdge => AddressingMode::ClampToEdge,
                },
                filter: if sampler.linear { FilterMode::Linear } else { FilterMode::Nearest },
                levels: SamplerLevels::default(),
            };
            samplers.push(Sampler::new(device, description)?);
        }
    }
    Ok(PreparedLaunch { launch, kernel: program.kernel(&launch.kernel)?, samplers })
}

/// The sizes of a launch.
#[must_use]
pub fn launch_config(launch: &Launch) -> LaunchConfig {
    let fill = |sizes: &[usize], rest: usize| -> [usize; 3] {
        std::array::from_fn(|dimension| sizes.get(dimension).copied().unwrap_or(rest))
    };
    LaunchConfig {
        work_dim: launch.global.len() as u32,
        global: fill(&launch.global, 1).map(|size| size as u64),
        local: Some(fill(&launch.local, 1).map(|size| size as u32)),
        offset: fill(&launch.offset, 0).map(|size| size as u64),
    }
}
