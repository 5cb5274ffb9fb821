//! Pictures in files, and as buffers of pixels.

use super::{Contents, Form, cannot, netpbm, read_bytes, write_bytes};
use crate::failure::{Failure, Result};
use crate::number::ElementType;
use clvk::interface::ScalarType;
use half::f16;
use image::{DynamicImage, GenericImageView, ImageBuffer, ImageFormat};
use std::io::Cursor;
use std::path::Path;

/// A format of pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureFormat {
    /// Of the crate `image`.
    Image(ImageFormat),
    /// PGM: one channel.
    Graymap,
    /// PPM: three channels.
    Pixmap,
    /// PAM: any channels.
    Arbitrary,
    /// PFM: floating point.
    Floatmap,
}

impl PictureFormat {
    /// By the ending of a name, in small letters.
    pub fn of_ending(ending: &str) -> Option<PictureFormat> {
        Some(match ending {
            "png" => PictureFormat::Image(ImageFormat::Png),
            "jpg" | "jpeg" => PictureFormat::Image(ImageFormat::Jpeg),
            "bmp" => PictureFormat::Image(ImageFormat::Bmp),
            "exr" => PictureFormat::Image(ImageFormat::OpenExr),
            "pgm" => PictureFormat::Graymap,
            "ppm" => PictureFormat::Pixmap,
            "pam" | "pnm" => PictureFormat::Arbitrary,
            "pfm" => PictureFormat::Floatmap,
            _ => return None,
        })
    }

    /// Whether it has floating-point numbers.
    pub fn is_float(self) -> bool {
        matches!(self, PictureFormat::Image(ImageFormat::OpenExr) | PictureFormat::Floatmap)
    }
}

/// A picture.
pub struct Picture {
    /// Its pixels.
    pub pixels: DynamicImage,
    /// Whether all channels are the same; floating-point pictures have three at least.
    pub gray: bool,
}

/// Pixels that a picture may have at most: 256 megapixels.
const MOST_PIXELS: u64 = 1 << 28;

/// Reads a picture.
pub fn load(path: &Path) -> Result<Picture> {
    let bytes = read_bytes(path, MOST_PIXELS * 16)?;
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    let format = ending.as_deref().and_then(PictureFormat::of_ending).or_else(|| guess(&bytes));
    let format = format.ok_or_else(|| {
        cannot(
            "read",
            path,
            "it is not a picture of a kind that clvk-run knows: PNG, JPEG, BMP, EXR, PFM, PGM, PPM, PAM",
        )
    })?;
    decode(path, &bytes, format)
}

fn guess(bytes: &[u8]) -> Option<PictureFormat> {
    if netpbm::is_pfm(bytes) {
        return Some(PictureFormat::Floatmap);
    }
    match image::guess_format(bytes).ok()? {
        ImageFormat::Pnm => Some(PictureFormat::Arbitrary),
        format => Some(PictureFormat::Image(format)),
    }
}

/// The picture that a file's bytes are.
pub fn decode(path: &Path, bytes: &[u8], format: PictureFormat) -> Result<Picture> {
    let format = match format {
        PictureFormat::Image(format) => format,
        PictureFormat::Floatmap => {
            let (pixels, gray) = netpbm::decode_pfm(bytes).map_err(|what| cannot("read", path, what))?;
            return Ok(Picture { pixels: pixels.into(), gray });
        }
        _ => ImageFormat::Pnm,
    };
    let mut limits = image::Limits::default();
    limits.max_alloc = Some(MOST_PIXELS * 16);
    let mut reader = image::ImageReader::with_format(Cursor::new(bytes), format);
    reader.limits(limits);
    let name = format!("{format:?}").to_uppercase();
    let damaged =
        |error| cannot("read", path, format!("it is not a {name} picture, or is damaged ({error})"));
    let pixels = reader.decode().map_err(damaged)?;
    let gray = !pixels.color().has_color();
    Ok(Picture { pixels, gray })
}

impl Picture {
    /// Its pixels as elements of a buffer: vectors of three or four lanes get the colours, scalars the
    /// channels that the file has.
    pub fn elements(&self, path: &Path, element: ElementType, parameter: &str) -> Result<Contents> {
        let refuse = || {
            cannot(
                "read",
                path,
                format!(
                    "it is a picture, whose pixels suit buffers of uchar, ushort, half and float or their vectors of \
                     three or four, but {parameter} needs `{element}`"
                ),
            )
        };
        let channels = if self.gray { 1 } else { self.pixels.color().channel_count().max(3) };
        let taken = match element.lanes {
            1 => channels,
            3 | 4 => 4,
            _ => return Err(refuse()),
        };
        let bytes = match element.scalar {
            ScalarType::U8 => match taken {
                1 => self.pixels.to_luma8().into_raw(),
                3 => self.pixels.to_rgb8().into_raw(),
                _ => self.pixels.to_rgba8().into_raw(),
            },
            ScalarType::U16 => bytemuck::pod_collect_to_vec(&match taken {
                1 => self.pixels.to_luma16().into_raw(),
                3 => self.pixels.to_rgb16().into_raw(),
                _ => self.pixels.to_rgba16().into_raw(),
            }),
            ScalarType::F16 | ScalarType::F32 => {
                let floats = self.floats(taken);
                match element.scalar {
                    ScalarType::F16 => {
                        floats.iter().flat_map(|&sample| f16::from_f32(sample).to_le_bytes()).collect()
                    }
                    _ => bytemuck::pod_collect_to_vec(&floats),
                }
            }
            _ => return Err(refuse()),
        };
        let mut extents = vec![u64::from(self.pixels.height()), u64::from(self.pixels.width())];
        if element.lanes == 1 && channels > 1 {
            extents.push(channels.into());
        }
        Ok(Contents { bytes, extents, form: Form::default() })
    }

    /// Its samples, from 0 for black to 1 for white: 1, 3 or 4 for each pixel.
    pub fn floats(&self, channels: u8) -> Vec<f32> {
        match channels {
            1 if self.gray => self.pixels.to_rgb32f().into_raw().into_iter().step_by(3).collect(),
            1 => self.pixels.to_luma32f().into_raw(),
            3 => self.pixels.to_rgb32f().into_raw(),
            _ => self.pixels.to_rgba32f().into_raw(),
        }
    }

    /// Writes it, with what the format can hold of it.
    pub fn save(&self, path: &Path, format: PictureFormat) -> Result<()> {
        write_bytes(path, &self.encode(format).map_err(|error| cannot("write", path, error))?)
    }

    fn encode(&self, format: PictureFormat) -> image::ImageResult<Vec<u8>> {
        let deep = self.pixels.color().bytes_per_pixel() / self.pixels.color().channel_count() == 2;
        let alpha = self.pixels.color().has_alpha();
        let pixels = &self.pixels;
        let suited: DynamicImage = match format {
            PictureFormat::Floatmap => return Ok(netpbm::encode_pfm(&pixels.to_rgb32f(), self.gray)),
            PictureFormat::Graymap if deep => pixels.to_luma16().into(),
            PictureFormat::Graymap => pixels.to_luma8().into(),
            PictureFormat::Pixmap if deep => pixels.to_rgb16().into(),
            PictureFormat::Pixmap => pixels.to_rgb8().into(),
            PictureFormat::Image(ImageFormat::OpenExr) if alpha => pixels.to_rgba32f().into(),
            PictureFormat::Image(ImageFormat::OpenExr) => pixels.to_rgb32f().into(),
            PictureFormat::Image(ImageFormat::Jpeg) if self.gray => pixels.to_luma8().into(),
            PictureFormat::Image(ImageFormat::Jpeg) => pixels.to_rgb8().into(),
            // PNG and PAM have 8 or 16 bits and any channels, BMP 8.
            PictureFormat::Image(ImageFormat::Bmp) if alpha => pixels.to_rgba8().into(),
            PictureFormat::Image(ImageFormat::Bmp) => pixels.to_rgb8().into(),
            _ => match (self.gray && !alpha, alpha, deep) {
                (true, _, true) => pixels.to_luma16().into(),
                (true, _, false) => pixels.to_luma8().into(),
                (false, true, true) => pixels.to_rgba16().into(),
                (false, true, false) => pixels.to_rgba8().into(),
                (false, false, true) => pixels.to_rgb16().into(),
                (false, false, false) => pixels.to_rgb8().into(),
            },
        };
        let PictureFormat::Image(format) = format else { return Ok(netpbm::encode(&suited)) };
        let mut file = Cursor::new(Vec::new());
        suited.write_to(&mut file, format)?;
        Ok(file.into_inner())
    }
}

/// How a buffer of pixels is a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    scalar: ScalarType,
    /// Samples of a pixel in memory, and how many of them count.
    stride: usize,
    channels: usize,
    width: u32,
    height: u32,
}

impl Layout {
    /// Of elements: `[HEIGHT, WIDTH]` of vectors, or of scalars with the channels as a last dimension.
    pub fn of(path: &Path, element: ElementType, extents: &[u64]) -> Result<Layout> {
        let size = |extent: u64| u32::try_from(extent).ok();
        let layout = || {
            let (stride, channels) = match (element.lanes, extents) {
                (1, [_, _]) => (1, 1),
                (1, [_, _, channels @ (1 | 3 | 4)]) => (*channels as usize, *channels as usize),
                (3, [_, _]) => (4, 3),
                (4, [_, _]) => (4, 4),
                _ => return None,
            };
            let known = [ScalarType::U8, ScalarType::U16, ScalarType::F16, ScalarType::F32];
            let (height, width) = (size(extents[0])?, size(extents[1])?);
            known.contains(&element.scalar).then_some(Layout {
                scalar: element.scalar,
                stride,
                channels,
                width,
                height,
            })
        };
        layout().ok_or_else(|| {
            let extents: Vec<String> = extents.iter().map(u64::to_string).collect();
            Failure::usage(format!(
                "`out:{}:{element}[{}]` is not a picture: write for example `out:FILE.png:uchar4[HEIGHT,WIDTH]` (elements \
                 of uchar, ushort, half or float, their vectors of three or four, or as many scalars in a third dimension), \
                 or let the name end in `.npy`",
                path.display(),
                extents.join(",")
            ))
        })
    }

    /// Pixels in a row.
    pub fn width(self) -> u32 {
        self.width
    }

    /// A pixel.
    pub fn element(self) -> ElementType {
        ElementType { scalar: self.scalar, lanes: self.channels as u32 }
    }

    /// The number that is white.
    pub fn scale(self) -> f64 {
        match self.scalar {
            ScalarType::U8 => 255.0,
            ScalarType::U16 => 65535.0,
            _ => 1.0,
        }
    }

    /// The picture of a buffer's bytes.
    pub fn picture(self, bytes: &[u8]) -> Picture {
        let pixels = match self.scalar {
            ScalarType::U8 => self.image(bytes.to_vec()),
            ScalarType::U16 => self.image(bytemuck::pod_collect_to_vec::<u8, u16>(bytes)),
            ScalarType::F16 => {
                let halves = bytemuck::pod_collect_to_vec::<u8, u16>(bytes);
                self.image(halves.into_iter().map(|bits| f16::from_bits(bits).to_f32()).collect::<Vec<f32>>())
            }
            _ => self.image(bytemuck::pod_collect_to_vec::<u8, f32>(bytes)),
        };
        Picture { pixels, gray: self.channels == 1 }
    }

    fn image<T: Sample>(self, samples: Vec<T>) -> DynamicImage {
        let samples = match self.stride == self.channels {
            true => samples,
            false => {
                samples.chunks(self.stride).flat_map(|pixel| pixel[..self.channels].iter().copied()).collect()
            }
        };
        T::image(self.width, self.height, self.channels, samples)
    }
}

/// What a channel of a picture can be.
pub trait Sample: Copy {
    /// A picture of 1, 3 or 4 channels.
    fn image(width: u32, height: u32, channels: usize, samples: Vec<Self>) -> DynamicImage;
}

const COUNTED: &str = "there are as many samples as that takes";

macro_rules! sample {
    ($type:ty, $gray:ident, $color:ident, $alpha:ident) => {
        impl Sample for $type {
            fn image(width: u32, height: u32, channels: usize, samples: Vec<Self>) -> DynamicImage {
                match channels {
                    1 => DynamicImage::$gray(ImageBuffer::from_raw(width, height, samples).expect(COUNTED)),
                    3 => DynamicImage::$color(ImageBuffer::from_raw(width, height, samples).expect(COUNTED)),
                    _ => DynamicImage::$alpha(ImageBuffer::from_raw(width, height, samples).expect(COUNTED)),
                }
            }
        }
    };
}

sample!(u8, ImageLuma8, ImageRgb8, ImageRgba8);
sample!(u16, ImageLuma16, ImageRgb16, ImageRgba16);

impl Sample for f32 {
    fn image(width: u32, height: u32, channels: usize, samples: Vec<Self>) -> DynamicImage {
        let samples = match channels {
            // There is no picture of one channel of floating point.
            1 => samples.into_iter().flat_map(|sample| [sample; 3]).collect(),
            _ => samples,
        };
        match channels {
            4 => DynamicImage::ImageRgba32F(ImageBuffer::from_raw(width, height, samples).expect(COUNTED)),
            _ => DynamicImage::ImageRgb32F(ImageBuffer::from_raw(width, height, samples).expect(COUNTED)),
        }
    }
}

/// A picture of the differences of two: the largest is white.
pub fn difference(left: &Picture, right: &Picture) -> Picture {
    let (width, height) = left.pixels.dimensions();
    let (left, right) = (left.floats(4), right.floats(4));
    let differences: Vec<f32> = left.iter().zip(&right).map(|(left, right)| (left - right).abs()).collect();
    let finite = differences.iter().copied().filter(|difference| difference.is_finite());
    let scale = 255.0 / finite.fold(f32::MIN_POSITIVE, f32::max);
    let byte =
        |difference: &f32| if difference.is_finite() { (difference * scale).round() as u8 } else { 255 };
    let pixels = differences.chunks_exact(4).flat_map(|pixel| {
        // A difference in alpha alone is gray.
        let alpha = byte(&pixel[3]);
        [0, 1, 2].map(|channel| byte(&pixel[channel]).max(alpha))
    });
    Picture { pixels: u8::image(width, height, 3, pixels.collect()), gray: false }
}
