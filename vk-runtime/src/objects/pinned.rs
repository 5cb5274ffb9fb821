//! Pinned memory: host memory that a device with its own memory can access, so that transfers between it and
//! the device's buffers need no staging.
//!
//! There are buffers in such memory ([`Buffer::pinned`], `CL_MEM_ALLOC_HOST_PTR`), which the host maps
//! without copying, and pinned application memory ([`PinnedMemory`], `CL_MEM_USE_HOST_PTR`).
#![expect(unsafe_code, reason = "pointers to the application's memory come in here")]

use crate::engine::buffer::BufferInner;
use crate::objects::buffer::Buffer;
use crate::objects::device::Device;
use crate::vulkan::error::Result;
use crate::vulkan::memory::{HostPointer, MemoryUse};
use std::ptr::NonNull;
use std::sync::Arc;

impl Buffer {
    /// A buffer of `size` bytes with undefined contents in memory that the host accesses at full speed
    /// ([`Buffer::host_pointer`]) and kernels access over the bus. It is an ordinary buffer if the device has
    /// no such memory, or if the host can access the device's memory anyway.
    ///
    /// # Errors
    /// As for [`Buffer::new`].
    pub fn pinned(device: &Device, size: u64) -> Result<Self> {
        if device.has_direct_access() {
            return Buffer::new(device, size);
        }
        let buffer = Buffer::for_use(device, size, MemoryUse::Download).or_else(|error| {
            tracing::debug!(%error, "a buffer in the host's memory is placed in the device's memory instead");
            Buffer::new(device, size)
        })?;
        if let Some(start) = buffer.host_pointer() {
            device.shared.pinned.add(start, &buffer.inner(), 0, size);
        }
        Ok(buffer)
    }
}

/// Application memory that a device with its own memory can access as long as this object lives: transfers
/// between it and the device's buffers need no staging.
pub struct PinnedMemory {
    device: Device,
    start: HostPointer,
    /// A buffer over all of its pages.
    buffer: Arc<BufferInner>,
}

impl PinnedMemory {
    /// Pins `size` bytes; `None` if the device cannot use them, works in the host's memory anyway, or has
    /// pinned some of them already. Pinning takes longer than copying the bytes once.
    ///
    /// # Errors
    /// A failure of Vulkan.
    ///
    /// # Safety
    /// The bytes are host memory that lives until this is dropped and every command created before that is
    /// complete.
    pub unsafe fn new(device: &Device, start: NonNull<u8>, size: u64) -> Result<Option<Self>> {
        if device.has_direct_access() || size == 0 {
            return Ok(None);
        }
        // SAFETY: as the caller promises: whole pages live as long as a byte of them.
        let Some((inner, offset)) =
            (unsafe { BufferInner::over_host_pages(&device.shared.heap, start, size) })?
        else {
            return Ok(None);
        };
        let buffer = Arc::new(inner);
        let added = device.shared.pinned.add(start, &buffer, offset, size);
        Ok(added.then(|| PinnedMemory { device: device.clone(), start: HostPointer(start), buffer }))
    }
}

impl Drop for PinnedMemory {
    /// From here on, the process may use the addresses for something else.
    fn drop(&mut self) {
        self.device.shared.pinned.remove(self.start.0, &self.buffer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A part of a vector.
    fn place(memory: &mut [u8], offset: usize) -> NonNull<u8> {
        NonNull::from(&mut memory[offset..]).cast()
    }

    #[test]
    fn memory_is_known_exactly_as_long_as_it_is_pinned() {
        let device = Device::staged();
        let mut memory = vec![0u8; 100_000];
        let known = |memory: &mut [u8], offset, size| {
            let place = place(memory, offset);
            let found = device.shared.pinned.find(place, size);
            found.map(|(buffer, at)| buffer.pointer().expect("the host's").addr().get() + at as usize)
        };
        let pin = |memory: &mut [u8], offset, size| {
            // SAFETY: the vector lives until the end, and no command uses it.
            unsafe { PinnedMemory::new(&device, place(memory, offset), size) }.expect("no failure")
        };
        let Some(pinned) = pin(&mut memory, 4003, 50_000) else { return };
        for (offset, size) in [(4003, 50_000), (4003, 1), (54_002, 1), (10_000, 20_001)] {
            let address = place(&mut memory, offset).addr().get();
            assert_eq!(known(&mut memory, offset, size), Some(address), "{size} bytes at {offset}");
        }
        for (offset, size) in [(4002, 2), (4003, 50_001), (54_002, 2), (54_003, 1), (0, 1)] {
            assert_eq!(known(&mut memory, offset, size), None, "{size} bytes at {offset}");
        }
        for (offset, size) in [(4003, 50_000), (0, 4004), (54_002, 1), (20_000, 10), (0, 100_000)] {
            assert!(pin(&mut memory, offset, size).is_none(), "{size} bytes at {offset} are pinned already");
        }
        let before = pin(&mut memory, 0, 4003).expect("they are apart");
        let behind = pin(&mut memory, 54_003, 10).expect("they are apart");
        let buffer = Arc::clone(&pinned.buffer);
        drop(pinned);
        assert_eq!(known(&mut memory, 10_000, 10), None, "a command may still use the buffer");
        drop((buffer, before, behind));
        assert!(pin(&mut memory, 0, 100_000).is_some(), "nothing of it is pinned any more");
    }
}
