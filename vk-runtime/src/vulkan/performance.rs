//! The performance counters of a device (`VK_KHR_performance_query`).
//!
//! Only a device that was opened for them has them
//! ([`Purpose::Count`](crate::vulkan::logical_device::Purpose::Count)).

use crate::vulkan::error::{Error, Result};
use ash::{khr, vk};
use std::ffi::c_char;
use vk::{PerformanceCounterScopeKHR as Scope, PerformanceCounterUnitKHR as Unit};

/// A counter of a device.
#[derive(Clone, Debug, PartialEq)]
pub struct PerformanceCounter {
    /// Its name.
    pub name: String,
    /// The group of counters that it is in.
    pub category: String,
    /// What it counts.
    pub description: String,
    /// The unit of its values: `%`, `ns`, `B`, `B/s` and so on; empty for plain numbers.
    pub unit: &'static str,
    /// Its number in the queue family.
    pub(crate) index: u32,
    pub(crate) storage: vk::PerformanceCounterStorageKHR,
    /// Whether it can count a launch.
    pub(crate) suits_launches: bool,
    /// Whether counting makes the launch slower.
    pub(crate) disturbs: bool,
}

/// The counters of a queue family.
pub(crate) struct CounterList {
    physical: vk::PhysicalDevice,
    queue_family: u32,
    functions: khr::performance_query::Instance,
}

impl CounterList {
    /// # Safety
    /// `physical` is a device of the instance, with the extension, its feature and the family. The instance
    /// outlives the list.
    pub(crate) unsafe fn new(
        entry: &ash::Entry,
        instance: &ash::Instance,
        physical: vk::PhysicalDevice,
        queue_family: u32,
    ) -> Self {
        let functions = khr::performance_query::Instance::new(entry, instance);
        CounterList { physical, queue_family, functions }
    }

    /// The counters of the queue.
    pub(crate) fn counters(&self) -> Result<Vec<PerformanceCounter>> {
        let (physical, family, functions) = (self.physical, self.queue_family, &self.functions);
        let failed = || Error::vulkan("list the performance counters of the device");
        // SAFETY: the physical device has the extension and the family (`new`).
        let count = unsafe {
            functions.enumerate_physical_device_queue_family_performance_query_counters_len(physical, family)
        }
        .map_err(failed())?;
        let mut counters = vec![vk::PerformanceCounterKHR::default(); count];
        let mut descriptions = vec![vk::PerformanceCounterDescriptionKHR::default(); count];
        // SAFETY: as before; both slices have room for all counters.
        unsafe {
            functions.enumerate_physical_device_queue_family_performance_query_counters(
                physical,
                family,
                &mut counters,
                &mut descriptions,
            )
        }
        .map_err(failed())?;
        let pairs = (0..).zip(counters.iter().zip(&descriptions));
        Ok(pairs
            .map(|(index, (counter, described))| PerformanceCounter::new(index, counter, described))
            .collect())
    }

    /// How often a launch must run to read these counters.
    pub(crate) fn passes(&self, counters: &[u32]) -> u32 {
        let info = self.pool_info(counters);
        // SAFETY: the physical device has the extension, and the counters are its queue family's.
        unsafe {
            self.functions.get_physical_device_queue_family_performance_query_passes(self.physical, &info)
        }
    }

    /// What a query pool for these counters is created with.
    pub(crate) fn pool_info<'a>(&self, counters: &'a [u32]) -> vk::QueryPoolPerformanceCreateInfoKHR<'a> {
        vk::QueryPoolPerformanceCreateInfoKHR::default()
            .queue_family_index(self.queue_family)
            .counter_indices(counters)
    }
}

/// The counters of a device that was opened for them.
pub(crate) struct Performance {
    pub(crate) list: CounterList,
    device: khr::performance_query::Device,
}

impl Performance {
    /// # Safety
    /// `device` was created from the list's physical device, with the extension and its feature.
    pub(crate) unsafe fn new(list: CounterList, instance: &ash::Instance, device: &ash::Device) -> Self {
        Performance { list, device: khr::performance_query::Device::new(instance, device) }
    }

    /// Takes the lock under which counters are read. It must be released.
    pub(crate) fn lock(&self) -> Result<()> {
        /// Nanoseconds that another profiler may keep it.
        const PATIENCE: u64 = 1_000_000_000;
        let info = vk::AcquireProfilingLockInfoKHR::default().timeout(PATIENCE);
        // SAFETY: the device has the extension and lives as long as its functions.
        unsafe { self.device.acquire_profiling_lock(&info) }
            .map_err(Error::vulkan("get the profiling lock of the device"))
    }

    /// Gives the lock back.
    pub(crate) fn unlock(&self) {
        // SAFETY: the caller has it.
        unsafe { self.device.release_profiling_lock() }
    }
}

impl PerformanceCounter {
    fn new(
        index: u32,
        counter: &vk::PerformanceCounterKHR<'_>,
        described: &vk::PerformanceCounterDescriptionKHR<'_>,
    ) -> Self {
        let disturbs = vk::PerformanceCounterDescriptionFlagsKHR::PERFORMANCE_IMPACTING;
        PerformanceCounter {
            name: text(&described.name),
            category: text(&described.category),
            description: text(&described.description),
            unit: unit(counter.unit),
            index,
            storage: counter.storage,
            suits_launches: matches!(counter.scope, Scope::COMMAND | Scope::COMMAND_BUFFER),
            disturbs: described.flags.contains(disturbs),
        }
    }

    /// The value in the eight bytes of a result.
    pub(crate) fn value(&self, bytes: [u8; 8]) -> f64 {
        use vk::PerformanceCounterStorageKHR as Storage;
        let first = [bytes[0], bytes[1], bytes[2], bytes[3]];
        match self.storage {
            Storage::INT32 => f64::from(i32::from_ne_bytes(first)),
            Storage::UINT32 => f64::from(u32::from_ne_bytes(first)),
            Storage::INT64 => i64::from_ne_bytes(bytes) as f64,
            Storage::FLOAT32 => f64::from(f32::from_ne_bytes(first)),
            Storage::FLOAT64 => f64::from_ne_bytes(bytes),
            _ => u64::from_ne_bytes(bytes) as f64,
        }
    }
}

fn text(characters: &[c_char]) -> String {
    let bytes: Vec<u8> =
        characters.iter().map(|&byte| byte.cast_unsigned()).take_while(|&it| it != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

fn unit(unit: Unit) -> &'static str {
    match unit {
        Unit::PERCENTAGE => "%",
        Unit::NANOSECONDS => "ns",
        Unit::BYTES => "B",
        Unit::BYTES_PER_SECOND => "B/s",
        Unit::KELVIN => "K",
        Unit::WATTS => "W",
        Unit::VOLTS => "V",
        Unit::AMPS => "A",
        Unit::HERTZ => "Hz",
        Unit::CYCLES => "cycles",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vk::PerformanceCounterStorageKHR as Storage;

    #[test]
    fn counters_are_read_as_they_are_stored() {
        let counter = |storage| {
            let mut described = vk::PerformanceCounterDescriptionKHR::default();
            for (to, from) in described.name.iter_mut().zip(b"busy") {
                *to = from.cast_signed();
            }
            let mut counter = vk::PerformanceCounterKHR::default();
            (counter.storage, counter.unit) = (storage, Unit::CYCLES);
            PerformanceCounter::new(3, &counter, &described)
        };
        let wide = |bytes: [u8; 4]| [bytes[0], bytes[1], bytes[2], bytes[3], 0, 0, 0, 0];
        assert_eq!(counter(Storage::INT32).value(wide((-7i32).to_ne_bytes())), -7.0);
        assert_eq!(counter(Storage::UINT32).value(wide(u32::MAX.to_ne_bytes())), f64::from(u32::MAX));
        assert_eq!(counter(Storage::FLOAT32).value(wide(0.5f32.to_ne_bytes())), 0.5);
        assert_eq!(counter(Storage::INT64).value((-9i64).to_ne_bytes()), -9.0);
        assert_eq!(counter(Storage::UINT64).value((1u64 << 40).to_ne_bytes()), (1u64 << 40) as f64);
        assert_eq!(counter(Storage::FLOAT64).value(2.5f64.to_ne_bytes()), 2.5);
        let it = counter(Storage::UINT64);
        assert_eq!((it.name.as_str(), it.unit, it.index, it.suits_launches), ("busy", "cycles", 3, true));
    }
}
