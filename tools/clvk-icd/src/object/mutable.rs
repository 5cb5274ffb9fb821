//! Commands of command buffers that can be changed (`cl_khr_command_buffer_mutable_dispatch`).
//!
//! A recorded launch has a copy of its kernel. Changes of the application's kernel do not reach it, and an
//! update sets the arguments of another copy, from which it makes another launch. An update that is refused
//! has therefore changed nothing, and a launch that is under way keeps what it was enqueued with.

use super::command_buffer::CommandBuffer;
use super::kernel::Kernel;
use super::launch::{Launch, Sizes, enqueues};
use super::queue::Queue;
use super::recipe::Recipe;
use crate::border::{HostMemory, In};
use crate::cl::*;
use crate::code::{self, Result, ensure};
use crate::handle::{Handle, Header, object};
use crate::info::{self, Answer};
use std::ffi::c_void;
use std::sync::{Arc, Weak};

/// What can be changed.
pub const FIELDS: cl_mutable_dispatch_fields_khr = CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR
    | CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR
    | CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR
    | CL_MUTABLE_DISPATCH_ARGUMENTS_KHR
    | CL_MUTABLE_DISPATCH_EXEC_INFO_KHR;

/// `cl_mutable_dispatch_arg_khr`, with the value as `clSetKernelArg` or `clSetKernelArgSVMPointer` takes it.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct NewArgument<T> {
    index: u32,
    size: usize,
    value: T,
}

/// `cl_mutable_dispatch_exec_info_khr`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct NewExecutionInfo {
    name: u32,
    size: usize,
    value: In<c_void>,
}

/// `cl_mutable_dispatch_config_khr`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Config {
    command: Handle<MutableCommand>,
    num_args: u32,
    num_svm_args: u32,
    num_exec_infos: u32,
    work_dim: u32,
    arguments: In<NewArgument<In<c_void>>>,
    svm_arguments: In<NewArgument<HostMemory>>,
    exec_infos: In<NewExecutionInfo>,
    offset: In<usize>,
    global: In<usize>,
    local: In<usize>,
}

impl Config {
    /// The handle of the command that it changes, which must be of this buffer.
    pub fn command(&self, buffer: &CommandBuffer) -> Result<Arc<MutableCommand>> {
        let command = self.command.find()?;
        ensure(command.is_of(buffer), code::INVALID_MUTABLE_COMMAND)?;
        Ok(command)
    }

    /// Checks what it changes of a launch with this number of dimensions.
    fn check(&self, work_dim: u32, fields: cl_mutable_dispatch_fields_khr) -> Result<()> {
        let same = self.work_dim == 0 || self.work_dim == work_dim;
        ensure(same, code::INVALID_OPERATION)?;
        let changes = [
            (!self.offset.is_null(), CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR),
            (!self.global.is_null(), CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR),
            (!self.local.is_null(), CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR),
            (self.num_args | self.num_svm_args != 0, CL_MUTABLE_DISPATCH_ARGUMENTS_KHR),
            (self.num_exec_infos != 0, CL_MUTABLE_DISPATCH_EXEC_INFO_KHR),
        ];
        for (changed, field) in changes {
            ensure(!changed || fields & field != 0, code::INVALID_OPERATION)?;
        }
        ensure((self.num_args == 0) == self.arguments.is_null(), code::INVALID_VALUE)?;
        ensure((self.num_svm_args == 0) == self.svm_arguments.is_null(), code::INVALID_VALUE)?;
        ensure((self.num_exec_infos == 0) == self.exec_infos.is_null(), code::INVALID_VALUE)
    }

    /// Sets arguments and execution information of a kernel.
    fn set(&self, kernel: &Kernel) -> Result<()> {
        for argument in self.arguments.list(self.num_args as usize).unwrap_or_default() {
            kernel.set_argument(argument.index, argument.size, argument.value)?;
        }
        for argument in self.svm_arguments.list(self.num_svm_args as usize).unwrap_or_default() {
            kernel.set_svm_argument(argument.index, argument.value)?;
        }
        for info in self.exec_infos.list(self.num_exec_infos as usize).unwrap_or_default() {
            kernel.set_execution_info(info.name, info.size, info.value)?;
        }
        Ok(())
    }
}

/// The sizes of a recorded launch, as the application gave them.
#[derive(Clone, Copy)]
struct KeptSizes {
    work_dim: u32,
    offset: [usize; 3],
    global: Option<[usize; 3]>,
    local: Option<[usize; 3]>,
}

impl KeptSizes {
    fn of(sizes: &Sizes) -> Self {
        let count = sizes.work_dim as usize;
        KeptSizes {
            work_dim: sizes.work_dim,
            offset: sizes.offset.padded(count, 0).unwrap_or_default(),
            global: sizes.global.padded(count, 1),
            local: sizes.local.padded(count, 1),
        }
    }

    fn changed(self, config: &Config) -> Self {
        let count = self.work_dim as usize;
        KeptSizes {
            work_dim: self.work_dim,
            offset: config.offset.padded(count, 0).unwrap_or(self.offset),
            global: config.global.padded(count, 1).or(self.global),
            local: config.local.padded(count, 1).or(self.local),
        }
    }

    /// The same as parameters, which must not outlive it.
    fn parameters(&self) -> Sizes {
        let list = |sizes: &Option<[usize; 3]>| sizes.as_ref().map_or(In::NULL, |sizes| In::of(&sizes[..]));
        let (global, local) = (list(&self.global), list(&self.local));
        Sizes { work_dim: self.work_dim, offset: In::of(&self.offset), global, local }
    }

    /// Whether all work-groups have the same size, as they have if the driver chooses it.
    fn is_uniform(&self) -> bool {
        let (Some(global), Some(local)) = (self.global, self.local) else { return true };
        global.iter().zip(local).all(|(size, group)| size.is_multiple_of(group))
    }

    /// As many of them as there are dimensions.
    fn answer(&self, sizes: [usize; 3]) -> Result<Answer> {
        info::list(&sizes[..self.work_dim as usize])
    }
}

/// A recorded launch.
pub struct RecordedLaunch {
    /// The application's kernel.
    named: Arc<Kernel>,
    /// Its copy, which has the arguments.
    kernel: Arc<Kernel>,
    sizes: KeptSizes,
    /// None while arguments are missing.
    launch: Option<Launch>,
}

impl RecordedLaunch {
    /// Checks sizes and arguments, which may be set later if they `may_lack`.
    pub fn new(queue: &Queue, named: Arc<Kernel>, sizes: &Sizes, may_lack: bool) -> Result<Self> {
        let kernel = named.duplicate();
        let launch = RecordedLaunch::of(queue, named, kernel, KeptSizes::of(sizes), may_lack)?;
        // `CL_COMMAND_BUFFER_CAPABILITY_DEVICE_SIDE_ENQUEUE_KHR` is not offered.
        ensure(!enqueues(launch.kernel.on_device(queue.device())?), code::INVALID_OPERATION)?;
        Ok(launch)
    }

    fn of(
        queue: &Queue,
        named: Arc<Kernel>,
        kernel: Arc<Kernel>,
        sizes: KeptSizes,
        may_lack: bool,
    ) -> Result<Self> {
        let made = Launch::new(queue, Arc::clone(&kernel), CL_COMMAND_NDRANGE_KERNEL, &sizes.parameters());
        let launch = match made {
            Err(code::INVALID_KERNEL_ARGS) if may_lack => {
                sizes.parameters().check(queue, &kernel)?;
                None
            }
            made => Some(made?),
        };
        Ok(RecordedLaunch { named, kernel, sizes, launch })
    }

    /// The same on another queue.
    pub fn copied(&self, queue: &Queue) -> Result<Self> {
        let (named, kernel) = (Arc::clone(&self.named), self.kernel.duplicate());
        RecordedLaunch::of(queue, named, kernel, self.sizes, self.launch.is_none())
    }

    /// The launch as it will be after a change. One that is complete remains complete.
    pub fn updated(&self, queue: &Queue, command: &MutableCommand, config: &Config) -> Result<Self> {
        config.check(self.sizes.work_dim, command.fields)?;
        let kernel = self.kernel.duplicate();
        config.set(&kernel)?;
        let (named, sizes) = (Arc::clone(&self.named), self.sizes.changed(config));
        let updated = RecordedLaunch::of(queue, named, kernel, sizes, self.launch.is_none())?;
        ensure(sizes.is_uniform() == self.sizes.is_uniform(), code::INVALID_OPERATION)?;
        Ok(updated)
    }

    /// What can be enqueued; none while arguments are missing.
    pub fn recipe(&self) -> Option<&dyn Recipe> {
        self.launch.as_ref().map(|launch| launch as &dyn Recipe)
    }
}

/// The handle of a recorded launch. Its command buffer owns it.
#[repr(C)]
pub struct MutableCommand {
    header: Header<MutableCommand>,
    buffer: Weak<CommandBuffer>,
    /// Index of the command.
    position: usize,
    /// As the application gave them, with the zero at the end; empty if it gave none.
    properties: Vec<u64>,
    fields: cl_mutable_dispatch_fields_khr,
}

object!(MutableCommand, code::INVALID_MUTABLE_COMMAND);

impl MutableCommand {
    /// Of the command at this index of a buffer.
    pub fn new(
        buffer: &Arc<CommandBuffer>,
        position: usize,
        properties: Vec<u64>,
        fields: cl_mutable_dispatch_fields_khr,
    ) -> Arc<Self> {
        let (header, buffer) = (Header::new(), Arc::downgrade(buffer));
        Arc::new(MutableCommand { header, buffer, position, properties, fields })
    }

    /// The same for the copy of its command in a copy of its buffer.
    pub fn copy_for(&self, buffer: &Arc<CommandBuffer>) -> Arc<Self> {
        MutableCommand::new(buffer, self.position, self.properties.clone(), self.fields)
    }

    /// Whether it is of this buffer.
    pub fn is_of(&self, buffer: &CommandBuffer) -> bool {
        std::ptr::eq(self.buffer.as_ptr(), buffer)
    }

    /// The index of its command.
    pub fn position(&self) -> usize {
        self.position
    }

    /// Answers a query.
    pub fn query(&self, name: cl_mutable_command_info_khr) -> Result<Answer> {
        let buffer = self.buffer.upgrade().ok_or(code::INVALID_MUTABLE_COMMAND)?;
        match name {
            CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR => info::value(Handle::of(&buffer.queue_of(self.position))),
            CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR => info::value(Handle::of(&buffer)),
            CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR => info::value(CL_COMMAND_NDRANGE_KERNEL),
            CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR => info::list(&self.properties),
            _ => buffer.with_launch(self.position, |launch| launch.query(name)),
        }
    }
}

impl RecordedLaunch {
    /// Answers a query about what can change.
    fn query(&self, name: cl_mutable_command_info_khr) -> Result<Answer> {
        let sizes = &self.sizes;
        match name {
            CL_MUTABLE_DISPATCH_KERNEL_KHR => info::value(Handle::of(&self.named)),
            CL_MUTABLE_DISPATCH_DIMENSIONS_KHR => info::value(sizes.work_dim),
            CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR => sizes.answer(sizes.offset),
            CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR => sizes.answer(sizes.global.unwrap_or_default()),
            CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR => sizes.answer(sizes.local.unwrap_or_default()),
            _ => Err(code::INVALID_VALUE),
        }
    }
}
