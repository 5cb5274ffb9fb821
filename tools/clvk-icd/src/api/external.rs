//! Memory that is shared with other users (`cl_khr_external_memory`, `cl_khr_external_memory_opaque_fd`,
//! `cl_khr_external_memory_dma_buf`).
//!
//! Buffers and images are created from a file descriptor; they are imported on one device of their context.
//! Images are linear: their pixels lie in an imported buffer, with the pitches of the image's description.
//! Other tilings cannot be imported: Vulkan demands that such an image is created exactly like its
//! exporter's, with the same usage and flags. Neither the descriptor nor an OpenCL property gives these, so
//! pixels might silently be wrong.

use crate::border::{In, Out};
use crate::cl::*;
use crate::code::{self, Result, ensure};
use crate::entry::status;
use crate::handle::{self, Handle};
use crate::object::context::Context;
use crate::object::device::Device;
use crate::object::event::Event;
use crate::object::external::handle_of;
use crate::object::import::Import;
use crate::object::memory::Memory;
use crate::object::queue::Queue;
use smallvec::SmallVec;
use vk_runtime::{Buffer, Command};

/// The properties of a buffer or an image.
#[derive(Default)]
pub struct MemoryProperties {
    /// As the application gave them, with the zero at the end; empty if it gave none.
    pub given: Vec<u64>,
    /// The memory that it imports.
    pub import: Option<Import>,
}

/// Reads the properties of a buffer or an image.
pub fn memory_properties(
    context: &Context,
    flags: cl_mem_flags,
    properties: In<u64>,
    is_image: bool,
) -> Result<MemoryProperties> {
    let list = properties.properties_with_lists(|name| name == CL_MEM_DEVICE_HANDLE_LIST_KHR);
    let mut names: Vec<u64> = list.iter().map(|(name, _)| *name).collect();
    names.sort_unstable();
    names.dedup();
    ensure(names.len() == list.len(), code::INVALID_PROPERTY)?;
    let mut read = MemoryProperties::default();
    let (mut descriptor, mut devices) = (None, None);
    for (name, values) in &list {
        match (*name, values.as_slice()) {
            (CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, [wanted]) if !is_image => {
                ensure(*wanted <= 1, code::INVALID_PROPERTY)?;
                let known = context.devices().iter().all(|device| device.has_addresses());
                ensure(known || *wanted == 0, code::INVALID_OPERATION)?;
            }
            (CL_MEM_DEVICE_HANDLE_LIST_KHR, handles) => {
                let device = |&word: &u64| Handle::<Device>::from_word(word as usize).get();
                devices = Some(handles.iter().map(device).collect::<Result<Vec<_>>>()?);
            }
            (name, [value]) => {
                let handle = handle_of(name).ok_or(code::INVALID_PROPERTY)?;
                ensure(descriptor.is_none(), code::INVALID_PROPERTY)?;
                descriptor = Some((handle, *value));
            }
            _ => return Err(code::INVALID_PROPERTY),
        }
        read.given.push(*name);
        read.given.extend(values);
        if *name == CL_MEM_DEVICE_HANDLE_LIST_KHR {
            read.given.push(CL_MEM_DEVICE_HANDLE_LIST_END_KHR);
        }
    }
    if !properties.is_null() {
        read.given.push(0);
    }
    let Some((handle, descriptor)) = descriptor else {
        // Only imported memory may name devices.
        ensure(devices.is_none(), code::INVALID_PROPERTY)?;
        return Ok(read);
    };
    let host = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;
    let wrong = if is_image { code::INVALID_VALUE } else { code::INVALID_OPERATION };
    ensure(flags & host == 0, wrong)?;
    let devices = devices.as_deref().unwrap_or(context.devices());
    let [device] = devices else { return Err(code::INVALID_DEVICE) };
    ensure(device.memory_handles().contains(&handle), code::INVALID_DEVICE)?;
    let index = context.index_of(device).ok_or(code::INVALID_DEVICE)?;
    let descriptor = i32::try_from(descriptor).map_err(|_| code::INVALID_VALUE)?;
    read.import = Some(Import { index, handle, descriptor });
    Ok(read)
}

/// Enqueues a change of owner, for both functions.
fn change_owner(
    queue: Handle<Queue>,
    (num_objects, objects): (u32, In<Handle<Memory>>),
    (count, waits): (u32, In<Handle<Event>>),
    event: Out<Handle<Event>>,
    kind: cl_command_type,
    command: fn(&vk_runtime::Device, &[Buffer]) -> vk_runtime::Result<Command>,
) -> Result<()> {
    let queue = queue.get()?;
    queue.check_host()?;
    ensure((num_objects == 0) == objects.is_null(), code::INVALID_VALUE)?;
    let objects = if num_objects == 0 { SmallVec::new() } else { handle::list(objects, num_objects)? };
    ensure(objects.iter().all(|object| object.is_external()), code::INVALID_MEM_OBJECT)?;
    objects.iter().try_for_each(|object| object.check_context(queue.context()))?;
    let order = queue.order(count, waits, event)?;
    let index = queue.device_index();
    let buffers: SmallVec<[Buffer; 4]> = objects
        .iter()
        .map(|object| object.buffer_on(index, true).map(|(buffer, _)| buffer.clone()))
        .collect::<Result<_>>()?;
    // On a device other than the importing one, the memory is a copy, which is not shared.
    ensure(buffers.iter().all(Buffer::is_external), code::INVALID_COMMAND_QUEUE)?;
    let command =
        if buffers.is_empty() { Command::marker() } else { command(queue.device().open()?, &buffers)? };
    queue.enqueue(kind, command, &order, false, &[]).map(drop)
}

status! {
    /// `clEnqueueAcquireExternalMemObjectsKHR`.
    fn clEnqueueAcquireExternalMemObjectsKHR(
        queue: Handle<Queue>,
        num_objects: u32,
        objects: In<Handle<Memory>>,
        count: u32,
        waits: In<Handle<Event>>,
        event: Out<Handle<Event>>,
    ) {
        let kind = CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR;
        change_owner(queue, (num_objects, objects), (count, waits), event, kind, Command::acquire)
    }

    /// `clEnqueueReleaseExternalMemObjectsKHR`.
    fn clEnqueueReleaseExternalMemObjectsKHR(
        queue: Handle<Queue>,
        num_objects: u32,
        objects: In<Handle<Memory>>,
        count: u32,
        waits: In<Handle<Event>>,
        event: Out<Handle<Event>>,
    ) {
        let kind = CL_COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR;
        change_owner(queue, (num_objects, objects), (count, waits), event, kind, Command::release)
    }
}
