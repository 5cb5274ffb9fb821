//! From the text of the arguments to buffers, images and values on a device.

use crate::argument::{ArgumentText, ImageText, Inputs, Literal, Pixels, Promise, Shape};
use crate::content::Content;
use crate::failure::{Failure, Result};
use crate::file::picture::{self, Picture};
use crate::file::{self, Form, Format};
use crate::number::{ElementType, Number};
use crate::show::{Shown, shown};
use crate::{structure, texels};
use clvk::interface::{Argument, ArgumentKind, ImageDimension, ScalarType};
use clvk::runtime::{
    Arg, Buffer, BufferImage, ChannelOrder, ChannelType, Device, Image, ImageFormat, Sampler,
};
use clvk::{ImageDescription, Layout};
use std::path::{Path, PathBuf};

/// A buffer and what is known of its elements.
pub struct BufferResource {
    /// Device memory.
    pub buffer: Buffer,
    /// Element type and shape, for files and printing.
    pub shape: Shape,
    /// File to write afterwards.
    pub output: Option<(PathBuf, Form)>,
}

impl BufferResource {
    /// How it is a picture, if it is one.
    fn layout(&self) -> Option<picture::Layout> {
        picture::Layout::of(Path::new(""), self.shape.element, &self.shape.extents).ok()
    }
}

/// A file to write.
#[derive(Clone, Copy)]
pub struct Output<'a> {
    /// Its path.
    pub path: &'a Path,
    form: &'a Form,
}

/// How elements are compared.
pub struct Comparable {
    /// Their type.
    pub element: ElementType,
    /// The number that counts as 1.
    pub scale: f64,
    /// Elements in a row of a picture.
    pub width: Option<u64>,
}

/// The first bytes of a buffer, at most `limit` of them.
fn read_buffer(buffer: &Buffer, limit: u64) -> Result<Vec<u8>> {
    let mut bytes = zeros(buffer.size().min(limit))?;
    buffer.read(0, &mut bytes)?;
    Ok(bytes)
}

fn zeros(size: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    bytes
        .try_reserve_exact(size as usize)
        .map_err(|_| Failure::usage(format!("{size} bytes do not fit this machine's memory; use less")))?;
    bytes.resize(size as usize, 0);
    Ok(bytes)
}

/// An image on the device.
pub struct ImageResource {
    texels: Texels,
    /// Shape and format.
    pub description: ImageDescription,
    /// File to write afterwards.
    output: Option<PathBuf>,
}

/// Where an image's texels are.
enum Texels {
    Image(Image),
    /// In a buffer, for `image1d_buffer_t`.
    Buffer(Buffer, BufferImage),
}

impl ImageResource {
    fn new(
        device: &Device,
        text: &ImageText,
        parameter: &Argument,
        dimension: ImageDimension,
        name: &str,
    ) -> Result<Self> {
        let source = texels::Source::read(&text.pixels)?;
        let format = source.format(text, parameter.element, dimension, name)?;
        let description = source.description(format, dimension, name)?;
        if let Some(path) = &text.output {
            texels::check_output(path, &description, name)?;
        }
        let bytes = source.texels(format, name)?;
        let texels = match dimension {
            ImageDimension::D1Buffer => {
                let buffer = match bytes {
                    Some(bytes) => Buffer::with_data(device, &bytes)?,
                    None => {
                        let buffer = Buffer::new(device, description.byte_size())?;
                        buffer.fill(0)?;
                        buffer
                    }
                };
                let view = BufferImage::new(&buffer, format, description.width)?;
                Texels::Buffer(buffer, view)
            }
            _ => {
                let image = Image::new(device, &description)?;
                match bytes {
                    Some(bytes) => image.write(&bytes)?,
                    None => image.write(&zeros(description.byte_size())?)?,
                }
                Texels::Image(image)
            }
        };
        Ok(ImageResource { texels, description, output: text.output.clone() })
    }

    /// The image; `None` if it is a view of a buffer.
    pub fn image(&self) -> Option<&Image> {
        match &self.texels {
            Texels::Image(image) => Some(image),
            Texels::Buffer(..) => None,
        }
    }

    fn read(&self) -> Result<Vec<u8>> {
        match &self.texels {
            Texels::Buffer(buffer, _) => read_buffer(buffer, u64::MAX),
            Texels::Image(image) => {
                let mut bytes = zeros(self.description.byte_size())?;
                image.read(&mut bytes)?;
                Ok(bytes)
            }
        }
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
    /// An image.
    Image(ImageResource),
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
            Resource::Image(ImageResource { texels: Texels::Image(image), .. }) => Arg::Image(image),
            Resource::Image(ImageResource { texels: Texels::Buffer(_, view), .. }) => Arg::BufferImage(view),
            Resource::Sampler(sampler) => Arg::Sampler(sampler),
        }
    }

    /// Makes what an argument's text says for a parameter.
    pub fn new(
        device: &Device,
        parameter: &Argument,
        structure: Option<&Layout>,
        text: &ArgumentText,
    ) -> Result<Resource> {
        let name = describe_parameter(parameter);
        let mismatch = || {
            let (given, needed) = (describe(text), needed(&parameter.kind));
            let meant = meant(text, &parameter.kind);
            Failure::usage(format!("{name} was given {given}, but it needs {needed}{meant}"))
        };
        match (text, &parameter.kind) {
            (ArgumentText::Value(literal), ArgumentKind::Value { size, .. }) => {
                Ok(Resource::Value(value(literal, parameter, structure, *size, &name)?))
            }
            (ArgumentText::Input { path, write_back: false }, ArgumentKind::Value { size, .. }) => {
                structure_file(path, *size, &name)
            }
            (ArgumentText::Local(0), ArgumentKind::Local { .. }) => Err(Failure::usage(format!(
                "{name} needs at least one byte of local memory, but `local:0` was given"
            ))),
            (ArgumentText::Live(live), ArgumentKind::Value { .. }) => {
                let bytes = live.bytes(target(parameter), &Inputs::default());
                bytes.map(Resource::Value).map_err(|wrong| Failure::usage(format!("{name}: {wrong}")))
            }
            (ArgumentText::Screen(screen), ArgumentKind::Image { dimension: ImageDimension::D2, .. }) => {
                let pixels = Pixels::Zero(screen.size.to_vec());
                let integers = matches!(parameter.element, ScalarType::I32 | ScalarType::U32);
                if integers || screen.format.is_some_and(|format| !texels::is_real(format.channel)) {
                    return Err(Failure::usage(format!(
                        "{name} cannot be shown: its channels are integers; write them with `write_imagef`"
                    )));
                }
                let plain = ImageFormat::new(ChannelOrder::Rgba, ChannelType::UnormInt8);
                let text = ImageText { pixels, format: screen.format.or(Some(plain)), output: None };
                let made = ImageResource::new(device, &text, parameter, ImageDimension::D2, &name);
                made.map(Resource::Image).map_err(|failure| failure.of(&name))
            }
            (ArgumentText::Local(bytes), ArgumentKind::Local { .. }) => Ok(Resource::Local(*bytes)),
            (ArgumentText::Sampler(description), ArgumentKind::Sampler { .. }) => {
                Ok(Resource::Sampler(Sampler::new(device, *description)?))
            }
            (ArgumentText::Image(text), ArgumentKind::Image { dimension, .. }) => {
                let made = ImageResource::new(device, text, parameter, *dimension, &name);
                made.map(Resource::Image).map_err(|failure| failure.of(&name))
            }
            (text, ArgumentKind::BufferAddress { .. } | ArgumentKind::StorageBuffer { .. }) => match text {
                ArgumentText::Null => Ok(Resource::Null),
                text => buffer(device, parameter, text, &name)?.map(Resource::Buffer).ok_or_else(mismatch),
            },
            _ => Err(mismatch()),
        }
    }

    /// Whether what was made for one parameter suits another one too.
    pub fn check(&self, parameter: &Argument, text: &ArgumentText) -> Result<()> {
        let name = describe_parameter(parameter);
        match (self, &parameter.kind) {
            (
                Resource::Buffer(buffer),
                ArgumentKind::BufferAddress { .. } | ArgumentKind::StorageBuffer { .. },
            ) => check_shape(&buffer.shape, target(parameter), &name),
            (Resource::Image(image), ArgumentKind::Image { dimension, .. }) => {
                if image.description.dimension != *dimension {
                    return Err(Failure::usage(format!(
                        "{name} cannot take an image that another parameter takes as another type"
                    )));
                }
                texels::check_seen(image.description.format, parameter.element, &name)
            }
            (Resource::Sampler(_), ArgumentKind::Sampler { .. })
            | (Resource::Null, ArgumentKind::BufferAddress { .. } | ArgumentKind::StorageBuffer { .. })
            | (Resource::Local(_), ArgumentKind::Local { .. }) => Ok(()),
            (_, kind) => {
                let (given, needed) = (describe(text), needed(kind));
                Err(Failure::usage(format!("{name} was given {given}, but it needs {needed}")))
            }
        }
    }

    /// The type of its elements, as a parameter sees them; `None` if it has none.
    pub fn element(&self, parameter: &Argument) -> Option<ElementType> {
        match self {
            Resource::Buffer(buffer) => {
                let target = target(parameter);
                Some(if target.lanes == 1 { buffer.shape.element } else { target })
            }
            Resource::Image(image) => Some(texels::element(image.description.format)),
            _ => None,
        }
    }

    /// The first elements, at most `count` of them, as the parameter sees them.
    pub fn elements(&self, parameter: &Argument, layout: Option<&Layout>, count: u64) -> Result<Vec<Shown>> {
        let whole = |layout: &&Layout| self.is_of_bytes() && structure::size(layout).is_some();
        if let Some(layout) = layout.filter(whole) {
            let size = structure::size(layout).unwrap_or(1);
            let bytes = self.contents(count.saturating_mul(size))?;
            return Ok(bytes
                .chunks_exact(size as usize)
                .map(|bytes| structure::show(bytes, layout))
                .collect());
        }
        let element = self.element(parameter).expect("only what has elements is printed");
        let limit = count.saturating_mul(u64::from(element.size().unwrap_or(1)));
        Ok(shown(&self.contents(limit)?, element))
    }

    /// Whether it is a buffer whose elements nothing says but the parameter.
    fn is_of_bytes(&self) -> bool {
        matches!(self, Resource::Buffer(buffer) if buffer.shape.element == BYTE)
    }

    /// Its first bytes, at most `limit` of them.
    pub fn contents(&self, limit: u64) -> Result<Vec<u8>> {
        match self {
            Resource::Buffer(buffer) => read_buffer(&buffer.buffer, limit),
            Resource::Image(image) => {
                let mut bytes = image.read()?;
                bytes.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
                Ok(bytes)
            }
            _ => unreachable!("only buffers and images have contents"),
        }
    }

    /// How its elements are compared with those of a file.
    pub fn comparable(&self, parameter: &Argument, path: &Path) -> Comparable {
        let element = self.element(parameter).expect("only what has elements is compared");
        match self {
            Resource::Image(image) => {
                let (_, scale) = texels::storage(image.description.format.channel);
                Comparable { element, scale, width: Some(image.description.width.into()) }
            }
            Resource::Buffer(buffer) => match (Format::of(path), buffer.layout()) {
                (Format::Picture(_), Some(layout)) => {
                    let width = layout.width().into();
                    Comparable { element: layout.element(), scale: layout.scale(), width: Some(width) }
                }
                _ => Comparable { element, scale: 1.0, width: None },
            },
            _ => unreachable!("only buffers and images are compared"),
        }
    }

    /// The expected bytes, read from a file.
    pub fn expected(&self, parameter: &Argument, path: &Path) -> Result<Vec<u8>> {
        let name = format!("parameter `{}`", parameter.name);
        match self {
            Resource::Buffer(buffer) => {
                Ok(file::read(path, buffer.shape.element, &name, buffer.buffer.size())?.bytes)
            }
            Resource::Image(image) => {
                let (format, dimension) = (image.description.format, image.description.dimension);
                let source = texels::Source::load(path)?;
                let description = source.description(format, dimension, &name)?;
                if description.sizes(0) != image.description.sizes(0) {
                    return Err(Failure::usage(format!(
                        "`{}` is {description}, but the result of {name} is {}",
                        path.display(),
                        image.description
                    )));
                }
                Ok(source.texels(format, &name)?.expect("a file has texels"))
            }
            _ => unreachable!("only buffers and images are compared"),
        }
    }

    /// Its bytes and the expected ones as pictures, if they are pictures.
    pub fn pictures(&self, bytes: &[u8], expected: &[u8]) -> Option<(Picture, Picture)> {
        let picture = |bytes| match self {
            Resource::Image(image) => texels::to_picture(&image.description, bytes),
            Resource::Buffer(buffer) => Some(buffer.layout()?.picture(bytes)),
            _ => None,
        };
        Some((picture(bytes)?, picture(expected)?))
    }

    /// The file that it is written to afterwards.
    pub fn output(&self) -> Option<Output<'_>> {
        match self {
            Resource::Buffer(buffer) => buffer.output.as_ref().map(|(path, form)| Output { path, form }),
            Resource::Image(image) => image.output.as_ref().map(|path| Output { path, form: &Form::PLAIN }),
            _ => None,
        }
    }

    /// Writes its contents to a file.
    pub fn save(&self, output: Output<'_>) -> Result<()> {
        let bytes = self.contents(u64::MAX)?;
        match self {
            Resource::Buffer(BufferResource { shape, .. }) => {
                file::write(output.path, shape.element, &shape.extents, output.form, &bytes)
            }
            Resource::Image(image) => texels::save(output.path, &image.description, &bytes),
            _ => unreachable!("only buffers and images have files"),
        }
    }
}

/// A parameter, for messages.
pub fn describe_parameter(parameter: &Argument) -> String {
    format!("parameter `{}` (`{}`)", parameter.name, parameter.type_name)
}

/// The type of a parameter's elements.
pub fn target(parameter: &Argument) -> ElementType {
    ElementType { scalar: parameter.element, lanes: parameter.lanes }
}

fn needed(kind: &ArgumentKind) -> &'static str {
    match kind {
        ArgumentKind::BufferAddress { .. } | ArgumentKind::StorageBuffer { .. } => {
            "a buffer (`in: inout: out: zero: fill: rand:`, or `null`)"
        }
        ArgumentKind::Value { .. } => "a value",
        ArgumentKind::Local { .. } => "`local:BYTES`",
        ArgumentKind::Image { .. } => "an image (`image: image-out: image-inout: image-zero:`)",
        ArgumentKind::Sampler { .. } => "a `sampler:`",
    }
}

/// What was probably meant, as the end of a sentence.
fn meant(text: &ArgumentText, kind: &ArgumentKind) -> String {
    match (text, kind) {
        (ArgumentText::Input { path, .. }, ArgumentKind::Image { .. }) => {
            format!("; did you mean `image:{}`?", path.display())
        }
        (
            ArgumentText::Image(ImageText { pixels: Pixels::File(path), .. }),
            ArgumentKind::BufferAddress { .. },
        )
        | (
            ArgumentText::Image(ImageText { pixels: Pixels::File(path), .. }),
            ArgumentKind::StorageBuffer { .. },
        ) => {
            format!("; did you mean `in:{}`?", path.display())
        }
        (ArgumentText::Value(Literal::Number(Number::Int(bytes))), ArgumentKind::Local { .. }) => {
            format!("; did you mean `local:{bytes}`?")
        }
        _ => String::new(),
    }
}

fn describe(text: &ArgumentText) -> &'static str {
    match text {
        ArgumentText::Value(Literal::Structure(_)) => "a structure",
        ArgumentText::Value(Literal::Vector(_)) => "a vector",
        ArgumentText::Value(Literal::Number(_)) => "a number",
        ArgumentText::Null => "a null pointer",
        ArgumentText::Local(_) => "local memory",
        ArgumentText::Image(_) => "an image",
        ArgumentText::Sampler(_) => "a sampler",
        ArgumentText::Live(_) => "a value",
        ArgumentText::Screen(_) => "a picture",
        _ => "a buffer",
    }
}

fn value(
    literal: &Literal,
    parameter: &Argument,
    layout: Option<&Layout>,
    size: u32,
    name: &str,
) -> Result<Vec<u8>> {
    let lanes = parameter.lanes as usize;
    if parameter.element == ScalarType::Opaque {
        if let Some(layout) = layout {
            return structure::bytes(literal, layout, size).map_err(|wrong| {
                Failure::usage(format!(
                    "{name} is a structure, written `{{…}}` or given as `in:FILE`: {wrong}"
                ))
            });
        }
        return Err(Failure::usage(format!(
            "{name} takes {size} bytes of a structure; pass them as `in:FILE`"
        )));
    }
    let numbers = literal.numbers().ok_or_else(|| {
        Failure::usage(format!("{name} takes numbers, but the structure `{literal}` was given"))
    })?;
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

/// Bytes of a file that may be a structure.
const MOST_STRUCTURE: u64 = 1 << 24;

fn structure_file(path: &Path, size: u32, name: &str) -> Result<Resource> {
    let bytes = file::read_bytes(path, MOST_STRUCTURE)?;
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
    let target = target(parameter);
    let of_screen;
    let (shape, content, output) = match text {
        ArgumentText::Input { path, write_back } => {
            return input(device, path, *write_back, target, name).map(Some);
        }
        ArgumentText::Output { path, shape } => (shape, Content::Zero, Some((path.clone(), Form::default()))),
        ArgumentText::Fill { value, shape } => (shape, Content::Value(value), None),
        ArgumentText::Random { seed, shape } => (shape, Content::Random(*seed), None),
        ArgumentText::Promised { promise, buffer: text } => {
            let made = buffer(device, parameter, text, name)?;
            return Ok(made.map(|it| BufferResource { buffer: promised(it.buffer, *promise), ..it }));
        }
        ArgumentText::Screen(screen) => {
            let [width, height] = screen.size.map(u64::from);
            of_screen = Shape { element: pixel(target, name)?, extents: vec![height, width] };
            (&of_screen, Content::Zero, None)
        }
        _ => return Ok(None),
    };
    check_shape(shape, target, name)?;
    // The device's limits bound what the host allocates: the buffer is made first and filled part by part.
    let buffer = Buffer::new(device, shape.size().unwrap_or(u64::MAX));
    let buffer = buffer.map_err(|error| Failure::from(error).of(name))?;
    content.write(&buffer, shape.element, name)?;
    Ok(Some(BufferResource { buffer, shape: shape.clone(), output }))
}

/// The buffer, with what the sanitizer reports of it.
fn promised(buffer: Buffer, promise: Promise) -> Buffer {
    match promise {
        Promise::Undefined => buffer.undefined(),
        Promise::ReadOnly => buffer.forbidding(false, true),
        Promise::WriteOnly => buffer.forbidding(true, false),
    }
}

const BYTE: ElementType = ElementType { scalar: ScalarType::U8, lanes: 1 };

/// The type of the pixels of a buffer that is shown.
fn pixel(target: ElementType, name: &str) -> Result<ElementType> {
    match target.scalar {
        ScalarType::U8 | ScalarType::F32 | ScalarType::F16 if matches!(target.lanes, 1 | 4) => {
            Ok(ElementType { scalar: target.scalar, lanes: 4 })
        }
        _ => Err(Failure::usage(format!(
            "{name} cannot be shown: pixels are `uchar4`, `half4` or `float4`, not `{target}`"
        ))),
    }
}

/// `in:` and `inout:`.
fn input(
    device: &Device,
    path: &Path,
    write_back: bool,
    target: ElementType,
    name: &str,
) -> Result<BufferResource> {
    let limit = device.info().memory().unwrap_or(u64::MAX);
    let element = if target.size().is_some() { target } else { BYTE };
    let file::Contents { bytes, extents, form } = file::read(path, element, name, limit)?;
    if write_back {
        file::check(path, element, &extents)?;
    }
    let buffer = Buffer::with_data(device, &bytes).map_err(|error| Failure::from(error).of(name))?;
    let output = write_back.then(|| (path.to_owned(), form));
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
