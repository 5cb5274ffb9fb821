//! Shared virtual memory (OpenCL API §5.6), which needs a device of the context that shares addresses with
//! the host. Copies and fills serve unified shared memory too ([`super::usm`]).

use super::recorder::recipes;
use crate::border::callback::{self, SvmFree};
use crate::border::{HostMemory, In, Out, UserData};
use crate::cl::*;
use crate::code::{self, Result, ensure};
use crate::entry::{plain, status};
use crate::handle::Handle;
use crate::object::context::Context;
use crate::object::event::Event;
use crate::object::kernel::Kernel;
use crate::object::map;
use crate::object::memory::Memory;
use crate::object::queue::Queue;
use crate::object::recipe::Recipe;
use crate::object::svm::{Allocation, Kind, Place};
use smallvec::SmallVec;
use std::ffi::c_void;
use std::sync::Arc;
use vk_runtime::Command;

plain! {
    /// `clSVMAlloc`.
    fn clSVMAlloc(
        context: Handle<Context>,
        flags: cl_svm_mem_flags,
        size: usize,
        alignment: u32,
    ) -> *mut c_void {
        Ok(context.get()?.allocate_svm(flags, size, alignment)?.pointer().cast())
    }

    /// `clSVMFree`: memory that commands still use lives until they are done.
    fn clSVMFree(context: Handle<Context>, pointer: HostMemory) -> () {
        context.get()?.svm().free(pointer, Allocation::is_svm)
    }
}

/// The queue, if its device has memory that applications know by addresses.
fn queue_for(queue: Handle<Queue>) -> Result<Arc<Queue>> {
    let queue = queue.get()?;
    ensure(queue.device().has_usm(), code::INVALID_OPERATION)?;
    Ok(queue)
}

/// The place of this many bytes of memory that the queue's device has; `CL_INVALID_VALUE` if they are not
/// such memory.
fn place(queue: &Queue, pointer: HostMemory, size: usize) -> Result<Place> {
    let place = queue.context().svm_place(pointer).ok_or(code::INVALID_VALUE)?;
    let here = place.allocation.device_index() == queue.device_index();
    ensure(here && place.holds(size), code::INVALID_VALUE)?;
    Ok(place)
}

/// The same for SVM, which can be mapped.
fn svm_place(queue: &Queue, pointer: HostMemory, size: usize) -> Result<Place> {
    let place = place(queue, pointer, size)?;
    ensure(place.allocation.kind() == Kind::Svm, code::INVALID_VALUE)?;
    Ok(place)
}

/// One side of a copy.
enum Side {
    /// In memory that the queue's device has.
    Device(Place),
    /// In other memory of the host.
    Host(HostMemory),
}

impl Side {
    /// Of this many bytes; `CL_INVALID_VALUE` if they leave their allocation, or if another device has them
    /// where the host cannot access them.
    fn of(queue: &Queue, pointer: HostMemory, size: usize) -> Result<Side> {
        let Some(place) = queue.context().svm_place(pointer) else { return Ok(Side::Host(pointer)) };
        ensure(place.holds(size), code::INVALID_VALUE)?;
        if place.allocation.device_index() == queue.device_index() {
            return Ok(Side::Device(place));
        }
        ensure(place.allocation.buffer().host_pointer().is_some(), code::INVALID_VALUE)?;
        Ok(Side::Host(pointer))
    }
}

/// A copy between memory that has addresses and host memory, or within either.
pub struct CopyShared {
    kind: cl_command_type,
    to: Side,
    from: Side,
    size: usize,
}

impl CopyShared {
    /// Of this many bytes of SVM.
    pub fn new(queue: &Queue, to: HostMemory, from: HostMemory, size: usize) -> Result<Self> {
        ensure(queue.device().has_usm(), code::INVALID_OPERATION)?;
        ensure(size == 0 || !to.is_null() && !from.is_null(), code::INVALID_VALUE)?;
        CopyShared::of_kind(CL_COMMAND_SVM_MEMCPY, queue, to, from, size)
    }

    /// As a command of some kind.
    pub fn of_kind(
        kind: cl_command_type,
        queue: &Queue,
        to: HostMemory,
        from: HostMemory,
        size: usize,
    ) -> Result<Self> {
        let distance = (to.pointer() as usize).abs_diff(from.pointer() as usize);
        ensure(size == 0 || distance >= size, code::MEM_COPY_OVERLAP)?;
        let (to, from) = (Side::of(queue, to, size)?, Side::of(queue, from, size)?);
        Ok(CopyShared { kind, to, from, size })
    }
}

impl Recipe for CopyShared {
    fn kind(&self) -> cl_command_type {
        self.kind
    }

    fn command(&self, _: &Queue) -> Result<Command> {
        let (size, bytes) = (self.size, self.size as u64);
        if size == 0 {
            return Ok(Command::marker());
        }
        let command = match (&self.to, &self.from) {
            (Side::Device(target), Side::Device(source)) => Command::copy_buffer(
                source.allocation.buffer(),
                source.offset,
                target.allocation.buffer(),
                target.offset,
                bytes,
            ),
            // SAFETY: the application vouches for `size` bytes until the command is complete (OpenCL API
            // §5.6.2).
            (Side::Device(target), Side::Host(from)) => unsafe {
                Command::write_buffer(target.allocation.buffer(), target.offset, from.place()?, bytes)
            },
            // SAFETY: as above.
            (Side::Host(to), Side::Device(source)) => unsafe {
                Command::read_buffer(source.allocation.buffer(), source.offset, to.place()?, bytes)
            },
            (&Side::Host(to), &Side::Host(from)) => {
                Ok(Command::native(move || callback::copy(to, from, size)))
            }
        };
        Ok(command?)
    }

    fn uses(&self) -> SmallVec<[&Arc<Memory>; 8]> {
        SmallVec::new()
    }
}

/// A fill of memory that has addresses.
pub struct FillShared {
    kind: cl_command_type,
    place: Place,
    pattern: SmallVec<[u8; 16]>,
    size: usize,
}

impl FillShared {
    /// Of SVM, with a pattern of this many bytes.
    pub fn new(
        queue: &Queue,
        pointer: HostMemory,
        pattern: (In<c_void>, usize),
        size: usize,
    ) -> Result<Self> {
        ensure(queue.device().has_usm(), code::INVALID_OPERATION)?;
        FillShared::of_kind(CL_COMMAND_SVM_MEMFILL, queue, pointer, pattern, size)
    }

    /// As a command of some kind.
    pub fn of_kind(
        kind: cl_command_type,
        queue: &Queue,
        pointer: HostMemory,
        (pattern, pattern_size): (In<c_void>, usize),
        size: usize,
    ) -> Result<Self> {
        ensure(!pointer.is_null() && !pattern.is_null(), code::INVALID_VALUE)?;
        ensure(pattern_size.is_power_of_two() && pattern_size <= 128, code::INVALID_VALUE)?;
        let aligned = (pointer.pointer() as usize).is_multiple_of(pattern_size);
        ensure(aligned && size.is_multiple_of(pattern_size), code::INVALID_VALUE)?;
        let place = place(queue, pointer, size)?;
        let pattern = pattern.bytes(pattern_size).ok_or(code::INVALID_VALUE)?;
        Ok(FillShared { kind, place, pattern, size })
    }
}

impl Recipe for FillShared {
    fn kind(&self) -> cl_command_type {
        self.kind
    }

    fn command(&self, _: &Queue) -> Result<Command> {
        if self.size == 0 {
            return Ok(Command::marker());
        }
        let buffer = self.place.allocation.buffer();
        Ok(Command::fill_buffer(buffer, self.place.offset, self.size as u64, &self.pattern)?)
    }

    fn uses(&self) -> SmallVec<[&Arc<Memory>; 8]> {
        SmallVec::new()
    }
}

recipes! {
    clEnqueueSVMMemFill, clCommandSVMMemFillKHR(
        pointer: HostMemory,
        pattern: In<c_void>,
        pattern_size: usize,
        size: usize,
    ) |queue| FillShared::new(queue, pointer, (pattern, pattern_size), size);
}

status! {
    /// `clEnqueueSVMFree`.
    fn clEnqueueSVMFree(
        queue: Handle<Queue>,
        num_pointers: u32,
        pointers: In<HostMemory>,
        function: SvmFree,
        user_data: UserData,
        count: u32,
        waits: In<Handle<Event>>,
        event: Out<Handle<Event>>,
    ) {
        let handle = queue.word();
        let queue = queue_for(queue)?;
        ensure((num_pointers == 0) == pointers.is_null(), code::INVALID_VALUE)?;
        let order = queue.order(count, waits, event)?;
        let pointers = pointers.list(num_pointers as usize).unwrap_or_default().to_vec();
        let context = Arc::clone(queue.context());
        let free = Command::native(move || match function {
            Some(function) => callback::call_svm_free(function, handle, pointers, user_data),
            None => pointers.into_iter().for_each(|pointer| {
                // Other pointers are the application's mistake, which nothing can report any more.
                let _ = context.svm().free(pointer, Allocation::is_svm);
            }),
        });
        queue.enqueue(CL_COMMAND_SVM_FREE, free, &order, false, &[]).map(drop)
    }

    /// `clEnqueueSVMMemcpy`.
    fn clEnqueueSVMMemcpy(
        queue: Handle<Queue>,
        blocking: cl_bool,
        destination: HostMemory,
        source: HostMemory,
        size: usize,
        count: u32,
        waits: In<Handle<Event>>,
        event: Out<Handle<Event>>,
    ) {
        let queue = queue_for(queue)?;
        let order = queue.order(count, waits, event)?;
        let copy = CopyShared::new(&queue, destination, source, size)?.command(&queue)?;
        queue.enqueue(CL_COMMAND_SVM_MEMCPY, copy, &order, blocking != CL_FALSE, &[]).map(drop)
    }

    /// `clEnqueueSVMMap`.
    fn clEnqueueSVMMap(
        queue: Handle<Queue>,
        blocking: cl_bool,
        flags: cl_map_flags,
        pointer: HostMemory,
        size: usize,
        count: u32,
        waits: In<Handle<Event>>,
        event: Out<Handle<Event>>,
    ) {
        let queue = queue_for(queue)?;
        let order = queue.order(count, waits, event)?;
        ensure(!pointer.is_null() && size > 0, code::INVALID_VALUE)?;
        ensure(map::flags_are_valid(flags), code::INVALID_VALUE)?;
        let place = svm_place(&queue, pointer, size)?;
        let (command, mapped) = place.map(size, flags)?;
        queue.enqueue(CL_COMMAND_SVM_MAP, command, &order, blocking != CL_FALSE, &[])?;
        place.is_mapped(mapped);
        Ok(())
    }

    /// `clEnqueueSVMUnmap`.
    fn clEnqueueSVMUnmap(
        queue: Handle<Queue>,
        pointer: HostMemory,
        count: u32,
        waits: In<Handle<Event>>,
        event: Out<Handle<Event>>,
    ) {
        let queue = queue_for(queue)?;
        let order = queue.order(count, waits, event)?;
        ensure(!pointer.is_null(), code::INVALID_VALUE)?;
        let command = svm_place(&queue, pointer, 1)?.unmap()?;
        queue.enqueue(CL_COMMAND_SVM_UNMAP, command, &order, false, &[]).map(drop)
    }

    /// `clEnqueueSVMMigrateMem`: there is nothing to move.
    fn clEnqueueSVMMigrateMem(
        queue: Handle<Queue>,
        num_pointers: u32,
        pointers: In<HostMemory>,
        sizes: In<usize>,
        flags: cl_mem_migration_flags,
        count: u32,
        waits: In<Handle<Event>>,
        event: Out<Handle<Event>>,
    ) {
        let queue = queue_for(queue)?;
        ensure(num_pointers > 0, code::INVALID_VALUE)?;
        let known = CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
        ensure(flags & !known == 0, code::INVALID_VALUE)?;
        let pointers = pointers.list(num_pointers as usize).ok_or(code::INVALID_VALUE)?;
        let sizes = sizes.list(num_pointers as usize);
        for (index, &pointer) in pointers.iter().enumerate() {
            let size = sizes.as_ref().map_or(0, |sizes| sizes[index]);
            place(&queue, pointer, size)?;
        }
        let order = queue.order(count, waits, event)?;
        queue.enqueue(CL_COMMAND_SVM_MIGRATE_MEM, Command::marker(), &order, false, &[]).map(drop)
    }

    /// `clSetKernelArgSVMPointer`.
    fn clSetKernelArgSVMPointer(kernel: Handle<Kernel>, index: u32, pointer: HostMemory) {
        kernel.get()?.set_svm_argument(index, pointer)
    }
}
