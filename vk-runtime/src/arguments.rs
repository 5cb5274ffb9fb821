//! Kernel arguments: checked against the interface, encoded into push constants, argument buffer and bindings.
//!
//! Nothing here calls Vulkan, but for the memory behind a null pointer where that is a descriptor. The interface itself may come from a file, so [`crate::interface`] must have accepted it
//! first: afterwards every location lies inside its block.

use crate::buffer::{Buffer, BufferInner};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::hazard::Access;
use crate::image::{Image, ImageInner};
use crate::launch::Plan;
use crate::sampler::{Sampler, SamplerInner};
use crate::texels::{BufferImage, TexelView};
use ash::vk;
use clvk_interface::{
    Argument, ArgumentKind, BufferLocation, DeviceProfile, ImageAccess, ImageDimension, ImplicitBuffer,
    KernelInterface, ValueLocation, bounds,
};
use smallvec::{SmallVec, smallvec};
use std::ops::Range;
use std::sync::Arc;

/// A value for one kernel parameter.
#[derive(Clone, Copy, Debug)]
pub enum Arg<'a> {
    /// A pointer to the first byte of a buffer.
    Buffer(&'a Buffer),
    /// A pointer to the byte at this offset of a buffer, which must suit the alignment of the element type.
    BufferAt(&'a Buffer, u64),
    /// A null pointer.
    NullBuffer,
    /// A pointer by the address that it has on the device, which has such addresses. The caller keeps what lies there alive, and
    /// sees to the order of its uses.
    Address(u64),
    /// A scalar, vector or structure by value, in the layout of OpenCL C.
    Bytes(&'a [u8]),
    /// The size in bytes of a `__local` array.
    Local(u64),
    /// An image.
    Image(&'a Image),
    /// A buffer as an image.
    BufferImage(&'a BufferImage),
    /// A sampler.
    Sampler(&'a Sampler),
}

/// An image or sampler that a kernel was given.
#[derive(Clone)]
pub(crate) enum Handle {
    Image(Image),
    BufferImage(BufferImage),
    Sampler(Sampler),
}

impl Handle {
    /// That of an argument, if it is one.
    pub(crate) fn of(argument: &Arg<'_>) -> Option<Self> {
        match *argument {
            Arg::Image(image) => Some(Handle::Image(image.clone())),
            Arg::BufferImage(image) => Some(Handle::BufferImage(image.clone())),
            Arg::Sampler(sampler) => Some(Handle::Sampler(sampler.clone())),
            _ => None,
        }
    }

    /// An argument that is it.
    pub(crate) fn argument(&self) -> Arg<'_> {
        match self {
            Handle::Image(image) => Arg::Image(image),
            Handle::BufferImage(image) => Arg::BufferImage(image),
            Handle::Sampler(sampler) => Arg::Sampler(sampler),
        }
    }
}

impl Arg<'_> {
    fn describe(&self) -> String {
        match self {
            Arg::Buffer(_) | Arg::BufferAt(..) => "a buffer".to_owned(),
            Arg::NullBuffer => "a null pointer".to_owned(),
            Arg::Address(_) => "an address".to_owned(),
            Arg::Bytes(bytes) => format!("a value of {} bytes", bytes.len()),
            Arg::Local(size) => format!("local memory of {size} bytes"),
            Arg::Image(_) => "an image".to_owned(),
            Arg::BufferImage(_) => "a buffer as an image".to_owned(),
            Arg::Sampler(_) => "a sampler".to_owned(),
        }
    }
}

/// What a descriptor points to.
#[derive(Clone)]
pub(crate) enum Descriptor {
    /// A range of bytes of a buffer.
    StorageBuffer(Arc<BufferInner>, Range<u64>),
    SampledImage(Arc<ImageInner>),
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
            Descriptor::SampledImage(_) => vk::DescriptorType::SAMPLED_IMAGE,
            Descriptor::StorageImage(..) => vk::DescriptorType::STORAGE_IMAGE,
            Descriptor::UniformTexels(_) => vk::DescriptorType::UNIFORM_TEXEL_BUFFER,
            Descriptor::StorageTexels(_) => vk::DescriptorType::STORAGE_TEXEL_BUFFER,
            Descriptor::Sampler(..) => vk::DescriptorType::SAMPLER,
        }
    }

    /// Whether a kernel may write memory through it that the host reads without a copy; of images it is not known what
    /// they lie in.
    pub(crate) fn is_for_host(&self) -> bool {
        match self {
            Descriptor::StorageBuffer(buffer, _) => buffer.pointer().is_some(),
            Descriptor::StorageImage(..) | Descriptor::StorageTexels(_) => true,
            Descriptor::SampledImage(_) | Descriptor::UniformTexels(_) | Descriptor::Sampler(_) => false,
        }
    }
}

/// The arguments of a launch in the form that the device takes.
#[derive(Default)]
pub(crate) struct Encoded {
    /// The push-constant block, except for the words that differ between the dispatches of a split launch.
    pub(crate) push: SmallVec<[u8; 128]>,
    /// The argument buffer; empty if the kernel has none.
    pub(crate) spilled: SmallVec<[u8; 256]>,
    /// Specialisation constants of the `__local` arguments: identifier and number of elements.
    pub(crate) locals: SmallVec<[(u32, u32); 4]>,
    pub(crate) descriptors: SmallVec<[(u32, Descriptor); 4]>,
    pub(crate) accesses: SmallVec<[Access; 8]>,
    /// The buffers whose addresses were encoded.
    pub(crate) buffers: SmallVec<[Arc<BufferInner>; 8]>,
    /// What the launch may reach, where the kernel asks.
    pub(crate) bounds: Option<Box<Bounds>>,
}

/// What a launch may reach: see [`clvk_interface::bounds`].
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
    /// For a kernel that asks, with room for its arguments and implicit buffers.
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
    fn begin(&mut self, kernel: &KernelInterface) {
        self.push.clear();
        self.push.resize(kernel.push_constant_size as usize, 0);
        self.spilled.clear();
        self.spilled.resize(kernel.argument_buffer.map_or(0, |buffer| buffer.size as usize), 0);
        self.locals.clear();
        self.descriptors.clear();
        self.accesses.clear();
        self.buffers.clear();
        self.bounds = Bounds::of(kernel).map(Box::new);
    }

    fn put(&mut self, location: ValueLocation, bytes: &[u8]) {
        let (block, offset) = match location {
            ValueLocation::PushConstant { offset } => (&mut self.push[..], offset as usize),
            ValueLocation::ArgumentBuffer { offset } => (&mut self.spilled[..], offset as usize),
        };
        block[offset..offset + bytes.len()].copy_from_slice(bytes);
    }

    /// Lets the kernel reach a range of a buffer that is no argument.
    pub(crate) fn reach(&mut self, location: BufferLocation, buffer: &Arc<BufferInner>, range: Range<u64>) {
        if let Some(bounds) = &mut self.bounds
            && let Some(index) = bounds.locations.iter().position(|&other| other == location)
        {
            // A descriptor is of the range alone.
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

    /// Lets the kernel reach a buffer whose address it finds elsewhere.
    pub(crate) fn reach_indirectly(&mut self, buffer: &Buffer) {
        let inner = buffer.inner();
        if let (Some(bounds), Some(address)) = (&mut self.bounds, buffer.address()) {
            bounds.ranges.push((address, buffer.size()));
        }
        self.accesses.push(inner.access(0..inner.raw_size, true));
        self.buffers.push(inner);
    }

    /// Says what an argument lets the kernel reach.
    fn bound(&mut self, index: usize, start: u64, length: u64) {
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

/// Encodes the arguments of a planned launch, in the place of what was there.
pub(crate) fn encode(
    device: &Device,
    kernel: &KernelInterface,
    plan: &Plan,
    arguments: &[Arg<'_>],
    variables: Option<&Buffer>,
    encoded: &mut Encoded,
) -> Result<()> {
    if arguments.len() != kernel.arguments.len() {
        let signature =
            kernel.arguments.iter().map(|a| format!("{} {}", a.type_name, a.name)).collect::<Vec<_>>();
        return Err(Error::ArgumentCount {
            kernel: kernel.name.clone(),
            expected: kernel.arguments.len(),
            given: arguments.len(),
            signature: signature.join(", "),
        });
    }
    encoded.begin(kernel);
    for (index, (parameter, argument)) in kernel.arguments.iter().zip(arguments).enumerate() {
        encode_one(device, index, parameter, argument, encoded).map_err(|reason| Error::Argument {
            kernel: kernel.name.clone(),
            index,
            name: parameter.name.clone(),
            type_name: parameter.type_name.clone(),
            reason,
        })?;
    }
    if let (Some(location), Some(variables)) =
        (kernel.implicit_buffer(ImplicitBuffer::ProgramVariables), variables)
    {
        let buffer = variables.inner();
        encoded.reach(location, &buffer, 0..buffer.raw_size);
        encoded.accesses.push(buffer.access(0..buffer.raw_size, true));
        encoded.buffers.push(buffer);
    }
    check_local_memory(device.profile(), kernel, encoded)?;
    encoded.put_words(kernel.global_offset, &plan.offset);
    encoded.put_words(kernel.global_size, &plan.global);
    encoded.put_words(kernel.work_dim, &[plan.work_dim]);
    Ok(())
}

/// Encodes one argument; the error is its reason.
fn encode_one(
    device: &Device,
    index: usize,
    parameter: &Argument,
    argument: &Arg<'_>,
    out: &mut Encoded,
) -> Result<(), String> {
    let mismatch =
        |expected: &str| Err(format!("{expected} is needed, but {} was given", argument.describe()));
    match parameter.kind {
        ArgumentKind::BufferAddress { location, read_only } => match pointer(device, parameter, argument)? {
            Pointer::To(buffer, offset) => {
                let inner = buffer.inner();
                let address = inner.address.ok_or("the buffer has no device address on this device")?;
                out.put(location, &(address + offset).to_le_bytes());
                let end = address + buffer.base() + buffer.size();
                out.bound(index, address + offset, end - (address + offset));
                out.accesses.push(buffer.access(!read_only));
                out.buffers.push(inner);
            }
            Pointer::Null => out.put(location, &0u64.to_le_bytes()),
            Pointer::At(address) => out.put(location, &address.to_le_bytes()),
            Pointer::Not => return mismatch("a buffer"),
        },
        ArgumentKind::StorageBuffer { binding, offset_location, read_only } => {
            match pointer(device, parameter, argument)? {
                Pointer::To(argument, offset) => {
                    let buffer = argument.inner();
                    let limit = device.profile().max_storage_buffer_range;
                    if buffer.raw_size > u64::from(limit) {
                        return Err(format!(
                            "the buffer has {} bytes, but this device reaches only {limit} of a buffer (its limit \
                             maxStorageBufferRange); use smaller buffers",
                            buffer.size
                        ));
                    }
                    // Below the limit, which has 32 bits.
                    out.put(offset_location, &(offset as u32).to_le_bytes());
                    out.bound(index, offset, argument.base() + argument.size() - offset);
                    out.accesses.push(argument.access(!read_only));
                    let range = 0..buffer.raw_size;
                    out.descriptors.push((binding, Descriptor::StorageBuffer(buffer, range)));
                }
                Pointer::Null => {
                    out.put(offset_location, &NULL_OFFSET.to_le_bytes());
                    out.bound(index, 0, 0);
                    // The binding needs a buffer, which nobody looks at.
                    let buffer =
                        Buffer::new(device, STRUCTURE_ALIGNMENT).map_err(|error| error.to_string())?.inner();
                    let range = 0..buffer.raw_size;
                    out.descriptors.push((binding, Descriptor::StorageBuffer(buffer, range)));
                }
                Pointer::At(_) => {
                    return Err("this device has no addresses; give a buffer".to_owned());
                }
                Pointer::Not => return mismatch("a buffer"),
            }
        }
        ArgumentKind::Value { location, size } => match argument {
            Arg::Bytes(bytes) if bytes.len() == size as usize => out.put(location, bytes),
            _ => return mismatch(&format!("a value of {size} bytes")),
        },
        ArgumentKind::Local { spec_id, element_size } => match *argument {
            Arg::Local(bytes) => {
                let elements = local_elements(bytes, element_size)?;
                out.locals.push((spec_id, elements));
                out.bound(index, 0, u64::from(elements) * u64::from(element_size));
            }
            _ => return mismatch("a size of local memory"),
        },
        ArgumentKind::Image { binding, dimension, access, levels, ref words } => match argument {
            Arg::Image(image) if dimension != ImageDimension::D1Buffer => {
                check_device(device, image.device(), "image")?;
                let inner = image.argument(dimension, access)?;
                for &(query, location) in words {
                    out.put(location, &image.word(query).to_le_bytes());
                }
                out.accesses.push(inner.access(access != ImageAccess::ReadOnly));
                if access == ImageAccess::ReadOnly {
                    out.descriptors.push((binding, Descriptor::SampledImage(inner)));
                } else {
                    let of_level =
                        |level| (binding + level, Descriptor::StorageImage(Arc::clone(&inner), level));
                    out.descriptors.extend((0..levels).map(of_level));
                }
            }
            Arg::BufferImage(image) if dimension == ImageDimension::D1Buffer => {
                check_device(device, image.device(), "image")?;
                let (descriptor, accessed) = image.argument(access)?;
                for &(query, location) in words {
                    out.put(location, &image.word(query).to_le_bytes());
                }
                out.accesses.push(accessed);
                out.descriptors.push((binding, descriptor));
            }
            _ if dimension == ImageDimension::D1Buffer => return mismatch("a buffer as an image"),
            _ => return mismatch("an image"),
        },
        ArgumentKind::Sampler { binding, word_location } => match argument {
            Arg::Sampler(sampler) => {
                check_device(device, sampler.device(), "sampler")?;
                if let Some(location) = word_location {
                    out.put(location, &sampler.word().to_le_bytes());
                }
                out.descriptors.push((binding, sampler.descriptor()));
            }
            _ => return mismatch("a sampler"),
        },
    }
    Ok(())
}

enum Pointer<'a> {
    /// To the byte at this offset of the buffer's memory.
    To(&'a Buffer, u64),
    Null,
    /// To this address.
    At(u64),
    /// The argument is something else.
    Not,
}

fn pointer<'a>(device: &Device, parameter: &Argument, argument: &Arg<'a>) -> Result<Pointer<'a>, String> {
    let (buffer, offset) = match *argument {
        Arg::Buffer(buffer) => (buffer, 0),
        Arg::BufferAt(buffer, offset) => (buffer, offset),
        Arg::NullBuffer => return Ok(Pointer::Null),
        Arg::Address(address) => return Ok(Pointer::At(address)),
        _ => return Ok(Pointer::Not),
    };
    check_device(device, buffer.device(), "buffer")?;
    if offset >= buffer.size() {
        return Err(format!("the offset {offset} is beyond the end of a buffer of {} bytes", buffer.size()));
    }
    // A vector of three lanes is aligned as one of four (OpenCL C §6.3.5).
    let lanes = if parameter.lanes == 3 { 4 } else { parameter.lanes };
    let structure = match parameter.kind {
        // What kernels assume that address buffers through descriptors.
        ArgumentKind::StorageBuffer { .. } => STRUCTURE_ALIGNMENT,
        _ => 1,
    };
    let offset = buffer.base() + offset;
    let alignment = parameter.element.size().map_or(structure, |size| u64::from(size) * u64::from(lanes));
    if alignment > 1 && !offset.is_multiple_of(alignment) {
        return Err(format!(
            "the offset {offset} is not a multiple of the element's alignment of {alignment} bytes"
        ));
    }
    Ok(Pointer::To(buffer, offset))
}

/// What kernels take for null instead of an offset into a buffer.
const NULL_OFFSET: u32 = u32::MAX;

/// Alignment of pointers to structures, whose type the interface does not tell.
const STRUCTURE_ALIGNMENT: u64 = 16;

fn check_device(device: &Device, other: &Device, what: &str) -> Result<(), String> {
    if device.is(other) { Ok(()) } else { Err(format!("the {what} belongs to another device")) }
}

fn local_elements(bytes: u64, element_size: u32) -> Result<u32, String> {
    if bytes == 0 {
        return Err("the size of local memory is 0; it must be at least one element".to_owned());
    }
    let elements = bytes.div_ceil(u64::from(element_size.max(1)));
    u32::try_from(elements).map_err(|_| format!("{bytes} bytes of local memory are more than any device has"))
}

/// Local memory of the kernel and of its arguments together.
fn check_local_memory(profile: &DeviceProfile, kernel: &KernelInterface, encoded: &Encoded) -> Result<()> {
    let element_size = |spec_id: u32| {
        kernel.arguments.iter().find_map(|argument| match argument.kind {
            ArgumentKind::Local { spec_id: id, element_size } if id == spec_id => Some(element_size),
            _ => None,
        })
    };
    let of_arguments: u64 = encoded
        .locals
        .iter()
        .map(|&(id, elements)| u64::from(elements) * u64::from(element_size(id).unwrap_or(1)))
        .sum();
    let total = of_arguments + u64::from(kernel.static_local_memory);
    if total > u64::from(profile.max_local_memory) {
        return Err(Error::Launch {
            kernel: kernel.name.clone(),
            reason: format!(
                "it needs {total} bytes of local memory ({} of its own, {of_arguments} of arguments), but the device \
                 has {}; give smaller local arguments",
                kernel.static_local_memory, profile.max_local_memory
            ),
        });
    }
    Ok(())
}
