//! PNG files: to images, from images, and from buffers of RGBA bytes.

use crate::failure::{Failure, Result};
use clvk::runtime::{Device, Image, ImageDescription, ImageFormat};
use std::path::Path;

/// Whether a file is a PNG, by its name.
pub fn is_png(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png"))
}

/// Makes an image from a PNG.
pub fn load(device: &Device, path: &Path, format: ImageFormat) -> Result<Image> {
    let picture = image::open(path).map_err(|error| {
        Failure::usage(format!("cannot read `{}`: {error}; name an existing PNG", path.display()))
    })?;
    let (width, height) = (picture.width(), picture.height());
    let image = Image::new(device, &ImageDescription::planar(format, width, height))?;
    let bytes = match format.pixel_size() {
        4 => picture.to_rgba8().into_raw(),
        8 => picture.to_rgba32f().iter().flat_map(|&v| half::f16::from_f32(v).to_le_bytes()).collect(),
        _ => picture.to_rgba32f().iter().flat_map(|v| v.to_le_bytes()).collect(),
    };
    image.write(&bytes)?;
    Ok(image)
}

/// Writes an image to a PNG: channels of floating-point formats are clamped to [0, 1].
pub fn save_image(image: &Image, path: &Path) -> Result<()> {
    let description = image.description();
    let pixel = description.format.pixel_size() as usize;
    let mut bytes = vec![0; description.width as usize * description.height as usize * pixel];
    image.read(&mut bytes)?;
    let to_byte = |value: f32| (value.clamp(0.0, 1.0) * 255.0).round() as u8;
    let rgba = match pixel {
        4 => bytes,
        8 => {
            bytes.chunks_exact(2).map(|c| to_byte(half::f16::from_le_bytes([c[0], c[1]]).to_f32())).collect()
        }
        _ => bytes.chunks_exact(4).map(|c| to_byte(f32::from_le_bytes([c[0], c[1], c[2], c[3]]))).collect(),
    };
    save(path, description.width, description.height, &rgba)
}

/// Writes RGBA bytes, row after row, to a PNG.
pub fn save(path: &Path, width: u32, height: u32, rgba: &[u8]) -> Result<()> {
    image::save_buffer(path, rgba, width, height, image::ExtendedColorType::Rgba8)
        .map_err(|error| Failure::usage(format!("cannot write `{}`: {error}", path.display())))
}
