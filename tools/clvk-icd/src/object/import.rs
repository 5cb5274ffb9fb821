//! Memory objects over memory that others exported (`cl_khr_external_memory`).

use super::context::Context;
use super::image::Image;
use super::memory::{Kind, Memory};
use super::storage::Storage;
use crate::border::{self, HostMemory};
use crate::cl::*;
use crate::code::Result;
use std::sync::Arc;
use vk_runtime::{Buffer, MemoryHandle};

/// Memory to import.
#[derive(Clone, Copy, Debug)]
pub struct Import {
    /// Position of its device in the context.
    pub index: usize,
    /// The kind of the descriptor.
    pub handle: MemoryHandle,
    /// The file descriptor that represents it.
    pub descriptor: i32,
}

impl Memory {
    /// A buffer over memory that another user exported. On devices other than the importing one, it
    /// is a copy.
    pub fn imported(
        context: Arc<Context>,
        flags: cl_mem_flags,
        size: usize,
        import: Import,
        properties: Vec<u64>,
    ) -> Result<Arc<Self>> {
        let device = context.devices()[import.index].open()?;
        let buffer =
            Buffer::import(device, size as u64, import.handle, border::descriptor(import.descriptor)?)?;
        let storage = Storage::holding(context.devices().len(), import.index, buffer);
        let mut memory = Memory::new(context, flags, size, Kind::Buffer(storage));
        (memory.properties, memory.is_external) = (properties, true);
        memory.with_addresses()
    }

    /// An image whose pixels are memory that another user exported, with the pitches of the image.
    pub fn imported_image(
        context: Arc<Context>,
        flags: cl_mem_flags,
        image: Image,
        import: Import,
        properties: Vec<u64>,
    ) -> Result<Arc<Self>> {
        let size = image.host_size();
        let buffer = Memory::imported(Arc::clone(&context), flags, size, import, Vec::new())?;
        let image = Image { buffer: Some(buffer), imported_on: Some(import.index), ..image };
        Memory::image_object(context, flags, image, HostMemory::NULL, properties)
    }
}
