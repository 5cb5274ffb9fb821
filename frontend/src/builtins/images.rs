//! Images (OpenCL C §6.15.15). Reads through samplers are library functions, which compute the positions of
//! the texels.

use super::Lowering::{Image, ImageLibrary, Special};
use super::lowering::{Lowering, Special as Code};
use super::table::{ImageUse, Lanes, NONE, Row, Signature, Strategy, Term, overloads, row, signature};
use crate::options::LanguageVersion::{C12, C20};
use crate::types::ScalarKind::{self, Float, Half, Int, UInt};
use clvk_interface::{Feature, ImageQuery};
use clvk_ir::ImageDimension::{self, D1, D1Array, D1Buffer, D2, D2Array, D2ArrayDepth, D2Depth, D3};
use clvk_ir::ImageOp;

const fn fixed(result: Term, params: &'static [Term]) -> Signature {
    signature(NONE, Lanes::Scalar, result, params)
}

const INT: Term = Term::Fixed(Int, 1);
const UINT: Term = Term::Fixed(UInt, 1);

const fn coordinates(kind: ScalarKind, dimension: ImageDimension) -> Term {
    Term::Coordinates(kind, dimension)
}

macro_rules! sampled {
    ($texel:expr; $($dimension:expr),*) => {
        &[$(
            fixed($texel, &[Term::Image($dimension, ImageUse::Sample), Term::Sampler, coordinates(Int, $dimension)]),
            fixed($texel, &[Term::Image($dimension, ImageUse::Sample), Term::Sampler, coordinates(Float, $dimension)]),
        )*]
    };
}

macro_rules! device_sampled {
    ($texel:expr; $($dimension:expr),*) => {
        &[$(
            fixed($texel, &[Term::Image($dimension, ImageUse::Sample), Term::Sampler, coordinates(Float, $dimension), FLOAT]),
        )*]
    };
}

macro_rules! texel_sampled {
    ($texel:expr; $($dimension:expr),*) => {
        &[$(
            fixed($texel, &[Term::Image($dimension, ImageUse::Sample), Term::Sampler, coordinates(Float, $dimension)]),
        )*]
    };
}

macro_rules! of_level {
    ($texel:expr; $($dimension:expr),*) => {
        &[$(
            fixed($texel, &[Term::Image($dimension, ImageUse::Sample), Term::Sampler, coordinates(Float, $dimension), FLOAT]),
        )*]
    };
}

macro_rules! of_gradients {
    ($texel:expr; $(($dimension:expr, $lanes:expr)),*) => {
        &[$(
            fixed(
                $texel,
                &[
                    Term::Image($dimension, ImageUse::Sample),
                    Term::Sampler,
                    coordinates(Float, $dimension),
                    Term::Fixed(Float, $lanes),
                    Term::Fixed(Float, $lanes),
                ],
            ),
        )*]
    };
}

macro_rules! fetched {
    ($texel:expr; $($dimension:expr),*) => {
        &[$(fixed($texel, &[Term::Image($dimension, ImageUse::Sample), coordinates(Int, $dimension), INT])),*]
    };
}

macro_rules! written_to_level {
    ($texel:expr; $($dimension:expr),*) => {
        &[$(fixed(Term::Void,
            &[Term::Image($dimension, ImageUse::Write), coordinates(Int, $dimension), INT, $texel])),*]
    };
}

macro_rules! plain {
    ($texel:expr; $($dimension:expr),*) => {
        &[$(fixed($texel, &[Term::Image($dimension, ImageUse::Read), coordinates(Int, $dimension)])),*]
    };
}

macro_rules! written {
    ($texel:expr; $($dimension:expr),*) => {
        &[$(fixed(Term::Void,
            &[Term::Image($dimension, ImageUse::Write), coordinates(Int, $dimension), $texel])),*]
    };
}

macro_rules! queried {
    ($result:expr; $($dimension:expr),*) => {
        &[$(fixed($result, &[Term::Image($dimension, ImageUse::Query)])),*]
    };
}

const FLOAT: Term = Term::Fixed(Float, 1);
const FLOATS: Term = Term::Fixed(Float, 4);
const HALVES: Term = Term::Fixed(Half, 4);
const INTS: Term = Term::Fixed(Int, 4);
const UINTS: Term = Term::Fixed(UInt, 4);
const DEPTH: Term = Term::Fixed(Float, 1);

const fn image(name: &'static str, signatures: &'static [Signature], lowering: Lowering) -> Row {
    overloads("6.15.15", name, signatures, lowering).needs(Feature::Images)
}

const fn read(name: &'static str, signatures: &'static [Signature], signed: bool) -> Row {
    image(name, signatures, Image(ImageOp::Read { signed })).since(C12)
}

const fn write(name: &'static str, signatures: &'static [Signature], signed: bool) -> Row {
    image(name, signatures, Image(ImageOp::Write { signed }))
}

const fn query(name: &'static str, signatures: &'static [Signature], code: Code) -> Row {
    image(name, signatures, Special(code))
}

const fn of_levels(name: &'static str, signatures: &'static [Signature]) -> Row {
    image(name, signatures, ImageLibrary(name)).needs(Feature::MipmapImage)
}

const fn write_to_level(name: &'static str, signatures: &'static [Signature], signed: bool) -> Row {
    write(name, signatures, signed).needs(Feature::MipmapImageWrites)
}

/// The rows.
pub(super) const ROWS: &[Row] = &[
    image("read_imagef", sampled!(FLOATS; D1, D1Array, D2, D2Array, D3), ImageLibrary("read_imagef")),
    image("read_imagef", sampled!(DEPTH; D2Depth, D2ArrayDepth), ImageLibrary("read_imagef")).since(C20),
    image("read_imageh", sampled!(HALVES; D1, D1Array, D2, D2Array, D3), ImageLibrary("read_imageh"))
        .needs(Feature::Fp16),
    image("read_imagei", sampled!(INTS; D1, D1Array, D2, D2Array, D3), ImageLibrary("read_imagei")),
    image("read_imageui", sampled!(UINTS; D1, D1Array, D2, D2Array, D3), ImageLibrary("read_imageui")),
    of_levels("read_imagef", of_level!(FLOATS; D1, D1Array, D2, D2Array, D3)),
    of_levels("read_imagef", of_level!(DEPTH; D2Depth, D2ArrayDepth)),
    of_levels("read_imagei", of_level!(INTS; D1, D1Array, D2, D2Array, D3)),
    of_levels("read_imageui", of_level!(UINTS; D1, D1Array, D2, D2Array, D3)),
    of_levels("read_imagef", of_gradients!(FLOATS; (D1, 1), (D1Array, 1), (D2, 2), (D2Array, 2), (D3, 4))),
    of_levels("read_imagef", of_gradients!(DEPTH; (D2Depth, 2), (D2ArrayDepth, 2))),
    of_levels("read_imagei", of_gradients!(INTS; (D1, 1), (D1Array, 1), (D2, 2), (D2Array, 2), (D3, 4))),
    of_levels("read_imageui", of_gradients!(UINTS; (D1, 1), (D1Array, 1), (D2, 2), (D2Array, 2), (D3, 4))),
    read("read_imagef", plain!(FLOATS; D1, D1Array, D1Buffer, D2, D2Array, D3), false),
    read("read_imagef", plain!(DEPTH; D2Depth, D2ArrayDepth), false).since(C20),
    read("read_imageh", plain!(HALVES; D1, D1Array, D1Buffer, D2, D2Array, D3), false).needs(Feature::Fp16),
    read("read_imagei", plain!(INTS; D1, D1Array, D1Buffer, D2, D2Array, D3), true),
    read("read_imageui", plain!(UINTS; D1, D1Array, D1Buffer, D2, D2Array, D3), false),
    write("write_imagef", written!(FLOATS; D1, D1Array, D1Buffer, D2, D2Array), false),
    write("write_imagef", written!(DEPTH; D2Depth, D2ArrayDepth), false).since(C20),
    write("write_imageh", written!(HALVES; D1, D1Array, D1Buffer, D2, D2Array), false).needs(Feature::Fp16),
    write("write_imagei", written!(INTS; D1, D1Array, D1Buffer, D2, D2Array), true),
    write("write_imageui", written!(UINTS; D1, D1Array, D1Buffer, D2, D2Array), false),
    write("write_imagef", written!(FLOATS; D3), false).needs(Feature::Image3dWrites),
    write("write_imageh", written!(HALVES; D3), false).needs(Feature::Fp16).needs(Feature::Image3dWrites),
    write("write_imagei", written!(INTS; D3), true).needs(Feature::Image3dWrites),
    write("write_imageui", written!(UINTS; D3), false).needs(Feature::Image3dWrites),
    write_to_level("write_imagef", written_to_level!(FLOATS; D1, D1Array, D2, D2Array, D3), false),
    write_to_level("write_imagef", written_to_level!(DEPTH; D2Depth, D2ArrayDepth), false),
    write_to_level("write_imagei", written_to_level!(INTS; D1, D1Array, D2, D2Array, D3), true),
    write_to_level("write_imageui", written_to_level!(UINTS; D1, D1Array, D2, D2Array, D3), false),
    image(
        "get_image_num_mip_levels",
        queried!(INT; D1, D1Array, D2, D2Array, D3, D2Depth, D2ArrayDepth),
        Image(ImageOp::Query(ImageQuery::Levels)),
    )
    .needs(Feature::MipmapImage),
    image(
        "get_image_width",
        queried!(INT; D1, D1Array, D1Buffer, D2, D2Array, D3, D2Depth, D2ArrayDepth),
        Image(ImageOp::Query(ImageQuery::Width)),
    ),
    image(
        "get_image_height",
        queried!(INT; D2, D2Array, D3, D2Depth, D2ArrayDepth),
        Image(ImageOp::Query(ImageQuery::Height)),
    ),
    image("get_image_depth", queried!(INT; D3), Image(ImageOp::Query(ImageQuery::Depth))),
    query(
        "get_image_channel_data_type",
        queried!(INT; D1, D1Array, D1Buffer, D2, D2Array, D3, D2Depth, D2ArrayDepth),
        Code::ImageDataType,
    ),
    query(
        "get_image_channel_order",
        queried!(INT; D1, D1Array, D1Buffer, D2, D2Array, D3, D2Depth, D2ArrayDepth),
        Code::ImageOrder,
    ),
    query(
        "get_image_dim",
        queried!(Term::Fixed(Int, 2); D2, D2Array, D2Depth, D2ArrayDepth),
        Code::ImageSize,
    ),
    query("get_image_dim", queried!(Term::Fixed(Int, 4); D3), Code::ImageSize),
    row("6.15.15", "get_image_num_samples", Strategy::Unsupported).needs(Feature::GlMsaaSharing),
    // The result is a `size_t`; the checker widens the operation's result.
    image(
        "get_image_array_size",
        queried!(INT; D1Array, D2Array, D2ArrayDepth),
        Image(ImageOp::Query(ImageQuery::ArraySize)),
    )
    .since(C12),
];

/// Functions that only the library calls.
pub(super) const OF_LIBRARY: &[Row] = &[
    image("__clvk_sampler_word", &[fixed(UINT, &[Term::Sampler])], Special(Code::SamplerWord)),
    image(
        "__clvk_image_info",
        queried!(UINT; D1, D1Array, D2, D2Array, D3, D2Depth, D2ArrayDepth),
        Image(ImageOp::Query(ImageQuery::Format)),
    ),
    image(
        "__clvk_sample",
        device_sampled!(FLOATS; D1, D1Array, D2, D2Array, D3),
        Image(ImageOp::SampledRead),
    ),
    image("__clvk_sample_texel", texel_sampled!(FLOATS; D1, D2), Image(ImageOp::SampledTexel)),
    image(
        "__clvk_image_levels",
        queried!(INT; D1, D1Array, D2, D2Array, D3, D2Depth, D2ArrayDepth),
        Image(ImageOp::Query(ImageQuery::Levels)),
    ),
    read("__clvk_fetch_f", fetched!(FLOATS; D1, D1Array, D2, D2Array, D3), false),
    read("__clvk_fetch_f", fetched!(DEPTH; D2Depth, D2ArrayDepth), false),
    read("__clvk_fetch_i", fetched!(INTS; D1, D1Array, D2, D2Array, D3), true),
    read("__clvk_fetch_ui", fetched!(UINTS; D1, D1Array, D2, D2Array, D3), false),
    image("__clvk_sample", device_sampled!(DEPTH; D2Depth, D2ArrayDepth), Image(ImageOp::SampledRead)),
];
