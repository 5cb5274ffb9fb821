//! Images: which format they get, and their texels from and to files.

use crate::argument::{ImageText, Pixels, format_name};
use crate::failure::{Failure, Result};
use crate::file::picture::{self, Picture, Sample};
use crate::file::{self, Format, cannot, npy};
use crate::number::ElementType;
use clvk::ImageDescription;
use clvk::interface::{ImageDimension, ScalarType};
use clvk::runtime::{ChannelOrder, ChannelType, ImageFormat};
use half::f16;
use std::path::Path;

/// What a channel is in memory, and the number that means 1.
pub fn storage(channel: ChannelType) -> (ScalarType, f64) {
    match channel {
        ChannelType::UnormInt8 => (ScalarType::U8, 255.0),
        ChannelType::UnormInt16 => (ScalarType::U16, 65535.0),
        ChannelType::SnormInt8 => (ScalarType::I8, 127.0),
        ChannelType::SnormInt16 => (ScalarType::I16, 32767.0),
        ChannelType::UnsignedInt8 => (ScalarType::U8, 1.0),
        ChannelType::UnsignedInt16 => (ScalarType::U16, 1.0),
        ChannelType::UnsignedInt32 => (ScalarType::U32, 1.0),
        ChannelType::SignedInt8 => (ScalarType::I8, 1.0),
        ChannelType::SignedInt16 => (ScalarType::I16, 1.0),
        ChannelType::SignedInt32 => (ScalarType::I32, 1.0),
        ChannelType::HalfFloat => (ScalarType::F16, 1.0),
        ChannelType::Float => (ScalarType::F32, 1.0),
    }
}

/// A texel as an element of a buffer.
pub fn element(format: ImageFormat) -> ElementType {
    let (scalar, _) = storage(format.channel);
    ElementType { scalar, lanes: format.pixel_size() / scalar.size().unwrap_or(1) }
}

/// The type that kernels see for a channel, as the interface has it for image arguments.
fn seen_as(channel: ChannelType) -> ScalarType {
    match channel {
        ChannelType::UnsignedInt8 | ChannelType::UnsignedInt16 | ChannelType::UnsignedInt32 => {
            ScalarType::U32
        }
        ChannelType::SignedInt8 | ChannelType::SignedInt16 | ChannelType::SignedInt32 => ScalarType::I32,
        _ => ScalarType::F32,
    }
}

/// Whether kernels see channels of this type as real numbers.
pub fn is_real(channel: ChannelType) -> bool {
    seen_as(channel) == ScalarType::F32
}

/// What an image holds at first.
pub enum Source {
    /// A picture.
    Picture(Picture),
    /// An array.
    Array(npy::Array),
    /// Zeros, of these sizes.
    Zero(Vec<u32>),
}

impl Source {
    /// Reads what an argument names.
    pub fn read(pixels: &Pixels) -> Result<Source> {
        match pixels {
            Pixels::Zero(sizes) => Ok(Source::Zero(sizes.clone())),
            Pixels::File(path) => Source::load(path),
        }
    }

    /// Reads a file.
    pub fn load(path: &Path) -> Result<Source> {
        match Format::of(path) {
            Format::Npy => npy::read_any(path).map(Source::Array),
            _ => picture::load(path).map(Source::Picture),
        }
    }

    /// The format that suits what the kernel sees and what the file has, or the one that was asked for.
    pub fn format(
        &self,
        text: &ImageText,
        seen: ScalarType,
        dimension: ImageDimension,
        name: &str,
    ) -> Result<ImageFormat> {
        if let Some(format) = text.format {
            check_seen(format, seen, name)?;
            return Ok(format);
        }
        let order = match self {
            Source::Array(array) => array.order(dimension),
            _ => ChannelOrder::Rgba,
        };
        let output = text.output.as_deref().map(Format::of);
        let channel = match (self, seen) {
            (Source::Array(array), _) => array.channel(seen, name)?,
            (Source::Picture(picture), ScalarType::U32) if depth(picture) == 2 => ChannelType::UnsignedInt16,
            (Source::Picture(_), ScalarType::U32) => ChannelType::UnsignedInt8,
            (Source::Picture(picture), ScalarType::I32) if depth(picture) == 1 => ChannelType::SignedInt16,
            (Source::Picture(_), ScalarType::I32) => ChannelType::SignedInt32,
            (Source::Picture(picture), _) => match depth(picture) {
                1 => ChannelType::UnormInt8,
                2 => ChannelType::UnormInt16,
                _ => ChannelType::Float,
            },
            (Source::Zero(_), ScalarType::I32) => ChannelType::SignedInt32,
            (Source::Zero(_), ScalarType::U32) => match output {
                Some(Format::Picture(_)) => ChannelType::UnsignedInt8,
                _ => ChannelType::UnsignedInt32,
            },
            (Source::Zero(_), _) => match output {
                Some(Format::Picture(format)) if !format.is_float() => ChannelType::UnormInt8,
                _ => ChannelType::Float,
            },
        };
        Ok(ImageFormat::new(order, channel))
    }

    /// The image's shape.
    pub fn description(
        &self,
        format: ImageFormat,
        dimension: ImageDimension,
        name: &str,
    ) -> Result<ImageDescription> {
        let sizes: Vec<u32> = match self {
            Source::Zero(sizes) => sizes.clone(),
            Source::Array(array) => array.sizes(element(format).lanes, dimension, name)?,
            Source::Picture(picture) => match (dimension, picture.pixels.width(), picture.pixels.height()) {
                (ImageDimension::D1 | ImageDimension::D1Buffer, width, 1) => vec![width],
                (ImageDimension::D1 | ImageDimension::D1Buffer, _, rows) => {
                    return Err(Failure::usage(format!(
                        "{name} has one row of texels, but the picture has {rows}"
                    )));
                }
                (ImageDimension::D2Array | ImageDimension::D3, width, height) => vec![width, height, 1],
                (_, width, height) => vec![width, height],
            },
        };
        describe(&sizes, format, dimension).ok_or_else(|| {
            let (form, given) =
                (form(dimension), sizes.iter().map(u32::to_string).collect::<Vec<_>>().join("x"));
            Failure::usage(format!("{name} has the size {form}, but {given} was given"))
        })
    }

    /// The texels in this format; nothing for zeros.
    pub fn texels(&self, format: ImageFormat, name: &str) -> Result<Option<Vec<u8>>> {
        match self {
            Source::Zero(_) => Ok(None),
            Source::Array(array) => array.texels(format, name).map(Some),
            Source::Picture(picture) => of_picture(picture, format, name).map(Some),
        }
    }
}

/// Whether a format is one that the kernel reads or writes.
pub fn check_seen(format: ImageFormat, seen: ScalarType, name: &str) -> Result<()> {
    let holds = seen_as(format.channel);
    if seen == ScalarType::Opaque || seen == holds {
        return Ok(());
    }
    let words = |ty| match ty {
        ScalarType::U32 => ("unsigned integers", "read_imageui and write_imageui", "rgba8ui"),
        ScalarType::I32 => ("signed integers", "read_imagei and write_imagei", "rgba32i"),
        _ => ("floating-point numbers", "read_imagef and write_imagef", "rgba8"),
    };
    let (wanted, functions, example) = words(seen);
    Err(Failure::usage(format!(
        "{name} is an image of {wanted} to the kernel ({functions}), but the format `{}` has {}; use for example \
         `{example}`",
        format_name(format),
        words(holds).0
    )))
}

/// How a size is written.
pub fn form(dimension: ImageDimension) -> &'static str {
    match dimension {
        ImageDimension::D1 | ImageDimension::D1Buffer => "W",
        ImageDimension::D1Array => "WxLAYERS",
        ImageDimension::D2 => "WxH",
        ImageDimension::D2Array => "WxHxLAYERS",
        ImageDimension::D3 => "WxHxD",
    }
}

fn describe(sizes: &[u32], format: ImageFormat, dimension: ImageDimension) -> Option<ImageDescription> {
    let plain = ImageDescription { dimension, ..ImageDescription::planar(format, 1, 1) };
    Some(match (dimension, sizes) {
        (ImageDimension::D1 | ImageDimension::D1Buffer, &[width]) => ImageDescription { width, ..plain },
        (ImageDimension::D1Array, &[width, layers]) => ImageDescription { width, layers, ..plain },
        (ImageDimension::D2, &[width, height]) => ImageDescription { width, height, ..plain },
        (ImageDimension::D2Array, &[width, height, layers]) => {
            ImageDescription { width, height, layers, ..plain }
        }
        (ImageDimension::D3, &[width, height, depth]) => ImageDescription { width, height, depth, ..plain },
        _ => return None,
    })
}

/// Bytes of a channel of a picture.
fn depth(picture: &Picture) -> u8 {
    let color = picture.pixels.color();
    color.bytes_per_pixel() / color.channel_count()
}

/// The channels that a format has, out of four.
fn pick<T: Copy>(samples: &[T], order: ChannelOrder) -> Vec<T> {
    let kept: &[usize] = match order {
        ChannelOrder::R | ChannelOrder::Depth => &[0],
        ChannelOrder::Rg => &[0, 1],
        ChannelOrder::Bgra | ChannelOrder::Sbgra => &[2, 1, 0, 3],
        ChannelOrder::Rgba | ChannelOrder::Srgba => return samples.to_vec(),
    };
    samples.chunks_exact(4).flat_map(|pixel| kept.iter().map(|&channel| pixel[channel])).collect()
}

/// A picture's pixels as texels.
fn of_picture(picture: &Picture, format: ImageFormat, name: &str) -> Result<Vec<u8>> {
    let pixels = &picture.pixels;
    let too_deep = || {
        let what = match depth(picture) {
            4 => "floating-point numbers, which suit `rgba16f` and `rgba32f`",
            _ => "16 bits a channel, which suit `rgba16ui` and `rgba32i`",
        };
        Failure::usage(format!("{name} has the format `{}`, but the picture has {what}", format_name(format)))
    };
    let floats = || {
        let samples = picture.floats(4);
        pick(&samples, format.order)
    };
    let scaled =
        |scale: f32| floats().into_iter().map(move |sample| (sample.clamp(-1.0, 1.0) * scale).round() as i16);
    let depth = depth(picture);
    Ok(match format.channel {
        ChannelType::UnormInt8 => pick(&pixels.to_rgba8(), format.order),
        ChannelType::UnormInt16 => bytemuck::pod_collect_to_vec(&pick(&pixels.to_rgba16(), format.order)),
        ChannelType::SnormInt8 => scaled(127.0).map(|sample| sample as u8).collect(),
        ChannelType::SnormInt16 => scaled(32767.0).flat_map(i16::to_le_bytes).collect(),
        ChannelType::HalfFloat => {
            floats().iter().flat_map(|&sample| f16::from_f32(sample).to_le_bytes()).collect()
        }
        ChannelType::Float => bytemuck::pod_collect_to_vec(&floats()),
        integer => {
            let samples: Vec<u16> = match depth {
                1 => pick(&pixels.to_rgba8(), format.order).into_iter().map(u16::from).collect(),
                2 => pick(&pixels.to_rgba16(), format.order),
                _ => return Err(too_deep()),
            };
            let (scalar, _) = storage(integer);
            let size = scalar.size().unwrap_or(1) as usize;
            let most = if seen_as(integer) == ScalarType::I32 {
                (1u64 << (size * 8 - 1)) - 1
            } else {
                (1u64 << (size * 8)) - 1
            };
            if samples.iter().any(|&sample| u64::from(sample) > most) {
                return Err(too_deep());
            }
            samples
                .iter()
                .flat_map(|&sample| u32::from(sample).to_le_bytes().into_iter().take(size))
                .collect()
        }
    })
}

/// The picture that texels are; `None` where they are not one: signed or large integers, several slices.
pub fn to_picture(description: &ImageDescription, bytes: &[u8]) -> Option<Picture> {
    let format = description.format;
    let [width, rows, slices] = description.sizes(0);
    let height = rows.checked_mul(slices).filter(|_| slices == 1)?;
    let lanes = element(format).lanes as usize;
    let pixels = match format.channel {
        ChannelType::UnormInt8 | ChannelType::UnsignedInt8 => {
            u8::image(width, height, channels(lanes), colours(bytes, lanes, format.order))
        }
        ChannelType::UnormInt16 | ChannelType::UnsignedInt16 => {
            let samples: Vec<u16> = bytemuck::pod_collect_to_vec(bytes);
            u16::image(width, height, channels(lanes), colours(&samples, lanes, format.order))
        }
        ChannelType::SignedInt8
        | ChannelType::SignedInt16
        | ChannelType::SignedInt32
        | ChannelType::UnsignedInt32 => {
            return None;
        }
        float => {
            let samples: Vec<f32> = crate::number::numbers(bytes, storage(float).0)
                .into_iter()
                .map(|number| (number.to_f64() / storage(float).1) as f32)
                .collect();
            f32::image(width, height, channels(lanes), colours(&samples, lanes, format.order))
        }
    };
    Some(Picture { pixels, gray: lanes == 1 })
}

/// How many channels the picture of an image with this many has.
fn channels(lanes: usize) -> usize {
    if lanes == 2 { 3 } else { lanes }
}

/// Samples in the order of pictures: those of two channels get a third one of zero.
fn colours<T: Copy + Default>(samples: &[T], lanes: usize, order: ChannelOrder) -> Vec<T> {
    match (lanes, order) {
        (2, _) => samples.chunks_exact(2).flat_map(|pixel| [pixel[0], pixel[1], T::default()]).collect(),
        (4, order) => pick(samples, order),
        _ => samples.to_vec(),
    }
}

/// Whether an image can be written to a file of this name.
pub fn check_output(path: &Path, description: &ImageDescription, name: &str) -> Result<()> {
    let Format::Picture(_) = Format::of(path) else { return Ok(()) };
    let [_, _, slices] = description.sizes(0);
    let what = match seen_as(description.format.channel) {
        _ if slices > 1 => format!("its {slices} slices"),
        ScalarType::I32 => "its signed integers".to_owned(),
        ScalarType::U32 if element(description.format).scalar == ScalarType::U32 => {
            "its integers of 32 bits".to_owned()
        }
        _ => return Ok(()),
    };
    Err(Failure::usage(format!(
        "{name} cannot be written to the picture `{}` with {what}; let the name end in `.npy`",
        path.display()
    )))
}

/// Writes texels to a file.
pub fn save(path: &Path, description: &ImageDescription, bytes: &[u8]) -> Result<()> {
    if let Format::Picture(format) = Format::of(path) {
        let picture = to_picture(description, bytes).expect("the output was checked");
        return picture.save(path, format);
    }
    let element = element(description.format);
    let [width, height, depth] = description.sizes(0).map(u64::from);
    let extents = match description.dimension {
        ImageDimension::D1 | ImageDimension::D1Buffer => vec![width],
        ImageDimension::D1Array | ImageDimension::D2 => vec![height, width],
        ImageDimension::D2Array | ImageDimension::D3 => vec![depth, height, width],
    };
    file::write(path, element, &extents, &file::Form::default(), bytes)
}

impl npy::Array {
    fn order(&self, dimension: ImageDimension) -> ChannelOrder {
        match self.shape.get(dimensions(dimension)) {
            None => ChannelOrder::R,
            Some(2) => ChannelOrder::Rg,
            Some(_) => ChannelOrder::Rgba,
        }
    }

    fn channel(&self, seen: ScalarType, name: &str) -> Result<ChannelType> {
        Ok(match (self.scalar, seen) {
            (ScalarType::F32, ScalarType::F32 | ScalarType::Opaque) => ChannelType::Float,
            (ScalarType::F16, ScalarType::F32 | ScalarType::Opaque) => ChannelType::HalfFloat,
            (ScalarType::U8, ScalarType::F32) => ChannelType::UnormInt8,
            (ScalarType::U16, ScalarType::F32) => ChannelType::UnormInt16,
            (ScalarType::I8, ScalarType::F32) => ChannelType::SnormInt8,
            (ScalarType::I16, ScalarType::F32) => ChannelType::SnormInt16,
            (ScalarType::U8, ScalarType::U32 | ScalarType::Opaque) => ChannelType::UnsignedInt8,
            (ScalarType::U16, ScalarType::U32 | ScalarType::Opaque) => ChannelType::UnsignedInt16,
            (ScalarType::U32, ScalarType::U32 | ScalarType::Opaque) => ChannelType::UnsignedInt32,
            (ScalarType::I8, ScalarType::I32 | ScalarType::Opaque) => ChannelType::SignedInt8,
            (ScalarType::I16, ScalarType::I32 | ScalarType::Opaque) => ChannelType::SignedInt16,
            (ScalarType::I32, ScalarType::I32 | ScalarType::Opaque) => ChannelType::SignedInt32,
            (scalar, _) => {
                let has = ElementType { scalar, lanes: 1 };
                return Err(cannot(
                    "read",
                    &self.path,
                    format!("its elements are `{has}`, which does not suit {name}; convert the file"),
                ));
            }
        })
    }

    /// Sizes from the shape `[D, H, W, CHANNELS]`; the channels may be left out where there is one.
    fn sizes(&self, channels: u32, dimension: ImageDimension, name: &str) -> Result<Vec<u32>> {
        let count = dimensions(dimension);
        let right = match self.shape.len() {
            length if length == count => channels == 1,
            length if length == count + 1 => self.shape[count] == u64::from(channels),
            _ => false,
        };
        let sizes: Option<Vec<u32>> = self
            .shape
            .iter()
            .take(count)
            .rev()
            .map(|&size| u32::try_from(size).ok().filter(|&size| size > 0))
            .collect();
        sizes.filter(|_| right).ok_or_else(|| {
            let dimensions = ["DEPTH, HEIGHT, WIDTH", "HEIGHT, WIDTH", "WIDTH"][3 - count];
            let text = format!(
                "it has the shape {:?}, but {name} needs [{dimensions}] with the channels, 2 or 4, as a last dimension \
                 unless there is one",
                self.shape
            );
            cannot("read", &self.path, text)
        })
    }

    fn texels(&self, format: ImageFormat, name: &str) -> Result<Vec<u8>> {
        let wanted = element(format).scalar;
        if wanted == self.scalar {
            return Ok(self.bytes.clone());
        }
        if (wanted, self.scalar) == (ScalarType::F16, ScalarType::F32) {
            let floats = self.bytes.chunks_exact(4);
            return Ok(floats
                .flat_map(|float| {
                    f16::from_f32(f32::from_le_bytes([float[0], float[1], float[2], float[3]])).to_le_bytes()
                })
                .collect());
        }
        let (has, wanted) =
            (ElementType { scalar: self.scalar, lanes: 1 }, ElementType { scalar: wanted, lanes: 1 });
        Err(cannot(
            "read",
            &self.path,
            format!(
                "its elements are `{has}`, but {name} has the format `{}`: `{wanted}`",
                format_name(format)
            ),
        ))
    }
}

/// How many sizes an image has.
fn dimensions(dimension: ImageDimension) -> usize {
    form(dimension).split('x').count()
}
