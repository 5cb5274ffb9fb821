//! Memory that is shared with other users of Vulkan, in this process or others, by file descriptors that only
//! drivers understand (`VK_KHR_external_memory_fd`, handle type `OPAQUE_FD`).

use crate::vulkan::descriptor::leave_to_driver;
use crate::vulkan::error::{Error, Result};
use crate::vulkan::handle::Owned;
use crate::vulkan::instance::InstanceHandle;
use crate::vulkan::logical_device::LogicalDevice;
use crate::vulkan::memory::{Heap, buffer_usage};
use ash::vk;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};

/// The kind of file descriptor.
pub(crate) const KIND: vk::ExternalMemoryHandleTypeFlags = vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD;

/// Whether a device can import and export the memory of buffers as file descriptors.
///
/// # Safety
/// `physical` is a device of `instance` of Vulkan 1.1 or later that has `VK_KHR_external_memory_fd`.
pub(crate) unsafe fn imports(
    instance: &InstanceHandle,
    physical: vk::PhysicalDevice,
    addressed: bool,
) -> bool {
    let info =
        vk::PhysicalDeviceExternalBufferInfo::default().usage(buffer_usage(addressed)).handle_type(KIND);
    let mut properties = vk::ExternalBufferProperties::default();
    // SAFETY: as the caller promises.
    unsafe {
        instance.raw().get_physical_device_external_buffer_properties(physical, &info, &mut properties);
    }
    let features = properties.external_memory_properties.external_memory_features;
    features.contains(vk::ExternalMemoryFeatureFlags::IMPORTABLE | vk::ExternalMemoryFeatureFlags::EXPORTABLE)
}

/// An error about memory that cannot be shared.
pub(crate) fn refused(reason: impl std::fmt::Display) -> Error {
    Error::ExternalMemory(reason.to_string())
}

/// Memory of this size and type, dedicated to one buffer if the driver demands that.
pub(crate) fn allocate(
    heap: &Heap,
    (size, kind): (u64, u32),
    alone: Option<vk::Buffer>,
    descriptor: Option<BorrowedFd<'_>>,
) -> Result<Owned<vk::DeviceMemory>> {
    let mut flags = vk::MemoryAllocateFlagsInfo::default().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
    let mut dedicated = vk::MemoryDedicatedAllocateInfo::default().buffer(alone.unwrap_or_default());
    let mut export = vk::ExportMemoryAllocateInfo::default().handle_types(KIND);
    // The driver takes ownership of the descriptor, so it gets a copy.
    let copy = descriptor.map(|descriptor| descriptor.try_clone_to_owned()).transpose().map_err(refused)?;
    let mut import = vk::ImportMemoryFdInfoKHR::default().handle_type(KIND);
    let mut info = vk::MemoryAllocateInfo::default().allocation_size(size).memory_type_index(kind);
    if heap.addressed {
        info = info.push_next(&mut flags);
    }
    if alone.is_some() {
        info = info.push_next(&mut dedicated);
    }
    match &copy {
        Some(copy) => {
            import = import.fd(copy.as_raw_fd());
            info = info.push_next(&mut import);
        }
        None => info = info.push_next(&mut export),
    }
    // SAFETY: all that the create info points to lives until after the call. Whether the descriptor is of
    // memory of this device, size and type cannot be known (see `BufferInner::external`); drivers refuse what
    // they do not understand.
    let memory = unsafe { heap.logical.raw().allocate_memory(&info, None) };
    if let Some((copy, original)) = copy.zip(descriptor) {
        leave_to_driver(copy, original, memory.is_ok());
    }
    let memory = memory.map_err(|result| match descriptor {
        Some(_) => refused(format!("the driver does not accept the file descriptor ({result})")),
        None => Error::vulkan("allocate shared memory")(result),
    })?;
    // SAFETY: just allocated from this device.
    Ok(unsafe { Owned::new(&heap.logical, memory) })
}

impl LogicalDevice {
    /// A descriptor for memory that was allocated to be shared.
    pub(crate) fn export(&self, memory: vk::DeviceMemory) -> Result<OwnedFd> {
        let extension =
            self.external_memory_extension().ok_or_else(|| refused("the device lacks the extension"))?;
        let info = vk::MemoryGetFdInfoKHR::default().memory(memory).handle_type(KIND);
        // SAFETY: the memory is of this device, which exports it as this kind.
        let descriptor = unsafe { extension.get_memory_fd(&info) }
            .map_err(Error::vulkan("export memory as a file descriptor"))?;
        // SAFETY: a new descriptor, which is the caller's (VkMemoryGetFdInfoKHR).
        Ok(unsafe { std::os::fd::FromRawFd::from_raw_fd(descriptor) })
    }
}
