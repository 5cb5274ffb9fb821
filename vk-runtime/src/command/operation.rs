//! Commands: what can be enqueued, checked and complete.
//!
//! A command is data. Arguments of launches are encoded and ranges checked when it is made; it holds whatever it uses.

use super::family::Founder;
use super::fill::Pattern;
use super::transfer::{DeviceMemory, HostMemory, Pitches, Shape, Transfer, buffer_regions};
use crate::arguments::{self, Arg, Encoded, Handle};
use crate::buffer::{Buffer, BufferInner};
use crate::device::Device;
use crate::device_queue::{DeviceQueue, EmptyQueue};
use crate::error::{Error, Result};
use crate::hazard::Access;
use crate::image::{Image, ImageInner, ImageRegion};
use crate::launch::{self, Dispatch, LaunchConfig};
use crate::loop_watch::LoopWatch;
use crate::memory::MemoryUse;
use crate::print::PrintBuffer;
use crate::program::{Kernel, Pipeline};
use clvk_interface::{BufferLocation, ImplicitBuffer, LocalSize};
use smallvec::{SmallVec, smallvec};
use std::fmt;
use std::ptr::NonNull;
use std::sync::Arc;

/// Something to enqueue on a [`crate::CommandQueue`].
pub struct Command {
    pub(crate) kind: Kind,
    /// What it reads and writes.
    pub(crate) accesses: SmallVec<[Access; 8]>,
    /// Number of its device; none for commands that suit any.
    pub(crate) device: Option<u64>,
    /// Set if the device itself reads or writes what the host has of a pinned buffer.
    pub(crate) pinned: Option<PinnedUse>,
}

/// What the device does with the host's side of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PinnedUse {
    Read,
    Written,
}

#[expect(clippy::large_enum_variant, reason = "launches are the common case, and must not allocate")]
pub(crate) enum Kind {
    Launch(Launch),
    CopyBuffer {
        source: Arc<BufferInner>,
        destination: Arc<BufferInner>,
        /// The first byte and the pitches on each side.
        from: (u64, Pitches),
        to: (u64, Pitches),
        shape: Shape,
        /// Both are buffers of the user, and not staging memory.
        within: bool,
    },
    FillBuffer {
        buffer: Arc<BufferInner>,
        offset: u64,
        size: u64,
        pattern: Pattern,
    },
    CopyImage {
        source: Arc<ImageInner>,
        destination: Arc<ImageInner>,
        from: ImageRegion,
        to: ImageRegion,
    },
    FillImage {
        image: Arc<ImageInner>,
        region: ImageRegion,
        pixel: Pattern,
    },
    /// The buffer holds the region without padding, from `offset` on.
    BufferToImage {
        buffer: Arc<BufferInner>,
        offset: u64,
        image: Arc<ImageInner>,
        region: ImageRegion,
    },
    ImageToBuffer {
        image: Arc<ImageInner>,
        region: ImageRegion,
        buffer: Arc<BufferInner>,
        offset: u64,
    },
    /// Brings a new image into the layout that it keeps.
    PrepareImage(Arc<ImageInner>),
    /// Takes buffers over from other users of Vulkan, or hands them over.
    ChangeOwner {
        buffers: SmallVec<[Arc<BufferInner>; 1]>,
        acquires: bool,
    },
    Write(Transfer),
    Read(Transfer),
    /// Nothing, in order with everything else.
    Marker,
    /// All later commands wait for all earlier ones.
    Barrier,
    Native(Box<dyn FnOnce() + Send>),
}

/// A dispatch, and the pipeline for its work-group size.
pub(crate) type Step = (Dispatch, Arc<Pipeline>);

/// A launch of a kernel: one or more dispatches.
pub(crate) struct Launch {
    pub(crate) steps: SmallVec<[Step; 1]>,
    pub(crate) encoded: Encoded,
    /// Where the number of a dispatch's first work-group goes.
    pub(crate) group_offset: Option<u32>,
    /// How the kernel reaches the argument buffer.
    pub(crate) argument_buffer: Option<BufferLocation>,
    /// Where it prints.
    pub(crate) print_buffer: Option<PrintBuffer>,
    /// Where it tells that loops were ended early.
    pub(crate) loop_watch: Option<LoopWatch>,
    /// Its dispatches use the same private memory, so that one follows the other.
    pub(crate) in_turn: bool,
    /// Set if its kernel enqueues others: [`family::run`](super::family::run) carries it out.
    pub(crate) founder: Option<Box<Founder>>,
}

/// A box of bytes in linear memory, for rectangular transfers: where its first byte is, and the distances of its rows
/// and slices, in bytes.
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
    fn pitches(&self) -> Pitches {
        Pitches { row: self.row_pitch, slice: self.slice_pitch }
    }
}

impl Command {
    pub(crate) fn new(device: &Device, kind: Kind, accesses: SmallVec<[Access; 8]>) -> Self {
        Command { kind, accesses, device: Some(device.id()), pinned: None }
    }

    fn of_any_device(kind: Kind) -> Self {
        Command { kind, accesses: SmallVec::new(), device: None, pinned: None }
    }

    /// Launches a kernel.
    ///
    /// # Errors
    /// [`Error::ArgumentCount`], [`Error::Argument`], [`Error::Launch`], or a failure to compile the pipeline.
    pub fn launch(kernel: &Kernel, config: &LaunchConfig, arguments: &[Arg<'_>]) -> Result<Self> {
        Command::launch_with(kernel, config, arguments, &[])
    }

    /// Launches a kernel that may read and write these buffers too, through addresses stored in other buffers.
    ///
    /// # Errors
    /// As for [`Command::launch`], and [`Error::OtherDevice`].
    pub fn launch_with(
        kernel: &Kernel,
        config: &LaunchConfig,
        arguments: &[Arg<'_>],
        indirect: &[Buffer],
    ) -> Result<Self> {
        let enqueues = kernel.interface().implicit_buffer(ImplicitBuffer::DeviceQueue).is_some();
        let empty = enqueues.then(|| EmptyQueue::of(kernel.device())).transpose()?;
        let of = empty.as_ref().map(|empty| (&empty.queue, 0));
        let mut command = Command::launch_in(kernel, config, arguments, indirect, of)?;
        if let (Some(empty), Kind::Launch(launch)) = (empty, &mut command.kind) {
            let accesses = command.accesses.clone();
            let handles = arguments.iter().map(Handle::of).collect();
            launch.founder = Some(Box::new(Founder { kernel: kernel.clone(), empty, handles, accesses }));
        }
        Ok(command)
    }

    /// A launch that another one enqueued, with its number.
    pub(crate) fn launch_of_family(
        kernel: &Kernel,
        config: &LaunchConfig,
        arguments: &[Arg<'_>],
        queue: &DeviceQueue,
        number: u32,
    ) -> Result<Self> {
        let mut command = Command::launch_in(kernel, config, arguments, &[], Some((queue, number)))?;
        // The first launch knows what all of them use, and those that run together do not wait for each other.
        command.accesses.clear();
        Ok(command)
    }

    /// Says which queue `get_default_queue` gives in the kernel of a launch and those that it enqueues: a number that the
    /// program was given as an argument, or zero for none. At first it is 1.
    #[must_use]
    pub fn with_default_queue(self, queue: u32) -> Self {
        if let Kind::Launch(Launch { founder: Some(founder), .. }) = &self.kind {
            founder.empty.queue.set_default(queue);
        }
        self
    }

    fn launch_in(
        kernel: &Kernel,
        config: &LaunchConfig,
        arguments: &[Arg<'_>],
        indirect: &[Buffer],
        family: Option<(&DeviceQueue, u32)>,
    ) -> Result<Self> {
        let device = kernel.device();
        let interface = kernel.interface();
        let mut config = *config;
        if config.local.is_none() && interface.local_size == LocalSize::Specialised {
            config.local = Some(kernel.chosen_local_size(config.global));
        }
        let plan = launch::plan(interface, device.profile(), &config)
            .map_err(|reason| Error::Launch { kernel: interface.name.clone(), reason })?;
        let mut encoded = arguments::encode(device, interface, &plan, arguments, kernel.variables())?;
        let samplers = kernel.samplers().iter();
        encoded.descriptors.extend(samplers.map(|(binding, sampler)| (*binding, sampler.descriptor())));
        let mut steps: SmallVec<[Step; 1]> = SmallVec::new();
        for dispatch in plan.dispatches {
            let pipeline = match steps.last() {
                Some((last, pipeline)) if last.local == dispatch.local => Arc::clone(pipeline),
                _ => kernel.pipeline(dispatch.local, plan.local, &encoded.locals)?,
            };
            steps.push((dispatch, pipeline));
        }
        for buffer in indirect {
            device.check_same(buffer.device(), "a buffer that the kernel uses")?;
            encoded.reach_indirectly(buffer);
        }
        let print_buffer = kernel.print_buffer()?;
        if let (Some(location), Some(print)) =
            (interface.implicit_buffer(ImplicitBuffer::Print), &print_buffer)
        {
            encoded.reach(location, &print.buffer, 0..print.buffer.raw_size);
            encoded.buffers.push(Arc::clone(&print.buffer));
        }
        if let Some((queue, number)) = family {
            encoded.put_words(interface.command_number, &[number]);
            if let Some(location) = interface.implicit_buffer(ImplicitBuffer::DeviceQueue) {
                encoded.reach(location, &queue.buffer, 0..queue.buffer.raw_size);
                encoded.buffers.push(Arc::clone(&queue.buffer));
            }
        }
        let mut loop_watch = None;
        if let Some(location) = interface.implicit_buffer(ImplicitBuffer::LoopWatch) {
            let watch = loop_watch.insert(LoopWatch::new(device, &interface.name)?);
            encoded.reach(location, &watch.buffer, 0..watch.buffer.raw_size);
            encoded.buffers.push(Arc::clone(&watch.buffer));
        }
        if let Some(location) = interface.implicit_buffer(ImplicitBuffer::PrivateMemory) {
            let buffer = device.create_buffer("private memory", plan.private_memory, MemoryUse::Device)?;
            encoded.reach(location, &buffer, 0..buffer.raw_size);
            encoded.buffers.push(buffer);
        }
        let accesses = std::mem::take(&mut encoded.accesses);
        let launch = Launch {
            steps,
            encoded,
            group_offset: interface.group_offset,
            argument_buffer: interface.argument_buffer.map(|buffer| buffer.location),
            print_buffer,
            loop_watch,
            in_turn: plan.private_memory > 0,
            founder: None,
        };
        Ok(Command::new(device, Kind::Launch(launch), accesses))
    }

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

    /// Fills a part of a buffer with a pattern of 1, 2, 4, 8, … 128 bytes; `offset` and `size` are multiples of its length.
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
        Ok(Command::new(buffer.device(), Kind::FillBuffer { buffer: inner, offset, size, pattern }, accesses))
    }

    /// Fills a whole buffer with words, the last one cut off.
    pub(crate) fn fill_words(buffer: &Buffer, word: u32) -> Self {
        let (inner, offset, size) = (buffer.inner(), buffer.base(), buffer.size());
        let accesses = smallvec![inner.access(offset..offset + size, true)];
        let pattern = Pattern::of_word(word);
        Command::new(buffer.device(), Kind::FillBuffer { buffer: inner, offset, size, pattern }, accesses)
    }

    /// Writes host memory to a buffer.
    ///
    /// # Errors
    /// [`Error::OutOfRange`].
    ///
    /// # Safety
    /// `data` points to `size` bytes that stay readable and unchanged until the command's event is complete or failed.
    pub unsafe fn write_buffer(buffer: &Buffer, offset: u64, data: NonNull<u8>, size: u64) -> Result<Self> {
        // SAFETY: as the caller promises.
        unsafe { linear_transfer(buffer, "write", offset, data, size) }
    }

    /// Reads a buffer to host memory.
    ///
    /// # Errors
    /// [`Error::OutOfRange`].
    ///
    /// # Safety
    /// `data` points to `size` bytes that stay writable, and that nobody else accesses, until the command's event is
    /// complete or failed.
    pub unsafe fn read_buffer(buffer: &Buffer, offset: u64, data: NonNull<u8>, size: u64) -> Result<Self> {
        // SAFETY: as the caller promises.
        unsafe { linear_transfer(buffer, "read", offset, data, size) }
    }

    /// Writes a box of `region` bytes × rows × slices of host memory to a buffer; `host` is counted from `data`.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] or [`Error::Pitch`].
    ///
    /// # Safety
    /// The box at `data` stays readable and unchanged until the command's event is complete or failed.
    pub unsafe fn write_rectangle(
        buffer: &Buffer,
        place: &Rectangle,
        data: NonNull<u8>,
        host: &Rectangle,
        region: [u64; 3],
    ) -> Result<Self> {
        // SAFETY: as the caller promises.
        unsafe { rectangular_transfer(buffer, "write", place, data, host, region) }
    }

    /// Reads a box of `region` bytes × rows × slices of a buffer to host memory; `host` is counted from `data`.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] or [`Error::Pitch`].
    ///
    /// # Safety
    /// The box at `data` stays writable, and nobody else accesses it, until the command's event is complete or failed.
    pub unsafe fn read_rectangle(
        buffer: &Buffer,
        place: &Rectangle,
        data: NonNull<u8>,
        host: &Rectangle,
        region: [u64; 3],
    ) -> Result<Self> {
        // SAFETY: as the caller promises.
        unsafe { rectangular_transfer(buffer, "read", place, data, host, region) }
    }

    /// Writes host memory to a part of an image. Rows are `row_pitch` bytes apart, slices (or layers) `slice_pitch`; 0 means
    /// without padding. For arrays of one-dimensional images `slice_pitch` counts.
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
    /// The pixels at `data` stay writable, and nobody else accesses them, until the command's event is complete or failed.
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
            let reason =
                format!("pixels of {} bytes cannot be copied to pixels of {} bytes", sizes[0], sizes[1]);
            return Err(Error::ImageRegion(reason));
        }
        let (a, b) = (source.inner(), destination.inner());
        if Arc::ptr_eq(&a, &b) && from.level == level && overlap(from, &to) {
            return Err(Error::OverlappingCopy);
        }
        let accesses = smallvec![a.access(false), b.access(true)];
        let kind = Kind::CopyImage { source: a, destination: b, from: *from, to };
        Ok(Command::new(source.device(), kind, accesses))
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
        Ok(Command::new(image.device(), Kind::FillImage { image: inner, region: *region, pixel }, accesses))
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
        image.device().check_same(buffer.device(), "the source buffer")?;
        image.check_region(region)?;
        let size = image.inner().shape(region).size();
        buffer.check_range("copy", offset, size)?;
        Ok(Command::buffer_to_image(
            image.device(),
            buffer.inner(),
            buffer.base() + offset,
            image.inner(),
            *region,
        ))
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
        image.device().check_same(buffer.device(), "the destination buffer")?;
        image.check_region(region)?;
        let size = image.inner().shape(region).size();
        buffer.check_range("copy", offset, size)?;
        Ok(Command::image_to_buffer(
            image.device(),
            image.inner(),
            *region,
            buffer.inner(),
            buffer.base() + offset,
        ))
    }

    /// Does nothing; its event is complete when everything enqueued before it, or the wait list if there is one, is.
    #[must_use]
    pub fn marker() -> Self {
        Command::of_any_device(Kind::Marker)
    }

    /// A marker that everything enqueued later waits for.
    #[must_use]
    pub fn barrier() -> Self {
        Command::of_any_device(Kind::Barrier)
    }

    /// Calls a function of the host, from a thread of the runtime. It must not wait for commands of its own queue.
    #[must_use]
    pub fn native(function: impl FnOnce() + Send + 'static) -> Self {
        Command::of_any_device(Kind::Native(Box::new(function)))
    }

    pub(crate) fn prepare_image(device: &Device, image: &Arc<ImageInner>) -> Self {
        Command::new(device, Kind::PrepareImage(Arc::clone(image)), smallvec![image.access(true)])
    }

    pub(crate) fn buffer_to_image(
        device: &Device,
        buffer: Arc<BufferInner>,
        offset: u64,
        image: Arc<ImageInner>,
        region: ImageRegion,
    ) -> Self {
        let end = offset + image.shape(&region).size();
        let accesses = smallvec![buffer.access(offset..end, false), image.access(true)];
        Command::new(device, Kind::BufferToImage { buffer, offset, image, region }, accesses)
    }

    pub(crate) fn image_to_buffer(
        device: &Device,
        image: Arc<ImageInner>,
        region: ImageRegion,
        buffer: Arc<BufferInner>,
        offset: u64,
    ) -> Self {
        let end = offset + image.shape(&region).size();
        let accesses = smallvec![image.access(false), buffer.access(offset..end, true)];
        Command::new(device, Kind::ImageToBuffer { image, region, buffer, offset }, accesses)
    }

    /// Copies a box between linear memories; ranges are the caller's business.
    pub(crate) fn copy_boxes(
        device: &Device,
        (source, from, pitches): (Arc<BufferInner>, u64, Pitches),
        (destination, to, other): (Arc<BufferInner>, u64, Pitches),
        shape: Shape,
    ) -> Self {
        let accesses = smallvec![
            source.access(from..from + pitches.extent(shape), false),
            destination.access(to..to + other.extent(shape), true),
        ];
        let (from, to, within) = ((from, pitches), (to, other), false);
        Command::new(device, Kind::CopyBuffer { source, destination, from, to, shape, within }, accesses)
    }
}

impl fmt::Debug for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match &self.kind {
            Kind::Launch(_) => "launch",
            Kind::CopyBuffer { .. } => "copy of a buffer",
            Kind::FillBuffer { .. } => "fill of a buffer",
            Kind::CopyImage { .. } => "copy of an image",
            Kind::FillImage { .. } => "fill of an image",
            Kind::BufferToImage { .. } => "copy of a buffer to an image",
            Kind::ImageToBuffer { .. } => "copy of an image to a buffer",
            Kind::PrepareImage(_) => "preparation of an image",
            Kind::ChangeOwner { acquires: true, .. } => "acquisition of buffers",
            Kind::ChangeOwner { .. } => "release of buffers",
            Kind::Write(_) => "write",
            Kind::Read(_) => "read",
            Kind::Marker => "marker",
            Kind::Barrier => "barrier",
            Kind::Native(_) => "function of the host",
        })
    }
}

/// A box of these sizes; none if it is empty.
fn shape_of([row, rows, slices]: [u64; 3]) -> Option<Shape> {
    (row > 0 && rows > 0 && slices > 0).then_some(Shape { row, rows, slices })
}

fn check_pitches(rectangle: &Rectangle, shape: Shape) -> Result<()> {
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
fn check_box(
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
    let mut command = Command::copy_boxes(source.device(), a, b, shape);
    if let Kind::CopyBuffer { within, .. } = &mut command.kind {
        *within = true;
    }
    Ok(command)
}

/// Whether two boxes in the same memory share a byte: their runs are compared in the order of their addresses.
fn boxes_overlap((from, source): (u64, Pitches), (to, destination): (u64, Pitches), shape: Shape) -> bool {
    if from + source.extent(shape) <= to || to + destination.extent(shape) <= from {
        return false;
    }
    let regions = buffer_regions((from, source), (to, destination), shape);
    let length = regions[0].size;
    // The runs of each side are in ascending order, for pitches are at least as large as what they step over.
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

fn overlap(a: &ImageRegion, b: &ImageRegion) -> bool {
    (0..3).all(|d| a.origin[d] < b.origin[d] + b.extent[d] && b.origin[d] < a.origin[d] + a.extent[d])
}

/// # Safety
/// See [`Command::write_buffer`] and [`Command::read_buffer`].
unsafe fn linear_transfer(
    buffer: &Buffer,
    operation: &'static str,
    offset: u64,
    data: NonNull<u8>,
    size: u64,
) -> Result<Command> {
    let place = Rectangle { offset, row_pitch: size, slice_pitch: size };
    let host = Rectangle { offset: 0, ..place };
    buffer.check_range(operation, offset, size)?;
    // SAFETY: as the caller promises.
    unsafe { rectangular_transfer(buffer, operation, &place, data, &host, [size, 1, 1]) }
}

/// # Safety
/// See [`Command::write_rectangle`] and [`Command::read_rectangle`].
unsafe fn rectangular_transfer(
    buffer: &Buffer,
    operation: &'static str,
    place: &Rectangle,
    data: NonNull<u8>,
    host: &Rectangle,
    region: [u64; 3],
) -> Result<Command> {
    let Some(shape) = shape_of(region) else { return Ok(Command::marker()) };
    check_pitches(place, shape)?;
    check_pitches(host, shape)?;
    check_box(buffer, operation, (place.offset, place.pitches()), shape)?;
    // SAFETY: inside what the caller promises.
    let pointer = unsafe { data.add(host.offset as usize) };
    let offset = buffer.base() + place.offset;
    let write = operation == "write";
    let there = (buffer.inner(), offset, place.pitches());
    if let Some((pinned, start)) = pinned_source(buffer, pointer, host.pitches(), shape) {
        let here = (pinned, start, host.pitches());
        let (from, to) = if write { (here, there) } else { (there, here) };
        let pinned = Some(if write { PinnedUse::Read } else { PinnedUse::Written });
        return Ok(Command { pinned, ..Command::copy_boxes(buffer.device(), from, to, shape) });
    }
    let device = DeviceMemory::Buffer { buffer: there.0, offset, pitches: there.2 };
    let transfer = Transfer { host: HostMemory { pointer, pitches: host.pitches() }, device, shape };
    let accesses = smallvec![transfer.access(write)];
    let kind = if write { Kind::Write(transfer) } else { Kind::Read(transfer) };
    Ok(Command::new(buffer.device(), kind, accesses))
}

/// The pinned buffer that the host's box lies in, and where: the device moves the data itself. None if it is `buffer`, or if the host
/// reaches that too.
fn pinned_source(
    buffer: &Buffer,
    pointer: NonNull<u8>,
    pitches: Pitches,
    shape: Shape,
) -> Option<(Arc<BufferInner>, u64)> {
    if buffer.host_pointer().is_some() {
        return None;
    }
    buffer.device().shared.pinned.find(pointer, pitches.extent(shape))
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
    Ok(Command::new(image.device(), kind(transfer), accesses))
}
