//! Memory that a submission uses and gives back as a whole: host-visible bytes, and descriptor sets.

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

/// Host-visible memory given out piece by piece.
pub(crate) struct Arena {
    purpose: MemoryUse,
    chunk_size: u64,
    chunks: Vec<Arc<BufferInner>>,
    /// Bytes used of the last chunk in use, and its index.
    used: u64,
    current: usize,
    /// Bytes given out since the last reset.
    total: u64,
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
        Arena { purpose, chunk_size, chunks: Vec::new(), used: 0, current: 0, total: 0 }
    }

    /// Bytes that nobody else has until the next reset.
    pub(crate) fn take(&mut self, heap: &Heap, size: u64, alignment: u64) -> Result<Piece> {
        self.total += size;
        while let Some(chunk) = self.chunks.get(self.current) {
            let offset = self.used.next_multiple_of(alignment);
            if offset + size <= chunk.size {
                self.used = offset + size;
                return Ok(Piece { buffer: Arc::clone(chunk), offset });
            }
            self.current += 1;
            self.used = 0;
        }
        let chunk = BufferInner::new(heap, "data under way", size.max(self.chunk_size), self.purpose)?;
        let buffer = Arc::new(chunk);
        self.chunks.push(Arc::clone(&buffer));
        self.used = size;
        Ok(Piece { buffer, offset: 0 })
    }

    /// Bytes given out since the last reset.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// Takes everything back; the device must be done with it.
    pub(crate) fn reset(&mut self) {
        let size = self.chunk_size;
        self.chunks.retain(|chunk| chunk.size == size);
        self.chunks.truncate(KEPT_CHUNKS);
        (self.used, self.current, self.total) = (0, 0, 0);
    }
}

/// Descriptor sets given out one by one.
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
    // SAFETY: the pool is used by this thread alone; there is room for the one set that the info asks for. From
    // Vulkan 1.1 on a pool that is too small is an error and not undefined.
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
