//! Kernel arguments: checked against the interface, and encoded for the engine ([`Encoded`]).
//!
//! Nothing here calls Vulkan, except to create the memory behind a null pointer that is passed as a
//! descriptor. The interface itself may come from a file, so [`crate::engine::interface_check`] must have
//! accepted it first. Afterwards every location lies inside its block.

use crate::engine::arguments::{Descriptor, Encoded};
use crate::engine::image::ImageInner;
use crate::engine::nd_range::Plan;
use crate::objects::buffer::Buffer;
use crate::objects::buffer_image::BufferImage;
use crate::objects::device::Device;
use crate::objects::image::Image;
use crate::objects::pitched_image::PitchedImage;
use crate::objects::sampler::Sampler;
use crate::vulkan::error::{Error, Result};
use clvk_interface::sanitize::{ArgumentMemory, Holder, UNKNOWN_SIZE, UNKNOWN_START};
use clvk_interface::{
    Argument, ArgumentKind, DeviceProfile, ImageAccess, ImageDimension, ImplicitBuffer, KernelInterface,
    SamplerSource, SpecConstants,
};
use std::sync::Arc;

/// A value for one kernel parameter.
#[derive(Clone, Copy, Debug)]
pub enum Arg<'a> {
    /// A pointer to the first byte of a buffer.
    Buffer(&'a Buffer),
    /// A pointer to the byte at this offset of a buffer. It must have the alignment of the element type.
    BufferAt(&'a Buffer, u64),
    /// A null pointer.
    NullBuffer,
    /// A pointer given as a device address, on a device that has buffer addresses. The caller keeps the
    /// memory alive and orders its uses.
    Address(u64),
    /// A scalar, vector or structure by value, in the layout of OpenCL C.
    Bytes(&'a [u8]),
    /// The size in bytes of a `__local` array.
    Local(u64),
    /// An image.
    Image(&'a Image),
    /// An image made from a buffer.
    BufferImage(&'a BufferImage),
    /// An image of another shape whose pixels lie in a buffer.
    PitchedImage(&'a PitchedImage),
    /// A sampler.
    Sampler(&'a Sampler),
}

/// An image or sampler that a kernel was given.
#[derive(Clone)]
pub(crate) enum Handle {
    Image(Image),
    BufferImage(BufferImage),
    PitchedImage(PitchedImage),
    Sampler(Sampler),
}

impl Handle {
    /// The handle of an argument, if the argument is an image or sampler.
    pub(crate) fn of(argument: &Arg<'_>) -> Option<Self> {
        match *argument {
            Arg::Image(image) => Some(Handle::Image(image.clone())),
            Arg::BufferImage(image) => Some(Handle::BufferImage(image.clone())),
            Arg::PitchedImage(image) => Some(Handle::PitchedImage(image.clone())),
            Arg::Sampler(sampler) => Some(Handle::Sampler(sampler.clone())),
            _ => None,
        }
    }

    /// The handle as an argument.
    pub(crate) fn argument(&self) -> Arg<'_> {
        match self {
            Handle::Image(image) => Arg::Image(image),
            Handle::BufferImage(image) => Arg::BufferImage(image),
            Handle::PitchedImage(image) => Arg::PitchedImage(image),
            Handle::Sampler(sampler) => Arg::Sampler(sampler),
        }
    }
}

impl Arg<'_> {
    /// For the sanitizer: what is known of the argument's memory.
    pub(crate) fn memory(&self) -> ArgumentMemory {
        let in_buffer = |buffer: &Buffer, before| {
            let number = Arc::as_ptr(&buffer.inner()) as usize;
            let holder = Some((Holder::Buffer(number), buffer.base()));
            ArgumentMemory { before, all: buffer.size(), holder, forbidden: buffer.forbidden(), value: None }
        };
        match *self {
            Arg::Buffer(buffer) => in_buffer(buffer, 0),
            Arg::BufferAt(buffer, offset) => in_buffer(buffer, offset),
            Arg::Local(all) => {
                ArgumentMemory { all, holder: Some((Holder::Local, 0)), ..ArgumentMemory::default() }
            }
            Arg::Address(_) => {
                ArgumentMemory { before: UNKNOWN_START, all: UNKNOWN_SIZE, ..ArgumentMemory::default() }
            }
            Arg::Bytes(bytes) => {
                let int = bytes.try_into().map(|bytes| i64::from(i32::from_ne_bytes(bytes)));
                let value = int.or_else(|_| bytes.try_into().map(i64::from_ne_bytes)).ok();
                ArgumentMemory { value, ..ArgumentMemory::default() }
            }
            _ => ArgumentMemory::default(),
        }
    }

    fn describe(&self) -> String {
        match self {
            Arg::Buffer(_) | Arg::BufferAt(..) => "a buffer".to_owned(),
            Arg::NullBuffer => "a null pointer".to_owned(),
            Arg::Address(_) => "an address".to_owned(),
            Arg::Bytes(bytes) => format!("a value of {} bytes", bytes.len()),
            Arg::Local(size) => format!("local memory of {size} bytes"),
            Arg::Image(_) | Arg::PitchedImage(_) => "an image".to_owned(),
            Arg::BufferImage(_) => "an image made from a buffer".to_owned(),
            Arg::Sampler(_) => "a sampler".to_owned(),
        }
    }
}

/// Encodes the arguments of a planned launch, replacing the previous contents of `out`.
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
    for sampler in &kernel.texel_samplers {
        if let SamplerSource::Argument(index) = sampler.of
            && let Arg::Sampler(of) = arguments[index as usize]
        {
            encoded.descriptors.push((sampler.binding, of.texel_descriptor()?));
        }
    }
    if let (Some(location), Some(variables)) =
        (kernel.implicit_buffer(ImplicitBuffer::ProgramVariables), variables)
    {
        let buffer = variables.inner();
        encoded.reach(location, &buffer, 0..buffer.raw_size);
        encoded.accesses.push(buffer.access(0..buffer.raw_size, true));
        encoded.buffers.push(buffer);
    }
    check_local_memory(device.profile(), kernel, &encoded.locals)?;
    encoded.put_words(kernel.global_offset, &plan.offset);
    encoded.put_words(kernel.global_size, &plan.global);
    encoded.put_words(kernel.work_dim, &[plan.work_dim]);
    Ok(())
}

/// Encodes one argument; the error is the reason of [`Error::Argument`].
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
                            "the buffer has {} bytes, but this device reaches only {limit} bytes of a buffer (its limit \
                             maxStorageBufferRange); use smaller buffers",
                            buffer.size
                        ));
                    }
                    // Below the limit, which has 32 bits.
                    out.put(offset_location, &(offset as u32).to_le_bytes());
                    out.has_offsets |= offset != 0;
                    out.bound(index, offset, argument.base() + argument.size() - offset);
                    out.accesses.push(argument.access(!read_only));
                    let range = 0..buffer.raw_size;
                    out.descriptors.push((binding, Descriptor::StorageBuffer(buffer, range)));
                }
                Pointer::Null => {
                    out.put(offset_location, &NULL_OFFSET.to_le_bytes());
                    out.has_offsets = true;
                    out.bound(index, 0, 0);
                    // The binding needs a buffer, though the kernel never reads it.
                    let buffer =
                        Buffer::new(device, STRUCTURE_ALIGNMENT).map_err(|error| error.to_string())?.inner();
                    let range = 0..buffer.raw_size;
                    out.descriptors.push((binding, Descriptor::StorageBuffer(buffer, range)));
                }
                Pointer::At(_) => {
                    return Err("this device has no buffer addresses; give a buffer".to_owned());
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
                for &(query, location) in words {
                    out.put(location, &image.word(query).to_le_bytes());
                }
                bind_image(out, binding, image.argument(dimension, access)?, access, levels);
            }
            Arg::PitchedImage(image) if dimension != ImageDimension::D1Buffer => {
                check_device(device, image.device(), "image")?;
                let (inner, pixels) = image.argument(dimension, access)?;
                for &(query, location) in words {
                    out.put(location, &image.word(query).to_le_bytes());
                }
                bind_image(out, binding, inner, access, levels);
                out.use_pixels(pixels);
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
            _ if dimension == ImageDimension::D1Buffer => return mismatch("an image made from a buffer"),
            _ => return mismatch("an image"),
        },
        ArgumentKind::Sampler { binding, word_location } => match argument {
            Arg::Sampler(sampler) => {
                check_device(device, sampler.device(), "sampler")?;
                if let Some(location) = word_location {
                    out.put(location, &sampler.description().word().to_le_bytes());
                }
                out.descriptors.push((binding, sampler.descriptor()));
            }
            _ => return mismatch("a sampler"),
        },
    }
    Ok(())
}

/// Binds an image, level by level if the kernel may write it.
fn bind_image(out: &mut Encoded, binding: u32, image: Arc<ImageInner>, access: ImageAccess, levels: u32) {
    out.accesses.push(image.access(access != ImageAccess::ReadOnly));
    if access == ImageAccess::ReadOnly {
        let descriptor = if out.first_levels { Descriptor::FirstLevel } else { Descriptor::SampledImage };
        out.descriptors.push((binding, descriptor(image)));
    } else {
        let of_level = |level| (binding + level, Descriptor::StorageImage(Arc::clone(&image), level));
        out.descriptors.extend((0..levels).map(of_level));
    }
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
        // Kernels that address buffers through descriptors assume this.
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

/// The offset that kernels take for a null pointer.
const NULL_OFFSET: u32 = u32::MAX;

/// Alignment of pointers to structures, because the interface does not describe their type.
const STRUCTURE_ALIGNMENT: u64 = 16;

fn check_device(device: &Device, other: &Device, what: &str) -> Result<(), String> {
    if device.is(other) { Ok(()) } else { Err(format!("the {what} belongs to another device")) }
}

/// The specialisation constant of a launch without offsets, if the kernel has it.
pub(crate) fn offset_mask(kernel: &KernelInterface) -> Option<(u32, u32)> {
    kernel.offset_mask.then_some((SpecConstants::OFFSET_MASK, 0))
}

/// How many elements a `__local` argument of this size holds.
pub(crate) fn local_elements(bytes: u64, element_size: u32) -> Result<u32, String> {
    if bytes == 0 {
        return Err("the size of local memory is 0; it must be at least one element".to_owned());
    }
    let elements = bytes.div_ceil(u64::from(element_size.max(1)));
    u32::try_from(elements).map_err(|_| format!("no device has {bytes} bytes of local memory"))
}

/// Local memory of the kernel and of its arguments together.
///
/// `locals` has the specialisation constant and the number of elements of each local argument.
pub(crate) fn check_local_memory(
    profile: &DeviceProfile,
    kernel: &KernelInterface,
    locals: &[(u32, u32)],
) -> Result<()> {
    let argument = |spec_id: u32| {
        kernel.arguments.iter().find_map(|argument| match argument.kind {
            ArgumentKind::Local { spec_id: id, element_size } if id == spec_id => {
                Some((argument, element_size))
            }
            _ => None,
        })
    };
    let of_arguments: Vec<(&str, u64)> = locals
        .iter()
        .map(|&(id, elements)| match argument(id) {
            Some((argument, size)) => (argument.name.as_str(), u64::from(elements) * u64::from(size)),
            None => ("", elements.into()),
        })
        .collect();
    let (own, limit) = (u64::from(kernel.static_local_memory), u64::from(profile.max_local_memory));
    let total = own + of_arguments.iter().map(|(_, size)| size).sum::<u64>();
    if total <= limit {
        return Ok(());
    }
    let reason = if own > limit {
        format!(
            "its `__local` variables take {own} bytes of local memory, but the device has {limit}; declare smaller ones, \
             or choose another device"
        )
    } else {
        let list: Vec<String> =
            of_arguments.iter().map(|(name, size)| format!("{size} for `{name}`")).collect();
        format!(
            "it needs {total} bytes of local memory ({own} of its own, {}), but the device has {limit}; give smaller local \
             arguments",
            list.join(", ")
        )
    };
    Err(Error::Launch { kernel: kernel.name.clone(), reason })
}
