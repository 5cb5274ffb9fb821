//! Buffers in device memory.
#![expect(unsafe_code, reason = "pointers to the application's memory come in here")]

use crate::engine::buffer::{BASE_ALIGNMENT, BufferInner, check_size};
use crate::engine::command::Command;
use crate::engine::hazard::Access;
use crate::engine::transfer::{DeviceMemory, HostMemory, Pitches, Shape, Transfer};
use crate::objects::device::Device;
use crate::vulkan::error::{Error, Result};
use crate::vulkan::memory::MemoryUse;
use clvk_interface::sanitize::forbidden;
use std::fmt;
use std::ptr::NonNull;
use std::sync::Arc;

/// Global memory of kernels, or a part of it. Cloning is cheap and gives the same memory.
#[derive(Clone)]
pub struct Buffer {
    inner: Arc<BufferInner>,
    device: Device,
    /// The first byte, and the number of bytes.
    base: u64,
    size: u64,
    /// Bits of [`forbidden`].
    forbidden: u32,
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

    /// A buffer in memory suited to a purpose.
    pub(crate) fn for_use(device: &Device, size: u64, purpose: MemoryUse) -> Result<Self> {
        check_size(device.limits(), size)?;
        device.create_buffer("a buffer", size, purpose).map(|inner| Buffer::whole(device, inner))
    }

    /// All of a buffer.
    pub(crate) fn whole(device: &Device, inner: Arc<BufferInner>) -> Self {
        Buffer { base: 0, size: inner.size, inner, device: device.clone(), forbidden: 0 }
    }

    /// Whether kernels that reach buffers through descriptors can take it: the memory that it is, or is a
    /// part of, is not larger than `maxStorageBufferRange`.
    #[must_use]
    pub fn fits_descriptor(&self) -> bool {
        self.inner.raw_size <= u64::from(self.device.profile().max_storage_buffer_range)
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

    /// The same memory. Sanitized kernels report it if they read or write there; nothing else keeps kernels
    /// from doing so.
    #[must_use]
    pub fn forbidding(self, reads: bool, writes: bool) -> Buffer {
        let bit = |wanted, bit| if wanted { bit } else { 0 };
        Buffer { forbidden: bit(reads, forbidden::READS) | bit(writes, forbidden::WRITES), ..self }
    }

    /// The same memory, whose contents mean nothing until something writes them: sanitized kernels report
    /// that they read them. The first command that may write to the memory ends that for all of it.
    #[must_use]
    pub fn undefined(self) -> Buffer {
        self.inner.forget_contents();
        self
    }

    /// What sanitized kernels report, as bits of [`forbidden`].
    pub(crate) fn forbidden(&self) -> u32 {
        self.forbidden | if self.inner.is_written() { 0 } else { forbidden::EARLY_READS }
    }

    /// A buffer over host memory: kernels and the host see each other's changes, and nothing is copied.
    /// `None` if the device cannot use the memory, because it does not share the host's memory or because the
    /// memory is not aligned like a buffer.
    ///
    /// # Errors
    /// A failure of Vulkan.
    ///
    /// # Safety
    /// `size` bytes at `pointer` are host memory that lives until every clone of the buffer and every command
    /// that uses it is gone. Callers that access it other than through the buffer must make sure that no
    /// command uses it at the same time.
    pub unsafe fn over_host_memory(device: &Device, pointer: NonNull<u8>, size: u64) -> Result<Option<Self>> {
        let aligned = (pointer.as_ptr() as u64).is_multiple_of(BASE_ALIGNMENT);
        if !device.shared.direct || !aligned || size == 0 || !size.is_multiple_of(4) {
            return Ok(None);
        }
        // SAFETY: as the caller promises.
        let inner = unsafe { BufferInner::over_host_memory(&device.shared.heap, pointer, size) }?;
        let device = device.clone();
        Ok(inner.map(|inner| Buffer { inner: Arc::new(inner), device, base: 0, size, forbidden: 0 }))
    }

    /// The first byte, if the host can access the memory ([`Device::has_direct_access`]). The host must not
    /// access it while commands do.
    #[must_use]
    pub fn host_pointer(&self) -> Option<NonNull<u8>> {
        self.inner.pointer_at(self.base)
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
        // Kernels may write there without being told to.
        self.inner.note_write();
        Some(self.inner.address? + self.base)
    }

    /// The device it is on.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Writes bytes. On return `data` may be reused. The write takes effect in order with everything else
    /// submitted to the device.
    ///
    /// # Errors
    /// [`Error::OutOfRange`], or a failure of the device.
    pub fn write(&self, offset: u64, data: &[u8]) -> Result<()> {
        self.check_range("write", offset, data.len() as u64)?;
        self.transfer(offset, NonNull::from(data).cast(), data.len() as u64, true)
    }

    /// Reads bytes, after everything submitted to the device before.
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
        self.device.transfer(&transfer, write)
    }

    /// Fills the buffer with a 32-bit pattern, little-endian. The last copy of the pattern is cut off if the
    /// length is not a multiple of 4.
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

    /// The access of a kernel that gets a pointer to it: the kernel may move the pointer in both directions.
    pub(crate) fn access(&self, write: bool) -> Access {
        let end = self.base + self.size;
        let end = if end == self.inner.size { self.inner.raw_size } else { end };
        self.inner.access(self.base..end, write)
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
