//! Images and samplers (SPIR-V §3.49.10): functions of OpenCL C.

use super::Body;
use super::extended::list;
use super::values::Definition;
use crate::binary::Instruction;
use crate::error::Error;
use crate::glue::{self, Spelled};
use clvk_ir::{ImageType, Scalar, Type, Value};
use rspirv::spirv::{ImageOperands, Op};

impl Body<'_, '_> {
    /// Translates an instruction of this chapter; gives whether it is one.
    pub fn image(&mut self, op: Op, instruction: &Instruction<'_>) -> Result<bool, Error> {
        match op {
            Op::SampledImage => {
                let image = self.value_at(0, instruction)?;
                let sampler = self.value_at(1, instruction)?;
                let defined = Definition::Sampled(image, sampler);
                self.locals.define(instruction.result().unwrap_or_default(), defined);
            }
            Op::ImageSampleExplicitLod => self.sample(instruction)?,
            Op::ImageRead | Op::ImageFetch => self.read_image(instruction)?,
            Op::ImageWrite => self.write_image(instruction)?,
            Op::ImageQuerySizeLod | Op::ImageQuerySize => self.query_size(instruction)?,
            Op::ImageQueryFormat => {
                self.image_query("get_image_channel_data_type(a0) - 0x10D0", instruction)?
            }
            Op::ImageQueryOrder => self.image_query("get_image_channel_order(a0) - 0x10B0", instruction)?,
            Op::ImageQueryLevels => self.image_query("get_image_num_mip_levels(a0)", instruction)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    pub(super) fn image_at(
        &mut self,
        index: usize,
        instruction: &Instruction<'_>,
    ) -> Result<(Value, ImageType), Error> {
        let value = self.value_at(index, instruction)?;
        match self.function.ty(value) {
            Type::Image(image) => Ok((value, image)),
            _ => Err(instruction.error("an operand is not an image")),
        }
    }

    pub(super) fn coordinates_at(
        &mut self,
        index: usize,
        instruction: &Instruction<'_>,
    ) -> Result<(Value, Spelled), Error> {
        let value = self.value_at(index, instruction)?;
        let spelled = glue::number(self.function.ty(value), true);
        Ok((value, spelled.ok_or_else(|| instruction.error("the coordinates are not numbers"))?))
    }

    /// `f`, `i`, `ui` or `h`: the end of a function's name, by the type of a texel.
    fn suffix(
        &self,
        ty: Type,
        operands: ImageOperands,
        instruction: &Instruction<'_>,
    ) -> Result<&'static str, Error> {
        match ty.scalar() {
            Some(Scalar::F32) => Ok("f"),
            Some(Scalar::F16) => Ok("h"),
            Some(Scalar::I32) if operands.contains(ImageOperands::SIGN_EXTEND) => Ok("i"),
            Some(Scalar::I32) if operands.contains(ImageOperands::ZERO_EXTEND) => Ok("ui"),
            Some(Scalar::I32) => Err(instruction.error(
                "texels are integers, and no image operand (SignExtend or ZeroExtend, since SPIR-V 1.4) says whether they are signed",
            )),
            _ => Err(instruction.error("kernels have no texels of this type")),
        }
    }

    /// Image operands: the mask, and the ids of the level of detail or the gradients.
    fn operands<'i>(
        &self,
        from: usize,
        instruction: &Instruction<'i>,
    ) -> Result<(ImageOperands, &'i [u32]), Error> {
        let words = instruction.operands().get(from..).unwrap_or_default();
        let Some((&mask, ids)) = words.split_first() else { return Ok((ImageOperands::NONE, &[])) };
        let mask = ImageOperands::from_bits_retain(mask);
        let known = ImageOperands::LOD
            | ImageOperands::GRAD
            | ImageOperands::SIGN_EXTEND
            | ImageOperands::ZERO_EXTEND
            | ImageOperands::NONTEMPORAL;
        let count = if mask.contains(ImageOperands::LOD) { 1 } else { 0 };
        let count = count + if mask.contains(ImageOperands::GRAD) { 2 } else { 0 };
        match ids.get(..count) {
            Some(ids) if count < 3 && (mask - known).is_empty() => Ok((mask, ids)),
            _ => Err(instruction.error("these image operands are not supported")),
        }
    }

    /// Operands as numbers.
    fn numbers(
        &mut self,
        ids: &[u32],
        instruction: &Instruction<'_>,
    ) -> Result<Vec<(Value, Spelled)>, Error> {
        let mut numbers = Vec::new();
        for &id in ids {
            let mut value = self.value(id, instruction)?;
            if let Type::Vector(scalar, 3) = self.function.ty(value) {
                // Gradients of images with three dimensions have a fourth lane in OpenCL C.
                let mut mask = [255; 16];
                mask[..3].copy_from_slice(&[0, 1, 2]);
                let ty = Type::Vector(scalar, 4);
                value = self.build().value(clvk_ir::Op::Shuffle(mask), &[value, value], ty);
            }
            let spelled = glue::number(self.function.ty(value), true);
            numbers
                .push((value, spelled.ok_or_else(|| instruction.error("an image operand is not a number"))?));
        }
        Ok(numbers)
    }

    fn sample(&mut self, instruction: &Instruction<'_>) -> Result<(), Error> {
        let Definition::Sampled(image, sampler) = self.operand(instruction.operand(0)?, instruction)? else {
            return Err(instruction.error("the operand is not an image with a sampler"));
        };
        let Type::Image(image_type) = self.function.ty(image) else {
            return Err(instruction.error("the operand is not an image with a sampler"));
        };
        let coordinates = self.coordinates_at(1, instruction)?;
        let (mask, ids) = self.operands(2, instruction)?;
        let mut arguments = vec![(image, glue::image(image_type)), (sampler, glue::sampler()), coordinates];
        let levels = self.numbers(ids, instruction)?;
        // Level 0 is the image itself, also where the device has no mipmaps.
        let is_first = |(value, _): &(Value, Spelled)| self.function.as_bits(*value) == Some(0);
        if !(levels.len() == 1 && is_first(&levels[0])) {
            arguments.extend(levels);
        }
        let text = list(arguments.len());
        self.texel(&text, mask, image_type, &arguments, instruction)
    }

    fn read_image(&mut self, instruction: &Instruction<'_>) -> Result<(), Error> {
        let (image, image_type) = self.image_at(0, instruction)?;
        let coordinates = self.coordinates_at(1, instruction)?;
        let (mask, ids) = self.operands(2, instruction)?;
        let levels = self.numbers(ids, instruction)?;
        if levels.iter().any(|(value, _)| self.function.as_bits(*value) != Some(0)) {
            return Err(instruction.error("reads of levels of detail need a sampler"));
        }
        let arguments = [(image, glue::image(image_type)), coordinates];
        self.texel("a0, a1", mask, image_type, &arguments, instruction)
    }

    /// Calls `read_image…`. Depth images give a number where the instruction may give a vector.
    fn texel(
        &mut self,
        list: &str,
        mask: ImageOperands,
        image: ImageType,
        arguments: &[(Value, Spelled)],
        instruction: &Instruction<'_>,
    ) -> Result<(), Error> {
        let ty = self.result_value_type(instruction)?;
        let suffix = self.suffix(ty, mask, instruction)?;
        let result =
            glue::number(ty, suffix != "ui").ok_or_else(|| instruction.error("a texel is not a number"))?;
        let read = format!("read_image{suffix}({list})");
        let text = match (image.dimension.is_depth(), ty.lanes()) {
            (true, 4) => format!("({})({read}, 0, 0, 1)", result.text),
            (false, 1) => format!("{read}.x"),
            _ => read,
        };
        let value = self.call_expression(Some(&result), arguments, &text).expect("the function has a result");
        self.define_value(instruction, value)
    }

    fn write_image(&mut self, instruction: &Instruction<'_>) -> Result<(), Error> {
        let (image, image_type) = self.image_at(0, instruction)?;
        let coordinates = self.coordinates_at(1, instruction)?;
        let texel = self.value_at(2, instruction)?;
        let (mask, ids) = self.operands(3, instruction)?;
        let level = self.numbers(ids, instruction)?;
        let ty = self.function.ty(texel);
        let suffix = self.suffix(ty, mask, instruction)?;
        let spelled =
            glue::number(ty, suffix != "ui").ok_or_else(|| instruction.error("a texel is not a number"))?;
        let mut arguments = vec![(image, glue::image(image_type)), coordinates, (texel, spelled)];
        let first = if image_type.dimension.is_depth() && ty.lanes() > 1 { ".x" } else { "" };
        let text = match level.into_iter().next() {
            Some(level) => {
                arguments.push(level);
                format!("write_image{suffix}(a0, a1, a3, a2{first})")
            }
            None => format!("write_image{suffix}(a0, a1, a2{first})"),
        };
        self.call_expression(None, &arguments, &text);
        Ok(())
    }

    fn image_query(&mut self, text: &str, instruction: &Instruction<'_>) -> Result<(), Error> {
        let (image, image_type) = self.image_at(0, instruction)?;
        let ty = self.result_value_type(instruction)?;
        let result = glue::number(ty, true).ok_or_else(|| instruction.error("the result is not a number"))?;
        let arguments = [(image, glue::image(image_type))];
        let value = self.call_expression(Some(&result), &arguments, text).expect("the function has a result");
        self.define_value(instruction, value)
    }

    /// Width, height, depth and layers, as many as the image has.
    fn query_size(&mut self, instruction: &Instruction<'_>) -> Result<(), Error> {
        use clvk_ir::ImageDimension::*;
        let (_, image) = self.image_at(0, instruction)?;
        let parts = match image.dimension {
            D1 | D1Buffer => &["width"][..],
            D1Array => &["width", "array_size"],
            D2 | D2Depth => &["width", "height"],
            D2Array | D2ArrayDepth => &["width", "height", "array_size"],
            D3 => &["width", "height", "depth"],
        };
        let ty = self.result_value_type(instruction)?;
        let spelled =
            glue::number(ty, true).ok_or_else(|| instruction.error("the result is not a number"))?;
        let mut calls: Vec<String> = parts
            .iter()
            .map(|part| {
                if *part == "array_size" {
                    "(int)get_image_array_size(a0)".to_owned()
                } else {
                    format!("get_image_{part}(a0)")
                }
            })
            .collect();
        calls.resize(calls.len().max(ty.lanes() as usize), "0".to_owned());
        let text = match ty.lanes() {
            1 => calls[0].clone(),
            _ => format!("({})({})", spelled.text, calls[..ty.lanes() as usize].join(", ")),
        };
        self.image_query(&text, instruction)
    }
}
