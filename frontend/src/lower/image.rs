//! Built-ins on images (OpenCL C §6.15.15).
//!
//! The IR reads and writes four lanes of `F32` or `I32`; the code here converts them to halves and to the
//! single values of depth images.

use super::builtin::Arguments;
use super::function::FunctionLowering;
use clvk_interface::ImageQuery;
use clvk_ir::{BinaryOp, ConvertOp, ImageOp, ImageType, Op, RoundingMode, Scalar, Type, Value};

const FLOATS: Type = Type::Vector(Scalar::F32, 4);
const INTS: Type = Type::Vector(Scalar::I32, 4);

impl FunctionLowering<'_, '_> {
    fn image_type(&self, image: Value) -> ImageType {
        match self.function.ty(image) {
            Type::Image(image) => image,
            other => panic!("an image is needed, not {other}"),
        }
    }

    /// An operation of the IR.
    pub fn image(&mut self, op: ImageOp, arguments: &Arguments) -> Option<Value> {
        let mut operands = arguments.values.clone();
        match op {
            ImageOp::Write { signed } => {
                if operands.len() > 3 {
                    // The level of detail comes before the colour.
                    operands.swap(2, 3);
                }
                operands[2] = self.texel_to_write(operands[0], operands[2], signed);
                self.push(Op::Image(op), &operands, &[]);
                None
            }
            ImageOp::Read { .. } | ImageOp::SampledRead | ImageOp::SampledTexel => {
                let result = self.lowering.value_type(arguments.result).expect("reads give a texel");
                let is_int = result.is_int();
                let mut texel =
                    self.build().value(Op::Image(op), &operands, if is_int { INTS } else { FLOATS });
                if self.image_type(operands[0]).writable && !is_int && result.lanes() == 4 {
                    texel = self.colour("__clvk_decoded_f32", operands[0], texel);
                }
                Some(match result {
                    Type::Scalar(_) => self.lane(texel, 0),
                    Type::Vector(Scalar::F16, _) => {
                        let round = ConvertOp::Float(RoundingMode::NearestEven);
                        self.build().convert(round, texel, result)
                    }
                    _ => texel,
                })
            }
            _ => Some(self.build().value(Op::Image(op), &operands, Type::I32)),
        }
    }

    /// A colour converted for an image: integers saturate to the channels (OpenCL C §8.3.4), and sRGB encodes
    /// floats (§8.3.5).
    fn texel_to_write(&mut self, image: Value, color: Value, signed: bool) -> Value {
        match self.function.ty(color) {
            Type::Vector(Scalar::F16, _) => {
                let round = ConvertOp::Float(RoundingMode::NearestEven);
                let color = self.build().convert(round, color, FLOATS);
                self.colour("__clvk_encoded_f32", image, color)
            }
            FLOATS => self.colour("__clvk_encoded_f32", image, color),
            Type::Scalar(_) => {
                let zero = self.function.zero(Type::F32);
                self.build().value(Op::Construct, &[color, zero, zero, zero], FLOATS)
            }
            INTS if signed => self.colour("__clvk_saturated_i32", image, color),
            INTS => self.colour("__clvk_saturated_u32", image, color),
            _ => color,
        }
    }

    /// A colour converted by a library function, which gets the image's format.
    fn colour(&mut self, function: &str, image: Value, color: Value) -> Value {
        let ty = self.function.ty(color);
        let function = self.lowering.library_function(function.to_owned(), &[ty, Type::I32], Some(ty));
        let info = self.image_info(image);
        self.build().value(Op::Call(function), &[color, info], ty)
    }

    /// A library function that takes an image, a sampler and coordinates.
    pub fn image_library(&mut self, stem: &str, arguments: &Arguments) -> Value {
        let params: Vec<Type> = arguments.values.iter().map(|&value| self.function.ty(value)).collect();
        let coordinates = match params.len() {
            3 if params[2].is_float() => "f32",
            3 => "i32",
            4 => "level",
            _ => "gradients",
        };
        let shape = self.image_type(arguments.values[0]).dimension.name();
        let result = self.lowering.value_type(arguments.result).expect("reads give a texel");
        let name = format!("__clvk_{stem}_{shape}_{coordinates}");
        let function = self.lowering.library_function(name, &params, Some(result));
        self.build().value(Op::Call(function), &arguments.values, result)
    }

    /// The host's description of an image's format.
    pub fn image_info(&mut self, image: Value) -> Value {
        self.build().value(Op::Image(ImageOp::Query(ImageQuery::Format)), &[image], Type::I32)
    }

    /// Bits of a word.
    pub fn bit_field(&mut self, word: Value, shift: i64, mask: i64) -> Value {
        let (shift, mask) = (self.function.int(Type::I32, shift), self.function.int(Type::I32, mask));
        let moved = self.build().binary(BinaryOp::LShr, word, shift);
        self.build().binary(BinaryOp::And, moved, mask)
    }

    /// `get_image_dim`: width and height, or the three sizes and zero.
    pub fn image_size(&mut self, arguments: &Arguments) -> Value {
        let ty = self.lowering.value_type(arguments.result).expect("a size is a vector");
        let image = arguments.values[0];
        let queries = [ImageQuery::Width, ImageQuery::Height, ImageQuery::Depth];
        let count = if ty.lanes() == 4 { 3 } else { 2 };
        let mut sizes: Vec<Value> = queries[..count]
            .iter()
            .map(|&query| self.build().value(Op::Image(ImageOp::Query(query)), &[image], Type::I32))
            .collect();
        sizes.resize_with(ty.lanes() as usize, || self.function.int(Type::I32, 0));
        self.build().value(Op::Construct, &sizes, ty)
    }
}
