//! Devices: the Vulkan devices that can be used.

use super::extension;
use super::platform::Platform;
use crate::code::{self, Code, Result};
use crate::handle::{Handle, Header, object};
use crate::timeline;
use clvk::{Compiler, ReportLog};
use clvk_interface::sanitize::Kinds;
use clvk_interface::{DeviceProfile, Feature, FeatureSet, Preference};
use std::str::FromStr;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use vk_runtime::{
    CompileHandler, DeviceInfo, DeviceKind, DeviceOptions, DiskCache, Instance, InstanceOptions,
    MemoryHandle, ReportHandler, SemaphoreHandle,
};

/// A device. Devices live as long as the process.
#[repr(C)]
pub struct Device {
    header: Header<Device>,
    info: DeviceInfo,
    profile: DeviceProfile,
    abilities: FeatureSet,
    features: FeatureSet,
    sanitized: Kinds,
    opened: OnceLock<Result<vk_runtime::Device>>,
}

object!(Device, code::INVALID_DEVICE);

/// The devices that can be used, the preferred one first; none if there is no Vulkan.
pub(super) fn find() -> Vec<Arc<Device>> {
    let options = InstanceOptions::default();
    match Instance::new(&options).and_then(|instance| instance.devices()) {
        Ok(found) => {
            let robust = std::env::var_os("CLVK_ROBUST").is_some_and(|value| value == "1");
            let sanitized = sanitized_kinds();
            let found = found.into_iter().map(|info| if robust { info.robust() } else { info });
            found.filter_map(|info| Device::new(info, sanitized)).collect()
        }
        Err(error) => {
            tracing::error!("{error}");
            Vec::new()
        }
    }
}

/// The kinds of errors that kernels check for.
fn sanitized_kinds() -> Kinds {
    let text = std::env::var("CLVK_SANITIZE").unwrap_or_default();
    Kinds::parse(&text).unwrap_or_else(|problem| {
        eprintln!("warning: CLVK_SANITIZE has no effect: {problem}");
        Kinds::default()
    })
}

/// Writes the errors that kernels report to the standard error output, each once.
fn report_handler() -> ReportHandler {
    let log: Mutex<ReportLog> = Mutex::default();
    ReportHandler::new(move |reports| {
        let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
        let new = log.add(&reports);
        eprint!("{}", log.messages(new).plain());
    })
}

/// The number that an environment variable holds.
fn number<T: FromStr>(variable: &str) -> Option<T> {
    std::env::var(variable).ok().and_then(|text| text.parse().ok())
}

impl Device {
    fn new(info: DeviceInfo, sanitized: Kinds) -> Option<Arc<Device>> {
        let mut profile = info.profile()?.clone();
        // For tests: one of the forms that programs have (`forms.rs`).
        if let Ok(wanted) = std::env::var("CLVK_BUFFERS") {
            profile.preferences.retain(|preference| !Preference::OF_BUFFERS.contains(preference));
            profile.preferences.extend((wanted == "descriptors").then_some(Preference::Descriptors));
        }
        let abilities = Compiler::new(&profile).with_robustness(info.is_robust()).features();
        let features = extension::features(abilities);
        let (header, opened) = (Header::new(), OnceLock::new());
        let device = Arc::new(Device { header, info, profile, abilities, features, sanitized, opened });
        Handle::publish(Arc::clone(&device));
        Some(device)
    }

    /// What is known about it without opening it.
    pub fn info(&self) -> &DeviceInfo {
        &self.info
    }

    /// What to compile for.
    pub fn profile(&self) -> &DeviceProfile {
        &self.profile
    }

    /// Optional language features that it supports.
    pub fn abilities(&self) -> FeatureSet {
        self.abilities
    }

    /// Optional language features that it offers to programs: the supported ones, as changed by
    /// `CLVK_EXTENSIONS`.
    pub fn features(&self) -> FeatureSet {
        self.features
    }

    /// A compiler for it.
    pub fn compiler(&self) -> Compiler {
        let compiler = Compiler::new(&self.profile).with_robustness(self.info.is_robust());
        compiler.with_features(self.features).with_sanitizer(self.sanitized)
    }

    /// Whether kernels check for errors.
    pub fn is_sanitized(&self) -> bool {
        !self.sanitized.is_empty()
    }

    /// The kinds of descriptor by which it imports memory of other users.
    pub fn memory_handles(&self) -> &[MemoryHandle] {
        if self.facts().memory_handles.is_empty() {
            return &[];
        }
        self.open().map_or(&[], vk_runtime::Device::memory_handles)
    }

    /// Whether there are any.
    pub fn imports_memory(&self) -> bool {
        !self.memory_handles().is_empty()
    }

    /// The kinds of descriptor by which it shares semaphores with other users of Vulkan.
    pub fn semaphore_handles(&self) -> &[SemaphoreHandle] {
        if self.facts().semaphore_handles.is_empty() {
            return &[];
        }
        self.open().map_or(&[], vk_runtime::Device::semaphore_handles)
    }

    /// Whether there are any.
    pub fn shares_semaphores(&self) -> bool {
        !self.semaphore_handles().is_empty()
    }

    /// Whether kernels have sub-groups.
    pub fn has_sub_groups(&self) -> bool {
        self.has(Feature::SubGroups)
    }

    /// Whether the device has images of this type and format that can be used as the flags say.
    pub fn supports(
        &self,
        format: vk_runtime::ImageFormat,
        image_type: crate::cl::cl_mem_object_type,
        flags: crate::cl::cl_mem_flags,
    ) -> bool {
        use crate::cl::{CL_MEM_KERNEL_READ_AND_WRITE, CL_MEM_OBJECT_IMAGE1D_BUFFER};
        use crate::cl::{CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY};
        if !super::image::has_shape(format, image_type) {
            return false;
        }
        let support = self.info.image_support(format);
        let (read, write) = match image_type {
            CL_MEM_OBJECT_IMAGE1D_BUFFER => (support.read_from_buffer, support.write_to_buffer),
            _ => (support.read, support.write),
        };
        // Some kernels may read an image with these flags, and others may write it.
        let reads = flags & CL_MEM_WRITE_ONLY == 0;
        let writes = flags & CL_MEM_READ_ONLY == 0;
        let both = flags & CL_MEM_KERNEL_READ_AND_WRITE != 0;
        (read || !reads) && (write || !(writes || both)) && (self.profile.image_read_without_format || !both)
    }

    /// The device of the runtime, opened at the first call.
    pub fn open(&self) -> Result<&vk_runtime::Device> {
        let options = || DeviceOptions {
            // OpenCL knows no limit: a kernel may take an hour, and so may its compilation on a processor.
            wait_timeout: Duration::MAX,
            cache: DiskCache::shared(),
            report_handler: report_handler(),
            compile_threads: number("CLVK_COMPILE_THREADS"),
            compile_handler: CompileHandler::new(timeline::compiled),
            record_handler: timeline::record_handler(),
            always_stage: std::env::var_os("CLVK_ALWAYS_STAGE").is_some_and(|value| value == "1"),
            busy_wait: number("CLVK_BUSY_WAIT").map(Duration::from_micros),
            ..DeviceOptions::default()
        };
        let open = || vk_runtime::Device::new(&self.info, &options()).map_err(Code::from);
        self.opened.get_or_init(open).as_ref().map_err(|&code| code)
    }

    /// The same, if it was opened.
    pub fn if_open(&self) -> Option<&vk_runtime::Device> {
        self.opened.get()?.as_ref().ok()
    }

    /// Its bits of `cl_device_type`.
    pub fn kind(&self) -> crate::cl::cl_device_type {
        match self.info.kind() {
            DeviceKind::Cpu => crate::cl::CL_DEVICE_TYPE_CPU,
            DeviceKind::Discrete | DeviceKind::Integrated | DeviceKind::Virtual => {
                crate::cl::CL_DEVICE_TYPE_GPU
            }
            DeviceKind::Other => crate::cl::CL_DEVICE_TYPE_ACCELERATOR,
        }
    }

    /// Whether `clGetDeviceIDs` with these bits lists it.
    pub fn is_of(self: &Arc<Self>, kinds: crate::cl::cl_device_type) -> bool {
        let is_default = Platform::get().devices().first().is_some_and(|first| Arc::ptr_eq(first, self));
        self.kind() & kinds != 0 || (kinds & crate::cl::CL_DEVICE_TYPE_DEFAULT != 0 && is_default)
    }
}
