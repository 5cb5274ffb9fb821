//! Buffers in device memory.
//!
//! Where the device shares the host's memory, the host reads and writes a buffer through a pointer, after waiting for
//! the submissions that use it. Elsewhere a buffer is in the device's own memory and data is copied through staging
//! buffers (see `staging`), in order with everything else on the queue.

use crate::batch::Op;
use crate::device::{Device, next_resource_id};
use crate::error::{Error, Result};
use crate::handle::{Owned, lock};
use crate::hazard::Access;
use crate::memory::{Memory, MemoryUse};
use crate::queue::{Completion, submit};
use crate::staging;
use ash::vk;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Global memory of kernels.
pub struct Buffer {
    inner: Arc<BufferInner>,
    device: Device,
}

impl Buffer {
    /// A buffer of `size` bytes with undefined contents.
    ///
    /// # Errors
    /// [`Error::Size`] naming the limit that `size` exceeds, or [`Error::OutOfMemory`].
    pub fn new(device: &Device, size: u64) -> Result<Self> {
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
        let purpose = if device.shared.direct { MemoryUse::Shared } else { MemoryUse::Device };
        let inner = device.create_buffer("a buffer", size, purpose)?;
        Ok(Buffer { inner, device: device.clone() })
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
        self.inner.size
    }

    /// Address of the first byte as kernels see it, on devices that have addresses.
    #[must_use]
    pub fn address(&self) -> Option<u64> {
        self.inner.address
    }

    /// The device it is on.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Writes bytes. On return `data` may be reused; the effect comes in order with everything else on the queue.
    ///
    /// # Errors
    /// [`Error::OutOfRange`], or a failure of the device.
    pub fn write(&self, offset: u64, data: &[u8]) -> Result<()> {
        self.inner.check_range("write", offset, data.len() as u64)?;
        if self.inner.memory.pointer().is_some() {
            return self.inner.write_mapped(offset, data, self.device.timeout());
        }
        staging::upload(&self.device, data, 1, |chunk, range| {
            Op::copy(chunk, 0, &self.inner, offset + range.start as u64, range.len() as u64)
        })
    }

    /// Reads bytes, after everything submitted before.
    ///
    /// # Errors
    /// [`Error::OutOfRange`], [`Error::Timeout`], or a failure of the device.
    pub fn read(&self, offset: u64, data: &mut [u8]) -> Result<()> {
        self.inner.check_range("read", offset, data.len() as u64)?;
        if self.inner.memory.pointer().is_some() {
            return self.inner.read_mapped(offset, data, self.device.timeout());
        }
        staging::download(&self.device, data, 1, |chunk, range| {
            Op::copy(&self.inner, offset + range.start as u64, chunk, 0, range.len() as u64)
        })
    }

    /// Fills the buffer with a 32-bit pattern, little-endian; the last one is cut off where the length demands it.
    ///
    /// # Errors
    /// A failure of the device.
    pub fn fill(&self, pattern: u32) -> Result<()> {
        submit(&self.device, vec![Op::fill(&self.inner, pattern)], false).map(drop)
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
        let mut batch = self.device.queue().batch();
        batch.copy(self, offset, destination, destination_offset, size)?;
        batch.submit().map(drop)
    }

    pub(crate) fn inner(&self) -> Arc<BufferInner> {
        Arc::clone(&self.inner)
    }
}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Buffer({} bytes)", self.inner.size)
    }
}

/// What in-flight work holds of a buffer.
pub(crate) struct BufferInner {
    // Destroyed before its memory is freed.
    raw: Owned<vk::Buffer>,
    memory: Memory,
    /// Length that the user asked for.
    pub(crate) size: u64,
    /// Length in Vulkan, a multiple of 4, so that fills and 32-bit accesses reach every byte.
    pub(crate) raw_size: u64,
    pub(crate) address: Option<u64>,
    id: u64,
    /// The last submission that uses the buffer. Locked while the host accesses the memory, so that no submission
    /// begins to use it meanwhile.
    last_use: Mutex<Option<Arc<Completion>>>,
}

/// Alignment of every buffer in bytes: that of the largest types, `long16` and `double16`, which kernels rely on (OpenCL C
/// §6.3.5). Vulkan drivers ask for less.
pub(crate) const BASE_ALIGNMENT: u64 = 128;

impl BufferInner {
    pub(crate) fn new(device: &Device, what: &'static str, size: u64, purpose: MemoryUse) -> Result<Self> {
        let logical = &device.shared.logical;
        let addressed = device.profile().buffer_device_address;
        let mut usage = vk::BufferUsageFlags::STORAGE_BUFFER
            | vk::BufferUsageFlags::TRANSFER_SRC
            | vk::BufferUsageFlags::TRANSFER_DST;
        if addressed {
            usage |= vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
        }
        let raw_size = size.next_multiple_of(4);
        let info = vk::BufferCreateInfo::default()
            .size(raw_size)
            .usage(usage)
            .sharing_mode(vk::SharingMode::EXCLUSIVE);
        let too_large = |size| device.buffer_hint(size);
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
        requirements.alignment = requirements.alignment.max(BASE_ALIGNMENT);
        let allocator = &device.shared.allocator;
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
        let (object, offset) = memory.location();
        // SAFETY: the memory was allocated for this buffer's requirements and is not bound yet; it outlives the
        // buffer by the order of the fields.
        unsafe { logical.raw().bind_buffer_memory(raw.get(), object, offset) }
            .map_err(Error::vulkan("bind memory to a buffer"))?;
        // SAFETY: usage, memory flag and feature go together, and the memory is bound.
        let address = addressed.then(|| unsafe { logical.buffer_address(raw.get()) });
        let id = next_resource_id();
        Ok(BufferInner { raw, memory, size, raw_size, address, id, last_use: Mutex::new(None) })
    }

    pub(crate) fn raw(&self) -> vk::Buffer {
        self.raw.get()
    }

    pub(crate) fn access(&self, range: Range<u64>, write: bool) -> Access {
        if write { Access::write(self.id, range) } else { Access::read(self.id, range) }
    }

    /// Notes that a submission uses the buffer; blocks while the host accesses it.
    pub(crate) fn mark_used(&self, completion: &Arc<Completion>) {
        *lock(&self.last_use) = Some(Arc::clone(completion));
    }

    pub(crate) fn check_range(&self, operation: &'static str, offset: u64, size: u64) -> Result<()> {
        if offset.checked_add(size).is_some_and(|end| end <= self.size) {
            Ok(())
        } else {
            Err(Error::OutOfRange { operation, offset, size, length: self.size })
        }
    }

    /// Writes through the pointer, after the submissions that use the buffer.
    pub(crate) fn write_mapped(&self, offset: u64, data: &[u8], timeout: Duration) -> Result<()> {
        self.with_memory("write", offset, data.len() as u64, timeout, |pointer| {
            // SAFETY: `pointer` is the start of `data.len()` bytes of the mapping, which nobody else accesses now.
            unsafe { std::ptr::copy_nonoverlapping(data.as_ptr(), pointer, data.len()) }
        })
    }

    /// Reads through the pointer, after the submissions that use the buffer.
    pub(crate) fn read_mapped(&self, offset: u64, data: &mut [u8], timeout: Duration) -> Result<()> {
        self.with_memory("read", offset, data.len() as u64, timeout, |pointer| {
            // SAFETY: `pointer` is the start of `data.len()` bytes of the mapping, which nobody else accesses now.
            unsafe { std::ptr::copy_nonoverlapping(pointer, data.as_mut_ptr(), data.len()) }
        })
    }

    /// Gives `access` a pointer to `size` bytes at `offset` while neither the device nor another thread uses them.
    fn with_memory(
        &self,
        operation: &'static str,
        offset: u64,
        size: u64,
        timeout: Duration,
        access: impl FnOnce(*mut u8),
    ) -> Result<()> {
        self.check_range(operation, offset, size)?;
        let pointer = self.memory.pointer().expect("only mapped buffers are accessed by the host");
        let mut last_use = lock(&self.last_use);
        if let Some(completion) = &*last_use {
            completion.wait(timeout)?;
            *last_use = None;
        }
        // SAFETY: the range was checked against `size`, which is not above the size of the mapping.
        access(unsafe { pointer.as_ptr().add(offset as usize) });
        drop(last_use);
        Ok(())
    }
}

impl Device {
    /// A remark for out-of-memory messages about a size above `maxMemoryAllocationSize`, which drivers may still
    /// serve.
    fn buffer_hint(&self, size: u64) -> String {
        let limit = self.limits().max_allocation_size;
        if size > limit {
            format!(" (the device promises only {limit} bytes at once, its limit maxMemoryAllocationSize)")
        } else {
            String::new()
        }
    }
}
