//! Blurs a picture: images, and a sampler that the kernel declares itself.

use clvk::runtime::{ChannelOrder, ChannelType, ImageFormat};
use clvk::{Arg, Compiler, Device, Error, Image, ImageDescription, LaunchConfig};

const SOURCE: &str = "
constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

kernel void blur(read_only image2d_t from, write_only image2d_t to)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    uint4 sum = 0;
    for (int y = -1; y <= 1; y++)
        for (int x = -1; x <= 1; x++)
            sum += read_imageui(from, nearest, at + (int2)(x, y));
    write_imageui(to, at, sum / 9);
}";

/// Each pixel becomes the mean of the nine around it; pixels are four bytes, rows follow each other.
pub fn blur(device: &Device, pixels: &[u8], width: u32, height: u32) -> Result<Vec<u8>, Error> {
    let program = Compiler::for_device(device).compile("blur.cl", SOURCE)?;
    let kernel = program.load(device)?.kernel("blur")?;
    let format = ImageFormat::new(ChannelOrder::Rgba, ChannelType::UnsignedInt8);
    let description = ImageDescription::planar(format, width, height);
    let (from, to) = (Image::new(device, &description)?, Image::new(device, &description)?);
    from.write(pixels)?;
    let size = LaunchConfig::planar(width.into(), height.into());
    kernel.launch(&size, &[Arg::Image(&from), Arg::Image(&to)])?.wait()?;
    let mut blurred = vec![0; pixels.len()];
    to.read(&mut blurred)?;
    Ok(blurred)
}

fn main() -> Result<(), Error> {
    let (width, height) = (64, 48);
    // A white square on black.
    let inside = |x: u32, y: u32| (20..44).contains(&x) && (12..36).contains(&y);
    let pixel = |at: u32| [if inside(at % width, at / width) { 255 } else { 0 }; 4];
    let pixels: Vec<u8> = (0..width * height).flat_map(pixel).collect();
    let blurred = blur(&clvk::open_device(None)?, &pixels, width, height)?;
    for row in blurred.chunks(4 * width as usize) {
        let shades = row.chunks(4).map(|pixel| [' ', '.', ':', '#'][usize::from(pixel[0] / 64)]);
        println!("{}", shades.collect::<String>());
    }
    Ok(())
}
