//! The pinned memory of a device, looked up by host address: host memory that a device with its own memory
//! can access.

use crate::engine::buffer::BufferInner;
use crate::vulkan::handle::lock;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};

/// Bytes of the host that belong to a buffer.
struct Pinned {
    buffer: Weak<BufferInner>,
    /// Where in the buffer.
    offset: u64,
    size: u64,
}

/// The pinned memory of a device, by host address.
#[derive(Default)]
pub(crate) struct PinnedBuffers {
    /// Whether there was ever any.
    any: AtomicBool,
    /// The live ranges do not overlap.
    by_address: Mutex<BTreeMap<usize, Pinned>>,
}

impl PinnedBuffers {
    /// Registers `size` bytes of the host that are in a buffer from `offset` on, unless another buffer
    /// already holds some of them.
    pub(crate) fn add(&self, start: NonNull<u8>, buffer: &Arc<BufferInner>, offset: u64, size: u64) -> bool {
        let start = start.addr().get();
        let mut known = lock(&self.by_address);
        known.retain(|_, pinned| pinned.buffer.strong_count() > 0);
        let end = |(address, pinned): (&usize, &Pinned)| *address as u64 + pinned.size;
        let before = known.range(..start + size as usize).next_back();
        if before.is_some_and(|last| end(last) > start as u64) {
            return false;
        }
        known.insert(start, Pinned { buffer: Arc::downgrade(buffer), offset, size });
        self.any.store(true, Ordering::Release);
        true
    }

    /// Removes the range of this buffer that begins there.
    pub(crate) fn remove(&self, start: NonNull<u8>, buffer: &Arc<BufferInner>) {
        let lies_there = |pinned: &Pinned| Weak::as_ptr(&pinned.buffer) == Arc::as_ptr(buffer);
        if let Entry::Occupied(entry) = lock(&self.by_address).entry(start.addr().get())
            && lies_there(entry.get())
        {
            entry.remove();
        }
    }

    /// The buffer that holds these bytes of the host, and where.
    pub(crate) fn find(&self, pointer: NonNull<u8>, size: u64) -> Option<(Arc<BufferInner>, u64)> {
        if !self.any.load(Ordering::Acquire) {
            return None;
        }
        let address = pointer.addr().get();
        let known = lock(&self.by_address);
        let (&start, pinned) = known.range(..=address).next_back()?;
        let distance = (address - start) as u64;
        let holds = distance.checked_add(size)? <= pinned.size;
        let buffer = if holds { pinned.buffer.upgrade() } else { None };
        Some((buffer?, pinned.offset + distance))
    }
}
