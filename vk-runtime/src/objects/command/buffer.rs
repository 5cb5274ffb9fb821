//! Commands that copy and fill bytes of buffers, and the rules for boxes of bytes.

use crate::engine::command::{Command, Kind};
use crate::engine::fill::Pattern;
use crate::engine::transfer::{Pitches, Shape, buffer_regions};
use crate::objects::buffer::Buffer;
use crate::vulkan::error::{Error, Result};
use smallvec::smallvec;
use std::sync::Arc;

/// A box of bytes in linear memory, for rectangular transfers: the position of its first byte and the
/// distances between its rows and slices, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rectangle {
    /// Offset of the first byte.
    pub offset: u64,
    /// From one row to the next.
    pub row_pitch: u64,
    /// From one slice to the next.
    pub slice_pitch: u64,
}

impl Rectangle {
    pub(crate) fn pitches(&self) -> Pitches {
        Pitches { row: self.row_pitch, slice: self.slice_pitch }
    }
}

impl Command {
    /// Copies bytes between buffers, or between two places of one.
    ///
    /// # Errors
    /// [`Error::OutOfRange`], [`Error::OverlappingCopy`] or [`Error::OtherDevice`].
    pub fn copy_buffer(
        source: &Buffer,
        source_offset: u64,
        destination: &Buffer,
        destination_offset: u64,
        size: u64,
    ) -> Result<Self> {
        let shape = Shape::linear(size);
        let packed = Pitches::packed(shape);
        copy(source, (source_offset, packed), destination, (destination_offset, packed), shape)
    }

    /// Copies a box of `region` bytes × rows × slices between buffers, or between two places of one.
    ///
    /// # Errors
    /// [`Error::OutOfRange`], [`Error::Pitch`], [`Error::OverlappingCopy`] or [`Error::OtherDevice`].
    pub fn copy_rectangle(
        source: &Buffer,
        from: &Rectangle,
        destination: &Buffer,
        to: &Rectangle,
        region: [u64; 3],
    ) -> Result<Self> {
        let Some(shape) = shape_of(region) else { return Ok(Command::marker()) };
        check_pitches(from, shape)?;
        check_pitches(to, shape)?;
        copy(source, (from.offset, from.pitches()), destination, (to.offset, to.pitches()), shape)
    }

    /// Fills a part of a buffer with a pattern of 1, 2, 4, 8, … 128 bytes; `offset` and `size` are multiples
    /// of its length.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] or [`Error::Pattern`].
    pub fn fill_buffer(buffer: &Buffer, offset: u64, size: u64, pattern: &[u8]) -> Result<Self> {
        buffer.check_range("fill", offset, size)?;
        let pattern = Pattern::of_buffer(pattern, offset, size)?;
        if size == 0 {
            return Ok(Command::marker());
        }
        let (inner, offset) = (buffer.inner(), buffer.base() + offset);
        let accesses = smallvec![inner.access(offset..offset + size, true)];
        Ok(Command::new(
            buffer.device().id(),
            Kind::FillBuffer { buffer: inner, offset, size, pattern },
            accesses,
        ))
    }

    /// Fills a box of `region` bytes × rows × slices of a buffer with a pattern of 1, 2, 4, 8, … 128 bytes,
    /// whose length divides that of the rows.
    ///
    /// # Errors
    /// [`Error::OutOfRange`], [`Error::Pitch`] or [`Error::Pattern`].
    pub fn fill_rectangle(
        buffer: &Buffer,
        place: &Rectangle,
        region: [u64; 3],
        pattern: &[u8],
    ) -> Result<Self> {
        let Some(shape) = shape_of(region) else { return Ok(Command::marker()) };
        check_pitches(place, shape)?;
        let pitches = place.pitches();
        check_box(buffer, "fill", (place.offset, pitches), shape)?;
        if pitches.is_packed(shape) {
            return Command::fill_buffer(buffer, place.offset, shape.size(), pattern);
        }
        let pattern = Pattern::of_buffer(pattern, place.offset, shape.row)?;
        let (inner, offset) = (buffer.inner(), buffer.base() + place.offset);
        let accesses = smallvec![inner.access(offset..offset + pitches.extent(shape), true)];
        let kind = Kind::FillBox { buffer: inner, offset, pitches, shape, pattern };
        Ok(Command::new(buffer.device().id(), kind, accesses))
    }

    /// Fills a whole buffer with words, the last one cut off.
    pub(crate) fn fill_words(buffer: &Buffer, word: u32) -> Self {
        let (inner, offset, size) = (buffer.inner(), buffer.base(), buffer.size());
        let accesses = smallvec![inner.access(offset..offset + size, true)];
        let pattern = Pattern::of_word(word);
        Command::new(
            buffer.device().id(),
            Kind::FillBuffer { buffer: inner, offset, size, pattern },
            accesses,
        )
    }
}

/// A box of these sizes; none if it is empty.
pub(crate) fn shape_of([row, rows, slices]: [u64; 3]) -> Option<Shape> {
    (row > 0 && rows > 0 && slices > 0).then_some(Shape { row, rows, slices })
}

pub(crate) fn check_pitches(rectangle: &Rectangle, shape: Shape) -> Result<()> {
    let Shape { row, rows, slices } = shape;
    let slice = rectangle.row_pitch.checked_mul(rows - 1).and_then(|size| size.checked_add(row));
    let refuse = |reason: String| Err(Error::Pitch(reason));
    if rows > 1 && rectangle.row_pitch < row {
        return refuse(format!("rows of {row} bytes cannot be {} bytes apart", rectangle.row_pitch));
    }
    match slice {
        Some(size) if slices == 1 || rectangle.slice_pitch >= size => Ok(()),
        Some(size) => {
            refuse(format!("slices of {size} bytes cannot be {} bytes apart", rectangle.slice_pitch))
        }
        None => refuse(format!("{rows} rows {} bytes apart exceed 64 bits", rectangle.row_pitch)),
    }
}

/// Checks that a box lies in a buffer.
pub(crate) fn check_box(
    buffer: &Buffer,
    operation: &'static str,
    (offset, pitches): (u64, Pitches),
    shape: Shape,
) -> Result<()> {
    let slices = (shape.slices - 1).checked_mul(pitches.slice);
    let rows = (shape.rows - 1).checked_mul(pitches.row);
    let size = slices.zip(rows).and_then(|(a, b)| a.checked_add(b)?.checked_add(shape.row));
    buffer.check_range(operation, offset, size.unwrap_or(u64::MAX))
}

fn copy(
    source: &Buffer,
    (source_offset, from): (u64, Pitches),
    destination: &Buffer,
    (destination_offset, to): (u64, Pitches),
    shape: Shape,
) -> Result<Command> {
    source.device().check_same(destination.device(), "the destination buffer")?;
    if shape.size() == 0 {
        source.check_range("copy", source_offset, 0)?;
        destination.check_range("copy", destination_offset, 0)?;
        return Ok(Command::marker());
    }
    check_box(source, "copy", (source_offset, from), shape)?;
    check_box(destination, "copy", (destination_offset, to), shape)?;
    let a = (source.inner(), source.base() + source_offset, from);
    let b = (destination.inner(), destination.base() + destination_offset, to);
    if Arc::ptr_eq(&a.0, &b.0) && boxes_overlap((a.1, from), (b.1, to), shape) {
        return Err(Error::OverlappingCopy);
    }
    let mut command = Command::copy_boxes(source.device().id(), a, b, shape);
    if let Kind::CopyBuffer { within, .. } = &mut command.kind {
        *within = true;
    }
    Ok(command)
}

/// Whether two boxes in the same memory share a byte: their runs are compared in the order of their
/// addresses.
fn boxes_overlap((from, source): (u64, Pitches), (to, destination): (u64, Pitches), shape: Shape) -> bool {
    if from + source.extent(shape) <= to || to + destination.extent(shape) <= from {
        return false;
    }
    let regions = buffer_regions((from, source), (to, destination), shape);
    let length = regions[0].size;
    // The runs of each side are in ascending order, because a pitch is at least as large as the row or slice
    // that it steps over.
    let (mut a, mut b) =
        (regions.iter().map(|r| r.src_offset).peekable(), regions.iter().map(|r| r.dst_offset).peekable());
    while let (Some(&left), Some(&right)) = (a.peek(), b.peek()) {
        if left < right + length && right < left + length {
            return true;
        }
        if left < right {
            a.next()
        } else {
            b.next()
        };
    }
    false
}
