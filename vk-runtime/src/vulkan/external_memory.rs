//! Memory that is shared with other users, in this process or others, by file descriptors
//! (`VK_KHR_external_memory_fd`, `VK_EXT_external_memory_dma_buf`).

use crate::vulkan::descriptor::leave_to_driver;
use crate::vulkan::error::{Error, Result};
use crate::vulkan::handle::Owned;
use crate::vulkan::instance::InstanceHandle;
use crate::vulkan::logical_device::LogicalDevice;
use crate::vulkan::memory::{Heap, buffer_usage};
use ash::{ext, vk};
use std::ffi::CStr;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};

/// A kind of file descriptor by which memory is shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryHandle {
    /// Only drivers understand it, and only the same driver for the same device.
    OpaqueFd,
    /// A dma-buf of Linux, which other devices and other parts of the system use too.
    DmaBuf,
}

impl MemoryHandle {
    /// All of them.
    pub const ALL: [MemoryHandle; 2] = [MemoryHandle::OpaqueFd, MemoryHandle::DmaBuf];

    pub(crate) fn flag(self) -> vk::ExternalMemoryHandleTypeFlags {
        match self {
            MemoryHandle::OpaqueFd => vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD,
            MemoryHandle::DmaBuf => vk::ExternalMemoryHandleTypeFlags::DMA_BUF_EXT,
        }
    }

    /// The extension of Vulkan that it needs besides `VK_KHR_external_memory_fd`.
    pub(crate) fn extension(self) -> Option<&'static CStr> {
        match self {
            MemoryHandle::OpaqueFd => None,
            MemoryHandle::DmaBuf => Some(ext::external_memory_dma_buf::NAME),
        }
    }
}

/// The kinds of descriptor by which a device both imports and exports the memory of buffers, out of these,
/// whose extensions it has.
///
/// # Safety
/// `physical` is a device of `instance` of Vulkan 1.1 or later that has `VK_KHR_external_memory_fd`.
pub(crate) unsafe fn kinds(
    instance: &InstanceHandle,
    physical: vk::PhysicalDevice,
    addressed: bool,
    known: impl Iterator<Item = MemoryHandle>,
) -> Vec<MemoryHandle> {
    let offers = |kind: &MemoryHandle| {
        let usage = buffer_usage(addressed);
        let info = vk::PhysicalDeviceExternalBufferInfo::default().usage(usage).handle_type(kind.flag());
        let mut properties = vk::ExternalBufferProperties::default();
        // SAFETY: as the caller promises.
        unsafe {
            instance.raw().get_physical_device_external_buffer_properties(physical, &info, &mut properties);
        }
        use vk::ExternalMemoryFeatureFlags as Feature;
        let features = properties.external_memory_properties.external_memory_features;
        features.contains(Feature::IMPORTABLE | Feature::EXPORTABLE)
    };
    known.filter(offers).collect()
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
    handle: MemoryHandle,
    descriptor: Option<BorrowedFd<'_>>,
) -> Result<Owned<vk::DeviceMemory>> {
    let mut dedicated = vk::MemoryDedicatedAllocateInfo::default().buffer(alone.unwrap_or_default());
    let mut export = vk::ExportMemoryAllocateInfo::default().handle_types(handle.flag());
    // The driver takes ownership of the descriptor, so it gets a copy.
    let copy = descriptor.map(|descriptor| descriptor.try_clone_to_owned()).transpose().map_err(refused)?;
    let mut import = vk::ImportMemoryFdInfoKHR::default().handle_type(handle.flag());
    let mut info = vk::MemoryAllocateInfo::default().allocation_size(size).memory_type_index(kind);
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
    let memory = unsafe { heap.memory_object(info) };
    if let Some((copy, original)) = copy.zip(descriptor) {
        leave_to_driver(copy, original, memory.is_ok());
    }
    memory.map_err(|result| match descriptor {
        Some(_) => refused(format!("the driver does not accept the file descriptor ({result})")),
        None => Error::vulkan("allocate shared memory")(result),
    })
}

impl LogicalDevice {
    /// A descriptor for memory that was allocated to be shared as this kind.
    pub(crate) fn export(&self, memory: vk::DeviceMemory, handle: MemoryHandle) -> Result<OwnedFd> {
        let extension =
            self.external_memory_extension().ok_or_else(|| refused("the device lacks the extension"))?;
        let info = vk::MemoryGetFdInfoKHR::default().memory(memory).handle_type(handle.flag());
        // SAFETY: the memory is of this device, which exports it as this kind.
        let descriptor = unsafe { extension.get_memory_fd(&info) }
            .map_err(Error::vulkan("export memory as a file descriptor"))?;
        // SAFETY: a new descriptor, which is the caller's (VkMemoryGetFdInfoKHR).
        Ok(unsafe { std::os::fd::FromRawFd::from_raw_fd(descriptor) })
    }

    /// The types that memory of a descriptor may have. Only drivers know those of their own descriptors.
    pub(crate) fn types_of(&self, handle: MemoryHandle, descriptor: BorrowedFd<'_>) -> Result<u32> {
        if handle == MemoryHandle::OpaqueFd {
            return Ok(u32::MAX);
        }
        let extension =
            self.external_memory_extension().ok_or_else(|| refused("the device lacks the extension"))?;
        let mut properties = vk::MemoryFdPropertiesKHR::default();
        // SAFETY: the descriptor is open, and the kind is not the one that cannot be asked for
        // (VUID-vkGetMemoryFdPropertiesKHR-handleType-00674).
        unsafe { extension.get_memory_fd_properties(handle.flag(), descriptor.as_raw_fd(), &mut properties) }
            .map_err(|result| {
                refused(format!("the driver does not accept the file descriptor ({result})"))
            })?;
        Ok(properties.memory_type_bits)
    }
}
