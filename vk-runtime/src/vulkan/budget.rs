//! Memory budgets: how much of each heap this process may use (`VK_EXT_memory_budget`).
//!
//! Vulkan lets a process allocate more than its budget. What it does then is slow where the driver moves
//! memory to the host, and on a phone the system ends the application. So the allocator refuses first, with
//! an error that the application can act on. It asks the driver only when it takes another block, because
//! asking may enter the kernel.

use crate::vulkan::capabilities::Offer;
use ash::{ext, vk};
use gpu_allocator::AllocationSizes;

const MIB: u64 = 1 << 20;
/// What the allocator takes at once, where no budget is small and it has taken much already.
const DEVICE_BLOCK: u64 = 256 * MIB;
const HOST_BLOCK: u64 = 64 * MIB;
/// What it takes first. NVIDIA's driver takes 18 ms for 64 MiB of the host and 4 ms for 256 MiB of an H200,
/// which is more than it takes to compile a small kernel.
const FIRST_DEVICE_BLOCK: u64 = 64 * MIB;
const FIRST_HOST_BLOCK: u64 = 16 * MIB;
const SMALLEST_BLOCK: u64 = 4 * MIB;

/// Whether the budgets of a device are to be kept.
///
/// Those of a device on the host's processors are not: its memory is taken when it is first written, and what
/// lavapipe calls usage is that of all processes.
pub(crate) fn binds(offer: &Offer, kind: vk::PhysicalDeviceType) -> bool {
    kind != vk::PhysicalDeviceType::CPU && offer.has(ext::memory_budget::NAME)
}

/// Budget and usage of each heap, in bytes, at the time when they were asked for.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Budgets {
    budget: [u64; vk::MAX_MEMORY_HEAPS],
    usage: [u64; vk::MAX_MEMORY_HEAPS],
}

impl Budgets {
    /// Asks the driver.
    ///
    /// # Safety
    /// `physical` is a device of `instance` that has `VK_EXT_memory_budget`.
    pub(crate) unsafe fn ask(instance: &ash::Instance, physical: vk::PhysicalDevice) -> Self {
        let mut told = vk::PhysicalDeviceMemoryBudgetPropertiesEXT::default();
        let mut all = vk::PhysicalDeviceMemoryProperties2::default().push_next(&mut told);
        // SAFETY: as the caller promises, the device knows the structure in the chain.
        unsafe { instance.get_physical_device_memory_properties2(physical, &mut all) };
        Budgets { budget: told.heap_budget, usage: told.heap_usage }
    }

    /// What this process may use of a heap of this size.
    pub(crate) fn of(&self, heap: usize, size: u64) -> u64 {
        // Vulkan forbids a budget of zero.
        if self.budget[heap] == 0 { size } else { self.budget[heap].min(size) }
    }

    /// What it may still take.
    fn left(&self, heap: usize) -> u64 {
        self.budget[heap].saturating_sub(self.usage[heap])
    }
}

/// The books of an allocator that keeps budgets.
pub(crate) struct Ledger {
    /// The largest sizes of blocks, of memory that the host sees and of other memory.
    host_block: u64,
    device_block: u64,
    /// By memory type.
    accounts: [Account; vk::MAX_MEMORY_TYPES],
}

#[derive(Clone, Copy, Default)]
struct Account {
    /// Bytes of the blocks.
    taken: u64,
    /// Bytes of what is allocated in them.
    used: u64,
}

impl Ledger {
    /// For a device with these budgets: a block is at most a sixteenth of the smallest one.
    pub(crate) fn new(budgets: &Budgets, heaps: &[vk::MemoryHeap]) -> Self {
        let smallest = (0..).zip(heaps).map(|(heap, kind)| budgets.of(heap, kind.size)).min().unwrap_or(0);
        let most = (smallest / 16 / SMALLEST_BLOCK * SMALLEST_BLOCK).max(SMALLEST_BLOCK);
        Ledger {
            host_block: HOST_BLOCK.min(most),
            device_block: DEVICE_BLOCK.min(most),
            accounts: [Account::default(); vk::MAX_MEMORY_TYPES],
        }
    }

    /// How the allocator is to divide memory: each block is twice as large as the one before.
    pub(crate) fn sizes(&self) -> AllocationSizes {
        let (device, host) =
            (self.device_block.min(FIRST_DEVICE_BLOCK), self.host_block.min(FIRST_HOST_BLOCK));
        AllocationSizes::new(device, host)
            .with_max_device_memblock_size(self.device_block)
            .with_max_host_memblock_size(self.host_block)
    }

    /// Why `size` bytes of a memory type cannot be had, if so. `ask` asks the driver, where another block is
    /// needed.
    pub(crate) fn refusal(
        &self,
        index: u32,
        kind: vk::MemoryType,
        size: u64,
        ask: impl FnOnce() -> Budgets,
    ) -> Option<String> {
        let Account { taken, used } = self.accounts[index as usize];
        let host = kind.property_flags.contains(vk::MemoryPropertyFlags::HOST_VISIBLE);
        let (block, first) =
            if host { (self.host_block, FIRST_HOST_BLOCK) } else { (self.device_block, FIRST_DEVICE_BLOCK) };
        // What is larger than the allocator's next block gets one of its own.
        if size <= block.min(first) && size <= taken - used {
            return None;
        }
        let (budgets, heap) = (ask(), kind.heap_index as usize);
        let (budget, usage) = (budgets.budget[heap], budgets.usage[heap]);
        (budget != 0 && budgets.left(heap) < size.max(block))
            .then(|| format!(" (the system lets this process use {budget} bytes; it uses {usage})"))
    }

    /// `used` bytes were allocated, for which the allocator took `taken` bytes.
    pub(crate) fn allocated(&mut self, index: u32, used: u64, taken: u64) {
        let account = &mut self.accounts[index as usize];
        account.used += used;
        account.taken += taken;
    }

    /// `used` bytes were freed, for which the allocator gave back `taken` bytes.
    pub(crate) fn freed(&mut self, index: u32, used: u64, taken: u64) {
        let account = &mut self.accounts[index as usize];
        account.used = account.used.saturating_sub(used);
        account.taken = account.taken.saturating_sub(taken).max(account.used);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIND: vk::MemoryType =
        vk::MemoryType { property_flags: vk::MemoryPropertyFlags::HOST_VISIBLE, heap_index: 1 };

    fn budgets(budget: u64, usage: u64) -> Budgets {
        let mut told = Budgets::default();
        (told.budget[1], told.usage[1]) = (budget, usage);
        told
    }

    fn ledger(budget: u64) -> Ledger {
        let heap = vk::MemoryHeap { size: 8 << 30, flags: vk::MemoryHeapFlags::DEVICE_LOCAL };
        Ledger::new(&budgets(budget, 0), &[heap, heap])
    }

    #[test]
    fn blocks_follow_the_smallest_budget() {
        let of = |budget| (ledger(budget).host_block / MIB, ledger(budget).device_block / MIB);
        assert_eq!(of(6 << 30), (64, 256));
        assert_eq!(of(300 * MIB), (16, 16), "300 / 16 = 18.75, in steps of 4");
        assert_eq!(of(10 * MIB), (4, 4));
        assert_eq!(of(0), (64, 256), "a driver that tells nothing");
    }

    #[test]
    fn another_block_must_fit_the_budget() {
        let mut ledger = ledger(256 * MIB);
        let refused = |ledger: &Ledger, size, usage| {
            ledger.refusal(3, KIND, size, || budgets(256 * MIB, usage)).is_some()
        };
        assert!(!refused(&ledger, 256 * MIB, 0), "all of it");
        assert!(refused(&ledger, 256 * MIB + 1, 0));
        assert!(!refused(&ledger, 1, 240 * MIB), "a block of 16 MiB");
        assert!(refused(&ledger, 1, 240 * MIB + 1));
        assert!(refused(&ledger, 1, 300 * MIB), "more is used than allowed");

        ledger.allocated(3, MIB, 16 * MIB);
        assert!(!refused(&ledger, 15 * MIB, 256 * MIB), "the block has room");
        assert!(refused(&ledger, 15 * MIB + 1, 256 * MIB));
        ledger.freed(3, MIB, 16 * MIB);
        assert!(refused(&ledger, 1, 256 * MIB), "the block was given back");
    }

    #[test]
    fn the_driver_is_asked_only_for_another_block() {
        let mut ledger = ledger(256 * MIB);
        ledger.allocated(3, MIB, 16 * MIB);
        assert!(ledger.refusal(3, KIND, MIB, || panic!("asked")).is_none());
    }
}
