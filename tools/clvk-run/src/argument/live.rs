//! Arguments of `clvk-run view` that change from frame to frame.

use super::{ArgumentText, expected, image};
use crate::failure::{Failure, Result};
use crate::number::{ElementType, Number};
use clvk::interface::ScalarType;
use clvk::runtime::ImageFormat;

/// What a frame tells a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Live {
    /// Seconds since the start, or milliseconds for an integer.
    Time,
    /// Number of the frame, from 0.
    Frame,
    /// Place of the mouse in pixels of the picture; in vectors of four also the buttons (1 left, 2 right, 4
    /// middle) and how far the wheel was turned.
    Mouse,
    /// Width and height of the picture in pixels.
    Size,
}

/// The picture that `clvk-run view` shows: an image, or a buffer of pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ScreenText {
    /// Width and height, if it does not follow the window.
    pub fixed: Option<[u32; 2]>,
    /// Width and height that it has now.
    pub size: [u32; 2],
    /// Format of an image.
    pub format: Option<ImageFormat>,
}

/// What is known of a frame before its kernels run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Inputs {
    /// Seconds since the start.
    pub time: f64,
    /// Frames before this one.
    pub frame: u64,
    /// Place of the mouse, buttons and wheel.
    pub mouse: [f64; 4],
    /// Width and height of the picture.
    pub size: [u32; 2],
}

impl Live {
    /// The kind of a word.
    pub fn of_word(word: &str) -> Option<Live> {
        Some(match word {
            "time" => Live::Time,
            "frame" => Live::Frame,
            "mouse" => Live::Mouse,
            "size" => Live::Size,
            _ => return None,
        })
    }

    /// The word of a kind.
    pub fn word(self) -> &'static str {
        match self {
            Live::Time => "time",
            Live::Frame => "frame",
            Live::Mouse => "mouse",
            Live::Size => "size",
        }
    }

    /// The bytes of a parameter of this type; an error text if the type does not suit.
    pub fn bytes(self, element: ElementType, inputs: &Inputs) -> Result<Vec<u8>, String> {
        let is_float = matches!(element.scalar, ScalarType::F16 | ScalarType::F32 | ScalarType::F64);
        let number =
            |value: f64| if is_float { Number::Float(value) } else { Number::Int(value.floor() as i128) };
        let [width, height] = inputs.size.map(f64::from);
        let values = match (self, element.lanes) {
            (Live::Time, 1) => vec![if is_float { inputs.time } else { inputs.time * 1000.0 }],
            (Live::Frame, 1) => vec![inputs.frame as f64],
            (Live::Mouse, lanes @ (2 | 4)) => inputs.mouse[..lanes as usize].to_vec(),
            (Live::Size, 2) => vec![width, height],
            (Live::Size, 4) => vec![width, height, 1.0, 1.0],
            _ => {
                let needs = match self {
                    Live::Time | Live::Frame => "a scalar",
                    Live::Mouse | Live::Size => "a vector of two or four lanes",
                };
                return Err(format!("`{}:` needs {needs}, but the type is `{element}`", self.word()));
            }
        };
        let mut bytes = Vec::new();
        for value in values {
            bytes.extend(number(value).to_bytes(element.scalar)?);
        }
        Ok(bytes)
    }
}

/// `time:`, `frame:`, `mouse:`, `size:`.
pub fn live(text: &str, live: Live, rest: &str) -> Result<ArgumentText> {
    if rest.is_empty() {
        return Ok(ArgumentText::Live(live));
    }
    Err(Failure::usage(format!("nothing follows `{}:`, but `{text}` was given", live.word())))
}

/// `screen:[WxH][:FORMAT]`.
pub fn screen(text: &str, rest: &str) -> Result<ArgumentText> {
    let form = || expected(text, "screen:[WxH][:FORMAT]");
    let (size, format) = match rest.split_once(':') {
        Some((size, format)) => (size, Some(format)),
        None if rest.starts_with(|c: char| c.is_ascii_digit()) || rest.is_empty() => (rest, None),
        None => ("", Some(rest)),
    };
    let fixed = match size {
        "" => None,
        size => match image::sizes(size).as_deref() {
            Some(&[width, height]) if width > 0 && height > 0 => Some([width, height]),
            _ => return Err(form()),
        },
    };
    let format = format.map(image::parse_format).transpose()?;
    Ok(ArgumentText::Screen(ScreenText { fixed, size: fixed.unwrap_or_default(), format }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const INPUTS: Inputs = Inputs { time: 1.5, frame: 90, mouse: [3.0, 4.5, 1.0, -2.0], size: [640, 480] };

    #[test]
    fn values_take_the_parameters_type() {
        let bytes = |live: Live, scalar, lanes| live.bytes(ElementType { scalar, lanes }, &INPUTS);
        assert_eq!(bytes(Live::Time, ScalarType::F32, 1), Ok(1.5f32.to_le_bytes().to_vec()));
        assert_eq!(bytes(Live::Time, ScalarType::U32, 1), Ok(1500u32.to_le_bytes().to_vec()));
        assert_eq!(bytes(Live::Frame, ScalarType::I64, 1), Ok(90i64.to_le_bytes().to_vec()));
        assert_eq!(bytes(Live::Mouse, ScalarType::I32, 2), Ok([3i32, 4].map(i32::to_le_bytes).concat()));
        assert_eq!(
            bytes(Live::Mouse, ScalarType::F32, 4),
            Ok([3.0f32, 4.5, 1.0, -2.0].map(f32::to_le_bytes).concat())
        );
        assert_eq!(bytes(Live::Size, ScalarType::U32, 2), Ok([640u32, 480].map(u32::to_le_bytes).concat()));
        assert!(bytes(Live::Mouse, ScalarType::F32, 1).unwrap_err().contains("two or four lanes"));
        assert!(bytes(Live::Time, ScalarType::F32, 2).unwrap_err().contains("scalar"));
    }

    #[test]
    fn screens_have_sizes_and_formats() {
        let parse = |text: &str| match ArgumentText::parse(text) {
            Ok(ArgumentText::Screen(screen)) => (screen.fixed, screen.format.map(super::super::format_name)),
            other => panic!("{other:?}"),
        };
        assert_eq!(parse("screen:"), (None, None));
        assert_eq!(parse("screen:640x480"), (Some([640, 480]), None));
        assert_eq!(parse("screen:rgba32f"), (None, Some("rgba32f".to_owned())));
        assert_eq!(parse("screen:64x32:rgba16f"), (Some([64, 32]), Some("rgba16f".to_owned())));
        for wrong in ["screen:64", "screen:4x4x4", "screen:0x4", "screen:rgba7", "time:3"] {
            assert!(ArgumentText::parse(wrong).is_err(), "{wrong}");
        }
    }
}
