//! Command buffers (`cl_khr_command_buffer`). Each has one queue.

use super::recorder::{Place, distinct, given};
use super::svm::CopyShared;
use crate::border::{HostMemory, In, Out};
use crate::cl::*;
use crate::code::{self, Result, ensure};
use crate::entry::{creation, status};
use crate::handle::{self, Handle};
use crate::info::Request;
use crate::object::command_buffer::{CommandBuffer, Work};
use crate::object::event::Event;
use crate::object::kernel::Kernel;
use crate::object::launch::Sizes;
use crate::object::mutable::{Config, MutableCommand, RecordedLaunch};
use crate::object::queue::Queue;
use std::ffi::c_void;
use std::sync::Arc;

/// The flags that are offered.
const FLAGS: u64 = CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR | CL_COMMAND_BUFFER_MUTABLE_KHR;

/// Properties of a command buffer, as the application gave them, and its flags.
fn properties(list: In<u64>) -> Result<(Vec<u64>, u64)> {
    let mut flags = 0;
    let properties = distinct(list)?;
    for &(name, value) in &properties {
        match name {
            CL_COMMAND_BUFFER_FLAGS_KHR => {
                // The flags of further extensions are not offered.
                ensure(value & !FLAGS == 0, code::INVALID_PROPERTY)?;
                flags = value;
            }
            // A promise from which nothing follows.
            CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR => {
                let known = CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR;
                ensure(value & !known == 0, code::INVALID_VALUE)?;
            }
            _ => return Err(code::INVALID_VALUE),
        }
    }
    Ok((given(list, properties), flags))
}

/// The queue to enqueue on: the one used for recording, or another one of its device.
fn queue_for(buffer: &CommandBuffer, count: u32, queues: In<Handle<Queue>>) -> Result<Arc<Queue>> {
    ensure((count == 0) == queues.is_null(), code::INVALID_VALUE)?;
    let own = buffer.queue();
    if count == 0 {
        return Ok(Arc::clone(own));
    }
    ensure(count == 1, code::INVALID_VALUE)?;
    let queue = handle::list(queues, 1)?.pop().ok_or(code::INVALID_VALUE)?;
    ensure(Arc::ptr_eq(queue.context(), own.context()), code::INVALID_CONTEXT)?;
    ensure(Arc::ptr_eq(queue.device(), own.device()), code::INCOMPATIBLE_COMMAND_QUEUE)?;
    Ok(queue)
}

creation! {
    /// `clCreateCommandBufferKHR`.
    fn clCreateCommandBufferKHR(
        num_queues: u32,
        queues: In<Handle<Queue>>,
        list: In<u64>,
    ) -> Handle<CommandBuffer> {
        ensure(num_queues == 1 && !queues.is_null(), code::INVALID_VALUE)?;
        let queue = handle::list(queues, 1)?.pop().ok_or(code::INVALID_VALUE)?;
        let (given, flags) = properties(list)?;
        Ok(Handle::publish(CommandBuffer::new(queue, given, flags)))
    }
}

status! {
    /// `clRetainCommandBufferKHR`.
    fn clRetainCommandBufferKHR(buffer: Handle<CommandBuffer>) {
        buffer.retain()
    }

    /// `clReleaseCommandBufferKHR`.
    fn clReleaseCommandBufferKHR(buffer: Handle<CommandBuffer>) {
        buffer.release()
    }

    /// `clFinalizeCommandBufferKHR`.
    fn clFinalizeCommandBufferKHR(buffer: Handle<CommandBuffer>) {
        buffer.get()?.finalize()
    }

    /// `clEnqueueCommandBufferKHR`.
    fn clEnqueueCommandBufferKHR(
        num_queues: u32,
        queues: In<Handle<Queue>>,
        buffer: Handle<CommandBuffer>,
        count: u32,
        waits: In<Handle<Event>>,
        event: Out<Handle<Event>>,
    ) {
        let buffer = buffer.get()?;
        let queue = queue_for(&buffer, num_queues, queues)?;
        let order = queue.order(count, waits, event)?;
        buffer.enqueue(&queue, &order)
    }

    /// `clGetCommandBufferInfoKHR`.
    fn clGetCommandBufferInfoKHR(
        buffer: Handle<CommandBuffer>,
        name: cl_command_buffer_info_khr,
        size: usize,
        value: Out<c_void>,
        size_ret: Out<usize>,
    ) {
        Request { size, value, size_ret }.answer(buffer.get()?.query(name)?)
    }

    /// `clCommandBarrierWithWaitListKHR`.
    fn clCommandBarrierWithWaitListKHR(
        buffer: Handle<CommandBuffer>,
        queue: Handle<Queue>,
        properties: In<u64>,
        count: u32,
        waits: In<u32>,
        point: Out<u32>,
        mutable: Out<Handle<MutableCommand>>,
    ) {
        let place = Place { buffer, queue, properties, count, waits, point, mutable };
        place.check()?.record(Work::Barrier)
    }

    /// `clCommandNDRangeKernelKHR`.
    fn clCommandNDRangeKernelKHR(
        buffer: Handle<CommandBuffer>,
        queue: Handle<Queue>,
        properties: In<u64>,
        kernel: Handle<Kernel>,
        work_dim: u32,
        offset: In<usize>,
        global: In<usize>,
        local: In<usize>,
        count: u32,
        waits: In<u32>,
        point: Out<u32>,
        mutable: Out<Handle<MutableCommand>>,
    ) {
        let place = Place { buffer, queue, properties, count, waits, point, mutable };
        let (recorder, may_lack) = place.check_launch()?;
        let sizes = Sizes { work_dim, offset, global, local };
        let launch = RecordedLaunch::new(recorder.queue(), kernel.get()?, &sizes, may_lack)?;
        recorder.record(Work::Launch(Box::new(launch)))
    }

    /// `clUpdateMutableCommandsKHR`.
    fn clUpdateMutableCommandsKHR(
        buffer: Handle<CommandBuffer>,
        count: u32,
        types: In<u32>,
        configs: In<In<Config>>,
    ) {
        let buffer = buffer.get()?;
        buffer.check_update()?;
        ensure((count == 0) == types.is_null(), code::INVALID_VALUE)?;
        ensure((count == 0) == configs.is_null(), code::INVALID_VALUE)?;
        let types = types.list(count as usize).unwrap_or_default();
        ensure(types.iter().all(|&ty| ty == MUTABLE_DISPATCH_CONFIG), code::INVALID_VALUE)?;
        let configs = configs.list(count as usize).unwrap_or_default();
        let configs: Vec<Config> = configs.into_iter().map(In::required).collect::<Result<_>>()?;
        buffer.update(&configs)
    }

    /// `clGetMutableCommandInfoKHR`.
    fn clGetMutableCommandInfoKHR(
        command: Handle<MutableCommand>,
        name: cl_mutable_command_info_khr,
        size: usize,
        value: Out<c_void>,
        size_ret: Out<usize>,
    ) {
        Request { size, value, size_ret }.answer(command.find()?.query(name)?)
    }

    /// `clCommandSVMMemcpyKHR`.
    fn clCommandSVMMemcpyKHR(
        buffer: Handle<CommandBuffer>,
        queue: Handle<Queue>,
        properties: In<u64>,
        destination: HostMemory,
        source: HostMemory,
        size: usize,
        count: u32,
        waits: In<u32>,
        point: Out<u32>,
        mutable: Out<Handle<MutableCommand>>,
    ) {
        let recorder = Place { buffer, queue, properties, count, waits, point, mutable }.check()?;
        let copy = CopyShared::new(recorder.queue(), destination, source, size)?;
        recorder.recipe(copy)
    }
}
