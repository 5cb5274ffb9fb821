//! Memory that host and device both use in place, at the same address, on devices that have their own memory:
//! the host maps it where the device has it (`VK_EXT_map_memory_placed`).
//!
//! A memory object for each small allocation would cost pages and time, so small ones are parts of blocks.

use crate::engine::buffer::{BASE_ALIGNMENT, BufferInner};
use crate::engine::host_mirror::{page_size, with_pages};
use crate::engine::pinned::PinnedBuffers;
use crate::vulkan::error::{Error, Result};
use crate::vulkan::handle::lock;
use crate::vulkan::memory::{Heap, MemoryUse};
use std::sync::{Arc, Mutex};

/// Bytes of a block.
const BLOCK: u64 = 4 << 20;

/// The largest allocation that is part of a block, in bytes.
const LARGEST_PART: u64 = BLOCK / 16;

impl BufferInner {
    /// A buffer that the host has mapped at the place that follows from the address that the device gave it:
    /// at this address, unless a test wants another one.
    pub(crate) fn placed_at(
        heap: &Heap,
        size: u64,
        purpose: MemoryUse,
        place: impl Fn(u64) -> u64,
    ) -> Result<Self> {
        let granule = heap.placed_map_alignment.ok_or(Error::SharedAddress)?.max(page_size());
        let make = || BufferInner::alone(heap, "shared memory", size, granule, purpose);
        let (mut buffer, pages) = with_pages(granule, make, place)?;
        // SAFETY: the pages were reserved for this, and the sizes are multiples of the granule. Types for
        // these purposes are visible to the host.
        unsafe { buffer.map_at(heap, pages.start()) }?;
        // The mapping has replaced the pages, and goes with the memory.
        std::mem::forget(pages);
        Ok(buffer)
    }
}

/// The block that small allocations are parts of, for one purpose.
#[derive(Default)]
pub(crate) struct PlacedMemory(Mutex<Option<Block>>);

struct Block {
    buffer: Arc<BufferInner>,
    used: u64,
}

impl PlacedMemory {
    /// A buffer that holds the allocation, and where in it. An allocation keeps its block alive. The memory
    /// is known as pinned, because transfers between it and the device need no staging.
    pub(crate) fn allocate(
        &self,
        heap: &Heap,
        pinned: &PinnedBuffers,
        size: u64,
        purpose: MemoryUse,
    ) -> Result<(Arc<BufferInner>, u64)> {
        let place = |size| -> Result<_> {
            let buffer = Arc::new(BufferInner::placed_at(heap, size, purpose, |address| address)?);
            if let Some(start) = buffer.pointer() {
                pinned.add(start, &buffer, 0, size);
            }
            Ok(buffer)
        };
        if size > LARGEST_PART {
            return Ok((place(size)?, 0));
        }
        let mut current = lock(&self.0);
        if let Some(block) = &mut *current {
            if Arc::strong_count(&block.buffer) == 1 {
                block.used = 0;
            }
            if let Some(offset) = block.take(size) {
                return Ok((Arc::clone(&block.buffer), offset));
            }
        }
        let block = current.insert(Block { buffer: place(BLOCK)?, used: 0 });
        let offset = block.take(size).expect("a block is larger than its parts");
        Ok((Arc::clone(&block.buffer), offset))
    }
}

impl Block {
    /// The offset of the next part, if it fits.
    fn take(&mut self, size: u64) -> Option<u64> {
        let end = self.used + size.next_multiple_of(BASE_ALIGNMENT);
        (end <= self.buffer.size).then(|| std::mem::replace(&mut self.used, end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vulkan::instance::{Instance, InstanceOptions};
    use crate::vulkan::logical_device::Purpose;

    #[test]
    fn parts_of_a_block_are_apart_and_end_with_it() {
        let instance = Instance::new(&InstanceOptions::default()).expect("a Vulkan loader");
        let info = instance.devices().expect("a device").swap_remove(0);
        let heap = Heap::open(&info, Purpose::Launch).expect("the device opens");
        let buffer = BufferInner::new(&heap, "a block", 1024, MemoryUse::Download).expect("a buffer");
        let mut block = Block { buffer: Arc::new(buffer), used: 0 };
        assert_eq!([1, 128, 129].map(|size| block.take(size)), [Some(0), Some(128), Some(256)]);
        assert_eq!([600, 512, 1].map(|size| block.take(size)), [None, Some(512), None]);
    }
}
