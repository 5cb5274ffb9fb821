//! Command buffers (`cl_khr_command_buffer`, `cl_khr_command_buffer_multi_device`).

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
const FLAGS: u64 = CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR
    | CL_COMMAND_BUFFER_MUTABLE_KHR
    | CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR;

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

/// The queues to enqueue on: those used for recording, or others of their devices.
fn queues_for(buffer: &CommandBuffer, count: u32, queues: In<Handle<Queue>>) -> Result<Vec<Arc<Queue>>> {
    ensure((count == 0) == queues.is_null(), code::INVALID_VALUE)?;
    let own = buffer.queues();
    if count == 0 {
        return Ok(own.to_vec());
    }
    ensure(count as usize == own.len(), code::INVALID_VALUE)?;
    let queues = handle::list(queues, count)?.into_vec();
    for (queue, own) in queues.iter().zip(own) {
        ensure(Arc::ptr_eq(queue.context(), own.context()), code::INVALID_CONTEXT)?;
        ensure(Arc::ptr_eq(queue.device(), own.device()), code::INVALID_DEVICE)?;
        queue.check_host()?;
    }
    Ok(queues)
}

/// Queues of one context to record for.
fn queues_of_one_context(count: u32, queues: In<Handle<Queue>>) -> Result<Vec<Arc<Queue>>> {
    ensure(count > 0 && !queues.is_null(), code::INVALID_VALUE)?;
    let queues = handle::list(queues, count)?.into_vec();
    for queue in &queues {
        queue.check_host()?;
        ensure(Arc::ptr_eq(queue.context(), queues[0].context()), code::INVALID_CONTEXT)?;
    }
    Ok(queues)
}

/// Devices are synchronised by the host, so what must be synchronised by devices is on one device.
fn check_sync(queues: &[Arc<Queue>], flags: u64) -> Result<()> {
    let alone = queues.iter().all(|queue| Arc::ptr_eq(queue.device(), queues[0].device()));
    ensure(alone || flags & CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR == 0, code::INCOMPATIBLE_COMMAND_QUEUE)
}

creation! {
    /// `clCreateCommandBufferKHR`.
    fn clCreateCommandBufferKHR(
        num_queues: u32,
        queues: In<Handle<Queue>>,
        list: In<u64>,
    ) -> Handle<CommandBuffer> {
        let queues = queues_of_one_context(num_queues, queues)?;
        let (given, flags) = properties(list)?;
        check_sync(&queues, flags)?;
        Ok(Handle::publish(CommandBuffer::new(queues, given, flags)))
    }

    /// `clRemapCommandBufferKHR`.
    fn clRemapCommandBufferKHR(
        buffer: Handle<CommandBuffer>,
        automatic: cl_bool,
        num_queues: u32,
        queues: In<Handle<Queue>>,
        num_handles: u32,
        handles: In<Handle<MutableCommand>>,
        handles_ret: Out<Handle<MutableCommand>>,
    ) -> Handle<CommandBuffer> {
        let (buffer, automatic) = (buffer.get()?, automatic != CL_FALSE);
        let queues = queues_of_one_context(num_queues, queues)?;
        ensure(Arc::ptr_eq(queues[0].context(), buffer.context()), code::INVALID_CONTEXT)?;
        ensure(automatic || queues.len() == buffer.queues().len(), code::INVALID_VALUE)?;
        let none = num_handles == 0;
        ensure(none == handles.is_null() && none == handles_ret.is_null(), code::INVALID_VALUE)?;
        let handles = handles.list(num_handles as usize).unwrap_or_default();
        let found = handles.into_iter().map(|handle| handle.find().map_err(|_| code::INVALID_VALUE));
        let commands: Vec<Arc<MutableCommand>> = found.collect::<Result<_>>()?;
        ensure(commands.iter().all(|command| command.is_of(&buffer)), code::INVALID_VALUE)?;
        let (copy, lent) = buffer.remapped(queues, automatic, &commands)?;
        for (index, handle) in lent.into_iter().enumerate() {
            handles_ret.set_at(index, handle);
        }
        Ok(Handle::publish(copy))
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
        let queues = queues_for(&buffer, num_queues, queues)?;
        let order = queues[0].order(count, waits, event)?;
        buffer.enqueue(&queues, &order)
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
