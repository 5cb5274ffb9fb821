//! Memory that a submission uses and releases as a whole: host-visible bytes and descriptor sets.

use crate::engine::arguments::Descriptor;
use crate::engine::buffer::{BASE_ALIGNMENT, BufferInner};
use crate::vulkan::error::{Error, Result};
use crate::vulkan::handle::Owned;
use crate::vulkan::logical_device::LogicalDevice;
use crate::vulkan::memory::{Heap, MemoryUse};
use ash::vk;
use std::ptr::NonNull;
use std::sync::Arc;

/// Chunks that an arena keeps for the next submission.
const KEPT_CHUNKS: usize = 2;

/// Chunks of any kind of memory, handed out piece by piece.
struct Chunks<C> {
    /// Length of a usual chunk.
    usual: u64,
    /// With their lengths.
    chunks: Vec<(u64, C)>,
    /// Bytes used of the last chunk in use, and its index.
    used: u64,
    current: usize,
    /// Bytes given out since the last reset.
    total: u64,
}

impl<C: Clone> Chunks<C> {
    fn new(usual: u64) -> Self {
        Chunks { usual, chunks: Vec::new(), used: 0, current: 0, total: 0 }
    }

    /// Bytes that are exclusive until the next reset: their chunk, and the offset in it. `make` makes a chunk
    /// of a given length.
    fn take(&mut self, size: u64, alignment: u64, make: impl FnOnce(u64) -> Result<C>) -> Result<(C, u64)> {
        self.total += size;
        while let Some((length, chunk)) = self.chunks.get(self.current) {
            let offset = self.used.next_multiple_of(alignment);
            if offset + size <= *length {
                self.used = offset + size;
                return Ok((chunk.clone(), offset));
            }
            self.current += 1;
            self.used = 0;
        }
        let length = size.max(self.usual);
        let chunk = make(length)?;
        self.chunks.push((length, chunk.clone()));
        self.used = size;
        Ok((chunk, 0))
    }

    /// Takes everything back, and keeps a few usual chunks.
    fn reset(&mut self) {
        let usual = self.usual;
        self.chunks.retain(|&(length, _)| length == usual);
        self.chunks.truncate(KEPT_CHUNKS);
        (self.used, self.current, self.total) = (0, 0, 0);
    }
}

/// Host-visible memory, handed out piece by piece.
pub(crate) struct Arena {
    purpose: MemoryUse,
    chunks: Chunks<Arc<BufferInner>>,
}

/// A part of an arena's memory.
pub(crate) struct Piece {
    pub(crate) buffer: Arc<BufferInner>,
    pub(crate) offset: u64,
}

impl Piece {
    /// Its first byte.
    pub(crate) fn pointer(&self) -> NonNull<u8> {
        let start = self.buffer.pointer().expect("arenas are of memory that the host reaches");
        // SAFETY: the offset lies inside the buffer.
        unsafe { start.add(self.offset as usize) }
    }
}

impl Arena {
    pub(crate) fn new(purpose: MemoryUse, chunk_size: u64) -> Self {
        Arena { purpose, chunks: Chunks::new(chunk_size) }
    }

    /// Bytes that are exclusive until the next reset.
    pub(crate) fn take(&mut self, heap: &Heap, size: u64, alignment: u64) -> Result<Piece> {
        let purpose = self.purpose;
        let make = |length| BufferInner::new(heap, "data under way", length, purpose).map(Arc::new);
        let (buffer, offset) = self.chunks.take(size, alignment, make)?;
        Ok(Piece { buffer, offset })
    }

    /// Bytes given out since the last reset.
    pub(crate) fn total(&self) -> u64 {
        self.chunks.total
    }

    /// Takes everything back; the device must be done with it.
    pub(crate) fn reset(&mut self) {
        self.chunks.reset();
    }
}

/// Descriptor sets, handed out one by one.
#[derive(Default)]
pub(crate) struct DescriptorArena {
    pools: Vec<Owned<vk::DescriptorPool>>,
    current: usize,
}

/// Descriptors of each type in a pool; a set with more of them gets a pool of its own.
const POOL_SIZES: [(vk::DescriptorType, u32); 6] = [
    (vk::DescriptorType::STORAGE_BUFFER, 512),
    (vk::DescriptorType::SAMPLED_IMAGE, 128),
    (vk::DescriptorType::STORAGE_IMAGE, 128),
    (vk::DescriptorType::SAMPLER, 128),
    (vk::DescriptorType::UNIFORM_TEXEL_BUFFER, 32),
    (vk::DescriptorType::STORAGE_TEXEL_BUFFER, 32),
];
const POOL_SETS: u32 = 128;

impl DescriptorArena {
    /// A set of this layout, which holds these descriptors.
    pub(crate) fn take(
        &mut self,
        device: &Arc<LogicalDevice>,
        layout: vk::DescriptorSetLayout,
        descriptors: &[(u32, Descriptor)],
    ) -> Result<vk::DescriptorSet> {
        while let Some(pool) = self.pools.get(self.current) {
            match allocate(device, pool.get(), layout) {
                Ok(set) => return Ok(set),
                Err(vk::Result::ERROR_OUT_OF_POOL_MEMORY | vk::Result::ERROR_FRAGMENTED_POOL) => {
                    self.current += 1;
                }
                Err(other) => return Err(Error::vulkan("allocate a descriptor set")(other)),
            }
        }
        let pool = create_pool(device, descriptors)?;
        let set = allocate(device, pool.get(), layout).map_err(Error::vulkan("allocate a descriptor set"))?;
        self.pools.push(pool);
        Ok(set)
    }

    /// Takes all sets back; the device must be done with them.
    pub(crate) fn reset(&mut self, device: &LogicalDevice) {
        self.pools.truncate(KEPT_CHUNKS);
        for pool in &self.pools {
            let flags = vk::DescriptorPoolResetFlags::empty();
            // SAFETY: the device is done with the sets. The function cannot fail.
            let _ = unsafe { device.raw().reset_descriptor_pool(pool.get(), flags) };
        }
        self.current = 0;
    }
}

fn allocate(
    device: &LogicalDevice,
    pool: vk::DescriptorPool,
    layout: vk::DescriptorSetLayout,
) -> std::result::Result<vk::DescriptorSet, vk::Result> {
    let layouts = [layout];
    let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
    let mut set = vk::DescriptorSet::null();
    // SAFETY: the pool is used by this thread alone; there is room for the one set that the info asks for.
    // From Vulkan 1.1 on, a pool that is too small gives an error instead of undefined behaviour.
    let result =
        unsafe { (device.raw().fp_v1_0().allocate_descriptor_sets)(device.raw().handle(), &info, &mut set) };
    result.result().map(|()| set)
}

fn create_pool(
    device: &Arc<LogicalDevice>,
    descriptors: &[(u32, Descriptor)],
) -> Result<Owned<vk::DescriptorPool>> {
    let sizes = POOL_SIZES.map(|(kind, count)| {
        let needed = descriptors.iter().filter(|(_, descriptor)| descriptor.kind() == kind).count();
        vk::DescriptorPoolSize { ty: kind, descriptor_count: count.max(needed as u32) }
    });
    let info = vk::DescriptorPoolCreateInfo::default().max_sets(POOL_SETS).pool_sizes(&sizes);
    // SAFETY: `sizes` lives until after the call, and no count is zero.
    let pool = unsafe { device.raw().create_descriptor_pool(&info, None) }
        .map_err(Error::vulkan("create a descriptor pool"))?;
    // SAFETY: just created from this device.
    Ok(unsafe { Owned::new(device, pool) })
}

/// Alignment of arguments that spill.
pub(crate) fn argument_alignment(heap: &Heap) -> u64 {
    heap.storage_alignment.max(BASE_ALIGNMENT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// Chunks that are numbers, and the lengths of those that were made.
    struct Numbered {
        chunks: Chunks<usize>,
        made: Vec<u64>,
    }

    impl Numbered {
        fn new(usual: u64) -> Self {
            Numbered { chunks: Chunks::new(usual), made: Vec::new() }
        }

        fn take(&mut self, size: u64, alignment: u64) -> (usize, u64) {
            let made = &mut self.made;
            let make = |length| {
                made.push(length);
                Ok(made.len() - 1)
            };
            self.chunks.take(size, alignment, make).expect("chunks can be made")
        }
    }

    #[test]
    fn pieces_are_apart_aligned_and_inside_their_chunks() {
        let mut arena = Numbered::new(1000);
        let mut random = 12_345u64;
        for _ in 0..20 {
            // By chunk and offset: the end.
            let mut pieces: BTreeMap<(usize, u64), u64> = BTreeMap::new();
            let mut sum = 0;
            for _ in 0..100 {
                random =
                    random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let size = (random >> 40) % if random >> 63 == 0 { 50 } else { 2000 } + 1;
                let alignment = 1 << ((random >> 33) % 9);
                let (chunk, offset) = arena.take(size, alignment);
                assert!(offset.is_multiple_of(alignment), "{offset} for an alignment of {alignment}");
                assert!(offset + size <= arena.made[chunk], "behind the end of chunk {chunk}");
                pieces.insert((chunk, offset), offset + size);
                sum += size;
            }
            assert_eq!(arena.chunks.total, sum);
            for ((&(chunk, _), &end), (&(next, start), _)) in pieces.iter().zip(pieces.iter().skip(1)) {
                assert!(chunk != next || end <= start, "two pieces share bytes of chunk {chunk}");
            }
            assert_eq!(pieces.len(), 100, "two pieces begin at the same place");
            arena.chunks.reset();
        }
    }

    #[test]
    fn usual_chunks_are_used_again_and_large_ones_go() {
        let mut arena = Numbered::new(100);
        assert_eq!([arena.take(60, 4), arena.take(60, 4), arena.take(500, 4)], [(0, 0), (1, 0), (2, 0)]);
        assert_eq!(arena.take(100, 4), (3, 0), "nothing is left of the large one");
        arena.chunks.reset();
        assert_eq!([arena.take(60, 4), arena.take(60, 4)], [(0, 0), (1, 0)]);
        assert_eq!(arena.made, [100, 100, 500, 100], "the first two were kept");
        assert_eq!(arena.take(60, 4), (4, 0), "no more than two were kept");
    }
}
