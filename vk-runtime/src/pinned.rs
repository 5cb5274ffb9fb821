//! Buffers in memory of the host that the device reaches itself (`CL_MEM_ALLOC_HOST_PTR`): the host maps them without copying, and
//! what moves between them and other buffers of the device goes without staging.

use crate::buffer::{Buffer, BufferInner};
use crate::device::Device;
use crate::error::Result;
use crate::handle::lock;
use crate::memory::MemoryUse;
use std::collections::BTreeMap;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};

/// The pinned buffers of a device, by where the host has them.
#[derive(Default)]
pub(crate) struct PinnedBuffers {
    /// Whether there was ever one.
    any: AtomicBool,
    /// Those that live are apart from each other.
    by_address: Mutex<BTreeMap<usize, Weak<BufferInner>>>,
}

impl PinnedBuffers {
    fn add(&self, buffer: &Arc<BufferInner>) {
        let Some(start) = buffer.pointer() else { return };
        let mut buffers = lock(&self.by_address);
        buffers.retain(|_, buffer| buffer.strong_count() > 0);
        buffers.insert(start.as_ptr() as usize, Arc::downgrade(buffer));
        self.any.store(true, Ordering::Release);
    }

    /// The buffer that holds these bytes of the host, and where.
    pub(crate) fn find(&self, pointer: NonNull<u8>, size: u64) -> Option<(Arc<BufferInner>, u64)> {
        if !self.any.load(Ordering::Acquire) {
            return None;
        }
        let address = pointer.as_ptr() as usize;
        let (start, buffer) = {
            let buffers = lock(&self.by_address);
            let (&start, buffer) = buffers.range(..=address).next_back()?;
            (start, buffer.upgrade()?)
        };
        let offset = (address - start) as u64;
        (offset.checked_add(size)? <= buffer.size).then_some((buffer, offset))
    }
}

impl Buffer {
    /// A buffer of `size` bytes with undefined contents, where the host reaches it at full speed ([`Buffer::host_pointer`]), and kernels
    /// over the bus. An ordinary buffer where the device has no such memory, or has none apart from its own.
    ///
    /// # Errors
    /// As for [`Buffer::new`].
    pub fn pinned(device: &Device, size: u64) -> Result<Self> {
        if device.has_direct_access() {
            return Buffer::new(device, size);
        }
        let buffer = Buffer::for_use(device, size, MemoryUse::Download).or_else(|error| {
            tracing::debug!(%error, "a buffer in the host's memory becomes one in the device's");
            Buffer::new(device, size)
        })?;
        device.shared.pinned.add(&buffer.inner());
        Ok(buffer)
    }
}
