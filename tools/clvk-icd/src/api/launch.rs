//! Launches of kernels and of host functions.

use super::recipe;
use crate::border::callback::{self, Native};
use crate::border::{In, Out};
use crate::cl::*;
use crate::code::{self, Result, ensure};
use crate::entry::status;
use crate::handle::{self, Handle};
use crate::object::event::Event;
use crate::object::kernel::{Argument, Indirect, Kernel};
use crate::object::map::Staging;
use crate::object::memory::Memory;
use crate::object::queue::{Order, Queue};
use crate::object::recipe::Recipe;
use crate::object::sampler::Sampler;
use crate::object::svm::{Allocations, Place};
use clvk_interface::ImplicitBuffer;
use clvk_ir::{KernelParam, KernelParamKind};
use smallvec::SmallVec;
use std::ffi::c_void;
use std::sync::{Arc, Weak};
use vk_runtime::{Arg, Buffer, Command, EventStatus, LaunchConfig};

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
    fn check(&self, queue: &Queue, kernel: &Kernel) -> Result<Option<LaunchConfig>> {
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
    let on_device = kernel.on_device(queue.device())?;
    let mut arguments: SmallVec<[Arg<'_>; 8]> = SmallVec::new();
    for (position, argument) in live.iter().enumerate() {
        let parameter = kernel.parameter(position as u32)?;
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
    let (buffers, anything) = reached(context.svm(), &kernel.indirect(), queue)?;
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
fn enqueues(kernel: &vk_runtime::Kernel) -> bool {
    kernel.interface().implicit_buffer(ImplicitBuffer::DeviceQueue).is_some()
}

/// The code for a launch that the runtime refuses.
fn launch_code(error: vk_runtime::Error) -> code::Code {
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
    pub fn new(queue: &Queue, kernel: Handle<Kernel>, kind: cl_command_type, sizes: &Sizes) -> Result<Self> {
        let kernel = kernel.get()?;
        ensure(Arc::ptr_eq(kernel.program().context(), queue.context()), code::INVALID_CONTEXT)?;
        kernel.on_device(queue.device())?;
        let mut launch = Launch { kind, kernel, config: None, live: SmallVec::new() };
        add_arguments(&mut launch.live, &launch.kernel)?;
        launch.config = sizes.check(queue, &launch.kernel)?;
        Ok(launch)
    }

    /// Whether the kernel may enqueue others.
    pub fn enqueues(&self, queue: &Queue) -> Result<bool> {
        Ok(enqueues(self.kernel.on_device(queue.device())?))
    }
}

impl Recipe for Launch {
    fn kind(&self) -> cl_command_type {
        self.kind
    }

    fn command(&self, queue: &Queue) -> Result<Command> {
        match &self.config {
            Some(config) => command(queue, &self.kernel, config, &self.live),
            None => Ok(Command::marker()),
        }
    }

    fn uses(&self) -> SmallVec<[&Arc<Memory>; 8]> {
        let memories = self.live.iter().filter_map(|argument| match argument {
            Live::Memory(memory) | Live::Address(memory, _) => Some(memory),
            _ => None,
        });
        memories.collect()
    }
}

fn launch(
    queue: Handle<Queue>,
    kernel: Handle<Kernel>,
    kind: cl_command_type,
    sizes: &Sizes,
    count: u32,
    waits: In<Handle<Event>>,
    event: Out<Handle<Event>>,
) -> Result<()> {
    let queue = queue.get()?;
    let launch = Launch::new(&queue, kernel, kind, sizes)?;
    recipe::enqueue(&queue, &launch, count, waits, event)
}

/// The arguments of a native kernel: a copy of the application's, with the addresses of copies of the
/// buffers.
struct NativeCall {
    function: unsafe extern "C" fn(*mut c_void),
    arguments: Vec<u8>,
    buffers: Vec<(Arc<Memory>, Arc<Staging>)>,
}

impl NativeCall {
    fn new(
        queue: &Queue,
        function: Native,
        arguments: (In<c_void>, usize),
        num_objects: u32,
        objects: In<Handle<Memory>>,
        places: In<In<c_void>>,
    ) -> Result<Self> {
        let function = function.ok_or(code::INVALID_VALUE)?;
        let (pointer, size) = arguments;
        ensure(pointer.is_null() == (size == 0), code::INVALID_VALUE)?;
        ensure(!pointer.is_null() || num_objects == 0, code::INVALID_VALUE)?;
        let none = num_objects == 0;
        ensure(none == objects.is_null() && none == places.is_null(), code::INVALID_VALUE)?;
        let mut call = NativeCall {
            function,
            arguments: pointer.bytes(size).unwrap_or_default().into_vec(),
            buffers: Vec::new(),
        };
        if none {
            return Ok(call);
        }
        let places = places.list(num_objects as usize).unwrap_or_default();
        for (memory, place) in handle::list(objects, num_objects)?.into_iter().zip(places) {
            ensure(memory.is_buffer(), code::INVALID_MEM_OBJECT)?;
            memory.check_context(queue.context())?;
            let staging = Staging::new(memory.size()).ok_or(code::OUT_OF_HOST_MEMORY)?;
            let offset = place.distance_from(pointer);
            callback::put_pointer(&mut call.arguments, offset, staging.pointer())
                .ok_or(code::INVALID_VALUE)?;
            call.buffers.push((memory, staging));
        }
        Ok(call)
    }

    /// Reads the buffers, calls the function, and writes the buffers.
    fn enqueue(self, queue: &Arc<Queue>, order: &Order) -> Result<()> {
        let NativeCall { function, mut arguments, buffers } = self;
        let index = queue.device_index();
        let mut events: Vec<vk_runtime::Event> = order.waits.to_vec();
        for (memory, staging) in &buffers {
            let (buffer, base) = memory.buffer_on(index, true)?;
            // SAFETY: the staging memory has the buffer's size and lives until the last event is complete
            // (below).
            let command = unsafe {
                Command::read_buffer(buffer, base, staging.pointer().place()?, memory.size() as u64)
            };
            events.push(queue.core().enqueue(command?, &order.waits)?);
        }
        let call = Command::native(move || callback::call_native(function, &mut arguments));
        let called = queue.core().enqueue(call, &events)?;
        let mut last = vec![called.clone()];
        for (memory, staging) in &buffers {
            let (buffer, base) = memory.buffer_on(index, true)?;
            // SAFETY: as above.
            let command = unsafe {
                Command::write_buffer(buffer, base, staging.pointer().place()?, memory.size() as u64)
            };
            last.push(queue.core().enqueue(command?, std::slice::from_ref(&called))?);
        }
        let done =
            if buffers.is_empty() { called } else { queue.core().enqueue(Command::marker(), &last)? };
        done.on_status(EventStatus::Complete, move |_| drop(buffers));
        queue.publish(CL_COMMAND_NATIVE_KERNEL, done, order.event);
        Ok(())
    }
}

status! {
    /// `clEnqueueNDRangeKernel`.
    fn clEnqueueNDRangeKernel(
        queue: Handle<Queue>,
        kernel: Handle<Kernel>,
        work_dim: u32,
        offset: In<usize>,
        global: In<usize>,
        local: In<usize>,
        count: u32,
        waits: In<Handle<Event>>,
        event: Out<Handle<Event>>,
    ) {
        let sizes = Sizes { work_dim, offset, global, local };
        launch(queue, kernel, CL_COMMAND_NDRANGE_KERNEL, &sizes, count, waits, event)
    }

    /// `clEnqueueTask`: one work-item.
    fn clEnqueueTask(
        queue: Handle<Queue>,
        kernel: Handle<Kernel>,
        count: u32,
        waits: In<Handle<Event>>,
        event: Out<Handle<Event>>,
    ) {
        let one = [1usize];
        let sizes = Sizes { work_dim: 1, offset: In::NULL, global: In::of(&one), local: In::of(&one) };
        launch(queue, kernel, CL_COMMAND_TASK, &sizes, count, waits, event)
    }

    /// `clEnqueueNativeKernel`.
    fn clEnqueueNativeKernel(
        queue: Handle<Queue>,
        function: Native,
        arguments: In<c_void>,
        size: usize,
        num_objects: u32,
        objects: In<Handle<Memory>>,
        places: In<In<c_void>>,
        count: u32,
        waits: In<Handle<Event>>,
        event: Out<Handle<Event>>,
    ) {
        let queue = queue.get()?;
        let call = NativeCall::new(&queue, function, (arguments, size), num_objects, objects, places)?;
        let order = queue.order(count, waits, event)?;
        call.enqueue(&queue, &order)
    }

    /// `clGetKernelSuggestedLocalWorkSize`.
    fn clGetKernelSuggestedLocalWorkSize(
        queue: Handle<Queue>,
        kernel: Handle<Kernel>,
        work_dim: u32,
        offset: In<usize>,
        global: In<usize>,
        suggested: Out<usize>,
    ) {
        let queue = queue.get()?;
        let kernel = kernel.get()?;
        ensure(Arc::ptr_eq(kernel.program().context(), queue.context()), code::INVALID_CONTEXT)?;
        let on_device = kernel.on_device(queue.device())?;
        add_arguments(&mut SmallVec::new(), &kernel)?;
        let sizes = Sizes { work_dim, offset, global, local: In::NULL };
        let config = sizes.check(&queue, &kernel)?.ok_or(code::INVALID_GLOBAL_WORK_SIZE)?;
        ensure(!suggested.is_null(), code::INVALID_VALUE)?;
        let local = on_device.suggested_local_size(&config).map_err(launch_code)?;
        for (axis, &size) in local.iter().take(work_dim as usize).enumerate() {
            suggested.set_at(axis, size as usize);
        }
        Ok(())
    }
}
