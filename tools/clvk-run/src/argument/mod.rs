//! The text of kernel arguments.

mod hint;
mod image;
mod literal;
mod live;

pub use image::{ImageText, Pixels, format_name};
pub use literal::Literal;
pub use live::{Inputs, Live, ScreenText};

use crate::failure::{Failure, Result};
use crate::file;
use crate::number::{ElementType, Number};
use clvk::runtime::SamplerDescription;
use std::path::{Path, PathBuf};

/// A buffer's type and shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// Element type.
    pub element: ElementType,
    /// Extent in each dimension, in elements.
    pub extents: Vec<u64>,
}

impl Shape {
    /// Bytes in all; `None` if they do not fit 64 bits.
    pub fn size(&self) -> Option<u64> {
        let element = u64::from(self.element.size()?);
        self.extents.iter().try_fold(element, |size, &extent| size.checked_mul(extent))
    }
}

/// What kernels must not do with a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promise {
    /// Read it before they write to it.
    Undefined,
    /// Write to it.
    ReadOnly,
    /// Read it.
    WriteOnly,
}

/// An argument as written.
#[derive(Clone, Debug, PartialEq)]
pub enum ArgumentText {
    /// A scalar, a vector or a structure.
    Value(Literal),
    /// `in:` or `inout:`.
    Input { path: PathBuf, write_back: bool },
    /// `out:`.
    Output { path: PathBuf, shape: Shape },
    /// `zero:`, `fill:`.
    Fill { value: Literal, shape: Shape },
    /// `rand:`.
    Random { seed: u64, shape: Shape },
    /// `undefined:`, `read-only:`, `write-only:`: another buffer, and what the sanitizer reports of it.
    Promised { promise: Promise, buffer: Box<ArgumentText> },
    /// `null`.
    Null,
    /// `local:`.
    Local(u64),
    /// `image:`, `image-out:`, `image-inout:`, `image-zero:`.
    Image(ImageText),
    /// `sampler:`.
    Sampler(SamplerDescription),
    /// `time:`, `frame:`, `mouse:`, `size:`.
    Live(Live),
    /// `screen:`.
    Screen(ScreenText),
}

impl ArgumentText {
    /// Reads one argument.
    pub fn parse(text: &str) -> Result<ArgumentText> {
        if text == "null" {
            return Ok(ArgumentText::Null);
        }
        let Some((kind, rest)) = text.split_once(':').filter(|(kind, _)| is_word(kind)) else {
            return Literal::parse(text).map(ArgumentText::Value).ok_or_else(|| hint::not_an_argument(text));
        };
        match kind {
            "in" | "inout" => {
                let path = file_name(text, rest)?;
                Ok(ArgumentText::Input { path, write_back: kind == "inout" })
            }
            "out" => {
                let (path, ty) = split_type(rest).ok_or_else(|| expected(text, "out:FILE:TYPE[N,M…]"))?;
                let (path, shape) = (PathBuf::from(path), shape(text, ty)?);
                file::check(&path, shape.element, &shape.extents)?;
                Ok(ArgumentText::Output { path, shape })
            }
            "zero" => {
                let value = Literal::Number(Number::Int(0));
                Ok(ArgumentText::Fill { value, shape: shape(text, rest)? })
            }
            "fill" => {
                let (value, ty) = split_type(rest).ok_or_else(|| expected(text, "fill:VALUE:TYPE[N]"))?;
                let value = Literal::parse(value).ok_or_else(|| expected(text, "fill:VALUE:TYPE[N]"))?;
                let shape = shape(text, ty)?;
                check_lanes(text, &value, &shape)?;
                Ok(ArgumentText::Fill { value, shape })
            }
            "rand" => {
                let (seed, ty) = split_type(rest).ok_or_else(|| expected(text, "rand:SEED:TYPE[N]"))?;
                let seed = seed.parse().map_err(|_| expected(text, "rand:SEED:TYPE[N]"))?;
                Ok(ArgumentText::Random { seed, shape: shape(text, ty)? })
            }
            "undefined" => {
                let value = Literal::Number(Number::Int(0));
                let buffer = ArgumentText::Fill { value, shape: shape(text, rest)? };
                Ok(ArgumentText::Promised { promise: Promise::Undefined, buffer: Box::new(buffer) })
            }
            "read-only" | "write-only" => {
                let promise = if kind == "read-only" { Promise::ReadOnly } else { Promise::WriteOnly };
                match ArgumentText::parse(rest)? {
                    buffer if buffer.is_buffer() => {
                        Ok(ArgumentText::Promised { promise, buffer: Box::new(buffer) })
                    }
                    _ => Err(expected(text, &format!("{kind}:zero:TYPE[N,M…]"))),
                }
            }
            "local" => rest.parse().map(ArgumentText::Local).map_err(|_| expected(text, "local:BYTES")),
            "image" | "image-inout" => image::input(text, rest, kind == "image-inout"),
            "image-out" => image::zeros(text, rest, true),
            "image-zero" => image::zeros(text, rest, false),
            "sampler" => image::sampler(text, rest),
            "screen" => live::screen(text, rest),
            "time" | "frame" | "mouse" | "size" => {
                live::live(text, Live::of_word(kind).expect("these are the words"), rest)
            }
            _ => Err(hint::unknown_kind(text, kind)),
        }
    }

    /// Whether it is a buffer of a known kind.
    fn is_buffer(&self) -> bool {
        use ArgumentText::{Fill, Input, Output, Promised, Random};
        matches!(self, Input { .. } | Output { .. } | Fill { .. } | Random { .. } | Promised { .. })
    }

    /// The same, with files relative to a folder.
    pub fn relative_to(&mut self, folder: &Path) {
        let place = |path: &mut PathBuf| {
            if !file::is_standard(path) {
                *path = folder.join(&*path);
            }
        };
        match self {
            ArgumentText::Input { path, .. } | ArgumentText::Output { path, .. } => place(path),
            ArgumentText::Promised { buffer, .. } => buffer.relative_to(folder),
            ArgumentText::Image(ImageText { pixels, output, .. }) => {
                if let Pixels::File(path) = pixels {
                    place(path);
                }
                output.iter_mut().for_each(place);
            }
            _ => {}
        }
    }

    /// The file that it is read from.
    pub fn input(&self) -> Option<&Path> {
        match self {
            ArgumentText::Input { path, .. } => Some(path),
            ArgumentText::Promised { buffer, .. } => buffer.input(),
            ArgumentText::Image(ImageText { pixels: Pixels::File(path), .. }) => Some(path),
            _ => None,
        }
    }

    /// The file that it is written to afterwards.
    pub fn output(&self) -> Option<&Path> {
        match self {
            ArgumentText::Input { path, write_back: true } | ArgumentText::Output { path, .. } => Some(path),
            ArgumentText::Promised { buffer, .. } => buffer.output(),
            ArgumentText::Image(ImageText { output, .. }) => output.as_deref(),
            _ => None,
        }
    }
}

/// The kinds of arguments with a colon.
const KINDS: &[&str] = &[
    "in",
    "inout",
    "out",
    "zero",
    "fill",
    "rand",
    "undefined",
    "read-only",
    "write-only",
    "local",
    "image",
    "image-inout",
    "image-out",
    "image-zero",
    "sampler",
    "screen",
    "time",
    "frame",
    "mouse",
    "size",
];

/// Divides at the last colon.
fn split_type(rest: &str) -> Option<(&str, &str)> {
    rest.rsplit_once(':')
}

/// A vector fills vectors with as many lanes, a number whatever there is.
fn check_lanes(text: &str, value: &Literal, shape: &Shape) -> Result<()> {
    let (given, lanes) = match value {
        Literal::Number(_) => return Ok(()),
        Literal::Vector(numbers) => (numbers.len(), shape.element.lanes),
        Literal::Structure(_) => {
            return Err(Failure::usage(format!(
                "`{text}` cannot fill a buffer with structures; read it from a file: `in:FILE`"
            )));
        }
    };
    if given == lanes as usize {
        return Ok(());
    }
    let element = shape.element;
    Err(Failure::usage(format!("`{text}` gives {given} numbers for each `{element}`, which has {lanes}")))
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphabetic() || c == '-') && text != "-"
}

/// The file that an argument names.
fn file_name(text: &str, name: &str) -> Result<PathBuf> {
    match name {
        "" => Err(Failure::usage(format!("`{text}` names no file; write `{text}FILE`"))),
        name => Ok(name.into()),
    }
}

fn expected(text: &str, form: &str) -> Failure {
    Failure::usage(format!("`{text}` is not of the form `{form}`"))
}

fn shape(text: &str, spelled: &str) -> Result<Shape> {
    let kind = text.split_once(':').map_or("", |(kind, _)| kind);
    let form = || match kind {
        "zero" => expected(text, "zero:TYPE[N,M…]"),
        "fill" => expected(text, "fill:VALUE:TYPE[N,M…]"),
        "rand" => expected(text, "rand:SEED:TYPE[N,M…]"),
        "undefined" => expected(text, "undefined:TYPE[N,M…]"),
        _ => expected(text, "out:FILE:TYPE[N,M…]"),
    };
    let (name, extents) = spelled.strip_suffix(']').and_then(|rest| rest.split_once('[')).ok_or_else(form)?;
    let element = ElementType::parse(name).ok_or_else(|| {
        Failure::usage(format!("`{name}` in `{text}` is not a type: char, uint, float, float4 and so on"))
    })?;
    let extents: Vec<u64> = extents
        .split(',')
        .map(|extent| extent.trim().parse())
        .collect::<std::result::Result<_, _>>()
        .map_err(|_| form())?;
    let shape = Shape { element, extents };
    match shape.size() {
        Some(0) => {
            Err(Failure::usage(format!("the buffer `{text}` is empty: every extent must be at least 1")))
        }
        Some(_) => Ok(shape),
        None => Err(Failure::usage(format!("the buffer `{text}` is larger than 2^64 bytes"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clvk::interface::ScalarType;

    fn shape_of(scalar: ScalarType, lanes: u32, extents: &[u64]) -> Shape {
        Shape { element: ElementType { scalar, lanes }, extents: extents.to_vec() }
    }

    #[test]
    fn every_form_is_read() {
        let parse = |text| ArgumentText::parse(text).unwrap();
        assert_eq!(parse("2.5f"), ArgumentText::Value(Literal::Number(Number::Float(2.5))));
        assert_eq!(
            parse("(1,-2)"),
            ArgumentText::Value(Literal::Vector(vec![Number::Int(1), Number::Int(-2)]))
        );
        assert_eq!(parse("in:a:b.npy"), ArgumentText::Input { path: "a:b.npy".into(), write_back: false });
        let zeros = parse("zero:float4[2,3]");
        let promised = |promise| ArgumentText::Promised { promise, buffer: Box::new(zeros.clone()) };
        assert_eq!(parse("undefined:float4[2,3]"), promised(Promise::Undefined));
        assert_eq!(parse("read-only:zero:float4[2,3]"), promised(Promise::ReadOnly));
        assert_eq!(parse("write-only:zero:float4[2,3]"), promised(Promise::WriteOnly));
        assert_eq!(parse("read-only:in:a.npy").input(), Some(Path::new("a.npy")));
        assert_eq!(
            parse("out:a.npy:float4[2,3]"),
            ArgumentText::Output { path: "a.npy".into(), shape: shape_of(ScalarType::F32, 4, &[2, 3]) }
        );
        assert_eq!(
            parse("out:a.png:uchar4[2,3]"),
            ArgumentText::Output { path: "a.png".into(), shape: shape_of(ScalarType::U8, 4, &[2, 3]) }
        );
        assert_eq!(
            parse("fill:-1:int[8]"),
            ArgumentText::Fill {
                value: Literal::Number(Number::Int(-1)),
                shape: shape_of(ScalarType::I32, 1, &[8])
            }
        );
        assert_eq!(
            parse("rand:7:uchar[3]"),
            ArgumentText::Random { seed: 7, shape: shape_of(ScalarType::U8, 1, &[3]) }
        );
        assert_eq!(parse("local:64"), ArgumentText::Local(64));
        assert_eq!(parse("null"), ArgumentText::Null);
        let image = |pixels, output: Option<&str>| {
            ArgumentText::Image(ImageText { pixels, format: None, output: output.map(Into::into) })
        };
        assert_eq!(parse("image:x.png"), image(Pixels::File("x.png".into()), None));
        assert_eq!(parse("image-inout:x.png"), image(Pixels::File("x.png".into()), Some("x.png")));
        assert_eq!(parse("image-out:x.png:4x3"), image(Pixels::Zero(vec![4, 3]), Some("x.png")));
        assert_eq!(parse("image-zero:4x3x2"), image(Pixels::Zero(vec![4, 3, 2]), None));
        let ArgumentText::Image(ImageText { format: Some(format), .. }) =
            parse("image-out:x.exr:4x3:rgba32f")
        else {
            panic!("the format is lost")
        };
        assert_eq!(format_name(format), "rgba32f");
        assert!(matches!(parse("sampler:clamp,linear,normalized"), ArgumentText::Sampler(_)));
    }

    #[test]
    fn mistakes_name_the_form_that_is_expected() {
        for (text, expected) in [
            ("hello", "is not a kernel argument"),
            ("(1,2", "is not a kernel argument"),
            ("out:x.npy", "out:FILE:TYPE[N,M…]"),
            ("out:x.png:uint[4,4]", "uchar4[HEIGHT,WIDTH]"),
            ("image-out:a.tga:4x4", ".png"),
            ("image-out:a.png:4x0", "at least 1"),
            ("image-out:a.png:4,4", "FILE.png"),
            ("in:", "names no file"),
            ("sampler:clamp,cubic,normalized", "`cubic`"),
            ("fill:(1,2):float4[3]", "gives 2 numbers for each `float4`, which has 4"),
            ("fill:{1,2}:float2[3]", "`in:FILE`"),
            ("zero:float", "TYPE[N,M…]"),
            ("undefined:float", "undefined:TYPE[N,M…]"),
            ("read-only:local:4", "read-only:zero:TYPE[N,M…]"),
            ("zero:flot[3]", "`flot`"),
            ("zero:float[0]", "empty"),
            ("zero:float[99999999999,99999999999]", "2^64"),
            ("local:x", "local:BYTES"),
            ("image-out:a.png", "WxH"),
            ("image:a.png:bgra", "rgba8ui"),
            ("image-zero:4x4:bgra", "rgba8ui"),
            ("sampler:clamp", "sampler:ADDRESSING"),
            ("inn:x", "`inn:`"),
        ] {
            let failure = ArgumentText::parse(text).unwrap_err();
            assert!(failure.message().contains(expected), "{text}: {}", failure.message());
            assert!(!failure.message().contains('\n'), "{text}");
        }
    }
}
