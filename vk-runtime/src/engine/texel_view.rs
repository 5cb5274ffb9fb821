//! Views of buffers as pixels (`image1d_buffer_t`, Vulkan's texel buffers).

use crate::engine::buffer::BufferInner;
use crate::engine::hazard::Access;
use crate::vulkan::error::{Error, Result};
use crate::vulkan::handle::Owned;
use crate::vulkan::logical_device::LogicalDevice;
use ash::vk;
use std::ops::Range;
use std::sync::Arc;

/// The part of an image made from a buffer that in-flight work keeps alive.
pub(crate) struct TexelView {
    // Destroyed before the buffer.
    view: Owned<vk::BufferView>,
    pub(crate) buffer: Arc<BufferInner>,
    range: Range<u64>,
}

impl TexelView {
    /// A range of a buffer as pixels of a format. The device must support texel buffers of this format,
    /// length and offset.
    pub(crate) fn new(
        logical: &Arc<LogicalDevice>,
        buffer: Arc<BufferInner>,
        format: vk::Format,
        range: Range<u64>,
    ) -> Result<Self> {
        let info = vk::BufferViewCreateInfo::default()
            .buffer(buffer.raw())
            .format(format)
            .offset(range.start)
            .range(range.end - range.start);
        // SAFETY: the buffer is of this device and has the usages for texels; format, range and alignment are
        // as the caller promises.
        let view = unsafe { logical.raw().create_buffer_view(&info, None) }
            .map_err(Error::vulkan("create a buffer view"))?;
        // SAFETY: just created from this device.
        let view = unsafe { Owned::new(logical, view) };
        Ok(TexelView { view, buffer, range })
    }

    pub(crate) fn raw(&self) -> vk::BufferView {
        self.view.get()
    }

    /// A use of the pixels.
    pub(crate) fn access(&self, write: bool) -> Access {
        self.buffer.access(self.range.clone(), write)
    }
}
