//! Images and samplers.

use super::{control::Body, kernel::Kernel, writer::TypeKey};
use clvk_interface::ImageQuery;
use clvk_ir::{Constant, EntityId, ImageDimension, ImageOp, ImageType, Inst, Op, SampledType, Scalar, Type};
use rspirv::{
    dr::Operand,
    spirv::{self, Capability, Decoration, ImageOperands, StorageClass, Word},
};

impl Kernel<'_, '_> {
    /// Loads the image or sampler of a binding.
    pub fn binding(&mut self, inst: Inst) {
        let result = self.function.insts[inst].results[0];
        let (ty, binding) = match (&self.function.insts[inst].op, self.function.ty(result)) {
            (Op::ImageBinding { binding }, Type::Image(image)) => (TypeKey::Image(image), *binding),
            (Op::SamplerBinding { binding }, _) => (TypeKey::Sampler, *binding),
            _ => self.left(inst),
        };
        let shared = matches!(ty, TypeKey::Image(image) if image.readable && image.writable);
        let ty = self.writer.type_id(ty);
        let is_new = !self.has_descriptor(ty, binding);
        let variable = self.descriptor(ty, StorageClass::UniformConstant, binding);
        if shared && is_new {
            // After a barrier, what other work-items wrote must be visible.
            self.writer.decorate(variable, Decoration::Coherent, &[]);
        }
        self.ids[result.index()] = self.add(spirv::Op::Load, ty, vec![Operand::IdRef(variable)]);
    }

    /// Writes an image operation.
    pub fn image(&mut self, inst: Inst, op: ImageOp) {
        let Type::Image(image) = self.operand_type(inst, 0) else { self.left(inst) };
        let id = match op {
            ImageOp::SampledRead | ImageOp::SampledTexel => self.sampled_read(inst, image),
            ImageOp::Read { .. } => self.read(inst, image),
            ImageOp::Write { .. } => {
                self.write(inst, image);
                return;
            }
            ImageOp::Query(query) => self.image_query(inst, image, query),
        };
        let result = self.function.insts[inst].results[0];
        self.ids[result.index()] = id;
    }

    /// What an image tells about itself.
    fn image_query(&mut self, inst: Inst, image: ImageType, query: ImageQuery) -> Word {
        use ImageDimension as Dimension;
        self.writer.require(Capability::ImageQuery);
        let view = self.operand(inst, 0);
        let dimension = image.dimension.without_depth();
        if query == ImageQuery::Levels {
            return self.compute(spirv::Op::ImageQueryLevels, Type::I32, &[view]);
        }
        let (lanes, lane) = match (dimension, query) {
            (Dimension::D1 | Dimension::D1Buffer, _) => (1, 0),
            (Dimension::D1Array, ImageQuery::ArraySize) => (2, 1),
            (Dimension::D1Array | Dimension::D2, ImageQuery::Width) => (2, 0),
            (Dimension::D2, _) => (2, 1),
            (_, ImageQuery::Width) => (3, 0),
            (_, ImageQuery::Height) => (3, 1),
            (_, ImageQuery::ArraySize | ImageQuery::Depth) => (3, 2),
            _ => self.left(inst),
        };
        let ty = Type::with_lanes(Scalar::I32, lanes);
        let size = if image.writable || dimension == Dimension::D1Buffer {
            self.compute(spirv::Op::ImageQuerySize, ty, &[view])
        } else {
            let level = self.writer.word(0);
            self.compute(spirv::Op::ImageQuerySizeLod, ty, &[view, level])
        };
        if lanes == 1 {
            return size;
        }
        let ty = self.writer.value_type(Type::I32);
        self.add(spirv::Op::CompositeExtract, ty, vec![Operand::IdRef(size), Operand::LiteralBit32(lane)])
    }

    /// The type id of four lanes of an image's texels.
    fn texel_type(&mut self, image: ImageType) -> Word {
        match image.sampled {
            SampledType::Sint => self.writer.type_id(TypeKey::Signed(4)),
            SampledType::Uint => self.writer.value_type(Type::Vector(Scalar::I32, 4)),
            SampledType::Float | SampledType::Unknown => self.writer.value_type(Type::Vector(Scalar::F32, 4)),
        }
    }

    /// What was read, converted to the IR's type, whose integers have no sign.
    fn texel(&mut self, image: ImageType, texel: Word) -> Word {
        match image.sampled {
            SampledType::Sint => self.compute(spirv::Op::Bitcast, Type::Vector(Scalar::I32, 4), &[texel]),
            _ => texel,
        }
    }

    fn sampled_read(&mut self, inst: Inst, image: ImageType) -> Word {
        let [view, sampler, coordinates] = [0, 1, 2].map(|operand| self.operand(inst, operand));
        let is_given = self.function.insts[inst].operands.len() > 3;
        let level = if is_given {
            self.operand(inst, 3)
        } else {
            self.writer.constant(Type::F32, &Constant::Bits(0))
        };
        let image_type = self.writer.type_id(TypeKey::Image(image));
        let sampled_type = self.writer.type_id(TypeKey::SampledImage(image_type));
        let operands = vec![Operand::IdRef(view), Operand::IdRef(sampler)];
        let sampled = self.add(spirv::Op::SampledImage, sampled_type, operands);
        let operands = vec![
            Operand::IdRef(sampled),
            Operand::IdRef(coordinates),
            Operand::ImageOperands(ImageOperands::LOD),
            Operand::IdRef(level),
        ];
        let ty = self.texel_type(image);
        let texel = self.add(spirv::Op::ImageSampleExplicitLod, ty, operands);
        self.texel(image, texel)
    }

    fn read(&mut self, inst: Inst, image: ImageType) -> Word {
        let (view, coordinates) = (self.operand(inst, 0), self.operand(inst, 1));
        let mut operands = vec![Operand::IdRef(view), Operand::IdRef(coordinates)];
        let ty = self.texel_type(image);
        let op = if image.writable {
            self.writer.require(Capability::StorageImageReadWithoutFormat);
            spirv::Op::ImageRead
        } else {
            if image.dimension != ImageDimension::D1Buffer {
                let is_given = self.function.insts[inst].operands.len() > 2;
                let level = if is_given { self.operand(inst, 2) } else { self.writer.word(0) };
                operands.extend([Operand::ImageOperands(ImageOperands::LOD), Operand::IdRef(level)]);
            }
            spirv::Op::ImageFetch
        };
        let texel = self.add(op, ty, operands);
        self.texel(image, texel)
    }

    fn write(&mut self, inst: Inst, image: ImageType) {
        self.writer.require(Capability::StorageImageWriteWithoutFormat);
        let (view, coordinates, mut texel) =
            (self.operand(inst, 0), self.operand(inst, 1), self.operand(inst, 2));
        if image.sampled == SampledType::Sint {
            let ty = self.texel_type(image);
            texel = self.add(spirv::Op::Bitcast, ty, vec![Operand::IdRef(texel)]);
        }
        self.effect(spirv::Op::ImageWrite, [view, coordinates, texel].map(Operand::IdRef).to_vec());
    }
}
