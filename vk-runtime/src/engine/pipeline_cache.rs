//! The driver's cache of a program's pipelines: from launch to launch, and on disk from process to process.

use crate::vulkan::error::{Error, Result};
use crate::vulkan::handle::{Owned, lock};
use crate::vulkan::logical_device::LogicalDevice;
use crate::vulkan::physical_device::DeviceInfo;
use ash::vk;
use clvk_cache::{CacheKey, DiskCache};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Bytes of the header of Vulkan's cache data: a driver that returns only the header caches nothing.
const HEADER: usize = 32;

/// A saving waits until what was compiled since the last one took this many times as long. So savings cost
/// little, and little is lost if the process ends.
const SHARE: u32 = 4;

/// What was compiled since the last saving.
struct Unsaved {
    /// How long that took.
    time: Duration,
    /// How long the last saving took; before the first one, less than any takes.
    cost: Duration,
}

impl Default for Unsaved {
    fn default() -> Self {
        Unsaved { time: Duration::ZERO, cost: Duration::from_micros(100) }
    }
}

impl Unsaved {
    /// Adds what took this long; returns whether it is time to save.
    fn add(&mut self, took: Duration) -> bool {
        self.time += took;
        self.time >= self.cost * SHARE
    }

    /// Nothing is left after a saving that took this long.
    fn saved(&mut self, cost: Duration) {
        *self = Unsaved { time: Duration::ZERO, cost };
    }
}

/// The pipeline cache of a program.
pub(crate) struct PipelineCache {
    raw: Owned<vk::PipelineCache>,
    disk: Option<(Arc<DiskCache>, CacheKey)>,
    unsaved: Mutex<Unsaved>,
}

impl PipelineCache {
    /// The cache for a program, with the data of earlier processes.
    pub(crate) fn new(
        logical: &Arc<LogicalDevice>,
        device: &DeviceInfo,
        spirv: &[u32],
        disk: Option<&Arc<DiskCache>>,
    ) -> Result<Self> {
        let disk = disk.map(|disk| {
            let key = driver_key(device).with(bytemuck::cast_slice(spirv));
            (Arc::clone(disk), key)
        });
        let data = disk.as_ref().and_then(|(disk, key)| disk.get(key)).unwrap_or_default();
        let info = vk::PipelineCacheCreateInfo::default().initial_data(&data);
        // SAFETY: the data lives until after the call. It comes from `vkGetPipelineCacheData`, because its
        // checksum is right, and a driver refuses data of another driver itself.
        let raw = unsafe { logical.raw().create_pipeline_cache(&info, None) }
            .map_err(Error::vulkan("create a pipeline cache"))?;
        // SAFETY: just created from this device.
        let raw = unsafe { Owned::new(logical, raw) };
        Ok(PipelineCache { raw, disk, unsaved: Mutex::default() })
    }

    pub(crate) fn raw(&self) -> vk::PipelineCache {
        self.raw.get()
    }

    /// Notes that a pipeline was compiled, which took this long. It saves everything once that is worth it,
    /// because most processes end without freeing anything.
    pub(crate) fn note(&self, device: &ash::Device, took: Duration) {
        let mut unsaved = lock(&self.unsaved);
        if unsaved.add(took) {
            self.write(device, &mut unsaved);
        }
    }

    /// Saves the cache if pipelines were compiled since the last time.
    pub(crate) fn save(&self, device: &ash::Device) {
        let mut unsaved = lock(&self.unsaved);
        if !unsaved.time.is_zero() {
            self.write(device, &mut unsaved);
        }
    }

    /// Writes the file. The lock keeps older data from replacing newer.
    fn write(&self, device: &ash::Device, unsaved: &mut Unsaved) {
        let Some((disk, key)) = &self.disk else { return };
        let began = Instant::now();
        // SAFETY: the cache is of this device.
        match unsafe { device.get_pipeline_cache_data(self.raw.get()) } {
            Ok(data) if data.len() > HEADER => disk.put(key, &data),
            Ok(_) => {}
            Err(error) => tracing::debug!(%error, "the driver does not return its pipeline cache"),
        }
        unsaved.saved(began.elapsed());
    }
}

/// A key of a driver on a device.
fn driver_key(info: &DeviceInfo) -> CacheKey {
    let (vendor, kind) = info.pci_id();
    let mut key = CacheKey::new("pipeline").with(&vendor.to_le_bytes()).with(&kind.to_le_bytes());
    key = key.with(info.name().as_bytes()).with(info.driver().as_bytes());
    if let Some(facts) = info.facts() {
        key = key.with(&facts.driver_version.to_le_bytes()).with(&facts.driver_uuid).with(&facts.device_uuid);
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How often pipelines that take this long are saved, where a saving takes a millisecond.
    fn savings(microseconds: &[u64]) -> usize {
        let mut unsaved = Unsaved::default();
        let due = microseconds.iter().filter(|&&took| {
            let due = unsaved.add(Duration::from_micros(took));
            if due {
                unsaved.saved(Duration::from_millis(1));
            }
            due
        });
        due.count()
    }

    #[test]
    fn what_took_long_is_saved_at_once() {
        assert_eq!(savings(&[25_000; 3]), 3);
    }

    #[test]
    fn pipelines_from_the_cache_are_rarely_saved() {
        // The first saving is due before its cost is known.
        assert_eq!(savings(&[200; 42]), 3);
    }
}
