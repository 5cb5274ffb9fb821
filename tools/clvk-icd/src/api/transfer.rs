//! Transfers between the host and buffers, and between buffers.

use super::recipe::{CopyBuffer, CopyRectangle, FillBuffer, buffer_for};
use super::recorder::recipes;
use crate::border::{HostMemory, In, Out};
use crate::cl::*;
use crate::code::{self, Result, ensure};
use crate::entry::status;
use crate::handle::{self, Handle};
use crate::object::event::Event;
use crate::object::memory::Memory;
use crate::object::queue::{Order, Queue};
use crate::object::rectangle::Box3;
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::Arc;
use vk_runtime::{Buffer, Command, Image, Rectangle};

/// The direction of a transfer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From the memory object to the host.
    Read,
    /// From the host to the memory object.
    Write,
}

/// A transfer between the host and a memory object: what transfers of bytes, boxes and pixels have in common.
pub struct Transfer {
    direction: Direction,
    queue: Arc<Queue>,
    memory: Arc<Memory>,
    blocking: bool,
    host: HostMemory,
    order: Order,
}

impl Transfer {
    /// Checks what does not depend on the kind of transfer. `find` looks up the memory object.
    pub fn new(
        direction: Direction,
        queue: Handle<Queue>,
        find: fn(&Queue, Handle<Memory>) -> Result<Arc<Memory>>,
        (memory, host): (Handle<Memory>, HostMemory),
        blocking: cl_bool,
        (count, waits, event): (u32, In<Handle<Event>>, Out<Handle<Event>>),
    ) -> Result<Self> {
        let queue = queue.get()?;
        let memory = find(&queue, memory)?;
        let order = queue.order(count, waits, event)?;
        ensure(!host.is_null(), code::INVALID_VALUE)?;
        Ok(Transfer { direction, queue, memory, blocking: blocking != CL_FALSE, host, order })
    }

    /// Its direction.
    pub fn direction(&self) -> Direction {
        self.direction
    }

    /// The memory object.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Checks that the flags of the memory object allow the host to do it.
    pub fn check_access(&self) -> Result<()> {
        match self.direction {
            Direction::Read => self.memory.check_host_reads(),
            Direction::Write => self.memory.check_host_writes(),
        }
    }

    /// The buffer on the queue's device, and the offset of the memory object in it.
    pub fn buffer(&self) -> Result<(&Buffer, u64)> {
        self.memory.buffer_on(self.queue.device_index(), self.direction == Direction::Write)
    }

    /// The image on the queue's device.
    pub fn image(&self) -> Result<&Image> {
        self.memory.image_on(self.queue.device_index(), self.direction == Direction::Write)
    }

    /// The host's memory.
    pub fn host(&self) -> Result<NonNull<u8>> {
        self.host.place()
    }

    /// Enqueues a transfer of contiguous bytes, from `offset` of the memory object on.
    pub fn enqueue_bytes(self, kinds: [cl_command_type; 2], offset: u64, size: u64) -> Result<()> {
        if self.direction == Direction::Write {
            self.memory.replace(offset as usize, size as usize);
        }
        let (buffer, base) = self.buffer()?;
        let (offset, host) = (base + offset, self.host()?);
        let command = match self.direction {
            // SAFETY: the application vouches for `size` bytes until the command is complete (OpenCL API
            // §5.2.2, §5.3.3).
            Direction::Read => unsafe { Command::read_buffer(buffer, offset, host, size) },
            // SAFETY: as above.
            Direction::Write => unsafe { Command::write_buffer(buffer, offset, host, size) },
        };
        self.enqueue(kinds, command?)
    }

    /// Enqueues a transfer of a box of bytes × rows × slices between a place in the memory object and a place
    /// in the host's memory.
    pub fn enqueue_box(
        self,
        kinds: [cl_command_type; 2],
        place: &Rectangle,
        host: &Rectangle,
        region: [u64; 3],
    ) -> Result<()> {
        let ((buffer, base), data) = (self.buffer()?, self.host()?);
        let place = Rectangle { offset: base + place.offset, ..*place };
        let command = match self.direction {
            // SAFETY: the application vouches for the box until the command is complete (OpenCL API §5.2.2,
            // §5.3.3).
            Direction::Read => unsafe { Command::read_rectangle(buffer, &place, data, host, region) },
            // SAFETY: as above.
            Direction::Write => unsafe { Command::write_rectangle(buffer, &place, data, host, region) },
        };
        self.enqueue(kinds, command?)
    }

    /// Enqueues its command. The two types are those of a read and of a write.
    pub fn enqueue(self, [read, write]: [cl_command_type; 2], command: Command) -> Result<()> {
        let kind = if self.direction == Direction::Read { read } else { write };
        self.queue.enqueue(kind, command, &self.order, self.blocking, &[&self.memory]).map(drop)
    }
}

/// Transfers contiguous bytes.
fn transfer_bytes(transfer: Transfer, offset: usize, size: usize) -> Result<()> {
    transfer.memory.check_range(offset, size)?;
    transfer.check_access()?;
    transfer.enqueue_bytes([CL_COMMAND_READ_BUFFER, CL_COMMAND_WRITE_BUFFER], offset as u64, size as u64)
}

/// Transfers a box of bytes. The origins are those in the buffer and in the host's memory. The pitches are
/// row and slice pitch of the buffer, then of the host.
fn transfer_box(
    transfer: Transfer,
    origins: [In<usize>; 2],
    region: In<usize>,
    [row, slice, host_row, host_slice]: [usize; 4],
) -> Result<()> {
    let region = region.triple()?;
    let place = Box3::new(origins[0].triple()?, region, row, slice)?;
    let host = Box3::new(origins[1].triple()?, region, host_row, host_slice)?.rectangle;
    ensure(place.end <= transfer.memory.size(), code::INVALID_VALUE)?;
    transfer.check_access()?;
    let kinds = [CL_COMMAND_READ_BUFFER_RECT, CL_COMMAND_WRITE_BUFFER_RECT];
    transfer.enqueue_box(kinds, &place.rectangle, &host, region.map(|it| it as u64))
}

/// Defines two entry points for each kind of transfer, one for each direction. The parameters are those that
/// not every kind has; `of` names the function that looks up the memory object. The expression checks the
/// rest and enqueues the transfer.
macro_rules! transfers {
    ($($read:ident, $write:ident of $find:ident($($arg:ident: $ty:ty),* $(,)?)
        |$transfer:ident| $finish:expr;)*) => {
        $(
            super::transfer::transfers!(@one $read Read $find($($arg: $ty),*) |$transfer| $finish);
            super::transfer::transfers!(@one $write Write $find($($arg: $ty),*) |$transfer| $finish);
        )*
    };
    (@one $name:ident $direction:ident $find:ident($($arg:ident: $ty:ty),*)
        |$transfer:ident| $finish:expr) => {
        crate::entry::status! {
            #[doc = concat!("`", stringify!($name), "`.")]
            fn $name(
                queue: Handle<Queue>,
                memory: Handle<Memory>,
                blocking: cl_bool,
                $($arg: $ty,)*
                host: HostMemory,
                count: u32,
                waits: In<Handle<Event>>,
                event: Out<Handle<Event>>,
            ) {
                let (places, order) = ((memory, host), (count, waits, event));
                let direction = Direction::$direction;
                let $transfer = Transfer::new(direction, queue, $find, places, blocking, order)?;
                $finish
            }
        }
    };
}
pub(crate) use transfers;

transfers! {
    clEnqueueReadBuffer, clEnqueueWriteBuffer of buffer_for(offset: usize, size: usize)
        |transfer| transfer_bytes(transfer, offset, size);

    clEnqueueReadBufferRect, clEnqueueWriteBufferRect of buffer_for(
        buffer_origin: In<usize>,
        host_origin: In<usize>,
        region: In<usize>,
        buffer_row_pitch: usize,
        buffer_slice_pitch: usize,
        host_row_pitch: usize,
        host_slice_pitch: usize,
    ) |transfer| {
        let pitches = [buffer_row_pitch, buffer_slice_pitch, host_row_pitch, host_slice_pitch];
        transfer_box(transfer, [buffer_origin, host_origin], region, pitches)
    };
}

recipes! {
    clEnqueueCopyBuffer, clCommandCopyBufferKHR(
        source: Handle<Memory>,
        destination: Handle<Memory>,
        source_offset: usize,
        destination_offset: usize,
        size: usize,
    ) |queue| CopyBuffer::new(queue, [source, destination], [source_offset, destination_offset], size);

    clEnqueueCopyBufferRect, clCommandCopyBufferRectKHR(
        source: Handle<Memory>,
        destination: Handle<Memory>,
        source_origin: In<usize>,
        destination_origin: In<usize>,
        region: In<usize>,
        source_row_pitch: usize,
        source_slice_pitch: usize,
        destination_row_pitch: usize,
        destination_slice_pitch: usize,
    ) |queue| {
        let pitches = [source_row_pitch, source_slice_pitch, destination_row_pitch, destination_slice_pitch];
        let origins = [source_origin, destination_origin];
        CopyRectangle::new(queue, [source, destination], origins, region, pitches)
    };

    clEnqueueFillBuffer, clCommandFillBufferKHR(
        buffer: Handle<Memory>,
        pattern: In<c_void>,
        pattern_size: usize,
        offset: usize,
        size: usize,
    ) |queue| FillBuffer::new(queue, buffer, (pattern, pattern_size), offset, size);
}

status! {
    /// `clEnqueueMigrateMemObjects`: the contents get to the queue's device, as before any command that uses
    /// them. What would be undefined, or be the host's, stays where it is.
    fn clEnqueueMigrateMemObjects(
        queue: Handle<Queue>,
        num_objects: u32,
        objects: In<Handle<Memory>>,
        flags: cl_mem_migration_flags,
        count: u32,
        waits: In<Handle<Event>>,
        event: Out<Handle<Event>>,
    ) {
        let queue = queue.get()?;
        ensure(num_objects > 0 && !objects.is_null(), code::INVALID_VALUE)?;
        let known = CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
        ensure(flags & !known == 0, code::INVALID_VALUE)?;
        let objects = handle::list(objects, num_objects)?;
        objects.iter().try_for_each(|object| object.check_context(queue.context()))?;
        let order = queue.order(count, waits, event)?;
        if flags == 0 {
            objects.iter().try_for_each(|object| object.get_to(queue.device_index()))?;
        }
        queue.enqueue(CL_COMMAND_MIGRATE_MEM_OBJECTS, Command::marker(), &order, false, &[]).map(drop)
    }
}
