//! Buffers in device memory.
//!
//! Where the device shares the host's memory, the host reads and writes a buffer through a pointer, after waiting for
//! the submissions that use it. Elsewhere a buffer is in the device's own memory and data is copied through staging
//! buffers (see `staging`), in order with everything else.

use crate::command::operation::Command;
use crate::command::stream::Stream;
use crate::command::transfer::{DeviceMemory, HostMemory, Pitches, Shape, Transfer};
use crate::device::{Device, next_resource_id};
use crate::error::{Error, Result};
use crate::handle::{Owned, lock};
use crate::hazard::Access;
use crate::memory::{Heap, HostPointer, Memory, MemoryUse};
use crate::staging;
use crate::twin::Twin;
use ash::vk;
use std::fmt;
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex};

/// Global memory of kernels, or a part of it. Cloning is cheap and gives the same memory.
#[derive(Clone)]
pub struct Buffer {
    inner: Arc<BufferInner>,
    device: Device,
    /// The first byte, and the number of bytes.
    base: u64,
    size: u64,
}

impl Buffer {
    /// A buffer of `size` bytes with undefined contents.
    ///
    /// # Errors
    /// [`Error::Size`] naming the limit that `size` exceeds, or [`Error::OutOfMemory`].
    pub fn new(device: &Device, size: u64) -> Result<Self> {
        let purpose = if device.shared.direct { MemoryUse::Shared } else { MemoryUse::Device };
        Buffer::for_use(device, size, purpose)
    }

    /// A buffer in memory for a purpose.
    pub(crate) fn for_use(device: &Device, size: u64, purpose: MemoryUse) -> Result<Self> {
        Buffer::check_size(device, size)?;
        device.create_buffer("a buffer", size, purpose).map(|inner| Buffer::whole(device, inner))
    }

    /// All of a buffer.
    pub(crate) fn whole(device: &Device, inner: Arc<BufferInner>) -> Self {
        Buffer { base: 0, size: inner.size, inner, device: device.clone() }
    }

    pub(crate) fn check_size(device: &Device, size: u64) -> Result<()> {
        let refuse =
            |limit: String| Err(Error::Size { what: "a buffer", size: format!("{size} bytes"), limit });
        let limits = device.limits();
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

    /// A part of the buffer, which shares its memory and keeps it alive.
    ///
    /// # Errors
    /// [`Error::OutOfRange`]; [`Error::Size`] if `size` is 0.
    pub fn part(&self, offset: u64, size: u64) -> Result<Buffer> {
        self.check_range("part", offset, size)?;
        if size == 0 {
            let limit = "it must have at least one byte".to_owned();
            return Err(Error::Size { what: "a part of a buffer", size: "0 bytes".to_owned(), limit });
        }
        Ok(Buffer { base: self.base + offset, size, ..self.clone() })
    }

    /// A buffer whose memory is that of the host: kernels and host see each other's changes, and nothing is copied. None
    /// where the device does not take the memory (it does not share the host's, or the memory is not aligned as buffers are).
    ///
    /// # Errors
    /// A failure of Vulkan.
    ///
    /// # Safety
    /// `size` bytes at `pointer` are memory of the host that lives until every clone of the buffer and every command that uses it is
    /// gone. Who accesses it by another way than through the buffer sees to it that no command does at the same time.
    pub unsafe fn over_host_memory(device: &Device, pointer: NonNull<u8>, size: u64) -> Result<Option<Self>> {
        let aligned = (pointer.as_ptr() as u64).is_multiple_of(BASE_ALIGNMENT);
        if !device.shared.direct || !aligned || size == 0 || !size.is_multiple_of(4) {
            return Ok(None);
        }
        // SAFETY: as the caller promises.
        let inner = unsafe { BufferInner::over_host_memory(&device.shared.heap, pointer, size) }?;
        Ok(inner.map(|inner| Buffer { inner: Arc::new(inner), device: device.clone(), base: 0, size }))
    }

    /// The first byte, where the host reaches the memory itself ([`Device::has_direct_access`]). The host must not access it while
    /// commands do.
    #[must_use]
    pub fn host_pointer(&self) -> Option<NonNull<u8>> {
        let start = self.inner.pointer()?;
        // SAFETY: the base lies in the buffer.
        Some(unsafe { start.add(self.base as usize) })
    }

    /// A buffer with these bytes.
    ///
    /// # Errors
    /// As for [`Buffer::new`] and [`Buffer::write`].
    pub fn with_data(device: &Device, data: &[u8]) -> Result<Self> {
        let buffer = Buffer::new(device, data.len() as u64)?;
        buffer.write(0, data)?;
        Ok(buffer)
    }

    /// Length in bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Address of the first byte as kernels see it, on devices that have addresses.
    #[must_use]
    pub fn address(&self) -> Option<u64> {
        Some(self.inner.address? + self.base)
    }

    /// The device it is on.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Writes bytes. On return `data` may be reused; the effect comes in order with everything else given to the device.
    ///
    /// # Errors
    /// [`Error::OutOfRange`], or a failure of the device.
    pub fn write(&self, offset: u64, data: &[u8]) -> Result<()> {
        self.check_range("write", offset, data.len() as u64)?;
        self.transfer(offset, NonNull::from(data).cast(), data.len() as u64, true)
    }

    /// Reads bytes, after everything given to the device before.
    ///
    /// # Errors
    /// [`Error::OutOfRange`], [`Error::Timeout`], or a failure of the device.
    pub fn read(&self, offset: u64, data: &mut [u8]) -> Result<()> {
        self.check_range("read", offset, data.len() as u64)?;
        self.transfer(offset, NonNull::from(&mut *data).cast(), data.len() as u64, false)
    }

    /// Moves data between a slice and the buffer; the slice may be reused when this returns.
    fn transfer(&self, offset: u64, pointer: NonNull<u8>, size: u64, write: bool) -> Result<()> {
        if size == 0 {
            return Ok(());
        }
        let shape = Shape::linear(size);
        let pitches = Pitches::packed(shape);
        let device = DeviceMemory::Buffer { buffer: self.inner(), offset: self.base + offset, pitches };
        let transfer = Transfer { host: HostMemory { pointer, pitches }, device, shape };
        staging::transfer(&self.device, &transfer, write)
    }

    /// Fills the buffer with a 32-bit pattern, little-endian; the last one is cut off where the length demands it.
    ///
    /// # Errors
    /// A failure of the device.
    pub fn fill(&self, pattern: u32) -> Result<()> {
        self.device.issue(Command::fill_words(self, pattern))?;
        self.device.stream().flush()
    }

    /// Copies `size` bytes to another buffer, or to another place of this one.
    ///
    /// # Errors
    /// [`Error::OutOfRange`], [`Error::OverlappingCopy`], [`Error::OtherDevice`], or a failure of the device.
    pub fn copy_to(
        &self,
        offset: u64,
        destination: &Buffer,
        destination_offset: u64,
        size: u64,
    ) -> Result<()> {
        self.device.issue(Command::copy_buffer(self, offset, destination, destination_offset, size)?)?;
        self.device.stream().flush()
    }

    /// Where it begins in its memory.
    pub(crate) fn base(&self) -> u64 {
        self.base
    }

    pub(crate) fn check_range(&self, operation: &'static str, offset: u64, size: u64) -> Result<()> {
        if offset.checked_add(size).is_some_and(|end| end <= self.size) {
            Ok(())
        } else {
            Err(Error::OutOfRange { operation, offset, size, length: self.size })
        }
    }

    /// What a kernel may do with a pointer to it: it may be moved in both directions.
    pub(crate) fn access(&self, write: bool) -> Access {
        let end = self.base + self.size;
        let end = if end == self.inner.size { self.inner.raw_size } else { end };
        self.inner.access(self.base..end, write)
    }

    /// The whole of what is there.
    pub(crate) fn of_inner(device: &Device, inner: &Arc<BufferInner>) -> Self {
        Buffer { inner: Arc::clone(inner), device: device.clone(), base: 0, size: inner.size }
    }

    pub(crate) fn inner(&self) -> Arc<BufferInner> {
        Arc::clone(&self.inner)
    }
}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Buffer({} bytes)", self.size)
    }
}

/// What in-flight work holds of a buffer.
pub(crate) struct BufferInner {
    // Destroyed in this order: while the buffer has its address, nobody else wants the twin's.
    /// Where the host has the same address (`twin`).
    pub(crate) twin: Option<Twin>,
    raw: Owned<vk::Buffer>,
    memory: Memory,
    /// Length that the user asked for.
    pub(crate) size: u64,
    /// Length in Vulkan, a multiple of 4, so that fills and 32-bit accesses reach every byte.
    pub(crate) raw_size: u64,
    pub(crate) address: Option<u64>,
    id: u64,
    /// Serial of the last submission that uses the buffer, 0 if there is none. Locked while the host accesses the memory,
    /// so that no command that uses it is recorded meanwhile.
    last_use: Mutex<u64>,
}

/// Alignment of every buffer in bytes: that of the largest types, `long16` and `double16`, which kernels rely on (OpenCL C
/// §6.3.5). Vulkan drivers ask for less.
pub(crate) const BASE_ALIGNMENT: u64 = 128;

/// What buffers are used for.
pub(crate) fn buffer_usage(addressed: bool) -> vk::BufferUsageFlags {
    let usage = vk::BufferUsageFlags::STORAGE_BUFFER
        | vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER
        | vk::BufferUsageFlags::STORAGE_TEXEL_BUFFER
        | vk::BufferUsageFlags::TRANSFER_SRC
        | vk::BufferUsageFlags::TRANSFER_DST;
    if addressed { usage | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS } else { usage }
}

impl BufferInner {
    pub(crate) fn new(heap: &Heap, what: &'static str, size: u64, purpose: MemoryUse) -> Result<Self> {
        BufferInner::aligned(heap, what, size, purpose, (4, BASE_ALIGNMENT))
    }

    /// In the device's own memory, where no other buffer has a part of its pages of this size.
    pub(crate) fn of_pages(heap: &Heap, size: u64, page: u64) -> Result<Self> {
        let alignment = page.max(BASE_ALIGNMENT);
        BufferInner::aligned(heap, "shared memory", size, MemoryUse::Device, (page, alignment))
    }

    /// A buffer whose length in Vulkan and whose place are multiples of these.
    fn aligned(
        heap: &Heap,
        what: &'static str,
        size: u64,
        purpose: MemoryUse,
        (granule, alignment): (u64, u64),
    ) -> Result<Self> {
        let (logical, addressed) = (&heap.logical, heap.addressed);
        let raw_size = size.next_multiple_of(granule);
        let info = vk::BufferCreateInfo::default()
            .size(raw_size)
            .usage(buffer_usage(addressed))
            .sharing_mode(vk::SharingMode::EXCLUSIVE);
        let too_large = |size| heap.buffer_hint(size);
        // SAFETY: the create info has no pointers; the size is not zero and within `maxBufferSize`, and the usage
        // for addresses is set only with the feature.
        let raw = unsafe { logical.raw().create_buffer(&info, None) }.map_err(|result| match result {
            vk::Result::ERROR_OUT_OF_DEVICE_MEMORY | vk::Result::ERROR_OUT_OF_HOST_MEMORY => {
                Error::OutOfMemory { what, size, hint: too_large(size), source: None }
            }
            other => Error::vulkan("create a buffer")(other),
        })?;
        // SAFETY: just created from this device.
        let raw = unsafe { Owned::new(logical, raw) };
        // SAFETY: the buffer is of this device.
        let mut requirements = unsafe { logical.raw().get_buffer_memory_requirements(raw.get()) };
        requirements.alignment = requirements.alignment.max(alignment);
        let allocator = &heap.allocator;
        let purpose = match purpose {
            MemoryUse::Shared if !allocator.offers(requirements.memory_type_bits, purpose) => {
                MemoryUse::Device
            }
            other => other,
        };
        let memory = allocator.allocate(what, requirements, true, purpose).map_err(|error| match error {
            Error::OutOfMemory { what, source, .. } => {
                Error::OutOfMemory { what, size, hint: too_large(size), source }
            }
            other => other,
        })?;
        // SAFETY: the memory was allocated for this buffer's requirements.
        unsafe { BufferInner::bound(heap, raw, memory, size, raw_size) }
    }

    /// A buffer of the pages that hold so many bytes of the host, and where in it these begin; none if the device does not take them.
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

    /// A buffer of memory of the host, which has a multiple of 4 bytes; none if the device does not take it.
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
        let info = vk::BufferCreateInfo::default()
            .size(size)
            .usage(buffer_usage(heap.addressed))
            .sharing_mode(vk::SharingMode::EXCLUSIVE)
            .push_next(&mut external);
        // SAFETY: what the create info points to lives until after the call; the size is not zero, and the usage for
        // addresses is set only with the feature.
        let Ok(raw) = (unsafe { logical.raw().create_buffer(&info, None) }) else { return Ok(None) };
        // SAFETY: just created from this device.
        let raw = unsafe { Owned::new(logical, raw) };
        // SAFETY: the buffer is of this device.
        let requirements = unsafe { logical.raw().get_buffer_memory_requirements(raw.get()) };
        let offset = start - page as u64;
        let fits = offset.is_multiple_of(requirements.alignment) && offset + requirements.size <= length;
        let kind_index = heap.allocator.types_for(types & requirements.memory_type_bits, MemoryUse::Download);
        let (Some(&kind_index), true) = (kind_index.first(), fits) else { return Ok(None) };
        let mut import =
            vk::ImportMemoryHostPointerInfoEXT::default().handle_type(kind).host_pointer(page.cast());
        let mut flags = vk::MemoryAllocateFlagsInfo::default().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
        let mut info = vk::MemoryAllocateInfo::default()
            .allocation_size(length)
            .memory_type_index(kind_index)
            .push_next(&mut import);
        if heap.addressed {
            info = info.push_next(&mut flags);
        }
        // SAFETY: the pages are aligned, of the host and of a type that takes them, and live as the caller promises.
        let Ok(memory) = (unsafe { logical.raw().allocate_memory(&info, None) }) else { return Ok(None) };
        // SAFETY: just allocated from this device.
        let memory = unsafe { Owned::new(logical, memory) };
        let memory = Memory::Host { memory, offset, pointer: HostPointer(pointer) };
        // SAFETY: alignment, size and type suit the buffer's requirements.
        unsafe { BufferInner::bound(heap, raw, memory, size, size) }.map(Some)
    }

    /// Binds memory to a buffer.
    ///
    /// # Safety
    /// The memory suits the buffer, which has none yet.
    pub(crate) unsafe fn bound(
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
        let id = next_resource_id();
        Ok(BufferInner { twin: None, raw, memory, size, raw_size, address, id, last_use: Mutex::new(0) })
    }

    pub(crate) fn raw(&self) -> vk::Buffer {
        self.raw.get()
    }

    pub(crate) fn access(&self, range: Range<u64>, write: bool) -> Access {
        if write { Access::write(self.id, range) } else { Access::read(self.id, range) }
    }

    /// Notes that a submission uses the buffer; blocks while the host accesses it.
    pub(crate) fn mark_used(&self, serial: u64) {
        *lock(&self.last_use) = serial;
    }

    /// Whether the device is done with everything recorded that uses it.
    pub(crate) fn is_unused(&self, stream: &Stream) -> bool {
        stream.is_finished(*lock(&self.last_use))
    }

    /// Whether it is a buffer of the user that the host reaches by a pointer.
    pub(crate) fn is_shared(&self) -> bool {
        self.memory.pointer().is_some()
    }

    /// What it is bound to.
    pub(crate) fn memory(&self) -> &Memory {
        &self.memory
    }

    /// The first byte, where the host reaches it.
    pub(crate) fn pointer(&self) -> Option<NonNull<u8>> {
        self.memory.pointer()
    }

    /// Writes words of a buffer in memory that the host reaches, from a word on.
    ///
    /// # Safety
    /// No kernel that uses the buffer runs.
    pub(crate) unsafe fn write_words(&self, at: u32, words: &[u32]) {
        let bytes: &[u8] = bytemuck::cast_slice(words);
        let place = self.place_of_words(at, bytes.len());
        // SAFETY: the words lie in the buffer, which nobody else uses, as the caller promises.
        unsafe { place.copy_from_nonoverlapping(NonNull::from(bytes).cast(), bytes.len()) };
    }

    /// Reads words of a buffer in memory that the host reaches, from a word on.
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

    /// Gives `access` a pointer to the byte at `offset` while neither the device nor another thread uses the buffer.
    pub(crate) fn with_memory(
        &self,
        stream: &Stream,
        offset: u64,
        access: impl FnOnce(NonNull<u8>),
    ) -> Result<()> {
        let pointer = self.memory.pointer().expect("only mapped buffers are accessed by the host");
        assert!(offset < self.size, "offset {offset} in a buffer of {} bytes", self.size);
        // SAFETY: inside the mapping.
        let pointer = unsafe { pointer.add(offset as usize) };
        loop {
            let serial = *lock(&self.last_use);
            // Not with the lock held: whoever records commands waits for it.
            stream.wait(serial, None)?;
            let last_use = lock(&self.last_use);
            if *last_use == serial {
                access(pointer);
                return Ok(());
            }
        }
    }
}

impl Heap {
    /// A remark for out-of-memory messages about a size above `maxMemoryAllocationSize`, which drivers may still
    /// serve.
    fn buffer_hint(&self, size: u64) -> String {
        let limit = self.max_allocation_size;
        if size > limit {
            format!(" (the device promises only {limit} bytes at once, its limit maxMemoryAllocationSize)")
        } else {
            String::new()
        }
    }
}
