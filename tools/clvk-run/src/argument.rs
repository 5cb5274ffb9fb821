//! The text of kernel arguments.

use crate::failure::{Failure, Result};
use crate::number::{ElementType, Number};
use crate::picture::is_png;
use clvk::interface::ScalarType;
use clvk::runtime::{
    AddressingMode, ChannelOrder, ChannelType, FilterMode, ImageFormat, SamplerDescription, SamplerLevels,
};
use std::path::{Path, PathBuf};

/// A buffer's type and shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// Element type.
    pub element: ElementType,
    /// Extent in each dimension, in elements.
    pub extents: Vec<u64>,
}

impl Shape {
    /// Bytes in all; `None` if they do not fit 64 bits.
    pub fn size(&self) -> Option<u64> {
        let element = u64::from(self.element.size()?);
        self.extents.iter().try_fold(element, |size, &extent| size.checked_mul(extent))
    }
}

/// An argument as written.
#[derive(Clone, Debug, PartialEq)]
pub enum ArgumentText {
    /// A scalar, or a vector's lanes.
    Value(Vec<Number>),
    /// `in:` or `inout:`.
    Input { path: PathBuf, write_back: bool },
    /// `out:`.
    Output { path: PathBuf, shape: Shape },
    /// `out:` of a PNG: RGBA bytes.
    Picture { path: PathBuf, width: u32, height: u32 },
    /// `zero:`, `fill:`.
    Fill { value: Number, shape: Shape },
    /// `rand:`.
    Random { seed: u64, shape: Shape },
    /// `null`.
    Null,
    /// `local:`.
    Local(u64),
    /// `image:`.
    Image { path: PathBuf, format: ImageFormat },
    /// `image-out:`.
    ImageOutput { path: PathBuf, width: u32, height: u32, format: ImageFormat },
    /// `sampler:`.
    Sampler(SamplerDescription),
}

impl ArgumentText {
    /// Reads one argument.
    pub fn parse(text: &str) -> Result<ArgumentText> {
        if text == "null" {
            return Ok(ArgumentText::Null);
        }
        let Some((kind, rest)) = text.split_once(':').filter(|(kind, _)| is_word(kind)) else {
            return value(text).ok_or_else(|| {
                Failure::usage(format!(
                    "`{text}` is not a kernel argument: a number, `(1,2,3,4)`, `null`, or one of `in: inout: out: zero: \
                     fill: rand: local: image: image-out: sampler:` (see `clvk-run run --help`)"
                ))
            });
        };
        match kind {
            "in" => Ok(ArgumentText::Input { path: rest.into(), write_back: false }),
            "inout" => Ok(ArgumentText::Input { path: rest.into(), write_back: true }),
            "out" => {
                let (path, ty) =
                    rest.rsplit_once(':').ok_or_else(|| expected(text, "out:FILE:TYPE[N,M…]"))?;
                output(text, path.into(), shape(text, ty)?)
            }
            "zero" => Ok(ArgumentText::Fill { value: Number::Int(0), shape: shape(text, rest)? }),
            "fill" => {
                let (value, ty) = rest.split_once(':').ok_or_else(|| expected(text, "fill:VALUE:TYPE[N]"))?;
                let value = Number::parse(value).ok_or_else(|| expected(text, "fill:VALUE:TYPE[N]"))?;
                Ok(ArgumentText::Fill { value, shape: shape(text, ty)? })
            }
            "rand" => {
                let (seed, ty) = rest.split_once(':').ok_or_else(|| expected(text, "rand:SEED:TYPE[N]"))?;
                let seed = seed.parse().map_err(|_| expected(text, "rand:SEED:TYPE[N]"))?;
                Ok(ArgumentText::Random { seed, shape: shape(text, ty)? })
            }
            "local" => rest.parse().map(ArgumentText::Local).map_err(|_| expected(text, "local:BYTES")),
            "image" => image(rest),
            "image-out" => image_output(text, rest),
            "sampler" => sampler(text, rest),
            _ => Err(Failure::usage(format!(
                "`{kind}:` in `{text}` is not a kind of kernel argument; the kinds are in, inout, out, zero, fill, rand, \
                 local, image, image-out and sampler"
            ))),
        }
    }
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphabetic() || c == '-') && text != "-"
}

fn expected(text: &str, form: &str) -> Failure {
    Failure::usage(format!("`{text}` is not of the form `{form}`"))
}

fn value(text: &str) -> Option<ArgumentText> {
    let lanes = match text.strip_prefix('(') {
        Some(rest) => rest.strip_suffix(')')?.split(',').map(Number::parse).collect::<Option<Vec<_>>>()?,
        None => vec![Number::parse(text)?],
    };
    Some(ArgumentText::Value(lanes))
}

fn shape(text: &str, spelled: &str) -> Result<Shape> {
    let form = || expected(text, "…TYPE[N,M…]");
    let (name, extents) = spelled.strip_suffix(']').and_then(|rest| rest.split_once('[')).ok_or_else(form)?;
    let element = ElementType::parse(name).ok_or_else(|| {
        Failure::usage(format!("`{name}` in `{text}` is not a type: char, uint, float, float4 and so on"))
    })?;
    let extents: Vec<u64> = extents
        .split(',')
        .map(|extent| extent.trim().parse())
        .collect::<std::result::Result<_, _>>()
        .map_err(|_| form())?;
    let shape = Shape { element, extents };
    match shape.size() {
        Some(0) => {
            Err(Failure::usage(format!("the buffer `{text}` is empty: every extent must be at least 1")))
        }
        Some(_) => Ok(shape),
        None => Err(Failure::usage(format!("the buffer `{text}` is larger than 2^64 bytes"))),
    }
}

fn output(text: &str, path: PathBuf, shape: Shape) -> Result<ArgumentText> {
    if !is_png(&path) {
        return Ok(ArgumentText::Output { path, shape });
    }
    let side = |extent: u64| u32::try_from(extent).ok();
    match (shape.element, shape.extents.as_slice()) {
        (RGBA, &[height, width]) => Some((width, height)),
        _ => None,
    }
    .and_then(|(width, height)| Some((side(width)?, side(height)?)))
    .map(|(width, height)| ArgumentText::Picture { path, width, height })
    .ok_or_else(|| expected(text, "out:FILE.png:uchar4[HEIGHT,WIDTH]"))
}

/// A pixel of a picture in a buffer.
pub const RGBA: ElementType = ElementType { scalar: ScalarType::U8, lanes: 4 };

/// The formats of images, by name.
const FORMATS: &[(&str, ChannelOrder, ChannelType)] = &[
    ("rgba8", ChannelOrder::Rgba, ChannelType::UnormInt8),
    ("rgba8ui", ChannelOrder::Rgba, ChannelType::UnsignedInt8),
    ("rgba16f", ChannelOrder::Rgba, ChannelType::HalfFloat),
    ("rgba32f", ChannelOrder::Rgba, ChannelType::Float),
];

fn format(name: &str) -> Option<ImageFormat> {
    let (_, order, ty) = FORMATS.iter().find(|(known, ..)| *known == name)?;
    Some(ImageFormat::new(*order, *ty))
}

fn default_format() -> ImageFormat {
    ImageFormat::new(ChannelOrder::Rgba, ChannelType::UnormInt8)
}

fn unknown_format(name: &str) -> Failure {
    let known: Vec<&str> = FORMATS.iter().map(|(name, ..)| *name).collect();
    Failure::usage(format!("`{name}` is not an image format; the formats are {}", known.join(", ")))
}

/// Takes a format off the end, if what follows the last colon is not part of a path.
fn split_format(rest: &str) -> Result<(&str, ImageFormat)> {
    match rest.rsplit_once(':') {
        Some((path, name)) if !name.contains(['.', '/', '\\']) => {
            Ok((path, format(name).ok_or_else(|| unknown_format(name))?))
        }
        _ => Ok((rest, default_format())),
    }
}

fn image(rest: &str) -> Result<ArgumentText> {
    let (path, format) = split_format(rest)?;
    Ok(ArgumentText::Image { path: path.into(), format })
}

fn image_output(text: &str, rest: &str) -> Result<ArgumentText> {
    let form = || expected(text, "image-out:FILE.png:WxH[:FORMAT]");
    let parse = |path: &str, size: &str, format| {
        let (width, height) = size.split_once('x')?;
        let (width, height) = (width.parse().ok()?, height.parse().ok()?);
        (width > 0 && height > 0 && is_png(Path::new(path))).then(|| ArgumentText::ImageOutput {
            path: path.into(),
            width,
            height,
            format,
        })
    };
    let (head, last) = rest.rsplit_once(':').ok_or_else(form)?;
    if let Some(argument) = parse(head, last, default_format()) {
        return Ok(argument);
    }
    let format = format(last).ok_or_else(form)?;
    let (path, size) = head.rsplit_once(':').ok_or_else(form)?;
    parse(path, size, format).ok_or_else(form)
}

fn sampler(text: &str, rest: &str) -> Result<ArgumentText> {
    let form = || expected(text, "sampler:ADDRESSING,FILTER,normalized|unnormalized");
    let parts: Vec<&str> = rest.split(',').map(str::trim).collect();
    let [addressing, filter, coordinates] = parts.as_slice() else { return Err(form()) };
    let addressing = match *addressing {
        "none" => AddressingMode::None,
        "clamp" => AddressingMode::Clamp,
        "clamp-to-edge" => AddressingMode::ClampToEdge,
        "repeat" => AddressingMode::Repeat,
        "mirrored" => AddressingMode::MirroredRepeat,
        _ => return Err(form()),
    };
    let filter = match *filter {
        "nearest" => FilterMode::Nearest,
        "linear" => FilterMode::Linear,
        _ => return Err(form()),
    };
    let normalized = match *coordinates {
        "normalized" => true,
        "unnormalized" => false,
        _ => return Err(form()),
    };
    Ok(ArgumentText::Sampler(SamplerDescription {
        addressing,
        filter,
        normalized_coordinates: normalized,
        levels: SamplerLevels::default(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape_of(scalar: ScalarType, lanes: u32, extents: &[u64]) -> Shape {
        Shape { element: ElementType { scalar, lanes }, extents: extents.to_vec() }
    }

    #[test]
    fn every_form_is_read() {
        let parse = |text| ArgumentText::parse(text).unwrap();
        assert_eq!(parse("2.5f"), ArgumentText::Value(vec![Number::Float(2.5)]));
        assert_eq!(parse("(1,-2)"), ArgumentText::Value(vec![Number::Int(1), Number::Int(-2)]));
        assert_eq!(parse("in:a:b.npy"), ArgumentText::Input { path: "a:b.npy".into(), write_back: false });
        assert_eq!(
            parse("out:a.npy:float4[2,3]"),
            ArgumentText::Output { path: "a.npy".into(), shape: shape_of(ScalarType::F32, 4, &[2, 3]) }
        );
        assert_eq!(
            parse("out:a.png:uchar4[2,3]"),
            ArgumentText::Picture { path: "a.png".into(), width: 3, height: 2 }
        );
        assert_eq!(
            parse("fill:-1:int[8]"),
            ArgumentText::Fill { value: Number::Int(-1), shape: shape_of(ScalarType::I32, 1, &[8]) }
        );
        assert_eq!(
            parse("rand:7:uchar[3]"),
            ArgumentText::Random { seed: 7, shape: shape_of(ScalarType::U8, 1, &[3]) }
        );
        assert_eq!(parse("local:64"), ArgumentText::Local(64));
        assert_eq!(parse("null"), ArgumentText::Null);
        assert!(matches!(parse("image:x.png"), ArgumentText::Image { .. }));
        assert!(matches!(
            parse("image-out:x.png:4x3"),
            ArgumentText::ImageOutput { width: 4, height: 3, .. }
        ));
        assert!(matches!(parse("image-out:x.png:4x3:rgba32f"), ArgumentText::ImageOutput { width: 4, .. }));
        assert!(matches!(parse("sampler:clamp,linear,normalized"), ArgumentText::Sampler(_)));
    }

    #[test]
    fn mistakes_name_the_form_that_is_expected() {
        for (text, expected) in [
            ("hello", "is not a kernel argument"),
            ("(1,2", "is not a kernel argument"),
            ("out:x.npy", "out:FILE:TYPE[N,M…]"),
            ("out:x.png:uchar[4]", "uchar4[HEIGHT,WIDTH]"),
            ("image-out:a.tga:4x4", "FILE.png"),
            ("zero:float", "TYPE[N,M…]"),
            ("zero:flot[3]", "`flot`"),
            ("zero:float[0]", "empty"),
            ("zero:float[99999999999,99999999999]", "2^64"),
            ("local:x", "local:BYTES"),
            ("image-out:a.png", "WxH"),
            ("image:a.png:bgra", "rgba8ui"),
            ("sampler:clamp", "sampler:ADDRESSING"),
            ("inn:x", "`inn:`"),
        ] {
            let failure = ArgumentText::parse(text).unwrap_err();
            assert!(failure.message().contains(expected), "{text}: {}", failure.message());
            assert!(!failure.message().contains('\n'), "{text}");
        }
    }
}
