//! Launches of kernels: their sizes, the arguments that they keep, and the commands that they make.

use super::kernel::{Argument, Indirect, Kernel};
use super::memory::Memory;
use super::queue::Queue;
use super::recipe::Recipe;
use super::sampler::Sampler;
use super::svm::{Allocations, Place};
use crate::border::In;
use crate::cl::*;
use crate::code::{self, Result, ensure};
use clvk_interface::ImplicitBuffer;
use clvk_ir::{KernelParam, KernelParamKind};
use smallvec::SmallVec;
use std::num::NonZeroU32;
use std::sync::{Arc, Weak};
use vk_runtime::{Arg, Buffer, Command, LaunchConfig};

/// Most pointers that are declared for a launch and looked up one by one. With more, it may reach anything.
const MOST_POINTERS: usize = 32;

/// The sizes of a launch, as the application gives them.
pub struct Sizes {
    /// Number of dimensions.
    pub work_dim: u32,
    /// First ids.
    pub offset: In<usize>,
    /// Work-items.
    pub global: In<usize>,
    /// Work-items of a group.
    pub local: In<usize>,
}

impl Sizes {
    /// Checks the sizes for a kernel on the queue's device; `None` if there is nothing to run.
    pub fn check(&self, queue: &Queue, kernel: &Kernel) -> Result<Option<LaunchConfig>> {
        let profile = queue.device().profile();
        ensure((1..=3).contains(&self.work_dim), code::INVALID_WORK_DIMENSION)?;
        let count = self.work_dim as usize;
        // A missing size counts as zero.
        let Some(global) = self.global.padded(count, 1) else { return Ok(None) };
        let global = global.map(|size| size as u64);
        let offset = self.offset.padded(count, 0).unwrap_or_default().map(|start| start as u64);
        let ends = [0, 1, 2].map(|axis| offset[axis].checked_add(global[axis]));
        ensure(ends.iter().all(Option::is_some), code::INVALID_GLOBAL_OFFSET)?;
        let fits = ends.iter().flatten().all(|&end| end <= u64::from(u32::MAX));
        ensure(fits, code::INVALID_GLOBAL_WORK_SIZE)?;
        let local = self.local.padded(count, 1);
        for (size, limit) in local.iter().flatten().zip(profile.max_work_group_size) {
            ensure(*size > 0, code::INVALID_WORK_GROUP_SIZE)?;
            ensure(*size <= limit as usize, code::INVALID_WORK_ITEM_SIZE)?;
        }
        let local = local.map(|local| local.map(|size| size as u32));
        if let (Some(required), Some(local)) = (kernel.required_size(), local) {
            ensure(required == local, code::INVALID_WORK_GROUP_SIZE)?;
        }
        if let Some(local) = local.or(kernel.required_size()) {
            let items: u64 = local.iter().map(|&size| u64::from(size)).product();
            let fits = items <= u64::from(profile.max_work_group_invocations);
            ensure(fits, code::INVALID_WORK_GROUP_SIZE)?;
            let divides = (0..3).all(|axis| global[axis].is_multiple_of(u64::from(local[axis])));
            ensure(divides || !kernel.has_uniform_groups(), code::INVALID_WORK_GROUP_SIZE)?;
            let sub_groups = items.div_ceil(u64::from(profile.sub_group_size().max(1)));
            let required = kernel.required_sub_groups();
            ensure(required.is_none_or(|it| u64::from(it) == sub_groups), code::INVALID_WORK_GROUP_SIZE)?;
        }
        let config = LaunchConfig { work_dim: self.work_dim, global, local, offset };
        Ok(global.iter().all(|&size| size > 0).then_some(config))
    }
}

/// An argument whose object is alive.
enum Live {
    Value(SmallVec<[u8; 16]>),
    Memory(Arc<Memory>),
    Null,
    Svm(Place),
    Pointer(u64),
    Address(Arc<Memory>, u64),
    Local(usize),
    Sampler(Arc<Sampler>),
}

/// Adds the arguments of a kernel: `CL_INVALID_KERNEL_ARGS` if one is not set, or its object is gone.
fn add_arguments(live: &mut SmallVec<[Live; 8]>, kernel: &Kernel) -> Result<()> {
    let missing = code::INVALID_KERNEL_ARGS;
    for argument in kernel.arguments().iter() {
        live.push(match argument.as_ref().ok_or(missing)? {
            Argument::Value(bytes) => Live::Value(bytes.clone()),
            Argument::Memory(memory) => Live::Memory(memory.upgrade().ok_or(missing)?),
            Argument::Null => Live::Null,
            Argument::Svm(pointer) => {
                Live::Svm(kernel.program().context().svm_place(*pointer).ok_or(missing)?)
            }
            Argument::Pointer(pointer) => match kernel.program().context().svm_place(*pointer) {
                Some(place) => Live::Svm(place),
                None => Live::Pointer(pointer.pointer() as u64),
            },
            Argument::Address(memory, offset) => Live::Address(memory.upgrade().ok_or(missing)?, *offset),
            Argument::Local(size) => Live::Local(*size),
            Argument::Sampler(sampler) => Live::Sampler(sampler.upgrade().ok_or(missing)?),
        });
    }
    Ok(())
}

/// Whether all arguments of a kernel are set and alive: else `CL_INVALID_KERNEL_ARGS`.
pub fn check_arguments(kernel: &Kernel) -> Result<()> {
    add_arguments(&mut SmallVec::new(), kernel)
}

/// Whether a kernel may write to what a parameter points to.
fn writes(parameter: &KernelParam) -> bool {
    match &parameter.kind {
        KernelParamKind::Buffer { read_only, .. } => !read_only,
        KernelParamKind::Image(image) => image.writable,
        // Reading removes packets.
        KernelParamKind::Pipe { .. } => true,
        _ => false,
    }
}

/// The command that launches a kernel.
fn command(queue: &Queue, kernel: &Kernel, config: &LaunchConfig, live: &[Live]) -> Result<Command> {
    let index = queue.device_index();
    let forms = kernel.forms_on(queue.device())?;
    let parts = parts(queue, kernel, live)?;
    let mut arguments: SmallVec<[Arg<'_>; 8]> = SmallVec::new();
    for (position, argument) in live.iter().enumerate() {
        let parameter = kernel.parameter(position as u32)?;
        if let Some(Some(part)) = parts.get(position) {
            arguments.push(Arg::Buffer(part));
            continue;
        }
        arguments.push(match argument {
            Live::Value(bytes) => Arg::Bytes(bytes),
            Live::Null => Arg::NullBuffer,
            Live::Svm(place) => {
                ensure(place.allocation.device_index() == index, code::INVALID_OPERATION)?;
                Arg::BufferAt(place.allocation.buffer(), place.offset)
            }
            Live::Pointer(address) => Arg::Address(*address),
            Live::Address(memory, offset) => {
                let (buffer, base) = memory.buffer_on(index, writes(parameter))?;
                Arg::BufferAt(buffer, base + offset)
            }
            // An argument without memory still has an element, which the kernel does not access.
            Live::Local(size) => Arg::Local((*size as u64).max(1)),
            Live::Sampler(sampler) => Arg::Sampler(sampler.on_device(index)?),
            Live::Memory(memory) if memory.is_buffer() || memory.packets().is_some() => {
                let (buffer, offset) = memory.buffer_on(index, writes(parameter))?;
                Arg::BufferAt(buffer, offset)
            }
            Live::Memory(memory) if memory.is_texels() => {
                Arg::BufferImage(memory.texels_on(index, writes(parameter))?)
            }
            Live::Memory(memory) if memory.lies_in_buffer() => {
                Arg::PitchedImage(memory.pitched_on(index, writes(parameter))?)
            }
            Live::Memory(memory) => Arg::Image(memory.image_on(index, writes(parameter))?),
        });
    }
    let context = queue.context();
    let indirect = kernel.indirect();
    let in_shared = live.iter().any(|argument| matches!(argument, Live::Svm(_) | Live::Address(..)));
    let on_device = forms.for_launch(&arguments, in_shared, &indirect)?;
    let (buffers, anything) = reached(context.svm(), &indirect, queue)?;
    drop(indirect);
    let made = Command::launch_with(on_device, config, &arguments, &buffers);
    match made.map(|command| if anything { command.reaching_anything() } else { command }) {
        Ok(command) if enqueues(on_device) => Ok(command.with_default_queue(queue.default_on_device())),
        Ok(command) => Ok(command),
        Err(error) => {
            context.report(&error);
            Err(launch_code(error))
        }
    }
}

/// For sanitized kernels: the buffers and sub-buffers among the arguments, whose ends and flags count, by
/// position.
fn parts(queue: &Queue, kernel: &Kernel, live: &[Live]) -> Result<Vec<Option<Buffer>>> {
    if !queue.device().is_sanitized() {
        return Ok(Vec::new());
    }
    let part = |(position, argument): (usize, &Live)| {
        let Live::Memory(memory) = argument else { return Ok(None) };
        if !memory.is_buffer() {
            return Ok(None);
        }
        let parameter = kernel.parameter(position as u32)?;
        let (buffer, offset) = memory.buffer_on(queue.device_index(), writes(parameter))?;
        let part = buffer.part(offset, memory.size() as u64).map_err(launch_code)?;
        let has = |flag| memory.flags() & flag != 0;
        Ok(Some(part.forbidding(has(CL_MEM_WRITE_ONLY), has(CL_MEM_READ_ONLY))))
    };
    live.iter().enumerate().map(part).collect()
}

/// The buffers that a kernel may access besides its arguments, and whether it may access any memory. Long
/// lists of pointers and whole kinds of memory are not looked up, so that launches cost the same whatever
/// number of allocations there is. Only robust mode has to know each range.
fn reached(allocations: &Allocations, indirect: &Indirect, queue: &Queue) -> Result<(Vec<Buffer>, bool)> {
    let (mut buffers, index) = (Vec::new(), queue.device_index());
    let many = indirect.shared.len() + indirect.unified.len() > MOST_POINTERS;
    let anything = many || indirect.kinds.iter().any(|&kind| allocations.has(kind));
    if anything && queue.device().info().is_robust() {
        allocations.all_buffers(index, &mut buffers);
    } else if !many {
        allocations.buffers(&indirect.shared, index, &mut buffers);
        allocations.buffers(&indirect.unified, index, &mut buffers);
    }
    for memory in indirect.buffers.iter().filter_map(Weak::upgrade) {
        buffers.push(memory.buffer_on(index, true)?.0.clone());
    }
    Ok((buffers, anything))
}

/// Whether a kernel may enqueue others.
pub fn enqueues(kernel: &vk_runtime::Kernel) -> bool {
    kernel.interface().implicit_buffer(ImplicitBuffer::DeviceQueue).is_some()
}

/// The code for a launch that the runtime refuses.
pub fn launch_code(error: vk_runtime::Error) -> code::Code {
    use vk_runtime::Error;
    match error {
        Error::Argument { .. } | Error::ArgumentCount { .. } => code::INVALID_KERNEL_ARGS,
        Error::Launch { .. } => code::OUT_OF_RESOURCES,
        other => other.into(),
    }
}

/// A launch of a kernel with the arguments that it has now.
pub struct Launch {
    kind: cl_command_type,
    kernel: Arc<Kernel>,
    /// None if there is nothing to run.
    config: Option<LaunchConfig>,
    live: SmallVec<[Live; 8]>,
}

impl Launch {
    /// Checks sizes and arguments.
    pub fn new(queue: &Queue, kernel: Arc<Kernel>, kind: cl_command_type, sizes: &Sizes) -> Result<Self> {
        ensure(Arc::ptr_eq(kernel.program().context(), queue.context()), code::INVALID_CONTEXT)?;
        kernel.on_device(queue.device())?;
        let mut launch = Launch { kind, kernel, config: None, live: SmallVec::new() };
        add_arguments(&mut launch.live, &launch.kernel)?;
        launch.config = sizes.check(queue, &launch.kernel)?;
        Ok(launch)
    }
}

impl Recipe for Launch {
    fn kind(&self) -> cl_command_type {
        self.kind
    }

    fn kernel_label(&self) -> Option<NonZeroU32> {
        self.kernel.label()
    }

    fn command(&self, queue: &Queue) -> Result<Command> {
        let Some(config) = &self.config else { return Ok(Command::marker()) };
        command(queue, &self.kernel, config, &self.live)
    }

    fn uses(&self) -> SmallVec<[&Arc<Memory>; 8]> {
        let memories = self.live.iter().filter_map(|argument| match argument {
            Live::Memory(memory) | Live::Address(memory, _) => Some(memory),
            _ => None,
        });
        memories.collect()
    }
}
