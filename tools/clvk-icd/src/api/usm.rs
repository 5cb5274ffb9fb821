//! Unified shared memory (`cl_intel_unified_shared_memory`).

use super::recipe;
use super::svm::{CopyShared, FillShared};
use crate::border::{HostMemory, In, Out};
use crate::cl::*;
use crate::code::{self, Result, ensure};
use crate::entry::{creation, status};
use crate::handle::Handle;
use crate::info::Request;
use crate::object::context::Context;
use crate::object::device::Device;
use crate::object::event::Event;
use crate::object::kernel::Kernel;
use crate::object::queue::Queue;
use crate::object::recipe::Recipe;
use crate::object::svm::{Allocation, Kind};
use std::ffi::c_void;
use vk_runtime::Command;

/// Advice that the specification reserves. No device makes use of any.
const ADVICE: std::ops::RangeInclusive<cl_uint> = 0x4208..=0x420f;

/// Frees an allocation, after everything that was enqueued if `waits`.
fn free(context: Handle<Context>, pointer: HostMemory, waits: bool) -> Result<()> {
    let context = context.get()?;
    if pointer.is_null() {
        return Ok(());
    }
    if waits {
        let place = context.svm_place(pointer).ok_or(code::INVALID_VALUE)?;
        ensure(place.offset == 0 && place.allocation.is_usm(), code::INVALID_VALUE)?;
        context.finish()?;
    }
    context.svm().free(pointer, Allocation::is_usm)
}

/// Enqueues a hint, which moves nothing.
fn hint(
    kind: cl_command_type,
    queue: Handle<Queue>,
    allowed: bool,
    count: u32,
    waits: In<Handle<Event>>,
    event: Out<Handle<Event>>,
) -> Result<()> {
    let queue = queue.get()?;
    let order = queue.order(count, waits, event)?;
    ensure(allowed, code::INVALID_VALUE)?;
    queue.give((kind, None), Command::marker(), &order, &[])
}

creation! {
    /// `clHostMemAllocINTEL`.
    fn clHostMemAllocINTEL(
        context: Handle<Context>,
        properties: In<u64>,
        size: usize,
        alignment: u32,
    ) -> *mut c_void {
        let list = properties.properties();
        Ok(context.get()?.allocate_usm(Kind::Host, None, &list, size, alignment)?.pointer().cast())
    }

    /// `clDeviceMemAllocINTEL`.
    fn clDeviceMemAllocINTEL(
        context: Handle<Context>,
        device: Handle<Device>,
        properties: In<u64>,
        size: usize,
        alignment: u32,
    ) -> *mut c_void {
        let (context, list) = (context.get()?, properties.properties());
        let device = Some(device.get()?);
        Ok(context.allocate_usm(Kind::Device, device, &list, size, alignment)?.pointer().cast())
    }

    /// `clSharedMemAllocINTEL`.
    fn clSharedMemAllocINTEL(
        context: Handle<Context>,
        device: Handle<Device>,
        properties: In<u64>,
        size: usize,
        alignment: u32,
    ) -> *mut c_void {
        let (context, list) = (context.get()?, properties.properties());
        let device = device.optional()?;
        Ok(context.allocate_usm(Kind::Shared, device, &list, size, alignment)?.pointer().cast())
    }
}

status! {
    /// `clMemFreeINTEL`: memory that commands still use lives until they are done.
    fn clMemFreeINTEL(context: Handle<Context>, pointer: HostMemory) {
        free(context, pointer, false)
    }

    /// `clMemBlockingFreeINTEL`.
    fn clMemBlockingFreeINTEL(context: Handle<Context>, pointer: HostMemory) {
        free(context, pointer, true)
    }

    /// `clGetMemAllocInfoINTEL`.
    fn clGetMemAllocInfoINTEL(
        context: Handle<Context>,
        pointer: HostMemory,
        name: cl_mem_info_intel,
        size: usize,
        value: Out<c_void>,
        size_ret: Out<usize>,
    ) {
        Request { size, value, size_ret }.answer(context.get()?.query_usm(pointer, name)?)
    }

    /// `clSetKernelArgMemPointerINTEL`.
    fn clSetKernelArgMemPointerINTEL(kernel: Handle<Kernel>, index: u32, pointer: HostMemory) {
        kernel.get()?.set_usm_argument(index, pointer)
    }

    /// `clEnqueueMemsetINTEL`, of an early version of the extension: fills with a byte.
    fn clEnqueueMemsetINTEL(
        queue: Handle<Queue>,
        pointer: HostMemory,
        value: cl_int,
        size: usize,
        count: u32,
        waits: In<Handle<Event>>,
        event: Out<Handle<Event>>,
    ) {
        let queue = queue.get()?;
        let byte = [value as u8];
        let pattern = (In::of(&byte).untyped(), 1);
        let fill = FillShared::of_kind(CL_COMMAND_MEMFILL_INTEL, &queue, pointer, pattern, size)?;
        recipe::enqueue(&queue, &fill, count, waits, event)
    }

    /// `clEnqueueMemFillINTEL`.
    fn clEnqueueMemFillINTEL(
        queue: Handle<Queue>,
        pointer: HostMemory,
        pattern: In<c_void>,
        pattern_size: usize,
        size: usize,
        count: u32,
        waits: In<Handle<Event>>,
        event: Out<Handle<Event>>,
    ) {
        let queue = queue.get()?;
        let pattern = (pattern, pattern_size);
        let fill = FillShared::of_kind(CL_COMMAND_MEMFILL_INTEL, &queue, pointer, pattern, size)?;
        recipe::enqueue(&queue, &fill, count, waits, event)
    }

    /// `clEnqueueMemcpyINTEL`.
    fn clEnqueueMemcpyINTEL(
        queue: Handle<Queue>,
        blocking: cl_bool,
        to: HostMemory,
        from: HostMemory,
        size: usize,
        count: u32,
        waits: In<Handle<Event>>,
        event: Out<Handle<Event>>,
    ) {
        let queue = queue.get()?;
        let order = queue.order(count, waits, event)?;
        ensure(!to.is_null() && !from.is_null(), code::INVALID_VALUE)?;
        let copy = CopyShared::of_kind(CL_COMMAND_MEMCPY_INTEL, &queue, to, from, size)?;
        queue.enqueue(copy.kind(), copy.command(&queue)?, &order, blocking != CL_FALSE, &[]).map(drop)
    }

    /// `clEnqueueMigrateMemINTEL`: there is nothing to move.
    fn clEnqueueMigrateMemINTEL(
        queue: Handle<Queue>,
        _pointer: HostMemory,
        _size: usize,
        flags: cl_mem_migration_flags,
        count: u32,
        waits: In<Handle<Event>>,
        event: Out<Handle<Event>>,
    ) {
        let known = CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
        hint(CL_COMMAND_MIGRATEMEM_INTEL, queue, flags & !known == 0, count, waits, event)
    }

    /// `clEnqueueMemAdviseINTEL`: no advice changes anything.
    fn clEnqueueMemAdviseINTEL(
        queue: Handle<Queue>,
        _pointer: HostMemory,
        _size: usize,
        advice: cl_mem_advice_intel,
        count: u32,
        waits: In<Handle<Event>>,
        event: Out<Handle<Event>>,
    ) {
        let known = advice == 0 || ADVICE.contains(&advice);
        hint(CL_COMMAND_MEMADVISE_INTEL, queue, known, count, waits, event)
    }
}
