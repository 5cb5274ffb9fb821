//! Owners of Vulkan handles: one per handle, whose `Drop` destroys it.
//!
//! Invariant: an [`Owned`] handle is destroyed only when the device no longer uses it. The owner does not
//! check that; a submission keeps every handle that its commands use until the device is done with it (see
//! `engine::slot`). Sub-allocated memory is not owned here (see `memory`).

use crate::vulkan::logical_device::LogicalDevice;
use ash::vk;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Locks a mutex whose data stays consistent even when a holder panicked.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A number for a device, buffer or image, never reused.
pub(crate) fn next_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// A handle that is destroyed through its device.
pub(crate) trait Destroy: Copy {
    /// # Safety
    /// `self` was created from `device`, is not in use and is not used again.
    unsafe fn destroy(self, device: &ash::Device);
}

macro_rules! destroy {
    ($($handle:ident by $function:ident),+ $(,)?) => {
        $(impl Destroy for vk::$handle {
            unsafe fn destroy(self, device: &ash::Device) {
                // SAFETY: as the caller promises.
                unsafe { device.$function(self, None) }
            }
        })+
    };
}

destroy! {
    Buffer by destroy_buffer,
    CommandPool by destroy_command_pool,
    DescriptorPool by destroy_descriptor_pool,
    DescriptorSetLayout by destroy_descriptor_set_layout,
    DeviceMemory by free_memory,
    Fence by destroy_fence,
    Image by destroy_image,
    ImageView by destroy_image_view,
    BufferView by destroy_buffer_view,
    Pipeline by destroy_pipeline,
    PipelineCache by destroy_pipeline_cache,
    PipelineLayout by destroy_pipeline_layout,
    QueryPool by destroy_query_pool,
    Sampler by destroy_sampler,
    Semaphore by destroy_semaphore,
    ShaderModule by destroy_shader_module,
}

/// The only owner of a handle.
pub(crate) struct Owned<H: Destroy> {
    handle: H,
    device: Arc<LogicalDevice>,
}

impl<H: Destroy> Owned<H> {
    /// # Safety
    /// `handle` was created from `device` and nothing else destroys it.
    pub(crate) unsafe fn new(device: &Arc<LogicalDevice>, handle: H) -> Self {
        Owned { handle, device: Arc::clone(device) }
    }

    pub(crate) fn get(&self) -> H {
        self.handle
    }
}

impl<H: Destroy> Drop for Owned<H> {
    fn drop(&mut self) {
        // SAFETY: this is the only owner (`new`), and what the device still uses is kept alive by its
        // submission.
        unsafe { self.handle.destroy(self.device.raw()) }
    }
}
