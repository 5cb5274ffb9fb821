//! The one platform and its devices.

use super::device::Device;
use super::semaphore::names_of;
use super::{extension, external};
use crate::cl;
use crate::code::{self, Result};
use crate::handle::{Handle, Header, object};
use crate::info::{self, Answer};
use std::sync::{Arc, LazyLock};
use vk_runtime::{MemoryHandle, SemaphoreHandle};

/// The platform. There is one, which lives as long as the process.
#[repr(C)]
pub struct Platform {
    header: Header<Platform>,
    devices: Vec<Arc<Device>>,
}

object!(Platform, code::INVALID_PLATFORM);

/// The version of OpenCL that every device has.
pub const VERSION: cl::cl_version = version(3, 0, 0);

/// A version as platform and devices tell it.
pub fn version_text(version: cl::cl_version) -> String {
    format!("OpenCL {}.{} clvk {}", version >> 22, version >> 12 & 0x3ff, env!("CARGO_PKG_VERSION"))
}

/// `CL_MAKE_VERSION`.
pub const fn version(major: u32, minor: u32, patch: u32) -> cl::cl_version {
    (major << 22) | (minor << 12) | patch
}

/// An element of the lists of extensions, features and so on.
pub fn name_version(name: &str, version: cl::cl_version) -> cl::cl_name_version {
    let mut bytes = [0; 64];
    let length = name.len().min(63);
    bytes[..length].copy_from_slice(&name.as_bytes()[..length]);
    cl::cl_name_version { version, name: bytes }
}

/// Extensions as the lists with versions give them.
pub fn with_versions(names: &[String]) -> Result<Answer> {
    let named = names.iter().map(|name| name_version(name, extension::version_of(name)));
    info::list(&named.collect::<Vec<_>>())
}

static PLATFORM: LazyLock<Arc<Platform>> = LazyLock::new(|| {
    let devices = super::device::find();
    let platform = Arc::new(Platform { header: Header::new(), devices });
    Handle::publish(Arc::clone(&platform));
    platform
});

impl Platform {
    /// The platform, with the devices found at the first call.
    pub fn get() -> &'static Arc<Platform> {
        &PLATFORM
    }

    /// From a handle, where null means the platform too.
    pub fn of(handle: Handle<Platform>) -> Result<&'static Arc<Platform>> {
        let platform = Self::get();
        if !handle.is_null() {
            handle.get()?;
        }
        Ok(platform)
    }

    /// Its devices, the preferred one first.
    pub fn devices(&self) -> &[Arc<Device>] {
        &self.devices
    }

    /// The kinds of descriptor by which all of its devices import memory.
    fn memory_handles(&self) -> Vec<MemoryHandle> {
        let mut common = MemoryHandle::ALL.to_vec();
        common.retain(|it| self.devices.iter().all(|device| device.memory_handles().contains(it)));
        common
    }

    /// The newest version of its devices.
    fn version(&self) -> cl::cl_version {
        self.devices.iter().map(|device| device.version()).max().unwrap_or(VERSION)
    }

    /// Names of the extensions that all of its devices list (OpenCL API §4.1), in the first one's order.
    fn extensions(&self) -> Vec<String> {
        let mut lists = self.devices.iter().map(|device| extension::names(device));
        let mut common = lists.next().unwrap_or_default();
        for list in lists {
            common.retain(|name| list.contains(name));
        }
        common
    }

    /// Answers a query.
    pub fn query(&self, name: cl::cl_platform_info) -> Result<Answer> {
        match name {
            cl::CL_PLATFORM_PROFILE => info::text("FULL_PROFILE"),
            cl::CL_PLATFORM_VERSION => info::text(&version_text(self.version())),
            cl::CL_PLATFORM_NUMERIC_VERSION => info::value(self.version()),
            cl::CL_PLATFORM_NAME => info::text("clvk"),
            cl::CL_PLATFORM_VENDOR => info::text("clvk"),
            cl::CL_PLATFORM_EXTENSIONS => info::text(&self.extensions().join(" ")),
            cl::CL_PLATFORM_EXTENSIONS_WITH_VERSION => with_versions(&self.extensions()),
            cl::CL_PLATFORM_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR
                if self.devices.iter().all(|device| device.imports_memory()) =>
            {
                info::list(&external::names_of(&self.memory_handles()))
            }
            cl::CL_PLATFORM_COMMAND_BUFFER_CAPABILITIES_KHR => info::value(
                cl::CL_COMMAND_BUFFER_PLATFORM_UNIVERSAL_SYNC_KHR
                    | cl::CL_COMMAND_BUFFER_PLATFORM_REMAP_QUEUES_KHR
                    | cl::CL_COMMAND_BUFFER_PLATFORM_AUTOMATIC_REMAP_KHR,
            ),
            cl::CL_PLATFORM_SEMAPHORE_TYPES_KHR => info::list(&[cl::CL_SEMAPHORE_TYPE_BINARY_KHR]),
            cl::CL_PLATFORM_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR
            | cl::CL_PLATFORM_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR
                if self.devices.iter().all(|device| device.shares_semaphores()) =>
            {
                let mut common = SemaphoreHandle::ALL.to_vec();
                common.retain(|it| self.devices.iter().all(|device| device.semaphore_handles().contains(it)));
                info::list(&names_of(&common))
            }
            cl::CL_PLATFORM_SVM_TYPE_CAPABILITIES_KHR if self.devices.iter().all(|it| it.has_usm()) => {
                info::list(&super::unified_svm::common(&self.devices))
            }
            cl::CL_PLATFORM_HOST_TIMER_RESOLUTION => info::value(1u64),
            cl::CL_PLATFORM_ICD_SUFFIX_KHR => info::text("CLVK"),
            _ => Err(code::INVALID_VALUE),
        }
    }
}
