//! Checked commands that can be created for a queue once or many times: what enqueuing and recording share.

use crate::border::{In, Out};
use crate::cl::*;
use crate::code::{self, Result, ensure};
use crate::handle::Handle;
use crate::object::event::Event;
use crate::object::image::{Image, Origin};
use crate::object::memory::Memory;
use crate::object::pixel;
use crate::object::queue::Queue;
use crate::object::recipe::Recipe;
use crate::object::rectangle::{self, Box3};
use smallvec::{SmallVec, smallvec};
use std::ffi::c_void;
use std::sync::Arc;
use vk_runtime::{Buffer, Command, ImageRegion, Rectangle};

/// Enqueues a command.
pub fn enqueue(
    queue: &Arc<Queue>,
    recipe: &impl Recipe,
    count: u32,
    waits: In<Handle<Event>>,
    event: Out<Handle<Event>>,
) -> Result<()> {
    let order = queue.order(count, waits, event)?;
    let command = recipe.command(queue)?;
    queue.give((recipe.kind(), recipe.kernel_label()), command, &order, &recipe.uses())
}

/// A buffer for a command on a queue.
pub fn buffer_for(queue: &Queue, memory: Handle<Memory>) -> Result<Arc<Memory>> {
    let memory = memory.get()?;
    ensure(memory.is_buffer(), code::INVALID_MEM_OBJECT)?;
    memory.check_context(queue.context())?;
    Ok(memory)
}

/// An image for a command on a queue.
pub fn image_for(queue: &Queue, memory: Handle<Memory>) -> Result<Arc<Memory>> {
    let memory = memory.get()?;
    ensure(memory.image().is_some(), code::INVALID_MEM_OBJECT)?;
    memory.check_context(queue.context())?;
    Ok(memory)
}

/// The shape of an image object; the caller has checked that it is one.
pub fn shape(memory: &Memory) -> Result<&Image> {
    memory.image().ok_or(code::INVALID_MEM_OBJECT)
}

/// The runtime's region; the caller has checked origin and region.
pub fn runtime_region(origin: Origin, region: [usize; 3]) -> ImageRegion {
    let extent = region.map(|it| it as u32);
    ImageRegion { origin: origin.pixel.map(|it| it as u32), extent, level: origin.level }
}

/// A copy between buffers.
pub struct CopyBuffer {
    source: Arc<Memory>,
    destination: Arc<Memory>,
    offsets: [usize; 2],
    size: usize,
}

impl CopyBuffer {
    /// `size` bytes from and to these offsets.
    pub fn new(
        queue: &Queue,
        [source, destination]: [Handle<Memory>; 2],
        offsets: [usize; 2],
        size: usize,
    ) -> Result<Self> {
        let (source, destination) = (buffer_for(queue, source)?, buffer_for(queue, destination)?);
        source.check_range(offsets[0], size)?;
        destination.check_range(offsets[1], size)?;
        let places = [(&source, offsets[0]), (&destination, offsets[1])];
        let [start, end] = places.map(|(memory, offset)| offset + memory.parent().map_or(0, |(_, at)| at));
        let overlaps = source.shares_memory(&destination) && start.abs_diff(end) < size;
        ensure(!overlaps, code::MEM_COPY_OVERLAP)?;
        Ok(CopyBuffer { source, destination, offsets, size })
    }
}

impl Recipe for CopyBuffer {
    fn kind(&self) -> cl_command_type {
        CL_COMMAND_COPY_BUFFER
    }

    fn command(&self, queue: &Queue) -> Result<Command> {
        let index = queue.device_index();
        let (from, base) = self.source.buffer_on(index, false)?;
        self.destination.replace(self.offsets[1], self.size);
        let (to, into) = self.destination.buffer_on(index, true)?;
        let (start, end) = (base + self.offsets[0] as u64, into + self.offsets[1] as u64);
        Ok(Command::copy_buffer(from, start, to, end, self.size as u64)?)
    }

    fn uses(&self) -> SmallVec<[&Arc<Memory>; 8]> {
        smallvec![&self.source, &self.destination]
    }
}

/// A copy of a box between buffers.
pub struct CopyRectangle {
    source: Arc<Memory>,
    destination: Arc<Memory>,
    boxes: [Rectangle; 2],
    region: [usize; 3],
}

impl CopyRectangle {
    /// From and to these origins. The pitches are those of the source's rows and slices, then the
    /// destination's.
    pub fn new(
        queue: &Queue,
        [source, destination]: [Handle<Memory>; 2],
        origins: [In<usize>; 2],
        region: In<usize>,
        pitches: [usize; 4],
    ) -> Result<Self> {
        let (source, destination) = (buffer_for(queue, source)?, buffer_for(queue, destination)?);
        let region = region.triple()?;
        let (start, end) = (origins[0].triple()?, origins[1].triple()?);
        let from = Box3::new(start, region, pitches[0], pitches[1])?;
        let to = Box3::new(end, region, pitches[2], pitches[3])?;
        ensure(from.end <= source.size() && to.end <= destination.size(), code::INVALID_VALUE)?;
        let boxes = [from.rectangle, to.rectangle];
        if source.shares_memory(&destination) {
            let same =
                boxes[0].row_pitch == boxes[1].row_pitch && boxes[0].slice_pitch == boxes[1].slice_pitch;
            let is_one_object = Arc::ptr_eq(&source, &destination);
            ensure(same || !is_one_object, code::INVALID_VALUE)?;
            let start = |memory: &Memory| memory.parent().map_or(0, |(_, at)| at as u64);
            let [from, to] = [moved(&boxes[0], start(&source)), moved(&boxes[1], start(&destination))];
            ensure(!rectangle::overlap(&from, &to, region), code::MEM_COPY_OVERLAP)?;
        }
        Ok(CopyRectangle { source, destination, boxes, region })
    }
}

/// The box moved by this many bytes.
fn moved(rectangle: &Rectangle, by: u64) -> Rectangle {
    Rectangle { offset: by + rectangle.offset, ..*rectangle }
}

impl Recipe for CopyRectangle {
    fn kind(&self) -> cl_command_type {
        CL_COMMAND_COPY_BUFFER_RECT
    }

    fn command(&self, queue: &Queue) -> Result<Command> {
        let index = queue.device_index();
        let (from, base) = self.source.buffer_on(index, false)?;
        let (to, into) = self.destination.buffer_on(index, true)?;
        let [start, end] = [moved(&self.boxes[0], base), moved(&self.boxes[1], into)];
        Ok(Command::copy_rectangle(from, &start, to, &end, self.region.map(|it| it as u64))?)
    }

    fn uses(&self) -> SmallVec<[&Arc<Memory>; 8]> {
        smallvec![&self.source, &self.destination]
    }
}

/// A fill of a buffer.
pub struct FillBuffer {
    memory: Arc<Memory>,
    pattern: SmallVec<[u8; 16]>,
    offset: usize,
    size: usize,
}

impl FillBuffer {
    /// With a pattern of this many bytes.
    pub fn new(
        queue: &Queue,
        buffer: Handle<Memory>,
        (pattern, pattern_size): (In<c_void>, usize),
        offset: usize,
        size: usize,
    ) -> Result<Self> {
        let memory = buffer_for(queue, buffer)?;
        memory.check_range(offset, size)?;
        ensure(pattern_size.is_power_of_two() && pattern_size <= 128, code::INVALID_VALUE)?;
        let pattern = pattern.bytes(pattern_size).ok_or(code::INVALID_VALUE)?;
        let whole = offset.is_multiple_of(pattern_size) && size.is_multiple_of(pattern_size);
        ensure(whole, code::INVALID_VALUE)?;
        Ok(FillBuffer { memory, pattern, offset, size })
    }
}

impl Recipe for FillBuffer {
    fn kind(&self) -> cl_command_type {
        CL_COMMAND_FILL_BUFFER
    }

    fn command(&self, queue: &Queue) -> Result<Command> {
        self.memory.replace(self.offset, self.size);
        let (buffer, base) = self.memory.buffer_on(queue.device_index(), true)?;
        Ok(Command::fill_buffer(buffer, base + self.offset as u64, self.size as u64, &self.pattern)?)
    }

    fn uses(&self) -> SmallVec<[&Arc<Memory>; 8]> {
        smallvec![&self.memory]
    }
}

/// A fill of an image.
pub struct FillImage {
    memory: Arc<Memory>,
    pixel: Vec<u8>,
    origin: Origin,
    region: [usize; 3],
}

impl FillImage {
    /// With a colour of four channels.
    pub fn new(
        queue: &Queue,
        image: Handle<Memory>,
        color: In<c_void>,
        origin: In<usize>,
        region: In<usize>,
    ) -> Result<Self> {
        let memory = image_for(queue, image)?;
        let image = shape(&memory)?;
        let (origin, region) = (image.origin(origin)?, region.triple()?);
        image.check_region(origin, region)?;
        let color: [u8; 16] = color.read().ok_or(code::INVALID_VALUE)?;
        let pixel = pixel::encode(image.pixel, color).to_vec();
        Ok(FillImage { memory, pixel, origin, region })
    }
}

impl Recipe for FillImage {
    fn kind(&self) -> cl_command_type {
        CL_COMMAND_FILL_IMAGE
    }

    fn command(&self, queue: &Queue) -> Result<Command> {
        let (memory, index) = (&self.memory, queue.device_index());
        if memory.lies_in_buffer() {
            let ((buffer, base), image) = (memory.buffer_on(index, true)?, shape(memory)?);
            let place = moved(&image.place_in_buffer(self.origin.pixel), base);
            return Ok(Command::fill_rectangle(buffer, &place, image.byte_region(self.region), &self.pixel)?);
        }
        let place = runtime_region(self.origin, self.region);
        Ok(Command::fill_image(memory.image_on(index, true)?, &place, &self.pixel)?)
    }

    fn uses(&self) -> SmallVec<[&Arc<Memory>; 8]> {
        smallvec![&self.memory]
    }
}

/// One side of a copy of pixels.
enum Side {
    /// From a byte of a buffer on.
    Buffer(Arc<Memory>, usize),
    /// From a pixel of an image on.
    Image(Arc<Memory>, Origin),
}

impl Side {
    fn memory(&self) -> &Arc<Memory> {
        match self {
            Side::Buffer(memory, _) | Side::Image(memory, _) => memory,
        }
    }

    /// The side on a device.
    fn on_device(&self, index: usize, pixels: &CopyPixels, writes: bool) -> Result<Place<'_>> {
        let region = pixels.region;
        Ok(match self {
            Side::Buffer(memory, offset) => {
                let (buffer, base) = memory.buffer_on(index, writes)?;
                let [row_pitch, rows, _] = pixels.byte_region();
                let (offset, slice_pitch) = (base + *offset as u64, row_pitch * rows);
                Place::Buffer(buffer, Rectangle { offset, row_pitch, slice_pitch })
            }
            Side::Image(memory, origin) if memory.lies_in_buffer() => {
                let (buffer, base) = memory.buffer_on(index, writes)?;
                Place::Buffer(buffer, moved(&shape(memory)?.place_in_buffer(origin.pixel), base))
            }
            Side::Image(memory, origin) => {
                Place::Image(memory.image_on(index, writes)?, runtime_region(*origin, region))
            }
        })
    }
}

/// One side of a copy on a device.
enum Place<'a> {
    /// Pixels of a buffer.
    Buffer(&'a Buffer, Rectangle),
    /// A region.
    Image(&'a vk_runtime::Image, ImageRegion),
}

/// A copy between images, or between an image and a buffer.
pub struct CopyPixels {
    kind: cl_command_type,
    from: Side,
    to: Side,
    region: [usize; 3],
    /// Bytes of a pixel.
    pixel: usize,
}

/// Whether two boxes of the same size have a pixel in common.
fn overlap(a: Origin, b: Origin, region: [usize; 3]) -> bool {
    a.level == b.level && (0..3).all(|axis| a.pixel[axis].abs_diff(b.pixel[axis]) < region[axis])
}

impl CopyPixels {
    /// The region in bytes, rows and slices.
    fn byte_region(&self) -> [u64; 3] {
        let [width, rows, slices] = self.region.map(|it| it as u64);
        [width * self.pixel as u64, rows, slices]
    }

    /// Between images.
    pub fn between_images(
        queue: &Queue,
        images: [Handle<Memory>; 2],
        origins: [In<usize>; 2],
        region: In<usize>,
    ) -> Result<Self> {
        let [source, destination] = images;
        let (source, destination) = (image_for(queue, source)?, image_for(queue, destination)?);
        let (from, to) = (shape(&source)?, shape(&destination)?);
        let same_order = from.format.image_channel_order == to.format.image_channel_order;
        let same_type = from.format.image_channel_data_type == to.format.image_channel_data_type;
        ensure(same_order && same_type, code::IMAGE_FORMAT_MISMATCH)?;
        let region = region.triple()?;
        let (start, end) = (from.origin(origins[0])?, to.origin(origins[1])?);
        from.check_region(start, region)?;
        to.check_region(end, region)?;
        let overlaps = Arc::ptr_eq(&source, &destination) && overlap(start, end, region);
        ensure(!overlaps, code::MEM_COPY_OVERLAP)?;
        let pixel = from.pixel_size();
        let (from, to) = (Side::Image(source, start), Side::Image(destination, end));
        Ok(CopyPixels { kind: CL_COMMAND_COPY_IMAGE, from, to, region, pixel })
    }

    /// From an image to a buffer.
    pub fn to_buffer(
        queue: &Queue,
        [source, destination]: [Handle<Memory>; 2],
        origin: In<usize>,
        region: In<usize>,
        offset: usize,
    ) -> Result<Self> {
        let (source, destination) = (image_for(queue, source)?, buffer_for(queue, destination)?);
        let (origin, region, size) = pixels(&source, origin, region)?;
        destination.check_range(offset, size)?;
        let pixel = shape(&source)?.pixel_size();
        let (from, to) = (Side::Image(source, origin), Side::Buffer(destination, offset));
        Ok(CopyPixels { kind: CL_COMMAND_COPY_IMAGE_TO_BUFFER, from, to, region, pixel })
    }

    /// From a buffer to an image.
    pub fn from_buffer(
        queue: &Queue,
        [source, destination]: [Handle<Memory>; 2],
        offset: usize,
        origin: In<usize>,
        region: In<usize>,
    ) -> Result<Self> {
        let (source, destination) = (buffer_for(queue, source)?, image_for(queue, destination)?);
        let (origin, region, size) = pixels(&destination, origin, region)?;
        source.check_range(offset, size)?;
        let pixel = shape(&destination)?.pixel_size();
        let (from, to) = (Side::Buffer(source, offset), Side::Image(destination, origin));
        Ok(CopyPixels { kind: CL_COMMAND_COPY_BUFFER_TO_IMAGE, from, to, region, pixel })
    }
}

/// A region of an image, checked, and its bytes.
fn pixels(image: &Memory, origin: In<usize>, region: In<usize>) -> Result<(Origin, [usize; 3], usize)> {
    let image = shape(image)?;
    let (origin, region) = (image.origin(origin)?, region.triple()?);
    image.check_region(origin, region)?;
    Ok((origin, region, region.iter().product::<usize>() * image.pixel_size()))
}

impl Recipe for CopyPixels {
    fn kind(&self) -> cl_command_type {
        self.kind
    }

    fn command(&self, queue: &Queue) -> Result<Command> {
        let index = queue.device_index();
        let from = self.from.on_device(index, self, false)?;
        let to = self.to.on_device(index, self, true)?;
        Ok(match (from, to) {
            (Place::Buffer(from, start), Place::Buffer(to, end)) => {
                Command::copy_rectangle(from, &start, to, &end, self.byte_region())
            }
            (Place::Buffer(from, start), Place::Image(to, region)) => {
                Command::copy_rectangle_to_image(from, &start, to, &region)
            }
            (Place::Image(from, region), Place::Buffer(to, end)) => {
                Command::copy_image_to_rectangle(from, &region, to, &end)
            }
            (Place::Image(from, region), Place::Image(to, end)) => {
                Command::copy_image(from, &region, to, end.origin, end.level)
            }
        }?)
    }

    fn uses(&self) -> SmallVec<[&Arc<Memory>; 8]> {
        smallvec![self.from.memory(), self.to.memory()]
    }
}
