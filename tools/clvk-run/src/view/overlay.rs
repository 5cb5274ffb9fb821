//! Text over the picture.

use crate::failure::Result;
use clvk::runtime::{ChannelOrder, ChannelType, ImageFormat, PixelRectangle};
use clvk::{Device, Image, ImageDescription};
use embedded_graphics::mono_font::ascii::FONT_8X13;
use embedded_graphics::mono_font::{MonoFont, MonoTextStyle};
use embedded_graphics::pixelcolor::{Rgb888, RgbColor};
use embedded_graphics::prelude::{Dimensions, DrawTarget, OriginDimensions, Point, Size};
use embedded_graphics::text::{Baseline, Text};
use embedded_graphics::{Drawable, Pixel};
use std::convert::Infallible;

const FONT: &MonoFont<'_> = &FONT_8X13;
const MARGIN: i32 = 8;
const BACKGROUND: [u8; 3] = [40, 12, 12];

/// An image of a text, for the bottom of a window.
pub struct Overlay {
    image: Image,
    size: [u32; 2],
}

impl Overlay {
    /// Draws a text; lines that are wider than the window are broken.
    pub fn new(device: &Device, text: &str, window: [u32; 2]) -> Result<Option<Overlay>> {
        let [width, height] = window;
        let cell = FONT.character_size;
        let columns = (width.saturating_sub(2 * MARGIN as u32) / cell.width) as usize;
        let rows = (height.saturating_sub(2 * MARGIN as u32) / (cell.height + 2)) as usize;
        if columns == 0 || rows == 0 {
            return Ok(None);
        }
        let mut lines: Vec<String> = text.lines().flat_map(|line| broken(line, columns)).collect();
        if lines.len() > rows {
            lines.truncate(rows.saturating_sub(1));
            lines.push("...".to_owned());
        }
        let height = (lines.len() as u32 * (cell.height + 2) + 2 * MARGIN as u32).min(height);
        let mut canvas = Canvas::new(width, height);
        let style = MonoTextStyle::new(FONT, Rgb888::WHITE);
        for (row, line) in lines.iter().enumerate() {
            let top = MARGIN + row as i32 * (cell.height as i32 + 2);
            let text = Text::with_baseline(line, Point::new(MARGIN, top), style, Baseline::Top);
            let Ok(_) = text.draw(&mut canvas);
        }
        let format = ImageFormat::new(ChannelOrder::Rgba, ChannelType::UnormInt8);
        let image = Image::new(device, &ImageDescription::planar(format, width, height))?;
        image.write(&canvas.pixels)?;
        Ok(Some(Overlay { image, size: [width, height] }))
    }

    /// The image.
    pub fn image(&self) -> &Image {
        &self.image
    }

    /// The parts of the image and of a window of this size in which it is shown.
    pub fn rectangles(&self, window: [u32; 2]) -> Option<(PixelRectangle, PixelRectangle)> {
        let extent = [self.size[0].min(window[0]), self.size[1].min(window[1])];
        if extent.contains(&0) {
            return None;
        }
        let from = PixelRectangle { origin: [0; 2], extent };
        Some((from, PixelRectangle { origin: [0, window[1] - extent[1]], extent }))
    }
}

/// A line in parts of at most this number of characters; characters that the font lacks become `?`.
fn broken(line: &str, columns: usize) -> Vec<String> {
    let drawable = |c: char| match c {
        '\t' => ' ',
        '‘' | '’' => '\'',
        '“' | '”' => '"',
        '…' => '.',
        c if c.is_ascii_graphic() || c == ' ' => c,
        _ => '?',
    };
    let characters: Vec<char> = line.chars().map(drawable).collect();
    match characters.is_empty() {
        true => vec![String::new()],
        false => characters.chunks(columns).map(|part| part.iter().collect()).collect(),
    }
}

/// Pixels of red, green, blue and alpha.
struct Canvas {
    pixels: Vec<u8>,
    size: Size,
}

impl Canvas {
    fn new(width: u32, height: u32) -> Self {
        let [red, green, blue] = BACKGROUND;
        let pixels = [red, green, blue, 255].repeat((width * height) as usize);
        Canvas { pixels, size: Size::new(width, height) }
    }
}

impl OriginDimensions for Canvas {
    fn size(&self) -> Size {
        self.size
    }
}

impl DrawTarget for Canvas {
    type Color = Rgb888;
    type Error = Infallible;

    fn draw_iter<I: IntoIterator<Item = Pixel<Rgb888>>>(&mut self, pixels: I) -> Result<(), Infallible> {
        let bounds = self.bounding_box();
        for Pixel(at, color) in pixels {
            if bounds.contains(at) {
                let place = 4 * (at.y as usize * self.size.width as usize + at.x as usize);
                self.pixels[place..place + 3].copy_from_slice(&[color.r(), color.g(), color.b()]);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_broken_and_foreign_characters_replaced() {
        assert_eq!(broken("abcdefg", 3), ["abc", "def", "g"]);
        assert_eq!(broken("", 3), [""]);
        assert_eq!(broken("a\té…", 9), ["a ?."]);
    }

    #[test]
    fn text_is_drawn_within_the_canvas() {
        let mut canvas = Canvas::new(16, 13);
        let style = MonoTextStyle::new(FONT, Rgb888::WHITE);
        let Ok(_) = Text::with_baseline("MMMM", Point::zero(), style, Baseline::Top).draw(&mut canvas);
        let white = canvas.pixels.chunks(4).filter(|pixel| pixel[..3] == [255; 3]).count();
        assert!(white > 20 && white < 150, "{white}");
    }
}
