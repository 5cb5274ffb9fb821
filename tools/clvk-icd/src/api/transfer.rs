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
use crate::object::queue::Queue;
use crate::object::rectangle::Box3;
use std::ffi::c_void;
use std::ptr::NonNull;
use vk_runtime::{Buffer, Command, Rectangle};

/// The direction of a transfer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From the memory object to the host.
    Read,
    /// From the host to the memory object.
    Write,
}

impl Direction {
    /// One of two command types.
    pub fn kind(self, [read, write]: [cl_command_type; 2]) -> cl_command_type {
        if self == Direction::Read { read } else { write }
    }

    /// Whether the flags of the memory object allow the host to do it.
    pub fn check(self, memory: &Memory) -> Result<()> {
        match self {
            Direction::Read => memory.check_host_reads(),
            Direction::Write => memory.check_host_writes(),
        }
    }

    /// Transfers contiguous bytes.
    ///
    /// # Safety
    /// As for [`Command::read_buffer`] and [`Command::write_buffer`].
    pub unsafe fn bytes(
        self,
        buffer: &Buffer,
        offset: u64,
        host: NonNull<u8>,
        size: u64,
    ) -> vk_runtime::Result<Command> {
        match self {
            // SAFETY: as the caller promises.
            Direction::Read => unsafe { Command::read_buffer(buffer, offset, host, size) },
            // SAFETY: as above.
            Direction::Write => unsafe { Command::write_buffer(buffer, offset, host, size) },
        }
    }
}

/// A transfer of contiguous bytes.
struct Linear {
    queue: Handle<Queue>,
    buffer: Handle<Memory>,
    blocking: cl_bool,
    offset: usize,
    size: usize,
    host: HostMemory,
}

impl Linear {
    fn enqueue(
        self,
        direction: Direction,
        count: u32,
        waits: In<Handle<Event>>,
        event: Out<Handle<Event>>,
    ) -> Result<()> {
        let queue = self.queue.get()?;
        let memory = buffer_for(&queue, self.buffer)?;
        let order = queue.order(count, waits, event)?;
        ensure(!self.host.is_null(), code::INVALID_VALUE)?;
        memory.check_range(self.offset, self.size)?;
        direction.check(&memory)?;
        let (buffer, base) = memory.buffer_on(queue.device_index(), direction == Direction::Write)?;
        let data = self.host.place()?;
        let (offset, size) = (base + self.offset as u64, self.size as u64);
        let kind = direction.kind([CL_COMMAND_READ_BUFFER, CL_COMMAND_WRITE_BUFFER]);
        // SAFETY: the application vouches for `size` bytes until the command is complete (OpenCL API §5.2.2).
        let command = unsafe { direction.bytes(buffer, offset, data, size) };
        queue.enqueue(kind, command?, &order, self.blocking != CL_FALSE, &[&memory]).map(drop)
    }
}

/// A transfer of a box of bytes.
struct Rectangular {
    queue: Handle<Queue>,
    buffer: Handle<Memory>,
    blocking: cl_bool,
    origins: [In<usize>; 2],
    region: In<usize>,
    /// Row and slice pitch of the buffer, then of the host.
    pitches: [usize; 4],
    host: HostMemory,
}

impl Rectangular {
    fn enqueue(
        self,
        direction: Direction,
        count: u32,
        waits: In<Handle<Event>>,
        event: Out<Handle<Event>>,
    ) -> Result<()> {
        let queue = self.queue.get()?;
        let memory = buffer_for(&queue, self.buffer)?;
        let order = queue.order(count, waits, event)?;
        let region = self.region.triple()?;
        let [row, slice, host_row, host_slice] = self.pitches;
        let place = Box3::new(self.origins[0].triple()?, region, row, slice)?;
        let host = Box3::new(self.origins[1].triple()?, region, host_row, host_slice)?;
        ensure(!self.host.is_null(), code::INVALID_VALUE)?;
        ensure(place.end <= memory.size(), code::INVALID_VALUE)?;
        direction.check(&memory)?;
        let (buffer, base) = memory.buffer_on(queue.device_index(), direction == Direction::Write)?;
        let data = self.host.place()?;
        let place = Rectangle { offset: base + place.rectangle.offset, ..place.rectangle };
        let region = region.map(|it| it as u64);
        let kind = direction.kind([CL_COMMAND_READ_BUFFER_RECT, CL_COMMAND_WRITE_BUFFER_RECT]);
        let host = &host.rectangle;
        let command = match direction {
            // SAFETY: the application vouches for the box until the command is complete (OpenCL API §5.2.2).
            Direction::Read => unsafe { Command::read_rectangle(buffer, &place, data, host, region) },
            // SAFETY: as above.
            Direction::Write => unsafe { Command::write_rectangle(buffer, &place, data, host, region) },
        };
        queue.enqueue(kind, command?, &order, self.blocking != CL_FALSE, &[&memory]).map(drop)
    }
}

/// Defines two entry points for each kind of transfer, one for each direction. The expression creates the
/// transfer for a queue.
macro_rules! transfers {
    ($($read:ident, $write:ident($($arg:ident: $ty:ty),* $(,)?) |$queue:ident| $transfer:expr;)*) => {
        crate::entry::status! {
            $(
                #[doc = concat!("`", stringify!($read), "`.")]
                fn $read(
                    $queue: Handle<Queue>,
                    $($arg: $ty,)*
                    count: u32,
                    waits: In<Handle<Event>>,
                    event: Out<Handle<Event>>,
                ) {
                    $transfer.enqueue(Direction::Read, count, waits, event)
                }

                #[doc = concat!("`", stringify!($write), "`.")]
                fn $write(
                    $queue: Handle<Queue>,
                    $($arg: $ty,)*
                    count: u32,
                    waits: In<Handle<Event>>,
                    event: Out<Handle<Event>>,
                ) {
                    $transfer.enqueue(Direction::Write, count, waits, event)
                }
            )*
        }
    };
}
pub(crate) use transfers;

transfers! {
    clEnqueueReadBuffer, clEnqueueWriteBuffer(
        buffer: Handle<Memory>,
        blocking: cl_bool,
        offset: usize,
        size: usize,
        host: HostMemory,
    ) |queue| Linear { queue, buffer, blocking, offset, size, host };

    clEnqueueReadBufferRect, clEnqueueWriteBufferRect(
        buffer: Handle<Memory>,
        blocking: cl_bool,
        buffer_origin: In<usize>,
        host_origin: In<usize>,
        region: In<usize>,
        buffer_row_pitch: usize,
        buffer_slice_pitch: usize,
        host_row_pitch: usize,
        host_slice_pitch: usize,
        host: HostMemory,
    ) |queue| {
        let pitches = [buffer_row_pitch, buffer_slice_pitch, host_row_pitch, host_slice_pitch];
        let origins = [buffer_origin, host_origin];
        Rectangular { queue, buffer, blocking, origins, region, pitches, host }
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
    /// `clEnqueueMigrateMemObjects`: memory follows the commands that use it, so only the order matters.
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
        queue.enqueue(CL_COMMAND_MIGRATE_MEM_OBJECTS, Command::marker(), &order, false, &[]).map(drop)
    }
}
