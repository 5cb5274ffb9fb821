//! The images of a window, and how other images are copied there.
//!
//! A frame is a submission apart from the stream's slots: it waits until the window has an image to draw on,
//! copies into that with scaling, and gives it back to the window. Its first barrier orders it after all
//! earlier commands of the stream, and the stream's next submission begins with a barrier too.

use crate::engine::image::ImageInner;
use crate::engine::slot::{DEVICE_STAGES, DEVICE_WRITES};
use crate::engine::stream::Stream;
use crate::vulkan::error::{Error, Result};
use crate::vulkan::handle::Owned;
use crate::vulkan::logical_device::LogicalDevice;
use crate::vulkan::surface::{Surface, SurfaceSupport};
use ash::{khr, vk};
use std::sync::Arc;
use std::time::Duration;
use vk::{AccessFlags, ImageLayout, PipelineStageFlags as Stage};

/// Frames that are recorded while the device still works on others.
const FRAMES: usize = 2;

/// How long the window may take to give an image back.
const ACQUIRE_LIMIT: Duration = Duration::from_secs(10);

/// A copy of a part of an image to a part of the window.
pub(crate) struct Blit {
    pub(crate) image: Arc<ImageInner>,
    pub(crate) regions: vk::ImageBlit,
    pub(crate) filter: vk::Filter,
}

/// What became of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    Yes,
    /// It is shown, but the window has changed.
    Suboptimal,
    /// The window has changed so much that the frame cannot be shown.
    OutOfDate,
}

/// The images of a window in one size.
pub(crate) struct Swapchain {
    raw: vk::SwapchainKHR,
    images: Vec<vk::Image>,
    /// Signalled when the device is done with a frame, one for each image: the window may still wait for it
    /// when the next frame begins.
    drawn: Vec<Owned<vk::Semaphore>>,
    extent: vk::Extent2D,
    _surface: Arc<Surface>,
    device: Arc<LogicalDevice>,
}

impl Swapchain {
    /// Replaces the images of `old`, with which the device must be done.
    pub(crate) fn new(
        device: &Arc<LogicalDevice>,
        surface: &Arc<Surface>,
        support: &SurfaceSupport,
        format: vk::SurfaceFormatKHR,
        mode: vk::PresentModeKHR,
        extent: vk::Extent2D,
        old: Option<&Swapchain>,
    ) -> Result<Self> {
        let capabilities = &support.capabilities;
        let most = if capabilities.max_image_count == 0 { u32::MAX } else { capabilities.max_image_count };
        let alpha = [
            vk::CompositeAlphaFlagsKHR::OPAQUE,
            vk::CompositeAlphaFlagsKHR::INHERIT,
            vk::CompositeAlphaFlagsKHR::PRE_MULTIPLIED,
            vk::CompositeAlphaFlagsKHR::POST_MULTIPLIED,
        ]
        .into_iter()
        .find(|&alpha| capabilities.supported_composite_alpha.contains(alpha));
        let info = vk::SwapchainCreateInfoKHR::default()
            .surface(surface.raw())
            .min_image_count((capabilities.min_image_count + 1).min(most))
            .image_format(format.format)
            .image_color_space(format.color_space)
            .image_extent(extent)
            .image_array_layers(1)
            .image_usage(vk::ImageUsageFlags::TRANSFER_DST)
            .image_sharing_mode(vk::SharingMode::EXCLUSIVE)
            .pre_transform(capabilities.current_transform)
            .composite_alpha(alpha.unwrap_or(vk::CompositeAlphaFlagsKHR::OPAQUE))
            .present_mode(mode)
            .clipped(true)
            .old_swapchain(old.map_or(vk::SwapchainKHR::null(), |old| old.raw));
        let functions = extension(device);
        // SAFETY: the surface supports all of it, as it said, and is of the device's instance. The old
        // swapchain, if there is one, is of this surface.
        let raw = unsafe { functions.create_swapchain(&info, None) }
            .map_err(Error::vulkan("make images for the window"))?;
        let mut swapchain = Swapchain {
            raw,
            images: Vec::new(),
            drawn: Vec::new(),
            extent,
            _surface: Arc::clone(surface),
            device: Arc::clone(device),
        };
        // SAFETY: just created from this device.
        swapchain.images = unsafe { functions.get_swapchain_images(raw) }
            .map_err(Error::vulkan("list the images of the window"))?;
        let drawn = swapchain.images.iter().map(|_| device.create_semaphore());
        swapchain.drawn = drawn.collect::<Result<_>>()?;
        Ok(swapchain)
    }

    pub(crate) fn extent(&self) -> vk::Extent2D {
        self.extent
    }
}

impl Drop for Swapchain {
    fn drop(&mut self) {
        // SAFETY: this is the only owner; whoever drops it has waited for its frames.
        unsafe { extension(&self.device).destroy_swapchain(self.raw, None) }
    }
}

fn extension(device: &LogicalDevice) -> &khr::swapchain::Device {
    device.swapchain_extension().expect("the device was opened for windows")
}

/// The command buffers for frames, used in turn.
pub(crate) struct Frames {
    frames: Vec<Frame>,
    next: usize,
    device: Arc<LogicalDevice>,
}

struct Frame {
    pool: Owned<vk::CommandPool>,
    buffer: vk::CommandBuffer,
    /// Signalled when the window has an image for the frame.
    acquired: Owned<vk::Semaphore>,
    /// Signalled when the device is done.
    done: Owned<vk::Fence>,
    /// Whether it was submitted, and `done` not yet reset.
    submitted: bool,
    /// What the device reads.
    keeps: Vec<Arc<ImageInner>>,
}

impl Frames {
    pub(crate) fn new(device: &Arc<LogicalDevice>) -> Result<Self> {
        let frames = (0..FRAMES).map(|_| Frame::new(device)).collect::<Result<_>>()?;
        Ok(Frames { frames, next: 0, device: Arc::clone(device) })
    }

    /// Waits until the device is done with all frames, and the window system with their semaphores.
    pub(crate) fn wait(&mut self, stream: &Stream, limit: Duration) -> Result<()> {
        self.frames.iter_mut().try_for_each(|frame| frame.wait(&self.device, limit))?;
        stream.submit_apart(|queue| {
            // SAFETY: the queue is the device's, and the stream lets nobody else use it.
            unsafe { self.device.raw().queue_wait_idle(queue) }.map_err(Error::vulkan("finish a frame"))
        })
    }

    /// Shows these parts of images; the rest of the window becomes `background`.
    pub(crate) fn show(
        &mut self,
        swapchain: &Swapchain,
        stream: &Stream,
        background: vk::ClearColorValue,
        blits: Vec<Blit>,
        limit: Duration,
    ) -> Result<Shown> {
        let functions = extension(&self.device);
        let frame = &mut self.frames[self.next];
        frame.wait(&self.device, limit)?;
        let nanoseconds = u64::try_from(ACQUIRE_LIMIT.as_nanos()).unwrap_or(u64::MAX);
        // SAFETY: the semaphore is not signalled and nothing waits for it: the frame before that used it is
        // done.
        let acquired = unsafe {
            functions.acquire_next_image(swapchain.raw, nanoseconds, frame.acquired.get(), vk::Fence::null())
        };
        let (index, mut shown) = match acquired {
            Ok((index, false)) => (index, Shown::Yes),
            Ok((index, true)) => (index, Shown::Suboptimal),
            Err(vk::Result::ERROR_OUT_OF_DATE_KHR) => return Ok(Shown::OutOfDate),
            Err(vk::Result::TIMEOUT | vk::Result::NOT_READY) => {
                return Err(Error::Timeout { seconds: ACQUIRE_LIMIT.as_secs_f64() });
            }
            Err(other) => return Err(Error::vulkan("get an image of the window")(other)),
        };
        frame.record(&self.device, swapchain.images[index as usize], background, &blits)?;
        frame.keeps.extend(blits.into_iter().map(|blit| blit.image));
        let drawn = [swapchain.drawn[index as usize].get()];
        let presented = stream.submit_apart(|queue| {
            let (waits, stages) = ([frame.acquired.get()], [Stage::TRANSFER]);
            let buffers = [frame.buffer];
            let info = vk::SubmitInfo::default()
                .wait_semaphores(&waits)
                .wait_dst_stage_mask(&stages)
                .command_buffers(&buffers)
                .signal_semaphores(&drawn);
            // SAFETY: the command buffer is complete and not pending, and the frame keeps what it uses. The
            // stream lets nobody else use the queue. `acquired` will be signalled, `drawn` is not: the window
            // gave its image back, so it has waited for it. The fence is not signalled.
            unsafe { self.device.raw().queue_submit(queue, &[info], frame.done.get()) }
                .map_err(Error::vulkan("submit a frame"))?;
            frame.submitted = true;
            let (chains, indices) = ([swapchain.raw], [index]);
            let info = vk::PresentInfoKHR::default()
                .wait_semaphores(&drawn)
                .swapchains(&chains)
                .image_indices(&indices);
            // SAFETY: the image was acquired, and its layout will be `PRESENT_SRC_KHR` when the semaphore
            // is signalled.
            Ok(unsafe { functions.queue_present(queue, &info) })
        })?;
        self.next = (self.next + 1) % self.frames.len();
        match presented {
            Ok(false) => {}
            Ok(true) => shown = Shown::Suboptimal,
            Err(vk::Result::ERROR_OUT_OF_DATE_KHR) => shown = Shown::OutOfDate,
            Err(other) => return Err(Error::vulkan("show a frame")(other)),
        }
        Ok(shown)
    }
}

impl Frame {
    fn new(device: &Arc<LogicalDevice>) -> Result<Self> {
        let info = vk::CommandPoolCreateInfo::default()
            .queue_family_index(device.queue_family())
            .flags(vk::CommandPoolCreateFlags::TRANSIENT);
        // SAFETY: the family is the one that the device was created with.
        let pool = unsafe { device.raw().create_command_pool(&info, None) }
            .map_err(Error::vulkan("create a command pool"))?;
        // SAFETY: just created from this device.
        let pool = unsafe { Owned::new(device, pool) };
        let info = vk::CommandBufferAllocateInfo::default().command_pool(pool.get()).command_buffer_count(1);
        // SAFETY: the pool is of this device and used by nothing else.
        let buffers = unsafe { device.raw().allocate_command_buffers(&info) }
            .map_err(Error::vulkan("allocate a command buffer"))?;
        Ok(Frame {
            pool,
            buffer: buffers[0],
            acquired: device.create_semaphore()?,
            done: device.create_fence()?,
            submitted: false,
            keeps: Vec::new(),
        })
    }

    /// Waits until the device is done with it, and makes it ready to be used again.
    fn wait(&mut self, device: &LogicalDevice, limit: Duration) -> Result<()> {
        if !self.submitted {
            return Ok(());
        }
        let nanoseconds = u64::try_from(limit.as_nanos()).unwrap_or(u64::MAX);
        let fences = [self.done.get()];
        // SAFETY: the fence is of this device and was submitted.
        match unsafe { device.raw().wait_for_fences(&fences, true, nanoseconds) } {
            Ok(()) => {}
            Err(vk::Result::TIMEOUT) => return Err(Error::Timeout { seconds: limit.as_secs_f64() }),
            Err(other) => return Err(Error::vulkan("finish a frame")(other)),
        }
        self.keeps.clear();
        // SAFETY: the submission that would signal the fence is done.
        unsafe { device.raw().reset_fences(&fences) }.map_err(Error::vulkan("reset a fence"))?;
        self.submitted = false;
        Ok(())
    }

    /// Records the copies into an image of the window.
    fn record(
        &mut self,
        device: &LogicalDevice,
        target: vk::Image,
        background: vk::ClearColorValue,
        blits: &[Blit],
    ) -> Result<()> {
        let (device, buffer) = (device.raw(), self.buffer);
        let none = vk::DependencyFlags::empty();
        let whole = vk::ImageSubresourceRange {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            base_mip_level: 0,
            level_count: 1,
            base_array_layer: 0,
            layer_count: 1,
        };
        let change = |from: ImageLayout, to: ImageLayout, written: AccessFlags, accessed: AccessFlags| {
            vk::ImageMemoryBarrier::default()
                .image(target)
                .subresource_range(whole)
                .old_layout(from)
                .new_layout(to)
                .src_access_mask(written)
                .dst_access_mask(accessed)
                .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
        };
        let (drawing, showing) = (ImageLayout::TRANSFER_DST_OPTIMAL, ImageLayout::PRESENT_SRC_KHR);
        let write = AccessFlags::TRANSFER_WRITE;
        let earlier = vk::MemoryBarrier::default()
            .src_access_mask(DEVICE_WRITES)
            .dst_access_mask(AccessFlags::TRANSFER_READ | write);
        let begin = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        // SAFETY: the device is done with the command buffer, which is the only one of its pool. The window's
        // image is acquired, and what it held is not needed. The images that are read are kept by the frame
        // and in the layout `GENERAL`; their formats and the regions were checked (`objects::presenter`).
        unsafe {
            let failed = "record a frame";
            device
                .reset_command_pool(self.pool.get(), vk::CommandPoolResetFlags::empty())
                .map_err(Error::vulkan(failed))?;
            device.begin_command_buffer(buffer, &begin).map_err(Error::vulkan(failed))?;
            let acquired = change(ImageLayout::UNDEFINED, drawing, AccessFlags::empty(), write);
            device.cmd_pipeline_barrier(
                buffer,
                DEVICE_STAGES,
                Stage::TRANSFER,
                none,
                &[earlier],
                &[],
                &[acquired],
            );
            device.cmd_clear_color_image(buffer, target, drawing, &background, &[whole]);
            for blit in blits {
                let cleared = change(drawing, drawing, write, write);
                device.cmd_pipeline_barrier(
                    buffer,
                    Stage::TRANSFER,
                    Stage::TRANSFER,
                    none,
                    &[],
                    &[],
                    &[cleared],
                );
                let image = blit.image.raw();
                device.cmd_blit_image(
                    buffer,
                    image,
                    ImageLayout::GENERAL,
                    target,
                    drawing,
                    &[blit.regions],
                    blit.filter,
                );
            }
            let drawn = change(drawing, showing, write, AccessFlags::empty());
            let end = Stage::BOTTOM_OF_PIPE;
            device.cmd_pipeline_barrier(buffer, Stage::TRANSFER, end, none, &[], &[], &[drawn]);
            device.end_command_buffer(buffer).map_err(Error::vulkan(failed))
        }
    }
}
