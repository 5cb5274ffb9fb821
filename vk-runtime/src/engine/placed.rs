//! Memory that host and device both use in place, at the same address, on devices that have their own memory:
//! the host maps it where the device has it (`VK_EXT_map_memory_placed`).
//!
//! A memory object for each small allocation would cost pages and time, so small ones are parts of blocks.

use crate::engine::buffer::{BASE_ALIGNMENT, BufferInner};
use crate::engine::host_mirror::{HostMirror, page_size};
use crate::vulkan::error::{Error, Result};
use crate::vulkan::handle::lock;
use crate::vulkan::memory::{Heap, MemoryUse};
use std::sync::{Arc, Mutex};

/// How many other addresses are tried if the process already uses an address.
const ATTEMPTS: usize = 8;

/// Bytes of a block.
const BLOCK: u64 = 4 << 20;

/// The largest allocation that is part of a block, in bytes.
const LARGEST_PART: u64 = BLOCK / 16;

impl BufferInner {
    /// A buffer that the host has mapped at the address that the device gave it.
    fn placed(heap: &Heap, size: u64, purpose: MemoryUse) -> Result<Self> {
        BufferInner::placed_at(heap, size, purpose, |address| address)
    }

    /// The same, at the address that follows from the device's.
    fn placed_at(heap: &Heap, size: u64, purpose: MemoryUse, place: impl Fn(u64) -> u64) -> Result<Self> {
        let granule = heap.placed_map_alignment.ok_or(Error::SharedAddress)?.max(page_size());
        let mut in_the_way = Vec::new();
        for _ in 0..ATTEMPTS {
            let mut buffer = BufferInner::alone(heap, "shared memory", size, granule, purpose)?;
            let address = place(buffer.address.ok_or(Error::SharedAddress)?);
            let pages = address.is_multiple_of(granule).then(|| HostMirror::at(address, buffer.raw_size));
            if let Some(pages) = pages.flatten() {
                // SAFETY: the pages were reserved for this, and the sizes are multiples of the granule. Types
                // for these purposes are visible to the host.
                unsafe { buffer.map_at(heap, pages.start()) }?;
                // The mapping has replaced the pages, and goes with the memory.
                std::mem::forget(pages);
                return Ok(buffer);
            }
            // It occupies its address until another one is found.
            in_the_way.push(buffer);
        }
        Err(Error::SharedAddress)
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
    /// A buffer that holds the allocation, and where in it. An allocation keeps its block alive.
    pub(crate) fn allocate(
        &self,
        heap: &Heap,
        size: u64,
        purpose: MemoryUse,
    ) -> Result<(Arc<BufferInner>, u64)> {
        if size > LARGEST_PART {
            return Ok((Arc::new(BufferInner::placed(heap, size, purpose)?), 0));
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
        let buffer = Arc::new(BufferInner::placed(heap, BLOCK, purpose)?);
        let block = current.insert(Block { buffer, used: 0 });
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
    use crate::engine::host_mirror::tests::free_address;
    use crate::objects::buffer::Buffer;
    use crate::objects::device::Device;

    /// The place is not the device's address, which works on devices that map all memory anyway.
    #[test]
    fn host_and_device_use_the_same_memory_where_it_is_placed() {
        let device = Device::staged();
        let heap = &device.shared.heap;
        let Some(granule) = heap.placed_map_alignment else {
            eprintln!("skipped: {} does not place mappings", device.info());
            return;
        };
        let wish = free_address(1 << 43, 1 << 20);
        let placed = BufferInner::placed_at(heap, 10_000, MemoryUse::Download, |_| wish).expect("a buffer");
        assert!(placed.raw_size >= 10_000 && placed.raw_size.is_multiple_of(granule));
        let place = placed.pointer().expect("it is mapped");
        assert_eq!(place.addr().get() as u64, wish);
        let buffer = Buffer::whole(&device, Arc::new(placed));
        let other = Buffer::new(&device, 10_000).expect("a buffer");
        // SAFETY: no command uses the buffer while the host does.
        unsafe { place.write_bytes(3, 10_000) };
        buffer.copy_to(0, &other, 0, 10_000).expect("copied");
        let mut bytes = [0; 10_000];
        other.read(0, &mut bytes).expect("read");
        assert!(bytes == [3; 10_000], "the device does not see what the host wrote");
        other.fill(0x0707_0707).expect("filled");
        other.copy_to(0, &buffer, 0, 5000).expect("copied");
        device.finish().expect("done");
        // SAFETY: as above.
        assert_eq!([4999, 5000].map(|at| unsafe { place.add(at).read() }), [7, 3]);
        assert!(HostMirror::at(wish, granule).is_none(), "the mapping holds the place");
        drop(buffer);
        device.finish().expect("done");
    }

    #[test]
    fn parts_of_a_block_are_apart_and_keep_it() {
        let device = Device::staged();
        let heap = &device.shared.heap;
        let buffer =
            Arc::new(BufferInner::new(heap, "a block", 1024, MemoryUse::Download).expect("a buffer"));
        let mut block = Block { buffer, used: 0 };
        assert_eq!([1, 128, 129].map(|size| block.take(size)), [Some(0), Some(128), Some(256)]);
        assert_eq!([600, 512, 1].map(|size| block.take(size)), [None, Some(512), None]);
    }
}
