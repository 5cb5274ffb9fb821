//! From the text of the arguments to buffers, images and values on a device.

use crate::argument::{ArgumentText, RGBA, Shape};
use crate::failure::{Failure, Result};
use crate::number::{ElementType, Number};
use crate::show::{Shown, shown};
use crate::{array, picture};
use clvk::interface::{Argument, ArgumentKind, ScalarType};
use clvk::runtime::{Arg, Buffer, Device, Image, ImageDescription, Sampler};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use std::path::{Path, PathBuf};

/// A buffer and what is known of its elements.
pub struct BufferResource {
    /// Device memory.
    pub buffer: Buffer,
    /// Element type and shape, for files and printing.
    pub shape: Shape,
    /// File to write afterwards.
    pub output: Option<Output>,
}

/// A file that a buffer is written to.
#[derive(Clone)]
pub enum Output {
    /// Elements: NPY or raw bytes.
    Array(PathBuf),
    /// A PNG.
    Picture { path: PathBuf, width: u32, height: u32 },
}

impl Output {
    /// Its path.
    pub fn path(&self) -> &Path {
        match self {
            Output::Array(path) | Output::Picture { path, .. } => path,
        }
    }
}

impl BufferResource {
    /// The first bytes, at most `limit` of them.
    pub fn contents(&self, limit: u64) -> Result<Vec<u8>> {
        let size = self.buffer.size().min(limit);
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(size as usize).map_err(|_| {
            Failure::usage(format!(
                "a buffer of {size} bytes does not fit this machine's memory; use a smaller one"
            ))
        })?;
        bytes.resize(size as usize, 0);
        self.buffer.read(0, &mut bytes)?;
        Ok(bytes)
    }

    /// The first elements, at most `count` of them, as the parameter that takes the buffer sees them.
    pub fn elements(&self, parameter: &Argument, count: u64) -> Result<Vec<Shown>> {
        let target = ElementType { scalar: parameter.element, lanes: parameter.lanes };
        let element = if target.lanes == 1 { self.shape.element } else { target };
        let size = u64::from(element.size().unwrap_or(1));
        Ok(shown(&self.contents(count.saturating_mul(size))?, element))
    }

    /// Writes the file, if there is one, and gives its path.
    pub fn save(&self) -> Result<Option<&Path>> {
        let Some(output) = &self.output else { return Ok(None) };
        let bytes = self.contents(u64::MAX)?;
        match output {
            Output::Array(path) => array::write(path, self.shape.element, &self.shape.extents, &bytes)?,
            Output::Picture { path, width, height } => picture::save(path, *width, *height, &bytes)?,
        }
        Ok(Some(output.path()))
    }
}

/// An argument on the device.
pub enum Resource {
    /// A buffer.
    Buffer(BufferResource),
    /// A value's bytes.
    Value(Vec<u8>),
    /// A null pointer.
    Null,
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
            Resource::Null => Arg::NullBuffer,
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
                "a buffer (`in: inout: out: zero: fill: rand:`, or `null`)"
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
                Ok(Resource::Image { image: picture::load(device, path, *format)?, output: None })
            }
            (ArgumentText::ImageOutput { path, width, height, format }, ArgumentKind::Image { .. }) => {
                let image = Image::new(device, &ImageDescription::planar(*format, *width, *height))?;
                Ok(Resource::Image { image, output: Some(path.clone()) })
            }
            (ArgumentText::Null, _) if wants_buffer => Ok(Resource::Null),
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
        ArgumentText::Null => "a null pointer",
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
    let bytes = array::read_bytes(path, u64::from(size))?;
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
    let zero = Content::Value(Number::Int(0));
    let (shape, content, output) = match text {
        ArgumentText::Input { path, write_back } => {
            return input(device, path, *write_back, target, name).map(Some);
        }
        ArgumentText::Output { path, shape } => {
            array::check_type(path, shape.element)?;
            (shape.clone(), zero, Some(Output::Array(path.clone())))
        }
        ArgumentText::Picture { path, width, height } => {
            let shape = Shape { element: RGBA, extents: vec![u64::from(*height), u64::from(*width)] };
            let (path, width, height) = (path.clone(), *width, *height);
            (shape, zero, Some(Output::Picture { path, width, height }))
        }
        ArgumentText::Fill { value, shape } => (shape.clone(), Content::Value(*value), None),
        ArgumentText::Random { seed, shape } => (shape.clone(), Content::Random(*seed), None),
        _ => return Ok(None),
    };
    check_shape(&shape, target, name)?;
    // The device's limits bound what the host allocates: the buffer is made first and filled part by part.
    let buffer = Buffer::new(device, shape.size().unwrap_or(u64::MAX))?;
    match content {
        Content::Value(value) => fill(&buffer, value, shape.element.scalar, name)?,
        Content::Random(seed) => {
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            write_parts(&buffer, |part| randomize(part, &mut random, shape.element.scalar))?;
        }
    }
    Ok(Some(BufferResource { buffer, shape, output }))
}

/// What a buffer holds at first that is not read from a file.
enum Content {
    Value(Number),
    Random(u64),
}

const BYTE: ElementType = ElementType { scalar: ScalarType::U8, lanes: 1 };

/// `in:` and `inout:`.
fn input(
    device: &Device,
    path: &Path,
    write_back: bool,
    target: ElementType,
    name: &str,
) -> Result<BufferResource> {
    let limit = device.info().memory().unwrap_or(u64::MAX);
    let array::Contents { bytes, extents } = array::read(path, target, name, limit)?;
    let element = if target.size().is_some() { target } else { BYTE };
    let buffer = Buffer::with_data(device, &bytes)?;
    let output = write_back.then(|| Output::Array(path.to_owned()));
    Ok(BufferResource { buffer, shape: Shape { element, extents }, output })
}

/// Whether elements of this shape suit a parameter's type.
fn check_shape(shape: &Shape, target: ElementType, name: &str) -> Result<()> {
    let element = shape.element;
    // Vectors are welcome where scalars are wanted, if they have no padding.
    let lanes_suit = element.lanes == 1
        || element.lanes == target.lanes
        || (target.lanes == 1 && element.lanes == element.stride());
    if target.scalar != ScalarType::Opaque && (element.scalar != target.scalar || !lanes_suit) {
        return Err(Failure::usage(format!(
            "{name} needs elements of type `{target}`, but `{element}` were given"
        )));
    }
    let size = shape.size().unwrap_or(u64::MAX);
    match target.size().filter(|&unit| !size.is_multiple_of(unit.into())) {
        Some(unit) => Err(Failure::usage(format!(
            "{size} bytes of `{element}` are not a whole number of `{target}` ({unit} bytes each) for {name}"
        ))),
        None => Ok(()),
    }
}

/// Fills a buffer with one value.
fn fill(buffer: &Buffer, value: Number, scalar: ScalarType, name: &str) -> Result<()> {
    let bytes = value
        .to_bytes(scalar)
        .map_err(|reason| Failure::usage(format!("{name} cannot be filled with {value}: {reason}")))?;
    let words: Vec<u8> = bytes.iter().copied().cycle().take(bytes.len().max(4)).collect();
    match words
        .chunks_exact(4)
        .map(|word| [word[0], word[1], word[2], word[3]])
        .collect::<Vec<_>>()
        .as_slice()
    {
        [word, rest @ ..] if rest.iter().all(|other| other == word) => {
            Ok(buffer.fill(u32::from_le_bytes(*word))?)
        }
        _ => write_parts(buffer, |part| {
            for (byte, value) in part.iter_mut().zip(bytes.iter().cycle()) {
                *byte = *value;
            }
        }),
    }
}

/// Bytes that the host makes at a time: a multiple of every scalar's size.
const PART: u64 = 16 << 20;

/// Writes a buffer from its start to its end; `make` gives the bytes of each part.
fn write_parts(buffer: &Buffer, mut make: impl FnMut(&mut [u8])) -> Result<()> {
    let mut part = vec![0; buffer.size().min(PART) as usize];
    for offset in (0..buffer.size()).step_by(PART as usize) {
        let bytes = &mut part[..(buffer.size() - offset).min(PART) as usize];
        make(bytes);
        buffer.write(offset, bytes)?;
    }
    Ok(())
}

/// Random values: floats in [0, 1), integers over their whole range. The same seed gives the same values
/// everywhere.
fn randomize(bytes: &mut [u8], random: &mut ChaCha8Rng, scalar: ScalarType) {
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
                chunk.copy_from_slice(&unit(random).to_le_bytes());
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
