//! Unified shared memory (`cl_intel_unified_shared_memory`): what devices offer of it, and its allocations.
//!
//! Device memory needs only addresses. Host memory and shared memory are memory that host and device both use
//! in place, at the same addresses. They differ in what the application is told, and shared memory may be the
//! device's (`CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL`). An allocation belongs to one device, and
//! commands of others cannot use it.

use super::context::Context;
use super::device::Device;
use super::svm::{Allocation, Kind, Place, Wish, check_alignment};
use crate::border::HostMemory;
use crate::cl::*;
use crate::code::{self, Result, ensure};
use crate::handle::Handle;
use crate::info::{self, Answer};
use std::sync::Arc;

impl Device {
    /// What it can do with a kind of memory; zero if it does not have it.
    pub fn usm_capabilities(&self, kind: Kind) -> cl_device_unified_shared_memory_capabilities_intel {
        let access = CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL | CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL;
        let concurrent = CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL
            | CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL;
        match kind {
            Kind::Device if self.has_addresses() => access,
            Kind::Host | Kind::Shared if self.is_concurrent() => access | concurrent,
            Kind::Host | Kind::Shared if self.shares_memory() => access,
            // Atomic operations do not cross every bus.
            Kind::Host | Kind::Shared if self.has_memory_in_place() => CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL,
            _ => 0,
        }
    }
}

/// The flags of an allocation: the name of a property, and of the query for it.
const FLAGS: cl_mem_info_intel = CL_MEM_ALLOC_FLAGS_INTEL as cl_mem_info_intel;

/// The flags among the properties of an allocation. Each property may be given once.
fn flags(properties: &[(u64, u64)], kind: Kind) -> Result<cl_mem_alloc_flags_intel> {
    let [on_device, on_host] =
        [CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL, CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL];
    let placements = if kind == Kind::Shared { on_device | on_host } else { 0 };
    match *properties {
        [] => Ok(0),
        [(CL_MEM_ALLOC_FLAGS_INTEL, flags)] => {
            let known = flags & !(CL_MEM_ALLOC_WRITE_COMBINED_INTEL | placements) == 0;
            let both = on_device | on_host;
            ensure(known && flags & both != both, code::INVALID_PROPERTY)?;
            Ok(flags)
        }
        _ => Err(code::INVALID_PROPERTY),
    }
}

impl Context {
    /// Whether a device has a kind of memory; else `CL_INVALID_OPERATION`.
    pub fn check_usm(&self, kind: Kind) -> Result<usize> {
        let position = self.devices().iter().position(|device| device.usm_capabilities(kind) != 0);
        position.ok_or(code::INVALID_OPERATION)
    }

    /// New memory of a kind. If the application names no device, the first device that has this kind of
    /// memory gets it.
    pub fn allocate_usm(
        &self,
        kind: Kind,
        device: Option<Arc<Device>>,
        properties: &[(u64, u64)],
        size: usize,
        alignment: u32,
    ) -> Result<HostMemory> {
        let index = match &device {
            None => self.check_usm(kind)?,
            Some(device) => {
                let index = self.index_of(device).ok_or(code::INVALID_DEVICE)?;
                ensure(device.usm_capabilities(kind) != 0, code::INVALID_OPERATION)?;
                index
            }
        };
        check_alignment(alignment)?;
        let flags = flags(properties, kind)?;
        let limit = self.devices()[index].max_allocation();
        ensure(size > 0 && size as u64 <= limit, code::INVALID_BUFFER_SIZE)?;
        let (access, properties) = (0, None);
        self.allocate(&Wish { kind, index, device, flags, access, properties, size })
    }

    /// Answers a query about the allocation that a pointer points into. Other pointers are of an unknown
    /// type.
    pub fn query_usm(&self, pointer: HostMemory, name: cl_mem_info_intel) -> Result<Answer> {
        let place = self.svm_place(pointer).filter(|place| place.allocation.is_usm());
        let allocation: Option<&Allocation> = place.as_ref().map(|Place { allocation, .. }| &**allocation);
        match name {
            CL_MEM_ALLOC_TYPE_INTEL => info::value(match allocation.map(Allocation::kind) {
                None | Some(Kind::Svm) => CL_MEM_TYPE_UNKNOWN_INTEL,
                Some(Kind::Host) => CL_MEM_TYPE_HOST_INTEL,
                Some(Kind::Device) => CL_MEM_TYPE_DEVICE_INTEL,
                Some(Kind::Shared) => CL_MEM_TYPE_SHARED_INTEL,
            }),
            CL_MEM_ALLOC_BASE_PTR_INTEL => {
                info::value(allocation.map_or(HostMemory::NULL, Allocation::start))
            }
            CL_MEM_ALLOC_SIZE_INTEL => info::value(allocation.map_or(0, Allocation::size)),
            CL_MEM_ALLOC_DEVICE_INTEL => {
                let device = allocation.and_then(Allocation::device);
                info::value(device.map_or(Handle::NULL, Handle::of))
            }
            FLAGS => info::value(allocation.map_or(0, Allocation::flags)),
            _ => Err(code::INVALID_VALUE),
        }
    }
}
