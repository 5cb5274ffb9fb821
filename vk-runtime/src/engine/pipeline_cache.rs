//! The driver's cache of a program's pipelines: from launch to launch, and on disk from process to process.

use crate::vulkan::error::{Error, Result};
use crate::vulkan::handle::Owned;
use crate::vulkan::logical_device::LogicalDevice;
use crate::vulkan::physical_device::DeviceInfo;
use ash::vk;
use clvk_cache::{CacheKey, DiskCache};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of the header of Vulkan's cache data: a driver that returns only the header caches nothing.
const HEADER: usize = 32;

/// The pipeline cache of a program.
pub(crate) struct PipelineCache {
    raw: Owned<vk::PipelineCache>,
    disk: Option<(Arc<DiskCache>, CacheKey)>,
    /// Pipelines compiled so far, and when they were last saved.
    compiled: AtomicU64,
    saved: AtomicU64,
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
        Ok(PipelineCache { raw, disk, compiled: AtomicU64::new(0), saved: AtomicU64::new(0) })
    }

    pub(crate) fn raw(&self) -> vk::PipelineCache {
        self.raw.get()
    }

    /// Notes that a pipeline was compiled. It saves everything now and then, because most processes end
    /// without freeing anything.
    pub(crate) fn note(&self, device: &ash::Device) {
        let compiled = self.compiled.fetch_add(1, Ordering::Relaxed) + 1;
        if compiled.is_power_of_two() {
            self.save(device);
        }
    }

    /// Saves the cache if pipelines were compiled since the last time.
    pub(crate) fn save(&self, device: &ash::Device) {
        let Some((disk, key)) = &self.disk else { return };
        let compiled = self.compiled.load(Ordering::Relaxed);
        if self.saved.swap(compiled, Ordering::Relaxed) == compiled {
            return;
        }
        // SAFETY: the cache is of this device.
        match unsafe { device.get_pipeline_cache_data(self.raw.get()) } {
            Ok(data) if data.len() > HEADER => disk.put(key, &data),
            Ok(_) => {}
            Err(error) => tracing::debug!(%error, "the driver does not return its pipeline cache"),
        }
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
