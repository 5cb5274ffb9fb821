//! Images and samplers.

use super::function::FunctionWriter;
use super::writer::TypeKey;
use crate::counterparts::{Level, Sample, Texel};
use crate::emit::control::Body;
use clvk_interface::ImageQuery;
use clvk_ir::{Constant, ImageDimension, ImageOp, ImageType, Inst, Scalar, Type, Value};
use rspirv::{
    dr::Operand,
    spirv::{self, Capability, ImageOperands, Word},
};

const FLOATS: Type = Type::Vector(Scalar::F32, 4);
const INTS: Type = Type::Vector(Scalar::I32, 4);

/// What image operands say about integers, since this version of SPIR-V.
const SIGNS: (u32, u32) = (1, 4);

/// `CL_SNORM_INT8` and `CL_R`, from which SPIR-V counts the channels' types and orders.
const FIRST_TYPE: u32 = 0x10D0;
const FIRST_ORDER: u32 = 0x10B0;

impl FunctionWriter<'_, '_> {
    /// Writes an image operation.
    pub fn image(&mut self, inst: Inst, op: ImageOp) {
        let image = self.image_type(inst);
        let id = match op {
            ImageOp::Read { signed } => self.read(inst, image, signed),
            ImageOp::Write { signed } => {
                self.write(inst, image, signed);
                return;
            }
            ImageOp::Query(ImageQuery::Format) => self.format(inst),
            ImageOp::Query(query) => self.size(inst, image, query),
            // It is in bodies of the library only, for which devices have instructions.
            ImageOp::SampledRead | ImageOp::SampledTexel => self.left(inst),
        };
        self.define(self.function.insts[inst].results[0], id);
    }

    fn image_type(&self, inst: Inst) -> ImageType {
        match self.operand_type(inst, 0) {
            Type::Image(image) => image,
            _ => self.left(inst),
        }
    }

    /// Image operands: the mask of these and of the texels' sign, then their ids.
    fn image_operands(
        &mut self,
        mut mask: ImageOperands,
        ids: &[Word],
        signed: Option<bool>,
    ) -> Vec<Operand> {
        if let Some(signed) = signed {
            self.module.writer.needs_version(SIGNS);
            mask |= if signed { ImageOperands::SIGN_EXTEND } else { ImageOperands::ZERO_EXTEND };
        }
        if mask.is_empty() {
            return Vec::new();
        }
        let ids = ids.iter().copied().map(Operand::IdRef);
        std::iter::once(Operand::ImageOperands(mask)).chain(ids).collect()
    }

    /// Coordinates have 2 or 4 lanes in OpenCL C, the last one unused, and drivers count on it.
    fn coordinates(&mut self, value: Value) -> Word {
        let (id, ty) = (self.id(value), self.function.ty(value));
        let Type::Vector(scalar, 3) = ty else { return id };
        let [three, four] = [3, 4].map(|lanes| Type::Vector(scalar, lanes));
        let zeros = self.module.writer.constant(three, &Constant::Lanes(vec![0; 3].into()));
        let mut operands = vec![Operand::IdRef(id), Operand::IdRef(zeros)];
        operands.extend((0..4).map(Operand::LiteralBit32));
        let four = self.module.writer.value_type(four);
        self.add(spirv::Op::VectorShuffle, four, operands)
    }

    fn read(&mut self, inst: Inst, image: ImageType, signed: bool) -> Word {
        let data = &self.function.insts[inst];
        let ty = self.function.ty(data.results[0]);
        let (view, place) = (self.operand(inst, 0), self.coordinates(data.operands[1]));
        let (mask, level) = match data.operands.get(2) {
            Some(&level) => (ImageOperands::LOD, vec![self.id(level)]),
            None => (ImageOperands::NONE, Vec::new()),
        };
        let mut operands = vec![Operand::IdRef(view), Operand::IdRef(place)];
        operands.extend(self.image_operands(mask, &level, ty.is_int().then_some(signed)));
        if !image.dimension.is_depth() {
            let ty = self.module.writer.value_type(ty);
            return self.add(spirv::Op::ImageRead, ty, operands);
        }
        let number = self.module.writer.value_type(Type::F32);
        let depth = self.add(spirv::Op::ImageRead, number, operands);
        self.splat(depth, ty)
    }

    fn write(&mut self, inst: Inst, image: ImageType, signed: bool) {
        let data = &self.function.insts[inst];
        let ty = self.function.ty(data.operands[2]);
        let (view, place) = (self.operand(inst, 0), self.coordinates(data.operands[1]));
        let mut texel = self.operand(inst, 2);
        if image.dimension.is_depth() {
            texel = self.first_lane(texel);
        }
        let (mask, level) = match data.operands.get(3) {
            Some(&level) => (ImageOperands::LOD, vec![self.id(level)]),
            None => (ImageOperands::NONE, Vec::new()),
        };
        if !level.is_empty() {
            self.module.writer.require(Capability::ImageMipmap);
        }
        let mut operands = vec![Operand::IdRef(view), Operand::IdRef(place), Operand::IdRef(texel)];
        operands.extend(self.image_operands(mask, &level, ty.is_int().then_some(signed)));
        self.effect(spirv::Op::ImageWrite, operands);
    }

    /// A gradient has a lane for each dimension, but four in OpenCL C where an image has three.
    fn gradient(&mut self, inst: Inst, position: usize) -> Word {
        let id = self.operand(inst, position);
        if self.operand_type(inst, position).lanes() != 4 {
            return id;
        }
        let ty = self.module.writer.value_type(Type::Vector(Scalar::F32, 3));
        let mut operands = vec![Operand::IdRef(id), Operand::IdRef(id)];
        operands.extend((0..3).map(Operand::LiteralBit32));
        self.add(spirv::Op::VectorShuffle, ty, operands)
    }

    fn first_lane(&mut self, texel: Word) -> Word {
        let number = self.module.writer.value_type(Type::F32);
        self.add(spirv::Op::CompositeExtract, number, vec![Operand::IdRef(texel), Operand::LiteralBit32(0)])
    }

    /// A read through a sampler: the operands are image, sampler, coordinates, and what decides the level.
    pub fn sample(&mut self, inst: Inst, sample: Sample, ty: Type) -> Word {
        let data = &self.function.insts[inst];
        let image = self.image_type(inst);
        let image_type = self.module.writer.value_type(Type::Image(image));
        let combined = self.module.writer.type_id(TypeKey::SampledImage(image_type));
        let pair = vec![Operand::IdRef(self.operand(inst, 0)), Operand::IdRef(self.operand(inst, 1))];
        let combined = self.add(spirv::Op::SampledImage, combined, pair);
        let place = self.coordinates(data.operands[2]);
        let (mask, ids) = match sample.level {
            Level::First => {
                (ImageOperands::LOD, vec![self.module.writer.constant(Type::F32, &Constant::Bits(0))])
            }
            Level::Given => (ImageOperands::LOD, vec![self.operand(inst, 3)]),
            Level::Gradients => {
                (ImageOperands::GRAD, [3, 4].map(|position| self.gradient(inst, position)).to_vec())
            }
        };
        if sample.level != Level::First {
            self.module.writer.require(Capability::ImageMipmap);
        }
        let (texel, signed) = match sample.texel {
            Texel::Float | Texel::Half => (FLOATS, None),
            Texel::Signed => (INTS, Some(true)),
            Texel::Unsigned => (INTS, Some(false)),
        };
        let mut operands = vec![Operand::IdRef(combined), Operand::IdRef(place)];
        operands.extend(self.image_operands(mask, &ids, signed));
        let texel = self.module.writer.value_type(texel);
        let read = self.add(spirv::Op::ImageSampleExplicitLod, texel, operands);
        match ty {
            Type::Scalar(_) => self.first_lane(read),
            Type::Vector(Scalar::F16, _) => self.compute(spirv::Op::FConvert, ty, &[read]),
            _ => read,
        }
    }

    /// The word that describes an image's format: the channels' order below, their type above.
    fn format(&mut self, inst: Inst) -> Word {
        let view = self.operand(inst, 0);
        let mut part = |op: spirv::Op, first: u32| {
            let number = self.compute(op, Type::I32, &[view]);
            let first = self.module.writer.word(first);
            self.compute(spirv::Op::IAdd, Type::I32, &[number, first])
        };
        let order = part(spirv::Op::ImageQueryOrder, FIRST_ORDER);
        let kind = part(spirv::Op::ImageQueryFormat, FIRST_TYPE);
        let sixteen = self.module.writer.word(16);
        let above = self.compute(spirv::Op::ShiftLeftLogical, Type::I32, &[kind, sixteen]);
        self.compute(spirv::Op::BitwiseOr, Type::I32, &[order, above])
    }

    fn size(&mut self, inst: Inst, image: ImageType, query: ImageQuery) -> Word {
        use ImageDimension as Dimension;
        let view = self.operand(inst, 0);
        if query == ImageQuery::Levels {
            self.module.writer.require(Capability::ImageMipmap);
            return self.compute(spirv::Op::ImageQueryLevels, Type::I32, &[view]);
        }
        let dimension = image.dimension.without_depth();
        let lanes = match dimension {
            Dimension::D1 | Dimension::D1Buffer => 1,
            Dimension::D1Array | Dimension::D2 => 2,
            _ => 3,
        };
        let lane = match query {
            ImageQuery::Width => 0,
            ImageQuery::Height => 1,
            ImageQuery::Depth => 2,
            _ => lanes - 1,
        };
        let ty = Type::with_lanes(Scalar::I32, lanes);
        let sizes = if dimension == Dimension::D1Buffer {
            self.compute(spirv::Op::ImageQuerySize, ty, &[view])
        } else {
            let level = self.module.writer.word(0);
            self.compute(spirv::Op::ImageQuerySizeLod, ty, &[view, level])
        };
        if lanes == 1 {
            return sizes;
        }
        let number = self.module.writer.value_type(Type::I32);
        self.add(
            spirv::Op::CompositeExtract,
            number,
            vec![Operand::IdRef(sizes), Operand::LiteralBit32(lane)],
        )
    }
}
