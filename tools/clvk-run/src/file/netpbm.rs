//! PGM, PPM and PAM written, PFM read and written: what the crate `image` does not do, or not with 16 bits.

use image::{DynamicImage, Rgb32FImage};
use std::io::{BufRead, Read};

/// A file of the family: `P5` and `P6` as the channels demand, `P7` (PAM) for those with alpha.
pub fn encode(picture: &DynamicImage) -> Vec<u8> {
    let (width, height) = (picture.width(), picture.height());
    let color = picture.color();
    let channels = color.channel_count();
    let deep = color.bytes_per_pixel() / channels == 2;
    let most = if deep { 65535 } else { 255 };
    let mut file = match channels {
        1 => format!("P5\n{width} {height}\n{most}\n"),
        3 => format!("P6\n{width} {height}\n{most}\n"),
        _ => {
            let kind = if channels == 2 { "GRAYSCALE_ALPHA" } else { "RGB_ALPHA" };
            format!(
                "P7\nWIDTH {width}\nHEIGHT {height}\nDEPTH {channels}\nMAXVAL {most}\nTUPLTYPE {kind}\nENDHDR\n"
            )
        }
    }
    .into_bytes();
    match deep {
        // The family is big-endian.
        true => file.extend(
            picture
                .as_bytes()
                .chunks_exact(2)
                .flat_map(|sample| u16::from_ne_bytes([sample[0], sample[1]]).to_be_bytes()),
        ),
        false => file.extend(picture.as_bytes()),
    }
    file
}

/// A PFM file: rows from the lowest to the highest, little-endian; of one channel if `gray`.
pub fn encode_pfm(picture: &Rgb32FImage, gray: bool) -> Vec<u8> {
    let (width, height) = picture.dimensions();
    let kind = if gray { "Pf" } else { "PF" };
    let mut file = format!("{kind}\n{width} {height}\n-1.0\n").into_bytes();
    for row in picture.rows().rev() {
        for pixel in row {
            let kept = if gray { &pixel.0[..1] } else { &pixel.0[..] };
            file.extend(kept.iter().flat_map(|sample| sample.to_le_bytes()));
        }
    }
    file
}

/// Whether bytes are those of a PFM file.
pub fn is_pfm(bytes: &[u8]) -> bool {
    matches!(bytes, [b'P', b'F' | b'f', next, ..] if next.is_ascii_whitespace())
}

/// The picture of a PFM file and whether it has one channel; the error says what is wrong with it.
pub fn decode_pfm(bytes: &[u8]) -> Result<(Rgb32FImage, bool), String> {
    let mut rest = bytes;
    let mut word = || -> Option<String> {
        let mut word = Vec::new();
        loop {
            let byte = *rest.fill_buf().ok()?.first()?;
            rest.read_exact(&mut [0]).ok()?;
            match byte.is_ascii_whitespace() {
                true if word.is_empty() => {}
                true => return String::from_utf8(word).ok(),
                false if word.len() < 32 => word.push(byte),
                false => return None,
            }
        }
    };
    let mut header = || {
        let gray = match word()?.as_str() {
            "PF" => false,
            "Pf" => true,
            _ => return None,
        };
        let (width, height): (u32, u32) = (word()?.parse().ok()?, word()?.parse().ok()?);
        let scale: f32 = word()?.parse().ok()?;
        (width > 0 && height > 0 && scale != 0.0).then_some((gray, width, height, scale))
    };
    let (gray, width, height, scale) = header().ok_or("the PFM file has a damaged header")?;
    let channels = if gray { 1 } else { 3 };
    let row = width as usize * channels * 4;
    if row.checked_mul(height as usize) != Some(rest.len()) {
        return Err(format!("the PFM file has {width}×{height} pixels, but {} bytes of them", rest.len()));
    }
    let sample = |bytes: &[u8]| {
        let bytes = [bytes[0], bytes[1], bytes[2], bytes[3]];
        if scale < 0.0 { f32::from_le_bytes(bytes) } else { f32::from_be_bytes(bytes) }
    };
    let mut samples = Vec::with_capacity(width as usize * height as usize * 3);
    for row in rest.chunks_exact(row).rev() {
        for pixel in row.chunks_exact(channels * 4) {
            for channel in 0..3 {
                samples.push(sample(&pixel[channel.min(channels - 1) * 4..]));
            }
        }
    }
    let picture =
        Rgb32FImage::from_raw(width, height, samples).expect("there are as many samples as that takes");
    Ok((picture, gray))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pfm_files_have_the_lowest_row_first() {
        // Two pixels, one above the other, big-endian.
        let file = [&b"Pf\n1 2\n1.0\n"[..], &2f32.to_be_bytes(), &1f32.to_be_bytes()].concat();
        let (picture, gray) = decode_pfm(&file).unwrap();
        assert!(gray && is_pfm(&file));
        assert_eq!((picture.get_pixel(0, 0).0, picture.get_pixel(0, 1).0), ([1.0; 3], [2.0; 3]));
        let written = encode_pfm(&picture, true);
        assert_eq!(written, [&b"Pf\n1 2\n-1.0\n"[..], &2f32.to_le_bytes(), &1f32.to_le_bytes()].concat());
        for damaged in [&b"PF\n1 2\n"[..], b"Pf\n0 2\n1\n", b"Pf\n9 9\n1\nabc", b"Pf\n99999999999 1\n1\n"] {
            assert!(decode_pfm(damaged).is_err());
        }
    }

    #[test]
    fn deep_pictures_are_big_endian() {
        let picture = image::ImageBuffer::from_raw(1, 1, vec![0x0102u16]).unwrap();
        assert_eq!(encode(&DynamicImage::ImageLuma16(picture)), b"P5\n1 1\n65535\n\x01\x02");
    }
}
