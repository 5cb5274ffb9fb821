//! Buffers, sub-buffers, pipes, and what all memory objects have in common.

use super::external::memory_properties;
use crate::border::callback::{ObjectNotify, OnObject};
use crate::border::{HostMemory, In, Out, UserData};
use crate::cl::*;
use crate::code::{self, Result, ensure};
use crate::entry::{creation, status};
use crate::handle::Handle;
use crate::info::{self, Request};
use crate::object::context::Context;
use crate::object::device_info::{BASE_ALIGNMENT, MAX_PIPE_PACKET};
use crate::object::memory::Memory;
use std::ffi::c_void;

const DEVICE_ACCESS: cl_mem_flags = CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY;
const HOST_ACCESS: cl_mem_flags = CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS;
const HOST_POINTER: cl_mem_flags = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;

/// Checks flags on their own.
pub fn check_flags(flags: cl_mem_flags) -> Result<()> {
    let known = DEVICE_ACCESS | HOST_ACCESS | HOST_POINTER | CL_MEM_KERNEL_READ_AND_WRITE;
    ensure(flags & !known == 0, code::INVALID_VALUE)?;
    ensure((flags & DEVICE_ACCESS).count_ones() <= 1, code::INVALID_VALUE)?;
    ensure((flags & HOST_ACCESS).count_ones() <= 1, code::INVALID_VALUE)?;
    let uses = flags & CL_MEM_USE_HOST_PTR != 0;
    ensure(!uses || flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR) == 0, code::INVALID_VALUE)
}

/// Flags, with the default access added if they name none.
pub fn with_default_access(flags: cl_mem_flags) -> cl_mem_flags {
    if flags & DEVICE_ACCESS == 0 { flags | CL_MEM_READ_WRITE } else { flags }
}

/// A host pointer and the flags must go together.
pub fn check_host_pointer(flags: cl_mem_flags, pointer: HostMemory) -> Result<()> {
    let wanted = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR) != 0;
    ensure(wanted != pointer.is_null(), code::INVALID_HOST_PTR)
}

/// The flags of a part of a memory object, with what it inherits.
pub fn inherited_flags(parent: cl_mem_flags, flags: cl_mem_flags) -> Result<cl_mem_flags> {
    check_flags(flags)?;
    ensure(flags & HOST_POINTER == 0, code::INVALID_VALUE)?;
    let widened = |from, to| parent & from != 0 && flags & to != 0;
    ensure(!widened(CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE | CL_MEM_READ_ONLY), code::INVALID_VALUE)?;
    ensure(!widened(CL_MEM_READ_ONLY, CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY), code::INVALID_VALUE)?;
    ensure(!widened(CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY), code::INVALID_VALUE)?;
    ensure(!widened(CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY), code::INVALID_VALUE)?;
    let host = CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY;
    ensure(!widened(CL_MEM_HOST_NO_ACCESS, host), code::INVALID_VALUE)?;
    let device = if flags & DEVICE_ACCESS == 0 { parent & DEVICE_ACCESS } else { flags & DEVICE_ACCESS };
    let host = if flags & HOST_ACCESS == 0 { parent & HOST_ACCESS } else { flags & HOST_ACCESS };
    Ok(device | host | (parent & HOST_POINTER))
}

fn create_buffer(
    context: Handle<Context>,
    properties: In<u64>,
    flags: cl_mem_flags,
    size: usize,
    pointer: HostMemory,
) -> Result<Handle<Memory>> {
    let context = context.get()?;
    let properties = memory_properties(&context, flags, properties, false)?;
    check_flags(flags)?;
    let largest = context.devices().iter().map(|device| device.max_allocation()).max().unwrap_or(0);
    ensure(size > 0 && size as u64 <= largest, code::INVALID_BUFFER_SIZE)?;
    check_host_pointer(flags, pointer)?;
    let memory = match properties.import {
        Some(import) => Memory::imported(context, with_default_access(flags), size, import, properties.given),
        None => Memory::buffer(context, with_default_access(flags), size, pointer, properties.given),
    }?;
    Ok(Handle::publish(memory))
}

creation! {
    /// `clCreateBuffer`.
    fn clCreateBuffer(
        context: Handle<Context>,
        flags: cl_mem_flags,
        size: usize,
        pointer: HostMemory,
    ) -> Handle<Memory> {
        create_buffer(context, In::NULL, flags, size, pointer)
    }

    /// `clCreateBufferWithProperties`.
    fn clCreateBufferWithProperties(
        context: Handle<Context>,
        properties: In<u64>,
        flags: cl_mem_flags,
        size: usize,
        pointer: HostMemory,
    ) -> Handle<Memory> {
        create_buffer(context, properties, flags, size, pointer)
    }

    /// `clCreateSubBuffer`.
    fn clCreateSubBuffer(
        buffer: Handle<Memory>,
        flags: cl_mem_flags,
        kind: cl_buffer_create_type,
        description: In<cl_buffer_region>,
    ) -> Handle<Memory> {
        let buffer = buffer.get()?;
        ensure(buffer.is_buffer() && buffer.parent().is_none(), code::INVALID_MEM_OBJECT)?;
        let flags = inherited_flags(buffer.flags(), flags)?;
        ensure(kind == CL_BUFFER_CREATE_TYPE_REGION, code::INVALID_VALUE)?;
        let region = description.required()?;
        ensure(region.size > 0, code::INVALID_BUFFER_SIZE)?;
        let end = region.origin.checked_add(region.size);
        ensure(end.is_some_and(|end| end <= buffer.size()), code::INVALID_VALUE)?;
        ensure(region.origin.is_multiple_of(BASE_ALIGNMENT), code::MISALIGNED_SUB_BUFFER_OFFSET)?;
        Ok(Handle::publish(Memory::sub_buffer(buffer, flags, region.origin, region.size)))
    }

    /// `clCreatePipe`.
    fn clCreatePipe(
        context: Handle<Context>,
        flags: cl_mem_flags,
        packet_size: u32,
        max_packets: u32,
        properties: In<isize>,
    ) -> Handle<Memory> {
        let context = context.get()?;
        let has_pipes = context.devices().iter().any(|device| device.has_named("__opencl_c_pipes"));
        ensure(has_pipes, code::INVALID_OPERATION)?;
        ensure(flags & !(CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS) == 0, code::INVALID_VALUE)?;
        ensure(properties.is_null(), code::INVALID_VALUE)?;
        let packet_fits = (1..=MAX_PIPE_PACKET).contains(&packet_size);
        ensure(packet_fits && max_packets > 0, code::INVALID_PIPE_SIZE)?;
        // The host never reads or writes a pipe.
        let flags = CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS;
        Ok(Handle::publish(Memory::pipe(context, flags, packet_size, max_packets)?))
    }
}

status! {
    /// `clRetainMemObject`.
    fn clRetainMemObject(memory: Handle<Memory>) {
        memory.retain()
    }

    /// `clReleaseMemObject`.
    fn clReleaseMemObject(memory: Handle<Memory>) {
        Memory::release(memory)
    }

    /// `clGetMemObjectInfo`.
    fn clGetMemObjectInfo(
        memory: Handle<Memory>,
        name: cl_mem_info,
        size: usize,
        value: Out<c_void>,
        size_ret: Out<usize>,
    ) {
        Request { size, value, size_ret }.answer(memory.get()?.query(name)?)
    }

    /// `clGetPipeInfo`.
    fn clGetPipeInfo(
        pipe: Handle<Memory>,
        name: cl_pipe_info,
        size: usize,
        value: Out<c_void>,
        size_ret: Out<usize>,
    ) {
        let (packet_size, max_packets) = pipe.get()?.packets().ok_or(code::INVALID_MEM_OBJECT)?;
        let answer = match name {
            CL_PIPE_PACKET_SIZE => info::value(packet_size),
            CL_PIPE_MAX_PACKETS => info::value(max_packets),
            CL_PIPE_PROPERTIES => info::bytes(&[]),
            _ => Err(code::INVALID_VALUE),
        };
        Request { size, value, size_ret }.answer(answer?)
    }

    /// `clSetMemObjectDestructorCallback`.
    fn clSetMemObjectDestructorCallback(
        memory: Handle<Memory>,
        notify: ObjectNotify,
        user_data: UserData,
    ) {
        let memory = memory.get()?;
        memory.on_destruction(OnObject::new(notify, user_data).ok_or(code::INVALID_VALUE)?);
        Ok(())
    }
}
