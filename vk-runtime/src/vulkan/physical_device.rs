//! The devices that exist, and the choice of one.

use crate::vulkan::capabilities::{self, Capabilities, Offer};
use crate::vulkan::error::{Error, Result};
use crate::vulkan::frequency;
use crate::vulkan::instance::InstanceHandle;
use crate::vulkan::performance::{CounterList, PerformanceCounter};
use crate::vulkan::properties::{self, DeviceFacts};
use ash::vk;
use clvk_interface::DeviceProfile;
use std::ffi::CStr;
use std::fmt;
use std::sync::Arc;

/// What kind of device it is, in order of preference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DeviceKind {
    /// A GPU with its own memory.
    Discrete,
    /// A GPU that shares the host's memory.
    Integrated,
    /// A virtual GPU.
    Virtual,
    /// Software on the host.
    Cpu,
    /// Something else.
    Other,
}

impl fmt::Display for DeviceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DeviceKind::Discrete => "discrete GPU",
            DeviceKind::Integrated => "integrated GPU",
            DeviceKind::Virtual => "virtual GPU",
            DeviceKind::Cpu => "CPU",
            DeviceKind::Other => "other",
        })
    }
}

/// A device that exists, opened or not.
#[derive(Clone)]
pub struct DeviceInfo {
    index: usize,
    name: String,
    kind: DeviceKind,
    api_version: u32,
    driver: String,
    vendor_id: u32,
    device_id: u32,
    usability: Result<Arc<Usable>, String>,
    pub(crate) handle: vk::PhysicalDevice,
    pub(crate) instance: Arc<InstanceHandle>,
}

/// A kind of queue that runs compute shaders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct QueueFamily {
    pub(crate) index: u32,
    /// Valid bits of a time stamp; 0 if the queue cannot write time stamps.
    pub(crate) timestamp_bits: u32,
}

/// What is known only about usable devices.
#[derive(Clone)]
pub(crate) struct Usable {
    pub(crate) capabilities: Capabilities,
    /// The queue family for launches.
    pub(crate) compute: QueueFamily,
    /// The queue family for launches and windows.
    pub(crate) drawing: Option<QueueFamily>,
    facts: DeviceFacts,
}

impl DeviceInfo {
    /// Position in [`crate::Instance::devices`].
    #[must_use]
    pub fn index(&self) -> usize {
        self.index
    }

    /// Name as the driver gives it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Kind of device.
    #[must_use]
    pub fn kind(&self) -> DeviceKind {
        self.kind
    }

    /// Vulkan version as (major, minor, patch).
    #[must_use]
    pub fn api_version(&self) -> (u32, u32, u32) {
        let version = self.api_version;
        (vk::api_version_major(version), vk::api_version_minor(version), vk::api_version_patch(version))
    }

    /// Name and version of the driver, as far as it reports them.
    #[must_use]
    pub fn driver(&self) -> &str {
        &self.driver
    }

    /// PCI vendor and device identifiers.
    #[must_use]
    pub fn pci_id(&self) -> (u32, u32) {
        (self.vendor_id, self.device_id)
    }

    /// What this process may use of the largest device-local heap, in bytes; `None` for an unusable device.
    #[must_use]
    pub fn memory(&self) -> Option<u64> {
        Some(self.usability.as_ref().ok()?.capabilities.limits.device_memory)
    }

    /// Features and limits; `None` for an unusable device.
    #[must_use]
    pub fn profile(&self) -> Option<&DeviceProfile> {
        Some(&self.usability.as_ref().ok()?.capabilities.profile)
    }

    /// Sizes, limits and identities; `None` for an unusable device.
    #[must_use]
    pub fn facts(&self) -> Option<&DeviceFacts> {
        Some(&self.usability.as_ref().ok()?.facts)
    }

    /// The performance counters of its driver (`VK_KHR_performance_query`); empty if it has none.
    /// [`PerformanceCounters`](crate::PerformanceCounters) reads them.
    ///
    /// # Errors
    /// [`Error::UnusableDevice`], or a failure of Vulkan.
    pub fn performance_counters(&self) -> Result<Vec<PerformanceCounter>> {
        let usable = self.usable()?;
        if !usable.capabilities.counts_performance() {
            return Ok(Vec::new());
        }
        let (entry, instance) = (self.instance.entry(), self.instance.raw());
        // SAFETY: the device is of the instance, has the extension and the feature, and the family is its
        // own.
        unsafe { CounterList::new(entry, instance, self.handle, usable.compute.index) }.counters()
    }

    /// Highest clock frequency in MHz, if the system reports it; looked up at each call.
    #[must_use]
    pub fn clock_frequency(&self) -> Option<u32> {
        match (self.kind, self.facts()?.pci_address) {
            (DeviceKind::Cpu, _) => frequency::of_processor(),
            (_, Some(address)) => frequency::of_pci_device(address),
            _ => None,
        }
    }

    /// Why the device cannot be used; `None` for a usable one.
    #[must_use]
    pub fn unusable_reason(&self) -> Option<&str> {
        self.usability.as_ref().err().map(String::as_str)
    }

    /// The same device in robust mode: the driver bounds what kernels read and write through images. To bound
    /// the rest too, compile the kernels in robust mode ([`DeviceInfo::is_robust`]).
    #[must_use]
    pub fn robust(mut self) -> Self {
        if let Ok(usable) = &mut self.usability {
            Arc::make_mut(usable).capabilities.robust = true;
        }
        self
    }

    /// Whether the device is in robust mode, so that its kernels must be compiled to check each access.
    #[must_use]
    pub fn is_robust(&self) -> bool {
        self.usability.as_ref().is_ok_and(|usable| usable.capabilities.robust)
    }

    pub(crate) fn usable(&self) -> Result<&Arc<Usable>> {
        self.usability
            .as_ref()
            .map_err(|reason| Error::UnusableDevice { name: self.name.clone(), reason: reason.clone() })
    }
}

impl fmt::Display for DeviceInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (major, minor, patch) = self.api_version();
        write!(f, "{} ({}, Vulkan {major}.{minor}.{patch}", self.name, self.kind)?;
        if !self.driver.is_empty() {
            write!(f, ", {}", self.driver)?;
        }
        f.write_str(")")
    }
}

impl fmt::Debug for DeviceInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeviceInfo({}: {self})", self.index)
    }
}

/// Lists the devices of an instance in order of preference.
pub(crate) fn enumerate(instance: &Arc<InstanceHandle>) -> Result<Vec<DeviceInfo>> {
    // SAFETY: the instance lives.
    let handles = unsafe { instance.raw().enumerate_physical_devices() }.map_err(|result| match result {
        vk::Result::ERROR_INITIALIZATION_FAILED => Error::NoDevice,
        other => Error::vulkan("list the devices")(other),
    })?;
    let mut devices =
        handles.into_iter().map(|handle| describe(instance, handle)).collect::<Result<Vec<_>>>()?;
    if devices.is_empty() {
        return Err(Error::NoDevice);
    }
    devices.sort_by_key(|device| device.kind);
    for (index, device) in devices.iter_mut().enumerate() {
        device.index = index;
    }
    Ok(devices)
}

fn describe(instance: &Arc<InstanceHandle>, handle: vk::PhysicalDevice) -> Result<DeviceInfo> {
    // SAFETY: `handle` is a device of the instance.
    let properties = unsafe { instance.raw().get_physical_device_properties(handle) };
    let mut info = DeviceInfo {
        index: 0,
        name: capabilities::device_name(&properties),
        kind: match properties.device_type {
            vk::PhysicalDeviceType::DISCRETE_GPU => DeviceKind::Discrete,
            vk::PhysicalDeviceType::INTEGRATED_GPU => DeviceKind::Integrated,
            vk::PhysicalDeviceType::VIRTUAL_GPU => DeviceKind::Virtual,
            vk::PhysicalDeviceType::CPU => DeviceKind::Cpu,
            _ => DeviceKind::Other,
        },
        api_version: properties.api_version,
        driver: String::new(),
        vendor_id: properties.vendor_id,
        device_id: properties.device_id,
        usability: Err(String::new()),
        handle,
        instance: Arc::clone(instance),
    };
    if properties.api_version < vk::API_VERSION_1_1 {
        info.usability = Err("its driver supports only Vulkan 1.0, but 1.1 is needed".to_owned());
        return Ok(info);
    }
    // SAFETY: `handle` is a device of the instance.
    let extensions = unsafe { instance.raw().enumerate_device_extension_properties(handle) }
        .map_err(Error::vulkan("list the extensions of a device"))?;
    let names = extensions.iter().filter_map(|p| p.extension_name_as_c_str().ok());
    let extensions = names.filter(|name| instance.knows(name)).map(CStr::to_owned).collect();
    let offer = Offer::new(properties.api_version, extensions);
    // SAFETY: a device of this instance, of Vulkan 1.1 or later, and `offer` comes from it.
    let answers = unsafe { capabilities::query(instance, handle, offer) };
    info.driver = driver_text(&answers.extra.driver);
    // SAFETY: `handle` is a device of the instance.
    let families = unsafe { instance.raw().get_physical_device_queue_family_properties(handle) };
    info.usability = match compute_family(&families) {
        None => Err("it has no queue that runs compute shaders".to_owned()),
        Some(compute) => {
            // SAFETY: the same device and its answers.
            let facts = unsafe { properties::describe(instance, handle, &answers, compute.timestamp_bits) };
            let capabilities = answers.capabilities;
            Ok(Arc::new(Usable { capabilities, compute, drawing: drawing_family(&families), facts }))
        }
    };
    Ok(info)
}

/// Name and version of a driver; empty if it does not report them.
fn driver_text(driver: &vk::PhysicalDeviceDriverProperties<'_>) -> String {
    let text =
        |part: Result<&CStr, _>| part.map(|text| text.to_string_lossy().into_owned()).unwrap_or_default();
    let (name, info) = (text(driver.driver_name_as_c_str()), text(driver.driver_info_as_c_str()));
    if info.is_empty() { name } else { format!("{name} {info}") }
}

/// The queue family for launches. It must compute. Families with time stamps come first, then families that
/// do not also draw: on an NVIDIA H200 the same kernel moves data 16 % faster there.
fn compute_family(families: &[vk::QueueFamilyProperties]) -> Option<QueueFamily> {
    let draws =
        |family: &QueueFamily| families[family.index as usize].queue_flags.contains(vk::QueueFlags::GRAPHICS);
    families_with(families, vk::QueueFlags::COMPUTE)
        .min_by_key(|family| (family.timestamp_bits == 0, draws(family), family.index))
}

/// The queue family for launches and windows. It must compute, and draw, because only such a queue scales and
/// converts images. Families with time stamps come first.
fn drawing_family(families: &[vk::QueueFamilyProperties]) -> Option<QueueFamily> {
    families_with(families, vk::QueueFlags::COMPUTE | vk::QueueFlags::GRAPHICS)
        .min_by_key(|family| (family.timestamp_bits == 0, family.index))
}

fn families_with(
    families: &[vk::QueueFamilyProperties],
    flags: vk::QueueFlags,
) -> impl Iterator<Item = QueueFamily> {
    (0..)
        .zip(families)
        .filter(move |(_, family)| family.queue_flags.contains(flags) && family.queue_count > 0)
        .map(|(index, family)| QueueFamily { index, timestamp_bits: family.timestamp_valid_bits })
}

/// See [`crate::Instance::select`].
pub(crate) fn select(devices: Vec<DeviceInfo>, query: &str) -> Result<DeviceInfo> {
    let chosen = position(devices.iter().map(DeviceInfo::name), query);
    let Some(index) = chosen else {
        let devices = devices.iter().map(|device| format!("{}: {device}", device.index)).collect::<Vec<_>>();
        return Err(Error::UnknownDevice { query: query.to_owned(), devices: devices.join("; ") });
    };
    let device = devices.into_iter().nth(index).expect("`position` gives an index of the list");
    device.usable()?;
    Ok(device)
}

/// See [`crate::Instance::default_device`].
pub(crate) fn first_usable(devices: Vec<DeviceInfo>) -> Result<DeviceInfo> {
    match devices.iter().position(|device| device.usability.is_ok()) {
        Some(index) => Ok(devices.into_iter().nth(index).expect("the index is of the list")),
        None => match devices.first().map(DeviceInfo::usable) {
            Some(Err(error)) => Err(error),
            _ => Err(Error::NoDevice),
        },
    }
}

/// Index of the name that `query` means: an index that exists, or else a part of a name.
fn position<'a>(names: impl Iterator<Item = &'a str> + Clone, query: &str) -> Option<usize> {
    let query = query.trim();
    let count = names.clone().count();
    if let Ok(index) = query.parse::<usize>()
        && index < count
    {
        return Some(index);
    }
    let wanted = query.to_lowercase();
    let mut names = names;
    if wanted.is_empty() { None } else { names.position(|name| name.to_lowercase().contains(&wanted)) }
}

#[cfg(test)]
mod tests {
    use super::position;

    #[test]
    fn an_index_wins_over_a_part_of_a_name() {
        let names = ["NVIDIA H200", "llvmpipe (LLVM 15.0.6, 256 bits)"];
        let find = |query| position(names.iter().copied(), query);
        assert_eq!(find("1"), Some(1));
        assert_eq!(find("200"), Some(0), "no device has this index, but a name holds it");
        assert_eq!(find("LLVMpipe"), Some(1));
        assert_eq!(find("radeon"), None);
        assert_eq!(find(" "), None);
    }

    #[test]
    fn a_queue_for_compute_alone_is_preferred_if_it_tells_time() {
        use super::{compute_family, drawing_family, vk};
        let family = |queue_flags, timestamp_valid_bits| vk::QueueFamilyProperties {
            queue_flags,
            timestamp_valid_bits,
            queue_count: 1,
            ..Default::default()
        };
        let (draw, compute) = (vk::QueueFlags::GRAPHICS, vk::QueueFlags::COMPUTE);
        let transfer = family(vk::QueueFlags::TRANSFER, 64);
        let both = family(draw | compute, 64);
        let chosen =
            |families: &[_]| compute_family(families).map(|family| (family.index, family.timestamp_bits));
        assert_eq!(chosen(&[both, transfer, family(compute, 36)]), Some((2, 36)));
        assert_eq!(chosen(&[both, family(compute, 0)]), Some((0, 64)));
        assert_eq!(chosen(&[transfer, family(draw, 64)]), None);
        let drawing = |families: &[_]| drawing_family(families).map(|family| family.index);
        assert_eq!(drawing(&[family(compute, 64), family(draw, 64), both]), Some(2));
        assert_eq!(drawing(&[family(compute, 64)]), None);
    }

    #[test]
    fn kinds_are_ordered_by_preference() {
        use super::DeviceKind::{Cpu, Discrete, Integrated, Other, Virtual};
        let mut kinds = [Other, Cpu, Virtual, Discrete, Integrated];
        kinds.sort();
        assert_eq!(kinds, [Discrete, Integrated, Virtual, Cpu, Other]);
    }
}
