//! Colours as pixels of an image (OpenCL API, `clEnqueueFillImage`).

use half::f16;
use smallvec::SmallVec;
use vk_runtime::{ChannelOrder, ChannelType, ImageFormat};

/// The pixel of a colour: four floats, or four integers for integer formats, red first.
pub fn encode(format: ImageFormat, color: [u8; 16]) -> SmallVec<[u8; 16]> {
    let channels: &[usize] = match format.order {
        ChannelOrder::R | ChannelOrder::Depth => &[0],
        ChannelOrder::Rg => &[0, 1],
        ChannelOrder::Bgra | ChannelOrder::Sbgra => &[2, 1, 0, 3],
        _ => &[0, 1, 2, 3],
    };
    let standard = matches!(format.order, ChannelOrder::Srgba | ChannelOrder::Sbgra);
    let mut pixel = SmallVec::new();
    for &channel in channels {
        let mut word: [u8; 4] = std::array::from_fn(|byte| color[4 * channel + byte]);
        if standard && channel < 3 {
            word = standard_rgb(f32::from_ne_bytes(word)).to_ne_bytes();
        }
        encode_channel(format.channel, word, &mut pixel);
    }
    pixel
}

/// A linear intensity in the transfer function of sRGB (OpenCL C §8.3.5).
fn standard_rgb(linear: f32) -> f32 {
    let value = f64::from(linear);
    let encoded = match value {
        _ if value.is_nan() || value <= 0.0 => 0.0,
        _ if value < 0.003_130_8 => 12.92 * value,
        _ if value < 1.0 => 1.055 * value.powf(1.0 / 2.4) - 0.055,
        _ => 1.0,
    };
    encoded as f32
}

fn encode_channel(channel: ChannelType, word: [u8; 4], out: &mut SmallVec<[u8; 16]>) {
    let number = f32::from_ne_bytes(word);
    let (signed, unsigned) = (i32::from_ne_bytes(word), u32::from_ne_bytes(word));
    // Normalised values are rounded to nearest even; NaN becomes zero.
    let scaled = |low: f32, scale: f32| {
        let clamped = if number.is_nan() { 0.0 } else { number.clamp(low, 1.0) };
        (clamped * scale).round_ties_even()
    };
    match channel {
        ChannelType::UnormInt8 => out.push(scaled(0.0, 255.0) as u8),
        ChannelType::SnormInt8 => out.extend((scaled(-1.0, 127.0) as i8).to_ne_bytes()),
        ChannelType::UnormInt16 => out.extend((scaled(0.0, 65535.0) as u16).to_ne_bytes()),
        ChannelType::SnormInt16 => out.extend((scaled(-1.0, 32767.0) as i16).to_ne_bytes()),
        ChannelType::SignedInt8 => out.extend((signed.clamp(-128, 127) as i8).to_ne_bytes()),
        ChannelType::SignedInt16 => out.extend((signed.clamp(-32768, 32767) as i16).to_ne_bytes()),
        ChannelType::UnsignedInt8 => out.push(unsigned.min(255) as u8),
        ChannelType::UnsignedInt16 => out.extend((unsigned.min(65535) as u16).to_ne_bytes()),
        ChannelType::HalfFloat => out.extend(f16::from_f32(number).to_ne_bytes()),
        ChannelType::SignedInt32 | ChannelType::UnsignedInt32 | ChannelType::Float => out.extend(word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floats(color: [f32; 4]) -> [u8; 16] {
        let bytes: Vec<u8> = color.iter().flat_map(|it| it.to_ne_bytes()).collect();
        bytes.try_into().unwrap()
    }

    #[test]
    fn colours_become_pixels_of_the_format() {
        let encode = |order, channel, color| encode(ImageFormat::new(order, channel), color).to_vec();
        let color = floats([1.0, 0.5, -0.25, 2.0]);
        assert_eq!(encode(ChannelOrder::Rgba, ChannelType::UnormInt8, color), [255, 128, 0, 255]);
        assert_eq!(encode(ChannelOrder::Bgra, ChannelType::UnormInt8, color), [0, 128, 255, 255]);
        assert_eq!(encode(ChannelOrder::R, ChannelType::SnormInt8, floats([-1.0, 0.0, 0.0, 0.0])), [0x81]);
        assert_eq!(encode(ChannelOrder::Rg, ChannelType::HalfFloat, color), [0, 0x3c, 0, 0x38]);
        // The middle grey of sRGB is much darker than half the linear intensity.
        let linear = floats([0.0, 0.5, 1.0, 0.5]);
        assert_eq!(encode(ChannelOrder::Srgba, ChannelType::UnormInt8, linear), [0, 188, 255, 128]);
        assert_eq!(encode(ChannelOrder::Sbgra, ChannelType::UnormInt8, linear), [255, 188, 0, 128]);
        let dark = floats([0.002, f32::NAN, 0.21586, 1.5]);
        assert_eq!(encode(ChannelOrder::Srgba, ChannelType::UnormInt8, dark), [7, 0, 128, 255]);
        let integers: Vec<u8> = [-1i32, 300, 5, 6].iter().flat_map(|it| it.to_ne_bytes()).collect();
        let integers: [u8; 16] = integers.try_into().unwrap();
        assert_eq!(encode(ChannelOrder::Rg, ChannelType::SignedInt8, integers), [0xff, 127]);
        assert_eq!(encode(ChannelOrder::Rg, ChannelType::UnsignedInt8, integers), [255, 255]);
    }
}
