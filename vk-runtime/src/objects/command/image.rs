//! Commands that move the pixels of images.
#![expect(unsafe_code, reason = "pointers to the application's memory come in here")]

use crate::engine::command::{Command, Kind};
use crate::engine::fill::Pattern;
use crate::engine::image::ImageRegion;
use crate::engine::transfer::{DeviceMemory, HostMemory, Pitches, Shape, Transfer};
use crate::objects::buffer::Buffer;
use crate::objects::command::buffer::{Rectangle, check_box, check_pitches};
use crate::objects::image::Image;
use crate::vulkan::error::{Error, Result};
use smallvec::smallvec;
use std::ptr::NonNull;
use std::sync::Arc;

impl Command {
    /// Writes host memory to a part of an image. Rows are `row_pitch` bytes apart, slices (or layers)
    /// `slice_pitch`; 0 means without padding. For arrays of one-dimensional images, `slice_pitch` applies.
    ///
    /// # Errors
    /// [`Error::ImageRegion`] or [`Error::Pitch`].
    ///
    /// # Safety
    /// The pixels at `data` stay readable and unchanged until the command's event is complete or failed.
    pub unsafe fn write_image(
        image: &Image,
        region: &ImageRegion,
        data: NonNull<u8>,
        row_pitch: u64,
        slice_pitch: u64,
    ) -> Result<Self> {
        image_transfer(image, region, data, row_pitch, slice_pitch, Kind::Write, true)
    }

    /// Reads a part of an image to host memory; pitches are those of [`Command::write_image`].
    ///
    /// # Errors
    /// [`Error::ImageRegion`] or [`Error::Pitch`].
    ///
    /// # Safety
    /// The pixels at `data` stay writable, and nothing else accesses them, until the command's event is
    /// complete or failed.
    pub unsafe fn read_image(
        image: &Image,
        region: &ImageRegion,
        data: NonNull<u8>,
        row_pitch: u64,
        slice_pitch: u64,
    ) -> Result<Self> {
        image_transfer(image, region, data, row_pitch, slice_pitch, Kind::Read, false)
    }

    /// Copies a part of an image to another place of it, or to another image with pixels of the same size.
    ///
    /// # Errors
    /// [`Error::ImageRegion`], [`Error::OverlappingCopy`] or [`Error::OtherDevice`].
    pub fn copy_image(
        source: &Image,
        from: &ImageRegion,
        destination: &Image,
        origin: [u32; 3],
        level: u32,
    ) -> Result<Self> {
        source.device().check_same(destination.device(), "the destination image")?;
        let to = ImageRegion { origin, extent: from.extent, level };
        source.check_region(from)?;
        destination.check_region(&to)?;
        let sizes = [source, destination].map(|image| image.description().format.pixel_size());
        if sizes[0] != sizes[1] {
            let reason = format!("cannot copy pixels of {} bytes to pixels of {} bytes", sizes[0], sizes[1]);
            return Err(Error::ImageRegion(reason));
        }
        let (a, b) = (source.inner(), destination.inner());
        if Arc::ptr_eq(&a, &b) && from.level == level && overlap(from, &to) {
            return Err(Error::OverlappingCopy);
        }
        let accesses = smallvec![a.access(false), b.access(true)];
        let kind = Kind::CopyImage { source: a, destination: b, from: *from, to };
        Ok(Command::new(source.device().id(), kind, accesses))
    }

    /// Fills a part of an image with one pixel, given in the image's own format.
    ///
    /// # Errors
    /// [`Error::ImageRegion`] or [`Error::Pattern`].
    pub fn fill_image(image: &Image, region: &ImageRegion, pixel: &[u8]) -> Result<Self> {
        image.check_region(region)?;
        let pixel = Pattern::of_image(pixel, image.description().format.pixel_size())?;
        let inner = image.inner();
        let accesses = smallvec![inner.access(true)];
        Ok(Command::new(
            image.device().id(),
            Kind::FillImage { image: inner, region: *region, pixel },
            accesses,
        ))
    }

    /// Copies pixels that lie in a buffer without padding to a part of an image.
    ///
    /// # Errors
    /// [`Error::ImageRegion`], [`Error::OutOfRange`] or [`Error::OtherDevice`].
    pub fn copy_buffer_to_image(
        buffer: &Buffer,
        offset: u64,
        image: &Image,
        region: &ImageRegion,
    ) -> Result<Self> {
        Command::copy_rectangle_to_image(buffer, &packed(image, region, offset), image, region)
    }

    /// Copies pixels of a buffer to a part of an image. The pitches are multiples of the pixel's size. For
    /// arrays of one-dimensional images, the row pitch is the distance between layers.
    ///
    /// # Errors
    /// [`Error::ImageRegion`], [`Error::Pitch`], [`Error::OutOfRange`] or [`Error::OtherDevice`].
    pub fn copy_rectangle_to_image(
        buffer: &Buffer,
        place: &Rectangle,
        image: &Image,
        region: &ImageRegion,
    ) -> Result<Self> {
        check_copy(image, region, buffer, place, "the source buffer")?;
        let from = (buffer.base() + place.offset, place.pitches());
        Ok(Command::buffer_to_image(image.device().id(), buffer.inner(), from, image.inner(), *region))
    }

    /// Copies a part of an image to a buffer, without padding.
    ///
    /// # Errors
    /// [`Error::ImageRegion`], [`Error::OutOfRange`] or [`Error::OtherDevice`].
    pub fn copy_image_to_buffer(
        image: &Image,
        region: &ImageRegion,
        buffer: &Buffer,
        offset: u64,
    ) -> Result<Self> {
        Command::copy_image_to_rectangle(image, region, buffer, &packed(image, region, offset))
    }

    /// Copies a part of an image to a buffer, with the pitches of [`Command::copy_rectangle_to_image`].
    ///
    /// # Errors
    /// [`Error::ImageRegion`], [`Error::Pitch`], [`Error::OutOfRange`] or [`Error::OtherDevice`].
    pub fn copy_image_to_rectangle(
        image: &Image,
        region: &ImageRegion,
        buffer: &Buffer,
        place: &Rectangle,
    ) -> Result<Self> {
        check_copy(image, region, buffer, place, "the destination buffer")?;
        let to = (buffer.base() + place.offset, place.pitches());
        Ok(Command::image_to_buffer(image.device().id(), image.inner(), *region, buffer.inner(), to))
    }
}

/// Where the pixels of a region lie in a buffer without padding.
fn packed(image: &Image, region: &ImageRegion, offset: u64) -> Rectangle {
    let Pitches { row, slice } = Pitches::packed(image.inner().shape(region));
    Rectangle { offset, row_pitch: row, slice_pitch: slice }
}

/// Checks a copy between a part of an image and a buffer (`which`).
fn check_copy(
    image: &Image,
    region: &ImageRegion,
    buffer: &Buffer,
    place: &Rectangle,
    which: &'static str,
) -> Result<()> {
    image.device().check_same(buffer.device(), which)?;
    image.check_region(region)?;
    let shape = image.inner().shape(region);
    check_pixel_pitches(place, shape, image.description().format.pixel_size())?;
    check_box(buffer, "copy", (place.offset, place.pitches()), shape)
}

/// Checks the pitches of pixels in a buffer.
pub(crate) fn check_pixel_pitches(place: &Rectangle, shape: Shape, pixel: u32) -> Result<()> {
    check_pitches(place, shape)?;
    let pixel = u64::from(pixel);
    for (count, pitch) in [(shape.rows, place.row_pitch), (shape.slices, place.slice_pitch)] {
        if count > 1 && !pitch.is_multiple_of(pixel) {
            return Err(Error::Pitch(format!("{pitch} is not a multiple of the pixel's {pixel} bytes")));
        }
    }
    Ok(())
}

fn overlap(a: &ImageRegion, b: &ImageRegion) -> bool {
    (0..3).all(|d| a.origin[d] < b.origin[d] + b.extent[d] && b.origin[d] < a.origin[d] + a.extent[d])
}

fn image_transfer(
    image: &Image,
    region: &ImageRegion,
    pointer: NonNull<u8>,
    row_pitch: u64,
    slice_pitch: u64,
    kind: fn(Transfer) -> Kind,
    write: bool,
) -> Result<Command> {
    image.check_region(region)?;
    let inner = image.inner();
    let shape = inner.shape(region);
    let packed = Pitches::packed(shape);
    let given = |pitch: u64, packed: u64| if pitch == 0 { packed } else { pitch };
    let row = given(if inner.is_array_of_rows() { slice_pitch } else { row_pitch }, packed.row);
    let slice = given(if inner.is_array_of_rows() { 0 } else { slice_pitch }, row * shape.rows);
    let pitches = Pitches { row, slice };
    check_pitches(&Rectangle { offset: 0, row_pitch: row, slice_pitch: slice }, shape)?;
    let device = DeviceMemory::Image { image: inner, region: *region };
    let transfer = Transfer { host: HostMemory { pointer, pitches }, device, shape };
    let accesses = smallvec![transfer.access(write)];
    Ok(Command::new(image.device().id(), kind(transfer), accesses))
}
