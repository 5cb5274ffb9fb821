//! Semaphores that are shared with other users of Vulkan, in this process or others, by file descriptors
//! (`VK_KHR_external_semaphore_fd`).

use crate::vulkan::descriptor::leave_to_driver;
use crate::vulkan::error::{Error, Result};
use crate::vulkan::handle::Owned;
use crate::vulkan::instance::InstanceHandle;
use crate::vulkan::logical_device::LogicalDevice;
use ash::vk;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::sync::Arc;
use vk::ExternalSemaphoreHandleTypeFlags as HandleType;

/// A kind of file descriptor by which semaphores are shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SemaphoreHandle {
    /// Only drivers understand it. It refers to the semaphore: signals and waits of all who have it are those
    /// of one semaphore.
    OpaqueFd,
    /// A sync file of Linux. It is a copy of one signal; exporting it is a wait for that signal.
    SyncFd,
}

impl SemaphoreHandle {
    /// All of them.
    pub const ALL: [SemaphoreHandle; 2] = [SemaphoreHandle::OpaqueFd, SemaphoreHandle::SyncFd];

    fn flag(self) -> HandleType {
        match self {
            SemaphoreHandle::OpaqueFd => HandleType::OPAQUE_FD,
            SemaphoreHandle::SyncFd => HandleType::SYNC_FD,
        }
    }
}

/// The kinds of descriptor by which a device both imports and exports semaphores.
///
/// # Safety
/// `physical` is a device of `instance` of Vulkan 1.1 or later.
pub(crate) unsafe fn kinds(instance: &InstanceHandle, physical: vk::PhysicalDevice) -> Vec<SemaphoreHandle> {
    let offers = |kind: &SemaphoreHandle| {
        let info = vk::PhysicalDeviceExternalSemaphoreInfo::default().handle_type(kind.flag());
        let mut properties = vk::ExternalSemaphoreProperties::default();
        // SAFETY: as the caller promises.
        unsafe {
            instance.raw().get_physical_device_external_semaphore_properties(
                physical,
                &info,
                &mut properties,
            );
        }
        use vk::ExternalSemaphoreFeatureFlags as Feature;
        properties.external_semaphore_features.contains(Feature::IMPORTABLE | Feature::EXPORTABLE)
    };
    SemaphoreHandle::ALL.into_iter().filter(offers).collect()
}

/// An error about a semaphore that cannot be shared.
pub(crate) fn refused(reason: impl std::fmt::Display) -> Error {
    Error::ExternalSemaphore(reason.to_string())
}

impl LogicalDevice {
    /// A binary semaphore that can be exported as this kind, on a device that shares that kind.
    pub(crate) fn create_exportable(self: &Arc<Self>, kind: SemaphoreHandle) -> Result<Owned<vk::Semaphore>> {
        let mut export = vk::ExportSemaphoreCreateInfo::default().handle_types(kind.flag());
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut export);
        // SAFETY: the device lives, and exports this kind
        // (VUID-VkExportSemaphoreCreateInfo-handleTypes-01124).
        let semaphore = unsafe { self.raw().create_semaphore(&info, None) }
            .map_err(Error::vulkan("create a shared semaphore"))?;
        // SAFETY: just created from this device.
        Ok(unsafe { Owned::new(self, semaphore) })
    }

    /// A binary semaphore that others have exported as this kind. The descriptor stays the caller's; none is
    /// a signal that has taken place, which only sync files can be.
    pub(crate) fn import_semaphore(
        self: &Arc<Self>,
        kind: SemaphoreHandle,
        descriptor: Option<BorrowedFd<'_>>,
    ) -> Result<Owned<vk::Semaphore>> {
        let extension =
            self.external_semaphore_extension().ok_or_else(|| refused("the device lacks the extension"))?;
        let semaphore = self.create_semaphore()?;
        let copy = descriptor.map(|descriptor| descriptor.try_clone_to_owned());
        let copy = copy.transpose().map_err(refused)?;
        let flags = match kind {
            SemaphoreHandle::OpaqueFd => vk::SemaphoreImportFlags::empty(),
            SemaphoreHandle::SyncFd => vk::SemaphoreImportFlags::TEMPORARY,
        };
        let info = vk::ImportSemaphoreFdInfoKHR::default()
            .semaphore(semaphore.get())
            .flags(flags)
            .handle_type(kind.flag())
            .fd(copy.as_ref().map_or(-1, AsRawFd::as_raw_fd));
        // SAFETY: the semaphore is new, so nothing uses it, and binary, as is one that others share
        // (VUID-VkImportSemaphoreFdInfoKHR-handleType-03264); sync files are imported temporarily
        // (VUID-VkImportSemaphoreFdInfoKHR-handleType-07307). Whether the descriptor is of this kind and
        // device (VUID-VkImportSemaphoreFdInfoKHR-fd-01544) cannot be known; drivers refuse what they do not
        // understand.
        let imported = unsafe { extension.import_semaphore_fd(&info) };
        if let Some((copy, original)) = copy.zip(descriptor) {
            leave_to_driver(copy, original, imported.is_ok());
        }
        imported.map_err(|result| {
            refused(format!("the driver does not accept the file descriptor ({result})"))
        })?;
        Ok(semaphore)
    }

    /// A descriptor for a semaphore; none for a sync file of a signal that has taken place.
    ///
    /// # Safety
    /// The semaphore is of this device and exportable as this kind. For sync files it is signalled, or the
    /// signal is submitted, and no submission waits for it
    /// (VUID-VkSemaphoreGetFdInfoKHR-handleType-01134 to 01135 and 03254).
    pub(crate) unsafe fn export_semaphore(
        &self,
        semaphore: vk::Semaphore,
        kind: SemaphoreHandle,
    ) -> Result<Option<OwnedFd>> {
        let extension =
            self.external_semaphore_extension().ok_or_else(|| refused("the device lacks the extension"))?;
        let info = vk::SemaphoreGetFdInfoKHR::default().semaphore(semaphore).handle_type(kind.flag());
        // SAFETY: as the caller promises.
        let descriptor = unsafe { extension.get_semaphore_fd(&info) }
            .map_err(Error::vulkan("export a semaphore as a file descriptor"))?;
        // SAFETY: not -1, so a new descriptor, which is the caller's (VkSemaphoreGetFdInfoKHR).
        Ok((descriptor >= 0).then(|| unsafe { OwnedFd::from_raw_fd(descriptor) }))
    }
}
