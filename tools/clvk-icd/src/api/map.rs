//! Mapping of memory objects to the host's memory.

use super::recipe::{buffer_for, image_for, runtime_region, shape};
use crate::border::{HostMemory, In, Out};
use crate::cl::*;
use crate::code::{self, Result, ensure};
use crate::entry::{creation, status};
use crate::handle::Handle;
use crate::object::event::Event;
use crate::object::map::{self, Area, Backing, Mapping, Staging};
use crate::object::memory::Memory;
use crate::object::queue::{Order, Queue};
use std::ffi::c_void;
use std::sync::Arc;
use vk_runtime::{Command, EventStatus};

/// Checks what both maps check: flags, and whether the host may access the object.
fn check(memory: &Memory, flags: cl_map_flags) -> Result<()> {
    ensure(map::flags_are_valid(flags), code::INVALID_VALUE)?;
    if flags & CL_MAP_READ != 0 {
        memory.check_host_reads()?;
    }
    if map::writes(flags) {
        memory.check_host_writes()?;
    }
    Ok(())
}

/// The command that moves a mapped part between the device and the pointer.
fn transfer(queue: &Queue, memory: &Memory, mapping: &Mapping, to_device: bool) -> Result<Command> {
    let index = queue.device_index();
    let data = mapping.pointer.place()?;
    match &mapping.backing {
        Backing::InPlace => return Ok(Command::marker()),
        Backing::Device(core) => return Ok(if to_device { core.unmap(true) } else { core.map(true) }),
        Backing::Application | Backing::Staging(_) => {}
    }
    Ok(match mapping.area {
        Area::Buffer { offset, size } => {
            let (buffer, base) = memory.buffer_on(index, to_device)?;
            let (offset, size) = (base + offset as u64, size as u64);
            if to_device {
                // SAFETY: it is staging memory that the command's event keeps, or the application's memory,
                // for which the application vouches as long as it is mapped (OpenCL API §5.4.2). It is as
                // large as the part.
                unsafe { Command::write_buffer(buffer, offset, data, size) }
            } else {
                // SAFETY: as above.
                unsafe { Command::read_buffer(buffer, offset, data, size) }
            }
        }
        Area::Image { origin, region, pitches } if memory.lies_in_buffer() => {
            let ((buffer, base), image) = (memory.buffer_on(index, to_device)?, shape(memory)?);
            let mut place = image.place_in_buffer(origin.pixel);
            place.offset += base;
            let (host, region) = (image.rectangle(0, pitches), image.byte_region(region));
            if to_device {
                // SAFETY: as above.
                unsafe { Command::write_rectangle(buffer, &place, data, &host, region) }
            } else {
                // SAFETY: as above.
                unsafe { Command::read_rectangle(buffer, &place, data, &host, region) }
            }
        }
        Area::Image { origin, region, pitches: [row, slice] } => {
            let image = memory.image_on(index, to_device)?;
            let (place, row, slice) = (runtime_region(origin, region), row as u64, slice as u64);
            if to_device {
                // SAFETY: as above.
                unsafe { Command::write_image(image, &place, data, row, slice) }
            } else {
                // SAFETY: as above.
                unsafe { Command::read_image(image, &place, data, row, slice) }
            }
        }
    }?)
}

/// Enqueues a map, and remembers it.
fn enqueue(
    queue: &Arc<Queue>,
    memory: &Arc<Memory>,
    kind: cl_command_type,
    mapping: Mapping,
    flags: cl_map_flags,
    blocking: cl_bool,
    order: &Order,
) -> Result<HostMemory> {
    let command =
        if map::reads(flags) { transfer(queue, memory, &mapping, false)? } else { Command::marker() };
    let pointer = mapping.pointer;
    let backing = mapping.backing.clone();
    memory.mappings().push(mapping);
    let event = queue.enqueue(kind, command, order, blocking != CL_FALSE, &[memory]);
    match event {
        Ok(event) => {
            keep(&event, backing);
            Ok(pointer)
        }
        Err(code) => {
            take_mapping(memory, pointer);
            Err(code)
        }
    }
}

/// Keeps the driver's memory until a command is done with it.
fn keep(event: &vk_runtime::Event, backing: Backing) {
    if let Backing::Staging(_) | Backing::Device(_) = backing
        && !event.has_ended()
    {
        event.on_status(EventStatus::Complete, move |_| drop(backing));
    }
}

/// Removes and returns the last mapping that has this pointer.
fn take_mapping(memory: &Memory, pointer: HostMemory) -> Option<Mapping> {
    let mut mappings = memory.mappings();
    let position = mappings.iter().rposition(|mapping| mapping.pointer == pointer)?;
    Some(mappings.remove(position))
}

/// Memory for a part of that many bytes: the application's, `offset` bytes in, or new.
fn place_for(memory: &Memory, offset: usize, size: usize) -> Result<(HostMemory, Backing)> {
    if !memory.host().is_null() {
        let backing = if memory.is_in_place() { Backing::InPlace } else { Backing::Application };
        return Ok((memory.host().offset(offset), backing));
    }
    let staging = Staging::new(size).ok_or(code::MAP_FAILURE)?;
    Ok((staging.pointer(), Backing::Staging(staging)))
}

/// Memory for a part of a buffer. Where the context has one device, the runtime maps it.
fn place_in_buffer(
    queue: &Queue,
    memory: &Memory,
    offset: usize,
    size: usize,
) -> Result<(HostMemory, Backing)> {
    if !memory.host().is_null() || queue.context().devices().len() > 1 {
        return place_for(memory, offset, size);
    }
    let (buffer, base) = memory.buffer_on(queue.device_index(), false)?;
    let core = vk_runtime::Mapping::of_buffer(buffer, base + offset as u64, size as u64)
        .map_err(|_| code::MAP_FAILURE)?;
    Ok((HostMemory::of(core.pointer().as_ptr()), Backing::Device(Arc::new(core))))
}

creation! {
    /// `clEnqueueMapBuffer`.
    fn clEnqueueMapBuffer(
        queue: Handle<Queue>,
        buffer: Handle<Memory>,
        blocking: cl_bool,
        flags: cl_map_flags,
        offset: usize,
        size: usize,
        count: u32,
        waits: In<Handle<Event>>,
        event: Out<Handle<Event>>,
    ) -> *mut c_void {
        let queue = queue.get()?;
        let memory = buffer_for(&queue, buffer)?;
        let order = queue.order(count, waits, event)?;
        memory.check_range(offset, size)?;
        check(&memory, flags)?;
        let (pointer, backing) = place_in_buffer(&queue, &memory, offset, size)?;
        let area = Area::Buffer { offset, size };
        let mapping = Mapping { pointer, area, writes: map::writes(flags), backing };
        let pointer = enqueue(&queue, &memory, CL_COMMAND_MAP_BUFFER, mapping, flags, blocking, &order)?;
        Ok(pointer.pointer().cast())
    }

    /// `clEnqueueMapImage`.
    fn clEnqueueMapImage(
        queue: Handle<Queue>,
        image: Handle<Memory>,
        blocking: cl_bool,
        flags: cl_map_flags,
        origin: In<usize>,
        region: In<usize>,
        row_pitch: Out<usize>,
        slice_pitch: Out<usize>,
        count: u32,
        waits: In<Handle<Event>>,
        event: Out<Handle<Event>>,
    ) -> *mut c_void {
        let queue = queue.get()?;
        let memory = image_for(&queue, image)?;
        let image = shape(&memory)?;
        let order = queue.order(count, waits, event)?;
        let (origin, region) = (image.origin(origin)?, region.triple()?);
        image.check_region(origin, region)?;
        check(&memory, flags)?;
        ensure(!row_pitch.is_null(), code::INVALID_VALUE)?;
        let layered = image.slice_pitch != 0;
        ensure(!layered || !slice_pitch.is_null(), code::INVALID_VALUE)?;
        let pitches = if memory.host().is_null() {
            image.pitches(region, 0, 0)?
        } else {
            [image.row_pitch, image.slice_pitch]
        };
        let (pointer, backing) = place_for(&memory, image.host_offset(origin.pixel), image.bytes(region, pitches))?;
        let area = Area::Image { origin, region, pitches };
        let mapping = Mapping { pointer, area, writes: map::writes(flags), backing };
        let pointer = enqueue(&queue, &memory, CL_COMMAND_MAP_IMAGE, mapping, flags, blocking, &order)?;
        row_pitch.set(pitches[0]);
        slice_pitch.set(if layered { pitches[1] } else { 0 });
        Ok(pointer.pointer().cast())
    }
}

status! {
    /// `clEnqueueUnmapMemObject`.
    fn clEnqueueUnmapMemObject(
        queue: Handle<Queue>,
        memory: Handle<Memory>,
        pointer: HostMemory,
        count: u32,
        waits: In<Handle<Event>>,
        event: Out<Handle<Event>>,
    ) {
        let queue = queue.get()?;
        let memory = memory.get()?;
        memory.check_context(queue.context())?;
        let order = queue.order(count, waits, event)?;
        let mapping = take_mapping(&memory, pointer).ok_or(code::INVALID_VALUE)?;
        let command =
            if mapping.writes { transfer(&queue, &memory, &mapping, true)? } else { Command::marker() };
        let event = queue.enqueue(CL_COMMAND_UNMAP_MEM_OBJECT, command, &order, false, &[&memory])?;
        keep(&event, mapping.backing);
        Ok(())
    }
}
