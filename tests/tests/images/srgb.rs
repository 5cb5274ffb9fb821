//! Writes to sRGB images (`cl_khr_srgb_image_writes`), compared with the formulas of OpenCL C §8.3.5.

use crate::{Bench, Test};
use clvk_interface::{Feature, FeatureSet, ImageDimension};
use libtest_mimic::Failed;
use vk_runtime::{
    Arg, Buffer, ChannelOrder, ChannelType, Image, ImageDescription, ImageFormat, LaunchConfig, Program,
};

pub fn tests() -> Vec<(String, Test)> {
    vec![
        ("srgb/writes".to_owned(), Box::new(writes)),
        ("srgb/read_back".to_owned(), Box::new(read_back)),
        ("srgb/halves_and_layers".to_owned(), Box::new(halves_and_layers)),
        ("srgb/levels".to_owned(), Box::new(levels)),
    ]
}

/// 255 times the encoded colour, before rounding.
fn scaled(linear: f32) -> f64 {
    let value = f64::from(linear);
    255.0
        * match value {
            _ if value.is_nan() || value < 0.0 => 0.0,
            _ if value > 1.0 => 1.0,
            _ if value < 0.003_130_8 => 12.92 * value,
            _ => 1.055 * value.powf(1.0 / 2.4) - 0.055,
        }
}

/// The linear colour of a byte.
fn linear(byte: u8) -> f64 {
    let value = f64::from(byte) / 255.0;
    if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

/// The colours of every byte, around every boundary between two bytes, and beyond all of them.
fn colours() -> Vec<f32> {
    let mut colours: Vec<f32> = (0..=255u8).map(|byte| linear(byte) as f32).collect();
    for below in 0..255 {
        let border = (f64::from(below) + 0.5) / 255.0;
        let border = if border <= 0.04045 { border / 12.92 } else { ((border + 0.055) / 1.055).powf(2.4) };
        colours.extend([-1, 0, 1].map(|away| (border * (1.0 + f64::from(away) * 1e-4)) as f32));
    }
    colours.extend([0.003_130_7, 0.003_130_8, 0.003_130_9, -0.0, -1.0, 1e-40, 1.000_001, 2.0, 1e30]);
    colours.extend([f32::NAN, f32::INFINITY, f32::NEG_INFINITY]);
    while !colours.len().is_multiple_of(3) {
        colours.push(0.5);
    }
    colours
}

fn image(
    bench: &Bench,
    order: ChannelOrder,
    shape: ImageDescription,
) -> Result<Option<Image>, vk_runtime::Error> {
    let format = ImageFormat { order, channel: ChannelType::UnormInt8 };
    if !bench.device.info().image_support(format).write {
        return Ok(None);
    }
    Image::new(&bench.device, &ImageDescription { format, ..shape }).map(Some)
}

fn row(width: usize) -> ImageDescription {
    ImageDescription::planar(ImageFormat::new(ChannelOrder::Rgba, ChannelType::UnormInt8), width as u32, 1)
}

/// The bytes of a texel in the order red, green, blue, alpha.
fn by_colour(order: ChannelOrder, texel: &[u8]) -> [u8; 4] {
    let [a, b, c, d] = [texel[0], texel[1], texel[2], texel[3]];
    if order == ChannelOrder::Sbgra { [c, b, a, d] } else { [a, b, c, d] }
}

/// Every colour in every channel; alpha stays linear.
fn writes(bench: &Bench) -> Result<(), Failed> {
    let source = "#ifndef cl_khr_srgb_image_writes\n#error the macro is missing\n#endif\n\
                  kernel void put(write_only image2d_t image, global const float *colours) {\n\
                  int x = get_global_id(0);\n\
                  float4 c = (float4)(colours[3 * x], colours[3 * x + 1], colours[3 * x + 2], (x % 256) / 255.0f);\n\
                  write_imagef(image, (int2)(x, 0), c); }";
    if !FeatureSet::of(bench.device.profile()).contains(Feature::SrgbImageWrites) {
        return Err("a device that writes images writes those of sRGB".into());
    }
    let program = Program::new(&bench.device, bench.compile(source)?)?;
    let colours = colours();
    let given = Buffer::with_data(&bench.device, bytemuck::cast_slice(&colours))?;
    let count = colours.len() / 3;
    let mut orders = 0;
    for order in [ChannelOrder::Srgba, ChannelOrder::Sbgra] {
        let Some(image) = image(bench, order, row(count))? else { continue };
        orders += 1;
        let arguments = [Arg::Image(&image), Arg::Buffer(&given)];
        program.kernel("put")?.launch(&LaunchConfig::linear(count as u64), &arguments)?.wait()?;
        let mut bytes = vec![0; 4 * count];
        image.read(&mut bytes)?;
        for (x, (texel, colours)) in bytes.chunks_exact(4).zip(colours.chunks_exact(3)).enumerate() {
            let texel = by_colour(order, texel);
            for (&byte, &colour) in texel.iter().zip(colours) {
                let exact = scaled(colour);
                // §8.3.5 allows 0.6; rounding alone gives 0.5.
                if (f64::from(byte) - exact).abs() > 0.502 {
                    return Err(format!("{order:?}: {colour} became {byte}, exactly {exact}").into());
                }
            }
            if usize::from(texel[3]) != x % 256 {
                return Err(format!("{order:?}: alpha of {x} became {}", texel[3]).into());
            }
        }
    }
    // Every device reads images of RGBA in sRGB, and writes those of RGBA (Vulkan, Mandatory Format Support).
    if orders == 0 { Err("images of CL_sRGBA cannot be written".into()) } else { Ok(()) }
}

/// A kernel reads from an image that it may write what it wrote, and another kernel reads the same; every
/// byte keeps its value.
fn read_back(bench: &Bench) -> Result<(), Failed> {
    if !bench.device.profile().image_read_without_format {
        return Ok(());
    }
    let source = "kernel void again(read_write image2d_t image, global float4 *out) {\n\
                  int2 at = (int2)(get_global_id(0), 0);\n\
                  float4 c = read_imagef(image, at);\n\
                  out[at.x] = c;\n\
                  write_imagef(image, at, c); }\n\
                  kernel void get(read_only image2d_t image, global float4 *out) {\n\
                  int2 at = (int2)(get_global_id(0), 0);\n\
                  out[at.x] = read_imagef(image, at); }";
    let program = Program::new(&bench.device, bench.compile(source)?)?;
    let before: Vec<u8> = (0..=255u8).flat_map(|x| [x, 255 - x, x.wrapping_mul(7), x]).collect();
    for order in [ChannelOrder::Srgba, ChannelOrder::Sbgra] {
        let Some(image) = image(bench, order, row(256))? else { continue };
        image.write(&before)?;
        for kernel in ["again", "get"] {
            let out = Buffer::new(&bench.device, 256 * 16)?;
            let arguments = [Arg::Image(&image), Arg::Buffer(&out)];
            program.kernel(kernel)?.launch(&LaunchConfig::linear(256), &arguments)?.wait()?;
            let mut found = vec![[0.0f32; 4]; 256];
            out.read(0, bytemuck::cast_slice_mut(&mut found))?;
            for (found, texel) in found.iter().zip(before.chunks_exact(4)) {
                let texel = by_colour(order, texel);
                for (channel, (&found, &byte)) in found.iter().zip(&texel).enumerate() {
                    // Half a step of the encoded colour (§8.3.5).
                    let wrong = match channel {
                        3 => (f64::from(found) * 255.0 - f64::from(byte)).abs() > 1e-3,
                        _ => (scaled(found) - f64::from(byte)).abs() > 0.5,
                    };
                    // In a kernel the steps are exact apart from the rounding of floats.
                    let coarse =
                        kernel == "again" && channel < 3 && (f64::from(found) - linear(byte)).abs() > 1e-5;
                    if wrong || coarse {
                        return Err(
                            format!("{order:?} {kernel}: {byte} of channel {channel} is {found}").into()
                        );
                    }
                }
            }
        }
        let mut after = vec![0; before.len()];
        image.read(&mut after)?;
        if after != before {
            return Err(format!("{order:?}: {before:?} became {after:?}").into());
        }
    }
    Ok(())
}

/// Halves, written to an array; and formats of the same type that are not sRGB stay linear.
fn halves_and_layers(bench: &Bench) -> Result<(), Failed> {
    let source = "#pragma OPENCL EXTENSION cl_khr_fp16: enable\n\
                  kernel void put(write_only image2d_array_t image) {\n\
                  int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);\n\
                  write_imageh(image, at, (half4)(0.25h * at.x, 0.5h * at.y, 0.5h * at.z, 0.5h)); }";
    let program = Program::new(&bench.device, bench.compile(source)?)?;
    for order in [ChannelOrder::Srgba, ChannelOrder::Rgba] {
        let shape = ImageDescription { dimension: ImageDimension::D2Array, height: 3, layers: 2, ..row(5) };
        let Some(image) = image(bench, order, shape)? else { continue };
        let config = LaunchConfig::spatial(5, 3, 2);
        program.kernel("put")?.launch(&config, &[Arg::Image(&image)])?.wait()?;
        let mut bytes = vec![0; 5 * 3 * 2 * 4];
        image.read(&mut bytes)?;
        for (index, texel) in bytes.chunks_exact(4).enumerate() {
            let (x, y, z) = (index % 5, index / 5 % 3, index / 15);
            let colour = [0.25 * x as f32, 0.5 * y as f32, 0.5 * z as f32, 0.5];
            for (channel, (&byte, colour)) in texel.iter().zip(colour).enumerate() {
                let is_encoded = order == ChannelOrder::Srgba && channel < 3;
                let exact = if is_encoded { scaled(colour) } else { 255.0 * f64::from(colour) };
                // Ties, which alpha is here, round to even.
                let exact =
                    if order == ChannelOrder::Srgba && !is_encoded { exact.round_ties_even() } else { exact };
                if (f64::from(byte) - exact).abs() > 0.6 {
                    return Err(format!("{order:?} at {x} {y} {z}: {byte}, exactly {exact}").into());
                }
            }
        }
    }
    Ok(())
}

/// Levels of detail of such an image.
fn levels(bench: &Bench) -> Result<(), Failed> {
    if !FeatureSet::of(bench.device.profile()).contains(Feature::MipmapImageWrites) {
        return Ok(());
    }
    let source = "kernel void put(write_only image2d_t image, int level, float c) {\n\
                  write_imagef(image, (int2)(get_global_id(0), 0), level, (float4)(c)); }";
    let program = Program::new(&bench.device, bench.compile(source)?)?;
    let Some(image) = image(bench, ChannelOrder::Srgba, ImageDescription { levels: 3, ..row(4) })? else {
        return Err("images of CL_sRGBA cannot be written".into());
    };
    let colours = [0.1f32, 0.5, 0.9];
    for (level, colour) in colours.iter().enumerate() {
        let width = 4u64 >> level;
        let level = i32::try_from(level)?.to_ne_bytes();
        let colour = colour.to_ne_bytes();
        let arguments = [Arg::Image(&image), Arg::Bytes(&level), Arg::Bytes(&colour)];
        program.kernel("put")?.launch(&LaunchConfig::linear(width), &arguments)?.wait()?;
    }
    let mut bytes = vec![0; (4 + 2 + 1) * 4];
    image.read(&mut bytes)?;
    let level_of = [0, 0, 0, 0, 1, 1, 2];
    for (texel, level) in bytes.chunks_exact(4).zip(level_of) {
        let exact = [scaled(colours[level]), 255.0 * f64::from(colours[level])];
        if (f64::from(texel[0]) - exact[0]).abs() > 0.6 || (f64::from(texel[3]) - exact[1]).abs() > 0.6 {
            return Err(format!("level {level}: {texel:?}, exactly {exact:?}").into());
        }
    }
    Ok(())
}
