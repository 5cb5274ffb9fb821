//! Shared virtual memory: buffers that the host and the kernels of a device find at the same address.
//!
//! It is coarse-grained (OpenCL API §5.6.1): host and device take turns, at maps and at the ends of commands.
//! A context has it on the first of its devices that shares addresses with the host; commands of other
//! devices cannot use it. An allocation lives until it is freed, its memory until no command uses it any
//! more. If the host cannot access the device's memory, a map copies the mapped part to the host, and an
//! unmap copies back what the host has written.

use super::context::Context;
use super::map;
use crate::border::HostMemory;
use crate::cl::*;
use crate::code::{self, Code, Result, ensure};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use vk_runtime::{Buffer, Command};

/// Shared memory of a context.
pub struct Allocation {
    buffer: Buffer,
    start: usize,
    size: usize,
    mapped: Mutex<Vec<Mapped>>,
}

/// A part of an allocation that is mapped for the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mapped {
    offset: u64,
    size: u64,
    /// Whether it is written back to the device.
    writes: bool,
}

impl Allocation {
    /// The memory.
    pub fn buffer(&self) -> &Buffer {
        &self.buffer
    }
}

/// A place in an allocation.
#[derive(Clone)]
pub struct Place {
    /// The allocation.
    pub allocation: Arc<Allocation>,
    /// Bytes from its start.
    pub offset: u64,
}

impl Place {
    /// Whether this many bytes lie in the allocation from here on.
    pub fn holds(&self, size: usize) -> bool {
        (self.offset as usize).checked_add(size).is_some_and(|end| end <= self.allocation.size)
    }

    /// The command that maps this many bytes for the host, and the value for [`Place::is_mapped`] after it is
    /// enqueued.
    pub fn map(&self, size: usize, flags: cl_map_flags) -> Result<(Command, Mapped)> {
        let size = size as u64;
        let mapped = Mapped { offset: self.offset, size, writes: map::writes(flags) };
        if !map::reads(flags) {
            return Ok((Command::marker(), mapped));
        }
        // SAFETY: the application leaves the memory alone until the command is complete (OpenCL API §5.6.1).
        let command = unsafe { Command::bring_to_host(self.allocation.buffer(), self.offset, size) }?;
        Ok((command, mapped))
    }

    /// Remembers a mapped part.
    pub fn is_mapped(&self, mapped: Mapped) {
        self.mapped().push(mapped);
    }

    /// The command that unmaps the part that was mapped last from here on.
    pub fn unmap(&self) -> Result<Command> {
        let mut all = self.mapped();
        let last = all.iter().rposition(|mapped| mapped.offset == self.offset);
        let mapped = last.map(|index| all.remove(index));
        let Some(Mapped { offset, size, .. }) = mapped.filter(|mapped| mapped.writes) else {
            return Ok(Command::marker());
        };
        // SAFETY: as above.
        Ok(unsafe { Command::take_to_device(self.allocation.buffer(), offset, size) }?)
    }

    fn mapped(&self) -> MutexGuard<'_, Vec<Mapped>> {
        self.allocation.mapped.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The allocations of a context, by address.
#[derive(Default)]
pub struct Allocations(Mutex<BTreeMap<usize, Arc<Allocation>>>);

impl Allocations {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<usize, Arc<Allocation>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The allocation that an address lies in.
    pub fn find(&self, pointer: HostMemory) -> Option<Place> {
        let address = pointer.pointer() as usize;
        let allocations = self.lock();
        let (start, allocation) = allocations.range(..=address).next_back()?;
        let offset = address - start;
        let allocation = (offset < allocation.size).then(|| Arc::clone(allocation))?;
        Some(Place { allocation, offset: offset as u64 })
    }

    /// Removes the allocation that begins at an address.
    pub fn free(&self, pointer: HostMemory) {
        let allocation = self.lock().remove(&(pointer.pointer() as usize));
        drop(allocation);
    }
}

impl Context {
    /// The position of the device that has shared memory; `CL_INVALID_OPERATION` if none has.
    pub fn svm_device(&self) -> Result<usize> {
        let position = self.devices().iter().position(|device| device.has_svm());
        position.ok_or(code::INVALID_OPERATION)
    }

    /// New shared memory.
    pub fn allocate_svm(&self, flags: cl_svm_mem_flags, size: usize, alignment: u32) -> Result<HostMemory> {
        let device = &self.devices()[self.svm_device()?];
        let access = CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY;
        // Fine-grained memory and atomic operations of the host and the device on it are not offered.
        ensure(flags & !access == 0 && flags.count_ones() <= 1, code::INVALID_VALUE)?;
        ensure(size > 0 && size as u64 <= device.max_allocation(), code::INVALID_BUFFER_SIZE)?;
        // Every buffer has the alignment of the largest type.
        let aligned = alignment == 0 || alignment.is_power_of_two() && alignment <= 128;
        ensure(aligned, code::INVALID_VALUE)?;
        let buffer = Buffer::at_shared_address(device.open()?, size as u64).map_err(Code::from)?;
        let pointer = buffer.shared_pointer().ok_or(code::OUT_OF_RESOURCES)?.as_ptr();
        let allocation = Allocation { buffer, start: pointer as usize, size, mapped: Mutex::default() };
        self.svm().lock().insert(allocation.start, Arc::new(allocation));
        Ok(HostMemory::of(pointer))
    }

    /// The place in shared memory that a pointer points to.
    pub fn svm_place(&self, pointer: HostMemory) -> Option<Place> {
        self.svm().find(pointer)
    }
}

impl super::device::Device {
    /// Whether it shares addresses with the host, so that kernels and host may exchange pointers through
    /// memory.
    pub fn has_svm(&self) -> bool {
        self.has_addresses() && self.open().is_ok_and(vk_runtime::Device::shares_addresses)
    }
}
