//! Shared virtual memory, which no device has: everything but what an application may do without it is refused.

use crate::border::callback::SvmFree;
use crate::border::{HostMemory, In, Out, UserData};
use crate::cl::*;
use crate::code;
use crate::entry::{plain, status};
use crate::handle::Handle;
use crate::object::context::Context;
use crate::object::event::Event;
use crate::object::kernel::Kernel;
use crate::object::queue::Queue;
use std::ffi::c_void;

plain! {
    /// `clSVMAlloc`.
    fn clSVMAlloc(
        context: Handle<Context>,
        _flags: cl_svm_mem_flags,
        _size: usize,
        _alignment: u32,
    ) -> *mut c_void {
        context.get()?;
        Err(code::INVALID_OPERATION)
    }

    /// `clSVMFree`: nothing was allocated.
    fn clSVMFree(_context: Handle<Context>, _pointer: HostMemory) -> () {
        Ok(())
    }
}

/// A queue must be one even where nothing can be enqueued.
fn refuse(queue: Handle<Queue>) -> code::Result<()> {
    queue.get()?;
    Err(code::INVALID_OPERATION)
}

status! {
    /// `clEnqueueSVMFree`.
    fn clEnqueueSVMFree(
        queue: Handle<Queue>,
        _num_pointers: u32,
        _pointers: In<HostMemory>,
        _function: SvmFree,
        _user_data: UserData,
        _count: u32,
        _waits: In<Handle<Event>>,
        _event: Out<Handle<Event>>,
    ) {
        refuse(queue)
    }

    /// `clEnqueueSVMMemcpy`.
    fn clEnqueueSVMMemcpy(
        queue: Handle<Queue>,
        _blocking: cl_bool,
        _destination: HostMemory,
        _source: HostMemory,
        _size: usize,
        _count: u32,
        _waits: In<Handle<Event>>,
        _event: Out<Handle<Event>>,
    ) {
        refuse(queue)
    }

    /// `clEnqueueSVMMemFill`.
    fn clEnqueueSVMMemFill(
        queue: Handle<Queue>,
        _pointer: HostMemory,
        _pattern: In<c_void>,
        _pattern_size: usize,
        _size: usize,
        _count: u32,
        _waits: In<Handle<Event>>,
        _event: Out<Handle<Event>>,
    ) {
        refuse(queue)
    }

    /// `clEnqueueSVMMap`.
    fn clEnqueueSVMMap(
        queue: Handle<Queue>,
        _blocking: cl_bool,
        _flags: cl_map_flags,
        _pointer: HostMemory,
        _size: usize,
        _count: u32,
        _waits: In<Handle<Event>>,
        _event: Out<Handle<Event>>,
    ) {
        refuse(queue)
    }

    /// `clEnqueueSVMUnmap`.
    fn clEnqueueSVMUnmap(
        queue: Handle<Queue>,
        _pointer: HostMemory,
        _count: u32,
        _waits: In<Handle<Event>>,
        _event: Out<Handle<Event>>,
    ) {
        refuse(queue)
    }

    /// `clEnqueueSVMMigrateMem`.
    fn clEnqueueSVMMigrateMem(
        queue: Handle<Queue>,
        _num_pointers: u32,
        _pointers: In<HostMemory>,
        _sizes: In<usize>,
        _flags: cl_mem_migration_flags,
        _count: u32,
        _waits: In<Handle<Event>>,
        _event: Out<Handle<Event>>,
    ) {
        refuse(queue)
    }

    /// `clSetKernelArgSVMPointer`.
    fn clSetKernelArgSVMPointer(kernel: Handle<Kernel>, _index: u32, _pointer: HostMemory) {
        kernel.get()?;
        Err(code::INVALID_OPERATION)
    }
}
