//! Images whose pixels are the contents of a buffer, with padding between rows and slices.
//!
//! What Vulkan offers for this, linear images, has pitches and formats that differ from device to device. So
//! launches use an image of its own instead: the pixels are copied from the buffer before a launch, and back
//! after a launch that may write them, as parts of the launch. Everything else uses the buffer.

use crate::engine::arguments::BufferPixels;
use crate::engine::buffer::BufferInner;
use crate::engine::image::{ImageDescription, ImageInner};
use crate::engine::transfer::Pitches;
use crate::objects::buffer::Buffer;
use crate::objects::command::buffer::{Rectangle, check_box};
use crate::objects::command::image::check_pixel_pitches;
use crate::objects::device::Device;
use crate::objects::image::Image;
use crate::vulkan::error::{Error, Result};
use clvk_interface::{ImageAccess, ImageDimension, ImageQuery};
use std::fmt;
use std::sync::Arc;

/// A view of a buffer as an image of any shape. It keeps the buffer alive. Cloning is cheap and gives the
/// same image.
#[derive(Clone)]
pub struct PitchedImage {
    image: Image,
    buffer: Arc<BufferInner>,
    offset: u64,
    pitches: Pitches,
}

impl PitchedImage {
    /// The pixels at this place of a buffer. Place and pitches are multiples of the pixel's size. For arrays
    /// of one-dimensional images, the row pitch is the distance between layers.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] or [`Error::Pitch`] if the place does not suit, or as for [`Image::new`].
    pub fn new(buffer: &Buffer, place: &Rectangle, description: &ImageDescription) -> Result<Self> {
        let offset = buffer.base() + place.offset;
        let pixel = description.format.pixel_size();
        if !offset.is_multiple_of(pixel.into()) {
            let reason = format!("pixels of {pixel} bytes cannot begin at byte {offset} of a buffer");
            return Err(Error::Pitch(reason));
        }
        if description.levels != 1 {
            return Err(Error::Pitch("images in buffers have one level of detail".to_owned()));
        }
        let image = Image::new(buffer.device(), description)?;
        let shape = image.inner().shape(&image.whole());
        check_pixel_pitches(place, shape, pixel)?;
        check_box(buffer, "an image", (place.offset, place.pitches()), shape)?;
        Ok(PitchedImage { image, buffer: buffer.inner(), offset, pitches: place.pitches() })
    }

    /// The device it is on.
    #[must_use]
    pub fn device(&self) -> &Device {
        self.image.device()
    }

    /// Shape and format.
    #[must_use]
    pub fn description(&self) -> &ImageDescription {
        self.image.description()
    }

    /// The answer to a kernel's query.
    pub(crate) fn word(&self, query: ImageQuery) -> u32 {
        self.image.word(query)
    }

    /// What to bind for a kernel argument of this kind, and what to copy; the error is the reason why not.
    pub(crate) fn argument(
        &self,
        dimension: ImageDimension,
        access: ImageAccess,
    ) -> Result<(Arc<ImageInner>, BufferPixels), String> {
        let image = self.image.argument(dimension, access)?;
        let pixels = BufferPixels {
            buffer: Arc::clone(&self.buffer),
            offset: self.offset,
            pitches: self.pitches,
            image: Arc::clone(&image),
            region: self.image.whole(),
            written: access != ImageAccess::ReadOnly,
        };
        Ok((image, pixels))
    }
}

impl fmt::Debug for PitchedImage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PitchedImage({})", self.image.description())
    }
}
