//! The one platform and its devices.

use super::device::Device;
use crate::cl;
use crate::code::{self, Result};
use crate::handle::{Handle, Header, object};
use crate::info::{self, Answer};
use std::sync::{Arc, LazyLock};

/// The platform. There is one, which lives as long as the process.
#[repr(C)]
pub struct Platform {
    header: Header<Platform>,
    devices: Vec<Arc<Device>>,
}

object!(Platform, code::INVALID_PLATFORM);

/// The version of OpenCL that is implemented.
pub const VERSION: cl::cl_version = version(3, 0, 0);
/// The version of the API's text.
const VERSION_TEXT: &str = concat!("OpenCL 3.0 clvk ", env!("CARGO_PKG_VERSION"));

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

/// Extensions of the API, which every device has; those of the language are the device's.
pub const EXTENSIONS: &[&str] = &[
    "cl_khr_icd",
    "cl_khr_extended_versioning",
    "cl_khr_create_command_queue",
    "cl_khr_suggested_local_work_size",
    "cl_khr_command_buffer",
];

/// Extensions of the API that devices have which share buffers with other users of Vulkan.
pub const EXTERNAL_MEMORY_EXTENSIONS: &[&str] =
    &["cl_khr_external_memory", "cl_khr_external_memory_opaque_fd"];

/// The version of an extension.
pub fn extension_version(name: &str) -> cl::cl_version {
    match name {
        "cl_khr_command_buffer" => version(0, 9, 8),
        "cl_ext_buffer_device_address" => version(1, 0, 2),
        _ => version(1, 0, 0),
    }
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

    /// From a handle, where null stands for the platform too.
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

    /// Whether all of its devices share buffers with other users of Vulkan.
    fn imports_memory(&self) -> bool {
        self.devices.iter().all(|device| device.imports_memory())
    }

    /// Names of the extensions that all of its devices have.
    fn extensions(&self) -> Vec<&'static str> {
        let shared = if self.imports_memory() { EXTERNAL_MEMORY_EXTENSIONS } else { &[] };
        [EXTENSIONS, shared].concat()
    }

    /// Answers a query.
    pub fn query(&self, name: cl::cl_platform_info) -> Result<Answer> {
        match name {
            cl::CL_PLATFORM_PROFILE => info::text("FULL_PROFILE"),
            cl::CL_PLATFORM_VERSION => info::text(VERSION_TEXT),
            cl::CL_PLATFORM_NUMERIC_VERSION => info::value(VERSION),
            cl::CL_PLATFORM_NAME => info::text("clvk"),
            cl::CL_PLATFORM_VENDOR => info::text("clvk"),
            cl::CL_PLATFORM_EXTENSIONS => info::text(&self.extensions().join(" ")),
            cl::CL_PLATFORM_EXTENSIONS_WITH_VERSION => {
                let names = self.extensions();
                let named = names.iter().map(|name| name_version(name, extension_version(name)));
                info::list(&named.collect::<Vec<_>>())
            }
            cl::CL_PLATFORM_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR if self.imports_memory() => {
                info::list(&[cl::CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR])
            }
            cl::CL_PLATFORM_HOST_TIMER_RESOLUTION => info::value(1u64),
            cl::CL_PLATFORM_ICD_SUFFIX_KHR => info::text("CLVK"),
            _ => Err(code::INVALID_VALUE),
        }
    }
}
