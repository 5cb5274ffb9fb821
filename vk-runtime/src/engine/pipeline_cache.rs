//! The driver's cache of a program's pipelines: from launch to launch, and on disk from process to process.
//!
//! What several processes add at the same time is merged (`clvk_cache::Part`).

use crate::vulkan::error::{Error, Result};
use crate::vulkan::handle::{Owned, lock};
use crate::vulkan::logical_device::LogicalDevice;
use crate::vulkan::physical_device::DeviceInfo;
use ash::vk;
use clvk_cache::{CacheKey, DiskCache, Part};
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
    state: Mutex<State>,
}

/// What only one thread at a time does something with.
#[derive(Default)]
struct State {
    unsaved: Unsaved,
    /// The files whose contents are in `raw` or `others`.
    known: Vec<Part>,
    /// What other processes have added since this one began. Threads compile with `raw`, so nothing can be
    /// merged into that.
    others: Option<Owned<vk::PipelineCache>>,
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
        let parts = disk.as_ref().map(|(disk, key)| disk.new_parts(key, &[])).unwrap_or_default();
        let (first, rest) = parts.split_at(parts.len().min(1));
        let raw = create(logical, first.first().map_or(&[], |(_, data)| data))?;
        let mut known: Vec<Part> = first.iter().map(|(part, _)| part.clone()).collect();
        if !rest.is_empty() {
            known.extend(merge(logical, &raw, rest)?);
        }
        Ok(PipelineCache { raw, disk, state: Mutex::new(State { known, ..State::default() }) })
    }

    pub(crate) fn raw(&self) -> vk::PipelineCache {
        self.raw.get()
    }

    /// Notes that a pipeline was compiled, which took this long. It saves everything once that is worth it,
    /// because most processes end without freeing anything.
    pub(crate) fn note(&self, device: &Arc<LogicalDevice>, took: Duration) {
        let mut state = lock(&self.state);
        if state.unsaved.add(took) {
            self.write(device, &mut state);
        }
    }

    /// Saves the cache if pipelines were compiled since the last time.
    pub(crate) fn save(&self, device: &Arc<LogicalDevice>) {
        let mut state = lock(&self.state);
        if !state.unsaved.time.is_zero() {
            self.write(device, &mut state);
        }
    }

    /// Writes the file. The lock keeps older data from replacing newer.
    fn write(&self, device: &Arc<LogicalDevice>, state: &mut State) {
        let Some((disk, key)) = &self.disk else { return };
        let began = Instant::now();
        match self.contents(device, state, disk.new_parts(key, &state.known)) {
            Ok(data) if data.len() > HEADER => {
                if let Some(part) = disk.add_part(key, &data, &state.known) {
                    state.known = vec![part];
                }
            }
            Ok(_) => {}
            Err(error) => tracing::debug!(%error, "the driver does not return its pipeline cache"),
        }
        state.unsaved.saved(began.elapsed());
    }

    /// The data of this cache and of what other processes have added, also in these new files.
    fn contents(
        &self,
        device: &Arc<LogicalDevice>,
        state: &mut State,
        added: Vec<(Part, Vec<u8>)>,
    ) -> Result<Vec<u8>> {
        if !added.is_empty() && state.others.is_none() {
            state.others = Some(create(device, &[])?);
        }
        let Some(others) = &state.others else { return data(device, &self.raw) };
        if !added.is_empty() {
            state.known.extend(merge(device, others, &added)?);
        }
        let all = create(device, &[])?;
        merge_into(device, &all, &[self.raw.get(), others.get()])?;
        data(device, &all)
    }
}

/// A cache with the driver's data of an earlier one, which may be none.
fn create(device: &Arc<LogicalDevice>, data: &[u8]) -> Result<Owned<vk::PipelineCache>> {
    let info = vk::PipelineCacheCreateInfo::default().initial_data(data);
    // SAFETY: the data lives until after the call. It comes from `vkGetPipelineCacheData`, because its
    // checksum is right, and a driver refuses data of another driver itself.
    let raw = unsafe { device.raw().create_pipeline_cache(&info, None) }
        .map_err(Error::vulkan("create a pipeline cache"))?;
    // SAFETY: just created from this device.
    Ok(unsafe { Owned::new(device, raw) })
}

/// Adds what is in files to a cache that no other thread uses; returns the files.
fn merge(
    device: &Arc<LogicalDevice>,
    into: &Owned<vk::PipelineCache>,
    parts: &[(Part, Vec<u8>)],
) -> Result<Vec<Part>> {
    let caches = parts.iter().map(|(_, data)| create(device, data)).collect::<Result<Vec<_>>>()?;
    let raw: Vec<vk::PipelineCache> = caches.iter().map(Owned::get).collect();
    merge_into(device, into, &raw)?;
    Ok(parts.iter().map(|(part, _)| part.clone()).collect())
}

/// Adds what is in other caches to one that no other thread uses.
fn merge_into(
    device: &Arc<LogicalDevice>,
    into: &Owned<vk::PipelineCache>,
    from: &[vk::PipelineCache],
) -> Result<()> {
    // SAFETY: all caches are of this device, `into` is not among `from`, and only this thread uses it.
    unsafe { device.raw().merge_pipeline_caches(into.get(), from) }
        .map_err(Error::vulkan("merge pipeline caches"))
}

/// The driver's data of a cache.
fn data(device: &Arc<LogicalDevice>, cache: &Owned<vk::PipelineCache>) -> Result<Vec<u8>> {
    // SAFETY: the cache is of this device.
    unsafe { device.raw().get_pipeline_cache_data(cache.get()) }
        .map_err(Error::vulkan("read a pipeline cache"))
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
