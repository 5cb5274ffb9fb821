//! The memory of buffers.
//!
//! Where the device shares the host's memory, the host reads and writes a buffer through a pointer, after
//! waiting for the submissions that use it. Elsewhere a buffer is in the device's own memory and data is
//! copied through staging buffers (see `staging`), in order with everything else.

use crate::engine::hazard::Access;
use crate::engine::host_mirror::HostMirror;
use crate::vulkan::capabilities::Limits;
use crate::vulkan::error::{Error, Result};
use crate::vulkan::external_memory::{self, MemoryHandle, refused};
use crate::vulkan::handle::{Owned, lock, next_number};
use crate::vulkan::memory::{Heap, HostPointer, Memory, MemoryUse};
use ash::vk;
use std::ops::Range;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};

/// The part of a buffer that in-flight work keeps alive.
pub(crate) struct BufferInner {
    // Destroyed in this order: while the buffer has its address, no other buffer can need the mirror's.
    /// The host's pages at the same address.
    pub(crate) mirror: Option<HostMirror>,
    raw: Owned<vk::Buffer>,
    memory: Memory,
    /// Length that the user asked for.
    pub(crate) size: u64,
    /// Length in Vulkan, a multiple of 4, so that fills and 32-bit accesses reach every byte.
    pub(crate) raw_size: u64,
    pub(crate) address: Option<u64>,
    id: u64,
    /// Serial of the last submission that uses the buffer, 0 if there is none. It is locked while the host
    /// accesses the memory, so that no command that uses the memory is recorded meanwhile.
    last_use: Mutex<u64>,
    /// Whether something may have written the memory: no command that may, and no pointer to it was made
    /// since the contents were declared undefined.
    written: AtomicBool,
}

/// Alignment of every buffer in bytes: that of the largest types, `long16` and `double16`, which kernels rely
/// on (OpenCL C §6.3.5). Vulkan drivers ask for less.
pub(crate) const BASE_ALIGNMENT: u64 = 128;

/// Refuses sizes that a device with these limits cannot give a buffer.
pub(crate) fn check_size(limits: &Limits, size: u64) -> Result<()> {
    let refuse = |limit: String| Err(Error::Size { what: "a buffer", size: format!("{size} bytes"), limit });
    if size == 0 {
        return refuse("it must have at least one byte".to_owned());
    }
    if let Some(limit) = limits.max_buffer_size.filter(|&limit| size > limit) {
        return refuse(format!("the device's limit for a buffer (maxBufferSize) is {limit} bytes"));
    }
    if size > limits.device_memory {
        return refuse(format!("the device has {} bytes of memory", limits.device_memory));
    }
    Ok(())
}

impl BufferInner {
    pub(crate) fn new(heap: &Heap, what: &'static str, size: u64, purpose: MemoryUse) -> Result<Self> {
        BufferInner::aligned(heap, what, size, purpose, (4, BASE_ALIGNMENT))
    }

    /// A buffer in the device's own memory that shares none of its pages, which have this size, with another
    /// buffer.
    pub(crate) fn of_pages(heap: &Heap, size: u64, page: u64) -> Result<Self> {
        let alignment = page.max(BASE_ALIGNMENT);
        BufferInner::aligned(heap, "shared memory", size, MemoryUse::Device, (page, alignment))
    }

    /// A buffer with this granularity of its length in Vulkan and this alignment.
    fn aligned(
        heap: &Heap,
        what: &'static str,
        size: u64,
        purpose: MemoryUse,
        (granule, alignment): (u64, u64),
    ) -> Result<Self> {
        let raw_size = size.next_multiple_of(granule);
        let too_large = |size| heap.buffer_hint(size);
        let raw = heap.raw_buffer(raw_size, None).map_err(|result| match result {
            vk::Result::ERROR_OUT_OF_DEVICE_MEMORY | vk::Result::ERROR_OUT_OF_HOST_MEMORY => {
                Error::OutOfMemory { what, size, hint: too_large(size), source: None }
            }
            other => Error::vulkan("create a buffer")(other),
        })?;
        // SAFETY: the buffer is of this device.
        let mut requirements = unsafe { heap.logical.raw().get_buffer_memory_requirements(raw.get()) };
        requirements.alignment = requirements.alignment.max(alignment);
        let allocator = &heap.allocator;
        let purpose = match purpose {
            MemoryUse::Shared if !allocator.offers(requirements.memory_type_bits, purpose) => {
                MemoryUse::Device
            }
            other => other,
        };
        let memory = allocator.allocate(what, requirements, true, purpose).map_err(|error| match error {
            Error::OutOfMemory { what, hint, source, .. } => {
                Error::OutOfMemory { what, size, hint: hint + &too_large(size), source }
            }
            other => other,
        })?;
        // SAFETY: the memory was allocated for this buffer's requirements.
        unsafe { BufferInner::bound(heap, raw, memory, size, raw_size) }
    }

    /// A buffer in a memory object of its own, in which nothing else is. The object is not mapped. The sizes
    /// of both are multiples of `granule`.
    pub(crate) fn alone(
        heap: &Heap,
        what: &'static str,
        size: u64,
        granule: u64,
        purpose: MemoryUse,
    ) -> Result<Self> {
        let raw_size = size.next_multiple_of(granule);
        let raw =
            heap.raw_buffer(raw_size, None).map_err(Error::vulkan("create a buffer for shared memory"))?;
        // SAFETY: the buffer is of this device.
        let requirements = unsafe { heap.logical.raw().get_buffer_memory_requirements(raw.get()) };
        let info =
            vk::MemoryAllocateInfo::default().allocation_size(requirements.size.next_multiple_of(granule));
        let mut failure = vk::Result::ERROR_OUT_OF_HOST_MEMORY;
        for index in heap.allocator.types_for(requirements.memory_type_bits, purpose) {
            // SAFETY: it points to nothing, and the type is one of the device.
            match unsafe { heap.memory_object(info.memory_type_index(index)) } {
                Ok(memory) => {
                    let memory = Memory::Whole { memory, pointer: None };
                    // SAFETY: size and type suit the buffer's requirements; offset 0 suits any alignment.
                    return unsafe { BufferInner::bound(heap, raw, memory, size, raw_size) };
                }
                Err(result) => failure = result,
            }
        }
        let hint = format!("{} ({failure})", heap.buffer_hint(size));
        Err(Error::OutOfMemory { what, size, hint, source: None })
    }

    /// Maps the memory of a buffer that is alone in it at an address.
    ///
    /// # Safety
    /// The pages there are the caller's, and nothing uses them. The address and the sizes are multiples of
    /// the device's alignment for that, and the memory is visible to the host.
    pub(crate) unsafe fn map_at(&mut self, heap: &Heap, address: NonNull<u8>) -> Result<()> {
        let Memory::Whole { memory, pointer: pointer @ None } = &mut self.memory else {
            return Err(Error::SharedAddress);
        };
        // SAFETY: as the caller promises; the memory is not mapped, as it has no pointer.
        unsafe { heap.logical.map_at(memory.get(), address) }?;
        *pointer = Some(HostPointer(address));
        Ok(())
    }

    /// A buffer of the pages that hold `size` bytes of the host, and the offset at which the bytes begin;
    /// `None` if the device cannot use them.
    ///
    /// # Safety
    /// The pages live as long as the buffer and as what the device does with it.
    pub(crate) unsafe fn over_host_pages(
        heap: &Heap,
        start: NonNull<u8>,
        size: u64,
    ) -> Result<Option<(Self, u64)>> {
        let Some(page) = heap.host_memory_alignment else { return Ok(None) };
        let offset = start.addr().get() as u64 & (page - 1);
        let length = (offset + size).next_multiple_of(page);
        let Some(first) = NonNull::new(start.as_ptr().wrapping_sub(offset as usize)) else { return Ok(None) };
        // SAFETY: as the caller promises; pages are words.
        let buffer = unsafe { BufferInner::over_host_memory(heap, first, length) }?;
        Ok(buffer.map(|buffer| (buffer, offset)))
    }

    /// A buffer of the host's memory, whose size is a multiple of 4 bytes; `None` if the device cannot use
    /// it.
    ///
    /// # Safety
    /// The memory lives as long as the buffer and as what the device does with it.
    pub(crate) unsafe fn over_host_memory(
        heap: &Heap,
        pointer: NonNull<u8>,
        size: u64,
    ) -> Result<Option<Self>> {
        let (logical, kind) = (&heap.logical, vk::ExternalMemoryHandleTypeFlags::HOST_ALLOCATION_EXT);
        let Some(alignment) = heap.host_memory_alignment else { return Ok(None) };
        let start = pointer.as_ptr() as u64;
        let page = start & !(alignment - 1);
        let length = (start + size).next_multiple_of(alignment) - page;
        let page = pointer.as_ptr().wrapping_sub((start - page) as usize);
        // SAFETY: aligned, and of the host: it holds the first byte.
        let types = unsafe { logical.types_of_host_memory(page.cast()) };
        let Some(types) = types.filter(|&types| types != 0) else { return Ok(None) };
        let mut external = vk::ExternalMemoryBufferCreateInfo::default().handle_types(kind);
        let Ok(raw) = heap.raw_buffer(size, Some(&mut external)) else { return Ok(None) };
        // SAFETY: the buffer is of this device.
        let requirements = unsafe { logical.raw().get_buffer_memory_requirements(raw.get()) };
        let offset = start - page as u64;
        let fits = offset.is_multiple_of(requirements.alignment) && offset + requirements.size <= length;
        let kind_index = heap.allocator.types_for(types & requirements.memory_type_bits, MemoryUse::Download);
        let (Some(&kind_index), true) = (kind_index.first(), fits) else { return Ok(None) };
        let mut import =
            vk::ImportMemoryHostPointerInfoEXT::default().handle_type(kind).host_pointer(page.cast());
        let info = vk::MemoryAllocateInfo::default()
            .allocation_size(length)
            .memory_type_index(kind_index)
            .push_next(&mut import);
        // SAFETY: the pages are aligned, of the host and of a type that takes them, and live as the caller
        // promises.
        let Ok(memory) = (unsafe { heap.memory_object(info) }) else { return Ok(None) };
        let memory = Memory::Host { memory, offset, pointer: HostPointer(pointer) };
        // SAFETY: alignment, size and type suit the buffer's requirements.
        unsafe { BufferInner::bound(heap, raw, memory, size, size) }.map(Some)
    }

    /// A buffer whose memory is shared with other users of Vulkan: the memory of a file descriptor, or new
    /// memory that can be exported as one.
    ///
    /// A descriptor does not tell the size and type of its memory, yet an import must state both as they were
    /// at the export. This function uses those that a shared buffer of the same size gets on the same device,
    /// since the exporter most likely chose the same.
    ///
    /// The memory of a dma-buf tells its size and types, and the driver checks the import against them.
    pub(crate) fn external(
        heap: &Heap,
        size: u64,
        handle: MemoryHandle,
        descriptor: Option<BorrowedFd<'_>>,
    ) -> Result<Self> {
        let logical = &heap.logical;
        let mut external = vk::ExternalMemoryBufferCreateInfo::default().handle_types(handle.flag());
        let raw_size = size.next_multiple_of(4);
        let raw = heap
            .raw_buffer(raw_size, Some(&mut external))
            .map_err(Error::vulkan("create a shared buffer"))?;
        let mut dedicated = vk::MemoryDedicatedRequirements::default();
        let mut requirements = vk::MemoryRequirements2::default().push_next(&mut dedicated);
        let of_buffer = vk::BufferMemoryRequirementsInfo2::default().buffer(raw.get());
        // SAFETY: the buffer is of this device.
        unsafe { logical.raw().get_buffer_memory_requirements2(&of_buffer, &mut requirements) };
        let mut requirements = requirements.memory_requirements;
        if let Some(descriptor) = descriptor {
            requirements.memory_type_bits &= logical.types_of(handle, descriptor)?;
        }
        // Both sides get the same answer, so that the allocation is dedicated on both or on neither.
        let alone = dedicated.requires_dedicated_allocation != vk::FALSE
            || dedicated.prefers_dedicated_allocation != vk::FALSE;
        let mut failure = refused("no memory of the device can be shared");
        for index in heap.allocator.types_for(requirements.memory_type_bits, MemoryUse::Device) {
            let allocated = external_memory::allocate(
                heap,
                (requirements.size, index),
                alone.then_some(raw.get()),
                handle,
                descriptor,
            );
            let memory = match allocated {
                Ok(memory) => Memory::External(memory, handle),
                Err(error) => {
                    failure = error;
                    continue;
                }
            };
            // SAFETY: size and type suit the buffer's requirements.
            return unsafe { BufferInner::bound(heap, raw, memory, size, raw_size) };
        }
        Err(failure)
    }

    /// The shared memory, and the kind of its descriptors, if the memory is shared.
    pub(crate) fn external_memory(&self) -> Option<(vk::DeviceMemory, MemoryHandle)> {
        match &self.memory {
            Memory::External(memory, handle) => Some((memory.get(), *handle)),
            _ => None,
        }
    }

    /// A descriptor for its memory, which [`BufferInner::external`] allocated to be shared.
    pub(crate) fn export(&self, heap: &Heap) -> Result<OwnedFd> {
        let (memory, handle) = self.external_memory().ok_or_else(|| refused("the buffer is not shared"))?;
        heap.logical.export(memory, handle)
    }

    /// Binds memory to a buffer.
    ///
    /// # Safety
    /// The memory suits the buffer, which has none yet.
    unsafe fn bound(
        heap: &Heap,
        raw: Owned<vk::Buffer>,
        memory: Memory,
        size: u64,
        raw_size: u64,
    ) -> Result<Self> {
        let logical = &heap.logical;
        let (object, offset) = memory.location();
        // SAFETY: as the caller promises; the memory outlives the buffer by the order of the fields.
        unsafe { logical.raw().bind_buffer_memory(raw.get(), object, offset) }
            .map_err(Error::vulkan("bind memory to a buffer"))?;
        // SAFETY: usage, memory flag and feature go together, and the memory is bound.
        let address = heap.addressed.then(|| unsafe { logical.buffer_address(raw.get()) });
        let id = next_number();
        let (last_use, written) = (Mutex::new(0), AtomicBool::new(true));
        Ok(BufferInner { mirror: None, raw, memory, size, raw_size, address, id, last_use, written })
    }

    pub(crate) fn raw(&self) -> vk::Buffer {
        self.raw.get()
    }

    /// Declares the contents undefined.
    pub(crate) fn forget_contents(&self) {
        self.written.store(false, Ordering::Relaxed);
    }

    /// Whether something may have written the memory.
    pub(crate) fn is_written(&self) -> bool {
        self.written.load(Ordering::Relaxed)
    }

    /// Notes that something may write the memory.
    pub(crate) fn note_write(&self) {
        if !self.is_written() {
            self.written.store(true, Ordering::Relaxed);
        }
    }

    pub(crate) fn access(&self, range: Range<u64>, write: bool) -> Access {
        if write {
            self.note_write();
        }
        if write { Access::write(self.id, range) } else { Access::read(self.id, range) }
    }

    /// Notes that a submission uses the buffer; blocks while the host accesses it.
    pub(crate) fn mark_used(&self, serial: u64) {
        *self.last_use() = serial;
    }

    /// Serial of the last submission that uses the buffer, 0 if there is none. While the lock is held, no
    /// command that uses it is recorded.
    pub(crate) fn last_use(&self) -> MutexGuard<'_, u64> {
        lock(&self.last_use)
    }

    /// Whether it is a buffer of the user that the host accesses through a pointer.
    pub(crate) fn is_shared(&self) -> bool {
        self.memory.pointer().is_some()
    }

    /// The first byte, if the host can access it.
    pub(crate) fn pointer(&self) -> Option<NonNull<u8>> {
        self.note_write();
        self.memory.pointer()
    }

    /// The byte at `offset`, which is at most the buffer's size, if the host can access it.
    pub(crate) fn pointer_at(&self, offset: u64) -> Option<NonNull<u8>> {
        assert!(offset <= self.size, "offset {offset} in a buffer of {} bytes", self.size);
        // SAFETY: inside the mapping, or at its end.
        self.pointer().map(|start| unsafe { start.add(offset as usize) })
    }

    /// Writes words of a buffer in host-visible memory, from a word on.
    ///
    /// # Safety
    /// No kernel that uses the buffer runs.
    pub(crate) unsafe fn write_words(&self, at: u32, words: &[u32]) {
        let bytes: &[u8] = bytemuck::cast_slice(words);
        let place = self.place_of_words(at, bytes.len());
        // SAFETY: the words lie in the buffer, which nothing else uses, as the caller promises.
        unsafe { place.copy_from_nonoverlapping(NonNull::from(bytes).cast(), bytes.len()) };
    }

    /// Reads words of a buffer in host-visible memory, from a word on.
    ///
    /// # Safety
    /// No kernel that uses the buffer runs.
    pub(crate) unsafe fn read_words(&self, at: u32, words: &mut [u32]) {
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(words);
        let place = self.place_of_words(at, bytes.len());
        // SAFETY: as above.
        unsafe { place.copy_to_nonoverlapping(NonNull::from(&mut *bytes).cast(), bytes.len()) };
    }

    fn place_of_words(&self, at: u32, bytes: usize) -> NonNull<u8> {
        let start = u64::from(at) * 4;
        assert!(start + bytes as u64 <= self.size, "words outside a buffer of {} bytes", self.size);
        let pointer = self.pointer().expect("only mapped buffers are accessed by the host");
        // SAFETY: the place lies in the buffer.
        unsafe { pointer.add(start as usize) }
    }
}

impl Heap {
    /// A remark for out-of-memory messages about a size above `maxMemoryAllocationSize`, which drivers may
    /// still serve.
    fn buffer_hint(&self, size: u64) -> String {
        let limit = self.max_allocation_size;
        if size > limit {
            format!(
                " (the device guarantees only {limit} bytes per allocation, its limit maxMemoryAllocationSize)"
            )
        } else {
            String::new()
        }
    }
}
