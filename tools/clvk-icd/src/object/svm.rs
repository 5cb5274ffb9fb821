//! Memory that kernels and the host know by the same addresses: shared virtual memory (SVM, OpenCL API §5.6)
//! and unified shared memory (USM, [`super::usm`]).
//!
//! A context has one table of all its allocations by address, in which any pointer into an allocation is
//! found, whatever their number. Addresses are unique in it: an allocation that a device would place at
//! addresses in use is made again.
//!
//! Coarse-grained memory (§5.6.1) takes turns between host and device, at maps and at the ends of commands.
//! If the host cannot access the device's memory, a map copies the mapped part to the host, and an unmap
//! copies back what the host has written. Everything else that the host accesses is memory that both use in
//! place.
//!
//! A context has SVM on the first of its devices that shares addresses with the host; commands of other
//! devices cannot use it. An allocation lives until it is freed, its memory until no command uses it any
//! more.

use super::context::Context;
use super::device::Device;
use super::map;
use crate::border::HostMemory;
use crate::cl::*;
use crate::code::{self, Code, Result, ensure};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use vk_runtime::{Buffer, Command, InPlace};

/// How many other addresses are tried if a device gives an allocation addresses that are in use.
const ATTEMPTS: usize = 8;

/// What an allocation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Of `clSVMAlloc`.
    Svm,
    /// Host memory of `clHostMemAllocINTEL`.
    Host,
    /// Device memory of `clDeviceMemAllocINTEL`.
    Device,
    /// Shared memory of `clSharedMemAllocINTEL`.
    Shared,
}

/// Memory of a context.
pub struct Allocation {
    buffer: Buffer,
    start: usize,
    size: usize,
    kind: Kind,
    /// Position in the context of the device that has the memory.
    index: usize,
    /// The device that the application named.
    device: Option<Arc<Device>>,
    /// The flags that the application gave.
    flags: u64,
    /// Which accesses the application promised not to make.
    access: cl_svm_alloc_access_flags_khr,
    /// The properties of memory that [`super::unified_svm`] allocated.
    properties: Option<Vec<u64>>,
    mapped: Mutex<Vec<Mapped>>,
}

/// What the application asks for.
pub struct Wish {
    /// The kind of memory.
    pub kind: Kind,
    /// Position in the context of the device that gets the memory.
    pub index: usize,
    /// The device that the application named.
    pub device: Option<Arc<Device>>,
    /// The application's flags, to be told when asked.
    pub flags: u64,
    /// The same for which accesses it does not make.
    pub access: cl_svm_alloc_access_flags_khr,
    /// The same for the properties of [`super::unified_svm`].
    pub properties: Option<Vec<u64>>,
    /// Bytes.
    pub size: usize,
}

impl Wish {
    /// Where memory is that is used in place. The host reads the device's so slowly that the application must
    /// ask for it.
    fn place(&self) -> InPlace {
        match self.flags & CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL {
            0 => InPlace::Host,
            _ => InPlace::Device,
        }
    }
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

    /// What it is.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The first byte.
    pub fn start(&self) -> HostMemory {
        HostMemory::of(self.start as *mut u8)
    }

    /// Bytes.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Position in the context of the device that has the memory.
    pub fn device_index(&self) -> usize {
        self.index
    }

    /// The device that the application named when it asked for the memory.
    pub fn device(&self) -> Option<&Arc<Device>> {
        self.device.as_ref()
    }

    /// The flags that the application gave.
    pub fn flags(&self) -> u64 {
        self.flags
    }

    /// Which accesses the application promised not to make.
    pub fn access(&self) -> cl_svm_alloc_access_flags_khr {
        self.access
    }

    /// The properties as the application gave them.
    pub fn properties(&self) -> &[u64] {
        self.properties.as_deref().unwrap_or_default()
    }

    /// Whether it is SVM whose host accesses need no map.
    pub fn is_fine_grained(&self) -> bool {
        self.kind == Kind::Svm && self.flags & CL_MEM_SVM_FINE_GRAIN_BUFFER != 0
    }

    /// Whether the functions for SVM may free it.
    pub fn is_svm(&self) -> bool {
        self.kind == Kind::Svm || self.properties.is_some()
    }

    /// Whether the functions for unified shared memory may free it.
    pub fn is_usm(&self) -> bool {
        self.kind != Kind::Svm
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

/// The allocations of a context.
#[derive(Default)]
pub struct Allocations(Mutex<Table>);

/// Allocations by address, and how many there are of each kind.
#[derive(Default)]
struct Table {
    by_address: BTreeMap<usize, Arc<Allocation>>,
    counts: [usize; 4],
}

impl Table {
    fn find(&self, address: usize) -> Option<Place> {
        let (start, allocation) = self.by_address.range(..=address).next_back()?;
        let offset = address - start;
        let allocation = (offset < allocation.size).then(|| Arc::clone(allocation))?;
        Some(Place { allocation, offset: offset as u64 })
    }

    /// Whether some bytes have addresses that belong to no allocation.
    fn is_free(&self, start: usize, size: usize) -> bool {
        let Some(end) = start.checked_add(size) else { return false };
        let before = self.by_address.range(..end).next_back();
        before.is_none_or(|(first, allocation)| first + allocation.size <= start)
    }
}

impl Allocations {
    fn lock(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The allocation that an address lies in.
    pub fn find(&self, pointer: HostMemory) -> Option<Place> {
        self.lock().find(pointer.pointer() as usize)
    }

    /// The buffers on a device that some addresses lie in.
    pub fn buffers(&self, pointers: &[HostMemory], index: usize, out: &mut Vec<Buffer>) {
        if pointers.is_empty() {
            return;
        }
        let table = self.lock();
        let places = pointers.iter().filter_map(|pointer| table.find(pointer.pointer() as usize));
        let on_device = places.filter(|place| place.allocation.index == index);
        out.extend(on_device.map(|place| place.allocation.buffer.clone()));
    }

    /// The buffers of all allocations on a device.
    pub fn all_buffers(&self, index: usize, out: &mut Vec<Buffer>) {
        let table = self.lock();
        let on_device = table.by_address.values().filter(|allocation| allocation.index == index);
        out.extend(on_device.map(|allocation| allocation.buffer.clone()));
    }

    /// Whether there is any memory of a kind.
    pub fn has(&self, kind: Kind) -> bool {
        self.lock().counts[kind as usize] > 0
    }

    /// Adds an allocation, unless some of its addresses are in use.
    fn add(&self, allocation: Arc<Allocation>) -> std::result::Result<HostMemory, Arc<Allocation>> {
        let mut table = self.lock();
        if !table.is_free(allocation.start, allocation.size) {
            return Err(allocation);
        }
        let start = allocation.start();
        table.counts[allocation.kind as usize] += 1;
        table.by_address.insert(allocation.start, allocation);
        Ok(start)
    }

    /// Frees an allocation that may be freed in this way, and that begins at an address; `CL_INVALID_VALUE`
    /// if there is none. Its memory lives until no command uses it.
    pub fn free(&self, pointer: HostMemory, may: fn(&Allocation) -> bool) -> Result<()> {
        let start = pointer.pointer() as usize;
        let mut table = self.lock();
        let found = table.by_address.get(&start).is_some_and(|allocation| may(allocation));
        let allocation = if found { table.by_address.remove(&start) } else { None };
        let allocation = allocation.ok_or(code::INVALID_VALUE)?;
        table.counts[allocation.kind as usize] -= 1;
        drop(table);
        allocation.buffer.clone().retire();
        Ok(())
    }
}

impl Context {
    /// The position of the device that has SVM; `CL_INVALID_OPERATION` if none has.
    pub fn svm_device(&self) -> Result<usize> {
        let position = self.devices().iter().position(|device| device.has_svm());
        position.ok_or(code::INVALID_OPERATION)
    }

    /// New memory of a size that was checked.
    pub fn allocate(&self, wish: &Wish) -> Result<HostMemory> {
        let device = &self.devices()[wish.index];
        let mut in_the_way = Vec::new();
        for _ in 0..ATTEMPTS {
            let buffer = match wish.kind {
                Kind::Device if !device.has_svm() => Buffer::new(device.open()?, wish.size as u64),
                Kind::Host | Kind::Shared => Buffer::in_place(device.open()?, wish.size as u64, wish.place()),
                _ => Buffer::at_shared_address(device.open()?, wish.size as u64),
            };
            let buffer = buffer.map_err(Code::from)?;
            let shared = buffer.shared_pointer().map(|start| start.addr().get());
            let address = shared.or(buffer.address().map(|address| address as usize));
            let allocation = Arc::new(Allocation {
                start: address.ok_or(code::OUT_OF_RESOURCES)?,
                size: wish.size,
                kind: wish.kind,
                index: wish.index,
                device: wish.device.clone(),
                flags: wish.flags,
                access: wish.access,
                properties: wish.properties.clone(),
                buffer,
                mapped: Mutex::default(),
            });
            match self.svm().add(allocation) {
                Ok(start) => return Ok(start),
                // It keeps its addresses until others are found.
                Err(allocation) => in_the_way.push(allocation),
            }
        }
        Err(code::OUT_OF_RESOURCES)
    }

    /// New SVM.
    pub fn allocate_svm(&self, flags: cl_svm_mem_flags, size: usize, alignment: u32) -> Result<HostMemory> {
        let index = self.svm_device()?;
        let device = &self.devices()[index];
        let access = flags & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY);
        ensure(access.count_ones() <= 1, code::INVALID_VALUE)?;
        let (fine, atomics) = (CL_MEM_SVM_FINE_GRAIN_BUFFER, CL_MEM_SVM_ATOMICS);
        let grain = match flags & !access {
            0 => 0,
            grain if grain == fine => CL_DEVICE_SVM_FINE_GRAIN_BUFFER,
            grain if grain == fine | atomics => CL_DEVICE_SVM_FINE_GRAIN_BUFFER | CL_DEVICE_SVM_ATOMICS,
            _ => return Err(code::INVALID_VALUE),
        };
        ensure(device.svm_capabilities() & grain == grain, code::INVALID_VALUE)?;
        ensure(size > 0 && size as u64 <= device.max_allocation(), code::INVALID_BUFFER_SIZE)?;
        check_alignment(alignment)?;
        let (kind, device, access, properties) = (Kind::Svm, None, 0, None);
        self.allocate(&Wish { kind, index, device, flags, access, properties, size })
    }

    /// The place in an allocation that a pointer points to.
    pub fn svm_place(&self, pointer: HostMemory) -> Option<Place> {
        self.svm().find(pointer)
    }
}

/// Whether an allocation may ask for an alignment, since every buffer has that of the largest type.
pub fn check_alignment(alignment: u32) -> Result<()> {
    let aligned = alignment == 0 || alignment.is_power_of_two() && alignment <= 128;
    ensure(aligned, code::INVALID_VALUE)
}

impl Device {
    /// Whether it shares addresses with the host, so that kernels and host may exchange pointers through
    /// memory.
    pub fn has_svm(&self) -> bool {
        self.has_addresses() && self.open().is_ok_and(vk_runtime::Device::shares_addresses)
    }

    /// Whether kernels and the host use the same memory at the same addresses.
    pub fn shares_memory(&self) -> bool {
        self.has_addresses() && self.open().is_ok_and(vk_runtime::Device::shares_memory)
    }

    /// Whether there is memory that kernels and the host use in place, at the same addresses.
    pub fn has_memory_in_place(&self) -> bool {
        self.has_addresses() && self.open().is_ok_and(vk_runtime::Device::has_memory_in_place)
    }

    /// Whether kernels and the host may access such memory at the same time, and see each other's changes:
    /// only where the host's processors run the kernels.
    pub fn is_concurrent(&self) -> bool {
        self.info().kind() == vk_runtime::DeviceKind::Cpu && self.shares_memory()
    }

    /// `CL_DEVICE_SVM_CAPABILITIES`.
    pub fn svm_capabilities(&self) -> cl_device_svm_capabilities {
        match (self.has_svm(), self.is_concurrent()) {
            (false, _) => 0,
            (true, false) => CL_DEVICE_SVM_COARSE_GRAIN_BUFFER,
            (true, true) => {
                CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER | CL_DEVICE_SVM_ATOMICS
            }
        }
    }
}
