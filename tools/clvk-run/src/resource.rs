//! From the text of the arguments to buffers, images and values on a device.

use crate::argument::{ArgumentText, Shape};
use crate::array;
use crate::failure::{Failure, Result};
use crate::number::{ElementType, Number};
use clvk_interface::{Argument, ArgumentKind, ScalarType};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use std::path::{Path, PathBuf};
use vk_runtime::{Arg, Buffer, Device, Image, ImageDescription, ImageFormat, Sampler};

/// A buffer with what it held at first.
pub struct BufferResource {
    /// Device memory.
    pub buffer: Buffer,
    /// Contents before the first launch.
    pub initial: Vec<u8>,
    /// Element type and shape, for files and printing.
    pub shape: Shape,
    /// File to write afterwards.
    pub output: Option<PathBuf>,
}

/// An argument on the device.
pub enum Resource {
    /// A buffer.
    Buffer(BufferResource),
    /// A value's bytes.
    Value(Vec<u8>),
    /// Bytes of local memory.
    Local(u64),
    /// An image, and the file to write afterwards.
    Image { image: Image, output: Option<PathBuf> },
    /// A sampler.
    Sampler(Sampler),
}

impl Resource {
    /// What the launch takes.
    pub fn arg(&self) -> Arg<'_> {
        match self {
            Resource::Buffer(resource) => Arg::Buffer(&resource.buffer),
            Resource::Value(bytes) => Arg::Bytes(bytes),
            Resource::Local(bytes) => Arg::Local(*bytes),
            Resource::Image { image, .. } => Arg::Image(image),
            Resource::Sampler(sampler) => Arg::Sampler(sampler),
        }
    }

    /// Makes what an argument's text says for a parameter.
    pub fn new(device: &Device, parameter: &Argument, text: &ArgumentText) -> Result<Resource> {
        let name = format!("parameter `{}` (`{}`)", parameter.name, parameter.type_name);
        let mismatch = |given: &str, needed: &str| {
            Failure::usage(format!("{name} was given {given}, but it needs {needed}"))
        };
        let needed = match &parameter.kind {
            ArgumentKind::BufferAddress { .. } | ArgumentKind::StorageBuffer { .. } => {
                "a buffer (`in: inout: out: zero: fill: rand:`)"
            }
            ArgumentKind::Value { .. } => "a value",
            ArgumentKind::Local { .. } => "`local:BYTES`",
            ArgumentKind::Image { .. } => "an image (`image: image-out:`)",
            ArgumentKind::Sampler { .. } => "a `sampler:`",
        };
        let wants_buffer =
            matches!(parameter.kind, ArgumentKind::BufferAddress { .. } | ArgumentKind::StorageBuffer { .. });
        match (text, &parameter.kind) {
            (ArgumentText::Value(numbers), ArgumentKind::Value { size, .. }) => {
                Ok(Resource::Value(value(numbers, parameter, *size, &name)?))
            }
            (ArgumentText::Input { path, write_back: false }, ArgumentKind::Value { size, .. }) => {
                structure(path, *size, &name)
            }
            (ArgumentText::Local(bytes), ArgumentKind::Local { .. }) => Ok(Resource::Local(*bytes)),
            (ArgumentText::Sampler(description), ArgumentKind::Sampler { .. }) => {
                Ok(Resource::Sampler(Sampler::new(device, *description)?))
            }
            (ArgumentText::Image { path, format }, ArgumentKind::Image { .. }) => {
                image(device, path, *format)
            }
            (ArgumentText::ImageOutput { path, width, height, format }, ArgumentKind::Image { .. }) => {
                let image = Image::new(device, &ImageDescription::planar(*format, *width, *height))?;
                Ok(Resource::Image { image, output: Some(path.clone()) })
            }
            (text, _) if wants_buffer => match buffer(device, parameter, text, &name)? {
                Some(buffer) => Ok(Resource::Buffer(buffer)),
                None => Err(mismatch(describe(text), needed)),
            },
            (text, _) => Err(mismatch(describe(text), needed)),
        }
    }
}

fn describe(text: &ArgumentText) -> &'static str {
    match text {
        ArgumentText::Value(numbers) if numbers.len() > 1 => "a vector",
        ArgumentText::Value(_) => "a number",
        ArgumentText::Local(_) => "local memory",
        ArgumentText::Image { .. } | ArgumentText::ImageOutput { .. } => "an image",
        ArgumentText::Sampler(_) => "a sampler",
        _ => "a buffer",
    }
}

fn value(numbers: &[Number], parameter: &Argument, size: u32, name: &str) -> Result<Vec<u8>> {
    let lanes = parameter.lanes as usize;
    if numbers.len() != lanes {
        let has = if lanes == 1 { "takes one number".to_owned() } else { format!("has {lanes} lanes") };
        return Err(Failure::usage(format!("{name} {has}, but {} were given", numbers.len())));
    }
    let mut bytes = Vec::new();
    for number in numbers {
        let lane = number.to_bytes(parameter.element);
        bytes.extend(lane.map_err(|reason| Failure::usage(format!("{name} cannot be {number}: {reason}")))?);
    }
    bytes.resize(size as usize, 0);
    Ok(bytes)
}

fn structure(path: &Path, size: u32, name: &str) -> Result<Resource> {
    let bytes = std::fs::read(path)
        .map_err(|error| Failure::usage(format!("cannot read `{}`: {error}", path.display())))?;
    if bytes.len() == size as usize {
        return Ok(Resource::Value(bytes));
    }
    Err(Failure::usage(format!("`{}` holds {} bytes, but {name} takes {size}", path.display(), bytes.len())))
}

/// A buffer argument; nothing if the text is for something else.
fn buffer(
    device: &Device,
    parameter: &Argument,
    text: &ArgumentText,
    name: &str,
) -> Result<Option<BufferResource>> {
    let target = ElementType { scalar: parameter.element, lanes: parameter.lanes };
    let (initial, shape, output) = match text {
        ArgumentText::Input { path, write_back } => {
            let bytes = array::read(path, target, name)?;
            let count = bytes.len() as u64 / u64::from(target.size().unwrap_or(1));
            let element = if target.size().is_some() { target } else { BYTE };
            (bytes, Shape { element, extents: vec![count] }, write_back.then(|| path.clone()))
        }
        ArgumentText::Output { path, shape } => {
            (filled(shape, Number::Int(0), target, name)?, shape.clone(), Some(path.clone()))
        }
        ArgumentText::Fill { value, shape } => (filled(shape, *value, target, name)?, shape.clone(), None),
        ArgumentText::Random { seed, shape } => {
            let mut bytes = filled(shape, Number::Int(0), target, name)?;
            randomize(&mut bytes, *seed, shape.element.scalar);
            (bytes, shape.clone(), None)
        }
        _ => return Ok(None),
    };
    let buffer = Buffer::with_data(device, &initial)?;
    Ok(Some(BufferResource { buffer, initial, shape, output }))
}

const BYTE: ElementType = ElementType { scalar: ScalarType::U8, lanes: 1 };

/// The bytes of a buffer that holds one value, whose type suits the parameter.
fn filled(shape: &Shape, value: Number, target: ElementType, name: &str) -> Result<Vec<u8>> {
    let element = shape.element;
    if target.scalar != ScalarType::Opaque
        && (element.scalar != target.scalar || (element.lanes > 1 && element != target))
    {
        return Err(Failure::usage(format!(
            "{name} needs elements of type `{target}`, but `{element}` were given"
        )));
    }
    let size = shape.size().unwrap_or(u64::MAX);
    if let Some(unit) = target.size().filter(|&unit| !size.is_multiple_of(unit.into())) {
        return Err(Failure::usage(format!(
            "{size} bytes of `{element}` are no whole number of `{target}` ({unit} bytes each) for {name}"
        )));
    }
    let scalar = value
        .to_bytes(element.scalar)
        .map_err(|reason| Failure::usage(format!("{name} cannot be filled with {value}: {reason}")))?;
    let length = usize::try_from(size).unwrap_or(usize::MAX);
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(length).map_err(|_| {
        Failure::usage(format!("a buffer of {size} bytes for {name} does not fit this machine's memory"))
    })?;
    if scalar.iter().all(|byte| *byte == 0) {
        bytes.resize(length, 0);
    } else {
        bytes.extend(scalar.iter().cycle().take(length));
    }
    Ok(bytes)
}

/// Random values: floats in [0, 1), integers over their whole range. The same seed gives the same values everywhere.
fn randomize(bytes: &mut [u8], seed: u64, scalar: ScalarType) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let unit = |random: &mut ChaCha8Rng| (random.next_u32() >> 8) as f32 / 16_777_216.0;
    match scalar {
        ScalarType::F16 => {
            for chunk in bytes.chunks_exact_mut(2) {
                // Eleven bits, so that no value rounds up to 1.
                let value = (random.next_u32() >> 21) as f32 / 2048.0;
                chunk.copy_from_slice(&half::f16::from_f32(value).to_le_bytes());
            }
        }
        ScalarType::F32 => {
            for chunk in bytes.chunks_exact_mut(4) {
                chunk.copy_from_slice(&unit(&mut random).to_le_bytes());
            }
        }
        ScalarType::F64 => {
            for chunk in bytes.chunks_exact_mut(8) {
                let value = (random.next_u64() >> 11) as f64 / 9_007_199_254_740_992.0;
                chunk.copy_from_slice(&value.to_le_bytes());
            }
        }
        _ => random.fill_bytes(bytes),
    }
}

fn image(device: &Device, path: &Path, format: ImageFormat) -> Result<Resource> {
    let picture = image::open(path)
        .map_err(|error| Failure::usage(format!("cannot read `{}`: {error}", path.display())))?;
    let (width, height) = (picture.width(), picture.height());
    let image = Image::new(device, &ImageDescription::planar(format, width, height))?;
    let bytes = match format.pixel_size() {
        4 => picture.to_rgba8().into_raw(),
        8 => picture.to_rgba32f().iter().flat_map(|&v| half::f16::from_f32(v).to_le_bytes()).collect(),
        _ => picture.to_rgba32f().iter().flat_map(|v| v.to_le_bytes()).collect(),
    };
    image.write(&bytes)?;
    Ok(Resource::Image { image, output: None })
}

/// Writes an image to a PNG.
pub fn save_image(image: &Image, path: &Path) -> Result<()> {
    let description = image.description();
    let (width, height) = (description.width, description.height);
    let pixel = description.format.pixel_size() as usize;
    let mut bytes = vec![0; width as usize * height as usize * pixel];
    image.read(&mut bytes)?;
    let to_byte = |value: f32| (value.clamp(0.0, 1.0) * 255.0).round() as u8;
    let rgba = match pixel {
        4 => bytes,
        8 => {
            bytes.chunks_exact(2).map(|c| to_byte(half::f16::from_le_bytes([c[0], c[1]]).to_f32())).collect()
        }
        _ => bytes.chunks_exact(4).map(|c| to_byte(f32::from_le_bytes([c[0], c[1], c[2], c[3]]))).collect(),
    };
    image::save_buffer(path, &rgba, width, height, image::ExtendedColorType::Rgba8)
        .map_err(|error| Failure::usage(format!("cannot write `{}`: {error}", path.display())))
}
