//! Pictures with four bytes for each pixel, as PNG files.

use std::fs;
use std::path::{Path, PathBuf};

/// Writes a picture, and creates its folder if necessary.
///
/// # Errors
/// If the file cannot be written.
pub fn write_png(path: &Path, width: usize, height: usize, pixels: &[u8]) -> Result<(), image::ImageError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    image::save_buffer(path, pixels, width as u32, height as u32, image::ColorType::Rgba8)
}

/// The folder where tests leave pictures for inspection.
#[must_use]
pub fn picture_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/pictures")
}

/// A synthetic photograph: a sky with a sun, hills and some grain. It has fine detail everywhere, so the
/// effect of a filter shows.
#[must_use]
pub fn landscape(width: usize, height: usize, seed: u64) -> Vec<u8> {
    let random = crate::random::Random::new(seed);
    crate::random::generate_rows(height, width * 4, |row, pixels| {
        let y = row as f32 / height as f32;
        for (column, pixel) in pixels.chunks_exact_mut(4).enumerate() {
            let x = column as f32 / width as f32;
            let grain = random.between(row * width + column, -3.0, 3.0);
            let colour = landscape_colour(x, y);
            for (channel, value) in colour.into_iter().enumerate() {
                pixel[channel] = (value + grain).clamp(0.0, 255.0) as u8;
            }
            pixel[3] = 255;
        }
    })
}

fn landscape_colour(x: f32, y: f32) -> [f32; 3] {
    let hill = 0.62 + 0.09 * triangle(x * 1.7 + 0.2) - 0.05 * triangle(x * 5.3) + 0.015 * triangle(x * 23.0);
    if y > hill {
        let stripe = if triangle((y - hill) * 30.0 + x * 6.0) > 0.5 { 18.0 } else { 0.0 };
        return [40.0 + 60.0 * (y - hill), 90.0 + stripe, 45.0];
    }
    let (dx, dy) = (x - 0.7, (y - 0.25) * 0.75);
    if dx * dx + dy * dy < 0.007 {
        return [255.0, 225.0, 120.0];
    }
    [90.0 + 120.0 * y, 140.0 + 80.0 * y, 225.0 - 20.0 * y]
}

/// A triangle wave of period 1 between 0 and 1.
fn triangle(x: f32) -> f32 {
    (2.0 * (x - x.floor()) - 1.0).abs()
}
