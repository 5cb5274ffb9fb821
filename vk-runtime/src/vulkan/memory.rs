//! Device memory: the memory type for each purpose, and the owner of an allocation.
//!
//! [`candidates`] chooses the memory type, not the allocator. Buffers of a discrete device belong in its own
//! memory, never in the host's, and memory that the host reads must be cached. The allocator (gpu-allocator)
//! then divides blocks of the chosen type.

use crate::vulkan::budget::{Budgets, Ledger};
use crate::vulkan::error::{Error, Result};
use crate::vulkan::external_memory::MemoryHandle;
use crate::vulkan::handle::{Owned, lock};
use crate::vulkan::logical_device::{self, DeviceId, LogicalDevice, Purpose};
use crate::vulkan::physical_device::DeviceInfo;
use ash::vk;
use gpu_allocator::vulkan::{
    Allocation, AllocationCreateDesc, AllocationScheme, Allocator, AllocatorCreateDesc,
};
use gpu_allocator::{AllocationError, AllocationSizes, MemoryLocation};
use smallvec::SmallVec;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex};
use vk::MemoryPropertyFlags as Flags;

/// What memory is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MemoryUse {
    /// Only the device touches it.
    Device,
    /// The device works in it, and the host reads and writes it directly: CPU and integrated devices.
    Shared,
    /// The host writes it once, the device reads it once.
    Upload,
    /// The device writes it once, the host reads it.
    Download,
    /// Small data that the host writes and that shaders read.
    Arguments,
}

impl MemoryUse {
    /// Required, preferred and avoided properties.
    fn wishes(self) -> (Flags, Flags, Flags) {
        let visible = Flags::HOST_VISIBLE | Flags::HOST_COHERENT;
        match self {
            MemoryUse::Device => (Flags::DEVICE_LOCAL, Flags::empty(), Flags::HOST_VISIBLE),
            MemoryUse::Shared => (Flags::DEVICE_LOCAL | visible, Flags::HOST_CACHED, Flags::empty()),
            MemoryUse::Upload => (visible, Flags::empty(), Flags::HOST_CACHED | Flags::DEVICE_LOCAL),
            MemoryUse::Download => (visible, Flags::HOST_CACHED, Flags::DEVICE_LOCAL),
            MemoryUse::Arguments => (visible, Flags::DEVICE_LOCAL, Flags::HOST_CACHED),
        }
    }

    /// Whether the host accesses it through a pointer.
    fn mapped(self) -> bool {
        self != MemoryUse::Device
    }
}

/// Memory types that are never right for a resource here.
const UNWANTED: Flags = Flags::from_raw(
    Flags::PROTECTED.as_raw() | Flags::LAZILY_ALLOCATED.as_raw() | Flags::DEVICE_UNCACHED_AMD.as_raw(),
);

/// The types among `allowed` (a mask) that suit `purpose`, best first; equally good ones in Vulkan's order.
pub(crate) fn candidates(types: &[vk::MemoryType], allowed: u32, purpose: MemoryUse) -> SmallVec<[u32; 8]> {
    let (required, preferred, avoided) = purpose.wishes();
    let mut found: SmallVec<[u32; 8]> = (0u32..)
        .zip(types)
        .filter(|&(index, kind)| {
            allowed & (1 << index) != 0
                && kind.property_flags.contains(required)
                && !kind.property_flags.intersects(UNWANTED)
        })
        .map(|(index, _)| index)
        .collect();
    let count = |flags: Flags| flags.as_raw().count_ones().cast_signed();
    found.sort_by_key(|&index| {
        let flags = types[index as usize].property_flags;
        count(flags & avoided) - count(flags & preferred)
    });
    found
}

/// What buffers are created from: the parts of a device that they need.
pub(crate) struct Heap {
    pub(crate) allocator: Arc<MemoryAllocator>,
    pub(crate) logical: Arc<LogicalDevice>,
    /// Whether buffers have addresses.
    pub(crate) addressed: bool,
    /// `minStorageBufferOffsetAlignment`.
    pub(crate) storage_alignment: u64,
    /// `maxMemoryAllocationSize`.
    pub(crate) max_allocation_size: u64,
    /// The alignment of host memory that the device can import; `None` if it cannot.
    pub(crate) host_memory_alignment: Option<u64>,
    /// What sizes and addresses are multiples of where the host chooses the address of its mapping; `None` if
    /// it cannot.
    pub(crate) placed_map_alignment: Option<u64>,
}

impl Heap {
    /// Opens a device, with every feature that its profile names.
    pub(crate) fn open(info: &DeviceInfo, purpose: Purpose) -> Result<Self> {
        let usable = info.usable()?;
        let logical = Arc::new(logical_device::open(info, usable, purpose)?);
        let addressed = usable.capabilities.profile.buffer_device_address;
        // SAFETY: the device was created from this physical device, with the feature if the profile has it,
        // and the capabilities are its own.
        let allocator = Arc::new(unsafe {
            MemoryAllocator::new(&logical, info.handle, addressed, usable.capabilities.keeps_budgets)
        }?);
        let limits = &usable.capabilities.limits;
        Ok(Heap {
            allocator,
            addressed,
            storage_alignment: limits.min_storage_buffer_alignment,
            max_allocation_size: limits.max_allocation_size,
            host_memory_alignment: limits.host_memory_alignment,
            placed_map_alignment: limits.placed_map_alignment.filter(|_| logical.places_mappings()),
            logical,
        })
    }

    /// A buffer that has no memory yet, whose size in bytes is not zero and within `maxBufferSize`;
    /// `external` names the memory of others that it may have.
    pub(crate) fn raw_buffer(
        &self,
        size: u64,
        external: Option<&mut vk::ExternalMemoryBufferCreateInfo<'_>>,
    ) -> Result<Owned<vk::Buffer>, vk::Result> {
        let mut info = vk::BufferCreateInfo::default()
            .size(size)
            .usage(buffer_usage(self.addressed))
            .sharing_mode(vk::SharingMode::EXCLUSIVE);
        if let Some(external) = external {
            info = info.push_next(external);
        }
        // SAFETY: what the create info points to lives until after the call; the size is as the caller
        // knows, and the usage for addresses is set only with the feature.
        let raw = unsafe { self.logical.raw().create_buffer(&info, None) }?;
        // SAFETY: just created from this device.
        Ok(unsafe { Owned::new(&self.logical, raw) })
    }

    /// A memory object for a buffer, without the allocator.
    ///
    /// # Safety
    /// What the info points to is valid, and it names a memory type of the device.
    pub(crate) unsafe fn memory_object(
        &self,
        info: vk::MemoryAllocateInfo<'_>,
    ) -> Result<Owned<vk::DeviceMemory>, vk::Result> {
        let mut flags = vk::MemoryAllocateFlagsInfo::default().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
        let info = if self.addressed { info.push_next(&mut flags) } else { info };
        // SAFETY: as the caller promises; the flag is set only with the feature.
        let memory = unsafe { self.logical.raw().allocate_memory(&info, None) }?;
        // SAFETY: just allocated from this device.
        Ok(unsafe { Owned::new(&self.logical, memory) })
    }

    /// The number of the device.
    pub(crate) fn device(&self) -> DeviceId {
        self.logical.id()
    }
}

/// What buffers are used for.
pub(crate) fn buffer_usage(addressed: bool) -> vk::BufferUsageFlags {
    let usage = vk::BufferUsageFlags::STORAGE_BUFFER
        | vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER
        | vk::BufferUsageFlags::STORAGE_TEXEL_BUFFER
        | vk::BufferUsageFlags::TRANSFER_SRC
        | vk::BufferUsageFlags::TRANSFER_DST;
    if addressed { usage | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS } else { usage }
}

/// Divides device memory; shared by everything that owns some.
pub(crate) struct MemoryAllocator {
    // Dropped before the device: it frees its blocks.
    blocks: Mutex<Blocks>,
    types: Vec<vk::MemoryType>,
    physical: vk::PhysicalDevice,
    device: Arc<LogicalDevice>,
}

/// The blocks, and the books about them where budgets are kept.
struct Blocks {
    allocator: Allocator,
    ledger: Option<Ledger>,
}

impl Blocks {
    fn allocate(
        &mut self,
        index: u32,
        description: &AllocationCreateDesc<'_>,
    ) -> Result<Allocation, AllocationError> {
        let Some(ledger) = &mut self.ledger else { return self.allocator.allocate(description) };
        let before = self.allocator.capacity();
        let allocation = self.allocator.allocate(description)?;
        ledger.allocated(index, allocation.size(), self.allocator.capacity() - before);
        Ok(allocation)
    }

    fn free(&mut self, index: u32, allocation: Allocation) -> Result<(), AllocationError> {
        let Some(ledger) = &mut self.ledger else { return self.allocator.free(allocation) };
        let size = allocation.size();
        let before = self.allocator.capacity();
        self.allocator.free(allocation)?;
        ledger.freed(index, size, before - self.allocator.capacity());
        Ok(())
    }
}

impl MemoryAllocator {
    /// # Safety
    /// `device` was created from `physical`, with the feature `bufferDeviceAddress` if `addresses` is set.
    /// `physical` has `VK_EXT_memory_budget` if `budgets` is set.
    unsafe fn new(
        device: &Arc<LogicalDevice>,
        physical: vk::PhysicalDevice,
        addresses: bool,
        budgets: bool,
    ) -> Result<Self> {
        let instance = device.instance().raw();
        // SAFETY: `physical` is a device of the instance.
        let properties = unsafe { instance.get_physical_device_memory_properties(physical) };
        let ledger = budgets.then(|| {
            // SAFETY: as the caller promises.
            Ledger::new(&unsafe { Budgets::ask(instance, physical) }, properties.memory_heaps_as_slice())
        });
        let allocator = Allocator::new(&AllocatorCreateDesc {
            instance: instance.clone(),
            device: device.raw().clone(),
            physical_device: physical,
            debug_settings: gpu_allocator::AllocatorDebugSettings::default(),
            buffer_device_address: addresses,
            allocation_sizes: ledger.as_ref().map_or_else(AllocationSizes::default, Ledger::sizes),
        })
        .map_err(|source| out_of_memory("the allocator", 0, source))?;
        let blocks = Mutex::new(Blocks { allocator, ledger });
        let types = properties.memory_types_as_slice().to_vec();
        Ok(MemoryAllocator { blocks, types, physical, device: Arc::clone(device) })
    }

    /// Whether some type among `allowed` suits `purpose`.
    pub(crate) fn offers(&self, allowed: u32, purpose: MemoryUse) -> bool {
        !candidates(&self.types, allowed, purpose).is_empty()
    }

    /// The types among `allowed` (a mask) that suit `purpose`, best first.
    pub(crate) fn types_for(&self, allowed: u32, purpose: MemoryUse) -> SmallVec<[u32; 8]> {
        candidates(&self.types, allowed, purpose)
    }

    /// Allocates memory for a buffer (`linear`) or an image, trying the types in order of preference.
    pub(crate) fn allocate(
        self: &Arc<Self>,
        what: &'static str,
        requirements: vk::MemoryRequirements,
        linear: bool,
        purpose: MemoryUse,
    ) -> Result<Memory> {
        let mut failure =
            out_of_memory(what, requirements.size, AllocationError::NoCompatibleMemoryTypeFound);
        for index in candidates(&self.types, requirements.memory_type_bits, purpose) {
            let description = AllocationCreateDesc {
                name: what,
                requirements: vk::MemoryRequirements { memory_type_bits: 1 << index, ..requirements },
                // The mask leaves one type, so the allocator has no choice to make.
                location: MemoryLocation::Unknown,
                linear,
                allocation_scheme: AllocationScheme::GpuAllocatorManaged,
            };
            let mut blocks = lock(&self.blocks);
            if let Some(hint) = self.refusal(&blocks, index, requirements.size) {
                failure = Error::OutOfMemory { what, size: requirements.size, hint, source: None };
                continue;
            }
            match blocks.allocate(index, &description) {
                Ok(allocation) => {
                    tracing::trace!(
                        what,
                        size = requirements.size,
                        memory_type = index,
                        "allocated device memory"
                    );
                    let (allocator, mapped) = (Arc::clone(self), purpose.mapped());
                    return Ok(Memory::Part { allocator, allocation: Some(allocation), index, mapped });
                }
                Err(error) => failure = out_of_memory(what, requirements.size, error),
            }
        }
        Err(failure)
    }

    /// Why the budget of a memory type's heap does not allow an allocation, if so.
    fn refusal(&self, blocks: &Blocks, index: u32, size: u64) -> Option<String> {
        let instance = self.device.instance().raw();
        // SAFETY: there are books only where the device, which is the instance's, has the extension.
        let ask = || unsafe { Budgets::ask(instance, self.physical) };
        blocks.ledger.as_ref()?.refusal(index, self.types[index as usize], size, ask)
    }
}

fn out_of_memory(what: &'static str, size: u64, source: AllocationError) -> Error {
    Error::OutOfMemory { what, size, hint: String::new(), source: Some(source) }
}

/// The only owner of the memory that a resource is bound to.
pub(crate) enum Memory {
    /// A part of one of the allocator's blocks.
    Part { allocator: Arc<MemoryAllocator>, allocation: Option<Allocation>, index: u32, mapped: bool },
    /// Host memory, at an offset in the imported range.
    Host { memory: Owned<vk::DeviceMemory>, offset: u64, pointer: HostPointer },
    /// Memory that is shared with other users of Vulkan.
    External(Owned<vk::DeviceMemory>, MemoryHandle),
    /// All of a memory object, and where the host has mapped it.
    Whole { memory: Owned<vk::DeviceMemory>, pointer: Option<HostPointer> },
}

/// The first byte of host memory.
#[derive(Clone, Copy)]
pub(crate) struct HostPointer(pub(crate) NonNull<u8>);

// SAFETY: it is only an address; whoever dereferences it must uphold its validity.
unsafe impl Send for HostPointer {}
// SAFETY: as above.
unsafe impl Sync for HostPointer {}

impl Memory {
    /// The memory object and the offset in it, to bind a resource to.
    pub(crate) fn location(&self) -> (vk::DeviceMemory, u64) {
        match self {
            Memory::Part { allocation, .. } => {
                let allocation = allocation.as_ref().expect("the allocation is taken only by `drop`");
                // SAFETY: the handle is used only to bind resources, which are destroyed before the memory is
                // freed.
                (unsafe { allocation.memory() }, allocation.offset())
            }
            Memory::Host { memory, offset, .. } => (memory.get(), *offset),
            Memory::External(memory, _) | Memory::Whole { memory, .. } => (memory.get(), 0),
        }
    }

    /// First byte, where the purpose asked for host access.
    pub(crate) fn pointer(&self) -> Option<NonNull<u8>> {
        match self {
            Memory::Part { allocation: Some(allocation), mapped: true, .. } => {
                allocation.mapped_ptr().map(NonNull::cast)
            }
            Memory::Part { .. } | Memory::External(..) => None,
            Memory::Host { pointer, .. } => Some(pointer.0),
            Memory::Whole { pointer, .. } => pointer.map(|pointer| pointer.0),
        }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if let Memory::Part { allocator, allocation, index, .. } = self
            && let Some(allocation) = allocation.take()
            && let Err(error) = lock(&allocator.blocks).free(*index, allocation)
        {
            tracing::error!(%error, "device memory could not be freed");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn types(flags: &[Flags]) -> Vec<vk::MemoryType> {
        flags.iter().map(|&property_flags| vk::MemoryType { property_flags, heap_index: 0 }).collect()
    }

    /// The memory types of a discrete GPU with a window into its memory, in the order that NVIDIA lists them.
    fn discrete() -> Vec<vk::MemoryType> {
        let visible = Flags::HOST_VISIBLE | Flags::HOST_COHERENT;
        types(&[
            Flags::empty(),
            Flags::DEVICE_LOCAL,
            visible,
            visible | Flags::HOST_CACHED,
            visible | Flags::DEVICE_LOCAL,
        ])
    }

    #[test]
    fn a_discrete_device_keeps_buffers_in_its_own_memory() {
        let types = discrete();
        assert_eq!(candidates(&types, !0, MemoryUse::Device).as_slice(), [1, 4]);
        assert_eq!(candidates(&types, !0, MemoryUse::Upload)[0], 2, "write-combined host memory");
        assert_eq!(candidates(&types, !0, MemoryUse::Download)[0], 3, "cached host memory");
        assert_eq!(candidates(&types, !0, MemoryUse::Arguments)[0], 4, "the window into device memory");
    }

    #[test]
    fn the_mask_of_allowed_types_is_kept() {
        assert_eq!(candidates(&discrete(), 0b10000, MemoryUse::Device).as_slice(), [4]);
        assert!(candidates(&discrete(), 0b00100, MemoryUse::Device).is_empty());
    }

    #[test]
    fn protected_memory_is_never_chosen() {
        let types = types(&[Flags::DEVICE_LOCAL | Flags::PROTECTED, Flags::DEVICE_LOCAL]);
        assert_eq!(candidates(&types, !0, MemoryUse::Device).as_slice(), [1]);
    }
}
