//! Images and samplers as they are written.

use super::{ArgumentText, expected, file_name};
use crate::failure::{Failure, Result};
use crate::file::Format;
use clvk::runtime::{
    AddressingMode, ChannelOrder, ChannelType, FilterMode, ImageFormat, SamplerDescription, SamplerLevels,
};
use std::path::PathBuf;

/// An image.
#[derive(Clone, Debug, PartialEq)]
pub struct ImageText {
    /// What it holds at first.
    pub pixels: Pixels,
    /// Its format; chosen for the kernel and the file if left out.
    pub format: Option<ImageFormat>,
    /// The file that it is written to afterwards.
    pub output: Option<PathBuf>,
}

/// What an image holds at first.
#[derive(Clone, Debug, PartialEq)]
pub enum Pixels {
    /// What a file holds.
    File(PathBuf),
    /// Zeros: one to three sizes.
    Zero(Vec<u32>),
}

const ORDERS: &[(&str, ChannelOrder)] = &[
    ("r", ChannelOrder::R),
    ("rg", ChannelOrder::Rg),
    ("rgba", ChannelOrder::Rgba),
    ("bgra", ChannelOrder::Bgra),
];

const TYPES: &[(&str, ChannelType)] = &[
    ("8", ChannelType::UnormInt8),
    ("16", ChannelType::UnormInt16),
    ("8snorm", ChannelType::SnormInt8),
    ("16snorm", ChannelType::SnormInt16),
    ("8ui", ChannelType::UnsignedInt8),
    ("16ui", ChannelType::UnsignedInt16),
    ("32ui", ChannelType::UnsignedInt32),
    ("8i", ChannelType::SignedInt8),
    ("16i", ChannelType::SignedInt16),
    ("32i", ChannelType::SignedInt32),
    ("16f", ChannelType::HalfFloat),
    ("32f", ChannelType::Float),
];

/// A format by its name.
fn format(name: &str) -> Option<ImageFormat> {
    let split = name.find(|c: char| c.is_ascii_digit())?;
    let (order, ty) = name.split_at(split);
    let (_, order) = ORDERS.iter().find(|(known, _)| *known == order)?;
    let (_, ty) = TYPES.iter().find(|(known, _)| *known == ty)?;
    Some(ImageFormat::new(*order, *ty))
}

/// The name of a format.
pub fn format_name(format: ImageFormat) -> String {
    let order = ORDERS.iter().find(|(_, order)| *order == format.order).map_or("?", |(name, _)| name);
    let ty = TYPES.iter().find(|(_, ty)| *ty == format.channel).map_or("?", |(name, _)| name);
    format!("{order}{ty}")
}

/// A format by its name; an error that lists them if it is unknown.
pub fn parse_format(name: &str) -> Result<ImageFormat> {
    format(name).ok_or_else(|| unknown_format(name))
}

fn unknown_format(name: &str) -> Failure {
    let types: Vec<&str> = TYPES.iter().map(|(name, _)| *name).collect();
    Failure::usage(format!(
        "`{name}` is not an image format; the formats are rgba8, rgba8ui, rgba16f, rgba32f and others: r, rg, rgba or \
         bgra, followed by {}",
        types.join(", ")
    ))
}

/// Takes a format off the end, if what follows the last colon is not part of a path.
fn split_format(rest: &str) -> Result<(&str, Option<ImageFormat>)> {
    match rest.rsplit_once(':') {
        Some((path, name)) if !name.contains(['.', '/', '\\']) && !path.is_empty() => {
            Ok((path, Some(parse_format(name)?)))
        }
        _ => Ok((rest, None)),
    }
}

/// `image:` and `image-inout:`.
pub fn input(text: &str, rest: &str, write_back: bool) -> Result<ArgumentText> {
    let (path, format) = split_format(rest)?;
    let path = file_name(text, path)?;
    let output = write_back.then(|| path.clone());
    Ok(ArgumentText::Image(ImageText { pixels: Pixels::File(path), format, output }))
}

/// The sizes of `WxHxD`.
pub fn sizes(text: &str) -> Option<Vec<u32>> {
    let sizes: Vec<u32> = text.split('x').map(|size| size.parse().ok()).collect::<Option<_>>()?;
    (sizes.len() <= 3).then_some(sizes)
}

/// `image-out:` and, without a file, `image-zero:`.
pub fn zeros(text: &str, rest: &str, to_file: bool) -> Result<ArgumentText> {
    let form = || {
        expected(text, if to_file { "image-out:FILE.png:WxH[:FORMAT]" } else { "image-zero:WxH[:FORMAT]" })
    };
    let make = |head: &str, format| {
        let (path, size) = match to_file {
            true => head.rsplit_once(':').map(|(path, size)| (Some(PathBuf::from(path)), size))?,
            false => (None, head),
        };
        Some(ArgumentText::Image(ImageText { pixels: Pixels::Zero(sizes(size)?), format, output: path }))
    };
    if let Some(argument) = make(rest, None) {
        return checked(text, argument);
    }
    let (head, name) = rest.rsplit_once(':').ok_or_else(form)?;
    // A wrong size is not a format.
    let known = format(name).ok_or_else(|| match make(head, None) {
        Some(_) => unknown_format(name),
        None => form(),
    })?;
    checked(text, make(head, Some(known)).ok_or_else(form)?)
}

/// An image of zeros that is not empty, and whose file can hold it.
fn checked(text: &str, argument: ArgumentText) -> Result<ArgumentText> {
    let ArgumentText::Image(ImageText { pixels, output, .. }) = &argument else { return Ok(argument) };
    if matches!(pixels, Pixels::Zero(sizes) if sizes.contains(&0)) {
        return Err(Failure::usage(format!("the image `{text}` is empty: every size must be at least 1")));
    }
    let holds_texels = |path: &PathBuf| matches!(Format::of(path), Format::Picture(_) | Format::Npy);
    match output {
        Some(path) if !holds_texels(path) => Err(Failure::usage(format!(
            "`{}` cannot hold an image: let the name end in .npy, .png, .jpg, .bmp, .exr, .pfm, .pgm, .ppm or .pam",
            path.display()
        ))),
        _ => Ok(argument),
    }
}

const ADDRESSING: &[(&str, AddressingMode)] = &[
    ("none", AddressingMode::None),
    ("clamp", AddressingMode::Clamp),
    ("clamp-to-edge", AddressingMode::ClampToEdge),
    ("repeat", AddressingMode::Repeat),
    ("mirrored", AddressingMode::MirroredRepeat),
];

const FILTERS: &[(&str, FilterMode)] = &[("nearest", FilterMode::Nearest), ("linear", FilterMode::Linear)];

const COORDINATES: &[(&str, bool)] = &[("normalized", true), ("unnormalized", false)];

/// A part of a sampler, by its name.
fn part<T: Copy>(text: &str, name: &str, what: &str, known: &[(&str, T)]) -> Result<T> {
    let found = known.iter().find(|(known, _)| *known == name);
    found.map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        Failure::usage(format!("`{name}` in `{text}` is not {what}: {}", names.join(", ")))
    })
}

/// `sampler:`.
pub fn sampler(text: &str, rest: &str) -> Result<ArgumentText> {
    let parts: Vec<&str> = rest.split(',').map(str::trim).collect();
    let [addressing, filter, coordinates] = parts.as_slice() else {
        return Err(expected(text, "sampler:ADDRESSING,FILTER,normalized|unnormalized"));
    };
    let addressing = part(text, addressing, "an addressing mode", ADDRESSING)?;
    let filter = part(text, filter, "a filter", FILTERS)?;
    let normalized = part(text, coordinates, "a kind of coordinates", COORDINATES)?;
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

    #[test]
    fn formats_have_names() {
        for name in ["r8", "rg16f", "rgba32ui", "bgra8", "rgba16snorm", "r32f"] {
            assert_eq!(format(name).map(format_name).as_deref(), Some(name));
        }
        for name in ["rgba", "8", "argb8", "rgba7", "rgba8x"] {
            assert_eq!(format(name), None, "{name}");
        }
    }
}
