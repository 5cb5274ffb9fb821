//! The arguments of a launch, encoded for the device: plain data, with the objects that it keeps alive.
//!
//! They are push constants, an argument buffer and descriptors. The kernel's interface decides which value
//! goes where.

use crate::engine::buffer::BufferInner;
use crate::engine::hazard::Access;
use crate::engine::image::{ImageInner, ImageRegion};
use crate::engine::sampler::SamplerInner;
use crate::engine::texel_view::TexelView;
use crate::engine::transfer::Pitches;
use ash::vk;
use clvk_interface::{BufferLocation, ImplicitBuffer, KernelInterface, ValueLocation, bounds};
use smallvec::{SmallVec, smallvec};
use std::ops::Range;
use std::sync::Arc;

/// What a descriptor points to.
#[derive(Clone)]
pub(crate) enum Descriptor {
    /// A range of bytes of a buffer.
    StorageBuffer(Arc<BufferInner>, Range<u64>),
    SampledImage(Arc<ImageInner>),
    /// The first level of detail of an image.
    FirstLevel(Arc<ImageInner>),
    /// A level of detail of an image; the last one if it has fewer.
    StorageImage(Arc<ImageInner>, u32),
    UniformTexels(Arc<TexelView>),
    StorageTexels(Arc<TexelView>),
    Sampler(Arc<SamplerInner>),
}

impl Descriptor {
    pub(crate) fn kind(&self) -> vk::DescriptorType {
        match self {
            Descriptor::StorageBuffer(..) => vk::DescriptorType::STORAGE_BUFFER,
            Descriptor::SampledImage(_) | Descriptor::FirstLevel(_) => vk::DescriptorType::SAMPLED_IMAGE,
            Descriptor::StorageImage(..) => vk::DescriptorType::STORAGE_IMAGE,
            Descriptor::UniformTexels(_) => vk::DescriptorType::UNIFORM_TEXEL_BUFFER,
            Descriptor::StorageTexels(_) => vk::DescriptorType::STORAGE_TEXEL_BUFFER,
            Descriptor::Sampler(..) => vk::DescriptorType::SAMPLER,
        }
    }

    /// Whether a kernel may use it to write memory that the host reads without a copy. For images that memory
    /// is not known.
    pub(crate) fn is_for_host(&self) -> bool {
        match self {
            Descriptor::StorageBuffer(buffer, _) => buffer.is_shared(),
            Descriptor::StorageImage(..) | Descriptor::StorageTexels(_) => true,
            Descriptor::SampledImage(_)
            | Descriptor::FirstLevel(_)
            | Descriptor::UniformTexels(_)
            | Descriptor::Sampler(_) => false,
        }
    }
}

/// Pixels that lie in a buffer, and the image that a launch uses in their place: they are copied to it before
/// the launch, and back afterwards if it may have written them.
#[derive(Clone)]
pub(crate) struct BufferPixels {
    pub(crate) buffer: Arc<BufferInner>,
    /// The first byte in the buffer, a multiple of the pixel's size as the pitches are.
    pub(crate) offset: u64,
    pub(crate) pitches: Pitches,
    pub(crate) image: Arc<ImageInner>,
    /// All of the image.
    pub(crate) region: ImageRegion,
    /// Whether the launch may write them.
    pub(crate) written: bool,
}

impl BufferPixels {
    /// What the copies access.
    pub(crate) fn accesses(&self) -> [Access; 2] {
        let end = self.offset + self.pitches.extent(self.image.shape(&self.region));
        [self.buffer.access(self.offset..end, self.written), self.image.access(true)]
    }
}

/// The arguments of a launch, encoded for the device.
#[derive(Default)]
pub(crate) struct Encoded {
    /// The push-constant block, except for the words that differ between the dispatches of a split launch.
    pub(crate) push: SmallVec<[u8; 128]>,
    /// The argument buffer; empty if the kernel has none.
    pub(crate) spilled: SmallVec<[u8; 256]>,
    /// Specialisation constants: the identifier and the number of elements of each `__local` argument, and
    /// what else the launch sets.
    pub(crate) locals: SmallVec<[(u32, u32); 4]>,
    pub(crate) descriptors: SmallVec<[(u32, Descriptor); 4]>,
    pub(crate) accesses: SmallVec<[Access; 8]>,
    /// The buffers whose addresses were encoded.
    pub(crate) buffers: SmallVec<[Arc<BufferInner>; 8]>,
    /// The images whose pixels lie in buffers, each once.
    pub(crate) pixels: Vec<BufferPixels>,
    /// The memory that the launch may reach, if the kernel asks for it.
    pub(crate) bounds: Option<Box<Bounds>>,
    /// Whether the kernel reads only the first levels of images.
    pub(crate) first_levels: bool,
    /// Whether the offset of a buffer that is a descriptor is not 0, or it is null.
    pub(crate) has_offsets: bool,
    /// Whether the launch may access any memory of the device, through addresses that it finds in memory.
    pub(crate) reaches_anything: bool,
}

/// The memory that a launch may reach: see [`clvk_interface::bounds`].
pub(crate) struct Bounds {
    /// How the kernel reaches the table.
    pub(crate) location: BufferLocation,
    /// Starts and lengths, in the table's order.
    ranges: SmallVec<[(u64, u64); 12]>,
    /// Where the implicit buffers are, whose ranges begin at `implicit`.
    locations: SmallVec<[BufferLocation; 4]>,
    implicit: usize,
}

impl Bounds {
    /// The bounds for a kernel that asks for them, with room for its arguments and implicit buffers.
    fn of(kernel: &KernelInterface) -> Option<Bounds> {
        let location = kernel.implicit_buffer(ImplicitBuffer::Bounds)?;
        let implicit = kernel.arguments.len();
        let locations: SmallVec<_> = kernel.implicit_buffers.iter().map(|&(_, location)| location).collect();
        let ranges = smallvec![(0, 0); implicit + locations.len()];
        Some(Bounds { location, ranges, locations, implicit })
    }

    /// The table.
    pub(crate) fn table(&self) -> SmallVec<[u64; 32]> {
        bounds::table(self.ranges.iter().copied()).collect()
    }
}

impl Encoded {
    /// Makes room for the arguments of a kernel.
    pub(crate) fn begin(&mut self, kernel: &KernelInterface) {
        self.push.clear();
        self.push.resize(kernel.push_constant_size as usize, 0);
        self.spilled.clear();
        self.spilled.resize(kernel.argument_buffer.map_or(0, |buffer| buffer.size as usize), 0);
        self.locals.clear();
        self.descriptors.clear();
        self.accesses.clear();
        self.buffers.clear();
        self.pixels.clear();
        self.bounds = Bounds::of(kernel).map(Box::new);
        self.first_levels = !kernel.texel_samplers.is_empty();
        self.has_offsets = false;
        self.reaches_anything = false;
    }

    /// Lets the kernel use an image whose pixels lie in a buffer.
    pub(crate) fn use_pixels(&mut self, pixels: BufferPixels) {
        self.accesses.extend(pixels.accesses());
        match self.pixels.iter_mut().find(|known| Arc::ptr_eq(&known.image, &pixels.image)) {
            Some(known) => known.written |= pixels.written,
            None => self.pixels.push(pixels),
        }
    }

    pub(crate) fn put(&mut self, location: ValueLocation, bytes: &[u8]) {
        let (block, offset) = match location {
            ValueLocation::PushConstant { offset } => (&mut self.push[..], offset as usize),
            ValueLocation::ArgumentBuffer { offset } => (&mut self.spilled[..], offset as usize),
        };
        block[offset..offset + bytes.len()].copy_from_slice(bytes);
    }

    /// Lets the kernel reach a range of a buffer that is not an argument.
    pub(crate) fn reach(&mut self, location: BufferLocation, buffer: &Arc<BufferInner>, range: Range<u64>) {
        if let Some(bounds) = &mut self.bounds
            && let Some(index) = bounds.locations.iter().position(|&other| other == location)
        {
            // A descriptor covers only the range.
            let start = buffer.address.map_or(0, |base| base + range.start);
            let start = if matches!(location, BufferLocation::Descriptor { .. }) { 0 } else { start };
            bounds.ranges[bounds.implicit + index] = (start, range.end - range.start);
        }
        match location {
            BufferLocation::Address { offset } => {
                let base = buffer.address.expect("`check_interface` demands addresses of the device");
                let address = base + range.start;
                self.put(ValueLocation::PushConstant { offset }, &address.to_le_bytes());
            }
            BufferLocation::Descriptor { binding } => {
                self.descriptors.push((binding, Descriptor::StorageBuffer(Arc::clone(buffer), range)));
            }
        }
    }

    /// Lets the kernel reach a part of a buffer whose address it finds elsewhere.
    pub(crate) fn reach_indirectly(&mut self, buffer: Arc<BufferInner>, range: Range<u64>) {
        if let (Some(bounds), Some(address)) = (&mut self.bounds, buffer.address) {
            bounds.ranges.push((address + range.start, range.end - range.start));
        }
        self.accesses.push(buffer.access(0..buffer.raw_size, true));
        self.buffers.push(buffer);
    }

    /// Records which memory an argument lets the kernel reach.
    pub(crate) fn bound(&mut self, index: usize, start: u64, length: u64) {
        if let Some(bounds) = &mut self.bounds {
            bounds.ranges[index] = (start, length);
        }
    }

    /// Writes three words at an offset of the push constants, if there is one.
    pub(crate) fn put_words(&mut self, offset: Option<u32>, words: &[u32]) {
        if let Some(offset) = offset {
            for (word, at) in words.iter().zip((offset..).step_by(4)) {
                self.put(ValueLocation::PushConstant { offset: at }, &word.to_le_bytes());
            }
        }
    }
}
