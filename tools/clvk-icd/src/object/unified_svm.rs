//! Unified SVM (`cl_khr_unified_svm`): the types of memory that devices have, and allocations by type.
//!
//! The types are the rows of [`TYPES`], the same on every device of the platform. A device that lacks one has
//! no capabilities for it. Each type is also what another function allocates, so that memory of all of them
//! can be asked about in the same way.

use super::context::Context;
use super::device::Device;
use super::svm::{Allocation, Kind, Wish, check_alignment};
use crate::border::HostMemory;
use crate::cl::*;
use crate::code::{self, Result, ensure};
use crate::handle::Handle;
use crate::info::{self, Answer};
use std::sync::Arc;

/// A type of memory.
struct Type {
    /// As what it is allocated.
    kind: Kind,
    /// What a device can do with it; zero if it lacks it.
    capabilities: fn(&Device) -> cl_svm_capabilities_khr,
}

/// Position of coarse-grained SVM among the types.
const COARSE: u32 = 0;
/// Position of fine-grained SVM.
const FINE: u32 = 1;

/// The types, in the order of their indices.
static TYPES: [Type; 5] = [
    Type {
        kind: Kind::Svm,
        capabilities: |device| {
            if device.has_svm() { CL_SVM_TYPE_MACRO_COARSE_GRAIN_BUFFER_KHR } else { 0 }
        },
    },
    Type {
        kind: Kind::Svm,
        capabilities: |device| {
            let concurrent = CL_SVM_CAPABILITY_CONCURRENT_ATOMIC_ACCESS_KHR;
            let fine = CL_SVM_TYPE_MACRO_FINE_GRAIN_BUFFER_KHR | concurrent;
            if device.is_concurrent() { fine } else { 0 }
        },
    },
    Type { kind: Kind::Device, capabilities: |device| of_usm(device, Kind::Device) },
    Type { kind: Kind::Host, capabilities: |device| of_usm(device, Kind::Host) },
    Type { kind: Kind::Shared, capabilities: |device| of_usm(device, Kind::Shared) },
];

/// What a device can do with unified shared memory.
fn of_usm(device: &Device, kind: Kind) -> cl_svm_capabilities_khr {
    let usm = device.usm_capabilities(kind);
    let also = |bit, capability| if usm & bit != 0 { capability } else { 0 };
    let base = match kind {
        _ if usm & CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL == 0 => return 0,
        Kind::Device => CL_SVM_TYPE_MACRO_DEVICE_KHR,
        Kind::Host => CL_SVM_TYPE_MACRO_HOST_KHR,
        _ => CL_SVM_TYPE_MACRO_SINGLE_DEVICE_SHARED_KHR,
    };
    base | also(CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL, CL_SVM_CAPABILITY_DEVICE_ATOMIC_ACCESS_KHR)
        | also(CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL, CL_SVM_CAPABILITY_CONCURRENT_ACCESS_KHR)
        | also(
            CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL,
            CL_SVM_CAPABILITY_CONCURRENT_ATOMIC_ACCESS_KHR,
        )
}

/// What devices can do with each type: the capabilities that all devices share that have the type.
pub fn common(devices: &[Arc<Device>]) -> Vec<cl_svm_capabilities_khr> {
    let of_type = |row: &Type| {
        let able = devices.iter().map(|device| (row.capabilities)(device)).filter(|&bits| bits != 0);
        able.reduce(|all, bits| all & bits).unwrap_or(0)
    };
    TYPES.iter().map(of_type).collect()
}

impl Device {
    /// What it can do with each type of memory.
    pub fn svm_types(&self) -> Vec<cl_svm_capabilities_khr> {
        TYPES.iter().map(|row| (row.capabilities)(self)).collect()
    }
}

impl Allocation {
    /// The index of its type.
    fn type_index(&self) -> u32 {
        match self.kind() {
            Kind::Svm if self.is_fine_grained() => FINE,
            Kind::Svm => COARSE,
            kind => TYPES.iter().position(|row| row.kind == kind).map_or(u32::MAX, |index| index as u32),
        }
    }
}

/// The properties of an allocation.
#[derive(Default)]
struct Properties {
    device: Option<Arc<Device>>,
    access: cl_svm_alloc_access_flags_khr,
    alignment: u32,
}

/// All flags for accesses. They change nothing: they are promises of the application.
const ACCESS: cl_svm_alloc_access_flags_khr = CL_SVM_ALLOC_ACCESS_HOST_NOREAD_KHR
    | CL_SVM_ALLOC_ACCESS_HOST_NOWRITE_KHR
    | CL_SVM_ALLOC_ACCESS_DEVICE_NOREAD_KHR
    | CL_SVM_ALLOC_ACCESS_DEVICE_NOWRITE_KHR;

impl Context {
    /// Reads a list of properties, in which each may be given once.
    fn svm_properties(&self, list: &[(u64, u64)]) -> Result<Properties> {
        let mut properties = Properties::default();
        for (index, &(name, value)) in list.iter().enumerate() {
            let once = list[..index].iter().all(|&(other, _)| other != name);
            ensure(once, code::INVALID_PROPERTY)?;
            match name {
                CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR => {
                    properties.device = Handle::<Device>::from_word(value as usize).optional()?;
                    if let Some(device) = &properties.device {
                        self.check_device(device)?;
                    }
                }
                CL_SVM_ALLOC_ACCESS_FLAGS_KHR => {
                    ensure(value & !ACCESS == 0, code::INVALID_PROPERTY)?;
                    properties.access = value;
                }
                CL_SVM_ALLOC_ALIGNMENT_KHR => {
                    properties.alignment = u32::try_from(value).map_err(|_| code::INVALID_VALUE)?;
                    check_alignment(properties.alignment)?;
                }
                _ => return Err(code::INVALID_PROPERTY),
            }
        }
        Ok(properties)
    }

    /// New memory of a type; null if it has no bytes.
    pub fn allocate_svm_type(&self, given: Given<'_>, type_index: u32, size: usize) -> Result<HostMemory> {
        let row = TYPES.get(type_index as usize).ok_or(code::INVALID_VALUE)?;
        let properties = self.svm_properties(given.list)?;
        let index = match &properties.device {
            Some(device) => self.index_of(device).filter(|_| (row.capabilities)(device) != 0),
            None => self.devices().iter().position(|device| (row.capabilities)(device) != 0),
        };
        let index = index.ok_or(code::INVALID_OPERATION)?;
        let device = &self.devices()[index];
        let unassociated = (row.capabilities)(device) & CL_SVM_CAPABILITY_DEVICE_UNASSOCIATED_KHR != 0;
        ensure(properties.device.is_some() || unassociated, code::INVALID_DEVICE)?;
        if size == 0 {
            return Ok(HostMemory::NULL);
        }
        ensure(size as u64 <= device.max_allocation(), code::OUT_OF_RESOURCES)?;
        let fine = if type_index == FINE { CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS } else { 0 };
        self.allocate(&Wish {
            kind: row.kind,
            index,
            device: properties.device,
            flags: fine,
            access: properties.access,
            properties: Some(given.kept()),
            size,
        })
    }

    /// The index of the type with all required capabilities and most of the desired ones; the largest number
    /// if there is none.
    pub fn suggested_svm_type(
        &self,
        required: cl_svm_capabilities_khr,
        desired: cl_svm_capabilities_khr,
        list: &[(u64, u64)],
    ) -> Result<u32> {
        let types = match self.svm_properties(list)?.device {
            Some(device) => device.svm_types(),
            None => common(self.devices()),
        };
        let able = (0u32..).zip(types).filter(|&(_, bits)| bits != 0 && bits & required == required);
        // The first among equals.
        let best = able.min_by_key(|(_, bits)| std::cmp::Reverse((bits & desired).count_ones()));
        Ok(best.map_or(u32::MAX, |(index, _)| index))
    }

    /// Answers a query about the memory that a pointer points into, for a device or for all.
    pub fn query_svm(
        &self,
        device: Option<Arc<Device>>,
        pointer: HostMemory,
        name: cl_svm_pointer_info_khr,
    ) -> Result<Answer> {
        if let Some(device) = &device {
            self.check_device(device)?;
        }
        let place = self.svm_place(pointer);
        let allocation = place.as_ref().map(|place| &*place.allocation);
        let index = allocation.map_or(u32::MAX, Allocation::type_index);
        match name {
            CL_SVM_INFO_TYPE_INDEX_KHR => info::value(index),
            CL_SVM_INFO_CAPABILITIES_KHR => {
                let types = device.map_or_else(|| common(self.devices()), |device| device.svm_types());
                info::value(types.get(index as usize).copied().unwrap_or(0))
            }
            CL_SVM_INFO_PROPERTIES_KHR => info::list(allocation.map_or(&[], Allocation::properties)),
            CL_SVM_INFO_ACCESS_FLAGS_KHR => info::value(allocation.map_or(0, Allocation::access)),
            CL_SVM_INFO_BASE_PTR_KHR => info::value(allocation.map_or(HostMemory::NULL, Allocation::start)),
            CL_SVM_INFO_SIZE_KHR => info::value(allocation.map_or(0, Allocation::size)),
            CL_SVM_INFO_ASSOCIATED_DEVICE_HANDLE_KHR => {
                let device = allocation.and_then(Allocation::device);
                info::value(device.map_or(Handle::NULL, Handle::of))
            }
            _ => Err(code::INVALID_VALUE),
        }
    }
}

/// Properties as the application gave them.
#[derive(Clone, Copy)]
pub struct Given<'a> {
    /// Names and values.
    pub list: &'a [(u64, u64)],
    /// Whether there is a list, which may be empty.
    pub is_list: bool,
}

impl Given<'_> {
    /// The list with the zero at its end, to be told when asked.
    fn kept(self) -> Vec<u64> {
        let words = self.list.iter().flat_map(|&(name, value)| [name, value]);
        words.chain(self.is_list.then_some(0)).collect()
    }
}
