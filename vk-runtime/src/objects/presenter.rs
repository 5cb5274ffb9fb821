//! Images shown in a window.

use crate::engine::swapchain::{Blit, Frames, Shown, Swapchain};
use crate::objects::device::Device;
use crate::objects::image::Image;
use crate::vulkan::error::{Error, Result};
use crate::vulkan::surface::{Surface, SurfaceSupport};
use ash::vk;
use clvk_interface::ImageDimension;
use std::fmt;
use std::sync::Arc;

/// How a presenter shows images.
#[derive(Clone, Debug)]
pub struct PresenterOptions {
    /// Shows each image for at least one refresh of the screen, so that [`Presenter::present`] waits for the
    /// screen. Otherwise the newest image is shown at once, where the window system allows that.
    pub wait_for_screen: bool,
    /// The colour of the window where no image is: red, green and blue from 0 to 1.
    pub background: [f32; 3],
}

impl Default for PresenterOptions {
    fn default() -> Self {
        PresenterOptions { wait_for_screen: true, background: [0.0; 3] }
    }
}

/// A rectangle of pixels: its corner and its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PixelRectangle {
    /// Left and top.
    pub origin: [u32; 2],
    /// Width and height.
    pub extent: [u32; 2],
}

/// A part of an image, and where in the window it is shown, scaled to that size.
#[derive(Clone, Copy, Debug)]
pub struct Layer<'a> {
    /// A two-dimensional image whose channels are floating-point or normalised.
    pub image: &'a Image,
    /// The part that is shown.
    pub from: PixelRectangle,
    /// Where. What lies beyond the window is an error.
    pub to: PixelRectangle,
    /// Whether pixels are interpolated when they are scaled, instead of repeated.
    pub smooth: bool,
}

/// Shows images of a device in a window, without copies through the host.
///
/// Values are shown as they are: 0 to 1, or 0 to 255, are the intensities of an ordinary picture (sRGB).
pub struct Presenter {
    // Dropped in this order: frames use the swapchain's images.
    frames: Frames,
    swapchain: Option<Swapchain>,
    surface: Arc<Surface>,
    size: [u32; 2],
    options: PresenterOptions,
    device: Device,
}

impl Presenter {
    /// Shows images of a device that was opened for that
    /// ([`DeviceOptions::presentation`](crate::DeviceOptions::presentation)) in a window of this size in
    /// pixels.
    ///
    /// # Errors
    /// [`Error::Presentation`] if the device cannot show images in this window, or a failure of Vulkan.
    pub fn new(
        device: &Device,
        surface: Surface,
        size: [u32; 2],
        options: &PresenterOptions,
    ) -> Result<Self> {
        let logical = &device.shared.heap.logical;
        if logical.swapchain_extension().is_none() {
            return Err(refuse(device, "the device was not opened for windows"));
        }
        if !surface.is_of(device.info()) {
            return Err(refuse(device, "window and device are of different Vulkan instances"));
        }
        let frames = Frames::new(logical)?;
        let mut presenter = Presenter {
            frames,
            swapchain: None,
            surface: Arc::new(surface),
            size,
            options: options.clone(),
            device: device.clone(),
        };
        presenter.renew()?;
        Ok(presenter)
    }

    /// Width and height in pixels of what can be drawn on; zeros while the window is minimised.
    #[must_use]
    pub fn size(&self) -> [u32; 2] {
        self.swapchain.as_ref().map_or([0; 2], |chain| [chain.extent().width, chain.extent().height])
    }

    /// Tells that the window has another size now, in pixels. Zeros mean that it is minimised.
    ///
    /// # Errors
    /// A failure of Vulkan.
    pub fn resize(&mut self, size: [u32; 2]) -> Result<()> {
        self.size = size;
        self.renew()
    }

    /// Draws the layers, later ones over earlier ones, and shows them after everything that was submitted
    /// before. Returns whether they are shown: not while the window is minimised, nor if it has just changed
    /// its size, which [`Presenter::size`] then tells.
    ///
    /// # Errors
    /// [`Error::Presentation`] if an image is of another device or cannot be shown, [`Error::ImageRegion`],
    /// [`Error::Timeout`], or a failure of the device.
    pub fn present(&mut self, layers: &[Layer<'_>]) -> Result<bool> {
        let Some(swapchain) = &self.swapchain else {
            self.renew()?; // The window may be back.
            return Ok(false);
        };
        let blits = layers.iter().map(|layer| self.blit(layer)).collect::<Result<_>>()?;
        let [red, green, blue] = self.options.background;
        let background = vk::ClearColorValue { float32: [red, green, blue, 1.0] };
        let limit = self.device.shared.options.wait_timeout;
        let shown = self.frames.show(swapchain, self.device.stream(), background, blits, limit)?;
        if shown != Shown::Yes {
            self.renew()?;
        }
        Ok(shown != Shown::OutOfDate)
    }

    /// Checks a layer.
    fn blit(&self, layer: &Layer<'_>) -> Result<Blit> {
        let description = layer.image.description();
        if !self.device.is(layer.image.device()) {
            return Err(refuse(&self.device, "the image is of another device"));
        }
        if description.dimension != ImageDimension::D2 {
            return Err(refuse(&self.device, "the image is not two-dimensional"));
        }
        let support = description.format.vulkan().map(|format| self.device.info().blit_support(format));
        let Some(support) = support.filter(|support| support.from && description.format.is_real()) else {
            let reason = format!("images of format {} cannot be scaled", description.format);
            return Err(refuse(&self.device, &reason));
        };
        check_inside(layer.from, [description.width, description.height], "the image")?;
        check_inside(layer.to, self.size(), "the window")?;
        let color = vk::ImageSubresourceLayers {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            mip_level: 0,
            base_array_layer: 0,
            layer_count: 1,
        };
        let regions = vk::ImageBlit {
            src_subresource: color,
            src_offsets: corners(layer.from),
            dst_subresource: color,
            dst_offsets: corners(layer.to),
        };
        let smooth = layer.smooth && support.smooth;
        let filter = if smooth { vk::Filter::LINEAR } else { vk::Filter::NEAREST };
        Ok(Blit { image: layer.image.inner(), regions, filter })
    }

    /// Makes the images of the window anew; none while it is minimised.
    fn renew(&mut self) -> Result<()> {
        let limit = self.device.shared.options.wait_timeout;
        self.frames.wait(self.device.stream(), limit)?;
        let family = self.device.shared.heap.logical.queue_family();
        let Some(support) = self.surface.support(self.device.info(), family)? else {
            return Err(refuse(&self.device, "the window cannot show what its queue draws"));
        };
        let extent = extent(&support.capabilities, self.size);
        if extent.width == 0 || extent.height == 0 {
            self.swapchain = None;
            return Ok(());
        }
        if !support.capabilities.supported_usage_flags.contains(vk::ImageUsageFlags::TRANSFER_DST) {
            return Err(refuse(&self.device, "its driver cannot copy to the window"));
        }
        let Some(format) = self.format(&support) else {
            return Err(refuse(&self.device, "no format of the window takes copies of images"));
        };
        let mode = self.mode(&support);
        let logical = &self.device.shared.heap.logical;
        let old = self.swapchain.take();
        let new = Swapchain::new(logical, &self.surface, &support, format, mode, extent, old.as_ref())?;
        self.swapchain = Some(new);
        Ok(())
    }

    /// The format of the window that shows values as they are.
    fn format(&self, support: &SurfaceSupport) -> Option<vk::SurfaceFormatKHR> {
        let usable = |format: &&vk::SurfaceFormatKHR| self.device.info().blit_support(format.format).to;
        let plain = [
            vk::Format::B8G8R8A8_UNORM,
            vk::Format::R8G8B8A8_UNORM,
            vk::Format::A8B8G8R8_UNORM_PACK32,
            vk::Format::A2B10G10R10_UNORM_PACK32,
            vk::Format::A2R10G10B10_UNORM_PACK32,
            vk::Format::R5G6B5_UNORM_PACK16,
        ];
        let formats = || support.formats.iter().filter(usable);
        let wanted = plain.iter().find_map(|&plain| {
            formats().find(|format| {
                format.format == plain && format.color_space == vk::ColorSpaceKHR::SRGB_NONLINEAR
            })
        });
        wanted.or_else(|| formats().next()).copied()
    }

    fn mode(&self, support: &SurfaceSupport) -> vk::PresentModeKHR {
        let at_once = [vk::PresentModeKHR::MAILBOX, vk::PresentModeKHR::IMMEDIATE];
        let wanted = if self.options.wait_for_screen { &[][..] } else { &at_once };
        // Every window has FIFO.
        let found = wanted.iter().find(|mode| support.modes.contains(mode));
        found.copied().unwrap_or(vk::PresentModeKHR::FIFO)
    }
}

impl Drop for Presenter {
    fn drop(&mut self) {
        let limit = self.device.shared.options.wait_timeout;
        let idle = self.frames.wait(self.device.stream(), limit);
        if let Err(error) = idle {
            tracing::error!(%error, "a window is closed while the device still draws in it");
            // What the device still uses must stay.
            std::mem::forget(self.swapchain.take());
        }
    }
}

impl fmt::Debug for Presenter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Presenter").field("size", &self.size()).finish_non_exhaustive()
    }
}

fn refuse(device: &Device, reason: &str) -> Error {
    Error::Presentation { device: device.info().name().to_owned(), reason: reason.to_owned() }
}

/// The size of the images of a window: the window's own, if it says one, otherwise the wanted size.
fn extent(capabilities: &vk::SurfaceCapabilitiesKHR, wanted: [u32; 2]) -> vk::Extent2D {
    let current = capabilities.current_extent;
    if current.width != u32::MAX {
        return current;
    }
    let (least, most) = (capabilities.min_image_extent, capabilities.max_image_extent);
    if wanted.contains(&0) {
        return vk::Extent2D::default();
    }
    vk::Extent2D {
        width: wanted[0].clamp(least.width, most.width),
        height: wanted[1].clamp(least.height, most.height),
    }
}

fn check_inside(rectangle: PixelRectangle, size: [u32; 2], what: &str) -> Result<()> {
    for ((origin, extent), size) in rectangle.origin.into_iter().zip(rectangle.extent).zip(size) {
        if extent == 0 || origin.checked_add(extent).is_none_or(|end| end > size) {
            let reason =
                format!("origin {origin} and extent {extent} are not within {what}, whose size is {size}");
            return Err(Error::ImageRegion(reason));
        }
    }
    Ok(())
}

/// Two opposite corners; sizes are checked to be those of images, which are far below 2^31.
fn corners(rectangle: PixelRectangle) -> [vk::Offset3D; 2] {
    let corner = |x: u32, y: u32, z: i32| vk::Offset3D { x: x.cast_signed(), y: y.cast_signed(), z };
    let ([x, y], [width, height]) = (rectangle.origin, rectangle.extent);
    [corner(x, y, 0), corner(x + width, y + height, 1)]
}
